package conform

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/scenario/probe"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/summary"
)

// ProbedBehaviour is something that an agent may show, and what came of asking for it.
type ProbedBehaviour struct {
	Name     string
	Stimulus Stimulus // what made the agent show it, or else the message that was meant to
	Shown    bool
	For      string // what another message that showed it was sent for
	Instead  string // what the agent did in its place
	Cannot   string // why no message can make the agent show it; "" if one might
}

// Probing states what is tried in addition to one message for each behaviour.
type Probing struct {
	Texts    []string // the operator's, in any order and for whatever they may show
	Examples int      // of those on the agent's card at most
}

// Probed is what an agent showed.
type Probed struct {
	Dialect    *schema.Dialect
	Behaviours []ProbedBehaviour // quick first, then by name
	Messages   int               // how many the agent was sent
	Pushes     bool              // its card claims push notifications
	Notices    []string          // what the operator has to know, such as a part of the target that was not used
	Transcript *record.Transcript
}

// Probe asks the agent once for each behaviour of its protocol, with the texts of the target
// before the default ones, and then tries other texts as long as something was not seen. Every
// reply counts for all that it shows. Nothing is judged. If a server is not recognised, or its
// agent answers no message, the error (*UsageError) states what to do.
func Probe(ctx context.Context, target Target, with Probing) (*Probed, error) {
	target.Version, target.Gate = cmp.Or(target.Version, Version()), cmp.Or(target.Gate, "conformant")
	if with.Examples < 0 || len(with.Texts) > probe.MostTexts {
		return nil, &UsageError{Text: fmt.Sprintf("probe accepts at most %d texts (--try), and --examples must not be less than 0", probe.MostTexts)}
	}
	talk, sights, err := harness.Probe(ctx, target, probe.Trying(with))
	switch {
	case err != nil:
		return nil, err
	case talk.Dialect == nil:
		return nil, &UsageError{Text: summary.ReportUnrecognised(talk.Transcript).Reason + "; `a2a-conform run` lists what was tried"}
	}
	out := &Probed{Dialect: talk.Dialect, Messages: told(talk.Dialect, talk.Transcript), Pushes: sights.Pushes, Transcript: talk.Transcript, Notices: summary.Notices(talk.Transcript)}
	stimuli := talk.Transcript.Facts.Stimuli
	for _, name := range slices.SortedFunc(maps.Keys(stimuli), quickFirst) {
		asked := name
		if name == "recall" { // it is asked together with remember
			asked = "remember"
		}
		play := talk.Transcript.Play(asked)
		if play == nil || name == conversation.TaskStimulus {
			continue
		}
		b := ProbedBehaviour{Name: name, Stimulus: stimuli[name], Instead: play.Stop}
		if best, ok := sights.Best(name); ok {
			b.Shown, b.Stimulus, b.Instead = true, best.Said, ""
			b.Stimulus.Text, b.Stimulus.Answer = talk.Clean(b.Stimulus.Text), talk.Clean(b.Stimulus.Answer)
			if best.Play != name && name != "recall" {
				b.For = best.Play
			}
		} else if name == "crash" && !sights.Streams {
			b.Cannot = "the card does not declare streaming, so no stream can break off"
		}
		out.Behaviours = append(out.Behaviours, b)
	}
	if talk.Transcript.Facts.Cut != "" {
		return nil, &UsageError{Text: talk.Transcript.Facts.Cut}
	}
	if len(out.Behaviours) == 0 || !out.Behaviours[0].Shown {
		instead := "it gave no answer"
		if len(out.Behaviours) > 0 {
			instead = cmp.Or(out.Behaviours[0].Instead, instead)
		}
		return nil, &UsageError{Text: "the agent did not complete the message \"" + stimuli["quick"].Text + "\": " + instead +
			"; name one that it completes in a file for --stimuli, like: quick: {text: \"good morning\"}"}
	}
	return out, nil
}

// told counts the messages that the agent was sent.
func told(d *schema.Dialect, t *record.Transcript) (n int) {
	for _, p := range t.Plays {
		for _, s := range p.Steps {
			if s.Exchange != nil && d.Operation(s.Op).Agent {
				n++
			}
		}
	}
	return n
}

func quickFirst(a, b string) int {
	if (a == "quick") != (b == "quick") {
		if a == "quick" {
			return -1
		}
		return 1
	}
	return strings.Compare(a, b)
}
