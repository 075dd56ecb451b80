package judge_test

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

func TestCauses(t *testing.T) {
	at := func(exchange int, pointer, excerpt string) judge.Evidence {
		return judge.Evidence{Exchange: exchange, Pointer: pointer, Excerpt: excerpt}
	}
	results := []judge.Result{
		{ID: "A", Verdict: judge.Fail, Evidence: []judge.Evidence{at(3, "/id", "7"), at(4, "/id", "8")}},
		{ID: "B", Verdict: judge.Pass, Evidence: []judge.Evidence{at(3, "/id", "7")}},
		{ID: "C", Verdict: judge.Fail, Evidence: []judge.Evidence{at(3, "/id", "7")}},
		{ID: "D", Verdict: judge.Fail, Evidence: []judge.Evidence{at(3, "/id", "7"), at(5, "/id", "9")}},
		{ID: "E", Verdict: judge.Fail, Evidence: []judge.Evidence{at(5, "/id", "9")}},
		{ID: "F", Verdict: judge.Fail, Evidence: []judge.Evidence{at(6, "/result", `{"a":1}`)}},
		{ID: "G", Verdict: judge.Fail, Evidence: []judge.Evidence{at(6, "/result", `{"a":1}`)}},
		{ID: "H", Verdict: judge.Fail, Evidence: []judge.Evidence{at(7, "", "")}},
		{ID: "I", Verdict: judge.Fail, Evidence: []judge.Evidence{at(7, "", "")}},
		{ID: "J", Verdict: judge.Inconclusive, Because: "A"},
	}
	if n := judge.Causes(results); n != 6 {
		t.Errorf("%d causes, want 6", n)
	}
	want := map[string]string{"C": "A", "E": "D", "J": "A"}
	for _, r := range results {
		if r.Because != want[r.ID] {
			t.Errorf("%s follows from %q, want %q", r.ID, r.Because, want[r.ID])
		}
	}
}
