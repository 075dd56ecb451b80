package hostile

import (
	"compress/gzip"
	"io"
	"net"
	"strings"
	"time"
)

// bodies are too large or too slow.
var bodies = []Server{
	{Name: "endless-body", Area: "transport", Doc: "the reply to a message never ends", Verdict: Partial,
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) {
			before, _ := splitAfterResultBrace(a.text)
			writeText(c, a.formatHead()+"\r\n%s\"padding\":\"", before)
			writeRepeatedly(c, "endless ", endless)
		})},
	{Name: "gigabyte-line", Area: "transport", Doc: "the reply to a message is one line of 1 GB, announced", Verdict: Partial,
		corrupt: writeByHand("first-send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%sContent-Length: 1073741824\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":\"", a.formatHead())
			writeRepeatedly(c, "x", 1<<30)
		})},
	{Name: "string-of-50-MB", Area: "transport", Doc: "a reply with a string of 50 MB", Verdict: Partial,
		corrupt: writeByHand("first-send", func(v *request, c net.Conn, a healthyAnswer) {
			before, after := splitAfterResultBrace(a.text)
			writeText(c, a.formatHead()+"\r\n%s\"padding\":\"", before)
			writeRepeatedly(c, "y", 50<<20)
			writeText(c, `",%s`, after)
		})},
	{Name: "string-of-7-MB", Area: "transport", Doc: "replies have a string that is just small enough to be read", Verdict: Partial,
		corrupt: editBodies("send", withLong(func() string { return `"padding":"` + strings.Repeat("z", 7<<20) + `"` }))},
	{Name: "one-byte-per-second", Area: "transport", Doc: "the body of a reply comes byte by byte", Verdict: Nonconformant, Names: "A2A01-HTTP-001", Flags: shortTimeout,
		corrupt: writeByHand("first-send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%s\r\n", a.formatHead())
			writeSlowly(v.r.Context(), c, a.text, time.Second)
		})},
	{Name: "head-byte-per-second", Area: "transport", Doc: "the head of a reply comes byte by byte", Verdict: Nonconformant, Names: "A2A01-HTTP-001", Flags: shortTimeout,
		corrupt: writeByHand("first-send", func(v *request, c net.Conn, a healthyAnswer) {
			writeSlowly(v.r.Context(), c, a.formatHead()+"\r\n"+a.text, time.Second)
		})},
	{Name: "gzip-bomb", Area: "transport", Doc: "1 GB of zeros in 1 MB of gzip, though none was asked for", Verdict: Partial,
		corrupt: writeByHand("first-send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%sContent-Encoding: gzip\r\n\r\n", a.formatHead())
			before, after := splitAfterResultBrace(a.text)
			z := gzip.NewWriter(c)
			io.WriteString(z, before+`"padding":"`)
			writeRepeatedly(z, "0", 1<<30)
			io.WriteString(z, `",`+after)
			z.Close()
		})},
	{Name: "gzip-unasked", Doc: "compresses all replies though none asked for it, else healthy", Verdict: Conformant,
		corrupt: forOperations("send get cancel", func(v *request) {
			v.w.Header().Set("Content-Encoding", "gzip")
			v.forwardWithEditedBody(func(text string) string {
				var b strings.Builder
				z := gzip.NewWriter(&b)
				io.WriteString(z, text)
				z.Close()
				return b.String()
			})
		})},
	{Name: "unknown-coding", Area: "transport", Doc: "replies are said to be brotli and are noise", Verdict: Partial,
		corrupt: forOperations("send", func(v *request) {
			v.w.Header().Set("Content-Encoding", "br")
			v.forwardWithEditedBody(func(string) string { return ("\x0b\x02\x80noise\x03") })
		})},
}
