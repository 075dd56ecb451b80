package reference

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// A dialect is one protocol the server can speak.
type dialect struct {
	name         string
	variants     []variant
	mutants      []mutant
	asks         bool // a task can wait for input
	rejects      bool // a task can be rejected, and wait for credentials
	apiKeys      bool // a token may also be shown as an API key
	codes        codes
	bounds       bounds
	burst        int         // beyond the rate limit before a client is refused, in percent of it
	httpErrors   bool        // a stream that is not opened gets an HTTP error
	errorEvent   string      // names the event of a stream that is not opened; empty: none
	streamHeader http.Header // of every stream, beyond the usual; may be nil
	spread       bool        // the data of an event may stand on several lines
	handler      func(*Server) http.Handler
	notification func(*Server, engine.Task) any // the body of a push notification; nil: the dialect has none
}

// codes are the errors by which a dialect refuses a client before it looks at
// the call.
type codes struct{ unknownCaller, forbidden, unknownTask, limited int }

// A variant is a set of switches for what a healthy server may choose.
type variant struct {
	name       string
	streaming  bool     // claimed on the card and served
	push       bool     // claimed on the card and served
	rich       bool     // optional members are sent
	lavish     bool     // unusual but legal decoration is added to everything
	tls        bool     // served over https
	guarded    bool     // calls need credentials
	guardsCard bool     // … and so does the card
	hasty      bool     // time limits are short
	limited    bool     // calls are limited in number
	extended   bool     // messages must activate an extension
	pays       bool     // … that for payments, and some work has to be paid for
	indexed    bool     // every artifact bears its index
	vacant     bool     // nobody is listed before somebody registers
	typed      bool     // an answer in other forms shows every kind of part of the core schema
	inputModes []string // MIME types of the parts an agent takes
}

func dialects() []dialect {
	return []dialect{a2a01, a2a03, a2x03, jaf03, coreSchema, directory01}
}

// Dialects returns the names of the protocols the server can speak.
func Dialects() []string {
	var names []string
	for _, d := range dialects() {
		names = append(names, d.name)
	}
	return names
}

// Variants returns the names of the healthy servers of a dialect.
func Variants(dialect string) []string {
	d, err := dialectNamed(dialect)
	if err != nil {
		return nil
	}
	var names []string
	for _, v := range d.variants {
		names = append(names, v.name)
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
func Mutants(dialect string) []MutantInfo {
	d, err := dialectNamed(dialect)
	if err != nil {
		return nil
	}
	var infos []MutantInfo
	for _, m := range d.mutants {
		infos = append(infos, MutantInfo{m.name, m.variantName(), m.area, m.summary, m.waits})
	}
	slices.SortFunc(infos, func(a, b MutantInfo) int { return strings.Compare(a.Name, b.Name) })
	return infos
}

func dialectNamed(name string) (dialect, error) {
	for _, d := range dialects() {
		if d.name == name {
			return d, nil
		}
	}
	return dialect{}, unknown("dialect", name, Dialects())
}

func (d dialect) variantNamed(name string) (variant, error) {
	for _, v := range d.variants {
		if v.name == name {
			return v, nil
		}
	}
	return variant{}, unknown("variant of "+d.name, name, Variants(d.name))
}

// mutantNamed returns the healthy mutant for the empty name. Two names with a plus
// between them make a server with both defects.
func (d dialect) mutantNamed(name string) (mutant, error) {
	if name == "" {
		return mutant{}, nil
	}
	if one, other, both := strings.Cut(name, "+"); both {
		a, err := d.mutantNamed(one)
		if err != nil {
			return mutant{}, err
		}
		b, err := d.mutantNamed(other)
		if err != nil {
			return mutant{}, err
		}
		return a.with(b), nil
	}
	var names []string
	for _, m := range d.mutants {
		if m.name == name {
			return m, nil
		}
		names = append(names, m.name)
	}
	slices.Sort(names)
	return mutant{}, unknown("mutant of "+d.name, name, names)
}

func unknown(what, name string, valid []string) error {
	return fmt.Errorf("unknown %s %q; valid are: %s", what, name, strings.Join(valid, ", "))
}
