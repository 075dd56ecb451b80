package serve

import (
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// calibration are the scenarios that are always played: they show what the client's exit code and
// output mean.
var calibration = []string{"hello", "no-answer-html", "card-broken-html"}

// hasReported reports whether the program of a client reported anything that it saw.
func hasReported(p *record.Play) bool {
	return p != nil && p.Client != nil && len(p.Client.Reports()) > 0
}

// madeCallOver reports whether a client made a call in the binding that a scenario is about, in a play that came before.
func madeCallOver(all []*performance, script *Script) bool {
	return slices.ContainsFunc(all, func(p *performance) bool {
		return p.play != nil && slices.ContainsFunc(p.play.Steps, func(s record.Step) bool { return s.Binding == script.Over })
	})
}

// findReasonToStop returns why there is no sense in further plays: the plain one came to nothing, twice. It is
// "" if there is.
func findReasonToStop(hello []*performance, d *schema.Dialect) string {
	why := ""
	for _, p := range hello {
		switch {
		case p.play == nil:
			return "the run was ended before the plain scenario was played"
		case p.play.Client.Trouble != "":
			why = "the client could not be started: " + p.play.Client.Trouble
		case !sentMessage(p.play, d):
			why = "in the plain scenario (hello), the client sent no message that could be answered"
		case p.play.Client.Patience:
			why = "in the plain scenario (hello), the client did not end by itself"
		default:
			return ""
		}
	}
	return why
}

// sentMessage reports whether a message came that was answered.
func sentMessage(p *record.Play, d *schema.Dialect) bool {
	return slices.ContainsFunc(p.Steps, func(s record.Step) bool { return d.Operation(s.Op).Agent && s.Exchange.Status() == 200 })
}

// readCalibration returns what the plain scenarios show of a client.
func readCalibration(t *record.Transcript, d *schema.Dialect) *record.Calibration {
	cannot := map[string]bool{}
	c := &record.Calibration{Works: true, Prints: true, Bindings: []string{}, NeverUsed: []string{}}
	hellos := 0
	used := map[string]bool{}
	for i := range t.Plays {
		p := &t.Plays[i]
		run := p.Client
		success := run.Exit == 0 && !run.Patience && run.Trouble == ""
		if p.Scenario == "hello" {
			hellos++
			c.Works = c.Works && success && sentMessage(p, d)
			c.Prints = c.Prints && run.Printed()
			c.Adapter = c.Adapter || hasReported(p)
		}
		for _, line := range run.Said {
			if line.Cannot != "" {
				cannot[line.Cannot] = true
			}
		}
		if (p.Scenario == "no-answer-html" || p.Scenario == "card-broken-html") && run.Exit > 0 && !run.Patience {
			c.Exits = true
		}
		sends := 0
		for _, s := range p.Steps {
			used[s.Op] = true
			if s.Binding != "" && s.Op != "" && !slices.Contains(c.Bindings, s.Binding) {
				c.Bindings = append(c.Bindings, s.Binding)
			}
			if d.Operation(s.Op).Agent {
				sends++
			}
			c.Streams = c.Streams || s.Op == "stream" && p.Scenario == "stream"
			c.Polls = c.Polls || s.Op == "get" && strings.HasPrefix(p.Scenario, "poll")
		}
		c.Second = c.Second || p.Scenario == "turns" && sends > 1
	}
	c.Works = c.Works && hellos > 0
	c.Exits, c.Prints = c.Exits && c.Works, c.Prints && hellos > 0
	slices.Sort(c.Bindings)
	c.Cannot = slices.Sorted(maps.Keys(cannot))
	for op := range d.Operations {
		if !used[op] {
			c.NeverUsed = append(c.NeverUsed, op)
		}
	}
	slices.Sort(c.NeverUsed)
	return c
}
