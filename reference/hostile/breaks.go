package hostile

import (
	"context"
	"net"
	"strings"
)

// breaks end connections if none should end.
var breaks = []Server{
	{Name: "reset-in-head", Area: "transport", Doc: "the connection is reset in the middle of the head", Verdict: Nonconformant, Names: "A2A01-HTTP-001",
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "HTTP/1.1 200 OK\r\nContent-Ty")
			resetConnection(c)
		})},
	{Name: "reset-in-body", Area: "transport", Doc: "the connection is reset in the middle of the body", Verdict: Nonconformant, Names: "A2A01-HTTP-001",
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, a.formatHead()+"Content-Length: %d\r\n\r\n%s", len(a.text), a.text[:len(a.text)/2])
			resetConnection(c)
		})},
	{Name: "reset-in-stream", Area: "stream", Doc: "the connection is reset after the first event", Verdict: Partial,
		corrupt: writeByHand("stream", func(v *request, c net.Conn, a healthyAnswer) {
			first, _, _ := strings.Cut(a.text, "\n\n")
			writeText(c, a.formatHead()+"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\n\n\r\n", len(first)+2, first)
			resetConnection(c)
		})},
	{Name: "half-closed-stream", Area: "stream", Doc: "the server ends its half of a stream after the first event and stays", Verdict: Partial,
		corrupt: writeByHand("stream", func(v *request, c net.Conn, a healthyAnswer) {
			first, _, _ := strings.Cut(a.text, "\n\n")
			writeText(c, a.formatHead()+"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\n\n\r\n", len(first)+2, first)
			if tcp, ok := c.(*net.TCPConn); ok {
				tcp.CloseWrite()
			}
			readToEnd(c)
		})},
	{Name: "closes-unannounced", Doc: "every connection closes after one answer, unannounced", Verdict: Conformant,
		corrupt: writeByHand("send get cancel", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%s", strings.Replace(a.formatWhole(), "Connection: close\r\n", "", 1))
		})},
	{Name: "hangs-up", Area: "transport", Doc: "every call is answered by hanging up", Verdict: Unreachable, Names: "A2A01-HTTP-001",
		corrupt: func(v *request) {
			if v.op == "card" {
				v.passThrough()
				return
			}
			v.hangUp()
		}},
	{Name: "not-http", Area: "transport", Doc: "something else answers, which speaks first", Verdict: Unreachable,
		serve: func(_ context.Context, c net.Conn) {
			writeText(c, "SSH-2.0-OpenSSH_9.6\r\n\x00\x01\x02\x1b[31m")
			readToEnd(c)
		}},
	{Name: "closes-at-once", Area: "transport", Doc: "connections close as soon as they are made", Verdict: Unreachable,
		serve: func(context.Context, net.Conn) {}},
	{Name: "resets-at-once", Area: "transport", Doc: "connections are reset as soon as they are made", Verdict: Unreachable, serve: func(_ context.Context, c net.Conn) { resetConnection(c) }},
}
