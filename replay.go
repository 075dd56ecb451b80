package conform

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/internal/scenario"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Replay judges a recorded transcript again. It gives the verdicts of the run
// by construction, and its report says that it is about a file (judge.ReplayedTarget): what
// nobody signed does not show that the conversation took place. A file whose parts contradict
// each other is refused. Requirements that the catalogue gained since then are
// inconclusive, because what they need was not recorded.
func Replay(har io.Reader) (*Outcome, error) { return ReplayWith(har, Again{}) }

// Again is what the operator knows by now that the run was not told.
type Again struct {
	CardKey string // public keys of the card's signers, as in Target.CardKey; "" for those of the run
}

// ReplayWith is Replay with what the operator knows by now.
func ReplayWith(har io.Reader, now Again) (*Outcome, error) {
	o, err := replay(har, now)
	if err == nil {
		o.Report.Target.Kind = judge.ReplayedTarget
	}
	return o, err
}

func replay(har io.Reader, now Again) (*Outcome, error) {
	t, err := wire.ReadHARWith(har, readable)
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
		return slipOutcome(t), nil
	}
	if t.Facts.Dialect == unrecognised {
		return unrecognisedOutcome(t), nil
	}
	d, err := schema.Load(t.Facts.Dialect)
	if err != nil {
		return nil, err
	}
	o, err := JudgeTranscript(d, t, suites.Checks(), Direct)
	if err == nil && t.Facts.Catalogue != d.Digest {
		o.Report.Advice = append(o.Report.Advice, "the transcript was recorded for another catalogue: requirements that need other calls are undecided")
	}
	return o, err
}

// readable makes the messages of the run's dialect readable.
func readable(f wire.Facts) {
	if d, err := schema.Load(f.Dialect); err == nil {
		binding.Ready(d)
	}
}

// Planned is one conversation that a run would hold.
type Planned struct {
	Scenario string
	Doc      string
	Risk     schema.Risk
	Sends    int // messages to the agent at most
}

// Plan says what a run would do, and sends nothing. It needs a dialect by name
// and takes it that the card claims everything.
func Plan(_ context.Context, target Target) ([]Planned, error) {
	if target.Dialect == "" || target.Dialect == "auto" {
		return nil, &UsageError{Text: "--plan sends nothing, so it cannot detect the dialect: give --dialect NAME"}
	}
	d, err := schema.Load(target.Dialect)
	if err != nil {
		return nil, &UsageError{Text: err.Error()}
	}
	reached := harness.Target(target)
	if err := reached.CheckBindings(); err != nil {
		return nil, err
	}
	ids, err := suites.Select(d, target.Select)
	if err != nil {
		return nil, &UsageError{Text: err.Error()}
	}
	names, err := Scenarios(d, suites.Checks(), ids)
	if err != nil {
		return nil, err
	}
	allowed := slices.Concat(target.Allow, d.Allows)
	var out []Planned
	for _, s := range scenario.All(d) {
		risk := s.Risk
		if risk == "" {
			risk = schema.Harmless
		}
		if slices.Contains(names, s.Name) && (risk == schema.Harmless || slices.Contains(allowed, risk)) {
			out = append(out, Planned{s.Name, s.Doc, risk, s.Sends})
		}
	}
	if s := scenario.Disguise; target.Disguise {
		out = append(out, Planned{s.Name, s.Doc, schema.Harmless, s.Sends})
	}
	return out, nil
}
