// Package script writes a POSIX shell script for each failure, which repeats the calls that show it and has
// a2a-conform judge the answers.
package script

import (
	"net/url"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// buildScript returns a POSIX shell script that shows a failure again. It makes the fewest calls that show
// it, with curl, and has the answers judged. If curl cannot make the calls or record the failure, the script
// runs a2a-conform. It is nil if there is nothing to repeat: no failure, or no exchange.
func buildScript(r *report.Report, res *report.Result, t *record.Transcript, shortest map[string]record.Excerpt) []byte {
	if res.Verdict != report.Fail && res.Verdict != report.Waived || !scriptID.MatchString(res.ID) {
		return nil
	}
	play, last := findFailedStep(res, t)
	if play == nil || play.Steps[last].Exchange.Dir == record.Given { // a document from a file needs no request
		return nil
	}
	s := &scripter{res: res, insecure: r.Target.Insecure, facts: &t.Facts}
	x := play.Steps[last].Exchange
	s.shown = x.ID
	if u, err := url.Parse(x.URL); err == nil && u.Host != "" {
		s.origin = u.Scheme + "://" + u.Host
	}
	small, why := transcriptUpToStep(play, last, t), ""
	if shortest == nil {
		why = s.explainImpossible(small)
	} else {
		few := shortest[res.ID]
		if why = s.explainMissing(few, play); why == "" {
			small = few.Transcript
			why = s.explainImpossible(small)
		}
		if why == "" && !few.Keepable {
			why = "it shows in something that curl does not report, such as when bytes arrived"
		}
	}
	if why == "" {
		return s.callScript(small)
	}
	return s.runScript(why, t)
}

// findFailedStep finds the play and the number of the step that show a violation.
func findFailedStep(res *report.Result, t *record.Transcript) (*record.Play, int) {
	for _, e := range res.Evidence {
		for i := range t.Plays {
			p := &t.Plays[i]
			for j := range p.Steps {
				if x := p.Steps[j].Exchange; x != nil && x.ID == e.Exchange {
					return p, j
				}
			}
		}
	}
	return nil, 0
}

// transcriptUpToStep returns a play up to one of its steps, for the case that it is unknown which of them matter.
func transcriptUpToStep(p *record.Play, lastStep int, t *record.Transcript) *record.Transcript {
	play := *p
	play.Steps = slices.Clone(p.Steps[:lastStep+1])
	for i := 1; i < len(play.Steps); i++ {
		play.Steps[i].Wait = p.Waited(i-1, i)
	}
	out := &record.Transcript{Started: t.Started, Facts: t.Facts, Plays: []record.Play{play}}
	out.Facts.Waivers, out.Facts.Baseline = nil, nil
	return out
}
