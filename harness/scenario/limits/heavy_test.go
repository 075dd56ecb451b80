package limits

import (
	"io"
	"net/http"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/scenario/scenariotest"
)

// A heavy message that was refused in words, or answered, costs no further one.
func TestHeavy(t *testing.T) {
	for _, c := range []struct {
		name  string
		heavy func(w http.ResponseWriter)
		want  string // the operations of the signs of life
	}{
		{"refused", func(w http.ResponseWriter) { http.Error(w, "too large", http.StatusRequestEntityTooLarge) }, "get get"},
		{"hung up", func(w http.ResponseWriter) { panic(http.ErrAbortHandler) }, "send send"},
		{"served", func(w http.ResponseWriter) { io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"id":"t"}}`) }, "get get"},
	} {
		t.Run(c.name, func(t *testing.T) {
			play := scenariotest.PlayAgainstHandler(t, Heavy, func(w http.ResponseWriter, r *http.Request) {
				if r.ContentLength > 30_000 {
					io.Copy(io.Discard, r.Body)
					c.heavy(w)
					return
				}
				scenariotest.Answer(w, r, 200, scenariotest.Task("t", "completed"))
			}, nil)
			if got := scenariotest.Steps(play); got != "large large-alive deep deep-alive" {
				t.Fatalf("steps %s", got)
			}
			if got := play.Step("large-alive").Op + " " + play.Step("deep-alive").Op; got != c.want {
				t.Errorf("signs of life by %s, want %s", got, c.want)
			}
			for name, least := range map[string]int{"large": 10 << 20, "deep": 40_000} {
				m := play.Step(name).Exchange.Request
				if m.Recipe == nil || m.Recipe.Size < least || m.Recipe.Size > least+500 || len(m.Body) != 0 {
					t.Errorf("%s: recipe %+v, %d bytes kept", name, m.Recipe, len(m.Body))
				}
			}
		})
	}
}
