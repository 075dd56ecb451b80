package schema

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
)

// typeErrors compares a YAML document with the Go value it is to fill and states
// if they differ, in the words of whoever wrote the document.
func typeErrors(file string, doc *yaml.Node, v any) error {
	w := &typeChecker{file: file, seen: map[checkedPair]bool{}}
	for _, n := range doc.Content {
		w.checkNode(n, reflect.TypeOf(v).Elem(), "")
	}
	const most = 10
	if more := len(w.faults) - most; more > 0 {
		w.faults = append(w.faults[:most], fmt.Sprintf("%s: and %d more", file, more))
	}
	if len(w.faults) > 0 {
		return errors.New(strings.Join(w.faults, "\n"))
	}
	return nil
}

type typeChecker struct {
	file   string
	faults []string
	seen   map[checkedPair]bool // aliases make a graph of the document
}

type checkedPair struct {
	n *yaml.Node
	t reflect.Type
}

var unmarshalerType = reflect.TypeFor[yaml.Unmarshaler]()

func (w *typeChecker) addFault(n *yaml.Node, format string, args ...any) {
	const most = 1000 // a fault in every line states nothing more
	if len(w.faults) == most {
		return
	}
	w.faults = append(w.faults, fmt.Sprintf("%s:%d: %s", w.file, n.Line, fmt.Sprintf(format, args...)))
}

func (w *typeChecker) checkNode(n *yaml.Node, t reflect.Type, at string) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n.Tag == "!!null" || t.Kind() == reflect.Interface || n.Kind == yaml.ScalarNode && t.Kind() == reflect.String || w.seen[checkedPair{n, t}] {
		return
	}
	if reflect.PointerTo(t).Implements(unmarshalerType) && n.Kind != yaml.MappingNode { // a short form of its own
		return
	}
	w.seen[checkedPair{n, t}] = true
	switch t.Kind() {
	case reflect.Struct:
		if n.Kind == yaml.MappingNode {
			w.checkMembers(n, t, at)
			return
		}
		w.requireKind(n, yaml.MappingNode, "a map of "+strings.Join(fieldsOf(t).keys, ", "), at)
	case reflect.Map:
		if !w.requireKind(n, yaml.MappingNode, "a map of names (name: …)", at) {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Tag == "!!merge" {
				w.checkNode(n.Content[i+1], t, at)
				continue
			}
			w.checkNode(n.Content[i+1], t.Elem(), joinPath(at, n.Content[i].Value))
		}
	case reflect.Slice:
		if !w.requireKind(n, yaml.SequenceNode, "a list ([one, two])", at) {
			return
		}
		for i, c := range n.Content {
			w.checkNode(c, t.Elem(), at+"["+strconv.Itoa(i)+"]")
		}
	case reflect.String:
		w.requireKind(n, yaml.ScalarNode, "a string", at)
	case reflect.Bool:
		w.checkScalar(n, t, "true or false", at)
	default:
		w.checkScalar(n, t, "a number", at)
	}
}

func (w *typeChecker) requireKind(n *yaml.Node, kind yaml.Kind, expected, at string) bool {
	if n.Kind == kind {
		return true
	}
	w.addFault(n, "%s is %s, but must be %s", cmp.Or(at, "the file"), describeNode(n), expected)
	return false
}

func (w *typeChecker) checkScalar(n *yaml.Node, t reflect.Type, expected, at string) {
	if w.requireKind(n, yaml.ScalarNode, expected, at) && n.Decode(reflect.New(t).Interface()) != nil {
		w.addFault(n, "%s is %s, but must be %s", cmp.Or(at, "the file"), describeNode(n), expected)
	}
}

// checkMembers compares the keys of a map with the fields of a struct.
func (w *typeChecker) checkMembers(n *yaml.Node, t reflect.Type, at string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Tag == "!!merge" {
			w.checkNode(value, t, at)
			continue
		}
		if key.Kind != yaml.ScalarNode {
			w.addFault(key, "the key is %s, but must be one of: %s", describeNode(key), strings.Join(fieldsOf(t).keys, ", "))
		} else if f := fieldsOf(t).types[key.Value]; f != nil {
			w.checkNode(value, f, joinPath(at, key.Value))
		} else {
			w.addFault(key, "unknown key %q%s; %s", shortenToFirstLine(key.Value), inPathPhrase(at), validKeys(fieldsOf(t).keys))
		}
	}
}

// structFields are the keys that a struct takes, in their order, and the type of each.
type structFields struct {
	keys  []string
	types map[string]reflect.Type
}

var fieldsKnown sync.Map // by the type of the struct; looking for them takes long

func fieldsOf(t reflect.Type) *structFields {
	if known, ok := fieldsKnown.Load(t); ok {
		return known.(*structFields)
	}
	out := &structFields{types: map[string]reflect.Type{}}
	out.addFields(t)
	fieldsKnown.Store(t, out)
	return out
}

func (f *structFields) addFields(t reflect.Type) {
	for i := range t.NumField() {
		member := t.Field(i)
		key, option, _ := strings.Cut(member.Tag.Get("yaml"), ",")
		if option == "inline" {
			f.addFields(member.Type)
			continue
		}
		if !member.IsExported() || key == "-" {
			continue
		}
		if key == "" {
			key = strings.ToLower(member.Name)
		}
		f.keys = append(f.keys, key)
		if f.types[key] == nil {
			f.types[key] = member.Type
		}
	}
}

func validKeys(words []string) string {
	if len(words) == 1 {
		return "valid key: " + words[0]
	}
	return "valid keys: " + strings.Join(words, ", ")
}

func joinPath(at, key string) string {
	if at == "" {
		return shortenToFirstLine(key)
	}
	return at + "." + shortenToFirstLine(key)
}

func inPathPhrase(at string) string {
	if at == "" {
		return ""
	}
	return " in " + at
}

// describeNode describes what is in the document.
func describeNode(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
		kinds := map[string]string{"!!int": "the number ", "!!float": "the number ", "!!bool": "the word "}
		if k := kinds[n.ShortTag()]; k != "" {
			return k + shortenToFirstLine(n.Value)
		}
		return fmt.Sprintf("the text %q", shortenToFirstLine(n.Value))
	}
	return "something unknown"
}

// shortenToFirstLine bounds what is quoted of the document, between characters.
func shortenToFirstLine(s string) string {
	const most = 60
	first, _, more := strings.Cut(s, "\n")
	shown := shorten.End(first, most)
	if more && shown == first {
		shown += "…"
	}
	return shown
}
