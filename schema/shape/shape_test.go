package shape

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// brief writes violations as a test states them.
func brief(found []Violation) []string {
	out := []string{}
	for _, v := range found {
		out = append(out, fmt.Sprintf("%s %s %s @%s", v.Definition, v.At, v.Keyword, v.Instance))
	}
	return out
}

func TestAttribution(t *testing.T) {
	a2a, jaf := shipped(t, "a2a-0.1"), shipped(t, "jaf-0.3")
	status := `"status":{"state":"working"}`
	for _, c := range []struct {
		name, definition, instance string
		jaf                        bool
		want                       []string
	}{
		{name: "the whole", definition: "Task", instance: `5`, want: []string{"Task  type @"}},
		{name: "members share one report", definition: "Task", instance: `{"other":1}`,
			want: []string{"Task /id required @/id", "Task /status required @/status"}},
		{name: "a member that refers", definition: "AgentCard",
			instance: `{"name":"n","url":"u","version":"1","capabilities":3,"skills":[]}`,
			want:     []string{"AgentCard /capabilities type @/capabilities"}},
		{name: "a null member that refers", definition: "Task", instance: `{"id":"t","status":null}`,
			want: []string{"Task /status type @/status"}},
		{name: "a nullable member that refers", definition: "TaskStatus", instance: `{"state":"working","message":[]}`,
			want: []string{"TaskStatus /message type @/message"}},
		{name: "inside a nullable member", definition: "Task", instance: `{"id":"t","status":{"state":"working","message":{"role":"agent"}}}`,
			want: []string{"Message /parts required @/status/message/parts"}},
		{name: "a plain definition", definition: "Task", instance: `{"id":"t","status":{"state":"done"}}`,
			want: []string{"TaskStatus /state enum @/status/state"}},
		{name: "a plain definition by itself", definition: "TaskState", instance: `"done"`, want: []string{"TaskState  enum @"}},
		{name: "an item of the wrong type", definition: "AgentSkill", instance: `{"id":"i","name":"n","tags":["a",3]}`,
			want: []string{"AgentSkill /tags/* type @/tags/1"}},
		{name: "an item that refers", definition: "Message", instance: `{"role":"user","parts":[{"type":"text","text":"x"},"y"]}`,
			want: []string{"Message /parts/* type @/parts/1"}},
		{name: "a part without type", definition: "Message", instance: `{"role":"user","parts":[{"text":"x"}]}`,
			want: []string{"Part /type required @/parts/0/type"}},
		{name: "a part of unknown type", definition: "Message", instance: `{"role":"user","parts":[{"type":"video","text":5}]}`,
			want: []string{"Part /type enum @/parts/0/type"}},
		{name: "a part whose type is a number", definition: "Part", instance: `{"type":5}`, want: []string{"Part /type enum @/type"}},
		{name: "a text part without text", definition: "Part", instance: `{"type":"text"}`, want: []string{"TextPart /text required @/text"}},
		{name: "a file that is text", definition: "Part", instance: `{"type":"file","file":"a.png"}`, want: []string{"FilePart /file type @/file"}},
		{name: "metadata of a part", definition: "Part", instance: `{"type":"data","data":[],"metadata":1}`, want: []string{"Part /metadata type @/metadata"}},
		{name: "bytes and uri", definition: "Part", instance: `{"type":"file","file":{"bytes":"","uri":"u"}}`, want: []string{"FileContent  not @/file"}},
		{name: "result and error", definition: "JSONRPCResponse", instance: `{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"m"}}`,
			want: []string{"JSONRPCResponse  not @"}},
		{name: "neither result nor error", definition: "JSONRPCResponse", instance: `{"jsonrpc":"2.0","id":1}`,
			want: []string{"JSONRPCResponse /result required @/result"}},
		{name: "a null error", definition: "JSONRPCResponse", instance: `{"jsonrpc":"2.0","id":1,"error":null}`,
			want: []string{"JSONRPCResponse /error type @/error"}},
		{name: "a stream event with neither", definition: "SendTaskStreamingResponse", instance: `{"jsonrpc":"2.0","id":1,"error":null}`,
			want: []string{"SendTaskStreamingResponse /result required @/result"}},
		{name: "an event of no kind", definition: "StreamEvent", instance: `{"id":"t"}`, want: []string{"StreamEvent /status required @/status"}},
		{name: "an event of two kinds", definition: "StreamEvent", instance: `{"id":"t",` + status + `,"artifact":{"parts":[{"type":"data","data":{}}]}}`,
			want: []string{"StreamEvent  not @"}},
		{name: "an event with a null artifact", definition: "StreamEvent", instance: `{"id":"t",` + status + `,"artifact":null}`,
			want: []string{"TaskArtifactUpdateEvent /artifact type @/artifact"}},
		{name: "an event with a result that is text", definition: "SendTaskStreamingResponse", instance: `{"jsonrpc":"2.0","id":1,"result":"x"}`,
			want: []string{"SendTaskStreamingResponse /result type @/result"}},
		{name: "a mode that is none", definition: "AgentSkill", instance: `{"id":"i","name":"n","inputModes":["text","text/*","a/b;c=d"]}`,
			want: []string{"AgentSkill /inputModes/* pattern @/inputModes/0"}},
		{name: "several faults, sorted", definition: "Artifact", instance: `{"parts":[],"index":-1,"append":"no","name":4}`,
			want: []string{"Artifact /append type @/append", "Artifact /index minimum @/index", "Artifact /name type @/name", "Artifact /parts minItems @/parts"}},
		{name: "a fraction as index", definition: "Artifact", instance: `{"parts":[{"type":"data","data":{}}],"index":1.5}`,
			want: []string{"Artifact /index type @/index"}},

		{jaf: true, name: "an event of unknown kind", definition: "StreamEvent", instance: `{"kind":"x","taskId":"t","final":true}`,
			want: []string{"StreamEvent /kind enum @/kind"}},
		{jaf: true, name: "an event without final", definition: "StreamEvent", instance: `{"kind":"status-update","taskId":"","status":{"state":"working","timestamp":"x"}}`,
			want: []string{"StreamEvent /final required @/final", "StreamEvent /taskId minLength @/taskId"}},
		{jaf: true, name: "a partial that claims to be final", definition: "StreamEvent", instance: `{"kind":"partial-completion","taskId":"t","message":` + jafMessage + `,"final":true}`,
			want: []string{"PartialCompletion /final const @/final"}},
		{jaf: true, name: "final as text", definition: "StreamEvent", instance: `{"kind":"completion","taskId":"t","message":` + jafMessage + `,"final":"true"}`,
			want: []string{"StreamEvent /final type @/final"}},
		{jaf: true, name: "a data part without payload", definition: "Part", instance: `{"kind":"data","metadata":{}}`, want: []string{"DataPart  not @"}},
		{jaf: true, name: "a part of unknown kind", definition: "Part", instance: `{"kind":"x"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := a2a
			if c.jaf {
				s = jaf
			}
			// The validator reports in random order.
			for range 5 {
				if got := brief(validate(t, s, c.definition, decoded(t, c.instance))); !slices.Equal(got, c.want) {
					t.Fatalf("got  %q\nwant %q", got, c.want)
				}
			}
		})
	}
}

func TestMessages(t *testing.T) {
	s := shipped(t, "a2a-0.1")
	long := strings.Repeat("я", 1<<16)
	for _, c := range []struct{ definition, instance, want string }{
		{"Task", `{"id":7,"status":{"state":"working"}}`, "is a number; expected a string"},
		{"TaskStatus", `{"state":"working","message":"x"}`, "is a string; expected an object or null"},
		{"TaskIdParams", `{}`, "is missing"},
		{"Message", `{"role":"bot","parts":[{"type":"data","data":[]}]}`, `is "bot", not one of "user", "agent"`},
		{"TaskState", `"` + long + `"`, `is "` + long[:80] + `…", not one of "submitted", "working", "input-required", "completed", "canceled", "failed", "unknown"`},
		{"JSONRPCRequest", `{"jsonrpc":2.0,"method":"m"}`, `is 2.0; expected "2.0"`},
		{"Message", `{"role":"user","parts":[]}`, "has 0 items; expected at least 1"},
		{"AgentSkill", `{"id":"","name":"n"}`, "is 0 characters long; expected at least 1"},
		{"Artifact", `{"parts":[{"type":"data","data":[]}],"index":-2}`, "is -2; expected at least 0"},
		{"FileContent", `{"bytes":"","uri":""}`, "has both bytes and uri; expected only one of them"},
	} {
		found := validate(t, s, c.definition, decoded(t, c.instance))
		if len(found) != 1 || found[0].Message != c.want {
			t.Errorf("%s: got %+v, want %q", c.definition, found, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	s := compiled(t, `{"$defs":{"A b":{"properties":{"x/y~z %":{"$ref":"#/$defs/C"}}},"C":{"type":"object","required":["a/b"]}}}`)
	if got := s.Definitions(); !slices.Equal(got, []string{"A b", "C"}) || !s.Has("A b") || s.Has("B") {
		t.Errorf("definitions %q", got)
	}
	got := brief(validate(t, s, "A b", decoded(t, `{"x/y~z %":{}}`)))
	if want := []string{"C /a~1b required @/x~1y~0z %/a~1b"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	got = brief(validate(t, s, "A b", decoded(t, `{"x/y~z %":1}`)))
	if want := []string{"A b /x~1y~0z % type @/x~1y~0z %"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := s.Validate("Tusk", nil); err == nil || !strings.Contains(err.Error(), `no definition "Tusk"; choose one of A b, C`) {
		t.Errorf("error %v", err)
	}
}

func TestKeywordsOfOtherSchemas(t *testing.T) {
	s := compiled(t, `{"$defs":{"T":{
		"type":"object","additionalProperties":false,"minProperties":1,"maxProperties":9,
		"dependentRequired":{"a":["b","c"]},
		"properties":{
			"a":{},"b":{},"c":{},
			"never":false,
			"list":{"prefixItems":[{"type":"string"}],"items":false},
			"set":{"uniqueItems":true,"maxItems":3,"contains":{"const":1}},
			"map":{"additionalProperties":{"type":"string"},"propertyNames":{"pattern":"^[a-z]+$"}},
			"num":{"exclusiveMinimum":0,"exclusiveMaximum":10,"multipleOf":0.5,"maximum":8},
			"text":{"maxLength":2},
			"all":{"allOf":[{"type":"string"},{"minLength":2}]},
			"loose":{"properties":{"x":{}},"unevaluatedProperties":false}
		}}}}`)
	for instance, want := range map[string][]string{
		`{}`:                          {"T  minProperties @"},
		`{"zz":1}`:                    {"T  additionalProperties @"},
		`{"a":1,"b":1}`:               {"T /c dependentRequired @/c"},
		`{"never":1}`:                 {"T /never false @/never"},
		`{"list":[1]}`:                {"T /list/* type @/list/0"},
		`{"list":["x",2]}`:            {"T /list/* false @/list/1"},
		`{"set":[1,1]}`:               {"T /set uniqueItems @/set"},
		`{"set":[2]}`:                 {"T /set contains @/set"},
		`{"set":[1,2,3,4]}`:           {"T /set maxItems @/set"},
		`{"map":{"a":1}}`:             {"T /map/* type @/map/a"},
		`{"map":{"A":"x"}}`:           {"T /map propertyNames @/map/A"},
		`{"num":0}`:                   {"T /num exclusiveMinimum @/num"},
		`{"num":9}`:                   {"T /num maximum @/num"},
		`{"num":0.7}`:                 {"T /num multipleOf @/num"},
		`{"text":"abc"}`:              {"T /text maxLength @/text"},
		`{"all":5}`:                   {"T /all type @/all"},
		`{"all":"x"}`:                 {"T /all minLength @/all"},
		`{"loose":{"x":1,"other":1}}`: {"T /loose unevaluatedProperties @/loose/other"},
	} {
		found := validate(t, s, "T", decoded(t, instance))
		if got := brief(found); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", instance, got, want)
		}
		for _, v := range found {
			if v.Message == "" || strings.HasPrefix(v.Message, "breaks the rule") {
				t.Errorf("%s: no words of our own: %q", instance, v.Message)
			}
		}
	}
}

func TestNumbers(t *testing.T) {
	s := shipped(t, "a2a-0.1")
	digits := strings.Repeat("9", 50)
	for _, c := range []struct {
		number string
		want   []string // of Artifact.index
	}{
		{"1.0", nil},
		{"0", nil},
		{"1e10000000", nil},
		{"1e99999999999999999999999", nil},
		{"-1e10000000", []string{"minimum"}},
		{"1e-10000000", []string{"type"}},
		{"1E-99999999999999999999999", []string{"type"}},
		{"0e10000000", nil},
		{digits, nil},
		{"-" + digits, []string{"minimum"}},
		{"3." + strings.Repeat("0", 60), nil},
		{"3." + strings.Repeat("0", 60) + "1", []string{"type"}},
		{digits + ".5", []string{"type"}},
		{"0." + digits, []string{"type"}},
		{digits + "e-50", []string{"type"}},
		{"1" + strings.Repeat("0", 500) + "e-500", nil},
	} {
		instance := decoded(t, `{"parts":[{"type":"data","data":[`+c.number+`]}],"index":`+c.number+`}`)
		found := validate(t, s, "Artifact", instance)
		var got []string
		for _, v := range found {
			got = append(got, v.Keyword)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%.60s: got %q, want %q", c.number, got, c.want)
		}
		if data := instance.(map[string]any)["index"]; data != json.Number(c.number) {
			t.Errorf("the instance was changed: %v", data)
		}
	}
}

func TestFaultsOfOurs(t *testing.T) {
	s := shipped(t, "a2a-0.1")
	// Below the depth that is searched for outsized numbers the validator would
	// panic; a schema that goes as deep gets an error instead.
	deep := compiled(t, `{"$defs":{"L":{"type":["array","integer"],"items":{"$ref":"#/$defs/L"}}}}`)
	nested := any(json.Number("1e10000000"))
	for range maxNumberDepth + 5 {
		nested = []any{nested}
	}
	for _, c := range []struct {
		name, definition, want string
		shapes                 *Shapes
		instance               any
	}{
		{"not decoded JSON", "Task", "invalid jsonType", s, struct{}{}},
		{"not decoded JSON inside", "Part", "invalid jsonType", s, map[string]any{"type": "data", "data": make(chan int)}},
		{"a panic", "L", "the validator failed", deep, nested},
	} {
		if _, err := c.shapes.Validate(c.definition, c.instance); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "a2a.json") {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
	deep.Walk("L", nested, func(string, string, any) {}) // comes back
}

func TestManyFaultsAreBounded(t *testing.T) {
	s := shipped(t, "a2a-0.1")
	parts := make([]any, 5000)
	for i := range parts {
		parts[i] = "x"
	}
	found := validate(t, s, "Message", map[string]any{"role": "bot", "parts": parts})
	if len(found) != maxPerRule+1 {
		t.Errorf("%d violations, want %d", len(found), maxPerRule+1)
	}
	if last := found[len(found)-1]; last.At != "/role" {
		t.Errorf("the other rule is lost: %v", last)
	}
}

func TestShapesAreSafeForParallelUse(t *testing.T) {
	s := shipped(t, "a2a-0.1")
	instance := decoded(t, a2aExamples["Task"][0])
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if found, err := s.Validate("Task", instance); err != nil || len(found) > 0 {
					t.Error(found, err)
				}
				s.Walk("Task", instance, func(string, string, any) {})
			}
		})
	}
	wg.Wait()
}

func BenchmarkValidateTask(b *testing.B) {
	s := shipped(b, "a2a-0.1")
	for name, text := range map[string]string{
		"valid": a2aExamples["Task"][0],
		"plain": `{"id":"t","sessionId":"s","status":{"state":"completed","message":{"role":"agent","parts":[{"type":"text","text":"x"}]},"timestamp":"t"},"artifacts":[{"parts":[{"type":"text","text":"x"}],"index":0}]}`,
		"bad":   strings.ReplaceAll(a2aExamples["Task"][0], `"type":"text"`, `"type":"txt"`),
	} {
		instance := decoded(b, text)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _ = s.Validate("Task", instance)
			}
		})
	}
}

func BenchmarkWalkTask(b *testing.B) {
	s := shipped(b, "a2a-0.1")
	instance := decoded(b, a2aExamples["Task"][0])
	for b.Loop() {
		s.Walk("Task", instance, func(string, string, any) {})
	}
}

// Long words that begin alike are told by what they differ in.
func TestWordsThatBeginAlike(t *testing.T) {
	s := compiled(t, `{"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{
		"Far":{"enum":["JOB_STATE_NEW","JOB_STATE_DONE","JOB_STATE_LOST","JOB_STATE_GONE"]},
		"Near":{"enum":["JOB_A","JOB_B","JOB_C","JOB_D"]},
		"Mixed":{"enum":["JOB_STATE_NEW","JOB_STATE_DONE","JOB_STATE_LOST",7]}}}`)
	for definition, want := range map[string]string{
		"Far":   `is "x", not one of "JOB_STATE_NEW", "…DONE", "…LOST", "…GONE"`,
		"Near":  `is "x", not one of "JOB_A", "JOB_B", "JOB_C", "JOB_D"`,
		"Mixed": `is "x", not one of "JOB_STATE_NEW", "JOB_STATE_DONE", "JOB_STATE_LOST", 7`,
	} {
		if found := validate(t, s, definition, "x"); len(found) != 1 || found[0].Message != want {
			t.Errorf("%s: %v, want %s", definition, found, want)
		}
	}
}
