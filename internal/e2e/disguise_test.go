package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/transport"
)

// A healthy server is answered alike in every dialect, and the requirements are
// judged as they are without the calls that were compared.
func TestDisguiseOfHealthyServers(t *testing.T) {
	t.Parallel()
	for _, name := range testamount.Of(schema.Names(), "a2a-0.1", "jaf-0.3") {
		t.Run(name, func(t *testing.T) {
			server := reference.Options{Dialect: name}
			if name == "jaf-0.3" {
				server.Rate = exceededSoon
			}
			s := bundled(t, server)
			o, err := conform.Run(t.Context(), conform.Target{URL: s.URL(), Dialect: name, Behaviour: conform.Behaviour{DefaultStimuli: true,
				Stimuli: slowForSure,
				Allow:   []schema.Risk{schema.Disruptive, schema.Residue, schema.Heavy}, Webhook: conform.Webhook{Listen: "127.0.0.1:0"}}, Judging: conform.Judging{CompareUserAgents: true}})
			if err != nil {
				t.Fatal(err)
			}
			if o.Report.Verdict != report.Conformant {
				t.Errorf("%s: %s", o.Report.Verdict, o.Report.Reason)
				for _, r := range o.Report.Results {
					if r.Verdict == report.Inconclusive || r.Verdict == report.Fail {
						t.Logf("%s is %s: %s", r.ID, r.Verdict, r.Reason)
					}
				}
			}
			r := verdicts(o)[transport.ComparedClients]
			if r.Verdict != report.Pass || len(r.Findings) > 0 || len(r.Evidence) != 6 {
				t.Errorf("%+v", r)
			}
			agreeing(t, o)
			for _, res := range o.Report.Results {
				for _, e := range res.Evidence {
					if res.ID != transport.ComparedClients && strings.HasPrefix(e.Step, binding.DisguisePlay+"/") {
						t.Errorf("%s rests on %s", res.ID, e.Step)
					}
				}
			}
		})
	}
}

// agreeing demands that the replay of a run tells of the same faces.
func agreeing(t *testing.T, o *conform.Outcome) {
	t.Helper()
	again := replayed(t, o)
	was, is := verdicts(o)[transport.ComparedClients], verdicts(again)[transport.ComparedClients]
	if again.Report.Verdict != o.Report.Verdict || again.Report.Reason != o.Report.Reason || is.Verdict != was.Verdict || is.Reason != was.Reason || len(is.Findings) != len(was.Findings) {
		t.Errorf("the replay is %s, %s, %+v; the run %s, %s, %+v", again.Report.Verdict, again.Report.Reason, is, o.Report.Verdict, o.Report.Reason, was)
	}
}

// Only a difference that a second pair of calls confirms is held against a server:
// not one that comes and goes, nor one that a rate limit makes.
func TestDisguise(t *testing.T) {
	t.Parallel()
	refuse := func(status int) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(status)
		}
	}
	fails, limits := refuse(http.StatusInternalServerError), refuse(http.StatusTooManyRequests)
	for _, c := range []struct {
		name   string
		mutant string
		run    string // the requirement that is judged beside
		// answer gives another answer to the nth call that is compared, from 1; nil
		// leaves it to the bundled server.
		answer   func(n int, other bool) func(http.ResponseWriter)
		findings int
		verdict  report.Verdict
		reason   string // a part of it
		of       report.RunVerdict
		because  string // a part of why the run has its verdict
	}{
		{name: "fails others", answer: func(_ int, other bool) func(http.ResponseWriter) {
			if other {
				return fails
			}
			return nil
		}, findings: 3, verdict: report.Pass, of: report.Partial, because: "answers other clients differently"},
		{name: "fails us", answer: func(_ int, other bool) func(http.ResponseWriter) {
			if !other {
				return fails
			}
			return nil
		}, findings: 3, verdict: report.Pass, of: report.Partial, because: "answers other clients differently"},
		{name: "is broken besides", mutant: "method-number-unknown", run: "A2A01-ERR-006", answer: func(_ int, other bool) func(http.ResponseWriter) {
			if other {
				return fails
			}
			return nil
		}, findings: 3, verdict: report.Pass, of: report.Nonconformant, because: "decided MUST requirements"},
		{name: "differs once", answer: func(n int, _ bool) func(http.ResponseWriter) {
			if n == 2 {
				return fails
			}
			return nil
		}, verdict: report.Pass, of: report.Partial, because: "only part of the catalogue was judged"},
		{name: "alternates", answer: func(n int, _ bool) func(http.ResponseWriter) {
			if n%2 == 0 {
				return fails
			}
			return nil
		}, verdict: report.Pass, of: report.Partial, because: "only part of the catalogue was judged"},
		{name: "begins to fail", answer: func(n int, _ bool) func(http.ResponseWriter) {
			if n > 1 {
				return fails
			}
			return nil
		}, verdict: report.Pass, of: report.Partial, because: "only part of the catalogue was judged"},
		{name: "limits every third call", answer: func(n int, _ bool) func(http.ResponseWriter) {
			if n%3 == 0 {
				return limits
			}
			return nil
		}, verdict: report.Pass, of: report.Partial, because: "only part of the catalogue was judged"},
		{name: "limits others for good", answer: func(_ int, other bool) func(http.ResponseWriter) {
			if other {
				return limits
			}
			return nil
		}, findings: 3, verdict: report.Pass, of: report.Partial, because: "answers other clients differently"},
		{name: "limits both for good", answer: func(int, bool) func(http.ResponseWriter) { return limits },
			verdict: report.Inconclusive, reason: "nothing could be compared: the server refused it", of: report.Partial, because: "only part of the catalogue was judged"},
		{name: "fails others in changing ways", answer: func(n int, other bool) func(http.ResponseWriter) {
			if other {
				return refuse([]int{500, 404, 302}[n%3])
			}
			return nil
		}, findings: 3, verdict: report.Pass, of: report.Partial, because: "answers other clients differently"},
		{name: "fails us in changing ways", answer: func(n int, other bool) func(http.ResponseWriter) {
			if !other {
				return refuse([]int{500, 404, 302}[n%3])
			}
			return nil
		}, findings: 3, verdict: report.Pass, of: report.Partial, because: "answers other clients differently"},
		{name: "fails in changing ways", answer: func(n int, _ bool) func(http.ResponseWriter) { return refuse([]int{500, 404, 302}[n%3]) },
			verdict: report.Pass, of: report.Partial, because: "only part of the catalogue was judged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			behind, err := url.Parse(bundled(t, reference.Options{Dialect: "a2a-0.1", Mutant: c.mutant}).URL())
			if err != nil {
				t.Fatal(err)
			}
			onward := httputil.NewSingleHostReverseProxy(behind)
			onward.ModifyResponse = func(r *http.Response) error { // the card leads back here
				body, err := io.ReadAll(r.Body)
				body = bytes.ReplaceAll(body, []byte(behind.String()), []byte("http://"+r.Request.Header.Get("X-Front")))
				r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
				r.Header.Del("Content-Length")
				return err
			}
			var compared atomic.Int64
			front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					return
				}
				if bytes.Contains(body, []byte(`"disguise/`)) {
					if other := c.answer(int(compared.Add(1)), !strings.HasPrefix(r.UserAgent(), "a2a-conform/")); other != nil {
						other(w)
						return
					}
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				r.Header.Set("X-Front", r.Host)
				onward.ServeHTTP(w, r)
			}))
			defer front.Close()
			if c.run == "" {
				c.run = "A2A01-ERR-001"
			}
			o, err := conform.Run(t.Context(), conform.Target{URL: front.URL, Dialect: "a2a-0.1", IDs: stepsAsIDs, Judging: conform.Judging{CompareUserAgents: true,
				Select: conform.Selection{Run: []string{c.run}}}, Behaviour: conform.Behaviour{Never: []string{"slow"}}})
			if err != nil {
				t.Fatal(err)
			}
			r := verdicts(o)[transport.ComparedClients]
			if len(r.Findings) != c.findings || r.Verdict != c.verdict || !strings.Contains(r.Reason, c.reason) {
				t.Errorf("%s, %s: %+v", r.Verdict, r.Reason, r.Findings)
			}
			if o.Report.Verdict != c.of || !strings.Contains(o.Report.Reason, c.because) {
				t.Errorf("the run is %s: %s", o.Report.Verdict, o.Report.Reason)
			}
			agreeing(t, o)
		})
	}
}

// Who did not ask for it is not compared, and the plan says so.
func TestDisguiseIsAsked(t *testing.T) {
	t.Parallel()
	o, err := conform.Run(t.Context(), conform.Target{URL: bundled(t, reference.Options{Dialect: "a2a-0.1"}).URL(), Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A01-ERR-001"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, has := verdicts(o)[transport.ComparedClients]; has || o.Transcript.Play(binding.DisguisePlay) != nil {
		t.Error("calls were compared though nobody asked for it")
	}
	for _, asked := range []bool{false, true} {
		plan, err := conform.Plan(t.Context(), conform.Target{Dialect: "a2a-0.1", Judging: conform.Judging{CompareUserAgents: asked}})
		if err != nil || (plan[len(plan)-1].Scenario == binding.DisguisePlay) != asked {
			t.Errorf("%v: the plan ends with %+v (%v)", asked, plan[len(plan)-1], err)
		}
	}
}

// A server cannot know the suite by what another run sent, or when: no two runs are alike in
// their ids, or in the order in which their conversations begin.
func TestRunsDiffer(t *testing.T) {
	t.Parallel()
	url := bundled(t, reference.Options{Dialect: "a2a-0.1"}).URL()
	runs := 8
	if !testamount.Few() {
		runs = 20
	}
	orders, runOf := map[string]bool{}, map[string]int{}
	for run := range runs {
		o, err := conform.Run(t.Context(), conform.Target{URL: url, Dialect: "a2a-0.1", Behaviour: conform.Behaviour{DefaultStimuli: true}})
		if err != nil {
			t.Fatal(err)
		}
		order, sent := orderAndIDs(o.Transcript)
		if orders[order] {
			t.Errorf("two runs held their conversations in the order %s", order)
		}
		orders[order] = true
		for _, id := range sent {
			if other, sent := runOf[id]; sent && other != run {
				t.Errorf("two runs sent the id %s", id)
			}
			runOf[id] = run
		}
	}
}

// orderAndIDs returns the conversations of a run in the order in which they began, and the ids
// of the run's own calls.
func orderAndIDs(t *record.Transcript) (order string, ids []string) {
	plays := slices.DeleteFunc(slices.Clone(t.Plays), func(p record.Play) bool { return len(p.Steps) == 0 || p.Steps[0].Exchange == nil })
	slices.SortFunc(plays, func(a, b record.Play) int { return cmp.Compare(a.Steps[0].Exchange.Start, b.Steps[0].Exchange.Start) })
	for _, p := range plays {
		order += p.Scenario + " "
		var call struct{ ID json.RawMessage }
		if x := p.Steps[0].Exchange; json.Unmarshal(x.Request.Body, &call) == nil && randomUUID.Match(call.ID) {
			ids = append(ids, string(call.ID))
		}
	}
	return order, ids
}
