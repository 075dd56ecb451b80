package report

// WaiverState is what became of a waiver in a run.
type WaiverState string

// The states of a waiver. A stale or expired one has to leave its file, or to
// be renewed, before the gate is met again.
const (
	InForce   WaiverState = "in-force"   // the requirement fails, and the waiver covers it
	Reworded  WaiverState = "reworded"   // the same, though the text of the failure is another now
	Stale     WaiverState = "stale"      // there is nothing left that it covers
	Expired   WaiverState = "expired"    // its last day is over
	Undecided WaiverState = "undecided"  // whether the requirement still fails is not known
	NotJudged WaiverState = "not-judged" // the run does not judge the requirement
)

// Waiver is a waiver and what became of it.
type Waiver struct {
	KnownFailure
	State  WaiverState `json:"state"`
	Advice string      `json:"advice,omitempty"` // what its owner has to do, with file and line
}

// KnownFailure is what the operator wrote of a failure: why it is tolerated and until when.
type KnownFailure struct {
	ID     string   `json:"id"`
	Why    string   `json:"why"`
	Until  string   `json:"until"`            // the last day it holds, in UTC: 2026-12-31
	At     string   `json:"at,omitempty"`     // the place that every violation must have to be covered
	AlsoAt []string `json:"alsoAt,omitempty"` // further places: every violation must be at one of all
	Where  string   `json:"where,omitempty"`  // what the text of every violation must hold to be covered
	// Sometimes is set if the failure is not always there, so that a pass does not make
	// the waiver useless.
	Sometimes bool   `json:"sometimes,omitempty"`
	SDK       string `json:"sdk,omitempty"`  // the SDK (js@1.3.0) by whose known faults the requirement fails
	File      string `json:"file,omitempty"` // that the waiver is in, and its line
	Line      int    `json:"line,omitempty"`
}

// Places returns all places that the waiver covers; none if it covers any.
func (k KnownFailure) Places() []string {
	if k.At == "" {
		return k.AlsoAt
	}
	return append([]string{k.At}, k.AlsoAt...)
}

// Overdue reports whether the waiver has to be deleted or renewed.
func (w *Waiver) Overdue() bool { return w.State == Stale || w.State == Expired }
