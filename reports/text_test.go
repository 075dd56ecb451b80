package reports

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

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
		{"conformant", reportstest.SampleReport(must(report.Pass, 1)...), nil, "Every MUST requirement that applies to this server was decided"},
		{"one failure", reportstest.SampleReport(must(report.Fail, 1)...), nil, "breaks 1 MUST requirement."},
		{"failures", reportstest.SampleReport(must(report.Fail, 1200)...), nil, "breaks 1,200 MUST requirements."},
		{"undecided", reportstest.SampleReport(must(report.Inconclusive, 2)...), nil, "2 MUST requirements are undecided."},
		{"waived", reportstest.SampleReport(must(report.Waived, 1)...), nil, "1 MUST requirement is waived."},
		{"selection", reportstest.SampleReport(must(report.Pass, 1)...), func(r *report.Report) { r.Verdict, r.Run.Selection = report.Partial, "--area card" }, "only part of the catalogue"},
		{"suite error", reportstest.SampleReport(must(report.SuiteError, 1)...), nil, "a2a-conform itself failed on 1 requirement"},
		{"cut", reportstest.SampleReport(must(report.Pass, 1)...), func(r *report.Report) { r.Verdict, r.Run.Cut = report.Void, "interrupted" }, "stopped early: interrupted"},
		{"no result", reportstest.SampleReport(), nil, "it has no result"},
		{"unreachable", reportstest.SampleReport(must(report.Inconclusive, 1)...), func(r *report.Report) { r.Verdict = report.Unreachable }, "no HTTP response"},
	} {
		if c.edit != nil {
			c.edit(c.r)
		}
		if got := view.DescribeVerdict(c.r); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q does not say %q", c.name, got, c.want)
		}
	}
}

func TestTerminalUnreachable(t *testing.T) {
	r := reportstest.SampleReport(report.Result{ID: "ZZ99-X-001", Level: schema.Must, Area: "x", Verdict: report.Inconclusive, Reason: "the server could not be reached"})
	r.Verdict = report.Unreachable
	r.Tried = []string{"GET http://127.0.0.1:9999/.well-known/agent.json: connection refused"}
	r.Target.Insecure = true
	var b bytes.Buffer
	Terminal(&b, r, false)
	reportstest.Golden(t, "unreachable.txt", b.String())
}

// What was not decided about a client is judged again by the command of clients.
func TestJudgedNamesTheCommandOfClients(t *testing.T) {
	r := &report.Report{Target: report.Target{Role: schema.ClientRole, Kind: "url", Dialect: "a2a-1.0", Command: []string{"node", "chat.js", "{url}"}}}
	res := &report.Result{ID: "X-1", Level: schema.Must, Verdict: report.NotApplicable, Stopped: true, Reason: "there was no call"}
	var b strings.Builder
	if err := Judged(&b, r, res, nil, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"what the client sent: there was no call\n", "    or        a2a-conform client --dialect a2a-1.0 --run X-1 -- node chat.js {url}\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("it lacks %q:\n%s", want, b.String())
		}
	}
}

// What is the same in every scenario of a client is printed once, with the count. What is sent to a server is not the same.
func TestTerminalPrintsAlikeViolationsOnce(t *testing.T) {
	for _, c := range []struct {
		name   string
		client bool
		blocks int
		want   []string
	}{
		{"a client", true, 2, []string{"the same in 3 more places", "and 7 more places"}},
		{"a server", false, 3, []string{"and 9 more places"}},
	} {
		res := report.Result{ID: "ZZ99-X-001", Level: schema.Must, Area: "x", Verdict: report.Fail, Reason: "no `jsonrpc`", More: 7}
		for i, did := range []string{"sent no `jsonrpc`", "sent no `jsonrpc`", "sent 1.0", "sent no `jsonrpc`", "sent no `jsonrpc`"} {
			at := report.At{Exchange: i + 1, Pointer: "/jsonrpc"}
			res.Why = append(res.Why, report.Why{Sent: fmt.Sprintf("in the scenario %d", i), Did: did, Due: "2.0", At: at, Client: c.client})
			res.Evidence = append(res.Evidence, report.Evidence{Exchange: i + 1, Pointer: "/jsonrpc"})
			if i > 0 {
				res.Others = append(res.Others, did)
			}
		}
		r := reportstest.SampleReport(res)
		var whole, alone strings.Builder
		Terminal(&whole, r, false)
		if err := Judged(&alone, r, &r.Results[0], nil, false); err != nil {
			t.Fatal(err)
		}
		for _, said := range []string{whole.String(), alone.String()} {
			if got := strings.Count(said, "    got  "); got != c.blocks {
				t.Errorf("%s: got %d blocks, want %d:\n%s", c.name, got, c.blocks, said)
			}
			for _, want := range c.want {
				if !strings.Contains(said, "    "+want+"\n") {
					t.Errorf("%s: it lacks %q:\n%s", c.name, want, said)
				}
			}
		}
	}
}

// A run that has findings and no failure explains what findings are.
func TestTerminalExplainsFindings(t *testing.T) {
	const explains = "A finding breaks no requirement, and changes neither the verdict nor the exit code. To read about the first: a2a-conform explain ZZ99-X-002\n"
	passed := report.Result{ID: "ZZ99-X-001", Level: schema.Must, Area: "x", Verdict: report.Pass}
	tolerated := report.Result{ID: "ZZ99-X-002", Level: schema.May, Area: "x", Verdict: report.Pass, Findings: []report.Finding{{Text: "sent null"}}}
	for _, c := range []struct {
		results []report.Result
		want    bool
	}{{[]report.Result{passed}, false}, {[]report.Result{passed, tolerated}, true}} {
		r := reportstest.SampleReport(c.results...)
		var b strings.Builder
		Terminal(&b, r, false)
		if got := strings.Contains(b.String(), explains); got != c.want {
			t.Errorf("with %d results: explains findings %v, want %v\n%s", len(c.results), got, c.want, b.String())
		}
	}
}

// What there is no room for is where the caller says, since a run may have written no page.
func TestTerminalNamesWhatShowsTheRest(t *testing.T) {
	var results []report.Result
	for i := range view.MaxPrinted + 2 {
		id := fmt.Sprintf("ZZ99-X-%03d", i)
		results = append(results, report.Result{ID: id, Level: schema.Must, Area: "x", Verdict: report.Fail, Reason: "broken", Findings: []report.Finding{{Text: "sent null"}}},
			report.Result{ID: id + "0", Level: schema.Must, Area: "x", Verdict: report.Inconclusive, Reason: "because of " + id})
	}
	var b strings.Builder
	TerminalWithRest(&b, reportstest.SampleReport(results...), false, "--out DIR writes them")
	if n := strings.Count(b.String(), " more: --out DIR writes them\n") + strings.Count(b.String(), " more groups: --out DIR writes them\n"); n < 3 || strings.Contains(b.String(), files.HTMLFile) {
		t.Errorf("%d lines name the flag, want one on failures, one on what is undecided, and one on findings, and none that names a file:\n%s", n, &b)
	}
}
