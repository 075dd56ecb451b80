package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// A schema of the operator's judges the bundled server clean, and names the
// right definition for whatever is broken in what the server said.
func TestGivenSchema(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/schemas/*.json")
	if err != nil || len(files) < 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := bundled(t, reference.Options{Dialect: "a2a-0.1"})
			target := conform.Target{URL: s.URL(), Behaviour: conform.Behaviour{DefaultStimuli: true}, Judging: conform.Judging{Schema: &operator.Schema{File: file, Text: string(text)}}}
			o, err := conform.Run(t.Context(), target)
			if err != nil {
				t.Fatal(err)
			}
			definitions := 0
			for _, r := range o.Report.Results {
				if r.Verdict == report.Fail || r.Verdict == report.SuiteError {
					t.Errorf("%s: %s", r.ID, r.Reason)
				}
				if strings.HasPrefix(r.ID, "SCHEMA-") {
					definitions++
				}
				if strings.HasPrefix(r.ID, "A2A01-SCHEMA") || r.ID == "A2A01-CARD-002" {
					t.Errorf("%s did not give way to the given schema", r.ID)
				}
			}
			if definitions < 15 {
				t.Errorf("only %d definitions were judged", definitions)
			}
			givenMutants(t, o, file, text)
		})
	}
}

// givenMutants breaks what the server said in twenty ways.
func givenMutants(t *testing.T, o *conform.Outcome, file string, text []byte) {
	d, err := schema.Load(o.Dialect.Name)
	if err != nil {
		t.Fatal(err)
	}
	given, err := d.Given(file, text)
	if err != nil {
		t.Fatal(err)
	}
	cache := judge.NewCache()
	for _, m := range []struct{ step, path, value, want string }{
		{"card/well-known", "/name", `7`, "AgentCard"},
		{"card/well-known", "/url", ``, "AgentCard"},
		{"card/well-known", "/skills", `{}`, "AgentCard"},
		{"card/well-known", "/capabilities/streaming", `"yes"`, "AgentCapabilities"},
		{"card/well-known", "/skills/0/id", `3`, "AgentSkill"},
		{"card/well-known", "/skills/0/name", ``, "AgentSkill"},
		{"card/well-known", "/provider/organization", ``, "AgentProvider"},
		{"card/well-known", "/authentication/schemes", `"Bearer"`, "AgentAuthentication"},
		{"quick/send", "/jsonrpc", `"1.0"`, "JSONRPCResponse"},
		{"quick/send", "/id", `{}`, "JSONRPCResponse"},
		{"quick/send", "/result/id", ``, "Task"},
		{"quick/send", "/result/status", `"done"`, "Task"},
		{"quick/send", "/result/status/state", ``, "TaskStatus"},
		{"quick/send", "/result/status/message/role", `"assistant"`, "Message"},
		{"quick/send", "/result/status/message/parts", `[]`, "Message"},
		{"quick/send", "/result/status/message/parts/0/text", `7`, "TextPart"},
		{"quick/send", "/result/artifacts/0/index", `-1`, "Artifact"},
		{"quick/send", "/result/artifacts/0/parts", ``, "Artifact"},
		{"quick/send", "/result/artifacts/1/parts/0/file/bytes", `[1]`, "FileContent"},
		{"quick/send", "/result/artifacts/1/parts/2/data", `"{}"`, "DataPart"},
		{"unknown/get", "/error/code", `"X"`, "JSONRPCError"},
		{"unknown/get", "/error/message", ``, "JSONRPCError"},
	} {
		scenario, step, _ := strings.Cut(m.step, "/")
		x := o.Transcript.Play(scenario).Step(step).Exchange
		broken, ok := edited(x.Response.Body, m.path, m.value)
		if !ok {
			t.Errorf("%s has no %s", m.step, m.path)
			continue
		}
		y := x.Splice(0, len(x.Response.Body), broken)
		c := verdict.NewDecider(given, o.Transcript.Clone(x, y), suites.Checks(), cache)
		var failing []string
		for _, r := range given.Requirements {
			if r.Check == schema.GivenCheck && c.Result(r.ID).Verdict == report.Fail {
				failing = append(failing, strings.TrimPrefix(r.ID, "SCHEMA-"))
			}
		}
		if !slices.Equal(failing, []string{m.want}) {
			t.Errorf("%s %s = %q: %v fail, want %s", m.step, m.path, m.value, failing, m.want)
		}
	}
}

// edited sets or, for the empty text, removes the value at a pointer.
func edited(body []byte, pointer, value string) ([]byte, bool) {
	var root any
	if json.Unmarshal(body, &root) != nil {
		return nil, false
	}
	tokens := strings.Split(pointer[1:], "/")
	holder := root
	for _, tok := range tokens[:len(tokens)-1] {
		switch h := holder.(type) {
		case map[string]any:
			holder = h[tok]
		case []any:
			i := int(tok[0] - '0')
			if i >= len(h) {
				return nil, false
			}
			holder = h[i]
		}
	}
	h, ok := holder.(map[string]any)
	if !ok {
		return nil, false
	}
	last := tokens[len(tokens)-1]
	if value == "" {
		delete(h, last)
	} else {
		h[last] = json.RawMessage(value)
	}
	out, err := json.Marshal(root)
	return out, err == nil
}

// A file that has nothing to do with the dialect is a mistake, not a clean run.
func TestGivenSchemaOfSomethingElse(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":        "{",
		"no definitions": `{"type":"object"}`,
		"other types":    `{"$defs":{"Invoice":{"type":"object"}}}`,
	} {
		d, err := schema.Load("a2a-0.1")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Given("own.json", []byte(text)); err == nil || !strings.Contains(err.Error(), "own.json") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
