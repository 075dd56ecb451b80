package e2e

import (
	"bytes"
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// held is a body that never ends by itself.
type held struct {
	io.ReadCloser
	until context.Context
}

func (h held) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	switch {
	case err == io.EOF && n > 0:
		err = nil
	case err == io.EOF:
		<-h.until.Done()
	}
	return n, err
}

// A server that never closes its streams is waited for in all conversations at
// the same time; only the sentence about closing is broken, all others are
// decided.
func TestStreamsThatNeverClose(t *testing.T) {
	t.Parallel()
	origin := bundled(t, reference.Options{Dialect: "a2a-0.1"})
	target, err := url.Parse(origin.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			if r.Out.Body == nil {
				return
			}
			// The server answers before the transport has seen the end of the
			// request. Go's server then closes the request's body, and the
			// transport takes that for a failure and drops the connection to the
			// origin in the middle of the stream, unless it holds the whole body.
			body, err := io.ReadAll(r.Out.Body)
			if err != nil {
				t.Error(err)
			}
			r.Out.Body = io.NopCloser(bytes.NewReader(body))
		},
		FlushInterval: -1,
		Transport:     &http.Transport{}, // which no other test has a hand in
		ErrorLog:      log.New(io.Discard, "", 0),
		ModifyResponse: func(r *http.Response) error {
			if r.Header.Get("Content-Type") == "text/event-stream" {
				r.Body = held{r.Body, r.Request.Context()}
			}
			return nil
		},
	})
	defer proxy.Close()
	o, err := conform.Run(t.Context(), conform.Target{URL: proxy.URL, Endpoint: conform.Endpoint{RPC: proxy.URL + "/"}, Behaviour: conform.Behaviour{DefaultStimuli: true, Declarations: []string{"cancel"}, Webhook: conform.Webhook{Listen: "127.0.0.1:0"}, Allow: []schema.Risk{schema.Heavy},
		Stimuli: map[string]conform.Stimulus{"slow": {Text: "slow 1.5", Seconds: 1.5}}}})
	if err != nil {
		t.Fatal(err)
	}
	var failing []string
	for _, r := range o.Report.Results {
		switch r.Verdict {
		case report.Fail:
			failing = append(failing, r.ID)
		case report.Inconclusive, report.SuiteError:
			t.Errorf("%s is %s: %s", r.ID, r.Verdict, r.Reason)
		}
	}
	if !slices.Equal(failing, []string{"A2A01-STR-014"}) {
		t.Errorf("%v fail", failing)
	}
	d, err := schema.Load("a2a-0.1")
	if err != nil {
		t.Fatal(err)
	}
	var latest, earliest record.Instant // of the starts and the ends of the windows
	for _, p := range o.Transcript.Plays {
		for _, step := range p.Steps {
			if x := step.Exchange; p.Attempt == 1 && x != nil && x.End-x.Start > 4*time.Second {
				latest = max(latest, x.Start)
				if earliest == 0 || x.End < earliest {
					earliest = x.End
				}
			}
		}
	}
	if earliest <= latest {
		t.Errorf("one window began at %v, after the end of another at %v", latest, earliest)
	}
	if o.Report.Run.Waited["must-close"] < d.Patience["must-close"].Seconds {
		t.Errorf("the report shows %v spent waiting", o.Report.Run.Waited)
	}
}
