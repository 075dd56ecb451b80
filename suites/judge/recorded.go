package judge

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// What all dialects share is about exchanges as such, and not about what a dialect reads in them.

// Recorded is the whole transcript of the run, with the calls that are kept from other checks
// because they were made only to be compared.
func (t *T) Recorded() *wire.Transcript { return t.Case.Recorded }

// Cite notes that the verdict rests on an exchange as a whole.
func (t *T) Cite(x *wire.Exchange) {
	t.expected++
	t.result.Evidence = append(t.result.Evidence, report.Evidence{Exchange: x.ID})
}

// Remark notes something about an exchange that is tolerated but worth knowing.
func (t *T) Remark(x *wire.Exchange, format string, args ...any) {
	t.result.Findings = append(t.result.Findings, report.Finding{Text: fmt.Sprintf(format, args...), Evidence: &report.Evidence{Exchange: x.ID}})
}
