package verdict

import (
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// An exchange that served two steps is known by either.
func TestSteps(t *testing.T) {
	x := &record.Exchange{ID: 3}
	k := &Decider{Case: &judge.Case{Transcript: &record.Transcript{Plays: []record.Play{{Scenario: "card", Steps: []record.Step{{Name: "configured", Exchange: x}, {Name: "well-known", Exchange: x}, {Name: "older"}}}}}}}
	k.Recorded = k.Transcript
	if got := strings.Join(k.stepNames(3), " "); got != "card/configured card/well-known" {
		t.Errorf("got %s", got)
	}
	results := []Result{{CheckResult: judge.CheckResult{Result: report.Result{Evidence: []report.Evidence{{Exchange: 3}, {}}, Findings: []report.Finding{{Evidence: &report.Evidence{Exchange: 3}}, {}}}}}}
	k.NameSteps(results)
	if r := results[0]; r.Evidence[0].Step != "card/configured" || r.Evidence[1].Step != "" || r.Findings[0].Evidence.Step != "card/configured" {
		t.Errorf("got %+v", r)
	}
}

func TestExcerpt(t *testing.T) {
	for _, c := range []struct {
		name  string
		texts []string
		want  string
	}{
		{"a code", []string{"the server answered code -32600; expected -32700 (ParseError) (A2A 0.1.0 §8.1) [exchange 14]"}, "answered code -32600"},
		{"codes", []string{"the server answered code -32600; expected -32700 (X) [exchange 14]", "the server answered code -32601; expected -32700 (X) [exchange 15]"}, "answered code"},
		{"bytes of the server", []string{`the server answered with a result: {"artifacts":[{"id":"x"}]}; expected -32602 (X §1) [exchange 183]`}, "answered with a result"},
		{"a member", []string{"the result has no `id`; expected it to be there (X §1) [exchange 117, /result]"}, "the result has no `id`"},
		{"an id", []string{`the server sent "a2a-conform-47b85658-b47c-42ae-9263-c6c70e8eead8"; expected "a2a-conform-74278108-92bc-4056-adab-b8055d7c044a", as contextId of the Task has it (X §6.4) [exchange 94]`}, "as contextId of the Task has it"},
		{"an address", []string{`the server uses "http://127.0.0.1:41101/rpc" twice, first at /urls/0; expected unique values (X) [exchange 1]`}, "twice, first at /urls/0"},
		{"only what is asked", []string{"the server sent {}; expected null (X §6) [exchange 103]"}, "expected null"},
		{"nothing in common", []string{"the server sent no id", "the server was late"}, ""},
		{"too little", []string{"no id"}, ""},
		{"none", nil, ""},
		{"times in a row", []string{"1.5 s2.0 s:8080:9090"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := chooseExcerpt(c.texts); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// FuzzExcerpt: whatever a server says, what is proposed fits what it said.
func FuzzExcerpt(f *testing.F) {
	f.Add("the server answered code -32600; expected -32700 (X) [exchange 14]", "the server answered code -32601; expected")
	f.Add("a exchange 1.0 s2.0 s exchange 5:80:90 x", "exchange 5 exchange 6")
	f.Add("\xff{[…", "\x00")
	f.Fuzz(func(t *testing.T, a, b string) {
		got := chooseExcerpt([]string{a, b})
		if got != "" && (!strings.Contains(a, got) || !strings.Contains(b, got) || len(got) > mostExcerpt) {
			t.Errorf("%q", got)
		}
	})
}
