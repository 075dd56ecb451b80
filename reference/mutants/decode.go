package mutants

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A decoder reads YAML nodes into values. It refuses a key that a value has no field for
// and a text that does not fit, with file and line, and takes a single value for a list
// of one. Numbers without a type of their own become json.Number, as in decoded JSON.
type decoder struct {
	file       string
	vocabulary *Vocabulary
	replacer   *strings.Replacer // of the names in braces; nil: they stay
}

// A term is a value that a text of a table has in a protocol.
type term interface {
	setFromText(v *Vocabulary, text string) error
}

func (d *decoder) errorAtLinef(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", d.file, n.Line, fmt.Sprintf(format, args...))
}

func (d *decoder) decode(n *yaml.Node, into any) error {
	return d.decodeValue(n, reflect.ValueOf(into).Elem())
}

// replacedText returns the text of a node with the names in braces replaced.
func (d *decoder) replacedText(n *yaml.Node) string {
	if d.replacer == nil {
		return n.Value
	}
	return d.replacer.Replace(n.Value)
}

func (d *decoder) decodeValue(n *yaml.Node, v reflect.Value) error {
	switch into := v.Addr().Interface().(type) {
	case *yaml.Node:
		*into = *n
		return nil
	case term:
		if err := into.setFromText(d.vocabulary, d.replacedText(n)); n.Kind != yaml.ScalarNode || err != nil {
			return d.errorAtLinef(n, "%q: %v", n.Value, err)
		}
		return nil
	case *jsonValue:
		value, err := d.decodeJSON(n)
		into.V = value
		return err
	}
	switch v.Kind() {
	case reflect.Pointer:
		if _, json := v.Interface().(*jsonValue); n.Tag == "!!null" && !json {
			return nil
		}
		v.Set(reflect.New(v.Type().Elem()))
		return d.decodeValue(n, v.Elem())
	case reflect.Struct:
		return d.decodeStruct(n, v)
	case reflect.Map:
		return d.decodeMap(n, v)
	case reflect.Slice:
		return d.decodeSlice(n, v)
	}
	return d.decodeScalar(n, v)
}

func (d *decoder) decodeScalar(n *yaml.Node, v reflect.Value) error {
	if n.Kind != yaml.ScalarNode {
		return d.errorAtLinef(n, "this must be a single value")
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(d.replacedText(n))
	case reflect.Bool:
		b, err := strconv.ParseBool(n.Value)
		if err != nil {
			return d.errorAtLinef(n, "%q must be true or false", n.Value)
		}
		v.SetBool(b)
	case reflect.Int:
		i, err := strconv.Atoi(n.Value)
		if err != nil {
			return d.errorAtLinef(n, "%q must be a whole number", n.Value)
		}
		v.SetInt(int64(i))
	}
	return nil
}

func (d *decoder) decodeStruct(n *yaml.Node, v reflect.Value) error {
	if n.Kind != yaml.MappingNode {
		return d.errorAtLinef(n, "this must have named members")
	}
	for i := 0; i < len(n.Content); i += 2 {
		key, field := n.Content[i], reflect.Value{}
		for j := range v.NumField() {
			if name := v.Type().Field(j).Tag.Get("yaml"); name == key.Value {
				field = v.Field(j)
			}
		}
		if !field.IsValid() {
			return d.errorAtLinef(key, "unknown key %q", key.Value)
		}
		if !field.IsZero() {
			return d.errorAtLinef(key, "the key %q is there twice", key.Value)
		}
		if err := d.decodeValue(n.Content[i+1], field); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) decodeMap(n *yaml.Node, v reflect.Value) error {
	if n.Kind != yaml.MappingNode {
		return d.errorAtLinef(n, "this must have named members")
	}
	v.Set(reflect.MakeMap(v.Type()))
	for i := 0; i < len(n.Content); i += 2 {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		if err := d.decodeValue(n.Content[i], key); err != nil {
			return err
		}
		if err := d.decodeValue(n.Content[i+1], value); err != nil {
			return err
		}
		if v.MapIndex(key).IsValid() {
			return d.errorAtLinef(n.Content[i], "the key %q is there twice", n.Content[i].Value)
		}
		v.SetMapIndex(key, value)
	}
	return nil
}

func (d *decoder) decodeSlice(n *yaml.Node, v reflect.Value) error {
	elements := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		elements = n.Content
	}
	v.Set(reflect.MakeSlice(v.Type(), len(elements), len(elements)))
	for i, e := range elements {
		if err := d.decodeValue(e, v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// A jsonValue is any JSON in decoded form, null included.
type jsonValue struct{ V any }

// decodeJSON returns a node in the form of decoded JSON.
func (d *decoder) decodeJSON(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i < len(n.Content); i += 2 {
			value, err := d.decodeJSON(n.Content[i+1])
			if err != nil {
				return nil, err
			}
			m[d.replacedText(n.Content[i])] = value
		}
		return m, nil
	case yaml.SequenceNode:
		list := []any{}
		for _, e := range n.Content {
			value, err := d.decodeJSON(e)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		return list, nil
	}
	switch n.Tag {
	case "!!null":
		return nil, nil
	case "!!bool":
		return n.Value == "true", nil
	case "!!int", "!!float":
		return json.Number(n.Value), nil
	}
	return d.replacedText(n), nil
}
