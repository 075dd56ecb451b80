package schema

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// Operation is something that a client can ask of a server, whichever binding
// carries it.
type Operation struct {
	Params string `yaml:"params"` // definition of what is sent with it; "" if the source describes none
	Result string `yaml:"result"` // definition of what comes back; "" if the source describes none
	// Agent states that it brings a message to the agent, which may cost its owner money.
	Agent   bool   `yaml:"agent"`
	Streams bool   `yaml:"streams"` // it is answered by a stream of events
	About   string `yaml:"about"`   // task: it is about one that is there already, and names it
	Reads   bool   `yaml:"reads"`   // it changes nothing, and may be sent twice
	Claim   string `yaml:"claim"`   // what a server has to claim for it to be expected; "" for all servers
}

// AboutTask marks operations on a task that is there already.
const AboutTask = "task"

// Binding is one way in which operations travel.
type Binding struct {
	Kind    string            `yaml:"kind"`    // jsonrpc, or another that harness/binding knows
	Methods map[string]string `yaml:"methods"` // of JSON-RPC and gRPC, by operation
	Routes  map[string]Routes `yaml:"routes"`  // of REST, by operation
	Media   []string          `yaml:"media"`   // of REST: the media types of bodies, first that of ours
	// Tenant is the member of the parameters that is in front of all paths of REST
	// if a call has it; "" if none does.
	Tenant  string `yaml:"tenant"`
	Service string `yaml:"service"` // of gRPC: the full name of the service
	Proto   string `yaml:"proto"`   // of gRPC: the file next to dialect.yaml that describes it
	// Forms are those in which values may be written. If there are several, a server
	// needs to know only one of them; they are tried in this order.
	Forms []string `yaml:"forms"`
	// Writes are the definitions by which parameters are written, by operation, if a
	// form has others than the operations.
	Writes map[string]string `yaml:"writes"`
	// ErrorsAt are the places at which REST may have an error if the source does not
	// say what its errors look like: any object there is one.
	ErrorsAt []string `yaml:"errorsAt"`
	// Below is a segment with which the paths of REST begin, and with which an address may
	// end already: then they may go on from there.
	Below string `yaml:"below"`
}

// The kinds of bindings.
const (
	KindJSONRPC = "jsonrpc"
	KindREST    = "rest"
	KindGRPC    = "grpc"
)

// ErrorSign is how the bindings say an error that the protocol has a name for.
type ErrorSign struct {
	Code   int          `yaml:"code"`   // in JSON-RPC
	HTTP   Statuses     `yaml:"http"`   // in REST
	GRPC   GRPCStatuses `yaml:"grpc"`   // in gRPC
	Reason string       `yaml:"reason"` // by which the details of an error name it, in any binding; "" if they do not
}

// UnmarshalYAML takes a bare number for the code of JSON-RPC.
func (e *ErrorSign) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return n.Decode(&e.Code)
	}
	type plain ErrorSign
	return n.Decode((*plain)(e))
}

// Operation returns what the dialect states about an operation; nothing of one that it does not
// have. If no dialect is known yet, only documents are fetched.
func (d *Dialect) Operation(op string) Operation {
	if d == nil {
		return Operation{}
	}
	return d.Operations[op]
}

// Has reports whether the dialect has an operation.
func (d *Dialect) Has(op string) bool {
	_, ok := d.Operations[op]
	return ok
}

// Speaks reports whether the dialect has a binding of a kind.
func (d *Dialect) Speaks(kind string) bool {
	for _, b := range d.Bindings {
		if b.Kind == kind {
			return true
		}
	}
	return false
}

// Method returns the JSON-RPC method of an operation, or "" if the dialect has none.
func (d *Dialect) Method(op string) string { return d.methods[op] }

// Methods returns the JSON-RPC methods of the dialect, by operation.
func (d *Dialect) Methods() map[string]string { return d.methods }

// Code returns the JSON-RPC code of an error that the dialect has a name for.
func (d *Dialect) Code(name string) (code int, ok bool) {
	e, ok := d.Errors[name]
	return e.Code, ok
}

// ErrorName returns the name of an error code in this dialect, or "".
func (d *Dialect) ErrorName(code int) string {
	best := ""
	for name, e := range d.Errors {
		if e.Code == code && (best == "" || name < best) {
			best = name
		}
	}
	return best
}

// carried lists the kinds of bindings that a dialect may have.
var carried = []string{KindJSONRPC, KindREST, KindGRPC}

// Carry adds a kind, before any dialect is loaded that has it.
func Carry(kind string) {
	if !slices.Contains(carried, kind) {
		carried = append(carried, kind)
	}
}

// setJSONRPCMethods finds how JSON-RPC calls the operations.
func (d *Dialect) setJSONRPCMethods() {
	for _, b := range d.Bindings {
		if b.Kind == KindJSONRPC {
			d.methods = b.Methods
		}
	}
}
