package acts

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
)

// reader reads one document. It continues after a fault, so that all are reported at the same time.
type reader struct {
	file    string
	options Options
	faults  []fault
	notices []Notice
	test    *Test // that is read; nil outside of one
	values  int   // of the document, counted with what aliases repeat

	variables map[string]string
	captured  map[string][]string // the captures of the steps of a test that were read, by the id of the step
	stepIDs   []string            // of all steps of the test
}

// fault is what is wrong in a line of a document.
type fault struct {
	line int
	text string
}

// maxFaults is how many faults of a document are reported.
const maxFaults = 50

// Bounds of a document.
const (
	maxDepth     = 100             // values within each other
	maxValues    = 200_000         // values of a document
	maxTests     = 5_000           // tests of all documents
	maxSteps     = 200             // steps of a test
	maxDelayMS   = 10 * 60 * 1_000 // of a step, an attempt or a stream
	maxAttempts  = 1_000           // of a step that is repeated
	maxListItems = 1_000           // items of a list that the grammar has
)

func (r *reader) addFault(n *yaml.Node, format string, args ...any) {
	if len(r.faults) < maxFaults {
		r.faults = append(r.faults, fault{max(n.Line, 1), fmt.Sprintf(format, args...)})
	}
}

// noteForm records that a form beyond the grammar was used; in the strict mode that is a fault, with what the
// grammar has in its place.
func (r *reader) noteForm(n *yaml.Node, form, instead string) {
	f := findForm(form)
	if r.options.Strict && !f.Grammatical {
		r.addFault(n, "the grammar has no such form: %s; %s", f.Has, instead)
		return
	}
	r.noteFormAs(n, form, f.Has+"; it is read "+readingOf(f))
}

// noteFormAs records a form by a text of its own.
func (r *reader) noteFormAs(n *yaml.Node, form, text string) {
	note := Notice{File: r.file, Line: max(n.Line, 1), Form: form, Text: text}
	if r.test != nil {
		note.Test = r.test.ID
	}
	r.notices = append(r.notices, note)
}

// readingOf returns how a form is read, as the end of "it is read …".
func readingOf(f Form) string {
	if strings.HasPrefix(f.Read, "as ") {
		return f.Read
	}
	return "so: " + f.Read
}

// followAlias returns the value that an alias refers to.
func followAlias(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// member is a key of a map and its value.
type member struct{ key, value *yaml.Node }

// describeKind describes what a value is, for the text of a fault.
func describeKind(n *yaml.Node) string {
	switch n = followAlias(n); {
	case n.Kind == yaml.MappingNode:
		return "a map"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.ShortTag() == "!!null":
		return "empty"
	}
	kind := map[string]string{"!!int": "the number ", "!!float": "the number ", "!!bool": "the word "}[n.ShortTag()]
	if kind == "" {
		return "the text " + quoteShort(n.Value)
	}
	return kind + shorten.Middle(n.Value, 30, 10, "…")
}

// quoteShort returns a text of the document for a fault, short and in one line.
func quoteShort(text string) string { return strconv.Quote(shorten.Middle(text, 50, 10, "…")) }

// readMembers returns the members of a map. The keys are texts that are given once.
func (r *reader) readMembers(n *yaml.Node, what string) ([]member, bool) {
	at := n
	n = followAlias(n)
	if n.Kind != yaml.MappingNode {
		r.addFault(at, "%s is %s, but must be a map", what, describeKind(n))
		return nil, false
	}
	var all []member
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := followAlias(n.Content[i])
		switch {
		case key.Kind != yaml.ScalarNode:
			fault := "a key of %s is %s, but must be a text"
			if key.Kind == yaml.MappingNode && key.Style == yaml.FlowStyle {
				fault += "; put a value that begins with {{ in quotes" // {{a.b}} without quotes is a map in a map
			}
			r.addFault(key, fault, what, describeKind(key))
			return nil, false
		case key.ShortTag() == "!!merge":
			r.addFault(key, "%s has the merge key <<, which YAML 1.2 does not have; write the members out", what)
			return nil, false
		}
		all = append(all, member{key, n.Content[i+1]})
	}
	return all, true
}

// readKeys returns the members of a map by their keys, and refuses keys that the grammar does not have.
func (r *reader) readKeys(n *yaml.Node, what string, known ...string) (map[string]member, bool) {
	all, ok := r.readMembers(n, what)
	if !ok {
		return nil, false
	}
	by := map[string]member{}
	for _, m := range all {
		if !slices.Contains(known, m.key.Value) {
			r.addFault(m.key, "%s has the key %s: %s", what, quoteShort(m.key.Value), suggestKey(m.key.Value, known))
			continue
		}
		by[m.key.Value] = m
	}
	return by, true
}

// suggestKey is the remedy for a key that is none of those that are known.
func suggestKey(key string, known []string) string {
	if near := schema.Nearest(key, known); near != "" {
		return "did you mean " + near + "?"
	}
	return "the keys are " + strings.Join(known, ", ")
}

// requireKeys reports keys that are missing.
func (r *reader) requireKeys(n *yaml.Node, what string, has map[string]member, keys ...string) (complete bool) {
	complete = true
	for _, key := range keys {
		if _, ok := has[key]; !ok {
			r.addFault(n, "%s has no %s; add it", what, key)
			complete = false
		}
	}
	return complete
}

// readText returns a text that is not empty.
func (r *reader) readText(n *yaml.Node, what string) string {
	at := n
	n = followAlias(n)
	if n.Kind != yaml.ScalarNode || !isTextTag(n.ShortTag()) {
		remedy := ""
		if n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
			remedy = "; put it in quotes: " + strconv.Quote(shorten.Middle(n.Value, 30, 10, "…"))
		}
		r.addFault(at, "%s is %s, but must be a text%s", what, describeKind(n), remedy)
		return ""
	}
	if n.Value == "" {
		r.addFault(at, "%s is an empty text; fill it in", what)
	}
	return n.Value
}

// isTextTag reports whether a plain value is a text. YAML 1.2 has no timestamps.
func isTextTag(tag string) bool { return tag == "!!str" || tag == "!!timestamp" }

// readOptionalText returns a text that may be missing.
func (r *reader) readOptionalText(has map[string]member, key, what string) string {
	if m, ok := has[key]; ok {
		return r.readText(m.value, what+"."+key)
	}
	return ""
}

// readItems returns the items of a list that has at least one.
func (r *reader) readItems(n *yaml.Node, what string) []*yaml.Node {
	at := n
	n = followAlias(n)
	switch {
	case n.Kind != yaml.SequenceNode:
		r.addFault(at, "%s is %s, but must be a list", what, describeKind(n))
		return nil
	case len(n.Content) == 0:
		r.addFault(at, "%s is an empty list; leave the key out, or add an item", what)
	case len(n.Content) > maxListItems && !strings.HasSuffix(what, "tests"):
		r.addFault(at, "%s has %d items; at most %d are read", what, len(n.Content), maxListItems)
		return nil
	}
	return n.Content
}

// readTexts returns a list of texts, each one of those that are known if any are given.
func (r *reader) readTexts(n *yaml.Node, what string, known ...string) (all []string) {
	for i, item := range r.readItems(n, what) {
		text := r.readText(item, fmt.Sprintf("%s[%d]", what, i))
		if text != "" && len(known) > 0 && !slices.Contains(known, text) {
			r.addFault(item, "%s[%d]: %s", what, i, schema.Unknown("word", quoteIfOdd(text), known))
			continue
		}
		all = append(all, text)
	}
	return all
}

// quoteIfOdd returns a word as it is, and any other text short and in quotes.
func quoteIfOdd(text string) string {
	odd := func(c rune) bool { return c < '!' || c > '~' }
	if strings.ContainsFunc(text, odd) || len(text) > 60 {
		return quoteShort(text)
	}
	return text
}

// readWord returns one of the known words.
func (r *reader) readWord(n *yaml.Node, what string, known ...string) string {
	text := r.readText(n, what)
	if text != "" && !slices.Contains(known, text) {
		r.addFault(n, "%s: %s", what, schema.Unknown("word", quoteIfOdd(text), known))
		return ""
	}
	return text
}

// readCount returns a whole number from 0 to most.
func (r *reader) readCount(n *yaml.Node, what string, most int) int {
	at := n
	n = followAlias(n)
	var value int64
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" || n.Decode(&value) != nil {
		r.addFault(at, "%s is %s, but must be a whole number", what, describeKind(n))
		return 0
	}
	if value < 0 || value > int64(most) {
		r.addFault(at, "%s is %d; it must be from 0 to %d", what, value, most)
		return 0
	}
	return int(value)
}

// readBool returns true or false.
func (r *reader) readBool(n *yaml.Node, what string) bool {
	at := n
	n = followAlias(n)
	var value bool
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" || n.Decode(&value) != nil {
		r.addFault(at, "%s is %s, but must be true or false", what, describeKind(n))
	}
	return value
}

// readScalar returns a value that is no list and no map, as JSON has it.
func (r *reader) readScalar(n *yaml.Node, what string) any {
	switch tag := n.ShortTag(); tag {
	case "!!null":
		return nil
	case "!!bool":
		return r.readBool(n, what)
	case "!!int", "!!float":
		var value any
		if err := n.Decode(&value); err != nil {
			r.addFault(n, "%s is %s, which cannot be read as a number; put it in quotes if it is a text", what, describeKind(n))
			return nil
		}
		if f, ok := value.(float64); ok {
			if math.IsNaN(f) || math.IsInf(f, 0) {
				r.addFault(n, "%s is %s, and JSON has no such number; put it in quotes if it is a text", what, describeKind(n))
				return nil
			}
			return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
		}
		return json.Number(fmt.Sprint(value))
	}
	return n.Value
}

// readValue returns any value as JSON has it: objects as map[string]any, numbers as json.Number.
func (r *reader) readValue(n *yaml.Node, what string, depth int) any {
	if !r.countValue(n, what, depth) {
		return nil
	}
	at := n
	n = followAlias(n)
	switch n.Kind {
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for i, item := range n.Content {
			list = append(list, r.readValue(item, fmt.Sprintf("%s[%d]", what, i), depth+1))
		}
		return list
	case yaml.MappingNode:
		members, ok := r.readMembers(at, what)
		if !ok {
			return nil
		}
		object := make(map[string]any, len(members))
		for _, m := range members {
			object[m.key.Value] = r.readValue(m.value, what+"."+m.key.Value, depth+1)
		}
		return object
	}
	value := r.readScalar(n, what)
	if text, ok := value.(string); ok {
		r.checkTemplate(at, text, what, false)
	}
	return value
}

// countValue counts a value, and reports whether it may be read.
func (r *reader) countValue(n *yaml.Node, what string, depth int) bool {
	if r.values++; r.values > maxValues {
		if r.values == maxValues+1 {
			r.addFault(n, "the document has more than %d values, counted with what aliases repeat; split it", maxValues)
		}
		return false
	}
	if depth > maxDepth {
		r.addFault(n, "%s has more than %d values within each other; flatten it", shorten.Middle(what, 40, 20, "…"), maxDepth)
		return false
	}
	return true
}

// joinFaults returns all faults as one error in the order of their lines, nil if there are none.
func (r *reader) joinFaults() error {
	slices.SortStableFunc(r.faults, func(a, b fault) int { return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.text, b.text)) })
	var all []error
	for _, f := range slices.Compact(r.faults) {
		all = append(all, fmt.Errorf("%s:%d: %s", r.file, f.line, f.text))
	}
	return errors.Join(all...)
}
