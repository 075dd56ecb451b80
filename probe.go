package conform

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Behaviour is something that an agent may show, and what came of asking for it.
type Behaviour struct {
	Name     string
	Stimulus Stimulus // what the agent was told
	Shown    bool
	Instead  string // what it did where it did not show it
}

// Probed is what an agent showed.
type Probed struct {
	Dialect    *schema.Dialect
	Behaviours []Behaviour // quick first, then by name
	Notices    []string    // what the operator has to know, such as a part of the target that was not used
	Transcript *wire.Transcript
}

// Probe asks the agent once for each behaviour of its protocol, with the texts
// of the target before the default ones. It judges nothing. A server that shows
// no sign of A2A, and one whose agent does not even answer quick, is an error
// (*UsageError) that says what to do.
func Probe(ctx context.Context, target Target) (*Probed, error) {
	if target.Version == "" {
		target.Version = Version()
	}
	if target.Gate == "" {
		target.Gate = "conformant"
	}
	talk, err := harness.Probe(ctx, target)
	switch {
	case err != nil:
		return nil, err
	case talk.Dialect == nil:
		return nil, &UsageError{Text: "no sign of an A2A server was found at " + talk.Transcript.Facts.Target + first(talk.Transcript.Facts.Tried) + "; `a2a-conform run` reports all that was tried"}
	}
	out := &Probed{Dialect: talk.Dialect, Transcript: talk.Transcript, Notices: notices(talk.Transcript)}
	told := talk.Transcript.Facts.Stimuli
	for _, name := range slices.SortedFunc(maps.Keys(told), quickFirst) {
		asked := name
		if name == "recall" { // it is asked together with remember
			asked = "remember"
		}
		play := talk.Transcript.Play(asked)
		if play == nil {
			continue
		}
		b := Behaviour{Name: name, Stimulus: told[name], Instead: play.Stop}
		b.Shown = slices.ContainsFunc(play.Reached, func(m wire.Milestone) bool { return m.Name == scenario.Shown })
		out.Behaviours = append(out.Behaviours, b)
	}
	if talk.Transcript.Facts.Cut != "" {
		return nil, &UsageError{Text: talk.Transcript.Facts.Cut}
	}
	if len(out.Behaviours) == 0 || !out.Behaviours[0].Shown {
		instead := "it gave no answer"
		if len(out.Behaviours) > 0 {
			instead = out.Behaviours[0].Instead
		}
		return nil, &UsageError{Text: "the agent did not complete the message \"" + told["quick"].Text + "\": " + instead +
			"; name one that it completes in a file for --stimuli, like: quick: {text: \"good morning\"}"}
	}
	return out, nil
}

func quickFirst(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == "quick":
		return -1
	case b == "quick":
		return 1
	}
	return strings.Compare(a, b)
}
