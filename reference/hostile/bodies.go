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
		spoil: bare("send", func(v *visit, c net.Conn, a answer) {
			before, _ := inside(a.text)
			say(c, a.head()+"\r\n%s\"padding\":\"", before)
			flood(c, "endless ", 0)
		})},
	{Name: "gigabyte-line", Area: "transport", Doc: "the reply to a message is one line of 1 GB, announced", Verdict: Partial,
		spoil: bare("first-send", func(v *visit, c net.Conn, a answer) {
			say(c, "%sContent-Length: 1073741824\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":\"", a.head())
			flood(c, "x", 1<<30)
		})},
	{Name: "string-of-50-MB", Area: "transport", Doc: "a reply with a string of 50 MB", Verdict: Partial,
		spoil: bare("first-send", func(v *visit, c net.Conn, a answer) {
			before, after := inside(a.text)
			say(c, a.head()+"\r\n%s\"padding\":\"", before)
			flood(c, "y", 50<<20)
			say(c, `",%s`, after)
		})},
	{Name: "string-of-7-MB", Area: "transport", Doc: "replies have a string that is just small enough to be read", Verdict: Partial,
		spoil: edited("send", withLong(func() string { return `"padding":"` + strings.Repeat("z", 7<<20) + `"` }))},
	{Name: "one-byte-per-second", Area: "transport", Doc: "the body of a reply comes byte by byte", Verdict: Nonconformant, Names: "A2A01-HTTP-001", Flags: soon,
		spoil: bare("first-send", func(v *visit, c net.Conn, a answer) {
			say(c, "%s\r\n", a.head())
			drip(v.r.Context(), c, a.text, time.Second)
		})},
	{Name: "head-byte-per-second", Area: "transport", Doc: "the head of a reply comes byte by byte", Verdict: Nonconformant, Names: "A2A01-HTTP-001", Flags: soon,
		spoil: bare("first-send", func(v *visit, c net.Conn, a answer) {
			drip(v.r.Context(), c, a.head()+"\r\n"+a.text, time.Second)
		})},
	{Name: "gzip-bomb", Area: "transport", Doc: "1 GB of zeros in 1 MB of gzip, though none was asked for", Verdict: Partial,
		spoil: bare("first-send", func(v *visit, c net.Conn, a answer) {
			say(c, "%sContent-Encoding: gzip\r\n\r\n", a.head())
			before, after := inside(a.text)
			z := gzip.NewWriter(c)
			io.WriteString(z, before+`"padding":"`)
			flood(z, "0", 1<<30)
			io.WriteString(z, `",`+after)
			z.Close()
		})},
	{Name: "gzip-unasked", Doc: "compresses all replies though none asked for it, else healthy", Verdict: Conformant,
		spoil: on("send get cancel", func(v *visit) {
			v.w.Header().Set("Content-Encoding", "gzip")
			v.edit(func(text string) string {
				var b strings.Builder
				z := gzip.NewWriter(&b)
				io.WriteString(z, text)
				z.Close()
				return b.String()
			})
		})},
	{Name: "unknown-coding", Area: "transport", Doc: "replies are said to be brotli and are noise", Verdict: Partial,
		spoil: on("send", func(v *visit) {
			v.w.Header().Set("Content-Encoding", "br")
			v.edit(func(string) string { return ("\x0b\x02\x80noise\x03") })
		})},
}
