package summary

import (
	"fmt"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// A server that keeps everything from a client without credentials is undecided, with the flags
// that would get it decided.
func TestGuardedServerHasRemedy(t *testing.T) {
	const flags = "--bearer-env, --basic-env or --api-key-env"
	secrets := []string{"bearer"}
	for _, c := range []struct {
		name     string
		reported func(*record.Transcript) *report.Report
		facts    record.Facts
		statuses []int
		want     string
	}{
		{"a guarded card", ReportMistake, record.Facts{Hint: "the card needs credentials", Guarded: true}, []int{401}, flags},
		{"a guarded card and wrong credentials", ReportMistake, record.Facts{Hint: "the card needs credentials", Guarded: true, Secrets: secrets}, []int{401}, "valid credentials, by " + flags},
		{"another mistake", ReportMistake, record.Facts{Hint: "give --dialect"}, []int{200}, ""},
		{"everything forbidden", ReportUnrecognised, record.Facts{}, []int{403, 401, 403}, flags},
		{"not everything forbidden", ReportUnrecognised, record.Facts{}, []int{403, 404}, ""},
		{"forbidden, and known to be a server", ReportUnrecognised, record.Facts{Given: []string{"--rpc"}}, []int{403}, ""},
		{"nothing asked", ReportUnrecognised, record.Facts{}, nil, ""},
	} {
		tr := &record.Transcript{Facts: c.facts}
		for i, status := range c.statuses {
			tr.Exchanges = append(tr.Exchanges, &record.Exchange{ID: i + 1, Response: record.Message{Head: fmt.Appendf(nil, "HTTP/1.1 %d X\r\n\r\n", status)}, Ended: record.EOF})
		}
		r := c.reported(tr)
		if len(r.Results) != 1 || r.Results[0].Remedy != c.want {
			t.Errorf("%s: got %q, want the remedy %q", c.name, r.Results[0].Remedy, c.want)
		}
	}
}
