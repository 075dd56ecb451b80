package conform

import (
	"fmt"
	"io"

	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/summary"
)

// Replay judges a recorded transcript again. It gives the verdicts of the run by construction,
// and its report states that it is about a file (judge.ReplayedTarget): an unsigned file does not
// show that the conversation took place. A file whose parts contradict each other is refused.
// Requirements that the catalogue gained since then are inconclusive, because what they need was
// not recorded.
func Replay(har io.Reader) (*Outcome, error) { return ReplayWith(har, Again{}) }

// Again has what the operator knows now and did not give to the run.
type Again struct {
	CardKey string // public keys of the card's signers, as in Target.CardKey; "" for those of the run
}

// ReplayWith is Replay with what the operator knows by now.
func ReplayWith(har io.Reader, now Again) (*Outcome, error) {
	o, err := replay(har, now)
	if err == nil {
		o.Report.Target.Kind = report.ReplayedTarget
	}
	return o, err
}

func replay(har io.Reader, now Again) (*Outcome, error) {
	t, err := binding.ReadTranscript(har)
	if err != nil {
		return nil, err
	}
	if err := t.Contradiction(); err != nil {
		return nil, fmt.Errorf("the transcript contradicts itself: %w", err)
	}
	if now.CardKey != "" {
		if t.Facts.CardKey, err = harness.ReadCardKey(now.CardKey); err != nil {
			return nil, err
		}
	}
	if t.Facts.Hint != "" {
		return &Outcome{Report: summary.ReportMistake(t), Transcript: t}, nil
	}
	if t.Facts.Dialect == summary.Unrecognised {
		return &Outcome{Report: summary.ReportUnrecognised(t), Transcript: t}, nil
	}
	d, err := loadFor(t.Facts)
	if err != nil {
		return nil, err
	}
	o, err := judgeTranscript(d, t, summary.CallDirectly)
	if err == nil && t.Facts.Catalogue != d.Digest {
		o.Report.Advice = append(o.Report.Advice, "the transcript was recorded for another catalogue: requirements that need other calls are undecided")
	}
	return o, err
}

// loadFor returns the dialect of a run, with the requirements on the side that was tested.
func loadFor(f record.Facts) (*schema.Dialect, error) {
	if f.Role == record.ClientRole {
		return schema.LoadClient(f.Dialect)
	}
	return schema.Load(f.Dialect)
}
