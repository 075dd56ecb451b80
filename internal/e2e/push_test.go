package e2e

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/internal/testprocess"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Servers deliver as they can: twice, late, compressed, and with attempts that overtake
// each other. A relay before our webhook does so for the bundled server, and
// nothing is held against it.
func TestHonestDeliveries(t *testing.T) {
	t.Parallel()
	for name, relay := range map[string]relay{
		"twice": func(send sender, body []byte) { send(body, ""); send(body, "") },
		"late":  func(send sender, body []byte) { time.AfterFunc(2*time.Second, func() { send(body, "") }) },
		"out of order": func(send sender, body []byte) {
			if bytes.Contains(body, []byte(`"working"`)) { // the first attempt failed, say
				time.AfterFunc(300*time.Millisecond, func() { send(body, "") })
				return
			}
			send(body, "")
		},
		"compressed": func(send sender, body []byte) { send(gzipBody(body), "gzip") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, r := range judgeRelayed(t, relay).Results {
				if r.Verdict != report.Pass && r.Verdict != report.NotApplicable {
					t.Errorf("%s is %s: %s", r.ID, r.Verdict, r.Reason)
				}
			}
		})
	}
}

// A delivery in a coding that the suite cannot take off leaves undecided what is about its
// body, and is no fault.
func TestDeliveriesInAnUnknownCoding(t *testing.T) {
	t.Parallel()
	undecided := 0
	for _, r := range judgeRelayed(t, func(send sender, body []byte) { send(body, "br") }).Results {
		switch {
		case r.Verdict == report.Inconclusive && strings.Contains(r.Reason, "br"):
			undecided++
		case r.Verdict != report.Pass && r.Verdict != report.NotApplicable && r.Verdict != report.Inconclusive:
			t.Errorf("%s is %s: %s", r.ID, r.Verdict, r.Reason)
		}
	}
	if undecided == 0 {
		t.Error("nothing is undecided for the sake of the coding")
	}
}

// sender hands a delivery on, with a body and its content coding.
type sender func(body []byte, coding string)

// relay is what is done with each delivery on its way.
type relay func(send sender, body []byte)

// judgeRelayed judges the deliveries of the bundled server with a relay before the webhook.
func judgeRelayed(t *testing.T, relay relay) *report.Report {
	t.Helper()
	server := bundled(t, reference.Options{Dialect: "a2a-0.1"})
	listen := testprocess.HoldAddress(t)
	front := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		relay(func(body []byte, coding string) {
			again, _ := http.NewRequest(http.MethodPost, "http://"+listen+r.URL.RequestURI(), bytes.NewReader(body))
			again.Header = r.Header.Clone()
			if coding != "" {
				again.Header.Set("Content-Encoding", coding)
			}
			if resp, err := http.DefaultClient.Do(again); err == nil { // the run may be over
				resp.Body.Close()
			}
		}, body)
	}))
	defer front.Close()
	o, err := conform.Run(t.Context(), conform.Target{URL: server.URL(), Behaviour: conform.Behaviour{DefaultStimuli: true, Webhook: conform.Webhook{Listen: listen, URL: front.URL}},
		Judging: conform.Judging{Select: conform.Selection{Areas: []string{"push"}}}})
	if err != nil {
		t.Fatal(err)
	}
	return o.Report
}

func gzipBody(body []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write(body)
	z.Close()
	return out.Bytes()
}

// Without a webhook exactly what needs one is undecided, with the flag to give;
// a server that looks for the host of a webhook is not accused either.
func TestWithoutWebhook(t *testing.T) {
	t.Parallel()
	server := bundled(t, reference.Options{Dialect: "a2a-0.1"})
	o, err := conform.Run(t.Context(), conform.Target{URL: server.URL(), Behaviour: conform.Behaviour{DefaultStimuli: true}, Judging: conform.Judging{Select: conform.Selection{Areas: []string{"push"}}}})
	if err != nil {
		t.Fatal(err)
	}
	undecided := 0
	for _, r := range o.Report.Results {
		switch {
		case r.Verdict == report.Inconclusive:
			undecided++
			if !strings.Contains(r.Remedy, "--webhook-listen") {
				t.Errorf("%s is undecided with the remedy %q: %s", r.ID, r.Remedy, r.Reason)
			}
		case r.Verdict != report.Pass && r.Verdict != report.NotApplicable:
			t.Errorf("%s is %s: %s", r.ID, r.Verdict, r.Reason)
		}
	}
	if undecided != 9 {
		t.Errorf("%d requirements need a webhook", undecided)
	}
}
