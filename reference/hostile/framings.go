package hostile

import (
	"fmt"
	"net"
	"strings"
)

// framings break the rules of HTTP messages.
var framings = []Server{
	{Name: "length-too-long", Area: "transport", Doc: "Content-Length promises more than comes", Verdict: Nonconformant, Names: "A2A01-HTTP-001",
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, a.formatHead()+"Content-Length: %d\r\n\r\n%s", len(a.text)+500, a.text)
		})},
	{Name: "length-too-short", Area: "transport", Doc: "Content-Length promises less than comes", Verdict: Nonconformant, Names: "A2A01-HTTP-001",
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, a.formatHead()+"Content-Length: %d\r\n\r\n%s", len(a.text)/2, a.text)
		})},
	{Name: "length-negative", Area: "transport", Doc: "Content-Length is -1", Verdict: Nonconformant, Names: "A2A01-HTTP-001",
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, a.formatHead()+"Content-Length: -1\r\n\r\n%s", a.text)
		})},
	{Name: "lengths-differ", Area: "transport", Doc: "two Content-Lengths contradict each other", Verdict: Nonconformant, Names: "A2A01-HTTP-001",
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, a.formatHead()+"Content-Length: %d\r\nContent-Length: 5\r\n\r\n%s", len(a.text), a.text)
		})},
	{Name: "length-and-chunks", Doc: "both Content-Length and chunked are given", Verdict: Conformant,
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, a.formatHead()+"Content-Length: 7\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(a.text), a.text)
		})},
	{Name: "chunk-overflow", Area: "transport", Doc: "a chunk claims to be larger than any number", Verdict: Nonconformant, Names: "A2A01-HTTP-001",
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, a.formatHead()+"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffffffff\r\n%s", a.text)
		})},
	{Name: "chunk-extension", Area: "transport", Doc: "the line about a chunk never ends", Verdict: Nonconformant, Names: "A2A01-HTTP-001",
		corrupt: writeByHand("first-send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%sTransfer-Encoding: chunked\r\n\r\n5;", a.formatHead())
			writeRepeatedly(c, "extension", endless)
		})},
	{Name: "endless-trailer", Area: "transport", Doc: "the trailer after the last chunk never ends", Verdict: Nonconformant, Names: "A2A01-HTTP-001",
		corrupt: writeByHand("first-send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, a.formatHead()+"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n", len(a.text), a.text)
			writeRepeatedly(c, "X-Trailer: and on\r\n", endless)
		})},
	{Name: "http-1.0", Doc: "answers in HTTP/1.0 and closes, else healthy", Verdict: Conformant,
		corrupt: forOperations("send get cancel card", func(v *request) {
			a := v.fetchHealthy()
			v.takeConnection(func(c net.Conn) {
				writeText(c, "%s\r\n%s", strings.Replace(a.formatHead(), "HTTP/1.1", "HTTP/1.0", 1), a.text)
			})
		})},
	{Name: "pipelined", Doc: "a second answer follows that nobody asked for", Verdict: Conformant,
		corrupt: writeByHand("send get", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%s%s", a.formatWhole(), strings.Repeat(okJSON+"Content-Length: 2\r\n\r\n{}", 100))
			readToEnd(c)
		})},
	{Name: "interim-few", Doc: "ten interim answers come first, which is allowed", Verdict: Conformant,
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%s%s", strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 10), a.formatWhole())
		})},
	{Name: "interim-storm", Area: "transport", Doc: "interim answers without end", Verdict: Partial,
		corrupt: writeByHand("first-send", func(v *request, c net.Conn, a healthyAnswer) {
			writeRepeatedly(c, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", endless)
		})},
	{Name: "switching-protocols", Area: "transport", Doc: "a call is answered with 101", Verdict: Nonconformant, Names: "A2A01-HTTP-002",
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n%s", a.text)
		})},
	{Name: "headers-100000", Area: "transport", Doc: "an answer has 100,000 header fields", Verdict: Partial,
		corrupt: writeByHand("first-send", func(v *request, c net.Conn, a healthyAnswer) {
			var head strings.Builder
			for i := range 100_000 {
				fmt.Fprintf(&head, "X-%d: %d\r\n", i, i)
			}
			writeText(c, "%s%s\r\n%s", a.formatHead(), head.String(), a.text)
		})},
	{Name: "headers-300", Doc: "an answer has 300 header fields, which nothing forbids", Verdict: Conformant,
		corrupt: func(v *request) {
			for i := range 300 {
				v.w.Header().Add("X-Many", fmt.Sprint(i))
			}
			v.passThrough()
		}},
	{Name: "header-of-10-MB", Area: "transport", Doc: "one header field has 10 MB", Verdict: Partial,
		corrupt: writeByHand("first-send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%sX-Long: ", a.formatHead())
			writeRepeatedly(c, "l", 10<<20)
			writeText(c, "\r\n\r\n%s", a.text)
		})},
	{Name: "headers-malformed", Area: "transport", Doc: "header lines without colon, folded, with NUL", Verdict: Nonconformant, Names: "A2A01-HTTP-001",
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, a.formatHead()+"no colon here\r\n folded\r\nX-N\x00ul: \x00\r\n\r\n%s", a.text)
		})},
	{Name: "status-nonsense", Area: "transport", Doc: "the status line has no number", Verdict: Nonconformant, Names: "A2A01-HTTP-001",
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) { writeText(c, "HTTP/1.1 fine thanks\r\n\r\n%s", a.text) })},
	{Name: "status-999", Doc: "the status is 999", Verdict: Conformant,
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%s", strings.Replace(a.formatWhole(), "HTTP/1.1 200 X", "HTTP/1.1 999 Whatever", 1))
		})},
}
