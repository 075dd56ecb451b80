package hostile

import (
	"context"
	"net"
)

// soon makes a run lose its patience with servers that would use it up.
var soon = []string{"--timeout", "1s"}

// silences are servers that take and do not give.
var silences = []Server{
	{Name: "never-answers", Area: "transport", Doc: "connections are taken and nothing is ever said", Verdict: Unreachable, Flags: soon,
		serve: func(_ context.Context, c net.Conn) { drained(c) }},
	{Name: "never-reads", Area: "transport", Doc: "connections are taken and nothing is even read", Verdict: Unreachable, Flags: soon,
		serve: func(ctx context.Context, c net.Conn) { <-ctx.Done() }},
	{Name: "dead-endpoint", Area: "transport", Doc: "the card is served, and no call is ever answered", Verdict: Unreachable, Names: "A2A01-HTTP-001", Flags: soon,
		spoil: func(v *visit) {
			if v.op == "card" {
				v.pass()
				return
			}
			v.raw(drained)
		}},
	{Name: "stalls-in-body", Area: "transport", Doc: "every reply stops half-way and the connection stays", Verdict: Nonconformant, Names: "A2A01-HTTP-001", Flags: soon,
		spoil: bare("first-send", func(v *visit, c net.Conn, a answer) {
			say(c, a.head()+"Content-Length: %d\r\n\r\n%s", len(a.text), a.text[:len(a.text)/2])
			drained(c)
		})},
	{Name: "stalls-in-stream", Area: "stream", Doc: "a stream stops after its head", Verdict: Nonconformant, Names: "A2A01-STR-003", Flags: soon,
		spoil: bare("first-stream", func(v *visit, c net.Conn, a answer) {
			say(c, "%s", a.head()+"\r\n")
			drained(c)
		})},
}
