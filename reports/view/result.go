package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// DescribeEvidence is a piece of evidence on one line.
func DescribeEvidence(e report.Evidence) string {
	s := DescribePlace(e)
	if e.Excerpt != "" {
		s += ": " + safetext.Line(e.Excerpt, safetext.MaxExcerpt)
	}
	return s
}

// RequirementRemarks lists what a reader has to know of a requirement besides its statement: that it is not of the
// protocol, how the sources can be read, and that breaking it is no failure.
func RequirementRemarks(r *report.Result) (out []string) {
	if r.Own {
		out = append(out, schema.OwnNote)
	}
	out = append(out, schema.NameReadings(r.Readings)...)
	if applied := schema.DescribeAppliedReadings(len(r.Readings), r.Applied); applied != "" {
		out = append(out, applied)
	}
	if r.FindingOnly != "" {
		out = append(out, "what breaks it is a finding and not a failure: "+r.FindingOnly)
	}
	return out
}

// CiteSection formats the section of a requirement.
func CiteSection(section string) string {
	return schema.Sections(safetext.Line(section, safetext.MaxName))
}

// DescribePlace describes the place of a piece of evidence, in the words that the judge uses in its reasons.
// Evidence of something missing may have no place.
func DescribePlace(e report.Evidence) string {
	if e.Exchange == 0 {
		return "nowhere in the transcript"
	}
	s := safetext.Line(e.File, safetext.MaxName)
	if s == "" {
		s = fmt.Sprintf("exchange %d", e.Exchange)
	}
	if e.Event > 0 {
		s += fmt.Sprintf(", event %d", e.Event)
	}
	if e.Said > 0 {
		s = fmt.Sprintf("line %d of what the client reported, near %s", e.Said, s)
	}
	if e.Pointer != "" {
		s += ", " + safetext.Line(e.Pointer, safetext.MaxName)
	}
	return s
}

// PrefixKind is a reason with the kind of verdict in front, unless it begins so.
func PrefixKind(k Kind, reason string) string {
	if strings.HasPrefix(reason, k.Word()) {
		return reason
	}
	return k.Word() + ": " + reason
}

// Violation is one breach of a requirement and the bytes that show it.
type Violation struct {
	Text     string
	Evidence *report.Evidence
	Why      *report.Why // its parts; nil if they are not known
}

// maxViolations bounds what is shown of one requirement. The judge keeps fewer.
const maxViolations = 25

// Violations pairs the texts of a result with its evidence: the judge keeps the reason first and the others
// in the order of the remaining evidence. more counts those that are not returned.
func Violations(r *report.Result) (out []Violation, more int) {
	out = []Violation{{Text: r.Reason}}
	for _, o := range r.Others {
		out = append(out, Violation{Text: o})
	}
	// Any other number of texts than of places is not the judge's arrangement:
	// claim no pairing then.
	paired := len(r.Others) == 0 || len(r.Evidence) == len(out)
	for i := range r.Evidence {
		if paired && i < len(out) {
			out[i].Evidence = &r.Evidence[i]
		} else {
			out = append(out, Violation{Evidence: &r.Evidence[i]})
		}
	}
	for i := range out {
		if i < len(r.Why) && out[i].Text != "" {
			out[i].Why = &r.Why[i]
		}
	}
	more = r.More
	if n := len(out) - maxViolations; n > 0 {
		out, more = out[:maxViolations], more+n
	}
	return out, more
}

// AlikeViolations is a violation, and how many others differ from it only in the message that shows them.
type AlikeViolations struct {
	Violation
	Others int
}

// GroupAlikeViolations groups the violations of one requirement that read the same. What our server did differs in each scenario
// of a client, and does not count; what we sent to a server does.
func GroupAlikeViolations(all []Violation) (out []AlikeViolations) {
	for _, v := range all {
		i := slices.IndexFunc(out, func(o AlikeViolations) bool { return readsLike(o.Why, v.Why) })
		if i < 0 {
			out = append(out, AlikeViolations{Violation: v})
			continue
		}
		out[i].Others++
	}
	return out
}

// readsLike reports whether two violations state the same of the same member.
func readsLike(a, b *report.Why) bool {
	return a != nil && b != nil && a.Came() == b.Came() && a.Due == b.Due && a.By == b.By && (a.Client || a.Sent == b.Sent) &&
		a.At.Pointer == b.At.Pointer && a.At.Header == b.At.Header
}

// GroupByArea groups results by area in catalogue order.
func GroupByArea(r *report.Report) []AreaResults {
	var out []AreaResults
	for i := range r.Results {
		res := &r.Results[i]
		j := slices.IndexFunc(out, func(a AreaResults) bool { return a.Name == res.Area })
		if j < 0 {
			j = len(out)
			out = append(out, AreaResults{Name: res.Area})
		}
		out[j].Results = append(out[j].Results, res)
	}
	return out
}

type AreaResults struct {
	Name    string
	Results []*report.Result
}

// SubjectVerdicts lists the verdicts on a requirement for each of several subjects, in one line; "" if there
// is only one.
func SubjectVerdicts(r *report.Result) string {
	var out []string
	for _, s := range r.Subjects {
		out = append(out, SubjectLabel(s)+": "+VerdictWord(s.Verdict))
	}
	return safetext.Line(strings.Join(out, ", "), safetext.MaxReason)
}
