package reports

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Fleet is what the site of a fleet shows.
type Fleet struct {
	Rounds  []FleetRound  // oldest first
	Targets []FleetTarget // in the order in which they are listed
	Live    bool          // it is served by `fleet serve`, and not a folder of files
	Unshown string        // which report pages were left out of the folder, and why; "" for none
	// Unreadable are lines about what the broker keeps and nobody can read: it is left out.
	Unreadable []string
}

// FleetRound is one turn in which the targets were judged.
type FleetRound struct {
	ID       string
	Began    time.Time
	Finished bool
	Targets  int // that were queued
	Results  int // that are there
	Repeated int // conversations that were held again, after a crash
	GivenUp  int // targets that ended as dead letters
}

// FleetTarget is one agent that is judged as one dialect.
type FleetTarget struct {
	ID      string // hex digits, unique; anchor and file name of its page
	Name    string // the operator's, may be ""
	URL     string
	Agent   string // from the card or the entry; may be ""
	Dialect string // name of the dialect
	Latest  FleetPoint
	Reason  string                  // why the run has its verdict, a sentence
	Summary map[string]report.Count // by level, as in judge.Report.Summary
	Page    string                  // link to its report page; "" for none
	History []FleetPoint            // oldest first, up to 30; Latest is the last of them
	Changes []report.Change         // since the round before; may be nil
	Waiting bool                    // queued or running in the newest round, so that Latest is of an earlier one; with no History: not judged yet
}

// FleetPoint is what a target came to in one round.
type FleetPoint struct {
	Round   string
	At      time.Time
	Verdict report.RunVerdict
	Changed bool // other results than the round before
	Tries   int  // 1 unless the conversation was held again
}

// judged reports whether there is a verdict at all.
func (t *FleetTarget) judged() bool { return len(t.History) > 0 }

// verdict is that of the latest run. One that is not known proves nothing.
func (p FleetPoint) verdict() report.RunVerdict {
	if !slices.Contains(gravest, p.Verdict) {
		return report.Void
	}
	return p.Verdict
}

// called is what people know a target by.
func (t *FleetTarget) called() string {
	return line(cmp.Or(t.Name, t.Agent, t.URL, "no name"), maxName)
}

// fleet sorts what a site shows.
type fleet struct {
	Fleet
	agents   []*fleetAgent
	dialects []string // a column each
	columns  []string // the rounds of the histories
	verdicts map[report.RunVerdict]int
	judged   int // targets with a verdict
	waiting  int // targets whose turn in the newest round is still to come
	changes  []fleetChange
}

// fleetAgent is a row: the targets of one name at one address.
type fleetAgent struct {
	name, url string
	cells     [][]*FleetTarget // by dialect
}

// The bounds of what is drawn of a fleet.
const (
	maxAgents     = 3000 // rows
	maxColumns    = 12   // dialects with a column of their own
	maxRounds     = 30   // of a history
	maxTurned     = 200  // targets that changed
	maxTurnedOpen = 12   // of them that are in sight at once
	maxFleetSays  = 300  // of a reason in a cell
)

// otherDialects is the column of dialects without one.
const otherDialects = "others"

// newFleet sorts targets by agent and dialect, in the order in which they are listed.
func newFleet(f Fleet) *fleet {
	m := &fleet{Fleet: f, verdicts: map[report.RunVerdict]int{}}
	for i := range f.Targets {
		if d := f.Targets[i].dialect(); !slices.Contains(m.dialects, d) {
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
	rows := map[[2]string]*fleetAgent{}
	for i := range f.Targets {
		t := &f.Targets[i]
		key := [2]string{t.Name, t.URL}
		a := rows[key]
		if a == nil {
			a = &fleetAgent{name: t.Name, url: t.URL, cells: make([][]*FleetTarget, len(m.dialects))}
			rows[key] = a
			m.agents = append(m.agents, a)
		}
		at := m.column(t)
		a.cells[at] = append(a.cells[at], t)
		if t.Waiting {
			m.waiting++
		}
		if t.judged() {
			m.judged++
			m.verdicts[t.Latest.verdict()]++
		}
		if c, ok := m.change(t); ok {
			m.changes = append(m.changes, c)
		}
	}
	slices.SortStableFunc(m.changes, func(a, b fleetChange) int {
		return cmp.Or(a.rank()-b.rank(), slices.Index(gravest, a.is)-slices.Index(gravest, b.is))
	})
	return m
}

// shown are the agents that have a row. Of too many, those that need a reader come first: what
// is conformant and as before gives way. Both are in the order in which they are listed.
func (m *fleet) shown(turned map[*FleetTarget]bool) []*fleetAgent {
	if len(m.agents) <= maxAgents {
		return m.agents
	}
	var urgent, rest []*fleetAgent
	for _, a := range m.agents {
		if slices.ContainsFunc(slices.Concat(a.cells...), func(t *FleetTarget) bool {
			return turned[t] || !t.judged() || t.Latest.verdict() != report.Conformant
		}) {
			urgent = append(urgent, a)
		} else {
			rest = append(rest, a)
		}
	}
	return append(urgent, rest...)[:maxAgents]
}

func (t *FleetTarget) dialect() string { return dialect(report.Target{Dialect: t.Dialect}) }

// column is the number of the column in which a target stands.
func (m *fleet) column(t *FleetTarget) int {
	if i := slices.Index(m.dialects, t.dialect()); i >= 0 {
		return i
	}
	return len(m.dialects) - 1
}

// newest is the round that began last; the zero one where there is none.
func (m *fleet) newest() FleetRound {
	if n := len(m.Rounds); n > 0 {
		return m.Rounds[n-1]
	}
	return FleetRound{}
}

// fleetChange is a target that came to something else than in the round before.
type fleetChange struct {
	target  *FleetTarget
	was, is report.RunVerdict
	worse   int // MUSTs that are worse off
	says    []string
}

// change is what became of a target since the round before. Of a target that was not judged in
// the newest round, nothing is known.
func (m *fleet) change(t *FleetTarget) (fleetChange, bool) {
	n := len(t.History)
	if t.Waiting || n < 2 || len(m.Rounds) > 0 && t.Latest.Round != m.newest().ID {
		return fleetChange{}, false
	}
	c := fleetChange{target: t, was: t.History[n-2].verdict(), is: t.Latest.verdict()}
	if c.was == c.is && !t.Latest.Changed && len(t.Changes) == 0 {
		return fleetChange{}, false
	}
	// A run that says nothing about the server turns every requirement over, and none is worse off.
	if c.was.Speaks() && c.is.Speaks() {
		c.worse, c.says = len(report.Regressions(t.Changes)), byKind(t.Changes)
	}
	return c, true
}

// rank puts what is worse first, and what is better last.
func (c fleetChange) rank() int {
	was, is := slices.Index(gravest, c.was), slices.Index(gravest, c.is)
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

// Says sums up what changed: the requirements, or else the reason of the verdict.
func (c fleetChange) Says() string {
	if len(c.says) == 0 {
		return line(c.target.Reason, maxFleetSays)
	}
	return strings.Join(c.says, "; ")
}

// turned counts the changes by what they are to the reader.
func (m *fleet) turned() (worse, better, other int) {
	for _, c := range m.changes {
		switch c.rank() {
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

// changed is a sentence on the targets that changed.
func (m *fleet) changed() string {
	if len(m.changes) == 0 && m.waiting > 0 {
		return "nothing so far"
	}
	switch {
	case len(m.Rounds) < 2:
		return "there was none"
	case len(m.changes) == 0:
		return "nothing"
	}
	worse, better, other := m.turned()
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{worse, "worse"}, {better, "better"}, {other, "changed"}} {
		if p.n > 0 {
			parts = append(parts, thousands(p.n)+" "+p.word)
		}
	}
	return strings.Join(parts, ", ")
}

// headline says how many targets are conformant.
func (m *fleet) headline() string {
	n := len(m.Targets)
	switch {
	case n == 0:
		return "no target is listed"
	case m.judged == 0:
		return fmt.Sprintf("none of %s is judged yet", plural(n, "target"))
	}
	return fmt.Sprintf("%s of %s conformant", thousands(m.verdicts[report.Conformant]), plural(n, "target"))
}

// tally counts the verdicts in words, and the targets without one.
func (m *fleet) tally() string {
	s := talliedVerdicts(m.verdicts)
	if n := len(m.Targets) - m.judged; n > 0 {
		s = strings.TrimPrefix(fmt.Sprintf("%s, %s not judged yet", s, thousands(n)), ", ")
	}
	return s
}

// says is a round in a sentence.
func (r FleetRound) says() string {
	s := fmt.Sprintf("%s of %s", thousands(r.Results), plural(r.Targets, "target"))
	if r.Results == 1 {
		s += " has a result"
	} else {
		s += " have a result"
	}
	if !r.Finished {
		s += " so far"
	}
	if n := r.GivenUp; n > 0 {
		s += fmt.Sprintf("; %s abandoned after several tries", are2(n, "target was", "targets were"))
	}
	if n := r.Repeated; n > 0 {
		s += fmt.Sprintf("; %s retried after a crash", are2(n, "conversation was", "conversations were"))
	}
	return s
}

// name is what a round is called, and when it began.
func (r FleetRound) name() string {
	s := line(r.ID, maxName)
	if !r.Began.IsZero() {
		s += ", begun " + r.Began.UTC().Format(time.DateTime) + " UTC"
	}
	return s
}

// trend says in words what a history shows: "30 rounds: conformant since 2026-10-27".
func (t *FleetTarget) trend() string {
	n := len(t.History)
	if n == 0 {
		return "not judged yet"
	}
	before := map[report.RunVerdict]int{}
	changed := 0
	for i, p := range t.History {
		if i < t.run() {
			before[p.verdict()]++
		}
		if p.Changed && i > 0 {
			changed++
		}
	}
	s := fmt.Sprintf("%s: %s since %s", plural(n, "round"), t.Latest.verdict(), t.since())
	if len(before) > 0 {
		s += "; before that " + talliedVerdicts(before)
	}
	if changed > 0 {
		s += "; other results " + are2(changed, "time", "times")
	}
	return s
}

// run is the place in the history from which on the verdict is the latest one.
func (t *FleetTarget) run() int {
	i := len(t.History) - 1
	for i > 0 && t.History[i-1].verdict() == t.Latest.verdict() {
		i--
	}
	return i
}

// since is the day from which on the verdict is the latest one.
func (t *FleetTarget) since() string { return t.History[t.run()].At.UTC().Format(time.DateOnly) }

// musts are the counts of the MUSTs, without those that do not apply: none of a run that says
// nothing about them.
func (t *FleetTarget) musts() (out []share) {
	if !t.Latest.verdict().Speaks() {
		return nil
	}
	for _, s := range shares {
		if n := s.of(t.Summary[string(schema.Must)]); n > 0 && s.class != notApplicable.Class() {
			out = append(out, share{Name: s.name, Class: s.class, N: n})
		}
	}
	return out
}

// The forms of what a page is told that stands in an attribute.
var (
	anchorForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z]{1,64}$`) })
	linkForm   = regexp.MustCompile(`^/?[0-9A-Za-z._~-]+(/[0-9A-Za-z._~-]+)*$`)
)

// anchor is the place of a target on the page; of one whose id is none, by its number.
func (t *FleetTarget) anchor(i int) string {
	if anchorForm().MatchString(t.ID) {
		return "t-" + t.ID
	}
	return fmt.Sprintf("t--%d", i+1)
}

// link is the address of the report page, which is one of the site.
func (t *FleetTarget) link() string {
	if linkForm.MatchString(t.Page) {
		return t.Page
	}
	return ""
}
