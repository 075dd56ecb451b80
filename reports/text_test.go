package reports

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain äöü 漢字 🙂": "plain äöü 漢字 🙂",
		"a\nb\tc":        "a\nb\tc",
		"\x00\x1b\r\x7f": "␀␛␍␡",
		"\u202e\u2028":   `\u202e\u2028`,
		"\u0085\ufeff":   `\u0085\ufeff`,
		"\U000e0041":     `\U000e0041`,
		"\xff\xc3(":      `\xff\xc3(`,
		"\ufffd\ufffe":   "\ufffd" + `\ufffe`,
		"":               "",
	} {
		if got := visible(in); got != want {
			t.Errorf("visible(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	if got, want := clip("äöü", 3), "ä … (4 bytes left out)"; got != want {
		t.Errorf("clip cuts to %q, want %q", got, want)
	}
	if got := clip("äöü", 6); got != "äöü" {
		t.Errorf("clip cuts what fits: %q", got)
	}
	for limit := range 20 {
		if got := clip(strings.Repeat("€", 20), limit); !utf8.ValidString(got) {
			t.Errorf("clip to %d bytes cuts a character: %q", limit, got)
		}
	}
}

func TestBoundIsStable(t *testing.T) {
	once := bound(strings.Repeat("x", 1<<20), keptExcerpt)
	if len(once) > keptExcerpt || bound(once, keptExcerpt) != once {
		t.Errorf("%d bytes are kept, and bounding again changes them", len(once))
	}
}

func TestCode(t *testing.T) {
	for in, want := range map[string]string{
		"plain":  "`plain`",
		"a`b":    "``a`b``",
		"`":      "`` ` ``",
		"``a":    "``` ``a ```",
		" x ":    "`  x  `",
		"a\nb":   "`a␊b`",
		"":       "``` ```",
		"a | b":  "`a | b`",
		"\\`":    "`` \\` ``",
		"\x1b[m": "`␛[m`",
	} {
		if got := code(in, 100); got != want {
			t.Errorf("code(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestMeaning(t *testing.T) {
	must := func(v report.Verdict, n int) []report.Result {
		var out []report.Result
		for range n {
			out = append(out, report.Result{ID: "ZZ99-X-001", Level: schema.Must, Verdict: v})
		}
		return out
	}
	for _, c := range []struct {
		name string
		r    *report.Report
		edit func(*report.Report)
		want string
	}{
		{"conformant", sampleReport(must(report.Pass, 1)...), nil, "Every MUST requirement that applies to this server was decided"},
		{"one failure", sampleReport(must(report.Fail, 1)...), nil, "breaks 1 MUST requirement."},
		{"failures", sampleReport(must(report.Fail, 1200)...), nil, "breaks 1,200 MUST requirements."},
		{"undecided", sampleReport(must(report.Inconclusive, 2)...), nil, "2 MUST requirements are undecided."},
		{"waived", sampleReport(must(report.Waived, 1)...), nil, "1 MUST requirement is waived."},
		{"selection", sampleReport(must(report.Pass, 1)...), func(r *report.Report) { r.Verdict, r.Run.Selection = report.Partial, "--area card" }, "only part of the catalogue"},
		{"suite error", sampleReport(must(report.SuiteError, 1)...), nil, "a2a-conform itself failed on 1 requirement"},
		{"cut", sampleReport(must(report.Pass, 1)...), func(r *report.Report) { r.Verdict, r.Run.Cut = report.Void, "interrupted" }, "stopped early: interrupted"},
		{"no result", sampleReport(), nil, "it has no result"},
		{"unreachable", sampleReport(must(report.Inconclusive, 1)...), func(r *report.Report) { r.Verdict = report.Unreachable }, "no HTTP response"},
	} {
		if c.edit != nil {
			c.edit(c.r)
		}
		if got := meaning(c.r); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q does not say %q", c.name, got, c.want)
		}
	}
}

func TestTerminalUnreachable(t *testing.T) {
	r := sampleReport(report.Result{ID: "ZZ99-X-001", Level: schema.Must, Area: "x", Verdict: report.Inconclusive, Reason: "the server could not be reached"})
	r.Verdict = report.Unreachable
	r.Tried = []string{"GET http://127.0.0.1:9999/.well-known/agent.json: connection refused"}
	r.Target.Insecure = true
	var b bytes.Buffer
	Terminal(&b, r, false)
	golden(t, "unreachable.txt", b.Bytes())
}
