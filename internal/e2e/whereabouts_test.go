package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// What is not there is unreachable, and what shows neither a card nor JSON-RPC is not recognised,
// unless the operator says that it is an A2A server. The reason says what to do.
func TestWhatIsNoServer(t *testing.T) {
	t.Parallel()
	says := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	atCard := func(kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/.well-known/agent-card.json") {
				http.NotFound(w, r)
				return
			}
			says(200, kind, body)(w, r)
		}
	}
	const page = "<h1>Welcome</h1>"
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		verdict report.RunVerdict // with the dialect auto
		named   report.RunVerdict // with a dialect
		says    string            // of the reason, with the dialect auto
	}{
		{"502", says(502, "text/html", page), report.Unreachable, report.Unreachable, "a gateway's (HTTP 502)"},
		{"503", says(503, "text/plain", "no healthy upstream"), report.Unreachable, report.Unreachable, "a gateway's (HTTP 503)"},
		{"503 with JSON of the gateway", says(503, "application/json", `{"message":"no"}`), report.Unreachable, report.Unreachable, "a gateway's (HTTP 503)"},
		{"504", says(504, "text/html", ""), report.Unreachable, report.Unreachable, "a gateway's (HTTP 504)"},
		{"503 with JSON-RPC", says(503, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"no"}}`), report.Void, report.Nonconformant, "--dialect"},
		{"500", says(500, "text/plain", ""), report.Void, report.Nonconformant, "not recognised: "},
		{"a page", says(200, "text/html", page), report.Void, report.Nonconformant, "not recognised: no agent card"},
		{"403", says(403, "text/plain", ""), report.Void, report.Void, "--bearer-env"},
		{"a redirect to https", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://agents.example"+r.URL.Path, http.StatusFound)
		}, report.Void, report.Nonconformant, "to https://agents.example"},
		{"a card that is cut off", atCard("application/json", `{"name": "x"`), report.Nonconformant, report.Nonconformant, "is not JSON: line 1, column 13: "},
		{"a card that is cut off, unlabelled", atCard("text/plain", "\n {\"name\":\n  x}"), report.Nonconformant, report.Nonconformant, "is not JSON: line 3, column 3: "},
		{"a page that is labelled as JSON", atCard("application/json", page), report.Nonconformant, report.Nonconformant, "is not JSON: line 1, column 1: "},
		{"a list", atCard("application/json", "[]"), report.Nonconformant, report.Nonconformant, "holds JSON, but no object"},
		{"a text without a claim", atCard("text/plain", "name: x"), report.Void, report.Nonconformant, "not recognised: "},
	} {
		for _, dialect := range []string{"auto", "a2a-1.0"} {
			t.Run(c.name+" "+dialect, func(t *testing.T) {
				t.Parallel()
				s := httptest.NewServer(c.handler)
				defer s.Close()
				o, err := conform.Run(t.Context(), conform.Target{URL: s.URL, Dialect: dialect})
				if o == nil {
					t.Fatal(err)
				}
				want := c.verdict
				if dialect != "auto" {
					want = c.named
				}
				if o.Report.Verdict != want {
					t.Errorf("got %s (%s), want %s", o.Report.Verdict, o.Report.Reason, want)
				}
				if dialect == "auto" && !strings.Contains(o.Report.Reason, c.says) {
					t.Errorf("%q does not say %q", o.Report.Reason, c.says)
				}
				failing := 0
				for _, r := range o.Report.Results {
					if r.Verdict == report.Fail {
						failing++
					}
				}
				if (want == report.Void || want == report.Unreachable) && failing > 0 {
					t.Errorf("%d requirements fail in a run that is %s", failing, want)
				}
				if again := replayed(t, o); again.Report.Verdict != o.Report.Verdict || again.Report.Reason != o.Report.Reason {
					t.Errorf("the replay is %s: %s", again.Report.Verdict, again.Report.Reason)
				}
			})
		}
	}
}

// A port of gRPC at an http URL is named.
func TestPortOfGRPC(t *testing.T) {
	t.Parallel()
	s := bundled(t, reference.Options{Dialect: "a2a-1.0", GRPCAddr: "127.0.0.1:0"})
	for _, dialect := range []string{"auto", "a2a-1.0"} {
		o, err := conform.Run(t.Context(), conform.Target{URL: "http://" + s.GRPCAddr(), Dialect: dialect})
		if err != nil {
			t.Fatal(err)
		}
		if o.Report.Verdict != report.Unreachable || !strings.Contains(o.Report.Reason, "HTTP/2 without TLS: a gRPC port?") {
			t.Errorf("%s: %s: %s", dialect, o.Report.Verdict, o.Report.Reason)
		}
	}
}

// An address that no client can call is one finding, in every dialect with a card, and changes
// nothing else: the run goes on at the target's own host.
func TestUnspecifiedAddressOnTheCard(t *testing.T) {
	t.Parallel()
	for _, name := range reference.Dialects() {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Card.Paths) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(mutant string) *conform.Outcome {
				s := bundled(t, reference.Options{Dialect: name, Mutant: mutant})
				o, err := conform.Run(t.Context(), conform.Target{URL: s.URL(), Dialect: name, Judging: conform.Judging{Select: conform.Selection{Areas: []string{"card"}}}})
				if err != nil {
					t.Fatal(err)
				}
				return o
			}
			sound, o := run(""), run("card-url-unspecified")
			if o.Report.Verdict != sound.Report.Verdict || fmt.Sprint(o.Report.Summary) != fmt.Sprint(sound.Report.Summary) {
				t.Errorf("%s %v, want %s %v", o.Report.Verdict, o.Report.Summary, sound.Report.Verdict, sound.Report.Summary)
			}
			found := 0
			for _, r := range o.Report.Results {
				for _, f := range r.Findings {
					if strings.Contains(f.Text, "0.0.0.0 is the unspecified address") {
						found++
					}
				}
			}
			if found != 1 {
				t.Errorf("%d findings speak of the address", found)
			}
		})
	}
}

// If nothing answers where the card says that calls go, the run is unreachable and accuses the
// server of nothing but what its card shows.
func TestDeadEndpointOnTheCard(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a2a-0.1", "a2a-0.3", "a2a-1.0"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agent := bundled(t, reference.Options{Dialect: name})
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got, err := http.Get(agent.URL() + r.URL.Path)
				if err != nil || !strings.HasPrefix(r.URL.Path, "/.well-known/") {
					http.NotFound(w, r)
					return
				}
				defer got.Body.Close()
				card, _ := io.ReadAll(got.Body)
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(got.StatusCode)
				io.WriteString(w, strings.ReplaceAll(string(card), agent.URL(), "http://127.0.0.1:1"))
			}))
			defer s.Close()
			o, err := conform.Run(t.Context(), conform.Target{URL: s.URL})
			if err != nil {
				t.Fatal(err)
			}
			if o.Report.Verdict != report.Unreachable {
				t.Errorf("got %s: %s", o.Report.Verdict, o.Report.Reason)
			}
			undecided := 0
			for _, r := range o.Report.Results {
				for _, e := range r.Evidence {
					if x := o.Transcript.Exchanges[e.Exchange-1]; r.Verdict == report.Fail && !x.Answered() {
						t.Errorf("%s fails on a call that nobody answered: %s", r.ID, r.Reason)
					}
				}
				if r.Verdict == report.Inconclusive && strings.Contains(r.Reason, "where calls go") {
					undecided++
				}
			}
			if undecided == 0 {
				t.Error("no requirement is undecided because nothing answered")
			}
			if again := replayed(t, o); again.Report.Verdict != o.Report.Verdict || fmt.Sprint(again.Report.Summary) != fmt.Sprint(o.Report.Summary) {
				t.Errorf("the replay is %s %v", again.Report.Verdict, again.Report.Summary)
			}
		})
	}
}
