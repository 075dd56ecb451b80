package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/summary"
)

// cardServers are healthy servers with a card at the well-known place, and what
// becomes not applicable where the operator names the same card elsewhere: on
// another host, or in a file.
var cardServers = []struct {
	dialect, variant string
	token            string
	other, file      []string
}{
	{"a2a-0.1", "full", "",
		[]string{"A2A01-DISC-002", "A2A01-DISC-004"},
		[]string{"A2A01-DISC-001", "A2A01-DISC-002", "A2A01-DISC-004"}},
	{"a2a-0.3", "lavish", "",
		[]string{"A2A03-DISC-002", "A2A03-DISC-003", "A2A03-DISC-007"},
		[]string{"A2A03-DISC-001", "A2A03-DISC-002", "A2A03-DISC-003", "A2A03-DISC-007"}},
	{"a2a-0.3", "guarded", reference.Token,
		[]string{"A2A03-DISC-002", "A2A03-DISC-003", "A2A03-DISC-004"},
		[]string{"A2A03-DISC-001", "A2A03-DISC-002", "A2A03-DISC-003", "A2A03-DISC-004"}},
	{"a2x-0.3", "guarded", reference.Token,
		[]string{"A2X03-DISC-001", "A2X03-DISC-003", "A2X03-DISC-004"},
		[]string{"A2X03-DISC-001", "A2X03-DISC-003", "A2X03-DISC-004"}},
	{"jaf-0.3", "full", "",
		[]string{"JAF03-DISC-001", "JAF03-DISC-002"},
		[]string{"JAF03-DISC-001", "JAF03-DISC-002"}},
	{"core-schema", "full", "", nil, nil},
}

// wellKnownPlaces are where the dialects have their cards.
var wellKnownPlaces = map[string]string{
	"a2a-0.1": "/.well-known/agent.json", "a2a-0.3": "/.well-known/agent-card.json", "a2x-0.3": "/.well-known/agent.json",
	"jaf-0.3": "/.well-known/agent-card", "core-schema": "/.well-known/agent.json",
}

// A card that is named where it is looked for anyway changes nothing in the
// report; one that is named elsewhere changes sentences about discovery alone,
// and those to not applicable.
func TestCardNamed(t *testing.T) {
	t.Parallel()
	dialects := testamount.Of(schema.Names(), "a2a-0.1", "a2x-0.3")
	for _, c := range cardServers {
		if !slices.Contains(dialects, c.dialect) {
			continue
		}
		t.Run(c.dialect+" "+c.variant, func(t *testing.T) {
			t.Parallel()
			s := bundled(t, reference.Options{Dialect: c.dialect, Variant: c.variant})
			run := func(card string) *conform.Outcome {
				target := conform.Target{URL: s.URL(), Dialect: c.dialect, Behaviour: conform.Behaviour{DefaultStimuli: true, Stimuli: slowForSure}, Credentials: conform.Credentials{Bearer: c.token}, Endpoint: conform.Endpoint{Card: card}}
				if c.variant == "guarded" {
					target.Declarations = []string{"authenticated"}
				}
				o, err := conform.Run(t.Context(), target)
				if err != nil {
					t.Fatal(err)
				}
				return o
			}
			place := s.URL() + wellKnownPlaces[c.dialect]
			plain := run("")
			sameReport(t, plain, run(place))

			card := fetchCard(t, place, c.token)
			elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				w.Write(card)
			}))
			defer elsewhere.Close()
			onlyNotApplicable(t, "on another host", plain, run(elsewhere.URL+"/card.json"), c.other)

			file := filepath.Join(t.TempDir(), "card.json")
			if err := os.WriteFile(file, card, 0o600); err != nil {
				t.Fatal(err)
			}
			given := run(file)
			onlyNotApplicable(t, "in a file", plain, given, c.file)
			if n := len(given.Transcript.Exchanges) - 1; given.Report.Run.Exchanges != n {
				t.Errorf("the report counts %d exchanges, and %d took place", given.Report.Run.Exchanges, n)
			}
			if len(given.Report.Notices) != 1 || !strings.Contains(given.Report.Notices[0], "file:card.json") || given.Report.Target.Card != plain.Report.Target.Card {
				t.Errorf("notices %q, card %s", given.Report.Notices, given.Report.Target.Card)
			}
			again := replayed(t, given)
			for i, r := range again.Report.Results {
				if o := given.Report.Results[i]; r.Verdict != o.Verdict || r.Reason != o.Reason {
					t.Errorf("%s is %s (%s) in the replay, and was %s (%s)", r.ID, r.Verdict, r.Reason, o.Verdict, o.Reason)
				}
			}
		})
	}
}

func fetchCard(t *testing.T, address, token string) []byte {
	t.Helper()
	q, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		q.Header.Set("Authorization", "Bearer "+token)
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	card, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatal(r.Status, err)
	}
	return card
}

// onlyNotApplicable demands that the given requirements, and no others, have
// another verdict: that they do not apply.
func onlyNotApplicable(t *testing.T, what string, was, is *conform.Outcome, ids []string) {
	t.Helper()
	var changed []string
	for i, r := range is.Report.Results {
		if o := was.Report.Results[i]; r.Verdict != o.Verdict {
			changed = append(changed, r.ID)
			if r.Verdict != report.NotApplicable || r.Vacuous || r.Area != "discovery" {
				t.Errorf("%s: %s is %s: %s", what, r.ID, r.Verdict, r.Reason)
			}
		}
	}
	if !slices.Equal(changed, ids) {
		t.Errorf("%s: other verdicts for %v, not for %v", what, changed, ids)
	}
}

// sameReport demands that two runs differ in nothing that the operator's word has
// to do with: their verdicts, what was asked to find the card, and the whole
// report on one conversation, as it follows the one discovery or the other.
func sameReport(t *testing.T, plain, named *conform.Outcome) {
	t.Helper()
	onlyNotApplicable(t, "at the well-known place", plain, named, nil)
	if a, b := asked(plain.Transcript), asked(named.Transcript); !slices.Equal(a, b) {
		t.Errorf("for the card it was asked\n%s\nnot\n%s", strings.Join(b, "\n"), strings.Join(a, "\n"))
	}
	spliced := *plain.Transcript
	spliced.Plays = slices.Clone(spliced.Plays)
	for i, p := range spliced.Plays {
		if of := named.Transcript.Play(p.Scenario); discovery(p) && of != nil {
			spliced.Plays[i] = *of
		}
	}
	spliced.Facts.Tried = named.Transcript.Facts.Tried
	spliced.Exchanges = nil
	spliced.Seal()
	judged, err := summary.Judge(plain.Dialect, &spliced, suites.Checks(), summary.CallDirectly)
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.MarshalIndent(plain.Report, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(judged.Report, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if a, b := strings.Split(string(want), "\n"), strings.Split(string(got), "\n"); !slices.Equal(a, b) {
		i := 0
		for i < min(len(a), len(b))-1 && a[i] == b[i] {
			i++
		}
		t.Errorf("line %d of the report is %s, not %s", i+1, b[i], a[i])
	}
}

func discovery(p record.Play) bool { return p.Scenario == "card" || p.Scenario == "discovery" }

// asked is what was asked to find the card, and what became of it.
func asked(tr *record.Transcript) []string {
	out := slices.Clone(tr.Facts.Tried)
	for _, p := range tr.Plays {
		for _, s := range p.Steps {
			if discovery(p) {
				out = append(out, fmt.Sprint(p.Scenario, "/", s.Name, " ", s.Role, " ", s.Op, " ", s.Elsewhere, " ", s.Exchange.ID, " ", s.Exchange.URL, " ", s.Exchange.Status()))
			}
		}
	}
	return out
}

// Where the operator has the card in a file, what lies at the well-known place is
// another agent's affair.
func TestAnotherAgentsCard(t *testing.T) {
	for _, c := range cardServers {
		if c.token != "" {
			continue
		}
		t.Run(c.dialect, func(t *testing.T) {
			t.Parallel()
			s := bundled(t, reference.Options{Dialect: c.dialect, Variant: c.variant})
			behind, err := url.Parse(s.URL())
			if err != nil {
				t.Fatal(err)
			}
			proxy := httputil.NewSingleHostReverseProxy(behind)
			proxy.FlushInterval = -1
			front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/.well-known/") {
					w.Header().Set("Content-Type", "application/json")
					io.WriteString(w, `{"name":7,"url":"nowhere","version":null,"capabilities":[],"skills":[{"id":"a"},{"id":"a"}],"skills":{}}`)
					return
				}
				proxy.ServeHTTP(w, r)
			}))
			defer front.Close()
			file := filepath.Join(t.TempDir(), "card.json")
			if err := os.WriteFile(file, fetchCard(t, s.URL()+wellKnownPlaces[c.dialect], ""), 0o600); err != nil {
				t.Fatal(err)
			}
			o, err := conform.Run(t.Context(), conform.Target{URL: front.URL, Dialect: c.dialect, Behaviour: conform.Behaviour{DefaultStimuli: true, Stimuli: slowForSure}, Endpoint: conform.Endpoint{Card: file},
				Judging: conform.Judging{Select: conform.Selection{Areas: []string{"card"}}}})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range o.Report.Results {
				if r.Verdict == report.Fail || r.Verdict == report.SuiteError {
					t.Errorf("%s is %s: %s", r.ID, r.Verdict, r.Reason)
				}
			}
		})
	}
}

// A card in a file is no sign of life.
func TestCardInAFileReachesNothing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	file := filepath.Join(t.TempDir(), "card.json")
	text := fmt.Sprintf(`{"name":"x","url":"http://%s/","version":"1","capabilities":{},"skills":[]}`, l.Addr())
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, areas := range [][]string{nil, {"card"}} {
		o, err := conform.Run(t.Context(), conform.Target{URL: "http://" + l.Addr().String(), Endpoint: conform.Endpoint{Card: file}, Judging: conform.Judging{Select: conform.Selection{Areas: areas}}})
		if err != nil {
			t.Fatal(err)
		}
		if o.Report.Verdict != report.Unreachable || o.ExitCode() != 4 {
			t.Errorf("areas %v: %s, %s", areas, o.Report.Verdict, o.Report.Reason)
		}
	}
}

// What is wrong with a card in a file is shown there, and no script repeats it.
func TestBrokenCardInAFile(t *testing.T) {
	s := bundled(t, reference.Options{Dialect: "a2a-0.1"})
	file := filepath.Join(t.TempDir(), "card.json")
	if err := os.WriteFile(file, []byte(`{"name":7,"url":"`+s.URL()+`","version":"1","capabilities":{},"skills":[{"id":"a","name":"b"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := conform.Run(t.Context(), conform.Target{URL: s.URL(), Dialect: "a2a-0.1", Endpoint: conform.Endpoint{Card: file}, Judging: conform.Judging{Select: conform.Selection{Areas: []string{"card"}}}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := o.Write(dir); err != nil {
		t.Fatal(err)
	}
	broken := 0
	for _, r := range o.Report.Results {
		if r.Verdict != report.Fail {
			continue
		}
		broken++
		if e := r.Evidence[0]; !strings.Contains(r.Reason, "[card.json, /name]") || e.File != "card.json" || e.Step != "card/configured" || r.Reproduce != "" {
			t.Errorf("%s: %s; %+v, %q", r.ID, r.Reason, e, r.Reproduce)
		}
	}
	if broken == 0 {
		t.Error("nothing is broken")
	}
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"from a local file", ">card.json</a>", "<h4>The document"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("report.html does not say %s", want)
		}
	}
}
