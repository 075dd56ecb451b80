package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	junit "github.com/joshdk/go-junit"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// replayed writes the transcript of a run and judges it once more.
func replayed(t *testing.T, o *conform.Outcome) *conform.Outcome {
	t.Helper()
	var har bytes.Buffer
	if err := record.WriteHAR(&har, o.Transcript); err != nil {
		t.Fatal(err)
	}
	again, err := conform.Replay(&har)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// bundled starts the bundled server for a test.
func bundled(t *testing.T, o reference.Options) *reference.Server {
	t.Helper()
	if o.Dialect == "jaf-0.3" && o.Rate == (reference.Rate{}) { // which a busy machine can exceed, too
		o.Rate = reference.Rate{Requests: 400, Window: 5 * time.Second}
	}
	s, err := reference.Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// A server that allows five requests in a second (fifteen if a few tests are run, which takes a
// third of the time) is judged as a whole without one refusal, and the report says that it
// took longer for that.
func TestServerWithARateLimit(t *testing.T) {
	server := reference.Options{Dialect: "a2a-0.1", Variant: "limited"}
	if testamount.Few() {
		server.Rate = reference.Rate{Requests: 15, Window: time.Second}
	}
	s := bundled(t, server)
	end := begun(t, conform.Target{URL: s.URL(), Behaviour: conform.Behaviour{DefaultStimuli: true, Stimuli: slowForSure, Allow: []schema.Risk{schema.Heavy}, Webhook: conform.Webhook{Listen: "127.0.0.1:0"}}})
	t.Parallel()
	o, err := end()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range o.Report.Results {
		if r.Verdict == report.Fail || r.Verdict == report.Inconclusive || r.Verdict == report.SuiteError {
			t.Errorf("%s is %s: %s", r.ID, r.Verdict, r.Reason)
		}
	}
	if o.Report.Verdict != report.Conformant || o.Report.Run.Waited["the server's rate limit"] < 10 {
		t.Errorf("%s, waited %v", o.Report.Verdict, o.Report.Run.Waited)
	}
	for _, x := range o.Transcript.Exchanges {
		if x.Status() == http.StatusTooManyRequests {
			t.Errorf("exchange %d was refused", x.ID)
		}
	}
}

// exceededSoon is a rate limit that a busy machine exceeds, too, and in less time than that
// which a bundled server has by itself.
var exceededSoon = reference.Rate{Requests: 50, Window: time.Second}

// TestBundledServer makes a subtest of every requirement, and does it twice in
// this process, as a library must be able to; in some dialects.
func TestBundledServer(t *testing.T) {
	t.Parallel()
	bundledServers(t, false)
}

// This one runs beside no other test of the package: a rate limit is exceeded by calling
// faster than it allows, which takes a processor.
func TestBundledServerWithALimit(t *testing.T) { bundledServers(t, true) }

func bundledServers(t *testing.T, limited bool) {
	again := testamount.Of(schema.Names(), "a2a-0.1", "core-schema")
	for _, name := range schema.Names() {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if limited != (d.Card.Rate.Requests != "") {
			continue
		}
		for _, round := range []string{"once", "twice"} {
			if round == "twice" && !slices.Contains(again, name) || round == "once" && !limited && testamount.LeavesOut(true) {
				continue
			}
			t.Run(name+"/"+round, func(t *testing.T) {
				t.Parallel()
				server := reference.Options{Dialect: name}
				if limited && testamount.Few() {
					server.Rate = exceededSoon
				}
				s := bundled(t, server)
				o := conform.Test(t, s.URL(), func(target *conform.Target) {
					target.DefaultStimuli, target.Stimuli, target.Webhook.Listen = true, slowForSure, "127.0.0.1:0"
					// The protocol may demand that its rate limit be tried, or that agents be registered.
					target.Allow = []schema.Risk{schema.Disruptive, schema.Residue}
					if d.Detect.Never { // it has to be named
						target.Dialect = name
					}
				})
				if o.Report.Verdict != report.Conformant {
					t.Errorf("%s: %s", o.Report.Verdict, o.Report.Reason)
				}
				for _, r := range o.Report.Results {
					if r.Verdict == report.Inconclusive {
						t.Logf("%s: %s", r.ID, r.Reason)
					}
				}
				if o.Dialect.Name != name {
					t.Errorf("it was taken for %s", o.Dialect.Name)
				}
			})
		}
	}
}

// A replay gives the verdicts of the run for every requirement.
func TestReplayAgrees(t *testing.T) {
	t.Parallel()
	for _, name := range testamount.Of(schema.Names(), "a2a-1.0", "jaf-0.3") {
		t.Run(name, func(t *testing.T) {
			s := bundled(t, reference.Options{Dialect: name})
			o, err := conform.Run(t.Context(), conform.Target{URL: s.URL(), Behaviour: conform.Behaviour{DefaultStimuli: true}})
			if err != nil {
				t.Fatal(err)
			}
			s.Close() // no network from here on
			again := replayed(t, o)
			if again.Report.Target.Kind != report.ReplayedTarget {
				t.Errorf("a file is called a %s", again.Report.Target.Kind)
			}
			again.Report.Target.Kind = o.Report.Target.Kind
			if !reflect.DeepEqual(plain(t, o.Report), plain(t, again.Report)) {
				t.Error("the replay differs from the run")
			}
		})
	}
}

// plain is a report as others see it.
func plain(t *testing.T, r *report.Report) (out map[string]any) {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Servers that are no A2A servers, or broken ones, never look green.
func TestBrokenServers(t *testing.T) {
	t.Parallel()
	card := func(w http.ResponseWriter, r *http.Request, rest http.HandlerFunc) {
		if r.URL.Path != "/.well-known/agent.json" {
			rest(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"name":"x","url":"http://%s/","version":"1","capabilities":{"streaming":true},"skills":[{"id":"a","name":"a"}]}`, r.Host)
	}
	hangUp := func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
	}
	const notRecognised = "not recognised: no agent card or JSON-RPC endpoint was found at SERVER; if the card is elsewhere, give --card URL, and if it is the endpoint, --rpc URL and --dialect"
	const breaks = "the server breaks "
	const unreached = "the RPC endpoint SERVER/ gave no HTTP response in the whole run; if the endpoint is elsewhere, give --rpc"
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		auto    report.RunVerdict // with the dialect auto: a server that shows nothing of A2A is not recognised
		why     string            // how the reason begins then; SERVER is the target
		named   report.RunVerdict // with the dialect given
		because string            // how the reason begins then
	}{
		{"500 to everything", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, report.Void, notRecognised, report.Nonconformant, breaks},
		{"an HTML site", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<html><h1>Welcome</h1></html>")
		}, report.Void, notRecognised, report.Nonconformant, breaks},
		{"a fine card and an RPC that hangs up", func(w http.ResponseWriter, r *http.Request) { card(w, r, hangUp) },
			report.Unreachable, unreached, report.Unreachable, unreached},
		{"a fine card and an RPC of 404", func(w http.ResponseWriter, r *http.Request) { card(w, r, http.NotFound) }, report.Nonconformant, breaks, report.Nonconformant, breaks},
		{"a card that is no JSON", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "name: x") }, report.Void, notRecognised, report.Nonconformant, breaks},
		{"results without sense", func(w http.ResponseWriter, r *http.Request) {
			card(w, r, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, `{"jsonrpc":"2.0","id":null,"result":{}}`)
			})
		}, report.Nonconformant, breaks, report.Nonconformant, breaks},
		{"every call a gateway's", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
			report.Unreachable, "every answer was a gateway's (HTTP 502): the server behind SERVER is down", report.Unreachable, "every answer was a gateway's (HTTP 502): the server behind SERVER is down"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(c.handler)
			defer s.Close()
			neverGreen(t, s.URL, c.auto, c.why)
		})
		t.Run(c.name+", dialect given", func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(c.handler)
			defer s.Close()
			neverGreen(t, s.URL, c.named, c.because, func(target *conform.Target) { target.Dialect = "a2a-0.1" })
		})
	}
	t.Run("nothing listening", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		neverGreen(t, "http://"+l.Addr().String(), report.Unreachable, "nothing answered at SERVER: connection refused: is the server running on port "+port+"?")
	})
}

// neverGreen judges a server and compares the verdict, the exit code, the first line that is
// printed, which has the reason with what to do, and the failures of every report.
func neverGreen(t *testing.T, url string, want report.RunVerdict, why string, options ...func(*conform.Target)) {
	t.Helper()
	target := conform.Target{URL: url}
	for _, o := range options {
		o(&target)
	}
	o, err := conform.Run(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	if o.Report.Verdict != want {
		t.Errorf("verdict %s (%s), want %s", o.Report.Verdict, o.Report.Reason, want)
	}
	if code := map[report.RunVerdict]int{report.Nonconformant: 1, report.Void: 2, report.Unreachable: 4}[want]; o.ExitCode() != code || len(o.Report.Results) == 0 {
		t.Errorf("exit code %d with %d results, want %d", o.ExitCode(), len(o.Report.Results), code)
	}
	var printed strings.Builder
	reports.Quiet(&printed, o.Report)
	first, _, _ := strings.Cut(printed.String(), "\n")
	if begins := string(want) + ": " + url + ": " + strings.ReplaceAll(why, "SERVER", url); !strings.HasPrefix(first, begins) {
		t.Errorf("got  %s\nwant %s", first, begins)
	}
	dir := t.TempDir()
	if err := o.Write(dir); err != nil {
		t.Fatal(err)
	}
	suites, err := junit.IngestFile(filepath.Join(dir, "junit.xml"))
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, s := range suites {
		failed += s.Totals.Failed
	}
	due := 1 // the verdict itself
	if slices.ContainsFunc(o.Report.Results, func(r report.Result) bool { return r.Verdict == report.Fail }) {
		due++ // and a requirement, at least
	}
	if want == report.Nonconformant && due == 1 {
		t.Error("no requirement fails in a run that is nonconformant")
	}
	if want != report.Nonconformant && want != report.Unreachable && due > 1 {
		t.Errorf("a requirement fails in a run that is %s", want)
	}
	if failed < due {
		t.Errorf("junit.xml shows %d failures, want %d or more", failed, due)
	}
	for _, f := range []string{"report.json", "report.html", "summary.md", "transcript.har"} {
		if info, err := os.Stat(filepath.Join(dir, f)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// A server that demands credentials, as it should, is not accused when none
// were given: the report names the flags.
func TestCredentialsDemanded(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"bare", "JSON-RPC"} {
		t.Run(form, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if r.Method == http.MethodGet {
					fmt.Fprintf(w, `{"name":"x","url":"http://%s/","version":"1","capabilities":{"streaming":true},"authentication":{"schemes":["Bearer"]},"skills":[{"id":"a","name":"a"}]}`, r.Host)
					return
				}
				w.Header().Set("WWW-Authenticate", "Bearer")
				w.WriteHeader(http.StatusUnauthorized)
				if form == "JSON-RPC" {
					io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32007,"message":"Authentication required"}}`)
				}
			}))
			defer s.Close()
			o, err := conform.Run(t.Context(), conform.Target{URL: s.URL})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range o.Report.Results {
				if r.Verdict == report.Fail {
					t.Errorf("%s is accused: %s", r.ID, r.Reason)
				}
			}
			if o.Report.Verdict != report.Void || !o.Report.NeedsCredentials || !strings.Contains(o.Report.Reason, "--bearer-env") {
				t.Errorf("%s: %s", o.Report.Verdict, o.Report.Reason)
			}
		})
	}
}

// A server that never answers is unreachable within the deadline, not our
// fault.
func TestServerThatHangs(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer s.Close()
	defer close(release)
	for _, dialect := range []string{"auto", "a2a-0.1"} {
		o, err := conform.Run(t.Context(), conform.Target{URL: s.URL, Dialect: dialect, Limits: conform.Limits{Timeout: 200 * time.Millisecond, Deadline: 2 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		if o.Report.Verdict != report.Unreachable || len(o.Report.Results) == 0 {
			t.Errorf("%s: %s: %s", dialect, o.Report.Verdict, o.Report.Reason)
		}
	}
}

// A card of a protocol that is not spoken here is named, not denied.
func TestCardOfAnotherProtocol(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/.well-known/agent-card.json" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"name":"x","protocolVersion":"7.0","skills":[]}`)
	}))
	defer s.Close()
	_, err := conform.Run(t.Context(), conform.Target{URL: s.URL})
	var mistake *conform.UsageError
	if !errors.As(err, &mistake) || !strings.Contains(err.Error(), "7.0") || !strings.Contains(err.Error(), "--dialect") {
		t.Errorf("got %v", err)
	}
}
