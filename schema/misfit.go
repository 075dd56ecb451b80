package schema

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
)

// misfits compares a YAML document with the Go value it is to fill and says
// where they differ, in the words of whoever wrote the document.
func misfits(file string, doc *yaml.Node, v any) error {
	w := &fitter{file: file, seen: map[visit]bool{}}
	for _, n := range doc.Content {
		w.fit(n, reflect.TypeOf(v).Elem(), "")
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

type fitter struct {
	file   string
	faults []string
	seen   map[visit]bool // aliases make a graph of the document
}

type visit struct {
	n *yaml.Node
	t reflect.Type
}

var ownWay = reflect.TypeFor[yaml.Unmarshaler]()

func (w *fitter) fault(n *yaml.Node, format string, args ...any) {
	const most = 1000 // a fault in every line says nothing more
	if len(w.faults) == most {
		return
	}
	w.faults = append(w.faults, fmt.Sprintf("%s:%d: %s", w.file, n.Line, fmt.Sprintf(format, args...)))
}

func (w *fitter) fit(n *yaml.Node, t reflect.Type, at string) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n.Tag == "!!null" || t.Kind() == reflect.Interface || n.Kind == yaml.ScalarNode && t.Kind() == reflect.String || w.seen[visit{n, t}] {
		return
	}
	if reflect.PointerTo(t).Implements(ownWay) && n.Kind != yaml.MappingNode { // a short form of its own
		return
	}
	w.seen[visit{n, t}] = true
	switch t.Kind() {
	case reflect.Struct:
		if n.Kind == yaml.MappingNode {
			w.members(n, t, at)
			return
		}
		w.is(n, yaml.MappingNode, "a map of "+strings.Join(fieldsOf(t).keys, ", "), at)
	case reflect.Map:
		if !w.is(n, yaml.MappingNode, "a map of names (name: …)", at) {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Tag == "!!merge" {
				w.fit(n.Content[i+1], t, at)
				continue
			}
			w.fit(n.Content[i+1], t.Elem(), under(at, n.Content[i].Value))
		}
	case reflect.Slice:
		if !w.is(n, yaml.SequenceNode, "a list ([one, two])", at) {
			return
		}
		for i, c := range n.Content {
			w.fit(c, t.Elem(), at+"["+strconv.Itoa(i)+"]")
		}
	case reflect.String:
		w.is(n, yaml.ScalarNode, "a string", at)
	case reflect.Bool:
		w.scalar(n, t, "true or false", at)
	default:
		w.scalar(n, t, "a number", at)
	}
}

func (w *fitter) is(n *yaml.Node, kind yaml.Kind, due, at string) bool {
	if n.Kind == kind {
		return true
	}
	w.fault(n, "%s is %s, but must be %s", named(at), found(n), due)
	return false
}

func (w *fitter) scalar(n *yaml.Node, t reflect.Type, due, at string) {
	if w.is(n, yaml.ScalarNode, due, at) && n.Decode(reflect.New(t).Interface()) != nil {
		w.fault(n, "%s is %s, but must be %s", named(at), found(n), due)
	}
}

// members compares the keys of a map with the fields of a struct.
func (w *fitter) members(n *yaml.Node, t reflect.Type, at string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Tag == "!!merge" {
			w.fit(value, t, at)
			continue
		}
		if key.Kind != yaml.ScalarNode {
			w.fault(key, "the key is %s, but must be one of: %s", found(key), strings.Join(fieldsOf(t).keys, ", "))
		} else if f := fieldsOf(t).types[key.Value]; f != nil {
			w.fit(value, f, under(at, key.Value))
		} else {
			w.fault(key, "unknown key %q%s; %s", short(key.Value), inside(at), validKeys(fieldsOf(t).keys))
		}
	}
}

// fields are the keys that a struct takes, in their order, and the type of each.
type fields struct {
	keys  []string
	types map[string]reflect.Type
}

var fieldsKnown sync.Map // by the type of the struct; looking for them takes long

func fieldsOf(t reflect.Type) *fields {
	if known, ok := fieldsKnown.Load(t); ok {
		return known.(*fields)
	}
	out := &fields{types: map[string]reflect.Type{}}
	out.add(t)
	fieldsKnown.Store(t, out)
	return out
}

func (f *fields) add(t reflect.Type) {
	for i := range t.NumField() {
		member := t.Field(i)
		key, option, _ := strings.Cut(member.Tag.Get("yaml"), ",")
		if option == "inline" {
			f.add(member.Type)
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

func under(at, key string) string {
	if at == "" {
		return short(key)
	}
	return at + "." + short(key)
}

func named(at string) string {
	if at == "" {
		return "the file"
	}
	return at
}

func inside(at string) string {
	if at == "" {
		return ""
	}
	return " in " + at
}

// found says what stands in the document.
func found(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
		kinds := map[string]string{"!!int": "the number ", "!!float": "the number ", "!!bool": "the word "}
		if k := kinds[n.ShortTag()]; k != "" {
			return k + short(n.Value)
		}
		return fmt.Sprintf("the text %q", short(n.Value))
	}
	return "something unknown"
}

// short bounds what is quoted of the document, between characters.
func short(s string) string {
	const most = 60
	first, _, more := strings.Cut(s, "\n")
	shown := shorten.End(first, most)
	if more && shown == first {
		shown += "…"
	}
	return shown
}
