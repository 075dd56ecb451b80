package cross

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/reports/crosspage"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
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
func judgeHalves(h *traffic.Halves, dialect string) (out judgedHalves, err error) {
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
	client, err := judgeHalf(cd, h.Client)
	if err != nil {
		return out, err
	}
	if client != nil {
		out.client = client.Report.Results
		h.MarkFaulty(client.ListBreaking(schema.Must))
	}
	server, err := judgeHalf(d, h.Server)
	if err == nil && server != nil {
		out.server = server.Report.Results
	}
	return out, err
}

// judgeHalf judges one record as a replay does; nil if there is nothing in it.
func judgeHalf(d *schema.Dialect, t *record.Transcript) (*summary.Judged, error) {
	t.Facts.Catalogue = d.Digest
	if len(t.Exchanges) == 0 {
		return nil, nil
	}
	return summary.Judge(d, t, suites.Checks(), summary.CallDirectly)
}

// maxFaults bounds the faults that are listed of a pair.
const maxFaults = 12

// addFaults lists the faults of a pair, and states on which side they are.
func addFaults(cell *crosspage.Cell, j judgedHalves, h *traffic.Halves) {
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
			if r.Verdict != report.Fail || r.Level == schema.May || r.Because != "" {
				continue
			}
			f := placed{Fault: crosspage.Fault{Side: half.side, ID: r.ID, Level: r.Level, Section: r.Section, Statement: r.Statement, Reason: shorten.Clip(r.Reason, maxReason)}}
			if r.Known != nil {
				f.Known = r.Known.Fault
			}
			if len(r.Evidence) > 0 {
				f.Step, f.Exchange = r.Evidence[0].Step, r.Evidence[0].Exchange
			}
			if x := half.record.FindExchange(f.Exchange); x != nil {
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

// maxReason bounds the reason of one fault, in characters.
const maxReason = 600

// rankOf returns how grave a level is, 0 for the gravest.
func rankOf(l schema.Level) int {
	if l == schema.Must {
		return 0
	}
	return 1
}

// mostReadings bounds the readings that are listed of each kind.
const mostReadings = 4

// addReadings states how each side understood what the texts leave open: what each did, and which sentences that both
// kept can be read in two ways or are a matter of choice.
func addReadings(cell *crosspage.Cell, j judgedHalves, h *traffic.Halves) {
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
