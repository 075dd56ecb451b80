package reports

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// inTwoBindings is a report of a server that was spoken to in two bindings, does not keep
// in one of them what it keeps in the other, and has a third one elsewhere.
func inTwoBindings() *report.Report {
	cells := func(rpc, rest report.Verdict, why string) []report.SubjectResult {
		return []report.SubjectResult{{Binding: "JSONRPC", Verdict: rpc}, {Binding: "HTTP+JSON", Verdict: rest, Reason: why},
			{Binding: "GRPC", Verdict: report.NotTried, Reason: "the card has GRPC at https://rpc.example.com/, which is another host than the target 127.0.0.1:9999, so that it was not called"}}
	}
	const broken = "the server answered HTTP 404; expected a task (Made-up Protocol 9.9 §7) [exchange 7]"
	away := cells(report.NotTried, report.NotTried, "")
	away[2].Verdict = report.Inconclusive
	r := reportstest.SampleReport(
		report.Result{ID: "ZZ99-CARD-001", Level: schema.Must, Area: "card", Verdict: report.Pass, Section: "3.1", Statement: "The card names the agent.",
			Evidence: []report.Evidence{{Exchange: 1, Pointer: "/name", Excerpt: `"Recipe Agent"`}}, Subjects: cells(report.Pass, report.NotTried, "")},
		report.Result{ID: "ZZ99-TASK-001", Level: schema.Must, Area: "task", Verdict: report.Fail, Section: "7", Statement: "A task that was made can be looked up.",
			Reason: "by HTTP+JSON: " + broken, Evidence: []report.Evidence{{Exchange: 7}}, Subjects: cells(report.Pass, report.Fail, broken)},
		report.Result{ID: "ZZ99-TASK-002", Level: schema.Should, Area: "task", Verdict: report.Pass, Section: "7.1", Statement: "A task has the time of its last change.",
			Evidence: []report.Evidence{{Exchange: 3, Event: 1, Pointer: "/result/status"}}, Subjects: cells(report.Pass, report.Pass, "")},
		report.Result{ID: "ZZ99-TASK-003", Level: schema.Should, Area: "task", Verdict: report.Fail, Section: "7.2", Statement: "A status has a time.",
			Reason: "the server sent a status without a time (exchange 3, event 1, /result/status)", Evidence: []report.Evidence{{Exchange: 3, Event: 1, Pointer: "/result/status"}}, Subjects: cells(report.Fail, report.NotTried, "")},
		report.Result{ID: "ZZ99-GRPC-001", Level: schema.Must, Area: "transport", Verdict: report.Inconclusive, Section: "9", Statement: "A call over gRPC is answered.",
			Remedy: "--rpc GRPC=https://rpc.example.com/ or --trust-host rpc.example.com", Reason: away[2].Reason, Subjects: away},
	)
	r.Target.Bindings = []string{"JSONRPC", "HTTP+JSON"}
	r.Target.Withheld = []report.Withheld{{Binding: "GRPC", URL: "https://rpc.example.com/", Why: "is another host than the target 127.0.0.1:9999",
		Remedy: "--rpc GRPC=https://rpc.example.com/ or --trust-host rpc.example.com"}}
	r.Notices = []string{"the card has GRPC at https://rpc.example.com/, which is another host than the target 127.0.0.1:9999: it was not called, and is not judged; give --rpc GRPC=https://rpc.example.com/ or --trust-host rpc.example.com if it is meant"}
	return r
}

// ofBundled is a report about the server that comes with the program.
func ofBundled() *report.Report {
	r := reportstest.Conforming()
	r.Target.Kind, r.Target.URL, r.Target.Dialect = "bundled", "http://127.0.0.1:40001", "a2a-0.3"
	return r
}

// everythingOnTheScreen is a report with every verdict, every state of a waiver, several
// bindings, settings of each kind, and a baseline that all of them changed against.
func everythingOnTheScreen(t *testing.T) *report.Report {
	t.Helper()
	r := reportstest.EveryVerdict()
	r.Target.Bindings = []string{"JSONRPC", "HTTP+JSON"}
	r.Target.Declares = map[string][]string{"words": {"cancel"}, "never": {"slow"}, "rateLimit": {"5 requests in 1 s"}, "production": {}}
	for i := range r.Results {
		r.Results[i].Subjects = []report.SubjectResult{{Binding: "JSONRPC", Verdict: r.Results[i].Verdict}, {Binding: "HTTP+JSON", Verdict: report.NotTried}}
		r.Baseline.Changes = append(r.Baseline.Changes, report.Change{ID: r.Results[i].ID, Level: r.Results[i].Level, Was: r.Results[i].Verdict, Now: report.Inconclusive, Kind: report.Lost})
	}
	shown := map[report.Verdict]bool{}
	for _, v := range []report.Verdict{report.Pass, report.Fail, report.Inconclusive, report.NotApplicable, report.Waived, report.SuiteError} {
		for _, res := range r.Results {
			shown[v] = shown[v] || res.Verdict == v
		}
		if !shown[v] {
			t.Fatalf("the sample has no %s", v)
		}
	}
	return r
}

func checkXML(t *testing.T, text []byte) {
	t.Helper()
	checkElements(t, text, "testsuites testsuite testcase properties property failure error skipped system-out")
}

// checkSVG makes sure that a picture holds what we draw: nothing that acts or is fetched.
func checkSVG(t *testing.T, text []byte) {
	t.Helper()
	checkElements(t, text, "svg title clipPath rect g text")
}

// checkElements makes sure that XML is well-formed and has no other elements than these.
func checkElements(t *testing.T, text []byte, names string) {
	t.Helper()
	known := map[string]bool{}
	for _, name := range strings.Fields(names) {
		known[name] = true
	}
	for dec := xml.NewDecoder(bytes.NewReader(text)); ; {
		tok, err := dec.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Errorf("the XML is not well-formed: %v", err)
			return
		}
		if e, ok := tok.(xml.StartElement); ok && !known[e.Name.Local] {
			t.Errorf("the XML has an element %s", e.Name.Local)
		}
	}
}
