package front

import (
	"cmp"
	"crypto/tls"
	"net/http"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// A mutant is the reference server with one named defect. The defect is
// applied at one or more doors, each a function that edits what passes.
type Mutant struct {
	Name           string
	Area           string
	Variant        string // in which the defect shows; default full
	Summary        string
	ClientTimesOut bool // clients wait for something that does not come

	Call              func(*Call)             // misreads a call before it is judged
	Reply             func(*Reply)            // edits a reply before it is written in its binding: it has the form of JSON-RPC
	Route             func(*http.Request)     // misreads a request of HTTP+JSON before its route is found
	REST              func(*Reply)            // edits a reply of HTTP+JSON in its own form
	Procedure         func(*http.Request)     // misreads a call of gRPC before its method is found
	GRPC              func(*GRPCMessage)      // edits a reply or an event of gRPC in its own form
	Event             func(*StreamEvent)      // edits one event of a stream
	Engine            func(*engine.Options)   // chooses a fault of the engine
	Push              func(*PushNotification) // edits a push notification
	TLS               func(*tls.Config)       // chooses what is spoken below HTTP
	Guard             func(*Caller)           // mistakes who makes a call
	Bounds            func(*Bounds)           // chooses other limits than the card and the protocol say
	Bytes             func([]byte)            // misreads the bytes of requests, without changing their number
	Rate              Rate                    // limits the number of calls, if the defect shows best below another rate than the usual
	RequiresAuth      bool                    // there is a guard, whatever the card says
	NeverUnlimits     bool                    // a client that was limited once stays so
	PlainHTTP         bool                    // HTTP is served without TLS in a variant that should have it
	PlainGRPC         bool                    // gRPC is served without TLS in a variant that should have it
	DropsConnOnCancel bool                    // a client that gives up a stream of gRPC loses its connection
	Registry          RegistryFaults          // of a directory
}

func (m Mutant) variantName() string {
	if m.Variant == "" {
		return "full"
	}
	return m.Variant
}

// Sound reports whether the defect is named, described, and applied by one hook at least.
func (m Mutant) Sound() bool {
	applied := m.Call != nil || m.Reply != nil || m.Route != nil || m.REST != nil || m.Procedure != nil || m.GRPC != nil || m.PlainGRPC || m.DropsConnOnCancel || m.Event != nil || m.Engine != nil || m.Push != nil || m.TLS != nil || m.PlainHTTP ||
		m.Guard != nil || m.RequiresAuth || m.NeverUnlimits || m.Bounds != nil || m.Bytes != nil || m.Registry != RegistryFaults{}
	return m.Name != "" && m.Area != "" && m.Summary != "" && applied
}

// combineWith is a server with both defects. The second edits what the first left.
func (m Mutant) combineWith(n Mutant) Mutant {
	out := m
	out.Name = m.Name + "+" + n.Name
	out.Variant = cmp.Or(m.Variant, n.Variant)
	out.ClientTimesOut = m.ClientTimesOut || n.ClientTimesOut
	out.Call = inTurn(m.Call, n.Call)
	out.Reply = inTurn(m.Reply, n.Reply)
	out.Route = inTurn(m.Route, n.Route)
	out.REST = inTurn(m.REST, n.REST)
	out.Procedure = inTurn(m.Procedure, n.Procedure)
	out.GRPC = inTurn(m.GRPC, n.GRPC)
	out.Event = inTurn(m.Event, n.Event)
	out.Engine = inTurn(m.Engine, n.Engine)
	out.Push = inTurn(m.Push, n.Push)
	out.TLS = inTurn(m.TLS, n.TLS)
	out.Guard = inTurn(m.Guard, n.Guard)
	out.Bounds = inTurn(m.Bounds, n.Bounds)
	out.Bytes = inTurn(m.Bytes, n.Bytes)
	out.Rate = cmp.Or(m.Rate, n.Rate)
	out.RequiresAuth = m.RequiresAuth || n.RequiresAuth
	out.NeverUnlimits = m.NeverUnlimits || n.NeverUnlimits
	out.PlainHTTP = m.PlainHTTP || n.PlainHTTP
	out.PlainGRPC = m.PlainGRPC || n.PlainGRPC
	out.DropsConnOnCancel = m.DropsConnOnCancel || n.DropsConnOnCancel
	out.Registry = RegistryFaults{
		Deaf:    m.Registry.Deaf || n.Registry.Deaf,
		Doubles: m.Registry.Doubles || n.Registry.Doubles,
		Clings:  m.Registry.Clings || n.Registry.Clings,
		Started: m.Registry.Started || n.Registry.Started,
	}
	return out
}

// inTurn returns one edit after another; nil if there is none.
func inTurn[T any](one, other func(T)) func(T) {
	switch {
	case one == nil:
		return other
	case other == nil:
		return one
	}
	return func(t T) {
		one(t)
		other(t)
	}
}

// OfEnvelope confines those mutants of a list that are of one area to JSON-RPC: what they
// spoil is its envelope, which no other binding has.
func OfEnvelope(area string, ms []Mutant) []Mutant {
	for i, m := range ms {
		if m.Area != area {
			continue
		}
		if m.Call != nil {
			ms[i].Call = func(c *Call) {
				if c.Binding == JSONRPC {
					m.Call(c)
				}
			}
		}
		if m.Reply != nil {
			ms[i].Reply = func(x *Reply) {
				if x.Binding() == JSONRPC {
					m.Reply(x)
				}
			}
		}
		if m.Event != nil {
			ms[i].Event = func(f *StreamEvent) {
				if f.Reply.Binding() == JSONRPC {
					m.Event(f)
				}
			}
		}
	}
	return ms
}
