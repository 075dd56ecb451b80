package endpoint

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/scenario/scenariotest"
	"github.com/a2a-conform/a2a-conform/schema"
)

// An agent is asked for by whichever of its names the server knows, its card
// may send us to another place of the same server, and nowhere else.
func TestMeeting(t *testing.T) {
	const answer = `{"jsonrpc":"2.0","id":1,"result":{"taskId":"t"}}`
	for _, c := range []struct {
		name, list, cardURL, want string
	}{
		{"by name", `["a"]`, "/a2a/agents/a", "list info-1 card-1 send-1 unknown-info unknown-card unknown-send health"},
		{"by id", `{"agents":[{"name":"An Agent","id":"a"}]}`, "/a2a/agents/a", "list info-other-1 info-1 card-1 send-1 unknown-info unknown-card unknown-send health"},
		{"elsewhere on the server", `["a"]`, "/rpc/a", "list info-1 card-1 send-1 url-1 unknown-info unknown-card unknown-send health"},
		{"on another server", `["a"]`, "http://other.invalid/a", "list info-1 card-1 send-1 (url-1) unknown-info unknown-card unknown-send health"},
		{"nothing listed", `{}`, "", "list plain unknown-info unknown-card unknown-send health"},
		{"a name that needs care", `["../a b"]`, "", "list info-1 card-1 send-1 unknown-info unknown-card unknown-send health"},
		{"many", `["a","b","c","d","e","f","g"]`, "", "list info-1 card-1 send-1 info-2 card-2 send-2 info-3 card-3 send-3 info-4 card-4 send-4 info-5 card-5 send-5 unknown-info unknown-card unknown-send health"},
	} {
		t.Run(c.name, func(t *testing.T) {
			mux := http.NewServeMux()
			server := httptest.NewServer(mux)
			defer server.Close()
			url := c.cardURL
			if strings.HasPrefix(url, "/") {
				url = server.URL + url
			}
			mux.HandleFunc("GET /a2a/agents", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, c.list) })
			mux.HandleFunc("GET /a2a/agents/a", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") })
			mux.HandleFunc("GET /a2a/agents/a/card", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"url":%q}`, url) })
			mux.HandleFunc("POST /", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, answer) })
			mux.HandleFunc("POST /a2a/agents/..%2Fa%20b", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, answer) })
			d, err := schema.Load("jaf-0.3")
			if err != nil {
				t.Fatal(err)
			}
			w, err := dialect.For(d.Name)
			if err != nil {
				t.Fatal(err)
			}
			httpClient := client.NewClient(client.Config{Started: time.Now(), Timeout: 10 * time.Second})
			defer httpClient.Close()
			play := &record.Play{Scenario: Agents.Name}
			Agents.Play(&conversation.Conversation{Setting: &conversation.Setting{Client: httpClient, Dialect: d, Writer: w, RPC: server.URL + "/a2a", Base: server.URL,
				Stimuli: map[string]operator.Stimulus{"quick": {Text: "echo hello"}}, Wait: func(string, time.Duration) {},
				Own: func(address string) bool { return strings.HasPrefix(address, server.URL) }}, Context: t.Context(), Play: play})
			if got := scenariotest.Steps(play); got != c.want {
				t.Errorf("steps %s\nwant  %s", got, c.want)
			}
			for _, s := range play.Steps {
				if s.Exchange != nil && !strings.HasPrefix(s.Exchange.URL, server.URL) {
					t.Errorf("%s went to %s", s.Name, s.Exchange.URL)
				}
			}
			if s := play.Step("send-1"); s != nil && c.name == "a name that needs care" && s.Exchange.URL != server.URL+"/a2a/agents/..%2Fa%20b" {
				t.Errorf("the name was written as %s", s.Exchange.URL)
			}
		})
	}
}
