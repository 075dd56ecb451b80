package front

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// A dialect is one protocol the server can speak.
type Dialect struct {
	Name         string
	Variants     []Variant
	Mutants      func() []Mutant
	Asks         bool // a task can wait for input
	Rejects      bool // a task can be rejected, and wait for credentials
	APIKeys      bool // a token may also be shown as an API key
	Codes        Codes
	Bounds       Bounds
	Burst        int         // beyond the rate limit before a client is refused, in percent of it
	HTTPErrors   bool        // a stream that is not opened gets an HTTP error
	ErrorEvent   string      // names the event of a stream that is not opened; empty: none
	StreamHeader http.Header // of every stream, beyond the usual; may be nil
	Spread       bool        // the data of an event may stand on several lines
	Handler      func(*Server) http.Handler
	REST         *RESTBinding                                                            // the binding HTTP+JSON; nil: it is not spoken
	GRPC         *GRPCBinding                                                            // the binding GRPC; nil: it is not spoken
	Explain      func(*Server, *Call, *RPCError)                                         // adds data to the refusals before a call is looked at; may be nil
	Reasons      bool                                                                    // the protocol has no error for who may not make a call, so that an ErrorInfo says it
	PlainErrors  bool                                                                    // a stream that is not opened is refused like any call
	Notification func(s *Server, to engine.Push, t engine.Task, change engine.Event) any // the body of a push notification; nil: the dialect has none
}

// Codes are the errors by which a dialect refuses a client before it looks at
// the call.
type Codes struct{ UnknownCaller, Forbidden, UnknownTask, Limited int }

// A variant is a set of switches for what a healthy server may choose.
type Variant struct {
	Name       string
	Streaming  bool         // claimed on the card and served
	Push       bool         // claimed on the card and served
	Rich       bool         // optional members are sent
	Lavish     bool         // unusual but legal decoration is added to everything
	TLS        bool         // served over https
	Guarded    bool         // calls need credentials
	GuardsCard bool         // … and so does the card
	Refuses    Refusing     // how calls without credentials are refused
	Hasty      bool         // time limits are short
	Limited    bool         // calls are limited in number
	Extended   bool         // messages must activate an extension
	Pays       bool         // … that for payments, and some work has to be paid for
	Indexed    bool         // every artifact bears its index
	Vacant     bool         // no agent is listed before one registers
	Typed      bool         // an answer in other forms shows every kind of part of the core schema
	Tenanted   bool         // tasks are kept apart by tenant
	Older      bool         // the version before is served too
	Signed     bool         // the card is signed
	Talks      bool         // every message is answered without a task
	Decisive   bool         // the agent never asks for anything
	Paged      bool         // a page of a list has one task at most, whatever size is asked for
	InputModes []string     // MIME types of the parts an agent takes
	REST       *RESTBinding // the binding HTTP+JSON, if it is not that of the dialect
}

// Protocols are what a server can speak.
type Protocols []Dialect

// Names returns the names of the protocols.
func (ps Protocols) Names() []string {
	var names []string
	for _, d := range ps {
		names = append(names, d.Name)
	}
	return names
}

// Variants returns the names of the healthy servers of a dialect.
func (ps Protocols) Variants(dialect string) []string {
	d, err := ps.named(dialect)
	if err != nil {
		return nil
	}
	return d.variantNames()
}

func (d Dialect) variantNames() (names []string) {
	for _, v := range d.Variants {
		names = append(names, v.Name)
	}
	return names
}

// MutantInfo describes a faulty server.
type MutantInfo struct {
	Name    string
	Variant string // the variant in which the defect shows
	Area    string // the part of the protocol it is about
	Summary string // what is wrong, in one sentence
	Waits   bool   // its clients wait until they give up
}

// Mutants returns the faulty servers of a dialect, sorted by name.
func (ps Protocols) Mutants(dialect string) []MutantInfo {
	d, err := ps.named(dialect)
	if err != nil {
		return nil
	}
	var infos []MutantInfo
	for _, m := range d.Mutants() {
		infos = append(infos, MutantInfo{m.Name, m.variantName(), m.Area, m.Summary, m.ClientTimesOut})
	}
	slices.SortFunc(infos, func(a, b MutantInfo) int { return strings.Compare(a.Name, b.Name) })
	return infos
}

func (ps Protocols) named(name string) (Dialect, error) {
	for _, d := range ps {
		if d.Name == name {
			return d, nil
		}
	}
	return Dialect{}, unknown("dialect", name, ps.Names())
}

func (d Dialect) variantNamed(name string) (Variant, error) {
	for _, v := range d.Variants {
		if v.Name == name {
			return v, nil
		}
	}
	return Variant{}, unknown("variant of "+d.Name, name, d.variantNames())
}

// mutantNamed returns the healthy mutant for the empty name. Two names with a plus
// between them make a server with both defects.
func (d Dialect) mutantNamed(name string) (Mutant, error) {
	if name == "" {
		return Mutant{}, nil
	}
	if one, other, both := strings.Cut(name, "+"); both {
		a, err := d.mutantNamed(one)
		if err != nil {
			return Mutant{}, err
		}
		b, err := d.mutantNamed(other)
		if err != nil {
			return Mutant{}, err
		}
		return a.combineWith(b), nil
	}
	var names []string
	for _, m := range d.Mutants() {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	slices.Sort(names)
	return Mutant{}, unknown("mutant of "+d.Name, name, names)
}

func unknown(what, name string, valid []string) error {
	return fmt.Errorf("unknown %s %q; valid are: %s", what, name, strings.Join(valid, ", "))
}
