package through

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
)

// explained is a requirement on gateways as explain --json prints it.
type explained struct {
	ID        string       `json:"id"`
	Level     schema.Level `json:"level"`
	Area      string       `json:"area"`
	Section   string       `json:"section"`
	Statement string       `json:"statement"`
	Meets     string       `json:"meets"` // what users meet behind a gateway that breaks it
	Finding   bool         `json:"finding"`
	Needs     []string     `json:"needs"`
	Gateways  []string     `json:"gateways"` // faulty ones that break it
}

// Explain prints what a requirement on gateways asks. It reports whether there is one of that id; the error is one of
// writing.
func Explain(w io.Writer, id string, asJSON bool) (found bool, err error) {
	all := schema.LoadGateways().Requirements
	i := slices.IndexFunc(all, func(r schema.GatewayRequirement) bool { return strings.EqualFold(r.ID, id) })
	if i < 0 {
		return false, nil
	}
	r := all[i]
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return true, enc.Encode([]explained{{r.ID, r.Level, r.Area, r.Section, r.Statement, r.Meets, r.Finding, append([]string{}, r.Needs...), r.Mutants}})
	}
	fmt.Fprintf(w, "%s  %s  %s  (%s)\n\n  %s\n\n", r.ID, r.Level, r.Area, r.Section, r.Statement)
	fmt.Fprintf(w, "%-14s %s\n", "what users meet", r.Meets)
	if r.Finding {
		fmt.Fprintf(w, "%-14s no: no sentence forbids it, or the texts can be read in two ways\n", "can it fail")
	}
	if len(r.Needs) > 0 {
		fmt.Fprintf(w, "%-14s --upstream-listen, so that what reaches the server is seen\n", "needs")
	}
	_, err = fmt.Fprintf(w, "%-14s a2a-conform prove --gateway judges these gateways: %s\n", "proven by", strings.Join(r.Mutants, ", "))
	return true, err
}
