package cross

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/relay"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/reports/crosspage"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/summary"
)

// judgedHalves are the results of both sides of one record.
type judgedHalves struct {
	client, server []report.Result
}

// judgeHalves judges what the client sent by the requirements on clients for which each request is looked at, and what
// the server answered by those of its requirements that the record decides. The records are left as they were judged, so
// that a replay gives the same results.
func judgeHalves(h *relay.Halves, dialect string) (out judgedHalves, err error) {
	cd, err := schema.LoadClient(dialect)
	if err != nil {
		return out, err
	}
	d, err := schema.Load(dialect)
	if err != nil {
		return out, err
	}
	h.Client.Facts.Selection = operator.Selection{}
	for _, q := range cd.Requirements {
		if q.Observe == schema.ObservePassive && q.Check != "" {
			h.Client.Facts.Selection.Run = append(h.Client.Facts.Selection.Run, q.ID)
		}
	}
	if out.client, err = judgeHalf(cd, h.Client); err != nil {
		return out, err
	}
	h.Server = nameByRole(d, leaveOutFaulty(d, h.Server, listFaultySteps(out.client, schema.Must)), listFaultySteps(out.client, schema.Must, schema.Should, schema.May))
	h.Server.Seal()
	out.server, err = judgeHalf(d, h.Server)
	return out, err
}

// judgeHalf judges one record as a replay does.
func judgeHalf(d *schema.Dialect, t *record.Transcript) ([]report.Result, error) {
	t.Facts.Catalogue = d.Digest
	if len(t.Exchanges) == 0 {
		return nil, nil
	}
	j, err := summary.Judge(d, t, suites.Checks(), summary.CallDirectly)
	if err != nil {
		return nil, err
	}
	return j.Report.Results, nil
}

// leaveOutFaulty returns the record of a server without the calls whose requests are no valid ones, or break a requirement
// on clients. They are faults of the client, and no evidence against the server.
func leaveOutFaulty(d *schema.Dialect, t *record.Transcript, faulty map[string]bool) *record.Transcript {
	c := judge.NewCase(d, t, suites.Checks(), nil)
	out := *t
	out.Plays, out.Exchanges = nil, slices.Clone(t.Exchanges)
	for _, p := range t.Plays {
		kept := p
		kept.Steps = nil
		for i := range p.Steps {
			s := &p.Steps[i]
			if c.FindInvalidRequest(s, &p) == nil && !faulty[p.Scenario+"/"+s.Name] {
				kept.Steps = append(kept.Steps, *s)
				continue
			}
			out.Exchanges = slices.DeleteFunc(out.Exchanges, func(x *record.Exchange) bool { return x == s.Exchange })
		}
		if len(kept.Steps) > 0 {
			out.Plays = append(out.Plays, kept)
		}
	}
	return &out
}

// listFaultySteps returns the steps in which the client broke a requirement of some levels.
func listFaultySteps(client []report.Result, levels ...schema.Level) map[string]bool {
	faulty := map[string]bool{}
	for _, r := range client {
		for _, at := range r.Evidence {
			if r.Verdict == report.Fail && slices.Contains(levels, r.Level) {
				faulty[at.Step] = true
			}
		}
	}
	return faulty
}

// roles are the steps of the suite's own conversations that a call of others can stand for: a message that is sent and
// answered, and one whose answer is streamed. By them, requirements about such a call are judged, too.
var roles = map[string]struct{ play, step string }{"send": {"quick", "send"}, "stream": {"stream", "subscribe"}}

// nameByRole returns a record in which the first plain call of each role has the name that checks look for. A call in
// which the client broke a requirement has none.
func nameByRole(d *schema.Dialect, t *record.Transcript, faulty map[string]bool) *record.Transcript {
	out := *t
	out.Plays = nil
	taken := map[string]bool{}
	for _, p := range t.Plays {
		rest := p
		rest.Steps = nil
		for _, s := range p.Steps {
			role, has := roles[s.Op]
			if !has || taken[s.Op] || faulty[p.Scenario+"/"+s.Name] || !isPlainCall(d, &s) {
				rest.Steps = append(rest.Steps, s)
				continue
			}
			taken[s.Op] = true
			s.Name = role.step
			out.Plays = append(out.Plays, record.Play{Scenario: role.play, Subject: p.Subject, Attempt: 1, Steps: []record.Step{s}})
		}
		if len(rest.Steps) > 0 {
			out.Plays = append(out.Plays, rest)
		}
	}
	return &out
}

// isPlainCall reports whether a message begins a conversation, asks for nothing special, and was answered in full, by
// anything but a refusal: the server may have had a reason for that, which the record does not show.
func isPlainCall(d *schema.Dialect, s *record.Step) bool {
	x := s.Exchange
	if x == nil || x.Ended != record.EOF || x.Status() != http.StatusOK {
		return false
	}
	by := binding.ByNameOrDefault(d, s.Binding)
	params := by.Sent(x).Params
	if params.At("/message/taskId") != nil {
		return false
	}
	if asked := params.At("/configuration"); asked != nil {
		for _, m := range asked.Members {
			waits := m.Name == "blocking" && m.Value.Bool || m.Name == "returnImmediately" && m.Value.Kind == record.Bool && !m.Value.Bool
			if s.Op == "stream" && (m.Name == "blocking" || m.Name == "returnImmediately") || m.Name == "acceptedOutputModes" {
				continue // a stream never waits, and modes are a wish
			}
			if !waits {
				return false
			}
		}
	}
	if !x.IsStream() {
		return !by.Decode(s.Op, x).Failure.Exists()
	}
	for _, e := range x.Events() {
		if e.HasData {
			return !by.Event(s.Op, e.Root).AsResponse().Failure.Exists()
		}
	}
	return true
}

// maxFaults bounds the faults that are listed of a pair.
const maxFaults = 12

// addFaults lists the faults of a pair, and states on which side they are.
func addFaults(cell *crosspage.Cell, j judgedHalves, h *relay.Halves) {
	type placed struct {
		crosspage.Fault
		at record.Instant
	}
	var all []placed
	for _, half := range []struct {
		side    crosspage.Side
		results []report.Result
		record  *record.Transcript
	}{{crosspage.ClientSide, j.client, h.Client}, {crosspage.ServerSide, j.server, h.Server}} {
		for _, r := range half.results {
			if r.Verdict != report.Fail || r.Level == schema.May || r.Because != "" || half.side == crosspage.ServerSide && isAboutOwnWords(half.record, r.Evidence) {
				continue
			}
			f := placed{Fault: crosspage.Fault{Side: half.side, ID: r.ID, Level: r.Level, Section: r.Section, Statement: r.Statement, Reason: shorten.Clip(r.Reason, maxReason)}}
			if r.Known != nil {
				f.Known = r.Known.Fault
			}
			if len(r.Evidence) > 0 {
				f.Step, f.Exchange = r.Evidence[0].Step, r.Evidence[0].Exchange
			}
			if x := findExchange(half.record, f.Exchange); x != nil {
				f.at = x.Start
			}
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int {
		return cmp.Or(cmp.Compare(rankOf(a.Level), rankOf(b.Level)), cmp.Compare(a.at, b.at))
	})
	cell.Faults, cell.More = []crosspage.Fault{}, max(0, len(all)-maxFaults)
	for _, f := range all[:min(maxFaults, len(all))] {
		cell.Faults = append(cell.Faults, f.Fault)
	}
	if cell.Outcome != crosspage.Fails && cell.Outcome != crosspage.Unclear {
		return
	}
	cell.Side = crosspage.NoSide
	for _, f := range all {
		if rankOf(f.Level) > rankOf(all[0].Level) {
			break
		}
		switch cell.Side {
		case crosspage.NoSide:
			cell.Side = f.Side
		case f.Side:
		default:
			cell.Side = crosspage.BothSides
		}
	}
}

// isAboutOwnWords reports whether all that a failure of a server rests on is in messages of the client that the server
// gives back, as a history has them.
func isAboutOwnWords(t *record.Transcript, evidence []report.Evidence) bool {
	for _, at := range evidence {
		x := findExchange(t, at.Exchange)
		if x == nil {
			return false
		}
		root := x.Reply().Root
		if events := x.Events(); at.Event > 0 && at.Event <= len(events) {
			root = events[at.Event-1].Root
		}
		before, rest, is := strings.Cut(at.Pointer, "/history/")
		index, _, _ := strings.Cut(rest, "/")
		role := root.At(before + "/history/" + index + "/role")
		if !is || role == nil || !strings.Contains(strings.ToLower(role.String), "user") {
			return false
		}
	}
	return len(evidence) > 0
}

// maxReason bounds the reason of one fault, in characters.
const maxReason = 600

// rankOf returns how grave a level is, 0 for the gravest.
func rankOf(l schema.Level) int {
	if l == schema.Must {
		return 0
	}
	return 1
}

// findExchange returns an exchange by its number; nil if there is none.
func findExchange(t *record.Transcript, id int) *record.Exchange {
	if id < 1 || id > len(t.Exchanges) {
		return nil
	}
	return t.Exchanges[id-1]
}

// mostReadings bounds the readings that are listed of each kind.
const mostReadings = 4

// addReadings states how each side understood what the texts leave open: what each did, and which sentences that both
// kept can be read in two ways or are a matter of choice.
func addReadings(cell *crosspage.Cell, j judgedHalves, h *relay.Halves) {
	if cell.Side != crosspage.NoSide {
		return
	}
	last := lastCall(h.Client)
	cell.Readings = append(cell.Readings, crosspage.Reading{Side: crosspage.ClientSide, Text: cell.Why + describeOutput(h.Client)},
		crosspage.Reading{Side: crosspage.ServerSide, Text: describeAnswer(last)})
	for _, half := range []struct {
		side    crosspage.Side
		results []report.Result
	}{{crosspage.ClientSide, j.client}, {crosspage.ServerSide, j.server}} {
		n := 0
		for _, r := range half.results {
			if r.Verdict != report.Pass && r.Verdict != report.Fail || n == mostReadings {
				continue
			}
			before := len(cell.Readings)
			for _, f := range r.Findings {
				cell.Readings = append(cell.Readings, crosspage.Reading{Side: half.side, ID: r.ID, Text: shorten.Clip(f.Text, maxReason)})
				break // the first one of each sentence is enough
			}
			if r.Verdict == report.Fail && len(r.Findings) == 0 {
				cell.Readings = append(cell.Readings, crosspage.Reading{Side: half.side, ID: r.ID, Text: shorten.Clip(r.Reason, maxReason)})
			}
			if len(cell.Readings) > before {
				n++
				for i, text := range r.Readings {
					cell.Readings = append(cell.Readings, crosspage.Reading{Side: crosspage.NoSide, ID: r.ID, Text: fmt.Sprintf("reading %c of the sources: %s", 'A'+i, text)})
				}
			}
		}
	}
}

// lastCall returns the last exchange of a record; nil if it has none.
func lastCall(t *record.Transcript) *record.Exchange {
	if len(t.Exchanges) == 0 {
		return nil
	}
	return t.Exchanges[len(t.Exchanges)-1]
}
