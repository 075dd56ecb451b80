package report

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/a2a-conform/a2a-conform/schema"
)

// ChangeKind describes how the verdict on a requirement changed from one run to
// another.
type ChangeKind string

// The kinds of change, the gravest first.
const (
	Broken        ChangeKind = "broken"             // it did not fail, and it does now
	Lost          ChangeKind = "lost"               // it passed, and could not be decided now
	Rejudged      ChangeKind = "judged differently" // it asks for something else, or at another level, since a version of the catalogue
	Fixed         ChangeKind = "fixed"              // it failed, and it passes now
	ReasonChanged ChangeKind = "changed reason"     // it fails in another way
	Otherwise     ChangeKind = "otherwise"          // another verdict that is neither better nor worse in itself
	New           ChangeKind = "new"                // it was not judged
	Gone          ChangeKind = "gone"               // it is not judged any more
)

// ChangeKinds lists the kinds in the order in which they are shown.
func ChangeKinds() []ChangeKind {
	return []ChangeKind{Broken, Lost, Rejudged, Fixed, ReasonChanged, Otherwise, New, Gone}
}

// Change is a difference between two runs.
type Change struct {
	ID     string       `json:"id"`
	Level  schema.Level `json:"level"`
	Kind   ChangeKind   `json:"kind"`
	Was    Verdict      `json:"was,omitempty"`
	Now    Verdict      `json:"now,omitempty"`
	Before string       `json:"before,omitempty"` // the reason of the earlier verdict
	After  string       `json:"after,omitempty"`  // the reason of the later one
	// What the catalogue states about it, if it judges the requirement differently.
	WasLevel schema.Level `json:"wasLevel,omitempty"` // if it is another now
	Since    string       `json:"since,omitempty"`    // the version of the catalogue
	Why      string       `json:"why,omitempty"`
}

// Regression reports whether a MUST is worse off: broken and not waived, or no
// longer decided though it was kept. That it is judged differently is our doing,
// not the server's.
func (c *Change) Regression() bool {
	return c.Level == schema.Must && (c.Kind == Broken && c.Now == Fail || c.Kind == Lost)
}

// Regressions returns the changes for the worse.
func Regressions(changes []Change) []Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return !c.Regression() })
}

// CompareReports lists what changed between two reports, by the history of the
// catalogues that judged them.
func CompareReports(old, now *Report, h *schema.History) []Change {
	return Compare(old.Results, now.Results, h.Between(old.Tool.CatalogueVersion, now.Tool.CatalogueVersion))
}

// Compare lists what changed, in the order of the later results; what is gone
// comes last. Some requirements may be judged differently by the catalogue of
// the later results: their changes are of a kind of their own.
func Compare(old, now []Result, differently map[string]schema.Change) []Change {
	was := map[string]*Result{}
	for i := range old {
		was[old[i].ID] = &old[i]
	}
	var out []Change
	for i := range now {
		n := &now[i]
		o := was[n.ID]
		delete(was, n.ID)
		c := Change{ID: n.ID, Level: n.Level, Now: n.Verdict, After: n.Reason, Kind: New}
		if o != nil {
			c.Was, c.Before, c.Kind = o.Verdict, o.Reason, kindOfChange(o, n)
			if o.Level != n.Level {
				c.WasLevel = o.Level
			}
			if d, ok := differently[n.ID]; ok && (c.Kind != "" || c.WasLevel != "") {
				c.Kind, c.Since, c.Why = Rejudged, strconv.Itoa(d.Since), d.Why
			} else if d, ok := differently[n.Because]; ok && c.Kind == Lost {
				c.Kind, c.Since, c.Why = Rejudged, strconv.Itoa(d.Since), fmt.Sprintf("it depends on %s, which changed: %s", d.ID, d.Why)
			}
		}
		if c.Kind != "" {
			out = append(out, c)
		}
	}
	for i := range old {
		if o := &old[i]; was[o.ID] != nil {
			c := Change{ID: o.ID, Level: o.Level, Kind: Gone, Was: o.Verdict, Before: o.Reason}
			if d, ok := differently[o.ID]; ok {
				c.Since, c.Why = strconv.Itoa(d.Since), d.Why
			}
			out = append(out, c)
		}
	}
	return out
}

func kindOfChange(o, n *Result) ChangeKind {
	failed := func(v Verdict) bool { return v == Fail || v == Waived }
	switch {
	case o.Verdict == n.Verdict:
		if failed(n.Verdict) && o.Reason != "" && n.Reason != "" && normalizeReason(o.Reason) != normalizeReason(n.Reason) {
			return ReasonChanged
		}
		return ""
	case failed(n.Verdict) && !failed(o.Verdict):
		return Broken
	case o.Verdict == Pass && n.Verdict == Inconclusive:
		return Lost
	case failed(o.Verdict) && n.Verdict == Pass:
		return Fixed
	}
	return Otherwise
}

// varyingText matches the parts of a reason that differ between two runs against one
// server: numbers of exchanges and events, ids, ports and times.
var varyingText = regexp.MustCompile(`(?i)(exchange|event)s? \d+|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|:\d{2,5}\b|\d{4}-\d\d-\d\dT[0-9:.]+(Z|[+-]\d\d:\d\d)?|\b[0-9.]+ ?(µs|ms|s)\b`)

// VaryingParts returns the places of such parts in a text, each by its beginning and its end.
func VaryingParts(text string) [][]int { return varyingText.FindAllStringIndex(text, -1) }

// normalizeReason takes out of a reason what differs between two runs against one server.
func normalizeReason(reason string) string { return varyingText.ReplaceAllString(reason, "…") }

// Baseline is the comparison with an earlier report that the gate asks for.
type Baseline struct {
	File    string   `json:"file"`
	Changes []Change `json:"changes"`
}
