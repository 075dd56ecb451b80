package html

import (
	"bytes"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// What a client reported is shown near its exchange, escaped and bounded; the line that evidence points at is marked.
func TestShowWhatAClientReported(t *testing.T) {
	t.Parallel()
	tr := reportstest.Sample()
	p := &tr.Plays[0]
	x := p.Steps[0].Exchange
	p.Client = &record.ClientRun{Said: []record.Said{{At: x.End, Line: 1, Saw: "card", Name: "<script>alert(1)</script>\x1b[31m"}}}
	for line := 2; line <= 60; line++ {
		p.Client.Said = append(p.Client.Said, record.Said{At: x.End, Line: line, Saw: "status", State: "working", Text: strings.Repeat("x", 5000)})
	}
	p.Client.Said[49] = record.Said{At: x.End, Line: 50, Saw: "status", State: "the-cited-state"}
	r := reportstest.SampleReport(report.Result{ID: "ZZ99-ERR-001", Level: schema.Must, Area: "errors", Verdict: report.Fail, Statement: "It holds.", Reason: "it does not",
		Evidence: []report.Evidence{{Exchange: x.ID, Said: 50, Excerpt: `{"saw":"status"}`}}})
	var page bytes.Buffer
	if err := WriteReport(&page, r, tr); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	for _, want := range []string{"What the client reported", "&lt;script&gt;alert(1)", "the-cited-state", "<mark>", "more lines", "line 50 of what the client reported, near exchange"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(text, "<script>alert(1)") || strings.Contains(text, "\x1b") || strings.Count(text, strings.Repeat("x", 400)) > 0 {
		t.Error("a line is shown whole, or not escaped")
	}
}
