package prove

import (
	"fmt"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
	"io"
)

// verdictVector is what a requirement came to on one server of the proof. Two versions of
// the suite with the same vectors judge alike.
type verdictVector struct {
	variant, mutant string // no mutant: the variant is healthy
	result          *verdict.Result
}

// addVerdictVector keeps a result for the vectors.
func (p *proof) addVerdictVector(rec *Recording, r *verdict.Result) {
	p.out.vectors = append(p.out.vectors, verdictVector{rec.Variant, rec.Mutant, r})
}

// Vectors prints a line for each requirement on each variant of the bundled server
// and on each of its mutants, as far as the mutant is asked about it: its verdict,
// the requirement that it follows from, whether there was anything to look at, and
// the number of its findings. The same judgement makes the same bytes.
func (o *Outcome) Vectors(w io.Writer) error {
	if _, err := fmt.Fprintln(w, "variant\tmutant\trequirement\tverdict\tbecause\tvacuous\tfindings"); err != nil {
		return err
	}
	for _, v := range o.vectors {
		r := v.result
		if _, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%t\t%d\n", v.variant, v.mutant, r.ID, r.Verdict, r.Because, r.Vacuous, len(r.Findings)); err != nil {
			return err
		}
	}
	return nil
}
