package peers

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/summary"
)

// The sentences that have a subject only where the server hands its card out, and
// those that have one only where a card is fetched.
var (
	delivery = map[string][]string{
		"a2a-0.3": {"A2A03-DISC-002", "A2A03-DISC-003"},
		"a2a-1.0": {"A2A10-DISC-002", "A2A10-DISC-003", "A2A10-DISC-004", "A2A10-DISC-005", "A2A10-DISC-006", "A2A10-DISC-007", "A2A10-DISC-008", "A2A10-DISC-009", "A2A10-DISC-010"},
	}
	published = map[string][]string{"a2a-0.3": {"A2A03-DISC-001"}, "a2a-1.0": {"A2A10-DISC-001"}}
)

// named judges a server with its card named where it is found anyway, on another
// host, and in a file. The first changes nothing; the others leave sentences about
// discovery without a subject, and change nothing else.
func named(t *testing.T, server, plain, dialect string, run func(t *testing.T, card string) (*report.Report, string)) {
	t.Helper()
	was, err := conform.ReadReport(filepath.Join(plain, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	place := server + "/.well-known/agent-card.json"
	call, err := http.NewRequest(http.MethodGet, place, nil)
	if err != nil {
		t.Fatal(err)
	}
	if dialect == "a2a-1.0" {
		call.Header.Set("A2A-Version", "1.0") // a server of several versions has a card for each
	}
	reply, err := http.DefaultClient.Do(call)
	if err != nil {
		t.Fatal(err)
	}
	card, err := io.ReadAll(reply.Body)
	reply.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Write(card)
	}))
	defer elsewhere.Close()
	file := filepath.Join(t.TempDir(), "card.json")
	if err := os.WriteFile(file, card, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("card at the well-known place", func(t *testing.T) {
		is, out := run(t, place)
		changed(t, was, is)
		sameBut(t, recorded(t, filepath.Join(plain, "transcript.har")), recorded(t, filepath.Join(out, "transcript.har")))
	})
	t.Run("card on another host", func(t *testing.T) {
		is, _ := run(t, elsewhere.URL+"/card.json")
		changed(t, was, is, delivery[dialect]...)
	})
	t.Run("card in a file", func(t *testing.T) {
		is, _ := run(t, file)
		changed(t, was, is, slices.Concat(published[dialect], delivery[dialect])...)
	})
}

// changed demands that the given requirements, and no others, became not applicable,
// those apart that were so before.
func changed(t *testing.T, was, is *report.Report, ids ...string) {
	t.Helper()
	lost := 0
	for i, r := range is.Results {
		switch o := was.Results[i]; {
		case slices.Contains(ids, r.ID) && (r.Verdict != report.NotApplicable || r.Area != "discovery"):
			t.Errorf("%s is %s (%s), and was %s", r.ID, r.Verdict, r.Reason, o.Verdict)
		case slices.Contains(ids, r.ID) && o.Verdict != report.NotApplicable:
			lost++
		case unsteady(is, r.ID):
		case !slices.Contains(ids, r.ID) && r.Verdict != o.Verdict:
			t.Errorf("%s is %s (%s), and was %s (%s)", r.ID, r.Verdict, r.Reason, o.Verdict, o.Reason)
		}
	}
	if lost == 0 && len(ids) > 0 {
		t.Errorf("all of %s were not applicable before", ids)
	}
}

// unsteady reports whether a requirement is known to fail in some runs only.
func unsteady(r *report.Report, id string) bool {
	return slices.ContainsFunc(r.Waivers, func(w report.Waiver) bool { return w.ID == id && w.Sometimes })
}

// sameBut demands that the whole report on a conversation stays what it is where
// its card was found as in another run. What the agent does in its own time is the
// same on both sides.
func sameBut(t *testing.T, plain, named *record.Transcript) {
	t.Helper()
	judged := func(tr *record.Transcript) []string {
		d, err := schema.Load(tr.Facts.Dialect)
		if err != nil {
			t.Fatal(err)
		}
		judged, err := summary.Judge(d, tr, suites.Checks(), summary.CallDirectly)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.MarshalIndent(judged.Report, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(string(text), "\n")
	}
	want := judged(plain)
	spliced := *plain
	spliced.Plays = slices.Clone(plain.Plays)
	found := 0
	for i, p := range spliced.Plays {
		if of := named.Play(p.Scenario); of != nil && (p.Scenario == "card" || p.Scenario == "discovery") {
			spliced.Plays[i], found = *of, found+1
		}
	}
	if found == 0 {
		t.Fatal("nothing was asked for the card")
	}
	spliced.Facts.Tried, spliced.Exchanges = named.Facts.Tried, nil
	spliced.Seal()
	got := judged(&spliced)
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Fatalf("line %d of the report is not %s", i+1, want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("the report has %d lines, not %d", len(got), len(want))
	}
}
