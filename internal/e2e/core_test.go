package e2e

import (
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// With a whole a2a.json each kind of part is judged by its own definition, and
// every other type by the one it has there.
func TestCoreSchemaGivenWhole(t *testing.T) {
	t.Parallel()
	s := bundled(t, reference.Options{Dialect: "core-schema", Variant: "typed"})
	o, err := conform.Run(t.Context(), conform.Target{URL: s.URL(), Dialect: "core-schema", Behaviour: conform.Behaviour{DefaultStimuli: true},
		Judging: conform.Judging{Schema: &operator.Schema{File: "complete.json", Text: reference.CoreSchema}}})
	if err != nil {
		t.Fatal(err)
	}
	passed := 0
	for _, r := range o.Report.Results {
		switch {
		case r.Verdict == report.Fail || r.Verdict == report.Inconclusive:
			t.Errorf("%s is %s: %s", r.ID, r.Verdict, r.Reason)
		case r.Verdict == report.Pass && (strings.HasPrefix(r.ID, "CORE-MSG-0") || strings.HasSuffix(r.ID, "Part") || r.ID == "SCHEMA-Task"):
			passed++
		}
	}
	if passed < 15 { // ten sentences about parts, four types at the least, and the union
		t.Errorf("only %d sentences about parts were found kept", passed)
	}
	if o.Report.Verdict != report.Conformant {
		t.Errorf("%s: %s", o.Report.Verdict, o.Report.Reason)
	}
}

// A server of 0.1.0 is not taken for one of the core schema.
func TestCoreSchemaIsNeverChosen(t *testing.T) {
	t.Parallel()
	s := bundled(t, reference.Options{Dialect: "core-schema", Variant: "minimal"})
	o, err := conform.Run(t.Context(), conform.Target{URL: s.URL(), Behaviour: conform.Behaviour{DefaultStimuli: true}})
	if err != nil || o.Report.Target.Dialect != "a2a-0.1" {
		t.Errorf("%v, %v", o, err)
	}
}
