package serve

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// streams are the scenarios about the form of event streams. In each, the first event is a task with an
// artifact, and each event but the last one brings an artifact of its own.
var streams = []Script{
	{Name: "stream", Twin: "hello", Doc: "A stream begins with a task, brings an artifact in fifty chunks and ends with the task.",
		set: func(s *stage) {
			s.streaming = true
			s.addMarker("event-1")
			for i := range 50 {
				s.addMarker(fmt.Sprintf("chunk-%d", i+1))
			}
			s.addMarker("artifact")
			s.on["stream"] = func(c *call) { c.sendStream(c.buildChunkEvents()...) }
		}},
	{Name: "stream-open", Twin: "stream", Doc: "The connection stays open for ten seconds after the final event.", Dialects: []string{a2a03},
		set: setStreamForm(func(c *call, events [][]byte) {
			c.a.beginPieces(http.StatusOK, streamFields)
			for _, e := range events {
				c.a.writePiece(formatEvent(e))
			}
			if c.waitFor(10 * time.Second) {
				c.a.endPieces()
			}
		})},
	{Name: "stream-message", Twin: "stream", Doc: "A stream has one event, a message.",
		set: func(s *stage) {
			s.streaming = true
			s.addMarker("message")
			s.addMarker("artifact")
			s.on["stream"] = func(c *call) { c.sendStream(c.form.wrapNamed("message", c.buildMessage())) }
		}},
	{Name: "stream-comments", Twin: "stream", Doc: "Comments come within events, and between them alone.",
		set: setStreamForm(writeEachEvent(func(i int, data []byte) []byte {
			switch i {
			case 1:
				return fmt.Appendf(nil, ": before\ndata: %s\n: after\n\n", data)
			case 3:
				return fmt.Appendf(nil, ": still here\n\n:\n\n%s", formatEvent(data))
			}
			return formatEvent(data)
		}))},
	{Name: "stream-multi-line", Twin: "stream", Doc: "The JSON of an event is spread over several lines of data.",
		set: setStreamForm(writeEachEvent(func(i int, data []byte) []byte {
			if i != 2 {
				return formatEvent(data)
			}
			lines := record.AppendIndented(nil, data, "", "  ")
			return append(append([]byte("data: "), bytes.ReplaceAll(lines, []byte("\n"), []byte("\ndata: "))...), "\n\n"...)
		}))},
	{Name: "stream-crlf", Twin: "stream", Doc: "Lines end with CR LF.", set: setStreamForm(writeEachEvent(formatWithLineEnd("\r\n")))},
	{Name: "stream-cr", Twin: "stream", Doc: "Lines end with CR alone.", set: setStreamForm(writeEachEvent(formatWithLineEnd("\r")))},
	{Name: "stream-bom", Twin: "stream", Doc: "A byte order mark comes before the first event.",
		set: setStreamForm(writeEachEvent(func(i int, data []byte) []byte {
			if i == 0 {
				return append([]byte("\xEF\xBB\xBF"), formatEvent(data)...)
			}
			return formatEvent(data)
		}))},
	{Name: "stream-split", Twin: "stream", Doc: "Events come in pieces of seven bytes, which cut letters and line ends.",
		set: setStreamForm(func(c *call, events [][]byte) {
			c.a.beginPieces(http.StatusOK, streamFields)
			text := joinEvents(events, func(_ int, data []byte) []byte { return formatEvent(data) })
			for piece := range splitText(text, 7) {
				if !c.a.writePiece(piece) || !c.waitFor(time.Millisecond) {
					return
				}
			}
			c.a.endPieces()
		})},
	{Name: "stream-packed", Twin: "stream", Doc: "All events come in one piece.",
		set: setStreamForm(func(c *call, events [][]byte) {
			c.a.beginPieces(http.StatusOK, streamFields)
			c.a.writePiece(joinEvents(events, func(_ int, data []byte) []byte { return formatEvent(data) }))
			c.a.endPieces()
		})},
	{Name: "stream-fields", Twin: "stream", Doc: "Events have ids, names, retry times and unknown fields, data without a space before it, and there are blocks without data.",
		set: setStreamForm(writeEachEvent(func(i int, data []byte) []byte {
			switch i {
			case 0:
				return fmt.Appendf(nil, "data:%s\n\n", data)
			case 1:
				return fmt.Appendf(nil, "id: 7\nevent: message\nretry: 3000\ncolour: grey\ndata: %s\n\n", data)
			case 2:
				return fmt.Appendf(nil, "event: x\n\nid: 8\n\nretry: 1000\n\n%s", formatEvent(data))
			}
			return formatEvent(data)
		}))},
	{Name: "stream-unended", Twin: "stream", Doc: "The last event brings the end of the task and a text, and no blank line follows it before the stream ends.", Fault: "the last event is not ended by a blank line",
		set: func(s *stage) {
			setStreamForm(nil)(s)
			s.addMarker("status")
			s.on["stream"] = func(c *call) {
				events := c.buildPlainEvents()
				t, says := c.findLastTask(), c.formatAnswer("status")
				c.change(t, func() { t.says = says })
				events[len(events)-1] = c.finishTask(t, completed)
				c.sendStream(events...)
			}
			s.spread = writeEachEvent(func(i int, data []byte) []byte {
				if i == formEvents {
					return fmt.Appendf(nil, "data: %s\n", data)
				}
				return formatEvent(data)
			})
		}},
	{Name: "stream-label", Twin: "stream", Doc: "The media type of the stream is written in capitals, and has a parameter.",
		set: setStreamForm(func(c *call, events [][]byte) {
			c.a.beginPieces(http.StatusOK, listTypeFields("Text/Event-Stream; charset=utf-8"))
			c.a.writePiece(joinEvents(events, func(_ int, data []byte) []byte { return formatEvent(data) }))
			c.a.endPieces()
		})},
	{Name: "stream-slow", Twin: "stream", Doc: "Events come a second apart.", Alone: true,
		set: setStreamForm(func(c *call, events [][]byte) {
			c.a.beginPieces(http.StatusOK, streamFields)
			for i, e := range events {
				if i > 0 && !c.waitFor(time.Second) || !c.a.writePiece(formatEvent(e)) {
					return
				}
			}
			c.a.endPieces()
		})},
}

// formEvents are the events with an artifact in scenarios about the form of streams.
const formEvents = 4

// setStreamForm has streams written in a form of their own.
func setStreamForm(spread func(c *call, events [][]byte)) func(s *stage) {
	return func(s *stage) {
		s.streaming, s.spread = true, spread
		for i := range formEvents {
			s.addMarker(fmt.Sprintf("event-%d", i+1))
		}
		s.addMarker("artifact")
	}
}

// writeEachEvent writes each event by itself.
func writeEachEvent(frame func(i int, data []byte) []byte) func(c *call, events [][]byte) {
	return func(c *call, events [][]byte) {
		c.a.beginPieces(http.StatusOK, streamFields)
		for i, e := range events {
			if !c.a.writePiece(frame(i, e)) {
				return
			}
		}
		c.a.endPieces()
	}
}

// joinEvents writes all events in one text.
func joinEvents(events [][]byte, frame func(i int, data []byte) []byte) (text []byte) {
	for i, e := range events {
		text = append(text, frame(i, e)...)
	}
	return text
}

// splitText goes through the pieces of a text.
func splitText(text []byte, size int) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(text) > 0 {
			n := min(size, len(text))
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}

// formatWithLineEnd writes events whose lines end so.
func formatWithLineEnd(end string) func(int, []byte) []byte {
	return func(_ int, data []byte) []byte { return fmt.Appendf(nil, "data: %s%s%s", data, end, end) }
}

// buildChunkEvents are those of a task with one artifact in fifty chunks.
func (c *call) buildChunkEvents() []object {
	t := c.newTask(working)
	c.addArtifacts(t, artifact{c.ids.New(), []string{c.formatAnswer("event-1")}})
	events := []object{c.form.wrapNamed("task", c.buildTask(t))}
	chunks := artifact{id: c.ids.New()}
	for i := range 50 {
		text := fmt.Sprintf("%d:%s ", i+1, c.findMarkerWord(fmt.Sprintf("chunk-%d", i+1)))
		events = append(events, c.form.writeArtifactEvent(t, chunks.id, text, i > 0, i == 49))
		chunks.texts = append(chunks.texts, text)
	}
	c.addArtifacts(t, chunks)
	return append(events, c.finishTask(t, completed))
}
