package traffic

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"go.yaml.in/yaml/v3"
)

//go:embed plays.yaml
var playsText []byte

// table is what plays.yaml holds.
type table struct {
	Plays    []playRule `yaml:"plays"`
	Bytes    []string   `yaml:"bytes"`    // checks that look at raw bytes, framing or connections
	Times    []string   `yaml:"times"`    // checks that look at when something came
	Before   []string   `yaml:"before"`   // checks that compare a call with what came before it
	Anywhere []string   `yaml:"anywhere"` // checks that hold if they hold in one conversation
	Holds    []string   `yaml:"holds"`    // checks that traffic can show to hold, and not to fail
	Forms    []string   `yaml:"forms"`    // checks that go by how an answer looks
	Looks    []string   `yaml:"looks"`    // checks that compare looks at a task, of which the history counts alone
	Intent   []string   `yaml:"intent"`   // checks that go by what a message was sent for, or by who made a call
}

// playRule describes a play by its steps, of which the first is the anchor.
type playRule struct {
	Play     string     `yaml:"play"`
	Dialects []string   `yaml:"dialects"` // none for all
	Steps    []stepRule `yaml:"steps"`
}

// stepRule describes by which calls a step is found. The comment of plays.yaml explains the members.
type stepRule struct {
	Name      string         `yaml:"name"`
	Role      words          `yaml:"role"`
	Task      string         `yaml:"task"`
	Context   string         `yaml:"context"`
	Apart     string         `yaml:"apart"`
	Config    string         `yaml:"config"`
	Otherwise string         `yaml:"otherwise"`
	Like      string         `yaml:"like"`
	Wants     string         `yaml:"wants"`
	Another   string         `yaml:"another"`
	Same      string         `yaml:"same"`
	Before    words          `yaml:"before"`
	Shows     words          `yaml:"shows"`
	Not       words          `yaml:"not"`
	Params    map[string]any `yaml:"params"`
	Has       []string       `yaml:"has"`
	Lacks     []string       `yaml:"lacks"`
	During    string         `yaml:"during"`
	Since     *string        `yaml:"since"`
	Needed    bool           `yaml:"needed"`
	Soon      bool           `yaml:"soon"`
	Calm      bool           `yaml:"calm"`
	Earliest  bool           `yaml:"earliest"`
	Left      bool           `yaml:"left"`
	Pieces    bool           `yaml:"pieces"`
	Artifact  bool           `yaml:"artifact"`
	Guarded   bool           `yaml:"guarded"`
	Example   bool           `yaml:"example"`
	Foreign   bool           `yaml:"foreign"`
	ID        string         `yaml:"id"`
	Still     bool           `yaml:"still"`
	Together  bool           `yaml:"together"`
	Kept      bool           `yaml:"kept"`
	Pages     bool           `yaml:"pages"`
	Until     string         `yaml:"until"`
	Reaches   string         `yaml:"reaches"`
	Names     string         `yaml:"names"`
	Status    string         `yaml:"status"`
	Path      string         `yaml:"path"`
}

// words is a list of words, or one by itself.
type words []string

// UnmarshalYAML takes a word for a list of one.
func (w *words) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*w = words{n.Value}
		return nil
	}
	return n.Decode((*[]string)(w))
}

// readTable reads plays.yaml, which is part of the program.
var readTable = sync.OnceValue(func() (t table) {
	if err := schema.Strict("plays.yaml", playsText, &t); err != nil {
		panic(err)
	}
	return t
})

// splitName returns the play and the step that a name means: one with a slash is of another play than the rule's.
func (r *playRule) splitName(name string) (play, step string) {
	if play, step, other := strings.Cut(name, "/"); other {
		return play, step
	}
	return r.Play, name
}

// isNumbered reports whether a step is each call that fits.
func (s *stepRule) isNumbered() bool { return strings.HasSuffix(s.Name, "#") }

// listHasCheck reports whether a check is in a list, in which a name that ends in a slash means all of an area.
func listHasCheck(names []string, check string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return name == check || strings.HasSuffix(name, "/") && strings.HasPrefix(check, name)
	})
}

// GoesByIntent reports whether a check goes by what a message was sent for, which the calls of others do not show.
func GoesByIntent(check string) bool { return listHasCheck(readTable().Intent, check) }

// NeedsWhatIsMissing reports whether a check looks at something that exchanges with such gaps do not show.
func NeedsWhatIsMissing(check string, gaps record.Gaps) bool {
	return gaps.Bytes && listHasCheck(readTable().Bytes, check) || gaps.Times && listHasCheck(readTable().Times, check)
}

// NeedsBeginning reports whether a check compares a call with what came before it, so that it decides nothing about a
// recording that begins in the middle.
func NeedsBeginning(check string) bool { return listHasCheck(readTable().Before, check) }

// CanFail reports whether traffic can show that a check fails at a place in an answer, and not only that it holds.
func CanFail(check, pointer string) bool {
	t := readTable()
	return !listHasCheck(t.Holds, check) && !(listHasCheck(t.Looks, check) && !strings.HasSuffix(pointer, "/history"))
}

// GoesByForm reports whether a check goes by how an answer looks, and not by whether a call was to be refused.
func GoesByForm(check string) bool { return listHasCheck(readTable().Forms, check) }

// HoldsAnywhere reports whether a check holds if it holds in one conversation.
func HoldsAnywhere(check string) bool { return listHasCheck(readTable().Anywhere, check) }

// ListRoles returns the roles that the call of a step has, by the rules of plays; none if no rule has the step.
func ListRoles(play, step string) (roles []string) {
	for _, p := range readTable().Plays {
		for i := range p.Steps {
			s := &p.Steps[i]
			of, name := p.splitName(s.Name)
			numbered := s.isNumbered() && strings.HasPrefix(step, strings.TrimSuffix(name, "#")) && strings.Trim(strings.TrimPrefix(step, strings.TrimSuffix(name, "#")), "0123456789") == ""
			if of != play || name != step && !numbered {
				continue
			}
			for _, role := range s.Role {
				if !slices.Contains(roles, role) {
					roles = append(roles, role)
				}
			}
		}
	}
	return roles
}
