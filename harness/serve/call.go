package serve

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// call is a request for an operation.
type call struct {
	*stage
	a    *answerWriter
	q    *request
	face *face
	form form // of the interface, which may be another than that of the play
	op   string
	id   json.RawMessage // of the call, in an envelope
	sent binding.Sent
	nth  int // of the calls of this operation, from 1
}

// waitFor lets a time of the script pass. It reports whether the client is still there.
func (c *call) waitFor(d time.Duration) bool { return c.a.waitTime(c.scaleTime(d)) }

// answerRequest answers a request.
func (s *stage) answerRequest(a *answerWriter, q *request) {
	seen := s.recogniseRequest(&record.Exchange{Dir: record.In, URL: q.address, Request: q.record, HTTP2: q.http2})
	switch {
	case seen.role == "card" && s.onCard != nil:
		s.onCard(a, q)
	case seen.role == "card" && q.Method != http.MethodGet && q.Method != http.MethodHead:
		a.writeWhole(http.StatusMethodNotAllowed, []record.Field{{Name: "Allow", Value: "GET, HEAD"}}, nil)
	case seen.role == "card":
		a.writeWhole(http.StatusOK, listTypeFields("application/json"), encodeJSON(s.buildCard()))
	case seen.face != nil:
		s.answerCall(a, q, seen)
	case seen.place != nil:
		seen.place.answer(a, q)
	default:
		a.writeWhole(http.StatusNotFound, nil, nil)
	}
}

// answerCall has the script answer a call, or the plain agent.
func (s *stage) answerCall(a *answerWriter, q *request, seen sighting) {
	c := &call{stage: s, a: a, q: q, face: seen.face, form: seen.face.form, op: seen.op, sent: seen.sent}
	if n := seen.sent.ID; n != nil && seen.sent.Call != nil && n.End <= len(q.record.Body) {
		c.id = json.RawMessage(bytes.Clone(q.record.Body[n.Start:n.End]))
	}
	s.mu.Lock()
	s.calls[c.op]++
	c.nth = s.calls[c.op]
	s.mu.Unlock()
	switch answer := s.on[s.nameAnswer(c.op)]; {
	case c.inGRPC() && !slices.Contains([]string{"", "identity", "gzip"}, q.Header.Get("Grpc-Encoding")):
		fields := []record.Field{{Name: "grpc-status", Value: "12"}, {Name: "grpc-accept-encoding", Value: "identity,gzip"}}
		a.writeWhole(http.StatusOK, append(listTypeFields(grpcMedia), fields...), nil)
	case s.intercept != nil && s.intercept(c):
	case seen.foreign:
		c.sendError("MethodNotFound", "")
	case answer != nil:
		answer(c)
	case seen.binding.Kind() == schema.KindJSONRPC && q.Method != http.MethodPost:
		a.writeWhole(http.StatusMethodNotAllowed, []record.Field{{Name: "Allow", Value: "POST"}}, nil)
	case seen.binding.Kind() == schema.KindJSONRPC && seen.sent.Call == nil, c.inGRPC() && c.op != "" && seen.sent.Call == nil:
		c.sendError("ParseError", "")
	case c.op == "" && seen.sent.Method == nil && seen.binding.Kind() == schema.KindJSONRPC:
		c.sendError("InvalidRequest", "")
	case c.op == "":
		c.sendError("MethodNotFound", "")
	default:
		c.answerPlainly()
	}
}

// sendingMessages is the operation that has an agent work, and gives the result.
const sendingMessages = "send"

// nameAnswer returns the name under which scripts have what answers an operation: that of sending messages for what has an agent
// work, whatever the dialect calls it.
func (s *stage) nameAnswer(op string) string {
	if is := s.dialect.Operation(op); is.Agent && !is.Streams {
		return sendingMessages
	}
	return op
}

// answerPlainly does what the agent does if the script does nothing else: a message makes a task that is done
// at once.
func (c *call) answerPlainly() {
	switch c.nameAnswer(c.op) {
	case sendingMessages:
		c.sendTask(c.newDoneTask())
	case "stream":
		if !c.streaming {
			c.sendError("OperationNotSupported", "")
			return
		}
		c.sendStream(c.buildPlainEvents()...)
	case "get":
		if t := c.findTask(); t != nil {
			c.sendResult(c.buildTask(t))
		}
	case "list":
		tasks := []any{}
		c.editTasks(func() {
			for _, t := range c.order {
				tasks = append(tasks, c.form.writeTask(t))
			}
		})
		c.sendResult(object{"tasks": tasks, "totalSize": len(tasks), "pageSize": max(1, len(tasks)), "nextPageToken": ""})
	case "cancel":
		if c.findTask() != nil {
			c.sendError("TaskNotCancelable", "")
		}
	case "resubscribe":
		if c.findTask() != nil {
			c.sendError("OperationNotSupported", "")
		}
	case "extended-card":
		c.sendError("OperationNotSupported", "")
	default:
		c.sendError("PushNotificationNotSupported", "")
	}
}

// buildTask returns a task as it is sent.
func (c *call) buildTask(t *task) (o object) {
	c.editTasks(func() { o = c.form.writeTask(t) })
	return o
}

// wrapTask returns a task as it answers a message, or begins a stream.
func (c *call) wrapTask(t *task) object { return c.form.wrapNamed("task", c.buildTask(t)) }

// startStream returns the event by which the stream of a task begins.
func (c *call) startStream(t *task) (o object) {
	c.editTasks(func() { o = c.form.writeStreamStart(t, false) })
	return o
}

// resumeStream returns the event by which a subscription to a task begins.
func (c *call) resumeStream(t *task) (o object) {
	c.editTasks(func() { o = c.form.writeStreamStart(t, true) })
	return o
}

// sendTask answers a message by a task.
func (c *call) sendTask(t *task) { c.sendResult(c.wrapTask(t)) }

// readParam returns a text of the parameters, of which a bounded part is used; "" if there is none.
func readParam(sent binding.Sent, at string) string {
	n := sent.Params.At(at)
	if n == nil || n.Kind != record.String {
		return ""
	}
	return n.String[:min(len(n.String), record.MaxID)]
}

// findTask returns the task that the call is about. If there is none, the call is refused.
func (c *call) findTask() (t *task) {
	c.editTasks(func() {
		if t = c.tasks[readParam(c.sent, "/id")]; t != nil {
			t.looks++
		}
	})
	if t == nil {
		c.sendError("TaskNotFound", "")
	}
	return t
}

// newTask makes a task in the context of the message, or in a new one.
func (c *call) newTask(s state) *task {
	id := func(what string) string {
		if c.newID != nil {
			return c.newID(what)
		}
		return c.ids.New()
	}
	t := &task{id: id("task"), context: id("context"), state: s, saysID: c.ids.New(), at: formatNow(), over: make(chan struct{}), places: &places{}}
	t.context = cmp.Or(readParam(c.sent, c.form.contextAt()), t.context)
	if c.form.namesTasks() {
		t.id = cmp.Or(readParam(c.sent, c.form.taskAt()), t.id)
	}
	c.keepTask(t)
	return t
}

// newWorkingTask makes a task that works, and has the text of the first event of a stream.
func (c *call) newWorkingTask() *task {
	t := c.newTask(working)
	c.addArtifacts(t, artifact{c.ids.New(), []string{c.formatAnswer(numberMarker("event", 0))}})
	return t
}

// completeTask completes a task with the text of the play as its only text, and returns the event of that.
func (c *call) completeTask(t *task) object {
	c.editTasks(func() { t.says, t.artifacts = "", []artifact{{t.saysID, []string{c.formatAnswer("artifact")}}} })
	return c.finishTask(t, completed)
}

// newDoneTask makes a task that is completed, with the text of the play as its artifact.
func (c *call) newDoneTask() *task {
	t := c.newTask(completed)
	c.addArtifacts(t, artifact{c.ids.New(), []string{c.formatAnswer("artifact")}})
	return t
}
