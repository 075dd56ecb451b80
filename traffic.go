package conform

import (
	"errors"
	"fmt"
	"reflect"
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
	catalogues, err := loadSides(h)
	if err != nil {
		return nil, err
	}
	selected, err := selectOfSides(catalogues, side, j.Select)
	if err != nil {
		return nil, err
	}
	if d := catalogues[ClientSide]; d != nil {
		client, faulty, err := judgeTrafficClient(d, h.Client, selected[ClientSide], j)
		if err != nil {
			return nil, err
		}
		out.Client = client
		h.MarkFaulty(faulty)
		h.Client.ReleaseReadings() // the server's side has as much to read
	}
	if s := selected[ServerSide]; s != nil {
		out.Server, err = judgeTrafficServer(catalogues[ServerSide], h.Server, *s, j)
	}
	return out, err
}

// judgeTrafficClient judges what a client sent by the requirements for which each request is looked at. It returns the
// exchanges in which the client broke a MUST as well, whatever is selected. There is no outcome if nothing is.
func judgeTrafficClient(d *schema.Dialect, t *record.Transcript, selected *operator.Selection, j Judging) (*Outcome, map[*record.Exchange]bool, error) {
	prepareTrafficFacts(d, t, j)
	whole := operator.Selection{Run: listPassive(d), Skip: selectOwnPatterns(d, j.Select.Skip)}
	t.Facts.Selection = whole
	judged, err := summary.Judge(d, t, suites.Checks(), summary.CallDirectly)
	if err != nil {
		return nil, nil, err
	}
	faulty := judged.ListBreaking(schema.Must)
	if selected == nil {
		return nil, faulty, nil
	}
	if !reflect.DeepEqual(*selected, whole) {
		t.Facts.Selection = *selected
		if judged, err = summary.Judge(d, t, suites.Checks(), summary.CallDirectly); err != nil {
			return nil, nil, err
		}
	}
	sent := judged.Invocations() // now, since what it is counted from holds all that was read
	return &Outcome{Report: judged.Report, Transcript: t, Dialect: judged.Dialect, invocations: func() map[summary.Conversation]int { return sent }}, faulty, nil
}

// judgeTrafficServer judges what a server answered.
func judgeTrafficServer(d *schema.Dialect, t *record.Transcript, selected operator.Selection, j Judging) (*Outcome, error) {
	prepareTrafficFacts(d, t, j)
	t.Facts.Selection = selected
	return judgeTranscript(d, t, summary.CallDirectly)
}

// prepareTrafficFacts notes by what a half is judged.
func prepareTrafficFacts(d *schema.Dialect, t *record.Transcript, j Judging) {
	f := &t.Facts
	f.Tool, f.Catalogue, f.Gate, f.Schema, f.Waivers, f.SDK, f.Baseline = Version(), d.Digest, j.Gate, j.Schema, j.Waivers, j.SDK, j.Baseline
}
