package harness

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

const overREST = "HTTP+JSON"

// A sentence that is not about a binding comes to the same over JSON-RPC and over
// HTTP+JSON, but for what a path and a query cannot say.
func TestRESTIsJudgedAlike(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	d, err := schema.Load("a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	server, err := reference.Start(t.Context(), reference.Options{Dialect: d.Name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	by := map[string]*verdict.Decider{}
	for _, name := range []string{"JSONRPC", overREST} {
		by[name] = spoke(t, d, operator.Target{URL: server.URL(), Endpoint: operator.Endpoint{Binding: name}})
	}
	tried := 0
	for _, q := range d.Requirements {
		here, there := by["JSONRPC"].Result(q.ID), by[overREST].Result(q.ID)
		switch {
		case !q.For(schema.KindREST) || !q.For(schema.KindJSONRPC):
		case there.Verdict == report.NotApplicable && strings.Contains(there.Reason, binding.ErrNotSayable.Error()):
		case here.Verdict == report.Inconclusive || there.Verdict == report.Inconclusive: // a busy machine was late
		case here.Verdict != there.Verdict:
			t.Errorf("%s %s\n\tover JSON-RPC %s: %s\n\tover HTTP+JSON %s: %s", q.ID, q.Statement, here.Verdict, here.Reason, there.Verdict, there.Reason)
		case there.Verdict == report.Pass:
			tried++
		}
	}
	if tried < 250 {
		t.Errorf("only %d sentences hold over HTTP+JSON", tried)
	}
}

// Where the source leaves the verb of an operation open, a server needs to serve one.
func TestEitherRouteWillDo(t *testing.T) {
	t.Parallel()
	d, err := schema.Load("a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	for verb, want := range map[string]report.Verdict{"": report.Pass, http.MethodPost: report.Pass, http.MethodGet: report.Pass, "both": report.Fail} {
		t.Run("without "+verb, func(t *testing.T) {
			t.Parallel()
			server := without(t, d, func(r *http.Request) bool {
				return strings.HasSuffix(r.URL.Path, ":subscribe") && (r.Method == verb || verb == "both")
			})
			target := operator.Target{URL: server.URL, Dialect: d.Name, Endpoint: operator.Endpoint{Binding: overREST}, Behaviour: operator.Behaviour{DefaultStimuli: true,
				Stimuli: map[string]operator.Stimulus{"slow": {Text: "slow 1", Seconds: 1}}}} // under way for sure, on a busy machine too
			talk, err := run(t.Context(), target, scenario.All, func(*schema.Dialect) ([]string, error) { return []string{"quick", "followed"}, nil })
			if err != nil {
				t.Fatal(err)
			}
			r := verdict.NewDecider(d, talk.Transcript, suites.Checks(), nil).Result("A2A10-REST-OP-011")
			if r.Verdict != want {
				t.Errorf("%s: %s", r.Verdict, r.Reason)
			}
			detours := 0
			for p, s := range talk.Transcript.Steps() { // of each attempt: a later one knows which way is served
				if p.Scenario == "followed" && strings.Contains(s.Name, "-other-way-") {
					detours++
				}
			}
			if (detours > 0) != (verb == http.MethodPost || verb == "both") {
				t.Errorf("%d attempts in a way that is not served are on record", detours)
			}
		})
	}
}

// without is the bundled server, which has some of its paths not.
func without(t *testing.T, d *schema.Dialect, lacks func(*http.Request) bool) *httptest.Server {
	t.Helper()
	behind, err := reference.Start(t.Context(), reference.Options{Dialect: d.Name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { behind.Close() })
	to, err := url.Parse(behind.URL())
	if err != nil {
		t.Fatal(err)
	}
	var server *httptest.Server
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, ModifyResponse: func(r *http.Response) error {
		if !strings.Contains(r.Request.URL.Path, "/.well-known/") {
			return nil
		}
		text, err := io.ReadAll(r.Body)
		text = bytes.ReplaceAll(text, []byte(behind.URL()), []byte(server.URL))
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		r.Header.Set("Content-Length", strconv.Itoa(len(text)))
		return err
	}}
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if lacks(r) {
			http.Error(w, "no such verb", http.StatusMethodNotAllowed)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server
}
