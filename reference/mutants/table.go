package mutants

import (
	"cmp"
	"fmt"
	"maps"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// A Table lists the mutants of one protocol, or of several, as its YAML file does. A row
// that edits nothing has its defect in Go, under the same name.
type Table struct {
	file string
	read func() (tableContent, error)
}

type tableContent struct {
	Selected []selection `yaml:"selected"`
	Mutants  []yaml.Node `yaml:"mutants"` // rows, which are read for each protocol that uses them
}

// A selection names rows of another table that a protocol uses too.
type selection struct {
	From    string   `yaml:"from"`
	Variant string   `yaml:"variant"` // replaces the variant of the rows
	Names   []string `yaml:"names"`
}

// A row is one mutant. Each door that it sets has a list of edits, which are applied one
// after the other.
type row struct {
	Name    string `yaml:"name"`
	Summary string `yaml:"summary"`
	Area    string `yaml:"area"`
	Variant string `yaml:"variant"`
	Waits   bool   `yaml:"waits"`

	Call     []messageEdit  `yaml:"call"`     // the request, before the server reads it
	Reply    []messageEdit  `yaml:"reply"`    // the response, in the form of JSON-RPC
	REST     []messageEdit  `yaml:"rest"`     // the response in the form of HTTP+JSON
	Event    []messageEdit  `yaml:"event"`    // one event of a stream
	Push     []messageEdit  `yaml:"push"`     // one push notification
	Guard    []guardEdit    `yaml:"guard"`    // who makes the call
	Engine   []engineFlag   `yaml:"engine"`   // fields of engine.Defects
	Registry []registryFlag `yaml:"registry"` // fields of front.RegistryFaults
	Server   []serverFlag   `yaml:"server"`   // fields of front.Mutant
	Rate     rate           `yaml:"rate"`     // of calls that are served

	NoRoute     missingRoute `yaml:"noRoute"`     // HTTP+JSON has no route to this operation
	NoProcedure string       `yaml:"noProcedure"` // the service of gRPC has no method of this name
}

// A rate is how many requests are served in a window of time.
type rate struct {
	Requests int      `yaml:"requests"`
	Window   duration `yaml:"window"`
}

// NewTable returns the table of a file, which is not read before it is used.
func NewTable(file string, text []byte) *Table {
	return &Table{file: file, read: sync.OnceValues(func() (content tableContent, err error) {
		var document yaml.Node
		if err := yaml.Unmarshal(text, &document); err != nil {
			return content, fmt.Errorf("%s: %w", file, err)
		}
		return content, (&decoder{file: file}).decode(document.Content[0], &content)
	})}
}

// row returns the row of a mutant.
func (t *Table) row(name string) (*yaml.Node, error) {
	content, err := t.read()
	if err != nil {
		return nil, err
	}
	for i := range content.Mutants {
		if memberOf(&content.Mutants[i], "name") == name {
			return &content.Mutants[i], nil
		}
	}
	return nil, fmt.Errorf("%s has no mutant %q", t.file, name)
}

// A Vocabulary is what a protocol brings to the tables that it uses.
type Vocabulary struct {
	Words      Wording
	Operations map[string]string         // the methods of operations that Words does not name
	Errors     map[string]int            // the codes of the protocol's own errors, by name
	Shared     map[string]Source         // the tables that rows are selected from
	Code       []map[string]front.Mutant // the defects that are written in Go, by name
	REST       *front.RESTBinding        // nil: the protocol has no HTTP+JSON
}

// A Source is a table of other protocols, with its defects in Go.
type Source struct {
	Table *Table
	Code  []map[string]front.Mutant
}

// Build returns the mutants that the table selects and lists. It panics on a row that
// does not fit the protocol.
func (t *Table) Build(v Vocabulary) []front.Mutant {
	ms, err := t.buildMutants(v)
	if err != nil {
		panic(err)
	}
	return ms
}

func (t *Table) buildMutants(v Vocabulary) ([]front.Mutant, error) {
	content, err := t.read()
	if err != nil {
		return nil, err
	}
	b := &builder{vocabulary: v, replacer: v.newReplacer()}
	for _, s := range content.Selected {
		source, ok := v.Shared[s.From]
		if !ok {
			return nil, fmt.Errorf("%s: there is no table %q to select from", t.file, s.From)
		}
		code := mergeCodeLastWins(source.Code)
		for _, name := range s.Names {
			n, err := source.Table.row(name)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.file, err)
			}
			if err := b.addMutant(source.Table.file, n, code, s.Variant); err != nil {
				return nil, err
			}
		}
	}
	code := mergeCodeLastWins(v.Code)
	for i := range content.Mutants {
		if err := b.addMutant(t.file, &content.Mutants[i], code, ""); err != nil {
			return nil, err
		}
		delete(code, b.out[len(b.out)-1].Name)
	}
	for name := range code {
		return nil, fmt.Errorf("%s: there is no row for the defect %q, which is written in Go", t.file, name)
	}
	return b.out, nil
}

// mergeCodeLastWins returns all entries of some maps in one.
func mergeCodeLastWins(all []map[string]front.Mutant) map[string]front.Mutant {
	out := map[string]front.Mutant{}
	for _, m := range all {
		maps.Copy(out, m)
	}
	return out
}

// A builder makes the mutants of one protocol from rows.
type builder struct {
	vocabulary Vocabulary
	replacer   *strings.Replacer
	out        []front.Mutant
}

// addMutant makes a mutant of a row and of what is written in Go under its name. An empty
// variant leaves that of the row.
func (b *builder) addMutant(file string, n *yaml.Node, code map[string]front.Mutant, variant string) error {
	var r row
	d := &decoder{file: file, vocabulary: &b.vocabulary, replacer: b.replacer}
	if err := d.decode(n, &r); err != nil {
		return err
	}
	m := code[r.Name]
	m.Name, m.Summary, m.Area, m.Variant, m.ClientTimesOut = r.Name, r.Summary, r.Area, cmp.Or(variant, r.Variant), r.Waits
	r.installEdits(&m)
	if !m.Sound() {
		return d.errorAtLinef(n, "%q edits nothing, and there is no defect of that name in Go", r.Name)
	}
	b.out = append(b.out, m)
	return nil
}

// memberOf returns the text of a member of a mapping, or "".
func memberOf(n *yaml.Node, key string) string {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1].Value
		}
	}
	return ""
}

// newReplacer replaces the names in braces that a text of a table may have: of the
// operations, of the states of a task and of the role of a client.
func (v *Vocabulary) newReplacer() *strings.Replacer {
	pairs := []string{"{user}", v.Words.userRole(), "{kind}", v.Words.Kind, "{chunk}", v.Words.Chunk}
	for name, method := range v.methodsByTableName() {
		pairs = append(pairs, "{"+name+"}", method)
	}
	for _, state := range []string{"submitted", "working", "input-required", "auth-required", "completed", "canceled", "failed", "rejected", "unknown"} {
		pairs = append(pairs, "{"+state+"}", v.Words.stateName(state))
	}
	return strings.NewReplacer(pairs...)
}

// methodsByTableName returns the methods of the protocol by the names that tables have for them.
func (v *Vocabulary) methodsByTableName() map[string]string {
	w := v.Words
	all := map[string]string{"send": w.Send, "stream": w.Stream, "get": w.Get, "cancel": w.Cancel, "resubscribe": w.Resubscribe, "setPush": w.SetPush}
	maps.Copy(all, v.Operations)
	return all
}

// codesByName returns the codes of the protocol's errors by the names that tables have for them.
func (v *Vocabulary) codesByName() map[string]int {
	all := map[string]int{
		"ParseError": front.CodeParse, "InvalidRequest": front.CodeInvalidRequest, "MethodNotFound": front.CodeMethodNotFound,
		"InvalidParams": front.CodeInvalidParams, "InternalError": front.CodeInternal,
		"TaskNotFound": v.Words.NotFound, "TaskFinished": v.Words.Finished, "StreamingNotSupported": v.Words.NoStreaming,
	}
	maps.Copy(all, v.Errors)
	return all
}
