package e2e

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// upgraded starts a healthy server of A2A 0.3.0 whose card offers the given versions,
// 0.3 as it always did and others as A2A 1.0 lists them; all lead to the same place.
func upgraded(t *testing.T, versions ...string) string {
	t.Helper()
	behind, err := url.Parse(bundled(t, reference.Options{Dialect: "a2a-0.3"}).URL())
	if err != nil {
		t.Fatal(err)
	}
	const place = "/.well-known/agent-card.json"
	var card map[string]any
	if err := json.Unmarshal(fetchCard(t, behind.JoinPath(place).String(), ""), &card); err != nil {
		t.Fatal(err)
	}
	var text []byte
	proxy := httputil.NewSingleHostReverseProxy(behind)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != place {
			proxy.ServeHTTP(w, q)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(text)
	}))
	calls, err := url.Parse(card["url"].(string))
	if err != nil {
		t.Fatal(err)
	}
	calls.Host = s.Listener.Addr().String()
	card["url"] = calls.String()
	var listed []any
	delete(card, "protocolVersion")
	for _, v := range versions {
		if v == "0.3" {
			card["protocolVersion"] = "0.3.0"
		}
		listed = append(listed, map[string]any{"url": calls.String(), "protocolBinding": "JSONRPC", "protocolVersion": v})
	}
	card["supportedInterfaces"] = listed
	if text, err = json.Marshal(card); err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

// waive is a waiver of nothing in particular.
func waive(ids ...string) (out []conform.Waiver) {
	for _, id := range ids {
		out = append(out, conform.Waiver{ID: id, Why: "x", Until: "2999-12-31", File: "w.yaml", Line: 1})
	}
	return out
}

// A report that knows nothing but its dialect.
func reportOn(t *testing.T, dialect string) string {
	t.Helper()
	s := bundled(t, reference.Options{Dialect: dialect})
	o, err := conform.Run(t.Context(), conform.Target{URL: s.URL(), Dialect: dialect, Judging: conform.Judging{Select: conform.Selection{Areas: []string{"discovery"}}}})
	if err != nil {
		t.Fatal(err)
	}
	o.Report.Results[0].Verdict = report.Inconclusive // which leaves something to run again
	o.Report.Summary = report.Summarize(o.Report.Results)
	o.Report.Verdict = report.Partial
	dir := t.TempDir()
	if err := o.Write(dir); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "report.json")
}

var (
	offered03 = []report.Offer{{Dialect: "a2a-0.3", Title: "A2A 0.3.0"}}
	offered10 = []report.Offer{{Dialect: "a2a-1.0", Title: "A2A 1.0.1"}}
)

// The newest of what the server offers is judged, unless the operator's files are
// about an older one; the report says what else there is, and a replay says the same.
func TestWhichDialectIsJudged(t *testing.T) {
	t.Parallel()
	both, old, newest := upgraded(t, "0.3", "1.0"), upgraded(t, "0.3"), upgraded(t, "1.0")
	report03 := reportOn(t, "a2a-0.3")
	again, err := conform.RerunFailed(report03)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		url     string
		target  conform.Target
		dialect string
		offers  []report.Offer
		notice  string // that says so; none where ""
	}{
		{"nothing given", both, conform.Target{}, "a2a-1.0", offered03, ""},
		{"nothing else offered", old, conform.Target{}, "a2a-0.3", nil, ""},
		{"named", both, conform.Target{Dialect: "a2a-0.3"}, "a2a-0.3", nil, ""},
		{"waivers of the older one", both, conform.Target{Judging: conform.Judging{Waivers: waive("A2A03-CARD-001", "A2A03-CARD-002")}}, "a2a-0.3", offered10,
			"--waivers has ids of A2A 0.3.0, so this protocol is judged; --dialect a2a-1.0 judges the newer protocol"},
		{"waivers of the older one and of others", both, conform.Target{Judging: conform.Judging{Waivers: waive("A2A01-CARD-001", "A2A03-CARD-002")}}, "a2a-0.3", offered10,
			"--waivers has ids of A2A 0.1.0 and A2A 0.3.0, so A2A 0.3.0 is judged; --dialect a2a-1.0 judges the newer protocol"},
		{"waivers of both", both, conform.Target{Judging: conform.Judging{Waivers: waive("A2A03-CARD-001", "A2A10-DISC-001")}}, "a2a-1.0", offered03, ""},
		{"waivers of the newest", both, conform.Target{Judging: conform.Judging{Waivers: waive("A2A10-DISC-001")}}, "a2a-1.0", offered03, ""},
		{"waivers of what is not offered", both, conform.Target{Judging: conform.Judging{Waivers: waive("A2A01-CARD-001")}}, "a2a-1.0", offered03,
			"--waivers has ids of A2A 0.1.0 and none of A2A 1.0.1, but the server is judged as A2A 1.0.1: nothing is waived"},
		{"waivers of what is not offered any more", newest, conform.Target{Judging: conform.Judging{Waivers: waive("A2A03-CARD-001")}}, "a2a-1.0", nil,
			"--waivers has ids of A2A 0.3.0 and none of A2A 1.0.1, but the server is judged as A2A 1.0.1: nothing is waived"},
		{"waivers of the older one, the newer one named", both, conform.Target{Dialect: "a2a-1.0", Judging: conform.Judging{Waivers: waive("A2A03-CARD-001")}}, "a2a-1.0", nil, "nothing is waived"},
		{"a baseline", both, conform.Target{Judging: conform.Judging{Gate: "baseline=" + report03}}, "a2a-0.3", offered10,
			"the baseline of --gate is a report on A2A 0.3.0, so this protocol is judged; --dialect a2a-1.0 judges the newer protocol"},
		{"a baseline, and waivers of another", both, conform.Target{Judging: conform.Judging{Gate: "baseline=" + report03, Waivers: waive("A2A10-DISC-001")}}, "a2a-0.3", offered10, "so this protocol is judged"},
		{"a report to run again", both, conform.Target{Judging: conform.Judging{Select: conform.Selection{Rerun: again}}}, "a2a-0.3", offered10,
			"--rerun-failed names a report on A2A 0.3.0, so this protocol is judged; --dialect a2a-1.0 judges the newer protocol"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.target.URL, c.target.Select.Areas = c.url, []string{"discovery"}
			o, err := conform.Run(t.Context(), c.target)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range []*conform.Outcome{o, replayed(t, o)} {
				if o.Report.Target.Dialect != c.dialect || !slices.Equal(o.Report.Target.Offers, c.offers) {
					t.Errorf("judged as %s, offers %v", o.Report.Target.Dialect, o.Report.Target.Offers)
				}
				said := strings.Join(o.Report.Notices, "\n")
				if c.notice != "" && !strings.Contains(said, c.notice) || c.notice == "" && strings.Contains(said, "A2A ") {
					t.Errorf("the notices are %q", o.Report.Notices)
				}
			}
		})
	}
}

// Reports of earlier runs can only be compared with runs of the same dialect: where
// there is none, the operator learns it, and from two dialects before anything is sent.
func TestDialectsThatDoNotFit(t *testing.T) {
	t.Parallel()
	newest := upgraded(t, "1.0")
	report03 := reportOn(t, "a2a-0.3")
	again, err := conform.RerunFailed(reportOn(t, "a2a-0.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		target conform.Target
		want   string
	}{
		{"a baseline of what is not offered any more", conform.Target{URL: newest, Judging: conform.Judging{Gate: "baseline=" + report03}},
			"is a report on a2a-0.3, but this server is judged as a2a-1.0, because it does not offer the other; leave the flag out, or give --dialect a2a-0.3"},
		{"another dialect is named", conform.Target{URL: newest, Dialect: "a2a-1.0", Judging: conform.Judging{Gate: "baseline=" + report03}}, "is a report on a2a-0.3, but this server is judged as a2a-1.0"},
		{"two reports", conform.Target{URL: "http://127.0.0.1:1", Judging: conform.Judging{Gate: "baseline=" + report03, Select: conform.Selection{Rerun: again}}},
			"is a report on A2A 0.3.0, but --rerun-failed: " + again.File + " is one on A2A 0.1.0; a run judges only one protocol"},
		{"two names", conform.Target{URL: "http://127.0.0.1:1", Dialect: "a2a-0.3,a2a-1.0"}, "a run judges one dialect: run once for each"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := conform.Run(t.Context(), c.target)
			mistake := (*conform.UsageError)(nil)
			if !errors.As(err, &mistake) || !strings.Contains(mistake.Text, c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// A server that only looks like one of another dialect too offers nothing else.
func TestLikenessIsNoOffer(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a2x-0.3", "jaf-0.3", "a2a-0.1"} {
		s := bundled(t, reference.Options{Dialect: name})
		o, err := conform.Run(t.Context(), conform.Target{URL: s.URL(), Judging: conform.Judging{Waivers: waive("A2A03-CARD-001"), Select: conform.Selection{Levels: []string{"MAY"}}}})
		if err != nil {
			t.Fatal(err)
		}
		if r := o.Report; r.Target.Dialect != name || len(r.Target.Offers) > 0 {
			t.Errorf("%s: judged as %s, offers %v", name, r.Target.Dialect, r.Target.Offers)
		}
	}
}

// Two cards of unrelated protocols leave open which one is meant, unless the
// operator's files say it.
func TestFilesTellWhichCardIsMeant(t *testing.T) {
	t.Parallel()
	first, err := url.Parse(bundled(t, reference.Options{Dialect: "a2a-0.1"}).URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(first)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/.well-known/agent-card.json" {
			w.Header().Set("Content-Type", "application/json")
			w.Write([]byte(`{"name":"n","protocolVersion":"0.3.0","url":"http://` + q.Host + `/","preferredTransport":"JSONRPC","capabilities":{},"skills":[]}`))
			return
		}
		proxy.ServeHTTP(w, q)
	}))
	defer s.Close()
	target := conform.Target{URL: s.URL, Endpoint: conform.Endpoint{RPC: s.URL}, Judging: conform.Judging{Select: conform.Selection{Levels: []string{"MAY"}}}}
	if _, err := conform.Run(t.Context(), target); err == nil || !strings.Contains(err.Error(), "the server has cards of two protocols") {
		t.Errorf("without files: %v", err)
	}
	target.Waivers = waive("A2A01-CARD-001")
	o, err := conform.Run(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	if r := o.Report; r.Target.Dialect != "a2a-0.1" || !strings.Contains(strings.Join(r.Notices, "\n"), "--waivers has ids of A2A 0.1.0, so this protocol is judged; --dialect a2a-0.3 judges A2A 0.3.0") {
		t.Errorf("judged as %s, notices %q", r.Target.Dialect, r.Notices)
	}
}
