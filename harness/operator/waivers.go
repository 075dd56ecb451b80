package operator

// Waiver is the operator's word that a requirement is known to fail, why, and
// until when. It is kept with the recording, so that a replay waives the same.
type Waiver struct {
	ID     string   `json:"id"`
	Why    string   `json:"why"`
	Until  string   `json:"until"`            // the last day it holds, in UTC: 2026-12-31
	At     string   `json:"at,omitempty"`     // the place that every violation must have to be covered
	AlsoAt []string `json:"alsoAt,omitempty"` // further places: every violation must be at one of all
	Where  string   `json:"where,omitempty"`  // what the text of every violation must hold to be covered
	// Sometimes is set if the failure is not always there, so that a pass does not make
	// the waiver useless.
	Sometimes bool `json:"sometimes,omitempty"`
	// SDK names the SDK (js@1.3.0) by whose known faults the requirement fails. Then a failure is
	// covered if all of it has the marks of these faults.
	SDK  string `json:"sdk,omitempty"`
	File string `json:"file,omitempty"` // the file that has it
	Line int    `json:"line,omitempty"`
}

// Places returns all places that the waiver covers; none if it covers any.
func (w Waiver) Places() []string {
	if w.At == "" {
		return w.AlsoAt
	}
	return append([]string{w.At}, w.AlsoAt...)
}

// Baseline is what an earlier run decided, if the gate of this one asks only
// for nothing to be worse.
type Baseline struct {
	File     string            `json:"file"`
	Dialect  string            `json:"dialect"`
	Verdicts map[string]string `json:"verdicts"` // by id of the requirement
	// CatalogueVersion is the version of the catalogue that judged it; "1" if it
	// is empty.
	CatalogueVersion string `json:"catalogueVersion,omitempty"`
}

// Rerun narrows a run to what an earlier one left broken or undecided.
type Rerun struct {
	File    string   `json:"file"`
	Dialect string   `json:"dialect"`
	IDs     []string `json:"ids"`
}
