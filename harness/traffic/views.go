package traffic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Views are parts of the record of a server's traffic, as checks see it.
type Views struct {
	// Ordinary has every ordinary call, in the plays of its threads. What checks read without asking for a step is read
	// there.
	Ordinary *record.Transcript
	// Forms has the ordinary calls, and those that were refused for reasons that the recording may not show: how these
	// refusals look can be judged all the same.
	Forms *record.Transcript
	// Named are transcripts in which calls have the places and names that they have in a run. Each has one candidate at
	// most for a play in a binding.
	Named []View
	Count map[string]Counted // for each play, how many calls could begin it, and how many were tried
	Left  map[string]int     // how many calls are not looked at, by the reason
}

// View is one such transcript.
type View struct {
	*record.Transcript
	Plays map[string]bool // the plays that it has
}

// ListViews returns the views of the record of a server's traffic. A step that is marked as invalid is in none of them.
func ListViews(d *schema.Dialect, t *record.Transcript) Views {
	v := &viewer{d: d, t: t, Views: Views{Count: map[string]Counted{}, Left: map[string]int{}}}
	calls := readCalls(d, t.Exchanges, nil, t.Facts.Before)
	v.of = map[*record.Exchange]*foundCall{}
	for _, c := range calls {
		v.of[c.Exchange] = c
	}
	v.leaveOut()
	v.Ordinary = v.newTranscript(func(c *foundCall) bool { return c.Unusual == "" })
	v.Forms = v.newTranscript(func(c *foundCall) bool { return c.Unusual == "" || c.excused })
	for _, m := range findMalformed(d, calls) {
		v.Named = append(v.Named, v.newProbeView(m))
	}
	v.listNamed(slices.DeleteFunc(calls, func(c *foundCall) bool { return c.Unusual != "" }))
	return v.Views
}

type viewer struct {
	d  *schema.Dialect
	t  *record.Transcript
	of map[*record.Exchange]*foundCall
	Views
}

// leaveOut marks the calls that are not looked at.
func (v *viewer) leaveOut() {
	for i := range v.t.Plays {
		p := &v.t.Plays[i]
		for j := range p.Steps {
			c := v.of[p.Steps[j].Exchange]
			if c == nil {
				continue
			}
			if c.by != nil && c.Unusual == "" && p.Steps[j].Invalid {
				c.Unusual = "the client broke a requirement by it"
			}
			if c.Role == stray {
				c.Unusual = cmp.Or(c.Unusual, "it is no call of the dialect")
			}
			if c.by == nil && c.Exchange.Gaps != nil && c.Exchange.Gaps.Response {
				c.Unusual = "it is no call of the dialect"
			}
			if c.Unusual != "" {
				reason, _, _ := strings.Cut(c.Unusual, ":")
				v.Left[reason]++
			}
		}
	}
}

// newTranscript makes a transcript of such calls, in the plays of their threads.
func (v *viewer) newTranscript(such func(*foundCall) bool) *record.Transcript {
	t := *v.t
	t.Facts = v.makeFacts()
	t.Plays, t.Exchanges = nil, nil
	for _, p := range v.t.Plays {
		p.Steps = slices.DeleteFunc(slices.Clone(p.Steps), func(s record.Step) bool {
			c := v.of[s.Exchange]
			return c == nil || !such(c)
		})
		if p.Scenario == cardPlay {
			p.Steps = v.nameCards(p.Steps)
		}
		for _, s := range p.Steps {
			t.Exchanges = append(t.Exchanges, s.Exchange)
		}
		if len(p.Steps) > 0 {
			t.Plays = append(t.Plays, p)
		}
	}
	return &t
}

// makeFacts returns the facts by which traffic is judged: no message is missing, since none was to be sent.
func (v *viewer) makeFacts() record.Facts {
	f := v.t.Facts
	f.Stimuli = map[string]operator.Stimulus{}
	for name := range v.d.Stimuli {
		f.Stimuli[name] = operator.Stimulus{}
	}
	f.Allow = nil
	for _, risk := range []schema.Risk{schema.Heavy, schema.Outbound, schema.Residue} { // somebody made the calls, whatever they cost
		f.Allow = append(f.Allow, string(risk))
	}
	f.Secrets = v.listSecrets()
	f.Held = nil
	for i := range v.d.Requirements {
		f.Held = append(f.Held, v.d.Requirements[i].ID)
	}
	return f
}

// listSecrets returns the names of the credentials that calls had, as far as these were removed from the record: only then is
// it known that they are nowhere else.
func (v *viewer) listSecrets() (names []string) {
	for _, x := range v.t.Exchanges {
		for field, values := range x.Request.Header() {
			_, rest, found := strings.Cut(strings.Join(values, ", "), record.SecretMark)
			name, _, _ := strings.Cut(rest, "⟧")
			if found && name != strings.ToLower(field) && !slices.Contains(names, name) && len(names) < maxSecrets {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// maxSecrets bounds how many credentials are named.
const maxSecrets = 20

// nameCards names the steps in which the card was fetched as a run does.
func (v *viewer) nameCards(steps []record.Step) []record.Step {
	count := map[string]int{}
	out := slices.Clone(steps)
	for i := range out {
		if s := &out[i]; s.Op == CardOp {
			name := "older"
			if path := ReadPath(s.Exchange.URL); len(v.d.Card.Paths) > 0 && strings.HasSuffix(path, v.d.Card.Paths[0]) {
				name = "well-known"
			}
			s.Name = record.NumberStep(count, name)
		}
	}
	return out
}

// listNamed finds the plays of runs, and puts them into transcripts.
func (v *viewer) listNamed(calls []*foundCall) {
	type place struct{ play, binding string }
	found := map[place][]*candidate{}
	var order []place
	var joined []*candidate // that have several plays, and stand alone in a view
	rules := readTable().Plays
	index := newCallIndex(v.d, calls)
	for i := range rules {
		all, count := findCandidates(v.d, &rules[i], index)
		sum := v.Count[rules[i].Play]
		v.Count[rules[i].Play] = Counted{sum.Tried + count.Tried, sum.Of + count.Of}
		for _, p := range all {
			if p.isJoined() {
				joined = append(joined, p)
				continue
			}
			at := place{rules[i].Play, p.steps[0].call.Binding}
			if found[at] == nil {
				order = append(order, at)
			}
			found[at] = append(found[at], p)
		}
	}
	for n := 0; ; n++ {
		view := View{Transcript: v.beginView(), Plays: map[string]bool{}}
		for _, at := range order {
			if all := found[at]; n < len(all) {
				view.addPlays(v.newPlays(all[n]))
			}
		}
		if len(view.Plays) == 0 {
			break
		}
		v.completeView(&view)
		v.Named = append(v.Named, view)
	}
	for _, p := range joined {
		view := View{Transcript: v.beginView(), Plays: map[string]bool{}}
		view.addPlays(v.newPlays(p))
		v.completeView(&view)
		v.Named = append(v.Named, view)
	}
}

// addPlays puts plays into a view.
func (v *View) addPlays(plays []record.Play) {
	for _, p := range plays {
		v.Transcript.Plays = append(v.Transcript.Plays, p)
		v.Plays[p.Scenario] = true
	}
}

// beginView returns a transcript with the documents alone.
func (v *viewer) beginView() *record.Transcript {
	t := *v.Ordinary
	t.Plays, t.Exchanges = nil, nil
	for _, p := range v.Ordinary.Plays {
		if p.Scenario == cardPlay {
			t.Plays = append(t.Plays, p)
		}
	}
	return &t
}

// newPlays returns the plays of a candidate as a run would have them.
func (v *viewer) newPlays(found *candidate) (out []record.Play) {
	for _, s := range found.steps {
		c := s.call
		play, name := found.rule.splitName(s.name)
		i := slices.IndexFunc(out, func(p record.Play) bool { return p.Scenario == play })
		if i < 0 {
			i = len(out)
			out = append(out, record.Play{Scenario: play, Subject: record.Subject{Binding: c.Binding}, Attempt: 1})
		}
		p := &out[i]
		p.Steps = append(p.Steps, record.Step{Name: name, Role: record.Main, Op: c.Op, Binding: c.Binding, Task: c.aboutTask(), Context: c.Context, Agent: s.agent, Exchange: c.Exchange})
		if len(p.Reached) == 0 && classOf(v.d, c.Last) == endedClass {
			p.Reached = append(p.Reached, record.Milestone{Name: endedClass, Step: name, At: c.Exchange.End})
		}
	}
	return out
}

// maxOthers bounds how many calls a recording has of which every view has all. Of a larger one a view has the conversations
// of its plays.
const maxOthers = 500

// completeView adds the other ordinary calls in the plays of their threads, since what a server sends for one task may be about
// another, and lists the exchanges.
func (v *viewer) completeView(view *View) {
	named := map[*record.Exchange]bool{}
	for _, p := range view.Transcript.Plays {
		for _, s := range p.Steps {
			named[s.Exchange] = true
		}
	}
	isNamed := func(s record.Step) bool { return named[s.Exchange] }
	for _, p := range v.Ordinary.Plays {
		if p.Scenario == cardPlay || len(v.Ordinary.Exchanges) > maxOthers && (len(p.Steps) > maxOthers || !slices.ContainsFunc(p.Steps, isNamed)) {
			continue
		}
		p.Steps = slices.DeleteFunc(slices.Clone(p.Steps), isNamed)
		if len(p.Steps) > 0 {
			view.Transcript.Plays = append(view.Transcript.Plays, p)
		}
	}
	had := map[*record.Exchange]bool{}
	for _, p := range view.Transcript.Plays {
		for _, s := range p.Steps {
			if !had[s.Exchange] {
				view.Transcript.Exchanges = append(view.Transcript.Exchanges, s.Exchange)
			}
			had[s.Exchange] = true
		}
	}
}

// DescribeLeft describes how many calls are not looked at, and why, the commonest reason first; "" if all are.
func (v *Views) DescribeLeft() string {
	var out []string
	all := 0
	reasons := make([]string, 0, len(v.Left))
	for reason := range v.Left {
		reasons = append(reasons, reason)
	}
	slices.SortFunc(reasons, func(a, b string) int { return cmp.Or(v.Left[b]-v.Left[a], strings.Compare(a, b)) })
	for _, reason := range reasons {
		all += v.Left[reason]
		out = append(out, fmt.Sprintf("%d × %s", v.Left[reason], reason))
	}
	if all == 0 {
		return ""
	}
	return "not looked at, since it shows nothing about the server: " + strings.Join(out, "; ")
}
