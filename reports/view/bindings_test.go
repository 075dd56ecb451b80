package view_test

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// The one line of a quiet run names the binding that is broken among several, and none if nothing was judged.
func TestDescribeFailuresByBinding(t *testing.T) {
	cell := func(binding string, v report.Verdict) report.SubjectResult {
		return report.SubjectResult{Binding: binding, Verdict: v}
	}
	three := report.Report{Verdict: report.Nonconformant,
		Target: report.Target{Bindings: []string{"JSONRPC", "HTTP+JSON"}, Withheld: []report.Withheld{{Binding: "GRPC"}}},
		Results: []report.Result{{ID: "X-1", Level: schema.Must, Verdict: report.Fail,
			Subjects: []report.SubjectResult{cell("JSONRPC", report.Pass), cell("HTTP+JSON", report.Fail), cell("GRPC", report.NotTried)}}}}
	one, void := three, three
	one.Target = report.Target{Bindings: []string{"JSONRPC"}}
	void.Verdict = report.Void
	for _, c := range []struct {
		name string
		r    report.Report
		want string
	}{
		{"one of three", three, "JSONRPC 0, HTTP+JSON 1, GRPC not called"},
		{"a single one", one, ""},
		{"no result", void, ""},
	} {
		if got := view.DescribeFailuresByBinding(&c.r); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
