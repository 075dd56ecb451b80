// Package fleetpage writes the page and the summary over all agents of a fleet, with the history of each.
package fleetpage

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/layout"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Fleet is what the site of a fleet shows.
type Fleet struct {
	Rounds  []Round  // oldest first
	Targets []Target // in the order in which they are listed
	Live    bool     // it is served by `fleet serve`, and not a folder of files
	Unshown string   // which report pages were left out of the folder, and why; "" for none
	// Unreadable describes values of the broker that could not be read and are left out.
	Unreadable []string
}

// Round is one turn in which the targets were judged.
type Round struct {
	ID       string
	Began    time.Time
	Finished bool
	Targets  int // that were queued
	Results  int // that are there
	Repeated int // conversations that were held again, after a crash
	GivenUp  int // targets that ended as dead letters
}

// Target is one agent that is judged as one dialect.
type Target struct {
	ID      string // hex digits, unique; anchor and file name of its page
	Name    string // the operator's, may be ""
	URL     string
	Agent   string // from the card or the entry; may be ""
	Dialect string // name of the dialect
	Latest  Point
	Reason  string                  // why the run has its verdict, a sentence
	Summary map[string]report.Count // by level, as in judge.Report.Summary
	Page    string                  // link to its report page; "" for none
	History []Point                 // oldest first, up to 30; Latest is the last of them
	Changes []report.Change         // since the round before; may be nil
	Waiting bool                    // queued or running in the newest round, so that Latest is of an earlier one; with no History: not judged yet
}

// Point is what a target came to in one round.
type Point struct {
	Round   string
	At      time.Time
	Verdict report.RunVerdict
	Changed bool // other results than the round before
	Tries   int  // 1 unless the conversation was held again
}

// isJudged reports whether there is a verdict at all.
func (t *Target) isJudged() bool { return len(t.History) > 0 }

// verdictOrVoid is that of the latest run. One that is not known proves nothing.
func (p Point) verdictOrVoid() report.RunVerdict {
	if !slices.Contains(view.VerdictsByGravity, p.Verdict) {
		return report.Void
	}
	return p.Verdict
}

// displayName is what people know a target by.
func (t *Target) displayName() string {
	return safetext.Line(cmp.Or(t.Name, t.Agent, t.URL, "no name"), safetext.MaxName)
}

// overview sorts what a site shows.
type overview struct {
	Fleet
	agents   []*agent
	dialects []string // a column each
	columns  []string // the rounds of the histories
	verdicts map[report.RunVerdict]int
	judged   int // targets with a verdict
	waiting  int // targets whose turn in the newest round is still to come
	changes  []targetChange
}

// agent is a row: the targets of one name at one address.
type agent struct {
	name, url string
	cells     [][]*Target // by dialect
}

// The bounds of what is drawn of a fleet.
const (
	maxAgents      = 3000 // rows
	maxColumns     = 12   // dialects with a column of their own
	maxRounds      = 30   // of a history
	maxChanges     = 200  // targets that changed
	maxOpenChanges = 12   // of them that are in sight at once
	maxCellReason  = 300  // of a reason in a cell
)

// otherDialects is the column of dialects without one.
const otherDialects = "others"

// newOverview sorts targets by agent and dialect, in the order in which they are listed.
func newOverview(f Fleet) *overview {
	m := &overview{Fleet: f, verdicts: map[report.RunVerdict]int{}}
	for i := range f.Targets {
		if d := f.Targets[i].dialectName(); !slices.Contains(m.dialects, d) {
			m.dialects = append(m.dialects, d)
		}
	}
	// What is no dialect comes first: agents without a verdict on one are those to look at.
	slices.SortFunc(m.dialects, func(a, b string) int {
		known := func(d string) int { return slices.Index([]bool{false, true}, slices.Contains(schema.Names(), d)) }
		return cmp.Or(known(a)-known(b), cmp.Compare(a, b))
	})
	if len(m.dialects) > maxColumns {
		m.dialects = append(m.dialects[:maxColumns-1:maxColumns-1], otherDialects)
	}
	for _, r := range f.Rounds[max(0, len(f.Rounds)-maxRounds):] {
		m.columns = append(m.columns, r.ID)
	}
	rows := map[[2]string]*agent{}
	for i := range f.Targets {
		t := &f.Targets[i]
		key := [2]string{t.Name, t.URL}
		a := rows[key]
		if a == nil {
			a = &agent{name: t.Name, url: t.URL, cells: make([][]*Target, len(m.dialects))}
			rows[key] = a
			m.agents = append(m.agents, a)
		}
		at := m.dialectColumnOf(t)
		a.cells[at] = append(a.cells[at], t)
		if t.Waiting {
			m.waiting++
		}
		if t.isJudged() {
			m.judged++
			m.verdicts[t.Latest.verdictOrVoid()]++
		}
		if c, ok := m.changeSincePreviousRound(t); ok {
			m.changes = append(m.changes, c)
		}
	}
	slices.SortStableFunc(m.changes, func(a, b targetChange) int {
		return cmp.Or(a.severityRank()-b.severityRank(), slices.Index(view.VerdictsByGravity, a.is)-slices.Index(view.VerdictsByGravity, b.is))
	})
	return m
}

// changesByTarget finds the change of a target.
func (m *overview) changesByTarget() map[*Target]targetChange {
	out := map[*Target]targetChange{}
	for _, c := range m.changes {
		out[c.target] = c
	}
	return out
}

// sortAgents sorts agents for a reader: those that got worse, those that changed otherwise, and then by the worst of
// their verdicts. Agents that are alike stay in the order in which they are listed.
func (m *overview) sortAgents(changes map[*Target]targetChange) []*agent {
	const unchanged = 4
	rank := func(a *agent) (change, gravity int) {
		change, gravity = unchanged, len(view.VerdictsByGravity)
		for _, t := range slices.Concat(a.cells...) {
			if c, changed := changes[t]; changed {
				change = min(change, c.severityRank())
			}
			if t.isJudged() {
				gravity = min(gravity, slices.Index(view.VerdictsByGravity, t.Latest.verdictOrVoid()))
			}
		}
		return change, gravity
	}
	out := slices.Clone(m.agents)
	slices.SortStableFunc(out, func(a, b *agent) int {
		aChange, aGravity := rank(a)
		bChange, bGravity := rank(b)
		return cmp.Or(aChange-bChange, aGravity-bGravity)
	})
	return out
}

// chooseAgentRows are the agents that have a row. Of too many, those that need a reader come first: what
// is conformant and as before gives way.
func (m *overview) chooseAgentRows(changes map[*Target]targetChange) []*agent {
	sorted := m.sortAgents(changes)
	if len(sorted) <= maxAgents {
		return sorted
	}
	var urgent, rest []*agent
	for _, a := range sorted {
		if slices.ContainsFunc(slices.Concat(a.cells...), func(t *Target) bool {
			_, changed := changes[t]
			return changed || !t.isJudged() || t.Latest.verdictOrVoid() != report.Conformant
		}) {
			urgent = append(urgent, a)
		} else {
			rest = append(rest, a)
		}
	}
	return append(urgent, rest...)[:maxAgents]
}

func (t *Target) dialectName() string { return view.DialectName(report.Target{Dialect: t.Dialect}) }

// dialectColumnOf returns the index of a target's column.
func (m *overview) dialectColumnOf(t *Target) int {
	if i := slices.Index(m.dialects, t.dialectName()); i >= 0 {
		return i
	}
	return len(m.dialects) - 1
}

// newestRound returns the round that began last, or a zero Round if there is none.
func (m *overview) newestRound() Round {
	if n := len(m.Rounds); n > 0 {
		return m.Rounds[n-1]
	}
	return Round{}
}

// targetChange is a target that came to something else than in the round before.
type targetChange struct {
	target  *Target
	was, is report.RunVerdict
	worse   int // MUSTs that are worse off
	says    []string
}

// changeSincePreviousRound is what became of a target since the round before. Of a target that was not judged in
// the newest round, nothing is known.
func (m *overview) changeSincePreviousRound(t *Target) (targetChange, bool) {
	n := len(t.History)
	if t.Waiting || n < 2 || len(m.Rounds) > 0 && t.Latest.Round != m.newestRound().ID {
		return targetChange{}, false
	}
	c := targetChange{target: t, was: t.History[n-2].verdictOrVoid(), is: t.Latest.verdictOrVoid()}
	if c.was == c.is && !t.Latest.Changed && len(t.Changes) == 0 {
		return targetChange{}, false
	}
	// A run without a verdict on requirements changes all of them, and none is worse for it.
	if c.was.Speaks() && c.is.Speaks() {
		c.worse, c.says = len(report.Regressions(t.Changes)), view.ListChangedIDsByKind(t.Changes)
	}
	return c, true
}

// severityRank puts what is worse first, and what is better last.
func (c targetChange) severityRank() int {
	was, is := slices.Index(view.VerdictsByGravity, c.was), slices.Index(view.VerdictsByGravity, c.is)
	switch {
	case is < was:
		return 0
	case c.worse > 0:
		return 1
	case is == was:
		return 2
	}
	return 3
}

// summarizeChangesOrReason summarizes what changed: the requirements, or else the reason of the verdict.
func (c targetChange) summarizeChangesOrReason() string {
	if len(c.says) == 0 {
		return safetext.Line(c.target.Reason, maxCellReason)
	}
	return strings.Join(c.says, "; ")
}

// countChanges counts the changes by what they are to the reader.
func (m *overview) countChanges() (worse, better, other int) {
	for _, c := range m.changes {
		switch c.severityRank() {
		case 0, 1:
			worse++
		case 2:
			other++
		default:
			better++
		}
	}
	return worse, better, other
}

// describeChangeCounts is a sentence on the targets that changed.
func (m *overview) describeChangeCounts() string {
	if len(m.changes) == 0 && m.waiting > 0 {
		return "nothing so far"
	}
	switch {
	case len(m.Rounds) < 2:
		return "there was none"
	case len(m.changes) == 0:
		return "nothing"
	}
	worse, better, other := m.countChanges()
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{worse, "worse"}, {better, "better"}, {other, "changed"}} {
		if p.n > 0 {
			parts = append(parts, safetext.Thousands(p.n)+" "+p.word)
		}
	}
	return strings.Join(parts, ", ")
}

// describeConformant states how many targets are conformant.
func (m *overview) describeConformant() string {
	n := len(m.Targets)
	switch {
	case n == 0:
		return "no target is listed"
	case m.judged == 0:
		return fmt.Sprintf("none of %s is judged yet", safetext.CountWithNoun(n, "target"))
	}
	return fmt.Sprintf("%s of %s conformant", safetext.Thousands(m.verdicts[report.Conformant]), safetext.CountWithNoun(n, "target"))
}

// describeVerdicts counts the verdicts in words, and the targets without one.
func (m *overview) describeVerdicts() string {
	s := view.TallyVerdictsBestFirst(m.verdicts)
	if n := len(m.Targets) - m.judged; n > 0 {
		s = strings.TrimPrefix(fmt.Sprintf("%s, %s not judged yet", s, safetext.Thousands(n)), ", ")
	}
	return s
}

// describeRoundProgress is a round in a sentence.
func (r Round) describeRoundProgress() string {
	s := fmt.Sprintf("%s of %s", safetext.Thousands(r.Results), safetext.CountWithNoun(r.Targets, "target"))
	if r.Results == 1 {
		s += " has a result"
	} else {
		s += " have a result"
	}
	if !r.Finished {
		s += " so far"
	}
	if n := r.GivenUp; n > 0 {
		s += fmt.Sprintf("; %s abandoned after several tries", view.CountPhrase(n, "target was", "targets were"))
	}
	if n := r.Repeated; n > 0 {
		s += fmt.Sprintf("; %s retried after a crash", view.CountPhrase(n, "conversation was", "conversations were"))
	}
	return s
}

// describeIDAndStart is what a round is called, and when it began.
func (r Round) describeIDAndStart() string {
	s := safetext.Line(r.ID, safetext.MaxName)
	if !r.Began.IsZero() {
		s += ", begun " + r.Began.UTC().Format(time.DateTime) + " UTC"
	}
	return s
}

// describeTrend describes a history: "30 rounds: conformant since 2026-10-27".
func (t *Target) describeTrend() string {
	n := len(t.History)
	if n == 0 {
		return "not judged yet"
	}
	before := map[report.RunVerdict]int{}
	changed := 0
	for i, p := range t.History {
		if i < t.streakStart() {
			before[p.verdictOrVoid()]++
		}
		if p.Changed && i > 0 {
			changed++
		}
	}
	s := fmt.Sprintf("%s: %s since %s", safetext.CountWithNoun(n, "round"), t.Latest.verdictOrVoid(), t.streakStartDate())
	if len(before) > 0 {
		s += "; before that " + view.TallyVerdictsBestFirst(before)
	}
	if changed > 0 {
		s += "; other results " + view.CountPhrase(changed, "time", "times")
	}
	return s
}

// streakStart is the place in the history from which on the verdict is the latest one.
func (t *Target) streakStart() int {
	i := len(t.History) - 1
	for i > 0 && t.History[i-1].verdictOrVoid() == t.Latest.verdictOrVoid() {
		i--
	}
	return i
}

// streakStartDate is the day from which on the verdict is the latest one.
func (t *Target) streakStartDate() string {
	return t.History[t.streakStart()].At.UTC().Format(time.DateOnly)
}

// mustParts returns the counts of the MUST requirements, without those that do not apply. It is empty if the
// run has no verdict on requirements.
func (t *Target) mustParts() (out []layout.BarPart) {
	if !t.Latest.verdictOrVoid().Speaks() {
		return nil
	}
	for _, s := range layout.BarParts {
		if n := s.Of(t.Summary[string(schema.Must)]); n > 0 && s.Class != view.NotApplicable.Class() {
			out = append(out, layout.BarPart{Name: s.Name, Class: s.Class, N: n})
		}
	}
	return out
}

// The forms that a value must have to become an attribute of an element.
var (
	anchorForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z]{1,64}$`) })
	linkForm   = regexp.MustCompile(`^/?[0-9A-Za-z._~-]+(/[0-9A-Za-z._~-]+)*$`)
)

// anchorID is the place of a target on the page; of one whose id is none, by its number.
func (t *Target) anchorID(i int) string {
	if anchorForm().MatchString(t.ID) {
		return "t-" + t.ID
	}
	return fmt.Sprintf("t--%d", i+1)
}

// reportLink is the address of the report page, which is one of the site.
func (t *Target) reportLink() string {
	if linkForm.MatchString(t.Page) {
		return t.Page
	}
	return ""
}

// worstVerdict returns the worst verdict among the targets, and partial if there is none yet.
func (m *overview) worstVerdict() report.RunVerdict {
	for _, v := range view.VerdictsByGravity {
		if m.verdicts[v] > 0 {
			return v
		}
	}
	return report.Partial
}

// PageFile is the page of a fleet's site.
const PageFile = files.IndexFile
