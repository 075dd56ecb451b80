package shape

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// shapesURL is the base of references inside a document. The name is reserved
// and nothing is ever fetched.
const shapesURL = "https://shapes.invalid/document.json"

// MaxSize is how many bytes a JSON Schema may have.
const MaxSize = 1 << 20

// Compile compiles a JSON Schema document of draft-07 (definitions) or
// 2020-12 ($defs). References must stay inside the document: nothing is read
// from disk or from the network. The name is used in errors only.
func Compile(name string, document []byte) (_ *Shapes, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: the schema cannot be compiled: %v", name, r)
		}
	}()
	if len(document) > MaxSize {
		return nil, fmt.Errorf("%s: has %d bytes; a schema may have at most %d", name, len(document), MaxSize)
	}
	if n := countValues(document); n > maxSchemaValues {
		return nil, fmt.Errorf("%s: has about %d values; a schema may have at most %d", name, n, maxSchemaValues)
	}
	members, err := decodeSchema(name, document)
	if err != nil {
		return nil, err
	}
	if at, ok := outsizedNumber(document); ok {
		return nil, fmt.Errorf("%s: %s: is a number too large to compute with", name, at)
	}
	section, raw, err := definitionsOf(name, members)
	if err != nil {
		return nil, err
	}

	defs := slices.Sorted(maps.Keys(raw))
	if len(defs) > maxDefinitions {
		return nil, fmt.Errorf("%s: has %d definitions; a schema may have at most %d", name, len(defs), maxDefinitions)
	}

	c := jsonschema.NewCompiler()
	c.ExtractAnnotations = true // the words of a violation may come from a description
	c.Draft = jsonschema.Draft2020
	if section == "definitions" {
		c.Draft = jsonschema.Draft7
	}
	c.LoadURL = func(u string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("refers to %s; only references inside the same document are supported", u)
	}
	if err := c.AddResource(shapesURL, bytes.NewReader(document)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if _, err := c.Compile(shapesURL); err != nil {
		return nil, compileError(name, err)
	}

	s := &Shapes{
		name:   name,
		names:  defs,
		defs:   map[string]*jsonschema.Schema{},
		byRoot: map[*jsonschema.Schema]string{},
		scalar: map[string]bool{},
	}
	for _, d := range defs {
		compiled, err := c.Compile(shapesURL + "#/" + section + "/" + url.PathEscape(escapeToken(d)))
		if err != nil {
			return nil, compileError(name, err)
		}
		s.defs[d] = compiled
		s.byRoot[compiled] = d
	}
	if why := tooManyWays(s.names, s.defs); why != "" {
		return nil, fmt.Errorf("%s: %s", name, why)
	}
	if tooUnfolded(s.defs, s.byRoot) {
		return nil, fmt.Errorf("%s: its definitions have more than %d rules after references are resolved; refer to definitions, not to places inside them", name, maxUnfolded)
	}
	for _, d := range defs {
		s.scalar[d] = isScalar(s.defs[d])
	}
	s.rules = s.listRules()
	return s, nil
}

// countValues returns about how many values a JSON text has, reported by its punctuation
// outside of strings.
func countValues(text []byte) (n int) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ',', '[', '{':
			n++
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		}
	}
	return n
}

// decodeSchema reads the document's outermost object, and describes in which line
// the JSON is broken if it is.
func decodeSchema(name string, document []byte) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	err := json.Unmarshal(document, &members)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		line := 1 + bytes.Count(document[:min(int(syntax.Offset), len(document))], []byte("\n"))
		return nil, fmt.Errorf("%s:%d: is not JSON: %v", name, line, syntax)
	case err != nil || members == nil:
		return nil, fmt.Errorf("%s: is not a JSON object; a JSON Schema with definitions is expected", name)
	}
	return members, nil
}

// outsizedNumber finds a number in the document that the validator cannot bear.
func outsizedNumber(document []byte) (pointer string, found bool) {
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	var root any
	if d.Decode(&root) != nil {
		return "", false
	}
	var visit func(v any, at string)
	visit = func(v any, at string) {
		switch v := v.(type) {
		case json.Number:
			if _, outsized := numberStandIn(string(v)); outsized && (!found || at < pointer) {
				pointer, found = at, true
			}
		case []any:
			for i, item := range v {
				visit(item, at+"/"+strconv.Itoa(i))
			}
		case map[string]any:
			for member, value := range v {
				visit(value, at+"/"+escapeToken(member))
			}
		}
	}
	visit(root, "")
	return pointer, found
}

// definitionsOf returns the section that holds the definitions and their names.
func definitionsOf(name string, members map[string]json.RawMessage) (string, map[string]json.RawMessage, error) {
	section := "$defs"
	if _, ok := members[section]; !ok {
		section = "definitions"
	}
	raw, ok := members[section]
	if !ok {
		return "", nil, fmt.Errorf("%s: has neither $defs nor definitions; each type of the protocol must be a definition there", name)
	}
	var defs map[string]json.RawMessage
	if err := json.Unmarshal(raw, &defs); err != nil || len(defs) == 0 {
		return "", nil, fmt.Errorf("%s: /%s: is not an object with at least one definition", name, section)
	}
	return section, defs, nil
}

// Definitions are what a JSON Schema document defines, by name, and the names of the
// members that each describes.
type Definitions map[string][]string

// Describe reports what a document defines, without compiling it.
func Describe(name string, document []byte) (Definitions, error) {
	members, err := decodeSchema(name, document)
	if err != nil {
		return nil, err
	}
	_, raw, err := definitionsOf(name, members)
	if err != nil {
		return nil, err
	}
	out := Definitions{}
	for d, text := range raw {
		var of struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		_ = json.Unmarshal(text, &of) // what is no object describes no members
		out[d] = slices.Sorted(maps.Keys(of.Properties))
	}
	return out, nil
}

// compileError describes the place in the document at which a schema breaks the rules of JSON
// Schema. The library reports every branch of the meta-schema; the deepest place is the one a
// person has to look at.
func compileError(name string, err error) error {
	var broken *jsonschema.ValidationError
	if !errors.As(err, &broken) {
		text := strings.ReplaceAll(err.Error(), shapesURL, "")
		return fmt.Errorf("%s: %s", name, strings.TrimPrefix(text, "jsonschema  compilation failed: "))
	}
	var place, message string
	var visit func(*jsonschema.ValidationError)
	visit = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			visit(cause)
		}
		if len(e.Causes) > 0 {
			return
		}
		at := joinTokens(pointerTokens(e.InstanceLocation))
		if d := strings.Count(at, "/") - strings.Count(place, "/"); message == "" || d > 0 || d == 0 && at+e.Message < place+message {
			place, message = at, e.Message
		}
	}
	visit(broken)
	return fmt.Errorf("%s: %s: %s", name, place, message)
}
