package shape

import (
	"slices"
	"strings"
	"testing"
)

// A schema as operators bring it: draft-07, unions by anyOf.
const operatorSchema = `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{
	"TextPart":{"type":"object","required":["kind","text"],"properties":{"kind":{"const":"text","type":"string"},"text":{"type":"string"}}},
	"DataPart":{"type":"object","required":["kind","data"],"properties":{"kind":{"enum":["data"]},"data":{"type":"object"}}},
	"Part":{"anyOf":[{"$ref":"#/definitions/TextPart"},{"$ref":"#/definitions/DataPart"}]},
	"Message":{"type":"object","required":["parts","kind"],"properties":{
		"kind":{"const":"message"},
		"parts":{"type":"array","items":{"$ref":"#/definitions/Part"}},
		"reply":{"anyOf":[{"$ref":"#/definitions/Message"},{"type":"null"}]}}},
	"Task":{"type":"object","required":["id","kind"],"properties":{"kind":{"const":"task"},"id":{"type":"string"}}},
	"Result":{"oneOf":[{"$ref":"#/definitions/Task"},{"$ref":"#/definitions/Message"}]},
	"Error":{"type":"object","required":["code"],"properties":{"code":{"type":"integer"}}},
	"Success":{"type":"object","required":["jsonrpc","result"],"properties":{"jsonrpc":{"const":"2.0"},"result":{"$ref":"#/definitions/Result"}}},
	"Failure":{"type":"object","required":["jsonrpc","error"],"properties":{"jsonrpc":{"const":"2.0"},"error":{"$ref":"#/definitions/Error"}}},
	"Response":{"anyOf":[{"$ref":"#/definitions/Failure"},{"$ref":"#/definitions/Success"}]},
	"Id":{"anyOf":[{"type":"string"},{"type":"integer"}]},
	"Holder":{"type":"object","properties":{"id":{"$ref":"#/definitions/Id"},"inline":{"anyOf":[{"type":"string","minLength":2},{"type":"null"}]}}},
	"Both":{"oneOf":[{"minimum":1},{"minimum":2}]}
}}`

func TestUnions(t *testing.T) {
	s := compiled(t, operatorSchema)
	for _, c := range []struct {
		name, definition, instance string
		want                       []string
	}{
		{"fits", "Part", `{"kind":"data","data":{}}`, nil},
		{"a fault in the branch", "Part", `{"kind":"data","data":1}`, []string{"DataPart /data type @/data"}},
		{"unknown discriminator", "Message", `{"kind":"message","parts":[{"kind":"x","text":1}]}`, []string{"Part /kind enum @/parts/0/kind"}},
		{"no discriminator", "Part", `{"text":"x"}`, []string{"Part /kind required @/kind"}},
		{"wrong type", "Message", `{"kind":"message","parts":[7]}`, []string{"Message /parts/* type @/parts/0"}},
		{"wrong type of the whole", "Part", `7`, []string{"Part  type @"}},
		{"nullable, null", "Message", `{"kind":"message","parts":[],"reply":null}`, nil},
		{"nullable, wrong type", "Message", `{"kind":"message","parts":[],"reply":7}`, []string{"Message /reply type @/reply"}},
		{"nullable, inside", "Message", `{"kind":"message","parts":[],"reply":{"kind":"message"}}`, []string{"Message /parts required @/reply/parts"}},
		{"union in union", "Success", `{"jsonrpc":"2.0","result":{"kind":"message","parts":[{"kind":"text"}]}}`,
			[]string{"TextPart /text required @/result/parts/0/text"}},
		{"fewest faults", "Response", `{"jsonrpc":"2.0","error":{"code":"x"}}`, []string{"Error /code type @/error/code"}},
		{"fewest faults, the other", "Response", `{"jsonrpc":"2.0","result":{"kind":"task","id":4}}`, []string{"Task /id type @/result/id"}},
		{"fewest faults, a tie", "Response", `{"jsonrpc":"2.0"}`, []string{"Failure /error required @/error"}},
		{"plain values", "Holder", `{"id":{}}`, []string{"Holder /id type @/id"}},
		{"plain values, a fraction", "Holder", `{"id":1.5}`, []string{"Holder /id type @/id"}},
		{"an inline branch", "Holder", `{"inline":"x"}`, []string{"Holder /inline minLength @/inline"}},
		{"fits several", "Both", `3`, []string{"Both  oneOf @"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 5 {
				if got := brief(validate(t, s, c.definition, decoded(t, c.instance))); !slices.Equal(got, c.want) {
					t.Fatalf("got  %q\nwant %q", got, c.want)
				}
			}
		})
	}
}

func TestRulesOfUnions(t *testing.T) {
	s := compiled(t, operatorSchema)
	var got []string
	for _, r := range s.Rules() {
		line := strings.TrimSpace(r.Definition + " " + r.At + " " + r.Keyword + " " + strings.Join(r.Types, ","))
		if r.Shadowed {
			line += " shadowed"
		}
		got = append(got, line)
	}
	for _, want := range []string{
		"Part  type object shadowed", "Part /kind enum", "Part /kind required",
		"TextPart /kind const shadowed", "TextPart /kind required shadowed", "TextPart /text required",
		"Message /parts/* type object", "Message /reply type object,null", "Result /kind enum",
		"Holder /id type string,integer", "Holder /inline type string,null", "Holder /inline minLength",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no rule %q in\n%s", want, strings.Join(got, "\n"))
		}
	}
}

func TestWalk(t *testing.T) {
	for _, c := range []struct {
		name, definition, instance string
		shapes                     *Shapes
		want                       []string
	}{
		{"a task", "Task", `{"id":"t","status":{"state":"working","message":{"role":"agent","parts":[{"type":"text","text":"x"},{"type":"file","file":{}}]}},
			"artifacts":[{"parts":[{"type":"data","data":{}}]}],"history":null}`, shipped(t, "a2a-0.1"), []string{
			"Task @", "Artifact @/artifacts/0", "Part @/artifacts/0/parts/0", "DataPart @/artifacts/0/parts/0",
			"TaskStatus @/status", "Message @/status/message",
			"Part @/status/message/parts/0", "TextPart @/status/message/parts/0",
			"Part @/status/message/parts/1", "FilePart @/status/message/parts/1", "FileContent @/status/message/parts/1/file",
			"TaskState @/status/state",
		}},
		{"wrong types", "Task", `{"status":5,"artifacts":[1,{"parts":[null]}]}`, shipped(t, "a2a-0.1"), []string{"Task @", "Artifact @/artifacts/1"}},
		{"an unknown part", "Part", `{"type":"x"}`, shipped(t, "a2a-0.1"), []string{"Part @"}},
		{"a stream event", "StreamEvent", `{"artifact":{"parts":[]}}`, shipped(t, "a2a-0.1"),
			[]string{"StreamEvent @", "TaskArtifactUpdateEvent @", "Artifact @/artifact"}},
		{"a union", "Response", `{"jsonrpc":"2.0","result":{"kind":"message","parts":[{"kind":"text"},{"kind":"z"}],"reply":null}}`, compiled(t, operatorSchema), []string{
			"Response @", "Success @", "Result @/result", "Message @/result",
			"Part @/result/parts/0", "TextPart @/result/parts/0", "Part @/result/parts/1",
		}},
		{"an unknown definition", "Tusk", `{}`, shipped(t, "a2a-0.1"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			instance := decoded(t, c.instance)
			var got []string
			c.shapes.Walk(c.definition, instance, func(definition, pointer string, value any) {
				got = append(got, definition+" @"+pointer)
				if kindOf(value) != kindOf(valueAt(instance, pointerTokens(pointer))) {
					t.Errorf("%s: another value", pointer)
				}
			})
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestWalkKeepsNumbers(t *testing.T) {
	s := compiled(t, `{"$defs":{"T":{"properties":{"n":{"$ref":"#/$defs/N"}}},"N":{"type":"number"}}}`)
	var got any
	s.Walk("T", decoded(t, `{"n":1e10000000}`), func(definition, _ string, value any) {
		if definition == "N" {
			got = value
		}
	})
	if showScalarOrNameKind(got) != "1e10000000" {
		t.Errorf("got %v", got)
	}
}
