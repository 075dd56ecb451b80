package acts

import (
	"cmp"
	"fmt"
	"io"

	"github.com/a2a-conform/a2a-conform/harness/acts"
	corpus "github.com/a2a-conform/a2a-conform/schema/acts"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// ChooseDialect returns the dialect that a run judges whose verdicts become a report of ACTS: the only one that ACTS is about. The
// error is about another one that the operator named.
func ChooseDialect(named ...string) (string, error) {
	for _, name := range named {
		if name != "" && name != "auto" && name != dialectName {
			return "", fmt.Errorf("--format acts: the tests of ACTS are about %s, and --dialect names %s; leave one of the two flags out", dialectName, name)
		}
	}
	return dialectName, nil
}

// WriteVerdicts writes the verdicts of a run of the catalogue as a report of ACTS: each test of the published corpus that
// requirements judge in the same way, or more strongly, has the result of these. What they left undecided is skipped with
// the reason. The report is about the transport that the agent prefers.
func WriteVerdicts(w io.Writer, r *report.Report) error {
	if r.Target.Dialect != dialectName {
		return fmt.Errorf("--format acts: the tests of ACTS are about %s, and this run judged %s", dialectName, r.Target.Dialect)
	}
	set, err := acts.Files(corpus.ReadCorpusFile, []string{corpus.CorpusMaster}, acts.Options{Published: true})
	if err != nil {
		return err
	}
	verdicts := map[string]*report.Result{}
	for i := range r.Results {
		verdicts[r.Results[i].ID] = &r.Results[i]
	}
	var results []*acts.TestResult
	kept := *set
	kept.Suites = nil
	for _, s := range set.Suites {
		tests := s.Tests
		s.Tests = nil
		for _, t := range tests {
			m, ok := acts.FindMapping(t.ID)
			if !ok || m.Is != acts.JudgesSame && m.Is != acts.JudgesStronger {
				continue
			}
			s.Tests = append(s.Tests, t)
			results = append(results, newResultOfVerdicts(t, m, verdicts))
		}
		if len(s.Tests) > 0 {
			kept.Suites = append(kept.Suites, s)
		}
	}
	transport := "jsonrpc"
	for word, binding := range acts.BindingNames {
		if len(r.Target.Bindings) > 0 && r.Target.Bindings[0] == binding {
			transport = word
		}
	}
	sdk := acts.SDKInfo{Name: cmp.Or(r.Target.Agent, "unknown"), Version: "unknown", Language: "unknown"}
	out := acts.NewReport(&kept, results, transport, sdk, r.Run.StartedAt, func(text string) string { return text })
	out.Environment = map[string]string{"corpus": describePublished(), "runner": "a2a-conform " + r.Tool.Version, "judged by": "the requirements of " + dialectName + " that judge the same, or more"}
	return writeJSON(w, out)
}

// newResultOfVerdicts returns what a test comes to by the verdicts on its requirements: the first one that fails or was not
// decided, else a pass.
func newResultOfVerdicts(t *acts.Test, m acts.Mapping, verdicts map[string]*report.Result) *acts.TestResult {
	out := &acts.TestResult{Test: t, Result: acts.Passed}
	for _, id := range m.Requirements {
		v := verdicts[id]
		switch {
		case v == nil:
			out.Result, out.SkipReason = acts.Skipped, id+" was not judged in this run"
		case v.Verdict == report.Fail, v.Verdict == report.Waived:
			out.Result, out.SkipReason = acts.Failed, ""
			out.Failure = &acts.Failure{Message: id + ": " + v.Reason, Expected: v.Statement, Actual: v.Reason}
			return out
		case v.Verdict != report.Pass && out.Result == acts.Passed:
			out.Result, out.SkipReason = acts.Skipped, fmt.Sprintf("%s is %s: %s", id, v.Verdict, v.Reason)
		}
	}
	return out
}
