package conform

import (
	"errors"
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/summary"
)

// TrafficSide is a side of a conversation between a client and a server of others.
type TrafficSide string

// The sides that can be judged.
const (
	BothSides  TrafficSide = "both"
	ServerSide TrafficSide = "server"
	ClientSide TrafficSide = "client"
)

// TrafficOutcome is what the judging of a recording came to.
type TrafficOutcome struct {
	Server *Outcome // nil if the side was not asked for, or the recording has nothing of it
	Client *Outcome // nil likewise
	Notes  []string // what did not pass, what was left out, and what was left as it is
}

// SideOutcome is what the judging of one side came to.
type SideOutcome struct {
	Side    TrafficSide
	Outcome *Outcome
}

// Sides returns the outcomes of the sides that were judged, the server first.
func (o *TrafficOutcome) Sides() (out []SideOutcome) {
	for _, s := range []SideOutcome{{ServerSide, o.Server}, {ClientSide, o.Client}} {
		if s.Outcome != nil {
			out = append(out, s)
		}
	}
	return out
}

// ErrNoTraffic is why a recording was not judged in which no call of a protocol was found.
var ErrNoTraffic = errors.New("the recording has no call of any dialect that it may be of")

// JudgeTraffic judges a recording of others: the server by its answers to valid calls, and the client by what each of its
// requests shows. A verdict is never better than partial, since what did not occur was not asked for; the usual gate is
// no-failures. A call in which the client breaks a MUST is no evidence about the server. The error is a mistake of the
// operator (*UsageError), or ErrNoTraffic.
func JudgeTraffic(r traffic.Recording, side TrafficSide, j Judging) (*TrafficOutcome, error) {
	if !slices.Contains([]TrafficSide{BothSides, ServerSide, ClientSide}, side) {
		return nil, &UsageError{Text: fmt.Sprintf("%q is not one of the sides %s, %s and %s", side, ServerSide, ClientSide, BothSides)}
	}
	if err := completeGate(&j, report.NoFailuresGate); err != nil {
		return nil, err
	}
	halves, err := traffic.Recognise(r)
	if err != nil {
		return nil, &UsageError{Text: err.Error()}
	}
	if !halves.HasCalls() {
		return nil, ErrNoTraffic
	}
	return judgeHalves(&halves, side, j)
}

// judgeHalves judges the halves of a recording that are asked for.
func judgeHalves(h *traffic.Halves, side TrafficSide, j Judging) (*TrafficOutcome, error) {
	out := &TrafficOutcome{Notes: h.Notes}
	if h.Client != nil {
		client, faulty, err := judgeTrafficClient(h.Client, j)
		if err != nil {
			return nil, err
		}
		if side != ServerSide {
			out.Client = client
		}
		h.MarkFaulty(faulty)
	}
	if h.Server == nil || side == ClientSide {
		return out, nil
	}
	d, err := schema.Load(h.Server.Facts.Dialect)
	if err != nil {
		return nil, err
	}
	out.Server, err = judgeTrafficServer(d, h.Server, j)
	return out, err
}

// judgeTrafficClient judges what a client sent by the requirements for which each request is looked at. It returns the
// exchanges in which the client broke a MUST as well. There is no outcome if clients of the dialect cannot be judged.
func judgeTrafficClient(t *record.Transcript, j Judging) (*Outcome, map[*record.Exchange]bool, error) {
	d, err := schema.LoadClient(t.Facts.Dialect)
	if err != nil {
		return nil, nil, nil //nolint:nilerr // the clients of the dialect cannot be judged
	}
	prepareTrafficFacts(d, t, j)
	t.Facts.Selection = operator.Selection{Run: listPassive(d), Skip: patternsFor(d, j.Select.Skip), Levels: j.Select.Levels, Areas: commonAreas(d, j.Select.Areas)}
	judged, err := summary.Judge(d, t, suites.Checks(), summary.CallDirectly)
	if err != nil {
		return nil, nil, err
	}
	outcome := &Outcome{Report: judged.Report, Transcript: t, Dialect: judged.Dialect, invocations: judged.Invocations}
	outcome.Report.Advice = nil // flags of a run
	for i := range outcome.Report.Results {
		outcome.Report.Results[i].Remedy = ""
	}
	return outcome, judged.ListBreaking(schema.Must), nil
}

// judgeTrafficServer judges what a server answered.
func judgeTrafficServer(d *schema.Dialect, t *record.Transcript, j Judging) (*Outcome, error) {
	prepareTrafficFacts(d, t, j)
	t.Facts.Selection = j.Select
	t.Facts.Selection.Run, t.Facts.Selection.Skip = ownPatterns(d, j.Select.Run), patternsFor(d, j.Select.Skip)
	return judgeTranscript(d, t, summary.CallDirectly)
}

// prepareTrafficFacts notes by what a half is judged.
func prepareTrafficFacts(d *schema.Dialect, t *record.Transcript, j Judging) {
	f := &t.Facts
	f.Tool, f.Catalogue, f.Gate, f.Schema, f.Waivers, f.SDK, f.Baseline = Version(), d.Digest, j.Gate, j.Schema, j.Waivers, j.SDK, j.Baseline
}

// listPassive returns the requirements on clients for which each request is looked at.
func listPassive(d *schema.Dialect) (ids []string) {
	for _, q := range d.Requirements {
		if q.Observe == schema.ObservePassive && q.Check != "" && !traffic.GoesByIntent(q.Check) {
			ids = append(ids, q.ID)
		}
	}
	return ids
}

// commonAreas returns the areas of a selection that a catalogue has; the other side may have the others.
func commonAreas(d *schema.Dialect, areas []string) []string {
	return slices.DeleteFunc(slices.Clone(areas), func(a string) bool { return !slices.Contains(d.Areas(), a) })
}

// ownPatterns returns the patterns of ids that fit a requirement of a catalogue; all of them if none does, so that the
// operator learns of it.
func ownPatterns(d *schema.Dialect, patterns []string) []string {
	if own := patternsFor(d, patterns); len(own) > 0 {
		return own
	}
	return patterns
}

// patternsFor returns the patterns of ids that fit a requirement of a catalogue: the others are about the other side.
func patternsFor(d *schema.Dialect, patterns []string) []string {
	return slices.DeleteFunc(slices.Clone(patterns), func(p string) bool {
		return len(suites.UnknownSelectors(operator.Selection{Run: []string{p}}, d)) > 0
	})
}
