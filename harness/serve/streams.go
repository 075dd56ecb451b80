package serve

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// streams are the scenarios about the form of event streams. In each, the first event is a task with an
// artifact, and each event but the last one brings an artifact of its own.
var streams = []Script{
	{Name: "stream", Twin: "hello", Doc: "A stream begins with a task, brings an artifact in fifty chunks and ends with the task.",
		set: func(s *stage) {
			setChunks(s, 50)
			s.writeEvents = func(c *call, events [][]byte) { // apart, so that it is the plain twin of those that come in one piece
				c.beginStream()
				for i, e := range events {
					if i > 0 && !c.waitFor(5*time.Millisecond) || !c.a.writePiece(formatEvent(e)) {
						return
					}
				}
				c.a.endPieces()
			}
			s.on["stream"] = func(c *call) { c.sendStream(c.buildChunkEvents()...) }
		}},
	{Name: "stream-open", Twin: "stream", Doc: "The connection stays open for ten seconds after the final event.", Dialects: []string{a2a03, a2a01}, Spared: []string{a2a03},
		set: setStreamForm(func(c *call, events [][]byte) {
			c.beginStream()
			for _, e := range events {
				c.a.writePiece(formatEvent(e))
			}
			if c.waitFor(10 * time.Second) {
				c.a.endPieces()
			}
		})},
	{Name: "stream-bare", Twin: "stream", Doc: "Events come without an envelope of JSON-RPC.", Dialects: []string{a2x03},
		set: func(s *stage) {
			setStreamForm(nil)(s)
			s.on["stream"] = func(c *call) {
				var events [][]byte
				for _, e := range c.buildPlainEvents() {
					events = append(events, encodeJSON(e))
				}
				writeEachEvent(formatAnyEvent)(c, events)
			}
		}},
	{Name: "stream-message", Twin: "stream", Asks: []string{answersByMessages}, Doc: "A stream has one event, a message.",
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
			c.beginStream()
			for piece := range slices.Chunk(joinEvents(events), 7) {
				if !c.a.writePiece(piece) || !c.waitFor(time.Millisecond) {
					return
				}
			}
			c.a.endPieces()
		})},
	{Name: "stream-packed", Twin: "stream", Doc: "All events come in one piece.",
		set: setStreamForm(func(c *call, events [][]byte) {
			c.beginStream()
			c.a.writePiece(joinEvents(events))
			c.a.endPieces()
		})},
	{Name: "stream-fields-other", Twin: "stream", Doc: "Events have ids, names, retry times and unknown fields.",
		set: setStreamForm(writeEachEvent(func(_ int, data []byte) []byte {
			return fmt.Appendf(nil, "id: 7\nevent: message\nretry: 3000\ncolour: grey\ndata: %s\n\n", data)
		}))},
	{Name: "stream-fields-no-space", Twin: "stream", Doc: "The fields of events have no space after the colon.",
		set: setStreamForm(writeEachEvent(func(_ int, data []byte) []byte { return fmt.Appendf(nil, "data:%s\n\n", data) }))},
	{Name: "stream-fields-no-data", Twin: "stream", Doc: "Between events are blocks without data.",
		set: setStreamForm(writeEachEvent(func(_ int, data []byte) []byte {
			return fmt.Appendf(nil, "event: x\n\nid: 8\n\nretry: 1000\n\n%s", formatEvent(data))
		}))},
	{Name: "stream-unended", Twin: "stream", Doc: "The last event brings the end of the task and a text, and no blank line follows it before the stream ends.", Fault: "the last event is not ended by a blank line",
		set: func(s *stage) {
			setStreamForm(nil)(s)
			s.addMarker("status")
			s.on["stream"] = func(c *call) {
				events := c.buildPlainEvents()
				t := c.findLastTask()
				c.setStatusText(t, c.formatAnswer("status"))
				events[len(events)-1] = c.finishTask(t, completed)
				c.sendStream(events...)
			}
			s.writeEvents = writeEachEvent(func(i int, data []byte) []byte {
				if i == formEvents {
					return fmt.Appendf(nil, "data: %s\n", data)
				}
				return formatEvent(data)
			})
		}},
	{Name: "stream-label", Twin: "stream", Doc: "The media type of the stream is written in capitals, and has a parameter.",
		set: setStreamForm(func(c *call, events [][]byte) {
			c.a.beginPieces(http.StatusOK, listTypeFields("Text/Event-Stream; charset=utf-8"))
			c.a.writePiece(joinEvents(events))
			c.a.endPieces()
		})},
	{Name: "stream-slow", Twin: "stream", Doc: "Events come a second apart.", Alone: true,
		set: setStreamForm(func(c *call, events [][]byte) {
			c.beginStream()
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
		s.streaming, s.writeEvents = true, spread
		s.addMarkers("event", formEvents)
		s.addMarker("artifact")
	}
}

// writeEachEvent writes each event by itself.
func writeEachEvent(frame func(i int, data []byte) []byte) func(c *call, events [][]byte) {
	return func(c *call, events [][]byte) {
		c.beginStream()
		for i, e := range events {
			if !c.a.writePiece(frame(i, e)) {
				return
			}
		}
		c.a.endPieces()
	}
}

// joinEvents returns all events in one text.
func joinEvents(events [][]byte) (text []byte) {
	for _, e := range events {
		text = append(text, formatEvent(e)...)
	}
	return text
}

// setChunks has the play offer streams, with markers for a task whose artifacts come in chunks.
func setChunks(s *stage, n int) {
	s.streaming = true
	s.addMarkers("event", 1)
	s.addMarkers("chunk", n)
	s.addMarker("artifact")
}

// formatWithLineEnd writes events whose lines end so.
func formatWithLineEnd(end string) func(int, []byte) []byte {
	return func(_ int, data []byte) []byte { return fmt.Appendf(nil, "data: %s%s%s", data, end, end) }
}

// buildChunkEvents returns those of a task with one artifact in fifty chunks.
func (c *call) buildChunkEvents() []object {
	t := c.newWorkingTask()
	events := []object{c.startStream(t)}
	chunks := artifact{id: c.ids.New()}
	for i := range 50 {
		text := fmt.Sprintf("%d:%s ", i+1, c.findMarkerWord(numberMarker("chunk", i)))
		events = append(events, c.form.writeArtifactEvent(t, chunks.id, text, i > 0, i == 49))
		chunks.texts = append(chunks.texts, text)
	}
	c.addArtifacts(t, chunks)
	return append(events, c.finishTask(t, completed))
}
