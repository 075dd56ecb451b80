package proveclient

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform/internal/prove"
	"github.com/a2a-conform/a2a-conform/internal/testprocess"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
)

func TestMain(m *testing.M) {
	testprocess.Generous()
	m.Run()
}

// sampled are mutants of each way in which a client is judged: by a request, by where it goes, by
// what it shows and by a finding, if the dialect has such ones.
var sampled = map[string][]string{
	"a2a-1.0":       {"role-agent", "rpc-to-other-binding", "comment-breaks", "error-as-success", "batch", "task-invented"},
	"a2a-0.3":       {"role-agent", "rpc-to-other-binding", "comment-breaks", "error-as-success", "batch", "task-invented"},
	"a2a-0.1":       {"role-agent", "posts-to-card-origin", "comment-breaks", "unknown-code-as-success", "batch", "task-id-missing"},
	"a2x-0.3":       {"role-agent", "posts-to-card-origin", "waits-for-final", "error-as-success", "stream-undeclared", "extension-names"},
	"directory-0.1": {"method-misspelt", "tasks-to-directory", "reason-lost", "endpoint-missing"},
	"core-schema":   {"role-missing", "modes-needed", "null-members-fatal", "parts-object"},
	"jaf-0.3":       {"role-agent", "card-at-other-path", "comment-breaks", "error-as-success", "method-misspelt", "context-missing"},
}

func TestTheProofOfClientsHolds(t *testing.T) {
	for _, dialect := range Dialects() {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			o, err := Prove(t.Context(), dialect, suites.Checks(), sampled[dialect]...)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range o.Problems {
				t.Errorf("%s %s on %s: %s", p.Kind, p.Requirement, p.Mutant, p.Text)
			}
			if len(o.Mutants) != len(sampled[dialect]) {
				t.Errorf("%d mutants were judged, want %d", len(o.Mutants), len(sampled[dialect]))
			}
			for _, m := range o.Mutants {
				if len(m.Breaks) == 0 {
					t.Errorf("nothing breaks on %s", m.Name)
				}
			}
			var table bytes.Buffer
			o.Table(&table)
			if last := lastLine(table.String()); !strings.HasPrefix(last, "the proof holds: ") || !strings.HasSuffix(last, "healthy variants fail nothing") {
				t.Errorf("the last line is %q", last)
			}
		})
	}
}

// A check that always passes lets the proof fail, with the requirements that use it.
func TestSabotagedChecksAreNoticed(t *testing.T) {
	checks := suites.Checks()
	o, err := Prove(t.Context(), client10, checks.With(checks["client/member"].Sabotaged()), "role-agent")
	if err != nil {
		t.Fatal(err)
	}
	if o.OK() || !slices.ContainsFunc(o.Problems, func(p prove.Problem) bool {
		return p.Kind == "bite" && p.Requirement == "A2A10-CL-MSG-002" && p.Mutant == "role-agent"
	}) {
		t.Errorf("got %+v", o.Problems)
	}
	var table bytes.Buffer
	o.Table(&table)
	if !strings.HasPrefix(lastLine(table.String()), "the proof does not hold: ") {
		t.Errorf("the table ends in %q", lastLine(table.String()))
	}
}

const client10 = "a2a-1.0"

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

func TestDialectsWithoutABundledClient(t *testing.T) {
	if _, err := Prove(t.Context(), "core-schema-2", suites.Checks()); err == nil || !strings.Contains(err.Error(), "choose one of a2a-0.1, a2a-0.3, a2a-1.0") {
		t.Errorf("got %v", err)
	}
}

// A requirement without a mutant is a problem, unless a reason is given: the bundled client can break
// each other one.
func TestUnprovenRequirementsAreNamed(t *testing.T) {
	d, err := schema.LoadClient(client10)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		id, want string
	}{
		{"A2A10-CL-PUSH-015", ""}, // its reason is in the catalogue
		{"A2A10-CL-MSG-002", "no mutant of the bundled client breaks it"},
	} {
		r := d.Requirement(c.id)
		p := &proof{dialect: d, out: &Outcome{}}
		p.checkRow(r, Row{ID: c.id, Unproven: r.Unproven, Passes: []string{"plain"}})
		p.out.Problems = slices.DeleteFunc(p.out.Problems, func(q prove.Problem) bool { return q.Kind == "catalogue" })
		if got := len(p.out.Problems) > 0; got != (c.want != "") || got && !strings.HasPrefix(p.out.Problems[0].Text, c.want) {
			t.Errorf("%s: %+v", c.id, p.out.Problems)
		}
	}
	for _, id := range []string{"A2A10-CL-HTTP-002", "A2A10-CL-GRPC-001", "A2A10-CL-STREAM-001"} {
		if got := explainUnserved(d, d.Requirement(id)); got != "" {
			t.Errorf("%s: %q", id, got)
		}
	}
	crowded := *d.Requirement("A2A10-CL-GRPC-001")
	crowded.Scenario = []string{"crowd"}
	if got := explainUnserved(d, &crowded); !strings.Contains(got, "crowd") { // of another dialect
		t.Errorf("a scenario of another dialect: %q", got)
	}
}
