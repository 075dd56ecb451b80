package reports

import (
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// remarks are what a reader has to know of a requirement beside its statement: that it
// is none of the protocol's, how the sources can be read, and that what breaks it is no
// failure.
func remarks(r *report.Result) (out []string) {
	if r.Own {
		out = append(out, schema.OwnNote)
	}
	for i, reading := range r.Readings {
		out = append(out, "Reading "+string(rune('A'+i%26))+": "+reading)
	}
	if len(r.Readings) > 0 {
		out = append(out, "we apply the more lenient reading")
	}
	if r.FindingOnly != "" {
		out = append(out, "what breaks it is a finding and not a failure: "+r.FindingOnly)
	}
	return out
}
