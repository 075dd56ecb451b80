package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// A gate that asks for no regression, and diff, agree on what one is.
func TestBaseline(t *testing.T) {
	testamount.SkipInShort(t)
	here(t)
	broken, healthy := served(t, "cancel-forgotten"), served(t, "")
	for dir, target := range map[string]string{"was-broken": broken, "was-healthy": healthy} {
		if code, out, errs := command(t, "run", target, "--stimuli", "plain", "--webhook-listen", "127.0.0.1:0", "--out", dir, "--quiet"); code > 1 {
			t.Fatalf("exit %d\n%s%s", code, out, errs)
		}
	}
	for _, c := range []struct {
		name, url, old string
		code           int
		want           []string
	}{
		{"as broken as before", broken, "was-broken", 0, []string{"no regression since was-broken/report.json", "nonconformant:"}},
		{"newly broken", broken, "was-healthy", 1, []string{"A2A01-TASK-047 MUST: was pass, is now fail", " regressions since was-healthy/report.json"}},
		{"fixed", healthy, "was-broken", 0, []string{"no regression", "conformant:"}},
		{"nobody there", "http://127.0.0.1:1", "was-broken", 4, []string{"unreachable:"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := command(t, "run", c.url, "--dialect", "a2a-0.1", "--stimuli", "plain", "--webhook-listen", "127.0.0.1:0", "--quiet", "--gate", "baseline="+c.old+"/report.json", "--out", "now")
			if code != c.code {
				t.Errorf("exit %d, want %d\n%s%s", code, c.code, out, errs)
			}
			for _, w := range c.want {
				if !strings.Contains(out, w) {
					t.Errorf("%q does not say %q", out, w)
				}
			}
			// A recording knows what it was compared with.
			if again, out, errs := command(t, "replay", "now/transcript.har"); again != code {
				t.Errorf("the replay ends with %d\n%s%s", again, out, errs)
			}
		})
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"broken", []string{"was-healthy", "was-broken"}, 1, []string{"Broken (1)", "A2A01-TASK-047 MUST: was pass, is now fail (regression)", "No longer decided (", " regressions"}},
		{"fixed", []string{"was-broken", "was-healthy"}, 0, []string{"Fixed (1)", "A2A01-TASK-047 MUST: was fail, is now pass", "no regression"}},
		{"the same", []string{"was-healthy", "was-healthy"}, 0, []string{"no changes"}},
		{"in Markdown", []string{"was-healthy", "was-broken", "--markdown"}, 1, []string{"## ❌ a2a-conform: ", "### Broken (1)"}},
		{"in JSON", []string{"was-healthy", "was-broken", "--json"}, 1, []string{`"kind": "broken"`}},
	} {
		t.Run("diff, "+c.name, func(t *testing.T) {
			args := append([]string{"diff", c.args[0] + "/report.json", c.args[1] + "/report.json"}, c.args[2:]...)
			code, out, errs := command(t, args...)
			if code != c.code {
				t.Errorf("exit %d, want %d\n%s%s", code, c.code, out, errs)
			}
			for _, w := range c.want {
				if !strings.Contains(out, w) {
					t.Errorf("%q does not say %q", out, w)
				}
			}
			var changes []report.Change
			if len(c.args) > 2 && c.args[2] == "--json" && (json.Unmarshal([]byte(out), &changes) != nil || len(changes) < 2) {
				t.Errorf("%d changes in %s", len(changes), out)
			}
		})
	}
	t.Run("what was open is run again", func(t *testing.T) {
		code, out, errs := command(t, "run", healthy, "--stimuli", "plain", "--allow", "heavy", "--rerun-failed", "was-broken/report.json", "--out", "again")
		if code != 3 || !strings.Contains(out, "--rerun-failed was-broken/report.json") {
			t.Errorf("exit %d\n%s%s", code, out, errs)
		}
		r := read(t, "again/report.json")
		if n := len(r.Results); n < 8 || n > 80 {
			t.Errorf("%d requirements were judged", n)
		}
		for _, res := range r.Results {
			if res.Verdict != report.Pass {
				t.Errorf("%s is %s: %s", res.ID, res.Verdict, res.Reason)
			}
		}
		// It passed in the run before, and TASK-047 rests on it.
		if was := find(read(t, "was-broken/report.json"), "A2A01-TASK-046").Verdict; was != report.Pass || find(r, "A2A01-TASK-046").ID == "" {
			t.Errorf("what the open ones rest on was not judged with them")
		}
	})
}

// Mistakes about earlier reports name the report and what is wrong with it.
func TestMistakesAboutEarlierReports(t *testing.T) {
	here(t)
	write := func(dir string, args ...string) {
		if code, out, errs := command(t, append([]string{"run", "--out", dir, "--quiet"}, args...)...); code == 2 {
			t.Fatalf("%s%s", out, errs)
		}
	}
	write("healthy", "--self", "--dialect", "a2a-0.1", "--run", "A2A01-CARD-001")
	write("other", "--self", "--dialect", "jaf-0.3")
	write("nobody", "http://127.0.0.1:1", "--dialect", "a2a-0.1")
	if err := os.WriteFile("no.json", []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"no such baseline", []string{"run", "--self", "--gate", "baseline=none.json"}, []string{"--gate", "none.json"}},
		{"no baseline named", []string{"run", "--self", "--gate", "baseline="}, []string{"baseline=OLD.json"}},
		{"a baseline that is no report", []string{"run", "--self", "--gate", "baseline=no.json"}, []string{"no.json", "not a report"}},
		{"a baseline that proves nothing", []string{"run", "--self", "--gate", "baseline=nobody/report.json"}, []string{"nobody/report.json", "unreachable"}},
		{"a baseline of another protocol", []string{"run", "--self", "--dialect", "a2a-0.1", "--gate", "baseline=other/report.json"}, []string{"other/report.json", "jaf-0.3", "a2a-0.1"}},
		{"nothing to run again", []string{"run", "--self", "--rerun-failed", "healthy/report.json"}, []string{"healthy/report.json", "nothing to run again"}},
		{"a report that is not there", []string{"run", "--self", "--rerun-failed", "none.json"}, []string{"--rerun-failed", "none.json"}},
		{"a wait of less than nothing", []string{"run", "--self", "--wait", "-1s"}, []string{"--wait"}},
		{"diff of two protocols", []string{"diff", "healthy/report.json", "other/report.json"}, []string{"nothing", "in common"}[1:]},
		{"diff of one", []string{"diff", "healthy/report.json"}, []string{"1 argument"}},
		{"waivers from nothing", []string{"waivers"}, []string{"from"}},
		{"waivers from what is no report", []string{"waivers", "--from", "no.json"}, []string{"no.json", "not a report"}},
		{"waivers until no day", []string{"waivers", "--from", "healthy/report.json", "--until", "soon"}, []string{"soon", "2026-12-31"}},
		{"an unknown schema", []string{"schema", "cards"}, []string{"cards", "agents, card, clients, config, cross, profile, report, secrets, servers, waivers"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := command(t, c.args...)
			if code != 2 {
				t.Errorf("exit %d, want 2\n%s%s", code, out, errs)
			}
			for _, w := range c.want {
				if !strings.Contains(errs, w) {
					t.Errorf("%q does not name %q", errs, w)
				}
			}
		})
	}
}

// A server that is starting is waited for; what it said until it was there is
// not held against it.
func TestWait(t *testing.T) {
	here(t)
	behind, err := url.Parse(served(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(behind)
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) <= 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer s.Close()
	code, out, errs := command(t, "run", s.URL, "--rpc", s.URL, "--wait", time.Minute.String(), "--run", "A2A01-CARD-00*", "--gate", "no-failures")
	if code != 0 || !strings.Contains(out, "for the server to answer") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if code, out, _ := command(t, "run", "http://127.0.0.1:1", "--wait", "250ms", "--quiet"); code != 4 {
		t.Errorf("nobody there: exit %d\n%s", code, out)
	}
}
