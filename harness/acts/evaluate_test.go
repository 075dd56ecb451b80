package acts

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// observe returns a JSON text as a value of an answer.
func observe(t *testing.T, text string) *record.Node {
	t.Helper()
	n, _ := record.ObserveJSON([]byte(text))
	if n == nil {
		t.Fatalf("%s is no JSON", text)
	}
	return n
}

// newTestEvaluator returns an evaluator without variables.
func newTestEvaluator() evaluator {
	left := maxComparisons
	return evaluator{func(text string) (*record.Node, error) { return newText(text), nil }, &left}
}

// TestOperators: each operator holds for some values and fails for others.
func TestOperators(t *testing.T) {
	for _, c := range []struct{ assertion, holds, fails string }{
		{"x", `"x"`, `"y" 1 null`}, {"1", `1 1.0 1e0`, `2 "1" null`}, {"true", "true", `false "true"`}, {"null", "null", `0 ""`},
		{"{type: string}", `"" "x"`, `1 null []`}, {"{type: number}", "1 -2.5", `"1" true`}, {"{type: boolean}", "true false", "0"}, {"{type: array}", "[] [1]", "{}"},
		{"{type: object}", "{}", "[]"}, {"{type: 'null'}", "null", "0"}, {"{exists: true}", `1 null ""`, ""}, {"{absent: true}", "", `1 null ""`},
		{"{contains: b}", `"abc"`, `"ac" 1`}, {"{starts_with: ab}", `"abc"`, `"bc"`}, {"{ends_with: bc}", `"abc"`, `"ab"`},
		{"{matches: '^a(?=b)\\w+$'}", `"abc"`, `"ac" 1`}, {"{matches: '(a+)+$'}", `"aaa"`, `"b"`},
		{"{gte: 2}", "2 3", `1 "3"`}, {"{lte: 2}", "2 1", "3"}, {"{gt: 2}", "2.5", "2"}, {"{lt: 2}", "1", "2"}, {"{gt: 0.1}", "0.10000000000000001", "0.1"},
		{"{gt: 1}", "1e999", "-1e999"},
		{"{count: 2}", "[1,2]", `[1] "ab"`}, {"{count_gte: 1}", "[1]", "[]"}, {"{count_lte: 1}", "[] [1]", "[1,2]"},
		{"{one_of: [1, x]}", `1 "x"`, `2 "1"`}, {"{one_of: [[1, 2]]}", "[1,2]", "[1]"}, {"{all_of: [{type: string}, {contains: a}]}", `"a"`, `"b" 1`}, {"{any_of: [1, {type: string}]}", `1 "a"`, "2"},
		{"{not: 1}", "2", "1"}, {"{not: {type: string}}", "1", `"a"`}, {"{a: 1, b: {absent: true}}", `{"a":1} {"a":1,"c":2}`, `{"a":2} {"a":1,"b":null} {} 1`},
		{"[1, {a: x}]", `[1,{"a":"x"}] [1,{"a":"x"},3]`, `[1] [2,{"a":"x"}] {}`}, {"{type: array, items: {a: 1}}", `[] [{"a":1}]`, `[{"a":1},{"a":2}]`},
		{"{type: array, items: [{a: 1}]}", `[{"a":1},{"a":2}]`, `[] [{"a":2}]`},
	} {
		set, err := readText(documentOfBody("{v: "+c.assertion+"}"), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.assertion, err)
			continue
		}
		a := set.Tests()[0].Steps[0].Expect.Body.Members[0].Is
		for _, value := range strings.Fields(c.holds) {
			if f := newTestEvaluator().checkValue(a, observe(t, value), "v"); f != nil {
				t.Errorf("%s does not hold for %s: %s", c.assertion, value, f.Message)
			}
		}
		for _, value := range strings.Fields(c.fails) {
			f := newTestEvaluator().checkValue(a, observe(t, value), "v")
			if f == nil || f.Broken || f.Line != 14 || f.Expected == "" || !strings.HasPrefix(f.Path, "v") {
				t.Errorf("%s for %s: got %+v", c.assertion, value, f)
			}
		}
		if f := newTestEvaluator().checkValue(a, nil, "v"); (f == nil) != slices.Contains([]string{"{absent: true}", "{not: 1}", "{not: {type: string}}"}, c.assertion) {
			t.Errorf("%s for nothing: got %+v", c.assertion, f)
		}
	}
}

// TestPatternsEnd: a pattern that would take for ever shows nothing, and ends.
func TestPatternsEnd(t *testing.T) {
	set, err := readText(documentOfBody("{v: {matches: '^(a+)+$'}}"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := set.Tests()[0].Steps[0].Expect.Body
	f := newTestEvaluator().checkValue(a, observe(t, `{"v":"`+strings.Repeat("a", 40)+`b"}`), "")
	if f == nil || !f.Broken || !strings.Contains(f.Message, "takes too long") {
		t.Errorf("got %+v", f)
	}
}

// TestStateOrder: no state follows a terminal one, and none returns to the first.
func TestStateOrder(t *testing.T) {
	for states, regresses := range map[string]bool{"SUBMITTED WORKING WORKING COMPLETED": false, "WORKING INPUT_REQUIRED WORKING FAILED": false, "COMPLETED COMPLETED": false,
		"WORKING SUBMITTED": true, "COMPLETED WORKING": true, "REJECTED FAILED": true} {
		var events []*record.Node
		for i, s := range strings.Fields(states) {
			holder := map[bool]string{true: "task", false: "statusUpdate"}[i == 0]
			events = append(events, observe(t, `{"`+holder+`":{"status":{"state":"TASK_STATE_`+s+`"}}}`))
		}
		if f := checkStateOrder(&Assertion{}, events); (f != nil) != regresses {
			t.Errorf("%s: got %+v", states, f)
		}
	}
}

// TestComparisonsAreBounded: an assertion of somebody else and an answer of somebody else take no time without bound.
func TestComparisonsAreBounded(t *testing.T) {
	e := newTestEvaluator()
	*e.left = 10
	set, err := readText(documentOfStep(stepOf("  assertions: [{source: a, all: {path: '[*]', match: {x: 1}}}]")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := e.checkCollections(set.Tests()[0].Steps[0].Assertions[0], observe(t, "["+strings.Repeat(`{"x":1},`, 20)+`{"x":1}]`))
	if f == nil || !f.Broken {
		t.Errorf("got %+v", f)
	}
}
