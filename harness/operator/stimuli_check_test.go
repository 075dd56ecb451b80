package operator

import (
	"math"
	"strings"
	"testing"
)

// The first mistake is found in the order of the names, and its text says what to do.
func TestCheckStimuli(t *testing.T) {
	good := Stimulus{Text: "work"}
	for _, c := range []struct {
		name    string
		stimuli map[string]Stimulus
		never   []string
		want    string
	}{
		{"none", nil, nil, ""},
		{"good", map[string]Stimulus{"quick": good, "slow": {Text: "work", Seconds: maxStimulusSeconds}, "pay": {Text: "work", Payment: Payment{"amount": 1}}}, []string{"ask"}, ""},
		{"unknown", map[string]Stimulus{"quik": good}, nil, `stimuli: "quik" is not one of quick, `},
		{"denied", map[string]Stimulus{"ask": good}, []string{"ask"}, "stimuli.ask is given, but declares.never says"},
		{"no text", map[string]Stimulus{"slow": {Seconds: 1}}, nil, "stimuli.slow has no text"},
		{"too long", map[string]Stimulus{"slow": {Text: "x", Seconds: maxStimulusSeconds + 1}}, nil, "stimuli.slow: a run cannot wait 3601 seconds"},
		{"no number", map[string]Stimulus{"slow": {Text: "x", Seconds: math.NaN()}}, nil, "stimuli.slow: a run cannot wait NaN seconds"},
		{"before now", map[string]Stimulus{"slow": {Text: "x", Seconds: -1}}, nil, "stimuli.slow: a run cannot wait -1 seconds"},
		{"payment elsewhere", map[string]Stimulus{"quick": {Text: "x", Payment: Payment{"amount": 1}}}, nil, "stimuli.quick has a payment"},
		{"payment without JSON", map[string]Stimulus{"pay": {Text: "x", Payment: Payment{"amount": math.Inf(1)}}}, nil, "stimuli.pay.payment cannot be sent as JSON"},
		{"the first of two", map[string]Stimulus{"slow": {}, "ask": {}}, nil, "stimuli.ask has no text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if err := CheckStimuli(c.stimuli, c.never); err != nil {
				got = err.Error()
			}
			if (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
