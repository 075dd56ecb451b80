package main

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform/internal/cross"
	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/cmd/internal/config"
)

func compiledSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	code, out, errs := command(t, "schema", name)
	if code != 0 {
		t.Fatal(errs)
	}
	return commandtest.CompileSchema(t, name, out)
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
			if f.Anonymous || key == "-" { // its members follow; or it is no key of the file
				continue
			}
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

// The examples in the guides fit the schemas, and the decoders take them.
func TestExamplesFitTheSchemas(t *testing.T) {
	t.Setenv("A2A_TOKEN", "long-enough-to-hide")
	t.Setenv("A2A_USER", "someone:long-enough")
	t.Setenv("A2A_TOKEN_2", "long-enough-to-hide-2")
	t.Setenv("A2A_TOKEN_LOW", "long-enough-to-hide-3")
	seen := commandtest.CheckExamples(t, map[string]func(string) error{
		"waivers": func(path string) error { _, err := conform.ReadWaivers(path); return err },
		"config":  func(path string) error { _, err := config.Read(path, &conform.Target{}); return err },
		"clients": func(path string) error { _, err := cross.ReadClients(withoutReports(t, path)); return err },
		"servers": func(path string) error { _, err := cross.ReadServers(withoutReports(t, path)); return err },
	}, "README.md", "docs/configuration.md", "docs/ci.md", "docs/waivers.md", "docs/cross.md")
	if seen["waivers"] == 0 || seen["config"] == 0 || seen["clients"] == 0 || seen["servers"] == 0 {
		t.Errorf("only %v examples were found", seen)
	}
}

// withoutReports leaves out of an example the files of reports, which are not there.
func withoutReports(t *testing.T, path string) string {
	t.Helper()
	list, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, regexp.MustCompile(`(?m)^ +report: .*\n`).ReplaceAll(list, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What the lists of cross have, an editor knows.
func TestListSchemasKnowWhatTheDecodersKnow(t *testing.T) {
	for name, entry := range map[string]reflect.Type{"clients": reflect.TypeFor[cross.ClientEntry](), "servers": reflect.TypeFor[cross.ServerEntry]()} {
		var keys []string
		for _, f := range reflect.VisibleFields(entry) {
			if key, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); key != "" {
				keys = append(keys, key)
			}
		}
		slices.Sort(keys)
		if known := slices.Sorted(maps.Keys(compiledSchema(t, name).Properties[name].Items2020.Properties)); !slices.Equal(keys, known) {
			t.Errorf("%s: the decoder knows %v, the schema %v", name, keys, known)
		}
	}
}

// What the decoder of waivers refuses, an editor underlines.
func TestWaiverSchemaRefuses(t *testing.T) {
	s := compiledSchema(t, "waivers")
	for _, text := range []string{"[]", "waivers: {}", "waivers: [A2A01-STR-012]", "waivers: [{id: A2A01-STR-012, why: x}]", "waivers: [{id: A2A01-STR-012, until: 2026-12-31}]",
		"waivers: [{id: A2A01-STR-012, why: '', until: 2026-12-31}]", "waivers: [{id: A2A01-STR-012, why: x, until: soon}]", "waivers: [{id: A2A01-STR-012, why: x, until: 2026-12-31, reason: y}]"} {
		if s.Validate(commandtest.AsJSON(t, text)) == nil {
			t.Errorf("it accepts %s", text)
		}
	}
	// Of a place both say the same.
	for at, ok := range map[string]bool{"/error/code": true, "/": true, "quick": true, "quick/send": true, "quick/send /error/code": true, "quick /a b": true,
		"exchange 14": false, "exchange 14, /error": false, "Quick": false, "a sentence": false} {
		text := "waivers: [{id: A2A01-STR-012, why: x, until: 2026-12-31, where: code, at: \"" + at + "\"}]"
		if err := s.Validate(commandtest.AsJSON(t, text)); (err == nil) != ok {
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
