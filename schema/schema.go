// Package schema holds the protocols as data: for every dialect its names,
// numbers and pointers, the JSON Schema of its types, the probes that are
// patches on valid requests, and the catalogue of its requirements. It loads
// them strictly: what it does not know is an error that names the file and line.
package schema

import (
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Level is the weight of a requirement (RFC 2119).
type Level string

// The levels.
const (
	Must   Level = "MUST"
	Should Level = "SHOULD"
	May    Level = "MAY"
)

// Risk is what judging a requirement may do to the server under test.
type Risk string

// The risk classes. Only harmless ones run unless the operator allows more.
const (
	Harmless   Risk = "harmless"
	Heavy      Risk = "heavy"      // large bodies, deep nesting
	Outbound   Risk = "outbound"   // makes the server call out
	Residue    Risk = "residue"    // leaves something behind
	Disruptive Risk = "disruptive" // may slow or stop the service for others
)

// Risks lists the classes an operator can allow.
func Risks() []Risk { return []Risk{Heavy, Outbound, Residue, Disruptive} }

// Dialect is one protocol variant.
type Dialect struct {
	Name   string `yaml:"name"`
	Title  string `yaml:"title"`  // as a failure text names it: "A2A 0.1.0"
	Prefix string `yaml:"prefix"` // of its requirement ids
	Source Source `yaml:"source"`
	// Transports are what is judged, for the reader; JSON-RPC if none is named.
	Transports []string `yaml:"transports"`
	Detect     Detect   `yaml:"detect"`
	Card       Card     `yaml:"card"`
	Agents     Agents   `yaml:"agents"`
	// Directory says where a server shows a list of agents that registered with
	// it, which are servers of their own.
	Directory Directory `yaml:"directory"`
	// Allows are the risk classes that an operator allows by naming the dialect,
	// where nothing else makes sense with such a server.
	Allows []Risk `yaml:"allows"`
	// ByMethod says that calls may go to a path that is the method's name.
	ByMethod bool `yaml:"byMethod"`
	// Actions says that a message names an action of the agent: none has a default.
	Actions bool `yaml:"actions"`
	// Crowd is how many messages a run sends at the same time; 0 for our default.
	Crowd   int    `yaml:"crowd"`
	RPCPath string `yaml:"rpcPath"` // where calls go if the card names no endpoint
	Limits  Limits `yaml:"limits"`
	// Validation is the place in the source that asks servers to refuse what is
	// malformed; "" where it leaves that open.
	Validation string `yaml:"validation"`

	Operations map[string]Operation `yaml:"operations"`
	Bindings   map[string]Binding   `yaml:"bindings"` // by the name that a card has for them
	Errors     map[string]ErrorSign `yaml:"errors"`
	States     []State              `yaml:"states"`

	// Read says where a reply holds what: for each operation (and for "event")
	// a name such as task.state and the pointer to it inside the result.
	Read map[string]map[string]string `yaml:"read"`
	// Kind is the pointer to the member of a result that says of which sort it
	// is, where a call may be answered by several; a sort that has a row in Read
	// is read by it.
	Kind string `yaml:"kind"`
	// Stream says what is peculiar to the event streams of the dialect.
	Stream Stream `yaml:"stream"`
	// Delivered says how the body of a push notification is read, whatever else
	// it holds and however deep.
	Delivered Delivered `yaml:"delivered"`
	// Types says by which definition of the JSON Schema a message is judged.
	Types ShapeNames `yaml:"shapes"`
	// Patience are the windows of time in seconds that fairness needs.
	Patience map[string]Window `yaml:"patience"`
	// Stimuli are the default message texts.
	Stimuli map[string]Stimulus `yaml:"stimuli"`

	Blocks       []Block       `yaml:"-"` // from probes.yaml
	Requirements []Requirement `yaml:"-"` // from requirements/, in catalogue order
	Digest       string        `yaml:"-"` // sha256 over all files of the dialect

	files   fs.FS             // for the line of a slip
	shared  map[string]string // where the texts of shared probes stand, by where they are taken
	shapes  *Shapes
	byID    map[string]*Requirement
	made    *sync.Map
	methods map[string]string // of JSON-RPC, by operation
}

// Once returns what was made of the dialect under a key, which it makes the
// first time. A dialect does not change once it was read.
func (d *Dialect) Once(key any, make func() any) any {
	if known, ok := d.made.Load(key); ok {
		return known
	}
	known, _ := d.made.LoadOrStore(key, make())
	return known
}

// Source names the document a dialect is taken from.
type Source struct {
	Title   string `yaml:"title"`
	Version string `yaml:"version"`
}

// Detect says how a card of this dialect is told from others.
type Detect struct {
	// Version is the pointer to the protocol version in the card, and Is the
	// values this dialect has there, "*" standing for anything; "absent" stands
	// for a card without it.
	Version string   `yaml:"version"`
	Is      []string `yaml:"is"`
	// Without lists members that such a card never has.
	Without []string `yaml:"without"`
	// Narrow has the dialect tried before those that recognise its cards too.
	Narrow bool `yaml:"narrow"`
	// Never keeps the dialect from being chosen by itself.
	Never bool `yaml:"never"`
}

// Card says where the agent card lies and what it holds where.
type Card struct {
	Paths    []string          `yaml:"paths"`
	Endpoint string            `yaml:"endpoint"` // pointer to the RPC URL
	Claims   map[string]string `yaml:"claims"`   // word → pointer to a boolean
	Name     string            `yaml:"name"`
	Skills   string            `yaml:"skills"`
	Modes    string            `yaml:"modes"`   // pointer to the input modes
	Outputs  string            `yaml:"outputs"` // pointer to the output modes
	Schemes  string            `yaml:"schemes"` // pointer to the authentication schemes
	// Definitions is the pointer to what the names among the schemes stand for,
	// where they are not the schemes' own.
	Definitions string `yaml:"definitions"`
	// Extensions is the pointer to the extensions of the protocol that the agent
	// speaks, and ExtensionHeader names the header by which a call asks for some.
	Extensions      string `yaml:"extensions"`
	ExtensionHeader string `yaml:"extensionHeader"`
	// Payment is a word in the URI of those extensions by which an agent demands
	// to be paid.
	Payment    string     `yaml:"payment"`
	Interfaces Interfaces `yaml:"interfaces"`
	// Required is the pointer to a boolean that says whether credentials are
	// demanded. Where a protocol has none, a scheme on the card demands them.
	Required string     `yaml:"required"`
	Rate     RatePlaces `yaml:"rate"`
}

// RatePlaces are the pointers to the rate limit on a card: so many requests in
// so many seconds, and a burst beyond them.
type RatePlaces struct {
	Requests string `yaml:"requests"`
	Seconds  string `yaml:"seconds"`
	Burst    string `yaml:"burst"`
}

// Limits are what a protocol allows one client at the same time, and for how
// long; 0 where it says nothing.
type Limits struct {
	Calls int `yaml:"calls"` // calls of one client
	Tasks int `yaml:"tasks"` // tasks in one context
	// The time that a call may take, and that a stream may stay open, in seconds.
	Call   float64 `yaml:"call"`
	Stream float64 `yaml:"stream"`
}

// Agents says where a server that hosts several agents tells of them, as paths
// with {name} for the name of one. A protocol with one agent has none of it.
type Agents struct {
	Health string `yaml:"health"`
	List   string `yaml:"list"`
	Info   string `yaml:"info"`
	Card   string `yaml:"card"`
	RPC    string `yaml:"rpc"` // where calls to one agent go
	URL    string `yaml:"url"` // pointer to the place on a card where it says so itself
}

// Directory says where the list of agents and one entry of it are, as paths
// with {name} for the id of one, and by which members an entry is known for one
// of this dialect.
type Directory struct {
	List    string   `yaml:"list"`
	Entry   string   `yaml:"entry"`
	Members []string `yaml:"members"`
	ID      string   `yaml:"id"`       // pointer in an entry
	URL     string   `yaml:"endpoint"` // pointer in an entry to where the agent takes tasks
}

// Path is one of the paths for an agent of that name.
func (Agents) Path(pattern, name string) string {
	return strings.ReplaceAll(pattern, "{name}", url.PathEscape(name))
}

// Interfaces says how a card lists the endpoints of an agent, where it may have
// several.
type Interfaces struct {
	At        string `yaml:"at"`        // pointer to the list
	URL       string `yaml:"url"`       // in an entry
	Transport string `yaml:"transport"` // in an entry
	Preferred string `yaml:"preferred"` // pointer to the transport of the card's endpoint
	Speaks    string `yaml:"speaks"`    // the transport that this dialect is about, and the preferred one if none is named
	REST      string `yaml:"rest"`      // the transport of REST
}

// State is one state of a task.
type State struct {
	Name        string   `yaml:"name"`
	Terminal    bool     `yaml:"terminal"`
	Interrupted bool     `yaml:"interrupted"` // it waits for the client
	Outcome     string   `yaml:"outcome"`     // done, failed, canceled, unknown: what a terminal state means
	Not         []string `yaml:"not"`         // states that must not follow it
}

// ShapeNames maps messages to definitions.
type ShapeNames struct {
	Card     string `yaml:"card"`
	Envelope string `yaml:"envelope"` // a JSON-RPC reply
	Error    string `yaml:"error"`
	Event    string `yaml:"event"` // result of a stream event
	Frame    string `yaml:"frame"` // envelope of a stream event
	Request  string `yaml:"request"`
}

// Stream says what the events of a stream may be, beyond JSON-RPC responses with
// news of a task.
type Stream struct {
	Bare     bool `yaml:"bare"`     // results may come without the envelope of JSON-RPC
	Messages bool `yaml:"messages"` // messages may stand between the news of a task
}

// Delivered names the members by which a push notification speaks of a task,
// wherever they stand in its body.
type Delivered struct {
	Task   []string `yaml:"task"`   // names of members that hold the task's id
	Status string   `yaml:"status"` // name of the member that holds its status
	State  string   `yaml:"state"`  // pointer to the state inside the status
}

// Window is a bound in seconds and where it comes from: a section of the
// source, or "ours".
type Window struct {
	Seconds float64 `yaml:"seconds"`
	Source  string  `yaml:"source"`
}

// Stimulus is a message text that makes an agent show a behaviour.
type Stimulus struct {
	Text    string         `yaml:"text"`
	Answer  string         `yaml:"answer"`
	Seconds float64        `yaml:"seconds"`
	Payment map[string]any `yaml:"payment"` // metadata of the message that pays for the work
}

// Block is a row of probes on one operation, framed by a valid request.
type Block struct {
	Name   string   `yaml:"name"`
	Op     string   `yaml:"op"`
	Task   string   `yaml:"task"`   // fresh: the request is about a task that never was; default: about a task made for it
	Claims []string `yaml:"claims"` // played only where the card claims it
	Risk   Risk     `yaml:"risk"`
	Alone  bool     `yaml:"alone"`  // played beside no other scenario, after the shared ones
	Probes []Probe  `yaml:"probes"` // a shared one stands there by its name, or as {name: …, like: NAME}

	File string `yaml:"-"` // where it stands: file and line
}

// Probe is a valid request with a change to it (RFC 6902), a raw body in its
// place, or another way to send it.
type Probe struct {
	Name    string            `yaml:"name"`
	Title   string            `yaml:"title"`   // what it bends, in words that follow the method's name, where the patch does not say it plainly
	Op      string            `yaml:"op"`      // another operation than the block's
	Twin    string            `yaml:"twin"`    // the step whose acceptance makes a refusal count, where it is not the valid request of the block
	Task    string            `yaml:"task"`    // fresh: an id never used; overrides the block's
	On      string            `yaml:"on"`      // what it bends: params (also ""), envelope or http
	Patch   []PatchOp         `yaml:"patch"`   // on the params, or on the envelope around them
	Raw     *string           `yaml:"raw"`     // the body itself, with ids in the places of NewID; on: envelope makes it one of JSON-RPC
	Method  string            `yaml:"method"`  // HTTP method other than POST
	Headers map[string]string `yaml:"headers"` // HTTP headers beside the usual ones, with ids in the places of NewID
	Valid   bool              `yaml:"valid"`   // the request breaks no rule, or one that the source leaves open
	Risk    Risk              `yaml:"risk"`    // beyond the block's; without leave it is not made
	Then    string            `yaml:"then"`    // an operation on the same task afterwards, recorded as NAME-then

	File string `yaml:"-"` // where it stands: file and line
}

// What a probe may bend. A binding without an envelope makes no calls that bend one.
const (
	OnParams   = "params"   // the parameters of the operation, in any binding
	OnEnvelope = "envelope" // the object around them, in JSON-RPC
	OnHTTP     = "http"     // method and headers
)

// Bends is what a patch of the probe is about.
func (p *Probe) Bends() string {
	if p.On == "" {
		return OnParams
	}
	return p.On
}

// NewID is the place of an id in a body or a header of a probe. Each is filled with
// another that was never used before.
const NewID = "{new-id}"

// PatchOp is one operation of a JSON Patch.
type PatchOp struct {
	Op    string `yaml:"op" json:"op"`
	Path  string `yaml:"path" json:"path"`
	Value any    `yaml:"value" json:"value"`
}

// AboutServer marks sentences that are not about single agents.
const AboutServer = "server"

// Requirement is one observable sentence of a protocol.
type Requirement struct {
	ID        string `yaml:"id"`
	Level     Level  `yaml:"level"`
	Area      string `yaml:"area"`
	Section   string `yaml:"section"`
	Statement string `yaml:"statement"`

	// Binding is the kind of binding that the sentence is about: any (also ""), jsonrpc,
	// rest, grpc or another that is registered. Where that is not spoken, it does not apply.
	Binding  string   `yaml:"binding"`
	About    string   `yaml:"about"`    // server: a sentence about a server as a whole, whichever of its agents are judged
	Claims   []string `yaml:"claims"`   // not claimed by the card → not-applicable
	Operator []string `yaml:"operator"` // the operator's words, or "no-" and a word; otherwise → not-applicable
	Needs    []string `yaml:"needs"`    // not available → inconclusive, with the line to add
	Every    string   `yaml:"every"`    // a sentence about every X; no X seen → not-applicable, vacuous
	After    []string `yaml:"after"`    // a prerequisite failed or undecided → inconclusive because of it
	Risk     Risk     `yaml:"risk"`     // not allowed → inconclusive, with the flag

	Check   string         `yaml:"check"`
	With    map[string]any `yaml:"with"`
	Mutants []string       `yaml:"mutants"`
	Finding []string       `yaml:"finding"` // mutants under which it passes, with a finding that says what was tolerated

	// Root marks the sentence that others fail for the sake of: a failure that has a
	// cause in common with it follows from it.
	Root bool `yaml:"root"`
	// Apart names mutants under which a failure of it is a cause beside others, and
	// says why.
	Apart map[string]string `yaml:"apart"`

	Blunt        string `yaml:"blunt"`        // why no mutant of it is sharp
	Permission   bool   `yaml:"permission"`   // a MAY that no server can break
	Unobservable string `yaml:"unobservable"` // why no black-box client can judge it
	Judged       string `yaml:"judged"`       // "later", for a binding listed as later
	Differs      string `yaml:"differs"`      // why level, area or section depart from the baseline
	// Readings are the ways in which the sources can be read, where they leave the
	// sentence open. What is judged is the weaker one.
	Readings []string `yaml:"readings"`

	File string `yaml:"-"` // where it stands: file and line
}

// AnyBinding marks sentences that hold however operations travel.
const AnyBinding = "any"

// For reports whether a requirement is about a kind of binding, among others.
func (r *Requirement) For(kind string) bool {
	return r.Binding == "" || r.Binding == AnyBinding || r.Binding == kind
}

// Requirement returns the requirement of that id, or nil.
func (d *Dialect) Requirement(id string) *Requirement { return d.byID[id] }

// Shapes returns the dialect's compiled JSON Schema.
func (d *Dialect) Shapes() *Shapes { return d.shapes }

// CardHas reports whether every card has a member at a place.
func (d *Dialect) CardHas(pointer string) bool {
	return slices.ContainsFunc(d.shapes.Rules(), func(r Rule) bool {
		return r.Definition == d.Types.Card && r.At == pointer && r.Keyword == "required"
	})
}

// State returns the state of that name, or nil.
func (d *Dialect) State(name string) *State {
	i := slices.IndexFunc(d.States, func(s State) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &d.States[i]
}

// Areas lists the areas of the catalogue in its order.
func (d *Dialect) Areas() []string {
	var out []string
	for _, r := range d.Requirements {
		if !slices.Contains(out, r.Area) {
			out = append(out, r.Area)
		}
	}
	return out
}

// Pointer tells where the reply of an operation holds what; "" if nowhere.
func (d *Dialect) Pointer(op, what string) (string, bool) {
	p, ok := d.Read[op][what]
	return p, ok
}

// Row is the row of Read for a result: that of its kind, if there is one, else
// that of the operation.
func (d *Dialect) Row(op, kind string) string {
	if _, ok := d.Read[kind]; ok && d.Kind != "" {
		return kind
	}
	return op
}

// Cite is how a failure text names a requirement's place in the source.
func (d *Dialect) Cite(r *Requirement) string {
	return strings.TrimSpace(d.Title + " " + Sections(r.Section))
}

// Sections writes the places of a requirement for a reader: numbers as those of
// sections, and everything else, such as the path of a guide, as the name of a
// document.
func Sections(places string) string {
	var out []string
	for place := range strings.SplitSeq(places, "; ") {
		switch {
		case place == "":
		case place[0] >= '0' && place[0] <= '9':
			out = append(out, "§"+place)
		default:
			out = append(out, "“"+place+"”")
		}
	}
	return strings.Join(out, ", ")
}
