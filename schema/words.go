package schema

import (
	"encoding/json"
	"io/fs"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
)

// rpcWords are the words of JSON-RPC 2.0, of the error details of gRPC over JSON, and of RFC 9457, which protocols use
// without a definition of their own.
var rpcWords = strings.Fields(`jsonrpc 2.0 id method params result error code message data @type reason domain metadata details
	fieldViolations field description retryDelay status title detail type instance`)

// Words returns the words of a dialect: the names of members, the values of enumerations, methods, paths, headers and errors.
// Texts for people are not among them.
func (d *Dialect) Words() map[string]bool {
	return d.Once(wordsKey{}, func() any {
		words := map[string]bool{}
		for _, w := range rpcWords {
			words[w] = true
		}
		if text, err := fs.ReadFile(d.files, path.Join(d.Name, "a2a.json")); err == nil {
			var v any
			if json.Unmarshal(text, &v) == nil {
				addSchemaWords(words, v, "")
			}
		}
		file := path.Join(d.Name, "dialect.yaml")
		if text, err := fs.ReadFile(d.files, file); err == nil {
			if n, err := decodeStrict(file, text, new(Dialect), MaxYAML); err == nil {
				addYAMLWords(words, n)
			}
		}
		return words
	}).(map[string]bool)
}

type wordsKey struct{}

// addSchemaWords adds the names of members and the values of enumerations in a JSON Schema.
func addSchemaWords(words map[string]bool, v any, under string) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if under == "properties" {
				words[name] = true
			}
			addSchemaWords(words, value, name)
		}
	case []any:
		for _, e := range v {
			addSchemaWords(words, e, under)
		}
	case string:
		if under == "enum" || under == "const" || under == "required" {
			words[v] = true
		}
	}
}

// addYAMLWords adds the keys and values of dialect.yaml that have no white space, and the parts of pointers, paths
// and routes. The messages that a run sends by default are no words of the protocol.
func addYAMLWords(words map[string]bool, n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		verb, route, isRoute := strings.Cut(n.Value, " ")
		isRoute = isRoute && strings.HasPrefix(route, "/") && verb == strings.ToUpper(verb)
		if !isRoute && strings.ContainsAny(n.Value, " \t\n") {
			return
		}
		if !isRoute {
			words[n.Value] = true
		}
		for part := range strings.FieldsFuncSeq(n.Value, func(c rune) bool { return strings.ContainsRune("/: {}?&=", c) }) {
			words[part] = true
		}
		return
	}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Value == "stimuli" {
			continue
		}
		addYAMLWords(words, c)
	}
}
