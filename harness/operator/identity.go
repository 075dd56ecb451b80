package operator

// Identity is how a client shows who it is. Empty members are not used.
type Identity struct {
	Bearer string `yaml:"bearer"` // token for Authorization: Bearer
	Basic  string `yaml:"basic"`  // user:password for Authorization: Basic
	APIKey string `yaml:"apiKey"` // for the header of API keys
}

// Webhook is the address at which the run receives push notifications, and how the server under test reaches
// that place. The zero value receives none.
type Webhook struct {
	Listen string `yaml:"listen"` // HOST:PORT to receive at; port 0 takes a free one
	URL    string `yaml:"url"`    // under which the server reaches it, if that is not the address of Listen
	Cert   string `yaml:"cert"`   // PEM files of a certificate and its key, to receive by https
	Key    string `yaml:"key"`
}
