package echo_test

import (
	"net/http/httptest"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/examples/echo"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// The agent answers every message with a message, so what is about tasks does not apply to
// it, and every MUST that does is decided.
func TestConformance(t *testing.T) {
	server := httptest.NewServer(&echo.Agent{})
	defer server.Close()
	outcome := conform.Test(t, server.URL, conform.Reports("a2a-report"))
	if outcome.Report.Verdict != report.Conformant {
		t.Errorf("%s: %s", outcome.Report.Verdict, outcome.Report.Reason)
	}
}
