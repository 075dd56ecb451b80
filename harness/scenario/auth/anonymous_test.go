package auth

import (
	"net/http"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/scenario/scenariotest"
)

// The harmless message goes out without credentials only if the card asks for
// none, and no other conversation makes such a call.
func TestAnonymous(t *testing.T) {
	for _, c := range []struct{ name, card, stop string }{
		{"no card", ``, "no agent card could be read"},
		{"demanded", `{"authentication":{"schemes":["Bearer"]}}`, "the card says that the server demands credentials"},
		{"left open", `{"authentication":{"schemes":[null]}}`, "the card does not say whether the server demands credentials"},
		{"not demanded", `{"authentication":{"schemes":[]}}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, _ := record.ObserveJSON([]byte(c.card))
			called := false
			play := scenariotest.PlayAgainstHandler(t, Anonymous, func(w http.ResponseWriter, r *http.Request) { called = true }, func(s *conversation.Setting) {
				s.Card, s.Secrets = card.Of(s.Dialect, root), []string{"tok-12345678"}
				s.Claimed = func(words ...string) bool { return s.Card.Claims(words[0]) != card.No }
				s.Callers = map[record.Caller]http.Header{record.Nobody: {}}
			})
			if !strings.HasPrefix(play.Stop, c.stop) || called != (c.stop == "") {
				t.Errorf("called: %v, stopped: %s", called, play.Stop)
			}
		})
	}
}
