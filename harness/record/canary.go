package record

// Sighting is a place of a client's request in which a canary was: a credential that was made up for one start of the
// client. The value is on no record.
type Sighting struct {
	Kind  string `json:"kind"`           // which one: bearer, basic, key, client-id, client-secret or token
	Of    string `json:"of"`             // the start for which it was made: SCENARIO.NUMBER
	In    string `json:"in"`             // header, query, cookie, path, body or trailer
	Name  string `json:"name,omitempty"` // of the field, the parameter or the cookie
	Whole bool   `json:"whole"`          // the place has the credential and nothing else, in the form that is due there
}

// The kinds of canaries. All but the token, which a token endpoint gives away, are given to the client as it is started.
const (
	BearerCanary       = "bearer"
	BasicCanary        = "basic"
	KeyCanary          = "key"
	ClientIDCanary     = "client-id"
	ClientSecretCanary = "client-secret"
	TokenCanary        = "token"
)

// The places of a request in which canaries are looked for.
const (
	InHeader  = "header"
	InQuery   = "query"
	InCookie  = "cookie"
	InPath    = "path"
	InBody    = "body"
	InTrailer = "trailer"
)
