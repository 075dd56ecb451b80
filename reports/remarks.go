package reports

import (
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// remarks are what a reader has to know of a requirement beside its statement: that it
// is none of the protocol's, how the sources can be read, and that what breaks it is no
// failure.
func remarks(r *judge.Result) (out []string) {
	if r.Own {
		out = append(out, schema.OwnNote)
	}
	for _, reading := range r.Readings {
		out = append(out, "one interpretation: "+reading)
	}
	if len(r.Readings) > 0 {
		out = append(out, "the weaker interpretation is the one that is judged")
	}
	if r.FindingOnly != "" {
		out = append(out, "what breaks it is a finding, no failure: "+r.FindingOnly)
	}
	return out
}
