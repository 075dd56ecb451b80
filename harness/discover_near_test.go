package harness

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// cardsOf are cards of the dialects that have them, for an endpoint below /agents/echo, with the
// path where each is.
var cardsOf = map[string][2]string{
	"a2a-0.1": {"/.well-known/agent.json", `{"name":"echo","url":"SELF/agents/echo/rpc","capabilities":{}}`},
	"a2a-0.3": {"/.well-known/agent-card.json", `{"name":"echo","protocolVersion":"0.3.0","url":"SELF/agents/echo/rpc","skills":[],"capabilities":{},"defaultInputModes":[],"defaultOutputModes":[]}`},
	"a2a-1.0": {"/.well-known/agent-card.json", `{"name":"echo","supportedInterfaces":[{"url":"SELF/agents/echo/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`},
	"a2x-0.3": {"/.well-known/agent.json", `{"name":"echo","description":"d","protocolVersion":"0.3.0","version":"1","url":"SELF/agents/echo/rpc","skills":[],"capabilities":{}}`},
	"jaf-0.3": {"/.well-known/agent-card", `{"name":"echo","protocolVersion":"0.3.0","capabilities":{}}`},
}

// An agent below a path is found where clients look that are given its address: below the
// target, or at the target itself, before the root of the host, which may have another's card.
func TestCardBelowThePath(t *testing.T) {
	for dialect, c := range cardsOf {
		place, text := c[0], c[1]
		other := strings.Replace(strings.Replace(text, `"echo"`, `"another"`, 1), "/agents/echo/rpc", "/other", 1)
		for _, tr := range []struct {
			name   string
			serves paths
			path   string // of the target
			at     string // where the card is found
		}{
			{"below the target", paths{"GET /agents/echo" + place: text}, "/agents/echo", "/agents/echo" + place},
			{"below the target with a slash", paths{"GET /agents/echo" + place: text}, "/agents/echo/", "/agents/echo" + place},
			{"the target itself, well-known", paths{"GET /agents/echo" + place: text}, "/agents/echo" + place, "/agents/echo" + place},
			{"the target itself", paths{"GET /agents/echo": text}, "/agents/echo", "/agents/echo"},
			{"the target itself, a file", paths{"GET /cards/echo.json": text}, "/cards/echo.json?v=1", "/cards/echo.json?v=1"},
			{"the root itself", paths{"GET /": text}, "", ""},
			{"before the host's root", paths{"GET /agents/echo" + place: text, "GET " + place: other}, "/agents/echo", "/agents/echo" + place},
			{"the target before the host's root", paths{"GET /agents/echo": text, "GET " + place: other}, "/agents/echo", "/agents/echo"},
			{"behind a prefix, and the target is the endpoint", paths{"GET /agents/echo" + place: text}, "/agents/echo/rpc", "/agents/echo" + place},
			{"the host's root as ever", paths{"GET " + place: text}, "/agents/echo", place},
			{"a page for what is not there", paths{"*": page, "GET /agents/echo" + place: text}, "/agents/echo", "/agents/echo" + place},
			{"JSON for what is not there", paths{"*": `{"status":"up"}`, "GET " + place: text}, "/agents/echo", place},
		} {
			for _, named := range []string{"auto", dialect} {
				if named == "auto" && dialect == "jaf-0.3" && !strings.HasSuffix(tr.at, place) {
					continue // apart from its place, such a card may be one of A2X too
				}
				t.Run(fmt.Sprint(dialect, " ", tr.name, " ", named), func(t *testing.T) {
					t.Parallel()
					self, asked := tr.serves.start(t)
					talk, err := Run(t.Context(), operator.Target{URL: self + tr.path, Dialect: named}, nothing)
					if err != nil {
						t.Fatal(err)
					}
					if talk.Dialect == nil || talk.Dialect.Name != dialect {
						t.Fatalf("got %q; tried %q", talk.Transcript.Facts.Dialect, talk.Transcript.Facts.Tried)
					}
					var found *record.Step
					for i, s := range talk.Transcript.Play("card").Steps {
						if s.Op == "card" && isCard(s.Exchange) {
							found = &talk.Transcript.Play("card").Steps[i]
							break
						}
					}
					if found == nil || found.Exchange.URL != self+tr.at {
						t.Fatalf("the card was read at %+v, want %s", found, tr.at)
					}
					if near := tr.at != place; near != (found.Name == "target") {
						t.Errorf("the card of %s is the step %s", tr.at, found.Name)
					}
					if dialect != "jaf-0.3" && talk.Transcript.Facts.RPC != self+"/agents/echo/rpc" {
						t.Errorf("calls go to %s", talk.Transcript.Facts.RPC)
					}
					if len(talk.Transcript.Exchanges) != len(asked()) {
						t.Errorf("%d requests came, %d exchanges are kept", len(asked()), len(talk.Transcript.Exchanges))
					}
				})
			}
		}
	}
}

// A dialect that the card does not offer is known before anything is judged by it.
func TestDialectThatIsNotOffered(t *testing.T) {
	for dialect, c := range cardsOf {
		for _, named := range schema.Names() {
			d, err := schema.Outline(named)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(dialect+" as "+named, func(t *testing.T) {
				t.Parallel()
				self, _ := paths{"GET " + c[0]: c[1]}.start(t)
				talk, err := Run(t.Context(), operator.Target{URL: self, Dialect: named}, nothing)
				if err != nil {
					t.Fatal(err)
				}
				got := talk.Transcript.Facts.Instead
				of := func(name string) bool { return slices.Contains(got, name) }
				fits := named == dialect || slices.Contains([]string{"a2x-0.3", "jaf-0.3"}, dialect) && slices.Contains([]string{"a2x-0.3", "a2a-0.3", "jaf-0.3"}, named) || d.Detect.Never && dialect == "a2a-0.1" || len(d.Card.Paths) == 0
				switch {
				case fits && len(got) > 0:
					t.Errorf("got %q", got)
				case !fits && !of(dialect):
					t.Errorf("got %q, want %s among them", got, dialect)
				}
			})
		}
	}
}
