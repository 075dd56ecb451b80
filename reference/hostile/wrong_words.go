package hostile

import (
	"net"
	"net/http"
	"strings"
	"time"
)

// words are servers about which a client easily says what is not so: it never
// called them, or it gave up first, or it was its own request that could not be.
var words = []Server{
	{Name: "no-room", Doc: "every answer says that nothing more is allowed for an hour", Verdict: Partial, Says: "rate limit leaves no room",
		spoil: func(v *visit) {
			h := v.w.Header()
			h.Set("X-RateLimit-Limit", "100")
			h.Set("X-RateLimit-Remaining", "0")
			h.Set("X-RateLimit-Reset", "3600")
			v.pass()
		}},
	{Name: "no-room-after-card", Doc: "the card says that it was the last answer for an hour", Verdict: Partial, Says: "rate limit leaves no room", Flags: []string{"--dialect", "a2a-0.1"},
		spoil: on("card", func(v *visit) {
			v.w.Header().Set("RateLimit", "limit=1, remaining=0, reset=3600")
			v.pass()
		})},
	{Name: "refused-for-an-hour", Doc: "every question is refused for the rate limit, for an hour", Verdict: Partial, Says: "HTTP 429",
		spoil: func(v *visit) {
			v.w.Header().Set("Retry-After", "3600")
			http.Error(v.w, "slow down", http.StatusTooManyRequests)
		}},
	{Name: "extension-with-nul", Area: "transport", Doc: "the URI of an extension on the card holds NUL, which no header can", Verdict: Partial, Flags: []string{"--dialect", "a2a-0.3"}, dialect: "a2a-0.3",
		spoil: edited("card", extension(`urn:a\u0000b`))},
	{Name: "extension-with-line", Area: "transport", Doc: "the URI of an extension on the card brings a header of its own", Verdict: Partial, Flags: []string{"--dialect", "a2a-0.3"}, dialect: "a2a-0.3",
		spoil: edited("card", extension(`urn:a\r\nX-Injected: yes`))},
	{Name: "extension-with-delete", Area: "transport", Doc: "the URI of an extension on the card holds DEL", Verdict: Partial, Flags: []string{"--dialect", "a2a-0.3"}, dialect: "a2a-0.3",
		spoil: edited("card", extension(`urn:a\u007fb`))},
	{Name: "endpoint-with-nul", Area: "card", Doc: "the endpoint on the card holds NUL", Verdict: Nonconformant, Names: "A2A01-CARD-004",
		spoil: edited("card", func(text string) string {
			return strings.Replace(text, `"url":"http://`, `"url":"http://\u0000`, 1)
		})},
	{Name: "deadline-in-discovery", Doc: "one question is answered, and the next ones outlast the run", Verdict: Partial, Says: "the deadline of 3s was reached", Deadline: 3 * time.Second,
		Flags: []string{"--timeout", "30s"},
		spoil: func(v *visit) {
			if v.r.URL.Path == "/.well-known/agent.json" {
				http.NotFound(v.w, v.r)
				return
			}
			v.raw(drained)
		}},
	{Name: "card-of-two-minds", Doc: "two places have cards of two protocols", Verdict: Slip, Says: "--dialect",
		spoil: func(v *visit) {
			if v.r.URL.Path == "/.well-known/agent-card.json" {
				v.w.Header().Set("Content-Type", "application/json")
				v.w.Write([]byte(`{"protocolVersion":"0.3.0","name":"x","description":"x","version":"1","url":"` + v.URL + `/","capabilities":{},"skills":[],"defaultInputModes":[],"defaultOutputModes":[]}`))
				return
			}
			v.pass()
		}},
	{Name: "card-of-the-future", Doc: "the card is of a protocol that nobody knows yet", Verdict: Slip, Says: "protocolVersion 9.0",
		spoil: func(v *visit) {
			if v.op == "card" {
				v.w.Header().Set("Content-Type", "application/json")
				v.w.Write([]byte(`{"protocolVersion":"9.0","name":"x","skills":[]}`))
				return
			}
			v.raw(func(c net.Conn) {})
		}},
	{Name: "card-guarded", Doc: "nothing is said without credentials", Verdict: Slip, Says: "--bearer-env",
		spoil: func(v *visit) { http.Error(v.w, "who are you?", http.StatusUnauthorized) }},
}

// extension puts an extension with that URI on a card.
func extension(uri string) func(string) string {
	return func(text string) string {
		return strings.Replace(text, `"capabilities":{`, `"capabilities":{"extensions":[{"uri":"`+uri+`","required":true}],`, 1)
	}
}
