package serve

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

// streamLife are the scenarios about what happens to a stream.
var streamLife = []Script{
	{Name: "stream-unknown-event", Twin: "stream", Doc: "Between other events comes one of a kind that no version knows.", Fault: "an event is of an unknown kind",
		set: func(s *stage) {
			streamForm(nil)(s)
			s.on["stream"] = func(c *call) {
				unknown := object{"pondering": object{"depth": 3}}
				if c.form.dialectName() == a2a03 {
					unknown["kind"] = "pondering"
				}
				c.sendStream(slices.Insert(c.plainEvents(), 2, unknown)...)
			}
		}},
	{Name: "stream-chunks", Twin: "stream", Doc: "Two artifacts come in turns, each in three chunks.",
		set: func(s *stage) {
			s.streaming = true
			s.addMarker("event-1")
			for i := range 6 {
				s.addMarker("chunk-" + string(rune('1'+i)))
			}
			s.addMarker("artifact")
			s.on["stream"] = func(c *call) {
				t := c.newTask(working)
				t.artifacts = []artifact{{c.ids.New(), []string{c.answerText("event-1")}}, {id: c.ids.New()}, {id: c.ids.New()}}
				first := *t
				first.artifacts = t.artifacts[:1]
				events := []object{c.form.wrapNamed("task", c.form.writeTask(&first))}
				for i := range 6 {
					a := &t.artifacts[1+i%2]
					text := c.markerWord("chunk-"+string(rune('1'+i))) + " "
					events = append(events, c.form.artifactEvent(t, a.id, text, i > 1, i > 3))
					a.texts = append(a.texts, text)
				}
				c.sendStream(append(events, c.finishTask(t, completed))...)
			}
		}},
	cutStream("closed", "closed in order", false), cutStream("torn", "torn", true),
	refusedStream("json", "JSON and the status 200", func(c *call, text []byte) { c.sendText(http.StatusOK, text) }),
	refusedStream("status", "JSON and the status 400", func(c *call, text []byte) { c.sendText(http.StatusBadRequest, text) }),
	refusedStream("event", "the only event of a stream", func(c *call, text []byte) {
		c.a.Begin(http.StatusOK, streamFields)
		c.a.Piece(plainEvent(text))
		c.a.End()
	}),
	{Name: "stream-error", Twin: "stream", Doc: "After two events comes one with an error, and the stream ends.",
		set: func(s *stage) {
			s.addMarker("error")
			streamForm(func(c *call, events [][]byte) {
				_, failure := c.errorAnswer("InternalError", c.errorText())
				c.a.Begin(http.StatusOK, streamFields)
				for _, e := range [][]byte{events[0], events[1], failure} {
					c.a.Piece(plainEvent(e))
				}
				c.a.End()
			})(s)
		}},
	{Name: "stream-foreign-id", Twin: "stream", Doc: "The third event names the id of another call.", Fault: "an event names the id of another call",
		set: func(s *stage) {
			streamForm(func(c *call, events [][]byte) {
				if c.inEnvelope() {
					changed := object{}
					if err := json.Unmarshal(events[2], &changed); err != nil {
						panic(err) // it was just encoded
					}
					changed["id"] = "of-another-call"
					events[2] = encodeJSON(changed)
				}
				eachEvent(func(_ int, data []byte) []byte { return plainEvent(data) })(c, events)
			})(s)
		}},
	{Name: "stream-not-offered", Twin: "hello", Doc: "The card does not offer streams, and the agent refuses them.",
		set: func(s *stage) { s.addMarker("artifact") }},
	{Name: "stream-silent", Twin: "stream", Doc: "Nothing comes for three seconds, then comments, then the end.", Alone: true,
		set: streamForm(func(c *call, events [][]byte) {
			c.a.Begin(http.StatusOK, streamFields)
			c.a.Piece(plainEvent(events[0]))
			if !c.waitFor(3*time.Second) || !c.a.Piece([]byte(": still here\n\n")) || !c.waitFor(time.Second) {
				return
			}
			for _, e := range events[1:] {
				c.a.Piece(plainEvent(e))
			}
			c.a.End()
		})},
}

// cutStream is a scenario in which a stream ends after two events, while its task works. Whoever looks at the task
// finds it working, and completed from the second time on; whoever subscribes to it gets the rest.
func cutStream(name, how string, reset bool) Script {
	return Script{Name: "stream-cut-" + name, Twin: "stream", Doc: "The connection is " + how + " after two events, while the task works. The task can be followed.",
		Fault: "the stream ends while the task works",
		set: func(s *stage) {
			streamForm(func(c *call, events [][]byte) {
				c.lastTask().state = working
				c.a.Begin(http.StatusOK, streamFields)
				c.a.Piece(plainEvent(events[0]))
				c.a.Piece(plainEvent(events[1]))
				if !c.waitFor(100 * time.Millisecond) { // for the client to read them
					return
				}
				if reset {
					c.a.Cut(true)
					return
				}
				c.a.Close()
				c.a.End()
			})(s)
			s.on["get"] = func(c *call) {
				t := c.findTask()
				if t == nil {
					return
				}
				if t.looks > 1 {
					c.finishTask(t, completed)
				}
				c.sendResult(c.taskObject(t))
			}
			s.on["resubscribe"] = func(c *call) {
				t := c.findTask()
				if t == nil {
					return
				}
				c.sendPlainStream(c.form.wrapNamed("task", c.taskObject(t)), c.finishTask(t, completed))
			}
		}}
}

// refusedStream is a scenario in which the agent refuses the streams that its card offers.
func refusedStream(name, how string, answer func(c *call, text []byte)) Script {
	return Script{Name: "stream-refused-" + name, Twin: "stream", Doc: "The card offers streams, and the agent refuses them by " + how + ". Messages are answered without a stream.",
		Fault: "the agent refuses the streams that its card offers",
		set: func(s *stage) {
			s.streaming = true
			s.addMarker("error")
			s.addMarker("artifact")
			s.on["stream"] = func(c *call) {
				_, text := c.errorAnswer("OperationNotSupported", c.errorText())
				answer(c, text)
			}
		}}
}

// lastTask is the task that was made last.
func (s *stage) lastTask() *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.order[len(s.order)-1]
}
