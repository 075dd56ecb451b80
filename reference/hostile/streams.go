package hostile

import (
	"net"
	"strings"
)

// streams never end, or end with too much.
var streams = []Server{
	{Name: "endless-comments", Area: "stream", Doc: "a stream of comments without end", Verdict: Partial,
		corrupt: writeByHand("first-stream", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%s\r\n", a.formatHead())
			writeRepeatedly(c, ": still here\n", endless)
		})},
	{Name: "endless-stream", Area: "stream", Doc: "a stream of working events that never ends", Verdict: Partial,
		corrupt: writeByHand("stream", func(v *request, c net.Conn, a healthyAnswer) {
			frames := strings.SplitAfter(a.text, "\n\n")
			writeText(c, "%s\r\n", a.formatHead())
			writeRepeatedly(c, frames[min(1, len(frames)-1)], endless)
		})},
	{Name: "endless-tiny-events", Area: "stream", Doc: "events of a few bytes without end", Verdict: Nonconformant, Names: "A2A01-STR-004",
		corrupt: writeByHand("first-stream", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%s\r\n", a.formatHead())
			writeRepeatedly(c, "data:1\n\n", endless)
		})},
	{Name: "endless-event", Area: "stream", Doc: "an event whose line has 1 GB", Verdict: Partial,
		corrupt: writeByHand("first-stream", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%s\r\ndata: ", a.formatHead())
			writeRepeatedly(c, "{", 1<<30)
		})},
	{Name: "after-final", Area: "stream", Doc: "10,000 events follow the final one", Verdict: Nonconformant, Names: "A2A01-STR-013",
		corrupt: writeByHand("first-stream", func(v *request, c net.Conn, a healthyAnswer) {
			for frame := range strings.SplitAfterSeq(a.text, "\n\n") {
				if strings.Contains(frame, `"artifact":`) {
					writeText(c, "%s\r\n%s%s", a.formatHead(), a.text, strings.Repeat(frame, 10_000))
					return
				}
			}
			writeText(c, "%s", a.formatWhole())
		})},
	{Name: "stream-fields", Doc: "unknown fields, ids with NUL and a mad retry beside each event", Verdict: Conformant,
		corrupt: editBodies("stream", func(text string) string {
			return strings.ReplaceAll(text, "data:", "id: a\x00b\nretry: 99999999999999999999\nfoo: bar\n: \x1b[31m\ndata:")
		})},
	{Name: "stream-compressed", Area: "stream", Doc: "a stream says it is compressed and is not", Verdict: Partial,
		corrupt: writeByHand("stream", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, a.formatHead()+"Content-Encoding: gzip\r\n\r\n%s", a.text)
		})},
}
