package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// The list has the requirements on servers or those on clients, and never both.
func TestListOfClients(t *testing.T) {
	t.Parallel()
	code, out, errs := command(t, "list", "--client")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != len(clientRequirementIDs()) {
		t.Errorf("exit %d, %d lines, want %d\n%s", code, len(lines), len(clientRequirementIDs()), errs)
	}
	for _, l := range lines {
		id := strings.Fields(l)[0]
		_, r, err := schema.Find(id)
		if err != nil || r == nil || !schema.IsClient(id) || !strings.HasSuffix(l, " "+r.Statement) {
			t.Errorf("%v: %s", err, l)
			continue
		}
		if got, want := strings.Contains(l, "(not judged: "), r.Check == ""; got != want {
			t.Errorf("%s is marked as not judged: %v, want %v", id, got, want)
		}
	}
	if !strings.HasPrefix(out, "A2A10-CL-") {
		t.Errorf("the list begins with another dialect than the default: %.80s", out)
	}
	if _, out, _ := command(t, "list"); strings.Contains(out, "-CL-") || !strings.HasPrefix(out, "A2A10-") {
		t.Errorf("the list of servers has requirements on clients, or begins with another dialect than the default: %.80s", out)
	}
	code, out, errs = command(t, "list", "--client", "--dialect", "a2a-0.3", "--area", "rest", "--level", "should", "--json")
	var entries []catalogueEntry
	if err := json.Unmarshal([]byte(out), &entries); code != 0 || err != nil || len(entries) == 0 {
		t.Fatalf("exit %d, %v\n%s%s", code, err, out, errs)
	}
	for _, e := range entries {
		if e.Dialect != "a2a-0.3" || e.Area != "rest" || e.Level != schema.Should || e.Observe == "" || e.Look == "" || e.Mutant == "" {
			t.Errorf("got %+v", e)
		}
	}
	if code, _, errs = command(t, "list", "--client", "--area", "ratelimit"); code == 0 || !strings.Contains(errs, "has no area") {
		t.Errorf("an area of servers alone: exit %d\n%s", code, errs)
	}
}

// What is in the catalogue about a requirement on clients is what explain prints.
func TestExplainOfClients(t *testing.T) {
	t.Parallel()
	for _, d := range loadClientCatalogues() {
		for i := range d.Requirements {
			r := &d.Requirements[i]
			code, out, errs := command(t, "explain", strings.ToLower(r.ID))
			if code != 0 {
				t.Fatalf("explain %s: exit %d\n%s", r.ID, code, errs)
			}
			for _, want := range append([]string{r.Statement, string(r.Level), schema.Sections(r.Section), r.Look, r.Fair, r.Mutant, r.Unobservable, r.FindingOnly, r.File, strings.Join(r.Scenario, ", ")}, r.Readings...) {
				if !strings.Contains(out, want) {
					t.Errorf("explain %s lacks %q", r.ID, want)
				}
			}
			for _, need := range r.Needs {
				if !strings.Contains(out, need+": "+schema.ExplainClientNeed(need)+"\n") {
					t.Errorf("explain %s does not explain the need %s", r.ID, need)
				}
			}
			for _, servers := range []string{"what is sent", "how to fix it", "risk"} {
				if strings.Contains(out, "\n"+servers+" ") {
					t.Errorf("explain %s has the line %q, which is about servers", r.ID, servers)
				}
			}
		}
	}
}

func TestExplainOfAClientRequirement(t *testing.T) {
	t.Parallel()
	const want = `A2A10-CL-CACHE-002  SHOULD  discovery

  The client should send ` + "`If-None-Match`" + ` when it asks for a stale card again.

source           Agent2Agent (A2A) Protocol Specification 1.0.1, §8.6.2
                 https://github.com/a2aproject/A2A/blob/v1.0.1/docs/specification.md#862-client-requirements
how it is tested The card has an ` + "`ETag`" + ` and expires at once; the second request for it must repeat the ` + "`ETag`" + `.
observed         scenario: the requests are judged that come to a server of ours
scenarios        card-stale
`
	code, out, errs := command(t, "explain", "A2A10-CL-CACHE-002")
	if code != 0 || !strings.HasPrefix(out, want) || !strings.Contains(out, "\nneeds            adapter.card: an adapter that gets the card again on demand\n") {
		t.Errorf("exit %d\n%s%s\nwant %s", code, out, errs, want)
	}
	code, out, _ = command(t, "explain", "cl-cache-002")
	if code != 0 || !strings.HasPrefix(out, want) {
		t.Errorf("without the dialect: exit %d\n%s", code, out)
	}
	code, out, _ = command(t, "explain", "A2A10-CL-CACHE-002", "--json")
	var entries []catalogueEntry
	if err := json.Unmarshal([]byte(out), &entries); code != 0 || err != nil || len(entries) != 1 || entries[0].Look == "" || entries[0].Fix != "" || len(entries[0].Links) == 0 {
		t.Errorf("exit %d, %v\n%s", code, err, out)
	}
	code, _, errs = command(t, "explain", "A2A10-CL-CACHE-022")
	if code == 0 || !strings.Contains(errs, "did you mean A2A10-CL-CACHE-00") {
		t.Errorf("a misspelt id: exit %d\n%s", code, errs)
	}
	code, _, errs = command(t, "explain", "a2a10-cl-xx-1")
	if code == 0 || !strings.Contains(errs, "did you mean A2A10-CL-") || !strings.Contains(errs, "`a2a-conform list --client` shows them all") {
		t.Errorf("an id that is none: exit %d\n%s", code, errs)
	}
}

// An id without its dialect means a requirement on servers, if there is one.
func TestSuffixesMeanServersFirst(t *testing.T) {
	for _, id := range requirementIDsBySuffix("MSG-001") {
		if schema.IsClient(id) {
			t.Errorf("MSG-001 means %s", id)
		}
	}
	if got := requirementIDsBySuffix("CL-TLS-001"); len(got) != 3 {
		t.Errorf("CL-TLS-001 means %v, want one in each of three dialects", got)
	}
}

// explain shows a scenario of clients: what its server does, whether it may, its twin, its markers, and who looks at it.
func TestExplainOfAScenario(t *testing.T) {
	t.Parallel()
	const wants = `stream-cr  a scenario of clients: stream forms

  Lines end with CR alone.

legal            yes, the protocol allows all that the server does
twin             stream: a client fails here only if it succeeds there
markers          `
	code, out, errs := command(t, "explain", "stream-cr")
	if code != 0 || !strings.HasPrefix(out, wants) {
		t.Errorf("exit %d\n%s%s\nwant %s", code, out, errs, wants)
	}
	for _, want := range []string{"\nto play it       a2a-conform client --scenario stream-cr -- COMMAND {url} {text}\n", "\nA2A10-CL-STREAM-004 ", "\nA2A03-CL-STREAM-004 "} {
		if !strings.Contains(out, want) {
			t.Errorf("it lacks %q:\n%s", want, out)
		}
	}
	for _, name := range clientScenarioNames() {
		code, out, errs := command(t, "explain", name, "--json")
		var of []clientScenario
		if err := json.Unmarshal([]byte(out), &of); code != 0 || err != nil || len(of) == 0 || of[0].Name != name || of[0].Does == "" {
			t.Errorf("%s: exit %d, %v\n%s%s", name, code, err, out, errs)
		}
	}
	if code, out, _ := command(t, "explain", "card-broken-html"); code != 0 || !strings.Contains(out, "no, the server does on purpose what the protocol forbids: ") {
		t.Errorf("a fault: exit %d\n%s", code, out)
	}
	code, _, errs = command(t, "explain", "stream-cf")
	if code != 2 || !strings.Contains(errs, "did you mean stream-cr") || !strings.Contains(errs, "`a2a-conform client --list`") {
		t.Errorf("a misspelt name: exit %d\n%s", code, errs)
	}
}
