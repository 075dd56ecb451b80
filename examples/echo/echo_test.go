package echo_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/examples/echo"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// The agent never works slowly, asks, fails on purpose or streams: one line
// says so, and every requirement that is left is decided.
func TestConformance(t *testing.T) {
	server := httptest.NewServer(&echo.Agent{})
	defer server.Close()
	outcome := conform.Test(t, server.URL, func(target *conform.Target) {
		target.Never = []string{"slow", "ask", "fail", "chunks", "data", "remember", "needauth", "resource"}
	})
	if outcome.Report.Verdict != report.Conformant {
		t.Errorf("%s: %s", outcome.Report.Verdict, outcome.Report.Reason)
	}
	if t.Failed() { // the bytes behind every failure, and scripts that repeat them
		if err := outcome.Write("a2a-report"); err != nil {
			t.Error(err)
		}
	}
}

// Without the line the run is partial, accuses nobody, and prints the line.
func TestTheReportSuggestsTheLine(t *testing.T) {
	server := httptest.NewServer(&echo.Agent{})
	defer server.Close()
	outcome, err := conform.Run(t.Context(), conform.Target{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range outcome.Report.Results {
		if r.Verdict == report.Fail {
			t.Errorf("%s is accused: %s", r.ID, r.Reason)
		}
	}
	switch v := outcome.Report.Verdict; v {
	case report.Conformant:
		return
	case report.Partial:
	default:
		t.Fatalf("%s: %s", v, outcome.Report.Reason)
	}
	_, line, ok := strings.Cut(strings.Join(outcome.Report.Advice, "\n"), "declares: {never: [")
	if !ok {
		t.Fatalf("no declaration is suggested: %q", outcome.Report.Advice)
	}
	words, _, _ := strings.Cut(line[strings.LastIndex(line, "never: [")+1:], "]")
	if i := strings.LastIndex(line, "declares: {never: ["); i >= 0 {
		words, _, _ = strings.Cut(line[i+len("declares: {never: ["):], "]")
	}
	again, err := conform.Run(t.Context(), conform.Target{URL: server.URL, Behaviour: conform.Behaviour{Never: strings.Split(words, ", ")}})
	if err != nil {
		t.Fatal(err)
	}
	if again.Report.Verdict != report.Conformant {
		t.Errorf("with the suggested line: %s: %s", again.Report.Verdict, again.Report.Reason)
	}
}
