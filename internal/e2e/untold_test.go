package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
)

// A task of which no answer tells the state is looked up a few times and left alone: the
// owner of a server that is just begun sees what it lacks in seconds, not in a minute.
func TestATaskOfWhichNoStateIsToldIsNotFollowedForLong(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			fmt.Fprintf(w, `{"name":"x","url":"http://%s/","version":"1","capabilities":{"pushNotifications":true},"skills":[]}`, r.Host)
			return
		}
		io.WriteString(w, `{"jsonrpc":"2.0","id":null,"result":{}}`)
	}))
	defer server.Close()
	o, err := conform.Run(t.Context(), conform.Target{URL: server.URL, Dialect: "a2a-0.1", Behaviour: conform.Behaviour{Webhook: conform.Webhook{Listen: "127.0.0.1:0"}},
		Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A01-PUSH-*"}}}})
	if err != nil {
		t.Fatal(err)
	}
	looks, look := 0, regexp.MustCompile(`^poll-(\d+)$`)
	for _, p := range o.Transcript.Plays {
		for _, s := range p.Steps {
			switch m := look.FindStringSubmatch(s.Name); {
			case m == nil:
			case m[1] == "5":
				looks++
			case len(m[1]) > 1 || m[1] > "5":
				t.Errorf("%s/%s", p.Scenario, s.Name)
			}
		}
	}
	if looks == 0 {
		t.Error("no task was followed")
	}
}
