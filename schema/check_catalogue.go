package schema

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/a2a-conform/a2a-conform/schema/shape"
)

// ErrorAtLine returns the error about a word of a catalogue, FILE:LINE: what is wrong. Entry is
// where the requirement, block or probe begins (its File). The line of the word, which
// is there below a key, is looked for only now: a catalogue without mistakes is
// loaded without it.
func (d *Dialect) ErrorAtLine(entry, key, word, format string, args ...any) error {
	return fmt.Errorf("%s: %s", d.lineOf(entry, key, word), fmt.Sprintf(format, args...))
}

// lineOf is entry with the line of a word in it, if it is to be found. What a shared
// probe states is elsewhere.
func (d *Dialect) lineOf(entry, key, word string) string {
	if line := d.lineWithin(entry, key, word); line != "" {
		return line
	}
	if line := d.lineWithin(d.shared[entry], key, word); line != "" {
		return line
	}
	return entry
}

// lineWithin returns the line of a word in an entry; empty if it is not there.
func (d *Dialect) lineWithin(entry, key, word string) string {
	colon := strings.LastIndexByte(entry, ':')
	file := entry[:max(colon, 0)]
	from, _ := strconv.Atoi(entry[colon+1:])
	text, err := fs.ReadFile(d.files, strings.TrimPrefix(file, "schema/"))
	var doc yaml.Node
	if err != nil || yaml.Unmarshal(text, &doc) != nil || len(doc.Content) == 0 {
		return ""
	}
	within := doc.Content[0]
	for i := 1; i < len(within.Content); i += 2 { // the lists of requirements and of blocks
		for _, e := range listItems(within.Content[i]) {
			if e.Kind == yaml.MappingNode && e.Line <= from {
				within = e
			}
		}
	}
	if line := lineIn(within, from, key, word); line > 0 {
		return fmt.Sprintf("%s:%d", file, line)
	}
	return ""
}

// lineIn returns the line of the first word below a key, or of the key itself if the
// word is empty, no earlier than from; 0 if there is none.
func lineIn(n *yaml.Node, from int, key, word string) int {
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			if k.Value == key && k.Line >= from {
				if line := wordIn(v, word); line > 0 || word == "" {
					return max(line, k.Line)
				}
			}
		}
	}
	for _, c := range n.Content {
		if line := lineIn(c, from, key, word); line > 0 {
			return line
		}
	}
	return 0
}

// wordIn returns the line of a word, be it a key or a value; 0 if it is not there.
func wordIn(n *yaml.Node, word string) int {
	if n.Kind == yaml.ScalarNode && n.Value == word {
		return n.Line
	}
	for _, c := range n.Content {
		if line := wordIn(c, word); line > 0 {
			return line
		}
	}
	return 0
}

// listItems returns the entries of a list, which may stand behind an alias.
func listItems(n *yaml.Node) []*yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// findListEntry returns the place at which the entry of that number begins in the list under a key, in the line
// of its name, and what it holds. A list that came by a merge begins if the file does.
func findListEntry(file string, doc *yaml.Node, key string, i int, name string) (place string, e *yaml.Node) {
	_, list := childOf(doc, key)
	if list == nil || i >= len(listItems(list)) {
		return file + ":1", &yaml.Node{}
	}
	e = listItems(list)[i]
	line := e.Line
	if at, _ := childOf(e, name); at != nil {
		line = at.Line
	}
	return file + ":" + strconv.Itoa(line), e
}

// catalogueCheck collects what is wrong with a dialect.
type catalogueCheck struct {
	*Dialect
	defined              shape.Definitions
	errs                 []error
	ids, risks           []string
	areas                []string
	needs, operatorWords []string
}

func (s *catalogueCheck) addError(entry, key, word, format string, args ...any) {
	s.errs = append(s.errs, s.ErrorAtLine(entry, key, word, format, args...))
}

// requireUnique notes the place of a name. A second use of it is a mistake, which names both places.
func (s *catalogueCheck) requireUnique(seen map[string]string, entry, key, name, what string) {
	first, twice := seen[name]
	if !twice {
		seen[name] = entry
		return
	}
	s.errs = append(s.errs, fmt.Errorf("%s: %s is used twice; first at %s", cmp.Or(s.lineWithin(entry, key, name), entry), what, first))
}

// checkCatalogue finds mistakes in the catalogue that decoding alone does not. Words whose
// meaning lives in other rooms are checked there.
func (d *Dialect) checkCatalogue(file string, defined shape.Definitions) error {
	s := &catalogueCheck{Dialect: d, defined: defined, ids: slices.Sorted(maps.Keys(d.byID)), areas: areas, needs: needWords(), operatorWords: operatorWords()}
	if d.Role == ClientRole {
		s.areas, s.needs = clientAreas, slices.Sorted(maps.Keys(clientNeeds))
	}
	for _, r := range append(Risks(), Harmless) {
		s.risks = append(s.risks, string(r))
	}
	s.checkDialect(file + ":1")
	seen := map[string]string{}
	for i := range d.Requirements {
		r := &d.Requirements[i]
		s.requireUnique(seen, r.File, "id", r.ID, r.ID)
		s.checkRequirement(r)
	}
	seen = map[string]string{}
	for i := range d.Blocks {
		b := &d.Blocks[i]
		s.requireUnique(seen, b.File, "name", b.Name, "the block "+b.Name)
		s.checkProbeBlock(b)
	}
	return errors.Join(s.errs...)
}

// checkRequirement finds the mistakes in one entry of the catalogue.
func (s *catalogueCheck) checkRequirement(r *Requirement) {
	bad := func(key, word, format string, args ...any) {
		s.addError(r.File, key, word, "%s: %s", r.ID, fmt.Sprintf(format, args...))
	}
	among := func(key, kind string, known []string, words ...string) {
		for _, w := range words {
			if !slices.Contains(known, w) {
				bad(key, w, "%s", Unknown(kind, w, known))
			}
		}
	}
	if !s.Owns(r.ID) {
		bad("id", r.ID, "the id does not begin with %s-", s.Prefix)
	}
	if r.Statement == "" || r.Area == "" || r.Section == "" {
		bad("id", r.ID, "statement, area and section are all needed")
	}
	among("level", "level", levels, string(r.Level))
	if r.Area != "" {
		among("area", "area", s.areas, r.Area)
	}
	among("risk", "risk", s.risks, string(r.Risk))
	among("needs", "need", s.needs, r.Needs...)
	among("after", "requirement", s.ids, r.After...)
	if r.About != "" {
		among("about", "word", []string{AboutServer, AboutInterfaces}, r.About)
	}
	if r.Binding != "" {
		among("binding", "binding", append([]string{AnyBinding, OverHTTP}, carried...), r.Binding)
	}
	letters := []string{}
	for i := range r.Readings {
		letters = append(letters, LetterReading(i))
	}
	among("applied", "reading", letters, r.Applied...)
	if (len(r.Readings) == 0) != (len(r.Applied) == 0) {
		bad("id", r.ID, "readings and applied belong together: applied has the letters of the readings by which it is judged")
	}
	for _, w := range r.Operator {
		if !strings.HasPrefix(w, "schema.") { // the definitions of a file that is not here
			among("operator", "operator word", s.operatorWords, w)
		}
	}
	among("apart", "mutant", slices.Concat(r.Mutants, r.Finding), slices.Sorted(maps.Keys(r.Apart))...)
	if x := r.Across; x != nil {
		among("needs", "need", s.needs, x.Needs...)
		among("after", "requirement", s.ids, x.After...)
		if x.Check == "" || r.Check == "" {
			bad("across", "", "what is judged across bindings has a check of its own beside the usual one")
		}
	}
	if (r.Check == "") == (r.Unobservable == "") {
		bad("id", r.ID, "it needs either check or unobservable")
	}
	if r.Permission && r.Level != May {
		bad("permission", "", "only a MAY can be a permission")
	}
	if s.Role == ClientRole {
		s.checkClientRequirement(r, bad, among)
		return
	}
	if IsClient(r.ID) {
		bad("id", r.ID, "a requirement on clients belongs in the folder %s", chooseFolder(ClientRole))
	}
	s.checkUse(r, bad)
	if r.FindingOnly != "" {
		s.findingOnly(r, bad)
	}
}

// findingOnly finds the mistakes in a requirement of which every violation is a finding.
func (s *catalogueCheck) findingOnly(r *Requirement, bad func(key, word, format string, args ...any)) {
	switch {
	case r.Permission:
		bad("findingOnly", "", "a permission is never broken; leave out findingOnly")
	case r.Check == "":
		bad("findingOnly", "", "what no check judges has no finding; leave out findingOnly")
	case len(r.Mutants) > 0:
		bad("mutants", r.Mutants[0], "no server fails it, since it is findingOnly: name its mutants under finding")
	case len(r.Finding) == 0:
		bad("findingOnly", "", "it needs a mutant under finding: what never has a finding shows nothing")
	}
}

// checkUse finds a MAY that does not say how it is seen that a server makes use of it: it
// would pass on a server that does not.
func (s *catalogueCheck) checkUse(r *Requirement, bad func(key, word, format string, args ...any)) {
	switch judged := r.Level == May && r.Check != ""; {
	case !judged && r.Use != "":
		bad("use", string(r.Use), "only a MAY that is judged says how it is used")
	case judged && !slices.Contains(Uses(), string(r.Use)):
		bad("use", string(r.Use), "%s", Unknown("use of a MAY", string(r.Use), Uses()))
	case !judged && len(r.Used) > 0:
		bad("used", "", "only a MAY that is judged can be made use of")
	case judged && r.Use == UseForm && r.Permission:
		bad("use", string(r.Use), "a permission that no server can break binds nobody to a form")
	}
}

// checkProbeBlock finds the mistakes in one block of probes.
func (s *catalogueCheck) checkProbeBlock(b *Block) {
	ops := slices.Sorted(maps.Keys(s.Operations))
	bad := func(entry, name, key, word, kind string, known []string) {
		if word != "" && !slices.Contains(known, word) {
			s.addError(entry, key, word, "%s: %s", name, Unknown(kind, word, known))
		}
	}
	if b.Op == "" {
		s.addError(b.File, "name", b.Name, "%s: %s", b.Name, Unknown("operation", "", ops))
	}
	bad(b.File, b.Name, "op", b.Op, "operation", ops)
	bad(b.File, b.Name, "risk", string(b.Risk), "risk", s.risks)
	bad(b.File, b.Name, "task", b.Task, "task", []string{"fresh"})
	bad(b.File, b.Name, "binding", b.Binding, "binding", carried)
	seen := map[string]string{}
	for _, p := range b.Probes {
		name := b.Name + "/" + p.Name
		s.requireUnique(seen, p.File, "name", p.Name, "the probe "+name)
	}
	names := slices.Sorted(maps.Keys(seen))
	for _, p := range b.Probes {
		name := b.Name + "/" + p.Name
		bad(p.File, name, "op", p.Op, "operation", ops)
		bad(p.File, name, "then", p.Then, "operation", ops)
		bad(p.File, name, "twin", p.Twin, "twin", append(names, "twin", "task"))
		bad(p.File, name, "risk", string(p.Risk), "risk", s.risks)
		bad(p.File, name, "task", p.Task, "task", []string{"fresh"})
		bad(p.File, name, "on", p.On, "word", layers)
		for _, o := range p.Patch {
			bad(p.File, name, "op", o.Op, "patch operation", patches)
		}
		switch head := p.Method != "" || len(p.Headers) > 0; {
		case p.On == OnHTTP && (p.Raw != nil || len(p.Patch) > 0):
			s.addError(p.File, "on", OnHTTP, "%s: with on: http only method and headers are bent; leave out raw and patch", name)
		case p.On != OnHTTP && head && p.Raw == nil && len(p.Patch) == 0:
			s.addError(p.File, "name", p.Name, "%s: it bends nothing but the method or the headers of HTTP; say on: http", name)
		case p.On == OnParams && p.Raw != nil:
			s.addError(p.File, "on", OnParams, "%s: a raw body has no params to bend; leave out on, or say on: envelope where it is one of JSON-RPC", name)
		}
		if p.Raw != nil && len(p.Patch) > 0 {
			s.addError(p.File, "raw", "", "%s: a raw body is not patched; leave out raw or patch", name)
		}
	}
}

// checkDialect finds the mistakes in dialect.yaml.
func (s *catalogueCheck) checkDialect(file string) {
	bad := func(key, word, kind string, known []string) {
		if word != "" && !slices.Contains(known, word) {
			s.addError(file, key, word, "%s: %s", key, Unknown(kind, word, known))
		}
	}
	for _, r := range s.Allows {
		bad("allows", string(r), "risk", s.risks)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Stimuli)) {
		bad("stimuli", name, "stimulus", append(prependToStimulusWords(""), "task"))
	}
	var states []string
	for _, st := range s.States {
		states = append(states, st.Name)
	}
	for _, st := range s.States {
		for _, n := range st.Not {
			bad("not", n, "state", states)
		}
		bad("outcome", st.Outcome, "outcome", strings.Fields("done failed canceled rejected unknown"))
	}
	definitions, t := slices.Sorted(maps.Keys(s.defined)), s.Types
	for _, at := range []struct{ key, definition string }{{"card", t.Card}, {"envelope", t.Envelope}, {"error", t.Error}, {"event", t.Event}, {"frame", t.Frame}, {"request", t.Request}} {
		bad(at.key, at.definition, "definition", definitions)
	}
	for _, op := range slices.Sorted(maps.Keys(s.Operations)) {
		o := s.Operations[op]
		bad("params", o.Params, "definition", definitions)
		bad("result", o.Result, "definition", definitions)
		bad("about", o.About, "word", []string{AboutTask})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Errors)) {
		s.grpcErrors(file, name, s.Errors[name])
	}
	s.checkBindings(file)
	s.forms(file)
}

// requireOperationOfDialect reports whether the dialect has an operation that a binding names. If not, it is a mistake.
func (s *catalogueCheck) requireOperationOfDialect(file, key, binding, op string) bool {
	if !s.Has(op) {
		s.addError(file, key, op, "bindings.%s: %s", binding, Unknown("operation", op, slices.Sorted(maps.Keys(s.Operations))))
	}
	return s.Has(op)
}

// checkBindings finds operations that a binding carries and no one describes, and the
// other way round.
func (s *catalogueCheck) checkBindings(file string) {
	ops := slices.Sorted(maps.Keys(s.Operations))
	for _, name := range slices.Sorted(maps.Keys(s.Bindings)) {
		b := s.Bindings[name]
		if !slices.Contains(carried, b.Kind) {
			s.addError(file, "kind", b.Kind, "bindings.%s: %s", name, Unknown("kind", b.Kind, carried))
		}
		if b.Kind == KindREST {
			s.checkRoutes(file, name, b)
		}
		if b.Kind == KindGRPC {
			s.requireGRPCServiceAndProto(file, name, b)
		}
		for _, op := range slices.Sorted(maps.Keys(b.Methods)) {
			s.requireOperationOfDialect(file, "methods", name, op)
		}
		for _, op := range ops {
			if (b.Kind == KindJSONRPC || b.Kind == KindGRPC) && b.Methods[op] == "" {
				s.addError(file, "operations", op, "bindings.%s: there is no method for the operation %s", name, op)
			}
		}
	}
}
