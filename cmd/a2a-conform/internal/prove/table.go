package prove

import (
	"fmt"
	"io"
	"strings"
)

// Table prints the outcome, the same bytes for the same outcome.
func (o *Outcome) Table(w io.Writer) {
	for _, r := range o.Rows {
		if r.Check == "" {
			continue
		}
		caught := fmt.Sprintf("caught %d mutants", len(r.Bites))
		if len(r.Bites) == 1 {
			caught = "caught 1 mutant"
		}
		if len(r.Bites) > 0 {
			caught += ", such as " + r.Bites[0]
		}
		healthy := fmt.Sprintf("passes on %d healthy servers", len(r.Passes))
		if len(r.Passes) == 1 {
			healthy = "passes on 1 healthy server"
		}
		fmt.Fprintf(w, "%-16s %-30s %s (%s), %s\n", r.ID, r.Check, healthy, strings.Join(r.Passes, ", "), caught)
	}
	fmt.Fprintf(w, "%s: %d requirements, %d live mutants, %d derived mutants (%d of them live too), %d blunt, %d servers with two defects\n", o.Dialect, len(o.Rows), o.Live, o.Derived, o.Sampled, o.Blunt, o.Pairs)
	if o.Reencoded+o.Unsayable > 0 {
		fmt.Fprintf(w, "%s: %d derived mutants were encoded again for gRPC; %d more cannot be expressed in protobuf\n", o.Dialect, o.Reencoded, o.Unsayable)
	}
	PrintProblems(w, o.Problems)
	if o.OK() {
		fmt.Fprintln(w, "the proof holds: every check bites, fairly")
	} else {
		fmt.Fprintf(w, "the proof does not hold: %d problems\n", len(o.Problems))
	}
}

// PrintProblems prints what keeps a proof from holding, one problem a line.
func PrintProblems(w io.Writer, problems []Problem) {
	for _, p := range problems {
		on := ""
		if p.Mutant != "" {
			on = " on " + p.Mutant
		}
		fmt.Fprintf(w, "PROBLEM %s: %s%s: %s\n", p.Kind, p.Requirement, on, p.Text)
	}
}
