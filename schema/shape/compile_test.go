package shape

import (
	"strings"
	"testing"
)

func TestCompileErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"not JSON", "{\n\"$defs\": {\n]", "my.json:3: is not JSON"},
		{"cut off", "{\n\"$defs\": {", "my.json:2: is not JSON"},
		{"empty", "", "my.json:1: is not JSON"},
		{"no object", "[]", "my.json: is not a JSON object"},
		{"null", "null", "my.json: is not a JSON object"},
		{"no definitions", `{"type":"object"}`, "my.json: has neither $defs nor definitions"},
		{"empty definitions", `{"definitions":{}}`, "my.json: /definitions: is not an object with at least one definition"},
		{"definitions of the wrong type", `{"$defs":[]}`, "my.json: /$defs: is not an object"},
		{"a wrong keyword", `{"$defs":{"T":{"required":"id"}}}`, "my.json: /$defs/T/required: expected array, but got string"},
		{"a wrong type name", `{"definitions":{"T":{"properties":{"a":{"type":"strng"}}}}}`, "my.json: /definitions/T/properties/a/type: "},
		{"a dangling reference", `{"$defs":{"T":{"$ref":"#/$defs/U"}}}`, "#/$defs/U not found"},
		{"a foreign reference", `{"$defs":{"T":{"$ref":"https://example.com/x.json"}}}`, "only references inside the same document are supported"},
		{"a file reference", `{"$defs":{"T":{"$ref":"file:///etc/passwd"}}}`, "only references inside the same document are supported"},
		{"an unknown draft", `{"$schema":"https://example.com/d","$defs":{"T":{}}}`, "only references inside the same document are supported"},
		{"a circle", `{"$defs":{"T":{"$ref":"#/$defs/U"},"U":{"$ref":"#/$defs/T"}}}`, "infinite loop"},
		{"a bad pattern", `{"$defs":{"T":{"pattern":"("}}}`, "my.json: /$defs/T/pattern: "},
		{"an outsized number", `{"$defs":{"T":{"properties":{"a":{"maximum":1e10000000}}}}}`, "my.json: /$defs/T/properties/a/maximum: is a number too large"},
		{"too large", `{"$defs":{"T":{}}}` + strings.Repeat(" ", MaxSize), "a schema may have at most"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Compile("my.json", []byte(c.text))
			if err == nil || s != nil {
				t.Fatal("no error")
			}
			if text := err.Error(); !strings.HasPrefix(text, "my.json:") || !strings.Contains(text, c.want) || strings.Contains(text, "shapes.invalid") {
				t.Errorf("got  %s\nwant %s", text, c.want)
			}
		})
	}
}

func FuzzCompile(f *testing.F) {
	f.Add([]byte(operatorSchema), []byte(`{"kind":"text","parts":[1e10000000]}`))
	f.Add([]byte(`{"$defs":{"T":{"$ref":"#"}}}`), []byte(`[]`))
	f.Fuzz(func(t *testing.T, document, instance []byte) {
		s, err := Compile("f", document)
		if err != nil {
			return
		}
		value := any("x")
		if len(instance) > 0 && instance[0] == '{' {
			value = map[string]any{string(instance): value}
		}
		for _, d := range s.Definitions() {
			_, _ = s.Validate(d, value)
			s.Walk(d, value, func(string, string, any) {})
		}
	})
}
