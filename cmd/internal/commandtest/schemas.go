package commandtest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"go.yaml.in/yaml/v3"

	"github.com/a2a-conform/a2a-conform/cmd/internal/fileschema"
)

// CompileSchema compiles the text of a JSON Schema.
func CompileSchema(t *testing.T, name, text string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	if err := c.AddResource(name, strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// AsJSON returns a YAML text as an editor hands it to a validator. Dates are texts.
func AsJSON(t *testing.T, text string) (v any) {
	t.Helper()
	var doc any
	if err := yaml.Unmarshal([]byte(regexp.MustCompile(`\d{4}-\d\d-\d\d`).ReplaceAllString(text, "'$0'")), &doc); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(bytes.NewReader(b)).Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// kindOfExample returns the schema that an example in YAML has, "" if it has none.
func kindOfExample(text string) string {
	switch {
	case strings.Contains(text, "waivers:\n"):
		return "waivers"
	case strings.HasPrefix(text, "target:"):
		return "config"
	case strings.HasPrefix(text, "agents:"):
		return "agents"
	case strings.HasPrefix(text, "secrets:"):
		return "secrets"
	case strings.HasPrefix(text, "clients:"):
		return "clients"
	case strings.HasPrefix(text, "servers:"):
		return "servers"
	}
	return ""
}

// CheckExamples checks that the examples of these kinds in guides fit their schemas, and that the
// decoders take them. It counts them.
func CheckExamples(t *testing.T, decoders map[string]func(path string) error, guides ...string) (seen map[string]int) {
	t.Helper()
	seen = map[string]int{}
	for _, file := range guides {
		text, err := os.ReadFile(filepath.Join("../..", file))
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range yamlBlock.FindAllStringSubmatch(string(text), -1) {
			kind := kindOfExample(block[1])
			decode := decoders[kind]
			if decode == nil {
				continue
			}
			seen[kind]++
			if err := CompileSchema(t, kind, string(fileschema.All()[kind])).Validate(AsJSON(t, block[1])); err != nil {
				t.Errorf("%s, block %d: %v", file, i+1, err)
			}
			path := filepath.Join(t.TempDir(), "example.yaml")
			example := strings.ReplaceAll(block[1], "file:/run/secrets/key", "${A2A_TOKEN}")
			if file == "docs/configuration.md" && kind == "config" { // it shows all keys, some of which exclude each other
				example = regexp.MustCompile(`(?m)^  never: \[.*\]`).ReplaceAllString(example, "  never: [artifacts]")
			}
			if err := os.WriteFile(path, []byte(example), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := decode(path); err != nil {
				t.Errorf("%s, block %d: %v", file, i+1, err)
			}
		}
	}
	return seen
}
