package repotest

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// describeClientFaults lists what is wrong with the texts of a requirement on clients: the form
// of its statement, its subject, and words of a private language anywhere.
func describeClientFaults(r *schema.Requirement) (out []string) {
	out = describeStatementFaults(r)
	if !strings.HasPrefix(r.Statement, "The client ") {
		out = append(out, r.ID+": the statement does not begin with \"The client\": "+r.Statement)
	}
	for _, text := range append([]string{r.Statement, r.Look, r.Fair, r.Mutant, r.Unobservable}, r.Readings...) {
		if found := hardWords(text, false); len(found) > 0 {
			out = append(out, r.ID+": "+strings.Join(found, ", ")+": "+text)
		}
		if text != "" && !strings.HasSuffix(text, ".") {
			out = append(out, r.ID+": this does not end with a full stop: "+text)
		}
		if strings.Count(text, "`")%2 != 0 {
			out = append(out, r.ID+": a backtick is unpaired: "+text)
		}
	}
	return out
}

// The maker of a client reads the statement first, so it has the form of those on servers, and
// names the client as the one who acts.
func TestStatementsOnClientsAreInOneForm(t *testing.T) {
	used := map[string]bool{}
	for _, name := range schema.Names() {
		d, err := schema.LoadClient(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Requirements) == 0 {
			t.Errorf("%s has no requirements on clients", name)
		}
		first := map[string]string{}
		for i := range d.Requirements {
			r := &d.Requirements[i]
			for _, fault := range describeClientFaults(r) {
				t.Error(fault)
			}
			if other := first[r.Statement]; other != "" {
				t.Errorf("%s and %s have the same statement: %s", other, r.ID, r.Statement)
			}
			first[r.Statement] = r.ID
			for _, scenario := range r.Scenario {
				used[scenario] = true
			}
		}
	}
	for _, scenario := range schema.ClientScenarios() {
		if !used[scenario] {
			t.Errorf("no requirement on clients needs the scenario %s", scenario)
		}
	}
	if all := schema.ClientScenarios(); len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(all) {
		t.Error("a scenario is listed twice")
	}
}

// TestClientFaultsAreFound shows that each kind of fault is noticed.
func TestClientFaultsAreFound(t *testing.T) {
	right := schema.Requirement{
		Rule:       schema.Rule{ID: "A-CL-1", Level: schema.Should, Statement: "The client should send `id`."},
		ClientTest: schema.ClientTest{Look: "The `id` is read."},
	}
	for _, c := range []struct {
		name  string
		spoil func(r *schema.Requirement)
		want  int
	}{
		{"nothing", func(*schema.Requirement) {}, 0},
		{"the subject", func(r *schema.Requirement) { r.Statement = "A client should send `id`." }, 1},
		{"the level", func(r *schema.Requirement) { r.Level = schema.May }, 2},
		{"no code", func(r *schema.Requirement) { r.Statement = "The client should send an id." }, 1},
		{"length", func(r *schema.Requirement) {
			r.Statement = "The client should send " + strings.Repeat("an ", maxWords) + "`id`."
		}, 1},
		{"a word", func(r *schema.Requirement) { r.Fair = "It is told so." }, 1},
		{"a full stop", func(r *schema.Requirement) { r.Mutant = "It sends none" }, 1},
		{"a backtick", func(r *schema.Requirement) { r.Look = "The `id is read." }, 1},
		{"a reading", func(r *schema.Requirement) { r.Readings = []string{"It is open"} }, 1},
	} {
		r := right
		c.spoil(&r)
		if got := describeClientFaults(&r); len(got) != c.want {
			t.Errorf("%s: the faults are %q, want %d", c.name, got, c.want)
		}
	}
}
