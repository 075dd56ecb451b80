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
			s.on["stream"] = func(c *call) { c.sendStream(c.chunkEvents()...) }
		}},
	{Name: "stream-open", Twin: "stream", Doc: "The connection stays open for ten seconds after the final event.", Dialects: []string{a2a03},
		set: streamForm(func(c *call, events [][]byte) {
			c.a.Begin(http.StatusOK, streamFields)
			for _, e := range events {
				c.a.Piece(plainEvent(e))
			}
			if c.waitFor(10 * time.Second) {
				c.a.End()
			}
		})},
	{Name: "stream-message", Twin: "stream", Doc: "A stream has one event, a message.",
		set: func(s *stage) {
			s.streaming = true
			s.addMarker("message")
			s.addMarker("artifact")
			s.on["stream"] = func(c *call) { c.sendStream(c.form.wrapNamed("message", c.messageObject())) }
		}},
	{Name: "stream-comments", Twin: "stream", Doc: "Comments come within events, and between them alone.",
		set: streamForm(eachEvent(func(i int, data []byte) []byte {
			switch i {
			case 1:
				return fmt.Appendf(nil, ": before\ndata: %s\n: after\n\n", data)
			case 3:
				return fmt.Appendf(nil, ": still here\n\n:\n\n%s", plainEvent(data))
			}
			return plainEvent(data)
		}))},
	{Name: "stream-multi-line", Twin: "stream", Doc: "The JSON of an event is spread over several lines of data.",
		set: streamForm(eachEvent(func(i int, data []byte) []byte {
			if i != 2 {
				return plainEvent(data)
			}
			lines := record.AppendIndented(nil, data, "", "  ")
			return append(append([]byte("data: "), bytes.ReplaceAll(lines, []byte("\n"), []byte("\ndata: "))...), "\n\n"...)
		}))},
	{Name: "stream-crlf", Twin: "stream", Doc: "Lines end with CR LF.", set: streamForm(eachEvent(lineEnds("\r\n")))},
	{Name: "stream-cr", Twin: "stream", Doc: "Lines end with CR alone.", set: streamForm(eachEvent(lineEnds("\r")))},
	{Name: "stream-bom", Twin: "stream", Doc: "A byte order mark comes before the first event.",
		set: streamForm(eachEvent(func(i int, data []byte) []byte {
			if i == 0 {
				return append([]byte("\xEF\xBB\xBF"), plainEvent(data)...)
			}
			return plainEvent(data)
		}))},
	{Name: "stream-split", Twin: "stream", Doc: "Events come in pieces of seven bytes, which cut letters and line ends.",
		set: streamForm(func(c *call, events [][]byte) {
			c.a.Begin(http.StatusOK, streamFields)
			text := joinEvents(events, func(_ int, data []byte) []byte { return plainEvent(data) })
			for piece := range chunksOf(text, 7) {
				if !c.a.Piece(piece) || !c.waitFor(time.Millisecond) {
					return
				}
			}
			c.a.End()
		})},
	{Name: "stream-packed", Twin: "stream", Doc: "All events come in one piece.",
		set: streamForm(func(c *call, events [][]byte) {
			c.a.Begin(http.StatusOK, streamFields)
			c.a.Piece(joinEvents(events, func(_ int, data []byte) []byte { return plainEvent(data) }))
			c.a.End()
		})},
	{Name: "stream-fields", Twin: "stream", Doc: "Events have ids, names, retry times and unknown fields, data without a space before it, and there are blocks without data.",
		set: streamForm(eachEvent(func(i int, data []byte) []byte {
			switch i {
			case 0:
				return fmt.Appendf(nil, "data:%s\n\n", data)
			case 1:
				return fmt.Appendf(nil, "id: 7\nevent: message\nretry: 3000\ncolour: grey\ndata: %s\n\n", data)
			case 2:
				return fmt.Appendf(nil, "event: x\n\nid: 8\n\nretry: 1000\n\n%s", plainEvent(data))
			}
			return plainEvent(data)
		}))},
	{Name: "stream-unended", Twin: "stream", Doc: "The last event brings the end of the task and a text, and no blank line follows it before the stream ends.", Fault: "the last event is not ended by a blank line",
		set: func(s *stage) {
			streamForm(nil)(s)
			s.addMarker("status")
			s.on["stream"] = func(c *call) {
				events := c.plainEvents()
				t, says := c.lastTask(), c.answerText("status")
				c.change(t, func() { t.says = says })
				events[len(events)-1] = c.finishTask(t, completed)
				c.sendStream(events...)
			}
			s.spread = eachEvent(func(i int, data []byte) []byte {
				if i == formEvents {
					return fmt.Appendf(nil, "data: %s\n", data)
				}
				return plainEvent(data)
			})
		}},
	{Name: "stream-label", Twin: "stream", Doc: "The media type of the stream is written in capitals, and has a parameter.",
		set: streamForm(func(c *call, events [][]byte) {
			c.a.Begin(http.StatusOK, textFields("Text/Event-Stream; charset=utf-8"))
			c.a.Piece(joinEvents(events, func(_ int, data []byte) []byte { return plainEvent(data) }))
			c.a.End()
		})},
	{Name: "stream-slow", Twin: "stream", Doc: "Events come a second apart.", Alone: true,
		set: streamForm(func(c *call, events [][]byte) {
			c.a.Begin(http.StatusOK, streamFields)
			for i, e := range events {
				if i > 0 && !c.waitFor(time.Second) || !c.a.Piece(plainEvent(e)) {
					return
				}
			}
			c.a.End()
		})},
}

// formEvents are the events with an artifact in scenarios about the form of streams.
const formEvents = 4

// streamForm has streams written in a form of their own.
func streamForm(spread func(c *call, events [][]byte)) func(s *stage) {
	return func(s *stage) {
		s.streaming, s.spread = true, spread
		for i := range formEvents {
			s.addMarker(fmt.Sprintf("event-%d", i+1))
		}
		s.addMarker("artifact")
	}
}

// eachEvent writes each event by itself.
func eachEvent(frame func(i int, data []byte) []byte) func(c *call, events [][]byte) {
	return func(c *call, events [][]byte) {
		c.a.Begin(http.StatusOK, streamFields)
		for i, e := range events {
			if !c.a.Piece(frame(i, e)) {
				return
			}
		}
		c.a.End()
	}
}

// joinEvents writes all events in one text.
func joinEvents(events [][]byte, frame func(i int, data []byte) []byte) (text []byte) {
	for i, e := range events {
		text = append(text, frame(i, e)...)
	}
	return text
}

// chunksOf goes through the pieces of a text.
func chunksOf(text []byte, size int) func(yield func([]byte) bool) {
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

// lineEnds writes events whose lines end so.
func lineEnds(end string) func(int, []byte) []byte {
	return func(_ int, data []byte) []byte { return fmt.Appendf(nil, "data: %s%s%s", data, end, end) }
}

// chunkEvents are those of a task with one artifact in fifty chunks.
func (c *call) chunkEvents() []object {
	t := c.newTask(working)
	c.bring(t, artifact{c.ids.New(), []string{c.answerText("event-1")}})
	events := []object{c.form.wrapNamed("task", c.taskObject(t))}
	chunks := artifact{id: c.ids.New()}
	for i := range 50 {
		text := fmt.Sprintf("%d:%s ", i+1, c.markerWord(fmt.Sprintf("chunk-%d", i+1)))
		events = append(events, c.form.artifactEvent(t, chunks.id, text, i > 0, i == 49))
		chunks.texts = append(chunks.texts, text)
	}
	c.bring(t, chunks)
	return append(events, c.finishTask(t, completed))
}
