// Package known recognises faults of public SDKs in the failures of a run. It knows nothing of how a
// verdict comes about, and changes none.
package known

import (
	"bytes"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Failure is a requirement that fails, with all of its violations.
type Failure struct {
	ID         string
	Cause      string // the requirement that represents the cause of the failure
	Waived     bool
	Violations []Violation
	// Unseen states that there are further violations, of which nothing is known here.
	Unseen bool
}

// Violation is a place at which a requirement is broken, with the bytes that were recorded there.
type Violation struct {
	Steps   []string // of the conversations, which the exchange served
	Pointer string
	Header  string // the field of the head that it is about, if it is about one
	// Got is what is at the place, as it was sent; "" if there is nothing.
	Got    string
	Answer string // result or error, if it is the answer to a call
	Bytes  []byte // the whole answer; if it is about a field of the head, the head
}

// Fits reports whether a failure is one that the fault causes: every violation has to have a mark of it.
func Fits(f *Failure, faults []*schema.Fault) bool {
	return faultExplainingAllViolations(f, faults) != nil
}

// faultExplainingAllViolations returns the fault that causes a failure: the first one, if several cause it together. It is nil if
// a violation has the mark of none.
func faultExplainingAllViolations(f *Failure, faults []*schema.Fault) (first *schema.Fault) {
	if f.Unseen || len(f.Violations) == 0 {
		return nil
	}
	for i := range f.Violations {
		n := slices.IndexFunc(faults, func(of *schema.Fault) bool {
			return slices.ContainsFunc(of.Marks, func(m schema.FaultMark) bool { return f.Violations[i].hasMark(&m) })
		})
		if n < 0 {
			return nil
		}
		if first == nil {
			first = faults[n]
		}
	}
	return first
}

// hasMark reports whether a violation has a mark.
func (v *Violation) hasMark(m *schema.FaultMark) bool {
	lies := len(m.At) == 0 || slices.ContainsFunc(m.At, func(place string) bool {
		return report.Covers(place, report.Evidence{Pointer: v.Pointer}, v.Steps)
	})
	return lies && strings.EqualFold(v.Header, m.Header) &&
		(m.Answer == "" || v.Answer == m.Answer) && (m.Got == "" || v.hasValue(m.Got)) &&
		!slices.ContainsFunc(m.Has, func(piece string) bool { return !bytes.Contains(v.Bytes, []byte(piece)) }) &&
		!slices.ContainsFunc(m.Lacks, func(piece string) bool { return bytes.Contains(v.Bytes, []byte(piece)) })
}

// hasValue reports whether a value is at the place of the violation.
func (v *Violation) hasValue(want string) bool {
	begins := func(with string) bool { return v.Header == "" && v.Got != "" && strings.Contains(with, v.Got[:1]) }
	switch want {
	case "nothing":
		return v.Got == ""
	case "object":
		return begins("{")
	case "array":
		return begins("[")
	case "string":
		return begins(`"`)
	case "number":
		return begins("-0123456789")
	}
	return v.Got == want
}

// The least that recognises an SDK which the operator did not name: so many failures that fit it and no other
// one, of different faults. One of the faults has to be distinctive.
const leastFaults = 3

// Attribution is what a run has of the known faults of an SDK.
type Attribution struct {
	SDK      *schema.SDK
	Version  string // "" if the operator named none
	Declared bool
	Faults   map[string]*schema.Fault // by the id of the requirement that fails
}

// Attribute returns the SDK whose faults the failures of a run are: the declared one, or the one that they show by
// themselves; nil if there is none.
func Attribute(failures []Failure, declared *schema.NamedSDK, sdks []*schema.SDK) *Attribution {
	if declared != nil {
		return &Attribution{declared.SDK, declared.Version, true, faultsOf(failures, declared.SDK, declared.Version)}
	}
	all := make([]map[string]*schema.Fault, len(sdks))
	for i, s := range sdks {
		all[i] = faultsOf(failures, s, "")
	}
	var found *Attribution
	for i, s := range sdks {
		own := map[*schema.Fault]bool{}
		distinctive := false
		for id, f := range all[i] {
			if alone := !slices.ContainsFunc(all, func(o map[string]*schema.Fault) bool { return o[id] != nil && o[id] != f }); alone {
				own[f] = true
				distinctive = distinctive || f.Distinctive
			}
		}
		if len(own) < leastFaults || !distinctive {
			continue
		}
		if found != nil {
			return nil // two SDKs cannot both be what answers
		}
		found = &Attribution{SDK: s, Faults: all[i]}
	}
	return found
}

// faultsOf returns the faults of an SDK by the failures that they cause.
func faultsOf(failures []Failure, s *schema.SDK, version string) map[string]*schema.Fault {
	out := map[string]*schema.Fault{}
	for i := range failures {
		if f := faultExplainingAllViolations(&failures[i], s.FaultsOf(failures[i].ID, version)); f != nil {
			out[failures[i].ID] = f
		}
	}
	return out
}
