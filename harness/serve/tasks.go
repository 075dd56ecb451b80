package serve

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/adapter"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// tasks are the scenarios in which a task lives longer than a call.
var tasks = []Script{
	{Name: "poll", Twin: "hello",
		Doc: "A task works until the third look at it. A client that asks to wait for the end of its task gets the answer after a second.",
		set: func(s *stage) { setPoll(s, (*call).wantsToWait) }},
	{Name: "poll-early", Twin: "hello", Fault: "a call that was to wait for the end of its task is answered before that",
		Doc: "A task works until the third look at it, also if the client asks to wait for its end.",
		set: func(s *stage) { setPoll(s, func(*call) bool { return false }) }},
	{Name: "poll-gone", Twin: "poll", Asks: []string{"TaskNotFound"}, Fault: "a task is gone while it works",
		Doc: "A task works at the first look at it, and is not known from the second one on.",
		set: func(s *stage) {
			setPoll(s, func(c *call) bool { return false })
			s.on["get"] = func(c *call) {
				if t := c.findTask(); t != nil && c.countLooks(t) > 1 {
					c.sendError("TaskNotFound", "")
				} else if t != nil {
					c.sendResult(c.buildTask(t))
				}
			}
		}},
	{Name: "get", Twin: "hello", Doc: "A message makes a task that is completed at once, and can be looked up.", Do: []adapter.Command{{Do: adapter.Send}, lookUp}, Aided: true,
		ByHand: "Have your application look the task up, if it can.", set: func(s *stage) { s.addMarker("artifact") }},
	scriptListing("list-pages", "A list of tasks has three pages, whose tokens have a slash, a plus, an equals sign and more than 500 characters.", "", nil,
		func(_ *call, page int) string { return formatPageToken(page + 1) },
		func(_ *call, token string) int {
			for page := range 3 {
				if page == 0 && token == "" || page > 0 && token == formatPageToken(page) {
					return page
				}
			}
			return -1
		}),
	scriptListing("list-loop", "Every page of a list of tasks names the same page as the next one.", "the list of tasks never ends", []string{a2a10},
		func(*call, int) string { return "again" }, func(c *call, _ string) int { return c.nth - 1 }),
	{Name: "input-required", Twin: "hello", Turns: true, Asks: []string{string(inputRequired)}, Doc: "A task asks back. The second message, with the id of the task, completes it.", set: setQuestion(inputRequired)},
	{Name: "auth-required", Twin: "hello", Dialects: []string{a2a10}, Doc: "A task waits for an authorisation, which somebody else gives after two seconds. Then it is completed.",
		set: func(s *stage) {
			s.addMarker("status")
			s.addMarker("artifact")
			s.on[sendingMessages] = func(c *call) {
				t := c.newTask(authRequired)
				c.setStatusText(t, "Somebody has to allow this. "+c.formatAnswer("status"))
				c.editTasks(func() { t.ends = time.Now().Add(c.scaleTime(2 * time.Second)) })
				c.sendTask(t)
			}
			s.on["get"] = func(c *call) {
				if t := c.findTask(); t != nil {
					c.endWhenDue(t)
					c.sendResult(c.buildTask(t))
				}
			}
		}},
	{Name: "auth-required-credential", Twin: "hello", Dialects: []string{a2a03, a2a01}, Turns: true, Doc: "A task waits for a credential. The second message, with the id of the task, completes it, whatever it is.",
		set: setQuestion(authRequired)},
	{Name: "cancel", Twin: "hello", Doc: "A task works for three seconds. A call to cancel it cancels it.", Do: cancelEarly, Aided: true, ByHand: cancelByHand,
		set: func(s *stage) {
			setLate(s, func(c *call, t *task) {
				c.finishTask(t, canceled)
				c.sendCancellation(t)
			})
		}},
	{Name: "cancel-late-working", Twin: "hello", Doc: "A task works for three seconds. A call to cancel it is answered with the task, which still works.", Do: cancelEarly, Aided: true, ByHand: cancelByHand,
		set: func(s *stage) { setLate(s, (*call).sendCancellation) }},
	{Name: "cancel-late-refused", Twin: "hello", Asks: []string{"TaskNotCancelable"}, Doc: "A task works for three seconds. A call to cancel it is refused by TaskNotCancelable.", Do: cancelEarly, Aided: true, ByHand: cancelByHand,
		set: func(s *stage) { setLate(s, func(c *call, _ *task) { c.sendError("TaskNotCancelable", "") }) }},
}

// scriptListing makes a scenario in which a list of tasks has several pages, each of one task.
// Version 0.3 has the list at a path of HTTP+JSON alone, without a form of its own; the list is written as in version 1.0.
func scriptListing(name, doc, fault string, dialects []string, next func(c *call, page int) string, pageOf func(c *call, token string) int) Script {
	return Script{Name: name, Twin: "hello", Dialects: dialects, Spared: []string{a2a03}, Doc: doc, Fault: fault, Do: []adapter.Command{{Do: adapter.Send}, {Do: adapter.List, Since: longAgo}}, ByHand: "Have your application list the tasks, if it can.",
		set: func(s *stage) {
			s.addMarker("artifact")
			var all []*task
			for range 3 {
				all = append(all, &task{id: s.ids.New(), context: s.ids.New(), state: completed, at: formatNow()})
				s.keepTask(all[len(all)-1])
			}
			if s.form.dialectName() == a2a03 {
				s.places = map[string]place{s.bases[0] + restPath + listPath: {"list", func(a *answerWriter, q *request) {
					asked, _ := readAsked(q) // what cannot be read asks for the first page
					page := pageOf(nil, asked.Get("pageToken"))
					if page < 0 {
						a.writeWhole(http.StatusBadRequest, nil, nil)
						return
					}
					answerDocument(a, object{"tasks": []any{s.form.writeTask(all[page])}, "nextPageToken": next(nil, page)})
				}}}
			}
			s.on["list"] = func(c *call) {
				page := pageOf(c, readParam(c.sent, "/pageToken"))
				if page < 0 {
					c.sendError("InvalidParams", "")
					return
				}
				c.sendResult(object{"tasks": []any{c.buildTask(all[page%len(all)])}, "totalSize": len(all), "pageSize": 1, "nextPageToken": next(c, page)})
			}
		}}
}

// longAgo is a moment before all tasks.
const longAgo = "2026-01-01T00:00:00Z"

// listPath is the path of the list of tasks in version 0.3 (section 7.3).
const listPath = "/v1/tasks"

// formatPageToken returns the token of a page that is not the first one; "" after the last one.
func formatPageToken(page int) string {
	if page > 2 {
		return ""
	}
	return "page/" + strconv.Itoa(page) + "+a=b&c%2F" + strings.Repeat("x", 500)
}

// Commands about the task that was last seen.
var (
	lookUp      = adapter.Command{Do: adapter.Get, Task: adapter.LastTask}
	sendAgain   = adapter.Command{Do: adapter.Send, Task: adapter.LastTask}
	cancelEarly = []adapter.Command{{Do: adapter.Send, Wait: adapter.NoWait()}, {Do: adapter.Cancel, Task: adapter.LastTask}}
)

// wantsToWait reports whether the sender of a message waits for the end of its task.
func (c *call) wantsToWait() bool {
	isTrue := func(at string) bool {
		n := c.sent.Params.At(at)
		return n != nil && n.Kind == record.Bool && n.Bool
	}
	return c.form.wantsToWait(isTrue)
}

// setPoll has a message make a task that works until it was looked at three times, unless the sender waits.
func setPoll(s *stage, waits func(c *call) bool) {
	s.addMarker("artifact")
	s.on[sendingMessages] = func(c *call) {
		t := c.newTask(working)
		if waits(c) {
			if !c.waitFor(time.Second) {
				return
			}
			c.completeTask(t)
		}
		c.sendTask(t)
	}
	s.on["get"] = func(c *call) {
		t := c.findTask()
		if t == nil {
			return
		}
		if c.countLooks(t) >= 3 {
			c.completeTask(t)
		}
		c.sendResult(c.buildTask(t))
	}
}

// setQuestion has a message make a task that waits in a state for the next one, which completes it.
func setQuestion(waiting state) func(s *stage) {
	return func(s *stage) {
		s.addMarker("status")
		s.addMarker("artifact")
		s.on[sendingMessages] = func(c *call) {
			t := c.findNamedTask()
			switch {
			case t == nil:
				t = c.newTask(waiting)
				c.setStatusText(t, c.formatQuestion())
			case c.readState(t) == waiting:
				c.completeTask(t)
			default:
				c.sendError("OperationNotSupported", "")
				return
			}
			c.sendTask(t)
		}
	}
}

// formatQuestion returns the text by which a task asks back.
func (s *stage) formatQuestion() string { return "Which one? " + s.formatAnswer("status") }

// findNamedTask returns the task that a message names; nil if it names none that there is.
func (c *call) findNamedTask() (t *task) {
	c.editTasks(func() { t = c.tasks[readParam(c.sent, c.form.taskAt())] })
	return t
}

// sendCancellation answers a call to cancel a task: by the task, unless the dialect has an answer of its own.
func (c *call) sendCancellation(t *task) {
	if own, is := c.form.(cancellingForm); is {
		c.sendResult(own.writeCancellation(t.id, c.readState(t) == canceled))
		return
	}
	c.sendResult(c.buildTask(t))
}

// cancelByHand is what a person does to cancel a task.
const cancelByHand = "Cancel the task at once, while it works, if your application can."

// setLate has tasks work for three seconds, in which a call to cancel them comes too late.
func setLate(s *stage, cancel func(c *call, t *task)) {
	s.addMarker("artifact")
	s.streaming = true
	const long = 3 * time.Second
	newLateTask := func(c *call) *task {
		t := c.newTask(working)
		c.editTasks(func() { t.ends = time.Now().Add(c.scaleTime(long)) })
		return t
	}
	s.on[sendingMessages] = func(c *call) {
		t := newLateTask(c)
		if c.wantsToWait() && !c.waitForEnd(t, long) {
			return
		}
		c.sendTask(t)
	}
	s.on["stream"] = func(c *call) {
		t := newLateTask(c)
		c.beginStream()
		c.writeEvent(c.startStream(t))
		if !c.waitForEnd(t, long) {
			return
		}
		var events []object
		c.editTasks(func() {
			for _, a := range t.artifacts {
				events = append(events, c.form.writeArtifactEvent(t, a.id, a.texts[0], false, true))
			}
			events = append(events, c.form.writeStatusEvent(t, true))
		})
		for _, e := range events {
			c.writeEvent(e)
		}
		c.a.endPieces()
	}
	s.on["get"] = func(c *call) {
		if t := c.findTask(); t != nil {
			c.endWhenDue(t)
			c.sendResult(c.buildTask(t))
		}
	}
	s.on["cancel"] = func(c *call) {
		if t := c.findTask(); t != nil {
			c.endWhenDue(t)
			if c.readState(t) != working {
				c.sendError("TaskNotCancelable", "")
				return
			}
			cancel(c, t)
		}
	}
}

// waitForEnd waits until a task has ended, by itself or by a call. It reports whether the client is still there.
func (c *call) waitForEnd(t *task, long time.Duration) bool {
	var over <-chan struct{}
	c.editTasks(func() { over = t.over })
	if over != nil && !c.a.waitUnless(c.scaleTime(long), over) {
		return false
	}
	for c.endWhenDue(t); c.readState(t) == working; c.endWhenDue(t) { // the clock of its end may be a little late
		if !c.a.waitTime(time.Millisecond) {
			return false
		}
	}
	return true
}

// endWhenDue completes a task whose time is over.
func (c *call) endWhenDue(t *task) {
	due := false
	c.editTasks(func() { due = !t.state.isTerminal() && !time.Now().Before(t.ends) })
	if due {
		c.completeTask(t)
	}
}
