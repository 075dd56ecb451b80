package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"go.yaml.in/yaml/v3"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/internal/config"
	"github.com/a2a-conform/a2a-conform/internal/fleet"
)

func compiledSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	code, out, errs := command(t, "schema", name)
	if code != 0 {
		t.Fatal(errs)
	}
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	if err := c.AddResource(name, strings.NewReader(out)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON is a YAML text as an editor hands it to a validator. Dates are texts.
func asJSON(t *testing.T, text string) (v any) {
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

// The schema for editors and the decoder of the configuration know the same
// keys and the same words.
func TestConfigSchemaKnowsWhatTheDecoderKnows(t *testing.T) {
	s := compiledSchema(t, "config")
	var same func(at string, s *jsonschema.Schema, typ reflect.Type)
	same = func(at string, s *jsonschema.Schema, typ reflect.Type) {
		for s.Ref != nil {
			s = s.Ref
		}
		var keys []string
		for _, f := range reflect.VisibleFields(typ) {
			key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			keys = append(keys, key)
			if sub := s.Properties[key]; sub != nil && f.Type.Kind() == reflect.Struct {
				same(at+"."+key, sub, f.Type)
			}
		}
		slices.Sort(keys)
		if known := slices.Sorted(maps.Keys(s.Properties)); !slices.Equal(keys, known) {
			t.Errorf("%s: the decoder knows %v, the schema %v", at, keys, known)
		}
	}
	same("", s, reflect.TypeFor[config.Keys]())
	stimulus, ok := s.Properties["stimuli"].AdditionalProperties.(*jsonschema.Schema)
	if !ok {
		t.Fatal("stimuli are not described")
	}
	same("stimuli.*", stimulus, reflect.TypeFor[conform.Stimulus]())
	var words []string
	never := s.Properties["declares"].Properties["never"].Items2020
	if len(never.AnyOf) == 2 { // or quick, which is no behaviour
		never = never.AnyOf[1]
	}
	for never.Ref != nil {
		never = never.Ref
	}
	for _, w := range never.Enum {
		words = append(words, fmt.Sprint(w))
	}
	if !slices.Equal(words, config.Behaviours) {
		t.Errorf("the decoder knows the behaviours %v, the schema %v", config.Behaviours, words)
	}
}

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// The examples in the guides fit the schemas, and the decoders take them.
func TestExamplesFitTheSchemas(t *testing.T) {
	t.Setenv("A2A_TOKEN", "long-enough-to-hide")
	t.Setenv("A2A_USER", "someone:long-enough")
	t.Setenv("A2A_TOKEN_2", "long-enough-to-hide-2")
	t.Setenv("A2A_TOKEN_LOW", "long-enough-to-hide-3")
	seen := map[string]int{}
	for _, file := range []string{"../../README.md", "../../docs/configuration.md", "../../docs/ci.md", "../../docs/waivers.md", "../../docs/fleet.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range yamlBlock.FindAllStringSubmatch(string(text), -1) {
			kind := ""
			switch {
			case strings.Contains(block[1], "waivers:\n"):
				kind = "waivers"
			case strings.HasPrefix(block[1], "target:"):
				kind = "config"
			case strings.HasPrefix(block[1], "agents:"):
				kind = "agents"
			case strings.HasPrefix(block[1], "secrets:"):
				kind = "secrets"
			default:
				continue
			}
			seen[kind]++
			if err := compiledSchema(t, kind).Validate(asJSON(t, block[1])); err != nil {
				t.Errorf("%s, block %d: %v", file, i+1, err)
			}
			path := filepath.Join(t.TempDir(), "example.yaml")
			example := strings.ReplaceAll(block[1], "file:/run/secrets/key", "${A2A_TOKEN}")
			if file == "../../docs/configuration.md" && kind == "config" { // it shows all keys, some of which exclude each other
				example = regexp.MustCompile(`(?m)^  never: \[.*\]`).ReplaceAllString(example, "  never: [artifacts]")
			}
			if err := os.WriteFile(path, []byte(example), 0o600); err != nil {
				t.Fatal(err)
			}
			switch kind {
			case "waivers":
				_, err = conform.ReadWaivers(path)
			case "agents":
				_, _, err = fleet.ReadList(path)
			case "secrets":
				t.Setenv("ACME_TOKEN", "long-enough-to-hide")
				_, err = fleet.ReadSecrets(path)
			default:
				_, err = config.Read(path, &conform.Target{})
			}
			if err != nil {
				t.Errorf("%s, block %d: %v", file, i+1, err)
			}
		}
	}
	if seen["waivers"] == 0 || seen["config"] < 2 || seen["agents"] == 0 || seen["secrets"] == 0 {
		t.Errorf("only %v examples were found", seen)
	}
}

// What the decoder of a fleet's list refuses, an editor underlines, and the other way round.
func TestAgentsSchema(t *testing.T) {
	s := compiledSchema(t, "agents")
	for text, ok := range map[string]bool{
		"agents: [{target: http://a}]": true, "agents: [{target: http://a, stimuli: plain, allow: [heavy], name: b}]": true,
		"agents: [{target: http://a, auth: {bearer: 'secret:b', second: {basic: 'secret:c'}}}]":          true,
		"agents: [{target: http://a, stimuli: {slow: {text: b, seconds: 1}}, declares: {never: [ask]}}]": true,
		"agents: []": false, "agents: [{name: a}]": false, "agents: [{target: http://a, webhook: {listen: '127.0.0.1:0'}, to: b}]": false,
		"agents: [{target: http://a, auth: {bearer: abcdefghijkl}}]": false, "agents: [{target: http://a, stimuli: plane}]": false, "targets: []": false,
	} {
		if err := s.Validate(asJSON(t, text)); (err == nil) != ok {
			t.Errorf("the schema: %s: %v", text, err)
		}
		file := filepath.Join(t.TempDir(), "agents.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := fleet.ReadList(file); (err == nil) != ok {
			t.Errorf("the decoder: %s: %v", text, err)
		}
	}
}

// What the decoder of waivers refuses, an editor underlines.
func TestWaiverSchemaRefuses(t *testing.T) {
	s := compiledSchema(t, "waivers")
	for _, text := range []string{"[]", "waivers: {}", "waivers: [A2A01-STR-012]", "waivers: [{id: A2A01-STR-012, why: x}]", "waivers: [{id: A2A01-STR-012, until: 2026-12-31}]",
		"waivers: [{id: A2A01-STR-012, why: '', until: 2026-12-31}]", "waivers: [{id: A2A01-STR-012, why: x, until: soon}]", "waivers: [{id: A2A01-STR-012, why: x, until: 2026-12-31, reason: y}]"} {
		if s.Validate(asJSON(t, text)) == nil {
			t.Errorf("it accepts %s", text)
		}
	}
	// Of a place both say the same.
	for at, ok := range map[string]bool{"/error/code": true, "/": true, "quick": true, "quick/send": true, "quick/send /error/code": true, "quick /a b": true,
		"exchange 14": false, "exchange 14, /error": false, "Quick": false, "a sentence": false} {
		text := "waivers: [{id: A2A01-STR-012, why: x, until: 2026-12-31, where: code, at: \"" + at + "\"}]"
		if err := s.Validate(asJSON(t, text)); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
		if _, err := conform.ParseWaivers("w.yaml", []byte(text)); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestVersion(t *testing.T) {
	code, out, _ := command(t, "version")
	if code != 0 || !strings.HasPrefix(out, "a2a-conform "+conform.Version()+"\n") || !strings.Contains(out, "catalogue a2a-0.1 sha256:") {
		t.Errorf("exit %d\n%s", code, out)
	}
	version = "9.9.9"
	defer func() { version = "" }()
	if code, out, _ := command(t, "--version"); code != 0 || !strings.Contains(out, "9.9.9") {
		t.Errorf("exit %d\n%s", code, out)
	}
}
