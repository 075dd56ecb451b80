package reports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// kind is what a verdict is called on the screen. It knows more than the
// verdict: a broken SHOULD is a warning, a broken MAY a note.
type kind string

const (
	suiteError    kind = "suite error"
	fail          kind = "fail"
	warning       kind = "warning"
	note          kind = "note"
	inconclusive  kind = "inconclusive"
	waived        kind = "waived"
	pass          kind = "pass"
	notApplicable kind = "not applicable"
	vacuous       kind = "vacuous"
)

func kindOf(r *report.Result) kind {
	switch r.Verdict {
	case report.Pass:
		return pass
	case report.Fail:
		switch r.Level {
		case schema.Should:
			return warning
		case schema.May:
			return note
		}
		return fail
	case report.NotApplicable:
		if r.Vacuous {
			return vacuous
		}
		return notApplicable
	case report.Inconclusive:
		return inconclusive
	case report.Waived:
		return waived
	}
	return suiteError
}

// pick returns the results of the given kinds, in catalogue order.
func pick(r *report.Report, kinds ...kind) []*report.Result {
	var out []*report.Result
	for i := range r.Results {
		if slices.Contains(kinds, kindOf(&r.Results[i])) {
			out = append(out, &r.Results[i])
		}
	}
	return out
}

// roots are the failures of a kind that follow from no other. What follows from
// one of them is shown with it.
func roots(r *report.Report, k kind) (out []*report.Result) {
	shown := following(r)
	for _, res := range pick(r, k) {
		if !slices.Contains(shown[res.Because], res) {
			out = append(out, res)
		}
	}
	return out
}

// following lists the failures that follow from each failure.
func following(r *report.Report) map[string][]*report.Result {
	root := map[string]bool{}
	for _, res := range r.Results {
		root[res.ID] = res.Verdict == report.Fail && res.Because == ""
	}
	out := map[string][]*report.Result{}
	for _, k := range []kind{fail, warning, note} {
		for _, res := range pick(r, k) {
			if root[res.Because] {
				out[res.Because] = append(out[res.Because], res)
			}
		}
	}
	return out
}

// levels are the levels in the order of every table.
var levels = []schema.Level{schema.Must, schema.Should, schema.May}

// columns are the counts in the order of every table.
var columns = []struct {
	kind kind
	of   func(report.Count) int
}{
	{pass, func(c report.Count) int { return c.Pass }},
	{fail, func(c report.Count) int { return c.Fail }},
	{inconclusive, func(c report.Count) int { return c.Inconclusive }},
	{waived, func(c report.Count) int { return c.Waived }},
	{notApplicable, func(c report.Count) int { return c.NotApplicable }},
	{vacuous, func(c report.Count) int { return c.Vacuous }},
	{suiteError, func(c report.Count) int { return c.SuiteError }},
}

// meaning says in one sentence what the verdict of a run means.
func meaning(r *report.Report) string {
	must := r.Summary[string(schema.Must)]
	switch r.Verdict {
	case report.Conformant:
		return "Every MUST requirement that applies to this server was decided, and none is broken."
	case report.Partial:
		var open []string
		if n := must.Inconclusive; n > 0 {
			open = append(open, fmt.Sprintf("%s %s undecided", plural(n, "MUST requirement"), are(n)))
		}
		if n := must.Waived; n > 0 {
			open = append(open, fmt.Sprintf("%s %s waived", plural(n, "MUST requirement"), are(n)))
		}
		if r.Run.Selection != fullSelection {
			open = append(open, "only part of the catalogue was selected")
		}
		if len(open) == 0 {
			open = []string{"not everything was decided"}
		}
		return "The run saw no broken MUST requirement, but does not prove conformance: " + strings.Join(open, "; ") + "."
	case report.Nonconformant:
		return fmt.Sprintf("The server breaks %s.", plural(must.Fail, "MUST requirement"))
	case report.Unreachable:
		if r.Reason != "" {
			return "The server gave no HTTP response in the whole run, or none but a gateway's, so the run says nothing about it."
		}
		return "The RPC endpoint gave no HTTP response in the whole run, so the run says nothing about the server."
	}
	why := "it has no result"
	if n := len(pick(r, suiteError)); n > 0 {
		why = fmt.Sprintf("a2a-conform itself failed on %s", plural(n, "requirement"))
	} else if r.NeedsCredentials {
		why = "the server let no call in"
	} else if r.Run.Cut != "" {
		why = "it was stopped early: " + line(r.Run.Cut, maxName)
	}
	return "This run proves nothing about the server: " + why + "."
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// counts says the counts of the MUST level in words, for places without a table.
func counts(r *report.Report) string {
	var out []string
	for _, c := range columns {
		if n := c.of(r.Summary[string(schema.Must)]); n > 0 {
			out = append(out, fmt.Sprintf("%s %s", thousands(n), c.kind.Word()))
		}
	}
	if len(out) == 0 {
		return "no MUST requirement was judged"
	}
	return "MUST requirements: " + strings.Join(out, ", ")
}

// lines are the sentences of a list, each bounded.
func lines(of []string) (out []string) {
	for _, s := range of {
		out = append(out, line(s, maxReason))
	}
	return out
}

// cite names the section a requirement stands in.
func cite(section string) string { return schema.Sections(line(section, maxName)) }

// place says where a piece of evidence lies, in the words the judge uses in its
// reasons. Evidence of what is not there may lie nowhere.
func place(e report.Evidence) string {
	if e.Exchange == 0 {
		return "nowhere in the transcript"
	}
	s := line(e.File, maxName)
	if s == "" {
		s = fmt.Sprintf("exchange %d", e.Exchange)
	}
	if e.Event > 0 {
		s += fmt.Sprintf(", event %d", e.Event)
	}
	if e.Pointer != "" {
		s += ", " + line(e.Pointer, maxName)
	}
	return s
}

// said is a reason with the kind of verdict in front, unless it begins so.
func said(k kind, reason string) string {
	if strings.HasPrefix(reason, k.Word()) {
		return reason
	}
	return k.Word() + ": " + reason
}

// dialect names the protocol that was judged.
func dialect(t report.Target) string {
	switch {
	case t.Title != "":
		return line(t.Title, maxName)
	case t.Dialect == "auto":
		return "a protocol that was not recognised"
	}
	return line(t.Dialect, maxName)
}

// subject names what was judged, and where it was.
func subject(t report.Target) string {
	if t.Kind == bundled {
		return "the " + Named(t) + " (" + line(t.URL, maxName) + ")"
	}
	return Named(t)
}

// transcript is the kind of target that is a file: nobody showed that the server which it
// names was asked.
const transcript = report.ReplayedTarget

// fullSelection is what a report says that is about all requirements.
const fullSelection = "full"

// bundled is the kind of target that comes with this program.
const bundled = "bundled"

// Named is the name of what was judged, for the places that are read alone: the
// one line of a quiet run, a heading, a testcase. The bundled server is never
// called by its URL only, which could be anybody's, and a transcript never by the URL
// alone that stands in it.
func Named(t report.Target) string {
	switch t.Kind {
	case bundled:
		return "bundled " + line(t.Dialect, maxName) + " reference server"
	case transcript:
		return "an unsigned transcript that names " + line(t.URL, maxName)
	}
	return line(t.URL, maxName)
}

// offered says what else the server offers, and how that is judged: each in words,
// and the flag.
func offered(t report.Target) (out [][2]string) {
	for _, o := range t.Offers {
		out = append(out, [2]string{"the card also offers " + line(cmp.Or(o.Title, o.Dialect), maxName), "--dialect " + line(o.Dialect, maxName)})
	}
	return out
}

// noted are the notices of a report, each on one line, and with them what to
// write for the waivers that hold by their place alone: they keep no gate shut.
func noted(r *report.Report) (out []string) {
	if r.NeedsCredentials && r.Reason != "" {
		out = append(out, line(r.Reason, maxReason))
	}
	for _, n := range r.Notices {
		out = append(out, line(n, maxReason))
	}
	for i := range r.Waivers {
		if w := &r.Waivers[i]; w.State == report.Reworded {
			out = append(out, line(w.Advice, maxReason))
		}
	}
	return out
}

// effort says what the run cost.
func effort(r report.Run) string {
	return fmt.Sprintf("%s, %s, %s", plural(r.Exchanges, "exchange"), plural(r.AgentInvocations, "agent invocation"), took(r.DurationMs))
}

func took(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	d := time.Duration(ms) * time.Millisecond
	if d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// waits says what time was spent waiting for, longest first.
func waits(w map[string]float64) []string {
	names := slices.SortedFunc(maps.Keys(w), func(a, b string) int {
		if w[a] != w[b] {
			if w[a] > w[b] {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprintf("%.1f s for %s", w[n], line(n, maxName)))
	}
	return out
}

// violation is one breach of a requirement and the bytes that show it.
type violation struct {
	Text     string
	Evidence *report.Evidence
	Why      *report.Why // its parts; nil where they are not known
}

// maxViolations bounds what is shown of one requirement. The judge keeps fewer.
const maxViolations = 25

// violations pairs what a result says with its evidence: the judge keeps the
// reason first and the others in the order of the remaining evidence. more
// counts those that are not returned.
func violations(r *report.Result) (out []violation, more int) {
	out = []violation{{Text: r.Reason}}
	for _, o := range r.Others {
		out = append(out, violation{Text: o})
	}
	// Any other number of texts than of places is not the judge's arrangement:
	// claim no pairing then.
	paired := len(r.Others) == 0 || len(r.Evidence) == len(out)
	for i := range r.Evidence {
		if paired && i < len(out) {
			out[i].Evidence = &r.Evidence[i]
		} else {
			out = append(out, violation{Evidence: &r.Evidence[i]})
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

// areas groups results by area in catalogue order.
func areas(r *report.Report) []areaResults {
	var out []areaResults
	for i := range r.Results {
		res := &r.Results[i]
		j := slices.IndexFunc(out, func(a areaResults) bool { return a.Name == res.Area })
		if j < 0 {
			j = len(out)
			out = append(out, areaResults{Name: res.Area})
		}
		out[j].Results = append(out[j].Results, res)
	}
	return out
}

type areaResults struct {
	Name    string
	Results []*report.Result
}

// cells are what a requirement came to for each of several subjects, in one line; ""
// where there is one.
func cells(r *report.Result) string {
	var out []string
	for _, s := range r.Subjects {
		who := strings.TrimSpace(s.Agent + " " + s.Binding)
		out = append(out, line(who, maxName)+": "+verdictWord(s.Verdict))
	}
	return line(strings.Join(out, ", "), maxReason)
}

// Word is what a kind is called where people read it.
func (k kind) Word() string {
	switch k {
	case inconclusive:
		return "undecided"
	case vacuous:
		return "not exercised"
	}
	return string(k)
}

// verdictWord is what a verdict is called where people read it.
func verdictWord(v report.Verdict) string {
	switch v {
	case report.Inconclusive:
		return inconclusive.Word()
	case report.NotApplicable:
		return notApplicable.Word()
	case report.SuiteError:
		return suiteError.Word()
	case report.NotTried:
		return notTried.Word()
	}
	return string(v)
}

// verdictHeadline is what the verdict of a run is called above all else.
func verdictHeadline(v report.RunVerdict) string {
	if v == report.Void {
		return "no result"
	}
	return string(v)
}

// moreFailures begins a sentence on failures that follow from another one.
func moreFailures(n int) string {
	if n == 1 {
		return "1 more failure has"
	}
	return thousands(n) + " more failures have"
}

// stateWord is what the state of a waiver is called where people read it.
func stateWord(s report.WaiverState) string {
	switch s {
	case report.InForce:
		return "in force"
	case report.Reworded:
		return "in force, the text of the failure has changed"
	case report.Stale:
		return "not needed any more"
	case report.NotJudged:
		return "not judged"
	}
	return string(s)
}
