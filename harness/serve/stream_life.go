package serve

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/adapter"
)

// streamLife are the scenarios about what happens to a stream.
var streamLife = []Script{
	{Name: "stream-unknown-event", Twin: "stream", Doc: "Between other events comes one of a kind that no version knows.", Fault: "an event is of an unknown kind",
		set: func(s *stage) {
			setStreamForm(nil)(s)
			s.on["stream"] = func(c *call) {
				c.sendStream(slices.Insert(c.buildPlainEvents(), 2, c.form.writeUnknownEvent())...)
			}
		}},
	{Name: "stream-chunks", Twin: "stream", Doc: "Two artifacts come in turns, each in three chunks.",
		set: func(s *stage) {
			setChunks(s, 6)
			s.on["stream"] = func(c *call) {
				t := c.newWorkingTask()
				events := []object{c.startStream(t)}
				both := []artifact{{id: c.ids.New()}, {id: c.ids.New()}}
				for i := range 6 {
					a := &both[i%2]
					text := c.findMarkerWord(numberMarker("chunk", i)) + " "
					events = append(events, c.form.writeArtifactEvent(t, a.id, text, i > 1, i > 3))
					a.texts = append(a.texts, text)
				}
				c.addArtifacts(t, both...)
				c.sendStream(append(events, c.finishTask(t, completed))...)
			}
		}},
	scriptCutStream("closed", "closed in order", false), scriptCutStream("torn", "torn", true),
	scriptRefusedStream("json", "JSON and the status 200", func(c *call, text []byte) { c.sendText(http.StatusOK, text) }),
	scriptRefusedStream("status", "JSON and the status 400", func(c *call, text []byte) { c.sendText(http.StatusBadRequest, text) }),
	scriptRefusedStream("event", "the only event of a stream", func(c *call, text []byte) {
		c.beginStream()
		c.a.writePiece(formatEvent(text))
		c.a.endPieces()
	}),
	{Name: "stream-error", Twin: "stream", Doc: "After two events comes one with an error, and the stream ends.",
		set: func(s *stage) {
			s.addMarker("error")
			setStreamForm(func(c *call, events [][]byte) {
				_, failure := c.encodeError("InternalError", c.formatRefusal())
				c.beginStream()
				for _, e := range [][]byte{events[0], events[1], failure} {
					c.a.writePiece(formatEvent(e))
				}
				c.a.endPieces()
			})(s)
		}},
	{Name: "stream-foreign-id", Twin: "stream", Doc: "The third event names the id of another call.", Fault: "an event names the id of another call",
		set: func(s *stage) {
			setStreamForm(func(c *call, events [][]byte) {
				if c.inEnvelope() {
					changed := object{}
					if err := json.Unmarshal(events[2], &changed); err != nil {
						panic(err) // it was just encoded
					}
					changed["id"] = "of-another-call"
					events[2] = encodeJSON(changed)
				}
				writeEachEvent(formatAnyEvent)(c, events)
			})(s)
		}},
	{Name: "stream-cut-often", Twin: "stream", Asks: []string{"resubscribe"}, Doc: "Every stream is closed after one event, while the task works. Whoever looks at the task finds it working.", Fault: "streams end while the task works",
		set: func(s *stage) {
			setStreamForm(func(c *call, events [][]byte) {
				c.reopenTask(c.findLastTask())
				c.beginStream()
				c.a.writePiece(formatEvent(events[0]))
				c.a.endPieces()
			})(s)
			s.on["resubscribe"] = func(c *call) {
				if t := c.findTask(); t != nil {
					c.sendPlainStream(c.resumeStream(t))
				}
			}
		}},
	{Name: "stream-abandon", Twin: "stream", Doc: "Events come five times a second for ten seconds.", Alone: true, Do: []adapter.Command{{Do: adapter.Stream}, {Do: adapter.Stop, After: 3}}, Aided: true, ByHand: "Stop the answer while it comes, if your application can.",
		set: func(s *stage) {
			setStreamForm(nil)(s)
			s.on["stream"] = func(c *call) {
				t := c.newWorkingTask()
				c.beginStream()
				c.writeEvent(c.startStream(t))
				id := c.ids.New()
				for i := range 50 {
					if !c.waitFor(200*time.Millisecond) || !c.writeEvent(c.form.writeArtifactEvent(t, id, "and on ", i > 0, i == 49)) {
						return
					}
				}
				c.writeEvent(c.finishTask(t, completed))
				c.a.endPieces()
			}
		}},
	scriptWaitingStream("open", "stays open for ten seconds", func(c *call) bool { return c.waitFor(10 * time.Second) }),
	scriptWaitingStream("closed", "ends there", func(*call) bool { return true }),
	{Name: "subscribe", Twin: "stream", Asks: []string{"resubscribe"}, Do: []adapter.Command{{Do: adapter.Stream}, {Do: adapter.Subscribe, Task: adapter.LastTask}}, Doc: "A stream is torn after two of four chunks of an artifact. A subscription begins with the task, which has the two, and brings the others.", ByHand: "If the answer breaks off, resume it, if your application can.", Fault: "the stream ends while the task works",
		set: func(s *stage) {
			setChunks(s, 4)
			text := func(i int) string { return s.findMarkerWord(numberMarker("chunk", i)) + " " }
			s.on["stream"] = func(c *call) {
				t := c.newWorkingTask()
				c.beginStream()
				c.writeEvent(c.startStream(t))
				chunks := artifact{id: c.ids.New()}
				for i := range 2 {
					chunks.texts = append(chunks.texts, text(i))
					c.writeEvent(c.form.writeArtifactEvent(t, chunks.id, text(i), i > 0, false))
				}
				c.addArtifacts(t, chunks)
				if c.waitFor(100 * time.Millisecond) { // for the client to read them
					c.a.cutConnection(true)
				}
			}
			s.on["resubscribe"] = func(c *call) {
				t := c.findTask()
				switch {
				case t == nil:
					return
				case c.readState(t) != working:
					c.sendError("OperationNotSupported", "")
					return
				}
				events := []object{c.resumeStream(t)}
				rest := []string{text(2), text(3)}
				c.editTasks(func() {
					if len(t.artifacts) < 2 {
						return // a message without a stream made it
					}
					chunks := &t.artifacts[1]
					for i := range rest {
						events = append(events, c.form.writeArtifactEvent(t, chunks.id, rest[i], true, i == 1))
					}
					chunks.texts = append(chunks.texts, rest...)
				})
				c.sendPlainStream(append(events, c.finishTask(t, completed))...)
			}
		}},
	{Name: "stream-not-offered", Twin: "hello", Doc: "The card does not offer streams, and the agent refuses them.",
		set: func(s *stage) { s.addMarker("artifact") }},
	{Name: "stream-silent", Twin: "stream", Doc: "Nothing comes for three seconds, then comments, then the end.", Alone: true,
		set: setStreamForm(func(c *call, events [][]byte) {
			c.beginStream()
			c.a.writePiece(formatEvent(events[0]))
			if !c.waitFor(3*time.Second) || !c.a.writePiece([]byte(": still here\n\n")) || !c.waitFor(time.Second) {
				return
			}
			for _, e := range events[1:] {
				c.a.writePiece(formatEvent(e))
			}
			c.a.endPieces()
		})},
}

// scriptWaitingStream makes a scenario in which the task of a stream asks back.
func scriptWaitingStream(name, how string, wait func(c *call) bool) Script {
	return Script{Name: "stream-waiting-" + name, Twin: "input-required", Turns: true, Asks: []string{string(inputRequired)}, Doc: "The task of a stream asks back, and the stream " + how + ". The second message, with the id of the task, completes it.",
		set: func(s *stage) {
			setQuestion(inputRequired)(s)
			s.streaming = true
			answer := s.on[sendingMessages]
			s.on["stream"] = func(c *call) {
				t := c.findNamedTask()
				if t != nil && c.readState(t) != inputRequired {
					answer(c) // which refuses it
					return
				}
				if t == nil {
					t = c.newTask(working)
					first := c.encodeResult(c.startStream(t))
					c.setStatusText(t, c.formatQuestion())
					asks := c.encodeResult(c.finishTask(t, inputRequired))
					c.beginStream()
					c.a.writePiece(formatEvent(first))
					c.a.writePiece(formatEvent(asks))
					if wait(c) {
						c.a.endPieces()
					}
					return
				}
				end := c.completeTask(t)
				c.sendStream(c.startStream(t), end)
			}
		}}
}

// scriptCutStream makes a scenario in which a stream ends after two events, while its task works. Whoever looks at
// the task finds it working, and completed from the second time on; whoever subscribes to it gets the rest.
func scriptCutStream(name, how string, reset bool) Script {
	return Script{Name: "stream-cut-" + name, Twin: "stream", Doc: "The connection is " + how + " after two events, while the task works. The task can be followed.",
		Fault: "the stream ends while the task works",
		set: func(s *stage) {
			setStreamForm(func(c *call, events [][]byte) {
				c.reopenTask(c.findLastTask())
				c.beginStream()
				c.a.writePiece(formatEvent(events[0]))
				c.a.writePiece(formatEvent(events[1]))
				if !c.waitFor(100 * time.Millisecond) { // for the client to read them
					return
				}
				if reset {
					c.a.cutConnection(true)
					return
				}
				c.a.closeAfterwards()
				c.a.endPieces()
			})(s)
			s.on["get"] = func(c *call) {
				t := c.findTask()
				if t == nil {
					return
				}
				if c.countLooks(t) > 1 {
					c.finishTask(t, completed)
				}
				c.sendResult(c.buildTask(t))
			}
			s.on["resubscribe"] = func(c *call) {
				t := c.findTask()
				if t == nil {
					return
				}
				c.sendPlainStream(c.resumeStream(t), c.finishTask(t, completed))
			}
		}}
}

// scriptRefusedStream makes a scenario in which the agent refuses the streams that its card offers.
func scriptRefusedStream(name, how string, answer func(c *call, text []byte)) Script {
	return Script{Name: "stream-refused-" + name, Twin: "stream", Doc: "The card offers streams, and the agent refuses them by " + how + ". Messages are answered without a stream.",
		Fault: "the agent refuses the streams that its card offers",
		set: func(s *stage) {
			s.streaming = true
			s.addMarker("error")
			s.addMarker("artifact")
			s.on["stream"] = func(c *call) {
				_, text := c.encodeError("OperationNotSupported", c.formatRefusal())
				answer(c, text)
			}
		}}
}

// reopenTask has a task work that was finished for the sake of its events.
func (c *call) reopenTask(t *task) { c.editTasks(func() { t.state = working }) }

// findLastTask returns the task that was made last.
func (s *stage) findLastTask() (t *task) {
	s.editTasks(func() { t = s.order[len(s.order)-1] })
	return t
}
