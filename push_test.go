package conform_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// freeAddress is an address of this machine that nobody listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Servers deliver as they can: twice, late, and with attempts that overtake
// each other. A relay before our webhook does so for the bundled server, and
// nothing is held against it.
func TestHonestDeliveries(t *testing.T) {
	t.Parallel()
	manners := map[string]func(send func(), body []byte){
		"twice": func(send func(), _ []byte) { send(); send() },
		"late":  func(send func(), _ []byte) { time.AfterFunc(2*time.Second, send) },
		"out of order": func(send func(), body []byte) {
			if bytes.Contains(body, []byte(`"working"`)) { // the first attempt failed, say
				time.AfterFunc(300*time.Millisecond, send)
				return
			}
			send()
		},
	}
	for name, manner := range manners {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := bundled(t, reference.Options{Dialect: "a2a-0.1"})
			listen := freeAddress(t)
			relay := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				manner(func() {
					again, _ := http.NewRequest(http.MethodPost, "http://"+listen+r.URL.RequestURI(), bytes.NewReader(body))
					again.Header = r.Header.Clone()
					if resp, err := http.DefaultClient.Do(again); err == nil { // the run may be over
						resp.Body.Close()
					}
				}, body)
			}))
			defer relay.Close()
			o, err := conform.Run(t.Context(), conform.Target{URL: server.URL(), Preset: true, Webhook: conform.Webhook{Listen: listen, URL: relay.URL},
				Select: conform.Selection{Areas: []string{"push"}}})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range o.Report.Results {
				if r.Verdict != judge.Pass && r.Verdict != judge.NotApplicable {
					t.Errorf("%s is %s: %s", r.ID, r.Verdict, r.Reason)
				}
			}
		})
	}
}

// Without a webhook exactly what needs one is undecided, with the flag to give;
// a server that looks for the host of a webhook is not accused either.
func TestWithoutWebhook(t *testing.T) {
	t.Parallel()
	server := bundled(t, reference.Options{Dialect: "a2a-0.1"})
	o, err := conform.Run(t.Context(), conform.Target{URL: server.URL(), Preset: true, Select: conform.Selection{Areas: []string{"push"}}})
	if err != nil {
		t.Fatal(err)
	}
	undecided := 0
	for _, r := range o.Report.Results {
		switch {
		case r.Verdict == judge.Inconclusive:
			undecided++
			if !strings.Contains(r.Remedy, "--webhook-listen") {
				t.Errorf("%s is undecided with the remedy %q: %s", r.ID, r.Remedy, r.Reason)
			}
		case r.Verdict != judge.Pass && r.Verdict != judge.NotApplicable:
			t.Errorf("%s is %s: %s", r.ID, r.Verdict, r.Reason)
		}
	}
	if undecided != 9 {
		t.Errorf("%d requirements need a webhook", undecided)
	}
}
