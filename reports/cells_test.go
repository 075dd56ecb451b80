package reports

import (
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reports/html"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Every report for people shows the result of a requirement for each subject, and report.json conforms to its
// schema.
func TestReportsShowEachSubject(t *testing.T) {
	r := reportstest.SampleReport(report.Result{ID: "ZZ99-ONE-001", Level: schema.Must, Area: "task", Section: "1", Statement: "It holds.", Verdict: report.Fail, Reason: "by OPS: it does not",
		Evidence: []report.Evidence{}, Findings: []report.Finding{}, Subjects: []report.SubjectResult{
			{Binding: "JSONRPC", Verdict: report.Pass}, {Binding: "OPS", Verdict: report.Fail, Reason: "it does not"}, {Binding: "GRPC", Verdict: report.NotTried}}})
	r.Target.Bindings = []string{"JSONRPC", "OPS", "GRPC"}
	for name, write := range map[string]func(io.Writer) error{
		"markdown": func(b io.Writer) error { return Markdown(b, r) },
		"terminal": func(b io.Writer) error { Terminal(b, r, false); return nil },
		"html":     func(b io.Writer) error { return html.WriteReport(b, r, reportstest.Sample()) },
	} {
		b := reportstest.Render(t, write)
		want := "JSONRPC: pass, OPS: fail, GRPC: not tried"
		if name == "html" {
			want = `<span>JSONRPC <b class="pass" data-s="0">pass</b></span> <span>OPS <b class="fail" data-s="1">fail</b></span> <span>GRPC <b class="not-tried" data-s="2">not tried</b></span>`
		}
		if !strings.Contains(b, want) {
			t.Errorf("%s does not show %s", name, want)
		}
	}
	b := reportstest.Render(t, func(w io.Writer) error { return JSON(w, r) })
	again, err := ReadJSON(strings.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if got := again.Results[0].Subjects[2]; !reflect.DeepEqual(got, r.Results[0].Subjects[2]) {
		t.Errorf("the last subject is %v", got)
	}
}
