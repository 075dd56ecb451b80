package hostile

import (
	"context"
	"net"
)

// shortTimeout makes a run lose its patience with servers that would use it up.
var shortTimeout = []string{"--timeout", "1s"}

// timeouts are servers that take and do not give.
var timeouts = []Server{
	{Name: "never-answers", Area: "transport", Doc: "connections are taken and nothing is ever said", Verdict: Unreachable, Flags: shortTimeout,
		serve: func(_ context.Context, c net.Conn) { readToEnd(c) }},
	{Name: "never-reads", Area: "transport", Doc: "connections are taken and nothing is even read", Verdict: Unreachable, Flags: shortTimeout,
		serve: func(ctx context.Context, c net.Conn) { <-ctx.Done() }},
	{Name: "dead-endpoint", Area: "transport", Doc: "the card is served, and no call is ever answered", Verdict: Unreachable, Names: "A2A01-HTTP-001", Flags: shortTimeout,
		corrupt: func(v *request) {
			if v.op == "card" {
				v.passThrough()
				return
			}
			v.takeConnection(readToEnd)
		}},
	{Name: "stalls-in-body", Area: "transport", Doc: "every reply stops half-way and the connection stays", Verdict: Nonconformant, Names: "A2A01-HTTP-001", Flags: shortTimeout,
		corrupt: writeByHand("first-send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, a.formatHead()+"Content-Length: %d\r\n\r\n%s", len(a.text), a.text[:len(a.text)/2])
			readToEnd(c)
		})},
	{Name: "stalls-in-stream", Area: "stream", Doc: "a stream stops after its head", Verdict: Nonconformant, Names: "A2A01-STR-003", Flags: shortTimeout,
		corrupt: writeByHand("first-stream", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%s", a.formatHead()+"\r\n")
			readToEnd(c)
		})},
}
