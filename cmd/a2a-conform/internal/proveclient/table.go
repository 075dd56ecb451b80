package proveclient

import (
	"fmt"
	"io"
	"strings"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform/internal/prove"
)

// Table prints the outcome, the same bytes for the same outcome.
func (o *Outcome) Table(w io.Writer) {
	failing, findings, unproven, bites := 0, 0, 0, 0
	for _, r := range o.Rows {
		bites += len(r.Bites)
		switch {
		case len(r.Bites) == 0:
			unproven++
		case r.Finding:
			findings++
		default:
			failing++
		}
		fmt.Fprintf(w, "%-18s %-22s passes on %s, caught %s\n", r.ID, r.Check, listNames(r.Passes, "healthy variant"), listNames(r.Bites, "mutant"))
	}
	for _, r := range o.Rows {
		if len(r.Bites) == 0 && r.Unproven != "" {
			fmt.Fprintf(w, "UNPROVEN %s: %s\n", r.ID, r.Unproven)
		}
	}
	prove.PrintProblems(w, o.Problems)
	fmt.Fprintf(w, "%s: %d of %d requirements on clients that a check judges are proven: %d can fail, %d have findings alone; %d mutants\n",
		o.Dialect, failing+findings, len(o.Rows), failing, findings, len(o.Mutants))
	if !o.OK() {
		fmt.Fprintf(w, "the proof does not hold: %d problems\n", len(o.Problems))
		return
	}
	mean := 0.0
	if failing+findings > 0 {
		mean = float64(bites) / float64(failing+findings)
	}
	fmt.Fprintf(w, "the proof holds: %d requirements that can break, each shown by %.1f mutants on average; %d not proven, with the reason; %d healthy variants fail nothing\n",
		failing+findings, mean, unproven, len(o.Variants))
}

// listNames returns how many names there are, and the first ones.
func listNames(names []string, what string) string {
	text := fmt.Sprintf("%d %s", len(names), what)
	if len(names) != 1 {
		text += "s"
	}
	if len(names) > 0 {
		text += " (" + strings.Join(names[:min(3, len(names))], ", ")
		if len(names) > 3 {
			text += ", …"
		}
		text += ")"
	}
	return text
}
