package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
)

// conversations are the plays of a run on one axis of time.
type conversations struct {
	Ticks []tick
	Plays []playView
	Left  int // plays that are not shown
	// Skipped are the plays that made no call, by the reason for it.
	Skipped    []skipView
	AllSkipped int
}

// skipView is a reason for which plays made no call, and these plays.
type skipView struct {
	Why   string
	N     int // how many, of which Plays are the first
	Plays []skippedPlay
}

// skippedPlay is a play that made no call, in words.
type skippedPlay struct{ Name, Who, About string }

// tick is a time on the axis, in thousandths of the whole.
type tick struct {
	X    int
	Text string
}

// playView is one play: a lane, the states of its tasks, and its exchanges.
type playView struct {
	ID        string
	Name      string
	Who       string // the agent and the binding, if there are several
	About     string // what it does
	Stop      string // why it ended before its time
	Height    int
	Bars      []bar
	Ticks     string // a path with a line for each event of a stream
	Paths     []statePath
	Exchanges []exchangeView
	Unshown   int
}

// bar is one call, from the first byte that was sent to the last that came, in thousandths
// of the run.
type bar struct {
	X, Y, W int
	Href    string
	Title   string
	How     outcome
	Blamed  bool // a failure rests on it
}

// Class returns the CSS class of a bar; "" for a call that was answered.
func (b bar) Class() string {
	class := ""
	if b.How != outcomeOK {
		class = string(b.How)
	}
	if b.Blamed {
		class += " blamed"
	}
	return strings.TrimSpace(class)
}

// The measures of a lane.
const (
	laneWidth  = 1000
	laneRow    = 10
	leastBar   = 3
	maxRows    = 8 // calls that overlap, in rows of their own
	maxTicks   = 60
	maxPlays   = 400
	maxSkips   = 100  // reasons for which plays made no call, and plays of each
	maxSpecial = 2000 // bars of the page
)

// fillExchangeBytes gives the exchanges in the lanes their bytes; room is how much of the page these may
// take.
func (b *builder) fillExchangeBytes(c conversations, maxBytes int) {
	views := b.exchangeViews(maxBytes)
	for _, p := range c.Plays {
		for i, x := range p.Exchanges {
			p.Exchanges[i] = views[x.ID]
		}
	}
}

// buildLanes draws the plays, without the bytes of exchanges. An exchange belongs to the play that
// made it first.
func (b *builder) buildLanes(t *record.Transcript) conversations {
	views := b.exchangeViews(0)
	whole := time.Millisecond
	for _, x := range t.Exchanges {
		whole = max(whole, x.End)
	}
	c := conversations{Ticks: spaceTicksEvenly(whole)}
	bars := 0
	seen := map[*record.Exchange]bool{}
	for i := range t.Plays {
		p := &t.Plays[i]
		var xs []*record.Exchange
		for _, s := range p.Steps {
			if x := s.Exchange; x != nil && !seen[x] {
				seen[x] = true
				xs = append(xs, x)
			}
		}
		if len(xs) == 0 && p.Stop == "" {
			continue
		}
		if len(xs) == 0 && !hasExchanges(p) {
			c.addSkipped(p)
			continue
		}
		if len(c.Plays) == maxPlays || bars > maxSpecial {
			c.Left++
			continue
		}
		bars += len(xs)
		v := b.buildPlay(xs, whole, views)
		v.ID, v.Name = fmt.Sprintf("p%d", i+1), safetext.Line(p.Scenario, safetext.MaxName)
		if p.Attempt > 1 {
			v.Name += fmt.Sprintf(", attempt %d", p.Attempt)
		}
		v.Who, v.About = playSubject(p), safetext.Line(p.About, safetext.MaxExcerpt)
		if p.Stop != "" {
			v.Stop = "stopped early: " + safetext.Line(p.Stop, safetext.MaxExcerpt)
		}
		v.Paths = b.statePaths(p)
		c.Plays = append(c.Plays, v)
	}
	var rest []*record.Exchange
	for _, x := range t.Exchanges {
		if !seen[x] {
			rest = append(rest, x)
		}
	}
	if len(rest) > 0 {
		v := b.buildPlay(rest[:min(len(rest), maxSpecial)], whole, views)
		v.ID, v.Name = "p0", "outside the conversations"
		c.Plays = append(c.Plays, v)
	}
	return c
}

// hasExchanges reports whether a play has an exchange, be it one that another play made.
func hasExchanges(p *record.Play) bool {
	return slices.ContainsFunc(p.Steps, func(s record.Step) bool { return s.Exchange != nil })
}

// playSubject is the agent and the binding of a play, if there are several.
func playSubject(p *record.Play) string {
	return safetext.Line(strings.TrimSpace(p.Subject.Agent+" "+p.Subject.Binding), maxWords)
}

// addSkipped puts a play that made no call to those that were skipped for the same reason.
func (c *conversations) addSkipped(p *record.Play) {
	c.AllSkipped++
	why := safetext.Line(p.Stop, safetext.MaxExcerpt)
	at := slices.IndexFunc(c.Skipped, func(s skipView) bool { return s.Why == why })
	if at < 0 {
		if len(c.Skipped) == maxSkips {
			return
		}
		at = len(c.Skipped)
		c.Skipped = append(c.Skipped, skipView{Why: why})
	}
	c.Skipped[at].N++
	if s := &c.Skipped[at]; len(s.Plays) < maxSkips {
		s.Plays = append(s.Plays, skippedPlay{safetext.Line(p.Scenario, safetext.MaxName), playSubject(p), safetext.Line(p.About, safetext.MaxExcerpt)})
	}
}

// buildPlay draws the exchanges of one play.
func (b *builder) buildPlay(xs []*record.Exchange, whole time.Duration, views map[int]exchangeView) playView {
	var v playView
	var ends [maxRows]time.Duration
	var drawn [maxRows]int
	var ticks strings.Builder
	order := slices.Clone(xs)
	slices.SortStableFunc(order, func(a, b *record.Exchange) int { return cmp.Compare(a.Start, b.Start) })
	scale := func(at time.Duration) int { return int(at * laneWidth / whole) }
	rows := 1
	for _, x := range order {
		if x.Dir == record.Given {
			continue
		}
		s := b.summarizer.summarizeExchange(x)
		row := 0
		for row < maxRows-1 && ends[row] > x.Start {
			row++
		}
		// Short calls that follow each other are drawn side by side, a little later than they were.
		from := min(max(scale(x.Start), drawn[row]), laneWidth-leastBar)
		to := max(scale(x.End), from+leastBar)
		ends[row], drawn[row] = x.End, to
		rows = max(rows, row+1)
		one := bar{X: from, Y: row*laneRow + 1, W: to - from, How: s.How, Blamed: b.weighty[x.ID],
			Title: fmt.Sprintf("%d %s → %s, %s", x.ID, s.Did, s.Came, view.FormatShortDuration(x.End-x.Start))}
		if b.shown[x.ID] {
			one.Href = fmt.Sprintf("#x%d", x.ID)
		}
		v.Bars = append(v.Bars, one)
		if x.IsStream() {
			for i, e := range x.Events() {
				if i == maxTicks {
					break
				}
				fmt.Fprintf(&ticks, "M%d %dv%d", max(from, min(scale(e.At), to)), one.Y, laneRow-2)
			}
		}
	}
	v.Height, v.Ticks = rows*laneRow, ticks.String()
	for _, x := range xs {
		if view, shown := views[x.ID]; shown {
			v.Exchanges = append(v.Exchanges, view)
		} else {
			v.Unshown++
		}
	}
	return v
}

// spaceTicksEvenly are the times at which a line is drawn through all lanes.
func spaceTicksEvenly(whole time.Duration) (out []tick) {
	const parts = 4
	for i := range parts + 1 {
		out = append(out, tick{i * laneWidth / parts, view.FormatShortDuration(whole * time.Duration(i) / parts)})
	}
	return out
}

// All counts the calls of the play, as people write it.
func (v playView) All() string { return safetext.CountWithNoun(len(v.Exchanges)+v.Unshown, "call") }
