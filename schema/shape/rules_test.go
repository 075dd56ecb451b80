package shape

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var shippedExamples = map[string]map[string][]string{"a2a-0.1": a2aExamples, "jaf-0.3": jafExamples}

func shipped(t testing.TB, dialect string) *Shapes {
	t.Helper()
	text, err := os.ReadFile("../" + dialect + "/a2a.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled(t, string(text))
}

func compiled(t testing.TB, text string) *Shapes {
	t.Helper()
	s, err := Compile("a2a.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func decoded(t testing.TB, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func validate(t testing.TB, s *Shapes, definition string, instance any) []Violation {
	t.Helper()
	found, err := s.Validate(definition, instance)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestShippedExamplesAreValid(t *testing.T) {
	for dialect, examples := range shippedExamples {
		s := shipped(t, dialect)
		for _, name := range s.Definitions() {
			if len(examples[name]) == 0 {
				t.Errorf("%s: no example of %s", dialect, name)
			}
			for i, text := range examples[name] {
				if found := validate(t, s, name, decoded(t, text)); len(found) > 0 {
					t.Errorf("%s: %s example %d: %v", dialect, name, i, found)
				}
			}
		}
		for name := range examples {
			if !s.Has(name) {
				t.Errorf("%s: an example of %s, which is not defined", dialect, name)
			}
		}
	}
}

// Every rule can be broken, and the breach is reported as that rule and nothing
// else.
func TestEveryShippedRuleBites(t *testing.T) {
	for dialect, examples := range shippedExamples {
		s := shipped(t, dialect)
		for _, r := range s.Rules() {
			t.Run(fmt.Sprintf("%s/%s%s %s", dialect, r.Definition, r.At, r.Keyword), func(t *testing.T) {
				var tried []string
				for _, text := range examples[r.Definition] {
					broken, ok := breakRule(decoded(t, text), r)
					if !ok {
						continue
					}
					found := validate(t, s, r.Definition, broken)
					if len(found) == 1 && found[0].Definition == r.Definition && found[0].At == r.At && found[0].Keyword == r.Keyword {
						return
					}
					tried = append(tried, fmt.Sprint(found))
				}
				t.Errorf("not broken alone; got %q", tried)
			})
		}
	}
}

// breakRule breaks one rule on a valid instance, false if it has no such place.
func breakRule(instance any, r Rule) (any, bool) {
	if r.Keyword == "not" {
		return breakNot(instance, r)
	}
	if r.At == "" {
		return breakValue(instance, r)
	}
	tokens := strings.Split(r.At[1:], "/")
	last := tokens[len(tokens)-1]
	parent := instance
	for _, token := range tokens[:len(tokens)-1] {
		if token == "*" {
			token = "0"
		}
		parent = valueAt(parent, []string{token})
	}
	switch p := parent.(type) {
	case map[string]any:
		old, there := p[last]
		if !there {
			return nil, false
		}
		if r.Keyword == "required" {
			delete(p, last)
			return instance, true
		}
		broken, ok := breakValue(old, r)
		p[last] = broken
		return instance, ok
	case []any:
		if len(p) == 0 {
			return nil, false
		}
		broken, ok := breakValue(p[0], r)
		p[0] = broken
		return instance, ok
	}
	return nil, false
}

func breakValue(old any, r Rule) (any, bool) {
	switch r.Keyword {
	case "type":
		for _, wrong := range []any{json.Number("7"), json.Number("7.5"), "x", true, map[string]any{}, []any{}, nil} {
			if !admitsType(r.Types, wrong) || wrong == json.Number("7.5") && !slices.Contains(r.Types, "number") && slices.Contains(r.Types, "integer") {
				return wrong, true
			}
		}
	case "enum", "const":
		if b, ok := r.Values[0].(bool); ok {
			return !b, true
		}
		return "no such value", true
	case "pattern":
		return "\x00", true
	case "minLength":
		return "", true
	case "minItems":
		return []any{}, true
	case "minimum":
		return json.Number("-1"), true
	}
	return nil, false
}

func breakNot(instance any, r Rule) (any, bool) {
	object := instance.(map[string]any)
	switch r.Definition {
	case "FileContent":
		object["bytes"], object["uri"] = "", ""
	case "JSONRPCResponse":
		object["result"] = nil
		object["error"] = map[string]any{"code": json.Number("1"), "message": "m"}
	case "SendTaskStreamingResponse", "StreamResponse":
		object["error"] = map[string]any{"code": json.Number("1"), "message": "m"}
	case "StreamEvent":
		object["status"] = map[string]any{"state": "working"}
		object["artifact"] = map[string]any{"parts": []any{map[string]any{"type": "data", "data": []any{}}}}
	case "DataPart":
		delete(object, "data")
	default:
		return nil, false
	}
	return object, true
}

func TestRules(t *testing.T) {
	s := shipped(t, "a2a-0.1")
	find := func(definition, at, keyword string) *Rule {
		for _, r := range s.Rules() {
			if r.Definition == definition && r.At == at && r.Keyword == keyword {
				return &r
			}
		}
		return nil
	}
	for _, want := range []struct {
		definition, at, keyword string
		types                   []string
		values                  []any
		limit                   string
		shadowed                bool
	}{
		{definition: "AgentCard", at: "/capabilities", keyword: "type", types: []string{"object"}},
		{definition: "AgentCard", at: "/provider", keyword: "type", types: []string{"object", "null"}},
		{definition: "AgentCard", at: "/skills/*", keyword: "type", types: []string{"object"}},
		{definition: "AgentCard", at: "", keyword: "type", types: []string{"object"}},
		{definition: "AgentSkill", at: "", keyword: "type", types: []string{"object"}, shadowed: true},
		{definition: "AgentSkill", at: "/tags/*", keyword: "type", types: []string{"string"}},
		{definition: "AgentCard", at: "/name", keyword: "minLength", limit: "1"},
		{definition: "Artifact", at: "/index", keyword: "minimum", limit: "0"},
		{definition: "Message", at: "/role", keyword: "enum", values: []any{"user", "agent"}},
		{definition: "Part", at: "/type", keyword: "enum", values: []any{"text", "file", "data"}},
		{definition: "Part", at: "/type", keyword: "required"},
		{definition: "TextPart", at: "/type", keyword: "const", values: []any{"text"}, shadowed: true},
		{definition: "TextPart", at: "/type", keyword: "required", shadowed: true},
		{definition: "TextPart", at: "/text", keyword: "required"},
		{definition: "TaskArtifactUpdateEvent", at: "/artifact", keyword: "required", shadowed: true},
		{definition: "TaskArtifactUpdateEvent", at: "/artifact", keyword: "type", types: []string{"object"}},
		{definition: "StreamEvent", at: "/status", keyword: "required"},
		{definition: "JSONRPCResponse", at: "/result", keyword: "required"},
	} {
		got := find(want.definition, want.at, want.keyword)
		if got == nil {
			t.Errorf("no rule %s %s %s", want.definition, want.at, want.keyword)
			continue
		}
		if !slices.Equal(got.Types, want.types) || fmt.Sprint(got.Values) != fmt.Sprint(want.values) ||
			got.Limit != want.limit || got.Shadowed != want.shadowed {
			t.Errorf("got %+v, want %+v", *got, want)
		}
	}
	if r := find("TaskStatus", "/state", "enum"); r == nil || len(r.Values) != 7 {
		t.Errorf("the rule of a state is that of the status: %+v", r)
	}
	if r := find("TaskState", "", "enum"); r == nil || !r.Shadowed {
		t.Errorf("TaskState enum: %+v", r)
	}
	if !slices.IsSortedFunc(s.Rules(), func(a, b Rule) int {
		return strings.Compare(a.Definition+"\x00"+a.At+"\x00"+a.Keyword, b.Definition+"\x00"+b.At+"\x00"+b.Keyword)
	}) {
		t.Error("the rules are not sorted")
	}
}
