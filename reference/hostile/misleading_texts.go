package hostile

import (
	"net"
	"net/http"
	"strings"
	"time"
)

// misleadingTexts are servers about which a client easily describes what is not so: it never
// called them, or it gave up first, or it was its own request that could not be.
var misleadingTexts = []Server{
	{Name: "no-room", Doc: "every answer says that nothing more is allowed for an hour", Verdict: Partial, Says: "rate limit leaves no room",
		corrupt: func(v *request) {
			h := v.w.Header()
			h.Set("X-RateLimit-Limit", "100")
			h.Set("X-RateLimit-Remaining", "0")
			h.Set("X-RateLimit-Reset", "3600")
			v.passThrough()
		}},
	{Name: "no-room-after-card", Doc: "the card says that it was the last answer for an hour", Verdict: Partial, Says: "rate limit leaves no room", Flags: []string{"--dialect", "a2a-0.1"},
		corrupt: forOperations("card", func(v *request) {
			v.w.Header().Set("RateLimit", "limit=1, remaining=0, reset=3600")
			v.passThrough()
		})},
	{Name: "refused-for-an-hour", Doc: "every question is refused for the rate limit, for an hour", Verdict: Partial, Says: "HTTP 429",
		corrupt: func(v *request) {
			v.w.Header().Set("Retry-After", "3600")
			http.Error(v.w, "slow down", http.StatusTooManyRequests)
		}},
	{Name: "extension-with-nul", Area: "transport", Doc: "the URI of an extension on the card holds NUL, which no header can", Verdict: Partial, Flags: []string{"--dialect", "a2a-0.3"}, dialect: "a2a-0.3",
		corrupt: editBodies("card", addRequiredExtension(`urn:a\u0000b`))},
	{Name: "extension-with-line", Area: "transport", Doc: "the URI of an extension on the card brings a header of its own", Verdict: Partial, Flags: []string{"--dialect", "a2a-0.3"}, dialect: "a2a-0.3",
		corrupt: editBodies("card", addRequiredExtension(`urn:a\r\nX-Injected: yes`))},
	{Name: "extension-with-delete", Area: "transport", Doc: "the URI of an extension on the card holds DEL", Verdict: Partial, Flags: []string{"--dialect", "a2a-0.3"}, dialect: "a2a-0.3",
		corrupt: editBodies("card", addRequiredExtension(`urn:a\u007fb`))},
	{Name: "endpoint-with-nul", Area: "card", Doc: "the endpoint on the card holds NUL", Verdict: Nonconformant, Names: "A2A01-CARD-004",
		corrupt: editBodies("card", func(text string) string {
			return strings.Replace(text, `"url":"http://`, `"url":"http://\u0000`, 1)
		})},
	{Name: "deadline-in-discovery", Doc: "one question is answered, and the next ones outlast the run", Verdict: Partial, Says: "the deadline of 3s was reached", Deadline: 3 * time.Second,
		Flags: []string{"--timeout", "30s"},
		corrupt: func(v *request) {
			if v.r.URL.Path == "/.well-known/agent.json" {
				http.NotFound(v.w, v.r)
				return
			}
			v.takeConnection(readToEnd)
		}},
	{Name: "card-of-two-minds", Doc: "two places have cards of two protocols", Verdict: UsageError, Says: "--dialect",
		corrupt: func(v *request) {
			if v.r.URL.Path == "/.well-known/agent-card.json" {
				v.w.Header().Set("Content-Type", "application/json")
				v.w.Write([]byte(`{"protocolVersion":"0.3.0","name":"x","description":"x","version":"1","url":"` + v.URL + `/","capabilities":{},"skills":[],"defaultInputModes":[],"defaultOutputModes":[]}`))
				return
			}
			v.passThrough()
		}},
	{Name: "card-of-the-future", Doc: "the card is of a protocol that nobody knows yet", Verdict: UsageError, Says: "protocolVersion 9.0",
		corrupt: func(v *request) {
			if v.op == "card" {
				v.w.Header().Set("Content-Type", "application/json")
				v.w.Write([]byte(`{"protocolVersion":"9.0","name":"x","skills":[]}`))
				return
			}
			v.takeConnection(func(c net.Conn) {})
		}},
	{Name: "card-guarded", Doc: "nothing is said without credentials", Verdict: UsageError, Says: "--bearer-env",
		corrupt: func(v *request) { http.Error(v.w, "who are you?", http.StatusUnauthorized) }},
}

// addRequiredExtension puts an extension with that URI on a card.
func addRequiredExtension(uri string) func(string) string {
	return func(text string) string {
		return strings.Replace(text, `"capabilities":{`, `"capabilities":{"extensions":[{"uri":"`+uri+`","required":true}],`, 1)
	}
}
