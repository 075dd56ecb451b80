package reports

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/reports/html"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// withHistory is a report with some earlier runs: one is of another server, and a failure is unsteady.
func withHistory() *report.Report {
	now := reportstest.EveryVerdict()
	var earlier []*report.PastRun
	for day, broken := range []string{"ZZ99-ERR-001 ZZ99-ERR-002", "", "ZZ99-ERR-001", "elsewhere"} {
		r := reportstest.EveryVerdict()
		r.Verdict = report.Nonconformant
		r.Run.StartedAt = now.Run.StartedAt.AddDate(0, 0, day-4)
		if broken == "elsewhere" {
			r.Target.URL = "http://elsewhere.example"
		}
		for i := range r.Results {
			if res := &r.Results[i]; res.Verdict == report.Fail && !strings.Contains(broken, res.ID) {
				res.Verdict = report.Pass
			}
		}
		r.Summary = report.Summarize(r.Results)
		earlier = append(earlier, report.SummarizePastRun(r))
	}
	report.AddHistory(now, earlier)
	return now
}

func TestGoldenTrend(t *testing.T) {
	t.Parallel()
	r := withHistory()
	for _, f := range formats {
		if f.ext == "md" || f.ext == "html" || f.ext == "json" {
			t.Run(f.ext, func(t *testing.T) {
				reportstest.Golden(t, "history."+f.ext, reportstest.Render(t, func(w io.Writer) error { return f.render(w, r) }))
			})
		}
	}
	again, err := ReadJSON(strings.NewReader(reportstest.Render(t, func(w io.Writer) error { return JSON(w, r) })))
	if err != nil {
		t.Fatal(err)
	}
	if len(again.History.Runs) != 4 || again.History.Others != 1 {
		t.Errorf("read again, the history is %+v", again.History)
	}
}

// Whatever numbers and words a report has in its history, the page stays bounded and what it shows is text.
func TestHostileHistory(t *testing.T) {
	t.Parallel()
	r := reportstest.EveryVerdict()
	for i := range r.Results {
		r.Results[i].Reproduce = ""
	}
	r.History = &report.History{Others: -3, Earlier: 1 << 60}
	for i := range 5_000 {
		r.History.Runs = append(r.History.Runs, report.PastCount{StartedAt: time.Unix(int64(i)<<40, 0), Verdict: report.RunVerdict("<script>alert(1)</script>" + strings.Repeat("x", 100_000)), Passed: i << 40, Judged: -i, Failures: 1<<62 - i})
	}
	page := reportstest.Render(t, func(w io.Writer) error { return html.WriteReport(w, r, reportstest.Sample()) })
	summary := reportstest.Render(t, func(w io.Writer) error { return Markdown(w, r) })
	if len(page) > 900_000 || len(summary) > 100_000 {
		t.Errorf("the page has %d bytes, the summary %d", len(page), len(summary))
	}
	if strings.Contains(page, "<script>alert") || !strings.Contains(page, `<svg class="trend"`) {
		t.Error("the page has what the history says as markup")
	}
	reportstest.CheckOnlyKnownHTML(t, []byte(page))
	for _, attr := range []string{`height="-`, `y="-`, "NaN", "Inf"} {
		if strings.Contains(page, attr) {
			t.Errorf("the page has %s", attr)
		}
	}
}
