package e2e

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Of a server with several agents each is judged by what was said to it, and
// the worst decides.
func TestAgentsOfOneServer(t *testing.T) {
	result := func(o *conform.Outcome, id string) report.Result {
		for _, r := range o.Report.Results {
			if r.ID == id {
				return r
			}
		}
		t.Fatalf("there is no result for %s", id)
		return report.Result{}
	}
	for _, c := range []struct {
		agent, mutant string
		verdict       report.RunVerdict
		agents        string
		subjects      string // of JAF03-MSG-001
	}{
		{"first", "", report.Conformant, "[]", "[]"},
		{"MathTutor", "", report.Conformant, "[MathTutor]", "[]"},
		{"all", "", report.Conformant, "[ChatBot MathTutor]", "[{ChatBot pass } {MathTutor pass }]"},
		{"MathTutor", "agent-endpoint-missing", report.Nonconformant, "[MathTutor]", "[]"},
		{"ChatBot", "default-endpoint-missing", report.Nonconformant, "[ChatBot]", "[]"},
		{"all", "agent-endpoint-missing", report.Nonconformant, "[ChatBot MathTutor]", "[{ChatBot pass } {MathTutor fail"},
	} {
		t.Run(c.agent+" "+c.mutant, func(t *testing.T) {
			t.Parallel()
			s := bundled(t, reference.Options{Dialect: "jaf-0.3", Mutant: c.mutant})
			o, err := conform.Run(t.Context(), conform.Target{URL: s.URL(), Behaviour: conform.Behaviour{DefaultStimuli: true, Stimuli: slowForSure}, Endpoint: conform.Endpoint{Agent: c.agent},
				Judging: conform.Judging{Select: conform.Selection{Areas: []string{"card", "discovery", "message", "transport"}}}})
			if err != nil {
				t.Fatal(err)
			}
			if got := o.Report.Verdict; got != c.verdict && !(got == report.Partial && c.verdict == report.Conformant) {
				t.Errorf("verdict %s, want %s: %s", got, c.verdict, o.Report.Reason)
			}
			for _, r := range o.Report.Results {
				if r.Verdict == report.Fail && c.mutant == "" || r.Verdict == report.Inconclusive && c.mutant == "" || r.Verdict == report.SuiteError {
					t.Errorf("%s: %s %s", r.ID, r.Verdict, r.Reason)
				}
			}
			if got := fmt.Sprint(o.Report.Target.Agents); got != c.agents {
				t.Errorf("agents %s, want %s", got, c.agents)
			}
			var told []string
			for _, s := range result(o, "JAF03-MSG-001").Subjects {
				told = append(told, fmt.Sprintf("{%s %s %s}", s.Agent, s.Verdict, s.Reason))
			}
			if got := fmt.Sprint(told); !strings.HasPrefix(got, c.subjects) {
				t.Errorf("subjects %s, want %s", got, c.subjects)
			}
			if len(result(o, "JAF03-DISC-001").Subjects) > 0 {
				t.Error("what is about the server is told of single agents")
			}
			again := replayed(t, o)
			for i, r := range again.Report.Results {
				if was := o.Report.Results[i]; r.Verdict != was.Verdict || fmt.Sprint(r.Subjects) != fmt.Sprint(was.Subjects) {
					t.Errorf("%s is %s %v in the replay, and was %s %v", r.ID, r.Verdict, r.Subjects, was.Verdict, was.Subjects)
				}
			}
		})
	}
}

// A mistake in the choice of an agent says what would be right.
func TestAgentMistakes(t *testing.T) {
	jaf, a2a := bundled(t, reference.Options{Dialect: "jaf-0.3"}), bundled(t, reference.Options{Dialect: "a2a-0.1"})
	silent := bundled(t, reference.Options{Dialect: "jaf-0.3", Mutant: "agents-empty"})
	for _, c := range []struct {
		target conform.Target
		want   string
	}{
		{conform.Target{URL: jaf.URL(), Endpoint: conform.Endpoint{Agent: "Nobody"}}, "it has ChatBot, MathTutor"},
		{conform.Target{URL: a2a.URL(), Endpoint: conform.Endpoint{Agent: "all"}}, "a server has one agent"},
		{conform.Target{URL: a2a.URL(), Dialect: "a2a-0.1", Endpoint: conform.Endpoint{Agent: "ChatBot"}}, "a server has one agent"},
		{conform.Target{URL: jaf.URL(), Endpoint: conform.Endpoint{RPC: jaf.URL() + "/a2a", Agent: "all"}}, "leave one of them out"},
		{conform.Target{URL: silent.URL(), Endpoint: conform.Endpoint{Agent: "all"}}, "no agent's name could be read"},
	} {
		_, err := conform.Run(t.Context(), c.target)
		var usage *conform.UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("--agent %s gives %v, which does not say %q", c.target.Agent, err, c.want)
		}
	}
}
