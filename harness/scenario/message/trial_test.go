package message

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/scenario/scenariotest"
)

func TestTrays(t *testing.T) {
	accept := func(_ string, p map[string]any) string { return scenariotest.Task(p["id"], "completed") }
	refuse := func(member string) func(string, map[string]any) string {
		return func(_ string, p map[string]any) string {
			text, _ := json.Marshal(p)
			if strings.Contains(string(text), member) {
				return scenariotest.Refusal
			}
			return scenariotest.Task(p["id"], "completed")
		}
	}
	for _, c := range []struct {
		name   string
		play   conversation.Scenario
		card   string
		answer func(string, map[string]any) string
		want   string
	}{
		{"everything is taken", KitchenSink, scenariotest.CardTakingAll, accept, "all"},
		{"one member is not", KitchenSink, scenariotest.CardTakingAll, refuse(`"trace"`), "all plain sessionId historyLength params-metadata message-metadata part-metadata several-parts"},
		{"nulls", NullMembers, scenariotest.CardTakingAll, accept, "all"},
		{"every part", PartKinds, scenariotest.CardTakingAll, accept, "all"},
		{"no files", PartKinds, `{"defaultInputModes":["application/json"]}`, accept, "(file-bytes) (file-uri) (file-reference) all"},
		{"text only", PartKinds, `{}`, accept, "(data-object) (data-array) (file-bytes) (file-uri) (file-reference)"},
		{"arrays are not taken", PartKinds, `{"defaultInputModes":["*/*"]}`, refuse(`[1,2]`), "(file-bytes) (file-uri) (file-reference) all plain data-object data-array"},
		{"a hint is fatal", OutputHint, scenariotest.CardTakingAll, refuse("desired"), "all plain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := scenariotest.PlayWithAnswers(t, c.play, c.card, c.answer)
			if got := scenariotest.Steps(p); got != c.want {
				t.Errorf("steps %s, want %s", got, c.want)
			}
			for _, s := range p.Steps {
				if s.Exchange != nil && slices.Contains([]string{"all", "plain"}, s.Name) == (s.Bisects != "") {
					t.Errorf("%s bisects %q", s.Name, s.Bisects)
				}
			}
		})
	}
}
