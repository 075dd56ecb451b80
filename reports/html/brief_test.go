package html

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

func renderBrief(t *testing.T, r *report.Report, tr *record.Transcript) string {
	t.Helper()
	return reportstest.Render(t, func(w io.Writer) error { return WriteSizeLimitedReport(w, r, tr) })
}

func TestBriefGolden(t *testing.T) {
	reportstest.Golden(t, "every-verdict.brief.html", renderBrief(t, reportstest.EveryVerdict(), reportstest.Sample()))
}

// A brief page has the failures with their bytes and every requirement, and nothing that leads
// to what it leaves out.
func TestBrief(t *testing.T) {
	r := reportstest.EveryVerdict()
	r.Results[3].Reproduce = "reproduce/ZZ99-ERR-001.sh"
	page, all := renderBrief(t, r, reportstest.Sample()), render(t, r, reportstest.Sample())
	reportstest.CheckOnlyKnownHTML(t, []byte(page))
	reportstest.CheckIDsAndLinks(t, page)
	for _, want := range []string{"<h4>sent</h4>", "<h4>got</h4>", "<mark>", `<section id="causes">`, leftOutOfBrief, "<code>a2a-conform fleet serve</code> shows the whole page"} {
		if !strings.Contains(page, want) {
			t.Errorf("the brief page lacks %s", want)
		}
	}
	for _, unwanted := range []string{`id="transcript"`, `class="exchange"`, `href="#x`, "reproduce/", files.TranscriptFile, "In the folder of this report"} {
		if strings.Contains(page, unwanted) {
			t.Errorf("the brief page has %s", unwanted)
		}
		if !strings.Contains(all, unwanted) && !strings.Contains(unwanted, "folder") {
			t.Errorf("nor has the whole page %s", unwanted)
		}
	}
	if strings.Contains(all, leftOutOfBrief) {
		t.Error("the whole page says that it is brief")
	}
	for _, res := range r.Results {
		if !strings.Contains(page, fmt.Sprintf(`<article class="row" id="r-%s" data-k="%s"`, res.ID, view.KindOf(&res).Class())) {
			t.Errorf("the brief page lacks %s", res.ID)
		}
	}
	if without := renderBrief(t, r, nil); !strings.Contains(without, "ZZ99-ERR-001") {
		t.Error("a brief page without a transcript lacks the failures")
	}
}

// A brief page is small whatever was broken and however long the texts are.
func TestBriefSize(t *testing.T) {
	for _, c := range []struct {
		name, says  string
		every, most int
	}{
		{"one in twenty broken", "", 20, 350_000},
		{"all broken", "", 1, MaxBriefBytes},
		{"all broken, long reasons", strings.Repeat("the server said so. ", 200), 1, MaxBriefBytes},
		{"all broken, reasons of markup", strings.Repeat(`"'<&`+"\xff\u202e", 500), 1, MaxBriefBytes},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, tr := large(559, 460, c.every, "JSONRPC", "HTTP+JSON", "GRPC")
			for i := range r.Results {
				if res := &r.Results[i]; c.says != "" {
					res.Reason = fmt.Sprint(i, c.says)
					res.Findings = []report.Finding{{Text: res.Reason, Evidence: &res.Evidence[0]}}
					if i%2 == 0 {
						res.Verdict, res.Evidence, res.Why = report.Inconclusive, nil, nil
					}
				}
			}
			page := renderBrief(t, r, tr)
			t.Logf("%d bytes", len(page))
			if len(page) > c.most {
				t.Errorf("the page has %d bytes, want at most %d", len(page), c.most)
			}
			if n := strings.Count(page, `<article class="row"`); n != 559 {
				t.Errorf("the page has %d requirements", n)
			}
			reportstest.CheckOnlyKnownHTML(t, []byte(page))
			reportstest.CheckIDsAndLinks(t, page)
		})
	}
}
