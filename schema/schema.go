// Package schema holds the protocols as data: for every dialect its names,
// numbers and pointers, the JSON Schema of its types, the probes that are
// patches on valid requests, and the catalogue of its requirements. It loads
// them strictly: what it does not know is an error that names the file and line.
package schema

import (
	"io/fs"
	"sync"

	"github.com/a2a-conform/a2a-conform/schema/shape"
)

// Dialect is one protocol variant.
type Dialect struct {
	Name   string `yaml:"name"`
	Title  string `yaml:"title"`  // as a failure text names it: "A2A 0.1.0"
	About  string `yaml:"about"`  // what it is, for someone who knows none of the names
	Prefix string `yaml:"prefix"` // of its requirement ids
	Source Source `yaml:"source"`
	// Transports are what is judged, for the reader; JSON-RPC if none is named.
	Transports []string `yaml:"transports"`
	Detect     Detect   `yaml:"detect"`
	Card       Card     `yaml:"card"`
	Agents     Agents   `yaml:"agents"`
	// Directory describes the paths at which a server lists the agents that registered with it,
	// which are servers of their own.
	Directory Directory `yaml:"directory"`
	// Allows are the risk classes that an operator allows by naming the dialect,
	// if nothing else makes sense with such a server.
	Allows []Risk `yaml:"allows"`
	// ByMethod states that calls may go to a path that is the method's name.
	ByMethod bool `yaml:"byMethod"`
	// Actions states that a message names an action of the agent: none has a default.
	Actions bool `yaml:"actions"`
	// Crowd is how many messages a run sends at the same time; 0 for our default.
	Crowd   int    `yaml:"crowd"`
	RPCPath string `yaml:"rpcPath"` // path of calls if the card names no endpoint
	Limits  Limits `yaml:"limits"`
	// Validation is the place in the source that asks servers to refuse what is
	// malformed; "" if it leaves that open.
	Validation string `yaml:"validation"`

	Operations map[string]Operation `yaml:"operations"`
	Bindings   map[string]Binding   `yaml:"bindings"` // by the name that a card has for them
	Forms      map[string]Form      `yaml:"forms"`    // other ways to write values, by name
	Errors     map[string]ErrorSign `yaml:"errors"`
	States     []State              `yaml:"states"`

	// Read describes the places of values in a reply: for each operation (and for "event") a name
	// such as task.state and the pointer to it inside the result.
	Read map[string]map[string]string `yaml:"read"`
	// Sorts describes how a result reports which sort it is, if a call may be answered
	// by several; a sort that has a row in Read is read by it.
	Sorts Sorts `yaml:"sorts"`
	// Headers are sent with every call.
	Headers map[string]string `yaml:"headers"`
	// Stream describes what is peculiar to the event streams of the dialect.
	Stream Stream `yaml:"stream"`
	// Delivered describes how the body of a push notification is read, whatever else
	// it holds and however deep.
	Delivered Delivered `yaml:"delivered"`
	// Types describes by which definition of the JSON Schema a message is judged.
	Types ShapeNames `yaml:"shapes"`
	// ProtoJSON names the rule by which readers take other forms than those of the JSON
	// Schema: null for a member that is left out, the text of a number, base64 without its
	// padding. It is empty if there is no such rule, and each of these is a fault.
	ProtoJSON string `yaml:"protoJSON"`
	// Patience are the windows of time in seconds that fairness needs.
	Patience map[string]Window `yaml:"patience"`
	// Stimuli are the default message texts.
	Stimuli map[string]Stimulus `yaml:"stimuli"`

	Blocks       []Block       `yaml:"-"` // from probes.yaml
	Role         string        `yaml:"-"` // whose requirements these are: "" for servers, or ClientRole
	Requirements []Requirement `yaml:"-"` // from requirements/ or client/, in catalogue order
	Digest       string        `yaml:"-"` // sha256 over all files of the dialect that decide verdicts

	files   fs.FS             // for the line of a mistake
	shared  map[string]string // the lines of the texts of shared probes, by the place that names them
	shapes  func() *shape.Shapes
	fixes   func() map[string]string // by the id of the requirement; nil if only the outline was read
	byID    map[string]*Requirement
	made    *sync.Map
	methods map[string]string // of JSON-RPC, by operation
	protos  map[string][]byte // texts of proto files, by name
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

// Limits are what a protocol allows one client at the same time, and for how
// long; 0 if it states nothing.
type Limits struct {
	Calls int `yaml:"calls"` // calls of one client
	Tasks int `yaml:"tasks"` // tasks in one context
	// The time that a call may take, and that a stream may stay open, in seconds.
	Call   float64 `yaml:"call"`
	Stream float64 `yaml:"stream"`
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

// Window is a bound in seconds and its source: a section of the specification, or "ours".
type Window struct {
	Seconds float64 `yaml:"seconds"`
	Source  string  `yaml:"source"`
}

// Shapes returns the dialect's compiled JSON Schema. That of a dialect that ships with the
// program is compiled when it is first asked for.
func (d *Dialect) Shapes() *shape.Shapes { return d.shapes() }
