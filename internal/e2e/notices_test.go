package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
)

// A path of the target that led to nothing is told, in the run and in its
// replay; one that was called, or under which the card lies, is not.
func TestUnusedPath(t *testing.T) {
	t.Parallel()
	server := bundled(t, reference.Options{Dialect: "a2a-0.3"})
	card := func(endpoint string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if r.URL.Path != "/.well-known/agent-card.json" && r.URL.Path != "/agents/card.json" {
				http.NotFound(w, r)
				return
			}
			io.WriteString(w, `{"name":"x","protocolVersion":"0.3.0","url":"http://`+r.Host+endpoint+`","skills":[]}`)
		}
	}
	all := []string{"*-SEND-*", "*-CARD-*"}
	for _, c := range []struct {
		name     string
		endpoint string // on the card; that of the bundled server if empty
		path     string
		target   conform.Target
		picked   []string
		want     string // of the notice; HOST stands for the server's
	}{
		{"a wrong path", "", "/wrongpath", conform.Target{Behaviour: conform.Behaviour{DefaultStimuli: true}}, all,
			"the path /wrongpath was not used: the card was read from HOST/.well-known/agent-card.json and calls went to HOST/; if you mean another agent, give --card or --rpc"},
		{"a wrong path of several parts", "", "/wrong/path/", conform.Target{}, []string{"A2A03-CARD-001"}, "the path /wrong/path was not used: "},
		{"no path", "", "", conform.Target{}, all, ""},
		{"the root", "", "/", conform.Target{}, all, ""},
		{"a query", "", "/?wrong=path", conform.Target{}, all, ""},
		{"the endpoint", "/a2a", "/a2a", conform.Target{}, all, ""},
		{"above the endpoint", "/a2a/v1", "/a2a", conform.Target{}, all, ""},
		{"beside the endpoint", "/a2a", "/a2", conform.Target{}, all, "the path /a2 was not used: the card was read from HOST/.well-known/agent-card.json and calls went to HOST/a2a;"},
		{"below the endpoint", "/a2a", "/a2a/v1", conform.Target{}, all, "the path /a2a/v1 was not used: "},
		{"the card", "/a2a", "/.well-known/agent-card.json", conform.Target{}, all, ""},
		{"a card below it", "/a2a", "/agents", conform.Target{Endpoint: conform.Endpoint{Card: "HOST/agents/card.json"}}, all, ""},
		{"another endpoint was named", "/a2a", "/agents", conform.Target{Endpoint: conform.Endpoint{RPC: "HOST/rpc"}}, all, "the path /agents was not used: the card was read from HOST/.well-known/agent-card.json and calls went to HOST/rpc;"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			host := server.URL()
			if c.endpoint != "" {
				s := httptest.NewServer(card(c.endpoint))
				defer s.Close()
				host = s.URL
			}
			c.target.URL, c.target.Dialect, c.target.Select.Run = host+c.path, "a2a-0.3", c.picked
			c.target.Card, c.target.RPC = strings.Replace(c.target.Card, "HOST", host, 1), strings.Replace(c.target.RPC, "HOST", host, 1)
			o, err := conform.Run(t.Context(), c.target)
			if err != nil {
				t.Fatal(err)
			}
			said := strings.ReplaceAll(strings.Join(o.Report.Notices, "\n"), host, "HOST")
			if (c.want == "") != (said == "") || !strings.HasPrefix(said, c.want) {
				t.Errorf("the notices are %q, want %q", said, c.want)
			}
			again := replayed(t, o)
			if !slices.Equal(again.Report.Notices, o.Report.Notices) {
				t.Errorf("the replay says %q", again.Report.Notices)
			}
		})
	}
}
