package operator

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
)

// StimulusError is a mistake in one of the messages for the agent.
type StimulusError struct {
	Name   string // of the message, as of stimuli
	Member string // of it, such as payment; "" if it is about the whole
	Text   string // what is wrong, to follow the name; a text that does not begin with a blank follows a colon after stimuli
}

// maxStimulusSeconds is the longest time that a run waits for an agent to work.
const maxStimulusSeconds = 3600

// CheckStimuli returns the first mistake in messages for an agent that never shows certain behaviours,
// or nil if there is none.
func CheckStimuli(stimuli map[string]Stimulus, never []string) *StimulusError {
	behaviours := schema.Behaviours()
	for _, name := range slices.Sorted(maps.Keys(stimuli)) {
		s := stimuli[name]
		_, unsendable := s.Payment.Kept()
		switch {
		case name != "quick" && !slices.Contains(behaviours, name):
			return &StimulusError{name, "", fmt.Sprintf("%q is not one of quick, %s", name, strings.Join(behaviours, ", "))}
		case slices.Contains(never, name):
			return &StimulusError{name, "", " is given, but declares.never says that the agent never does this; leave one of them out"}
		case !(s.Seconds >= 0) || s.Seconds > maxStimulusSeconds:
			return &StimulusError{name, "", fmt.Sprintf(": a run cannot wait %v seconds; give 0 to %d", s.Seconds, maxStimulusSeconds)}
		case s.Payment != nil && name != "pay":
			return &StimulusError{name, "", " has a payment, and only the stimulus pay can have one"}
		case unsendable != nil:
			return &StimulusError{name, "payment", fmt.Sprintf(" cannot be sent as JSON: %v", unsendable)}
		case s.Text == "":
			return &StimulusError{name, "", " has no text"}
		}
	}
	return nil
}

// Path returns the message, and its member if the mistake is in one, below the key of a file.
func (e *StimulusError) Path(below ...string) []string {
	out := append(slices.Clone(below), e.Name)
	if e.Member != "" {
		out = append(out, e.Member)
	}
	return out
}

// Error returns the mistake as it follows from a configuration, which has its messages below stimuli.
func (e *StimulusError) Error() string { return e.Describe("stimuli") }

// Describe returns the mistake if the messages are below the given keys of a file.
func (e *StimulusError) Describe(below ...string) string {
	if !strings.HasPrefix(e.Text, " ") && !strings.HasPrefix(e.Text, ":") {
		return "stimuli: " + e.Text
	}
	return strings.Join(e.Path(below...), ".") + e.Text
}
