package html

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// What we bring to the webhook of a client is no call.
func TestSummariesOfNotifications(t *testing.T) {
	t.Parallel()
	answered := &record.Exchange{Dir: record.Out, Ended: record.EOF, URL: "http://127.0.0.1:1/hook",
		Request:  record.Message{Head: []byte("POST /hook HTTP/1.1\r\n\r\n"), Body: []byte("{}")},
		Response: record.Message{Head: []byte("HTTP/1.1 415 Unsupported Media Type\r\n\r\n")}}
	refused := &record.Exchange{Dir: record.Out, Ended: record.NoDial, URL: "http://127.0.0.1:1/hook", Request: record.Message{Head: []byte("POST /hook HTTP/1.1\r\n\r\n")}}
	tr := &record.Transcript{Facts: record.Facts{Role: record.ClientRole, Dialect: "a2a-1.0"}, Plays: []record.Play{{Scenario: "push", Client: &record.ClientRun{},
		Steps: []record.Step{{Name: "notify-task", Hook: "7", Exchange: answered}, {Name: "notify-end", Hook: "7", Exchange: refused}}}}}
	rd := newSummarizer(&report.Report{Target: report.Target{Role: record.ClientRole, Dialect: "a2a-1.0"}}, tr)
	for x, want := range map[*record.Exchange]exchangeSummary{answered: {"we notify: notify-task", "HTTP 415", outcomeOK}, refused: {"we notify: notify-end", "no answer", outcomeBroken}} {
		if got := rd.summarizeExchange(x); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}
