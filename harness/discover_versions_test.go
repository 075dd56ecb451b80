package harness

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/schema"
)

// TestDiscoverSays: where the protocol cannot be known, the run names what was
// seen and the flag to use, and nothing is called.
func TestDiscoverSays(t *testing.T) {
	const (
		list      = "GET /a2a/agents"
		good03    = `{"name":"z","protocolVersion":"0.3.0","url":"SELF/v3","preferredTransport":"JSONRPC","capabilities":{},"skills":[]}`
		entry     = `{"agentId":"a","name":"A","capabilities":["x"],"endpoint":"SELF/agent"}`
		notFound  = `{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}`
		directory = "directory-0.1"
	)
	for _, c := range []struct {
		name    string
		serves  paths
		target  operator.Target
		dialect string   // "" where it is an error of the operator's, or nothing is found
		says    []string // in the error; none where nothing is found
	}{
		{"a card of 0.2", paths{card01: `{"name":"x","protocolVersion":"0.2.5","url":"SELF/","skills":[]}`}, operator.Target{}, "",
			[]string{"/.well-known/agent.json holds an agent card that states protocolVersion 0.2.5", "--dialect NAME --card"}},
		{"a card of 0.2 at today's place", paths{card03: `{"name":"x","protocolVersion":"0.2.6","url":"SELF/"}`}, operator.Target{}, "",
			[]string{"/.well-known/agent-card.json holds", "protocolVersion 0.2.6", "--dialect"}},
		{"a card of 0.2, the operator knows", paths{card01: `{"name":"x","protocolVersion":"0.2.5","url":"SELF/","skills":[]}`}, operator.Target{Dialect: "a2a-0.1"}, "a2a-0.1", nil},
		{"protocolVersion, and an empty list of interfaces", paths{card03: `{"name":"x","protocolVersion":"0.3.0","supportedInterfaces":[],"url":"SELF/"}`}, operator.Target{}, "a2a-0.3", nil},
		{"0.3 and 1.0 on one card", paths{card03: `{"name":"x","protocolVersion":"0.3.0","url":"SELF/","supportedInterfaces":[` + jsonRPC("0.3") + `,` + jsonRPC("1.0") + `]}`}, operator.Target{}, "a2a-1.0", nil},
		{"0.3 on an older card, and 1.0", paths{card01: good03, card03: `{"name":"x","supportedInterfaces":[` + jsonRPC("1.0") + `]}`}, operator.Target{}, "a2a-1.0", nil},
		{"0.3 and 1.0 on one card, the files know", paths{card03: `{"name":"x","protocolVersion":"0.3.0","url":"SELF/","supportedInterfaces":[` + jsonRPC("1.0") + `]}`},
			operator.Target{Endpoint: operator.Endpoint{Prefer: []string{"a2a-0.1", "a2a-0.3"}}}, "a2a-0.3", nil},
		{"1.0 alone, the files are about others", paths{card03: `{"name":"x","supportedInterfaces":[` + jsonRPC("1.0") + `]}`}, operator.Target{Endpoint: operator.Endpoint{Prefer: []string{"a2a-0.3"}}}, "a2a-1.0", nil},
		{"1.0 in a binding that is not spoken, and 0.3", paths{card03: `{"name":"x","protocolVersion":"0.3.0","url":"SELF/","supportedInterfaces":[{"url":"SELF/","protocolBinding":"https://own.example/binding","protocolVersion":"1.0"}]}`}, operator.Target{}, "a2a-0.3", nil},
		{"1.0 alone", paths{card03: `{"name":"x","supportedInterfaces":[` + jsonRPC("1.0.1") + `]}`}, operator.Target{}, "a2a-1.0", nil},
		{"2.0 alone", paths{card03: `{"name":"x","supportedInterfaces":[` + jsonRPC("2.0") + `]}`}, operator.Target{}, "",
			[]string{"states no protocolVersion and has supportedInterfaces", "--dialect"}},
		{"supportedInterfaces alone", paths{card03: `{"name":"x","supportedInterfaces":[{"url":"SELF/"}]}`}, operator.Target{}, "",
			[]string{"states no protocolVersion and has supportedInterfaces", "--dialect"}},
		{"two places, two protocols", paths{card01: good01, card03: good03}, operator.Target{}, "",
			[]string{"agent.json is for A2A 0.1.0", "agent-card.json for A2A 0.3.0", "--dialect a2a-0.1 or --dialect a2a-0.3"}},
		{"two places, the operator chooses one", paths{card01: good01, card03: good03}, operator.Target{Endpoint: operator.Endpoint{Card: "/.well-known/agent-card.json"}}, "a2a-0.3", nil},
		{"two places, the files know", paths{card01: good01, card03: good03}, operator.Target{Endpoint: operator.Endpoint{Prefer: []string{"a2a-0.3"}}}, "a2a-0.3", nil},
		{"two places, the files are about a third", paths{card01: good01, card03: good03}, operator.Target{Endpoint: operator.Endpoint{Prefer: []string{"a2a-1.0"}}}, "",
			[]string{"--dialect a2a-0.1 or --dialect a2a-0.3"}},
		{"two places, one card", paths{card01: good03, card03: good03}, operator.Target{}, "a2a-0.3", nil},
		{"an unknown card beside a known one", paths{card01: `{"name":"x","protocolVersion":"0.2.5","url":"SELF/"}`, card03: good03}, operator.Target{}, "a2a-0.3", nil},

		{"a directory", paths{list: `{"agents":[` + entry + `]}`}, operator.Target{}, directory, nil},
		{"a directory, a bare list", paths{list: `[` + entry + `]`}, operator.Target{}, directory, nil},
		{"a directory, keyed by id", paths{list: `{"a":` + entry + `}`}, operator.Target{}, directory, nil},
		{"a directory below a path", paths{"GET /base/a2a/agents": `[` + entry + `]`}, operator.Target{URL: "/base"}, directory, nil},
		{"a directory without an agent", paths{list: `[]`}, operator.Target{}, "", []string{"an empty list", "--dialect directory-0.1"}},
		{"a directory without an agent, the operator knows", paths{list: `[]`}, operator.Target{Dialect: directory}, directory, nil},
		{"agents of another kind", paths{list: `[{"name":"a","description":"b"}]`, "POST /": notFound}, operator.Target{}, "", []string{"--dialect NAME"}},
		{"a card before a list", paths{card01: good01, list: `[` + entry + `]`}, operator.Target{}, "a2a-0.1", nil},
		{"no card, and nothing else", paths{}, operator.Target{}, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			self, asked := c.serves.start(t)
			target := c.target
			target.URL = self + target.URL
			if target.Card != "" {
				target.Card = self + target.Card
			}
			talk, err := Run(t.Context(), target, nothing)
			if c.says != nil {
				u := (*UsageError)(nil)
				if !errors.As(err, &u) || slices.ContainsFunc(c.says, func(s string) bool { return !strings.Contains(u.Text, s) }) {
					t.Errorf("got %v, want a usage error that names %q", err, c.says)
				}
				for _, r := range asked() {
					if r.Method == "POST" && slices.Contains([]string{"/rpc", "/v3", "/agent"}, r.URL.Path) { // which a card or an entry names
						t.Errorf("%s %s was called", r.Method, r.URL)
					}
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if talk.Dialect != nil {
				got = talk.Dialect.Name
			}
			if got != c.dialect {
				t.Errorf("got %q, want %q; tried %q", got, c.dialect, talk.Transcript.Facts.Tried)
			}
		})
	}
}

// TestDirectoryIsReached: calls go to the path that the method names or, where
// that is none, to the bare endpoint; the operator's endpoint is taken as it is.
func TestDirectoryIsReached(t *testing.T) {
	const answer = `{"jsonrpc":"2.0","id":"x","result":{"agents":[]}}`
	for _, c := range []struct {
		name   string
		serves paths
		target operator.Target
		paths  bool
	}{
		{"by method", paths{"POST /a2a/discover": answer}, operator.Target{}, true},
		{"bare", paths{"POST /": answer}, operator.Target{}, false},
		{"neither", paths{}, operator.Target{}, true},
		{"the operator's", paths{"POST /a2a/discover": answer, "POST /mine": answer}, operator.Target{Endpoint: operator.Endpoint{RPC: "/mine"}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			self, _ := c.serves.start(t)
			target := c.target
			target.URL, target.Dialect = self, "directory-0.1"
			if target.RPC != "" {
				target.RPC = self + target.RPC
			}
			talk, err := Run(t.Context(), target, func(d *schema.Dialect) ([]string, error) { return []string{"lookup"}, nil })
			if err != nil {
				t.Fatal(err)
			}
			want := self + target.RPC[min(len(target.RPC), len(self)):]
			if c.paths {
				want = self + "/a2a/discover"
			}
			if got := talk.Transcript.Play("lookup").Step("discover").Exchange.URL; strings.TrimSuffix(got, "/") != want {
				t.Errorf("calls go to %s, want %s", got, want)
			}
		})
	}
}

// jsonRPC is an entry of supportedInterfaces.
func jsonRPC(version string) string {
	return `{"url":"SELF/","protocolBinding":"JSONRPC","protocolVersion":"` + version + `"}`
}
