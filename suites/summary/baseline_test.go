package summary

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// A gate on a baseline is shut by what the server does worse, and not by what
// the catalogue asks since then.
func TestBaselineOfAnEarlierCatalogue(t *testing.T) {
	h, err := schema.ParseHistory("changes.yaml", []byte("versions:\n  - version: 2\n    changes:\n      - {id: X-1, why: asks for more}\n"))
	if err != nil {
		t.Fatal(err)
	}
	results := []report.Result{{ID: "X-1", Level: schema.Must, Verdict: report.Fail, Reason: "x"}}
	for _, c := range []struct {
		version string
		kind    report.ChangeKind
		code    int
	}{{"", report.Rejudged, 0}, {"1", report.Rejudged, 0}, {"2", report.Broken, 1}} {
		b := compareBaseline(&operator.Baseline{File: "old.json", CatalogueVersion: c.version, Verdicts: map[string]string{"X-1": "pass"}}, results, h)
		if len(b.Changes) != 1 || b.Changes[0].Kind != c.kind {
			t.Errorf("since version %q: %+v", c.version, b.Changes)
		}
		r := &report.Report{Verdict: report.Nonconformant, Run: report.Run{Gate: report.BaselineGate + "old.json"}, Results: results, Baseline: b}
		if got := report.ExitCode(r); got != c.code {
			t.Errorf("since version %q: exit code %d, want %d", c.version, got, c.code)
		}
	}
}
