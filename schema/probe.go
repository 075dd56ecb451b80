package schema

// Block is a row of probes on one operation, framed by a valid request.
type Block struct {
	Name   string   `yaml:"name"`
	Op     string   `yaml:"op"`
	Task   string   `yaml:"task"`   // fresh: the request is about a task that never was; default: about a task made for it
	Claims []string `yaml:"claims"` // played only if the card claims it
	// Binding is the only kind of binding in which it is played; "" for all.
	Binding string  `yaml:"binding"`
	Risk    Risk    `yaml:"risk"`
	Alone   bool    `yaml:"alone"`  // played next to no other scenario, after the shared ones
	Probes  []Probe `yaml:"probes"` // a shared one is there by its name, or as {name: …, like: NAME}

	File string `yaml:"-"` // its place: file and line
}

// Probe is a valid request with a change to it (RFC 6902), a raw body in its
// place, or another way to send it.
type Probe struct {
	Name    string            `yaml:"name"`
	Title   string            `yaml:"title"`   // what it bends, in words that follow the method's name, if the patch does not say it plainly
	Op      string            `yaml:"op"`      // another operation than the block's
	Twin    string            `yaml:"twin"`    // the step whose acceptance makes a refusal count, if it is not the valid request of the block
	Task    string            `yaml:"task"`    // fresh: an id never used; overrides the block's
	On      string            `yaml:"on"`      // what it bends: params (also ""), envelope or http
	Patch   []PatchOp         `yaml:"patch"`   // on the params, or on the envelope around them
	Raw     *string           `yaml:"raw"`     // the body itself, with ids in the places of NewID; on: envelope makes it one of JSON-RPC
	Method  string            `yaml:"method"`  // HTTP method other than POST
	Headers map[string]string `yaml:"headers"` // HTTP headers next to the usual ones, with ids in the places of NewID
	Valid   bool              `yaml:"valid"`   // the request breaks no rule, or one that the source leaves open
	Rare    bool              `yaml:"rare"`    // it is valid, and most servers refuse it all the same, so that it reaches few agents
	// Packs puts the patch of a valid probe into the message as well that carries what several scenarios try. If that is
	// accepted, the probe is not sent by itself.
	Packs bool   `yaml:"packs"`
	Risk  Risk   `yaml:"risk"` // beyond the block's; without leave it is not made
	Then  string `yaml:"then"` // an operation on the same task afterwards, recorded as NAME-then

	File string `yaml:"-"` // its place: file and line
}

// What a probe may bend. A binding without an envelope makes no calls that bend one.
const (
	OnParams   = "params"   // the parameters of the operation, in any binding
	OnEnvelope = "envelope" // the object around them, in JSON-RPC
	OnHTTP     = "http"     // method and headers
)

// Bends returns what a patch of the probe is about.
func (p *Probe) Bends() string {
	if p.On == "" {
		return OnParams
	}
	return p.On
}

// NewID is the place of an id in a body or a header of a probe. Each is filled with
// another that was never used before.
const NewID = "{new-id}"

// EmptyValue is the place of a header that is there and has no value. A probe that gives an
// empty text leaves the header out.
const EmptyValue = "{empty}"

// PatchOp is one operation of a JSON Patch.
type PatchOp struct {
	Op    string `yaml:"op" json:"op"`
	Path  string `yaml:"path" json:"path"`
	Value any    `yaml:"value" json:"value"`
}
