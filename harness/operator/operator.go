// Package operator has the words of the operator about a server: what makes its agents show a
// behaviour, which failures are known, and what of the catalogue is wanted. They are kept with
// the recording, so that a replay decides the same.
package operator

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
)

// Stimulus is a message text that makes an agent show a behaviour, of the catalogue or the operator.
type Stimulus = schema.Stimulus

// Payment is the metadata of a message by which work is paid for.
type Payment = schema.Payment

// Selection narrows a run to some requirements. Empty lists select everything.
type Selection struct {
	Run    []string `json:"run,omitempty"`  // patterns of ids
	Skip   []string `json:"skip,omitempty"` // patterns of ids
	Areas  []string `json:"areas,omitempty"`
	Levels []string `json:"levels,omitempty"`
	// Sections are places in the source; what is below one of them counts too.
	Sections []string `json:"sections,omitempty"`
	Rerun    *Rerun   `json:"rerun,omitempty"` // only what an earlier run left broken or undecided
}

// String returns the selection as the report shows it.
func (s Selection) String() string {
	var out []string
	if s.Rerun != nil {
		out = append(out, "--rerun-failed "+s.Rerun.File)
	}
	for _, f := range []struct {
		name   string
		values []string
	}{{"run", s.Run}, {"skip", s.Skip}, {"area", s.Areas}, {"section", s.Sections}, {"level", s.Levels}} {
		for _, v := range f.values {
			out = append(out, "--"+f.name+" "+v)
		}
	}
	if len(out) == 0 {
		return "full"
	}
	return strings.Join(out, " ")
}

// Schema is a JSON Schema of the operator's, kept so that a replay judges by
// the same one.
type Schema struct {
	File string `json:"file"`
	Text string `json:"text"`
}

// UsageError is a mistake of the operator: its text describes what to do about it.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }
