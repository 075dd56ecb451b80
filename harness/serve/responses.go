package serve

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/adapter"
)

// responses are the scenarios about what answers a message.
var responses = []Script{
	{Name: "unknown-members", Twin: "hello", Doc: "The answer of hello has members at every level that no version knows.",
		set: func(s *stage) {
			s.addMarker("artifact")
			s.editResult = func(_ *call, v any) any { return addUnknown(v) }
			s.editEnvelope = func(e object) { e["xConformUnknown"] = true }
		}},
	{Name: "unknown-part", Twin: "hello", Doc: "The artifact has a text, and a part of a kind that no version knows.", Fault: "a part of the artifact is of an unknown kind",
		set: func(s *stage) {
			s.addMarker("artifact")
			s.on[sendingMessages] = func(c *call) { c.sendTaskWithParts(c.form.writeUnknownPart()) }
		}},
	{Name: "unknown-state", Twin: "hello", Doc: "A message makes a task in a state that no version knows. Whoever looks at it again finds it completed.", Fault: "the task is in an unknown state",
		set: func(s *stage) {
			s.addMarker("artifact")
			s.on[sendingMessages] = func(c *call) {
				t := c.newDoneTask()
				o := c.buildTask(t)
				status := o["status"].(object)
				status["state"] = strings.Replace(status["state"].(string), "COMPLETED", "PONDERING", 1)
				if status["state"] == string(completed) {
					status["state"] = "pondering"
				}
				delete(o, "artifacts")
				c.sendResult(c.form.wrapNamed("task", o))
			}
		}},
	{Name: "odd-ids", Twin: "input-required", Asks: []string{givesTaskIDs, string(inputRequired)}, Turns: true, Do: []adapter.Command{{Do: adapter.Send}, lookUp, sendAgain},
		Doc: "A message makes a task that asks back. The ids of task and context have 300 characters, with capitals, a slash, a percent sign, a colon and letters beyond ASCII.",
		set: func(s *stage) {
			setQuestion(inputRequired)(s)
			s.newID = func(what string) string {
				id := "Conform:" + what + "/A?b#c%2Fd+e&f=g ü→" + s.ids.New()
				return id + strings.Repeat("x", 300-len([]rune(id)))
			}
		}},
	{Name: "odd-parts", Twin: "hello", Doc: "The artifact has a text, a file with its bytes, a file with its address, and data: an object, and in version 1.0 a list and a number, too.",
		set: func(s *stage) { setParts(s, s.form.listOddParts()) }},
	{Name: "odd-parts-null", Twin: "hello", Doc: "The artifact has a text, and data that is null.", Dialects: []string{a2a10},
		set: func(s *stage) { setParts(s, []any{object{"data": nil}}) }},
	{Name: "task-bare", Twin: "hello", Asks: []string{hasArtifacts}, Doc: "A message makes a task that has only the members that are required, and no text.",
		set: func(s *stage) {
			s.on[sendingMessages] = func(c *call) {
				o := c.buildTask(c.newTask(completed))
				delete(o["status"].(object), "timestamp")
				c.form.dropOptionalMembers(o)
				c.sendResult(c.form.wrapNamed("task", o))
			}
		}},
	{Name: "large", Twin: "hello", Doc: "The artifact has a text of 1 MB before the one of hello.",
		set: func(s *stage) {
			s.addMarker("artifact")
			s.on[sendingMessages] = func(c *call) {
				t := c.newDoneTask()
				c.editTasks(func() {
					first := &t.artifacts[0]
					first.texts = append([]string{strings.Repeat("All work and no play. ", largeText/22)}, first.texts...)
				})
				c.sendTask(t)
			}
		}},
	{Name: "file-url", Twin: "hello", Dialects: []string{a2a10}, Doc: "The artifact has two files with addresses of the client's own machine.",
		set: func(s *stage) {
			setParts(s, []any{object{"filename": "one", "mediaType": "text/plain", "url": s.bases[0] + "/files/one"}, object{"filename": "two", "mediaType": "text/plain", "url": s.bases[1] + "/files/two"}})
		}},
	scriptTimestamp("seconds", "2026-01-02T03:04:05Z"), scriptTimestamp("nanoseconds", "2026-01-02T03:04:05.678901234Z"),
	scriptNoAnswer("html", "a web page", func(c *call) {
		c.a.writeWhole(http.StatusOK, listTypeFields("text/html"), []byte("<!DOCTYPE html><title>Sign in</title><form>Please sign in.</form>\n"))
	}),
	scriptNoAnswer("empty", "an empty body", func(c *call) { c.a.writeWhole(http.StatusOK, listTypeFields(c.chooseMediaType()), nil) }),
	scriptNoAnswer("cut", "JSON that is cut off", func(c *call) {
		text := c.encodeNewTask()
		c.sendText(http.StatusOK, text[:len(text)*2/3])
	}),
	scriptNoAnswer("object", "an empty object", func(c *call) { c.sendText(http.StatusOK, []byte("{}")) }),
	scriptNoAnswer("both", "a result and an error at the same time", func(c *call) {
		both := object{}
		_, failure := c.encodeError("InternalError", "")
		for _, text := range [][]byte{failure, c.encodeNewTask()} {
			if err := json.Unmarshal(text, &both); err != nil {
				panic(err) // it was just encoded
			}
		}
		c.sendText(http.StatusOK, encodeJSON(both))
	}),
	scriptNoAnswer("no-version", "a response that does not state its version of JSON-RPC", inEnvelopeOnly(func(c *call) {
		c.sendText(http.StatusOK, encodeJSON(envelope{ID: c.chooseID(), Result: c.wrapTask(c.newDoneTask())}))
	})),
	scriptNoAnswer("other-id", "a response to another id", inEnvelopeOnly(func(c *call) {
		c.sendText(http.StatusOK, encodeJSON(envelope{Version: "2.0", ID: json.RawMessage(`"of-another-call"`), Result: c.wrapTask(c.newDoneTask())}))
	})),
	scriptEnding(completed, "hello"), scriptEnding(failed, "ends-completed"), scriptEnding(canceled, "ends-completed"), scriptEnding(rejected, "ends-completed"),
}

// largeText is how many bytes the text of a large answer has, about.
const largeText = 1 << 20

// setParts has the artifact of hello have further parts.
func setParts(s *stage, parts []any) {
	s.addMarker("artifact")
	s.on[sendingMessages] = func(c *call) { c.sendTaskWithParts(parts...) }
}

// sendTaskWithParts answers as hello does, with further parts in the artifact.
func (c *call) sendTaskWithParts(parts ...any) {
	o := c.wrapTask(c.newDoneTask())
	first := c.form.findParts(o)
	first["parts"] = append(first["parts"].([]any), parts...)
	c.sendResult(o)
}

// scriptTimestamp makes a scenario in which the time of a task's status is written so. In all others it has milliseconds.
func scriptTimestamp(name, at string) Script {
	return Script{Name: "timestamps-" + name, Twin: "hello", Doc: "The answer of hello, with the time " + at + ".",
		set: func(s *stage) {
			s.addMarker("artifact")
			s.on[sendingMessages] = func(c *call) {
				t := c.newDoneTask()
				c.editTasks(func() { t.at = at })
				c.sendTask(t)
			}
		}}
}

// inEnvelopeOnly has calls be answered by an empty object if their binding has no envelope to be wrong.
func inEnvelopeOnly(answer func(c *call)) func(c *call) {
	return func(c *call) {
		if !c.inEnvelope() {
			c.sendText(http.StatusOK, []byte("{}"))
			return
		}
		answer(c)
	}
}

// scriptNoAnswer makes a scenario in which a message is answered by what is no answer.
func scriptNoAnswer(name, what string, answer func(c *call)) Script {
	return Script{Name: "no-answer-" + name, Twin: "hello", Doc: "A message is answered by " + what + ".", Fault: "a message is answered by " + what,
		set: func(s *stage) {
			s.addMarker("artifact")
			s.on[sendingMessages] = answer
		}}
}

// encodeNewTask returns the right answer to a message.
func (c *call) encodeNewTask() []byte {
	return c.encodeResult(c.wrapTask(c.newDoneTask()))
}

// scriptEnding makes a scenario in which a message makes a task that has ended so, and states why.
func scriptEnding(end state, twin string) Script {
	return Script{Name: "ends-" + string(end), Twin: twin, Asks: []string{string(end)}, Doc: "A message makes a task that is " + string(end) + " at once, with a text in its status and no artifact.",
		set: func(s *stage) {
			s.addMarker("status")
			s.on[sendingMessages] = func(c *call) {
				t := c.newTask(end)
				c.setStatusText(t, c.formatAnswer("status"))
				c.sendTask(t)
			}
		}}
}
