package serve

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/adapter"
	"github.com/a2a-conform/a2a-conform/harness/operator"
)

// registerTwice are the commands by which two tasks get a webhook each.
var registerTwice = []adapter.Command{
	{Do: adapter.Send, Wait: adapter.NoWait()}, {Do: adapter.Push, Task: adapter.LastTask},
	{Do: adapter.Send, Wait: adapter.NoWait()}, {Do: adapter.Push, Task: adapter.LastTask},
}

// registerByHand is what a person does to have a webhook called.
const registerByHand = "Have your application register its webhook, if it has one."

// pushes are the scenarios about push notifications.
var pushes = []Script{
	{Name: "push", Twin: "hello", Asks: []string{hasNotices}, Turns: true, Needs: []string{WithWebhook}, Do: registerTwice, ByHand: registerByHand,
		Doc: "A webhook that the client registers gets genuine notifications of every kind, and one of them twice.",
		set: func(s *stage) { setPush(s, bringGenuine) }},
	{Name: "push-forged", Twin: "push", Asks: []string{hasNotices}, Turns: true, Needs: []string{WithWebhook}, Do: registerTwice, ByHand: registerByHand, Fault: "notifications are forged",
		Doc: "A webhook that the client registers gets genuine notifications, and then forged ones: without credentials, with wrong and with foreign ones, with a wrong token and without one, and about an unknown task.",
		set: func(s *stage) { setPush(s, bringForged) }},
	{Name: "push-jwt", Twin: "push", Asks: []string{hasNotices}, Needs: []string{WithWebhook, WithKeys}, Do: []adapter.Command{{Do: adapter.Send, Wait: adapter.NoWait()}, {Do: adapter.Push, Task: adapter.LastTask, Signed: true}}, ByHand: registerByHand,
		Fault: "notifications are forged",
		Doc:   "A webhook that the client registers with the scheme Bearer, and without credentials, gets genuine notifications with a signed token (JWT), and then forged ones: with a token without a signature, signed by somebody else, changed, for another receiver, expired, and old.",
		set: func(s *stage) {
			setPush(s, bringTokens)
			s.addMarker("forged-time")
		}},
	{Name: "push-ask", Twin: "input-required", Asks: []string{hasNotices}, Dialects: []string{a2a01}, Turns: true, Needs: []string{WithWebhook},
		Doc: "The card offers push notifications. A task asks back, and the second message, with the id of the task, completes it. No webhook is called.",
		set: func(s *stage) {
			setQuestion(inputRequired)(s)
			s.editCard = offerNotices
			setHookCalls(s)
		}},
	{Name: "push-not-offered", Twin: "hello", Asks: []string{hasNotices}, Needs: []string{WithWebhook}, Do: registerTwice[:2], ByHand: registerByHand,
		Doc: "The card does not offer push notifications, and the agent refuses them.",
		set: func(s *stage) { s.addMarker("artifact") }},
}

// offerNotices has the card offer push notifications.
func offerNotices(card object) { card["capabilities"].(object)["pushNotifications"] = true }

// setPush has the agent offer push notifications. A task works until all was brought to its webhook; without one it works until it
// was looked at three times.
func setPush(s *stage, bring func(c *courier, t *task)) {
	for _, in := range []string{"artifact", "notice", "forged-credentials", "forged-token", "forged-task"} {
		s.addMarker(in)
	}
	s.bring = bring
	s.editCard = offerNotices
	setPoll(s, (*call).wantsToWait)
	send, look := s.on[sendingMessages], s.on["get"]
	s.on[sendingMessages] = func(c *call) {
		if c.wantsToWait() { // and needs no notification of the end of its task
			send(c)
			return
		}
		t := c.newTask(submitted)
		c.sendTask(t)
		if h := c.readHook(c.sent, "send"); h != nil {
			h.task = t
			c.courier.visitHook(h)
		}
	}
	s.on["get"] = func(c *call) {
		var t *task
		c.editTasks(func() { t = c.tasks[readParam(c.sent, "/id")] })
		if !c.courier.isRegistered(t) {
			look(c)
			return
		}
		c.sendResult(c.buildTask(t))
	}
	setHookCalls(s)
}

// setHookCalls has the agent keep webhooks.
func setHookCalls(s *stage) {
	kept := map[string][]object{} // by task
	keep := func(c *call, edit func(all []object) []object) {
		c.editTasks(func() { id := readParam(c.sent, c.form.hookTaskAt()); kept[id] = edit(kept[id]) })
	}
	s.on["push-set"] = func(c *call) {
		h := c.readHook(c.sent, "push-set")
		c.editTasks(func() {
			if h != nil {
				h.task = c.tasks[readParam(c.sent, c.form.hookTaskAt())]
			}
		})
		if h == nil || h.task == nil {
			c.sendError("TaskNotFound", "")
			return
		}
		stored := c.form.writeHook(h, c.ids.New())
		keep(c, func(all []object) []object { return append(all, stored) })
		c.courier.forgetHooks(h.task) // so that none of them is called once the client has the answer
		c.sendResult(stored)
		c.courier.visitHook(h)
	}
	s.on["push-get"] = func(c *call) {
		var found object
		keep(c, func(all []object) []object {
			if len(all) > 0 {
				found = all[len(all)-1]
			}
			return all
		})
		if found == nil {
			c.sendError("TaskNotFound", "")
			return
		}
		c.sendResult(found)
	}
	s.on["push-list"] = func(c *call) {
		list := []any{}
		keep(c, func(all []object) []object {
			for _, one := range all {
				list = append(list, one)
			}
			return all
		})
		c.sendResult(c.form.wrapHooks(list))
	}
	s.on["push-delete"] = func(c *call) {
		keep(c, func([]object) []object { return nil })
		var t *task
		c.editTasks(func() { t = c.tasks[readParam(c.sent, c.form.hookTaskAt())] })
		c.courier.forgetHooks(t)
		c.sendResult(c.form.emptyResult())
	}
}

// writeNotifiedTask writes a notification with the whole of a task.
func (s *stage) writeNotifiedTask(t *task) (o object) {
	s.editTasks(func() { o = s.form.wrapNamed("task", s.form.writeTask(t)) })
	return o
}

// changeState gives a task a state and a text, unless it has ended, and returns the notification of its state.
func (s *stage) changeState(t *task, now state, text string) object {
	s.editTasks(func() {
		if !t.state.isTerminal() {
			t.state, t.says, t.at = now, text, formatNow()
		}
	})
	return s.writeStateNotice(t)
}

// writeStateNotice writes a notification of the state of a task.
func (s *stage) writeStateNotice(t *task) (o object) {
	s.editTasks(func() { o = s.form.writeStateNotice(t) })
	return o
}

// bringGenuine brings notifications of every kind that the text allows, the one of a change of state twice.
func bringGenuine(c *courier, t *task) {
	bring := func(name string, o object) { c.bringNotice(name, t, o, leaveTime) }
	bring("notify-task", c.stage.writeNotifiedTask(t))
	for _, kind := range c.stage.form.listOtherNotices(c.stage, t) {
		bring(kind.name, kind.content)
	}
	bring("notify-unknown", addUnknown(c.stage.writeNotifiedTask(t)).(object))
	again := c.stage.changeState(t, working, c.stage.formatAnswer("notice"))
	bring("notify-state", again)
	c.bringNotice("notify-state", t, again, reactionTime/2)
}

// genuineNotices come before forged ones. No client that looks its task up by the clock does so once in each of their pauses.
var genuineNotices = []struct {
	says  string
	pause time.Duration
}{{"", reactionTime}, {" It continues.", leaveTime}, {" It continues as planned.", 2 * leaveTime}}

// forgeNotice brings a notification of a state that a task never had, once it was edited; none if the edit returns false.
func (c *courier) forgeNotice(name string, t *task, now state, in string, edit func(h *hook, n *notification) bool) {
	h := c.findHook(t)
	if h == nil || h.ended {
		return
	}
	var lie task
	c.stage.editTasks(func() { lie = *t })
	lie.state, lie.says, lie.saysID, lie.at = now, c.stage.formatAnswer(in), c.stage.ids.New(), formatNow()
	if in == "forged-task" {
		lie.id, lie.context = c.stage.ids.New(), c.stage.ids.New()
	}
	n := c.newNotification(name, h, c.stage.form.writeStateNotice(&lie))
	n.about, n.forged, n.pause = lie.id, true, 2*leaveTime
	if edit(h, &n) {
		c.deliverNotification(n)
	}
}

// lacksInSome reports whether any webhook that the client registered for a task lacks something, or asks for what we cannot make.
func (c *courier) lacksInSome(t *task, has func(h *hook) bool) bool {
	return slices.ContainsFunc(c.listHooks(t), func(h *hook) bool { return !has(h) || !h.isComplete() })
}

// bringForged brings genuine notifications, and then forged ones. What they state is nothing that the agent ever states, so that
// a client that passes it on shows that it believes them. Nothing is forged that any webhook of the task would justify.
func bringForged(c *courier, t *task) {
	other := c.awaitHookOfOtherTask(t)
	for _, one := range genuineNotices {
		c.bringNotice("notify-genuine", t, c.stage.changeState(t, working, c.stage.formatAnswer("notice")+one.says), one.pause)
	}
	forge := func(name string, now state, in string, edit func(h *hook, n *notification) bool) {
		c.forgeNotice(name, t, now, in, edit)
	}
	lacks := func(has func(h *hook) bool) bool { return c.lacksInSome(t, has) }
	forgeCredentials := func(name string, edit func(h *hook, n *notification) bool) {
		forge(name, inputRequired, "forged-credentials", func(h *hook, n *notification) bool {
			return !lacks(func(h *hook) bool { return h.asks }) && edit(h, n)
		})
	}
	forgeCredentials("notify-bare", func(_ *hook, n *notification) bool {
		n.authorization, n.token = "", ""
		return true
	})
	forgeCredentials("notify-wrong", func(h *hook, n *notification) bool {
		n.authorization, n.token = h.writeAuthorization(c.stage.ids.New()), wrongToken(h, c.stage.ids)
		return true
	})
	if other != nil && other.credentials != "" {
		forgeCredentials("notify-foreign", func(_ *hook, n *notification) bool {
			n.authorization, n.token = other.writeAuthorization(other.credentials), other.token
			return !lacks(func(h *hook) bool {
				return other.credentials != h.credentials && (h.token == "" || other.token != h.token)
			})
		})
	}
	forgeToken := func(name string, edit func(h *hook, n *notification)) {
		forge(name, c.stage.form.forgedState(), "forged-token", func(h *hook, n *notification) bool {
			edit(h, n)
			return !lacks(func(h *hook) bool { return h.token != "" })
		})
	}
	forgeToken("notify-token-wrong", func(h *hook, n *notification) { n.token = wrongToken(h, c.stage.ids) })
	forgeToken("notify-token-none", func(_ *hook, n *notification) { n.token = "" })
	forge("notify-stranger", working, "forged-task", func(*hook, *notification) bool { return true })
	c.letTimePass(2 * leaveTime)
}

// wrongToken returns a token in place of the one of a webhook; "" if that has none.
func wrongToken(h *hook, ids *operator.IDs) string {
	if h.token == "" {
		return ""
	}
	return ids.New()
}

// namedNotice is the content of a notification, and the name of the step that brings it.
type namedNotice struct {
	name    string
	content object
}

// The members of forms that are about notifications.

func (form10) notificationType() string { return "application/a2a+json" }

func (f form10) writeStateNotice(t *task) object { return f.writeStatusEvent(t, false) }

func (form10) writeHook(h *hook, id string) object {
	o := object{"id": id, "taskId": h.task.id}
	setTexts(o, "url", h.url, "token", h.token)
	if h.asks {
		o["authentication"] = object{"scheme": h.scheme, "credentials": h.credentials}
	}
	return o
}

func (form10) hookTaskAt() string { return "/taskId" }

func (form10) forgedState() state { return authRequired }

func (form10) wrapHooks(all []any) any { return object{"configs": all} }

func (form10) emptyResult() any { return object{} }

func (f form10) listOtherNotices(s *stage, t *task) []namedNotice {
	return []namedNotice{
		{"notify-message", f.wrapNamed("message", f.writeMessage(s.ids.New(), t.context, t.id, "More will follow."))},
		{"notify-artifact", f.writeArtifactEvent(t, s.ids.New(), "A first piece.", false, true)},
	}
}

func (form03) notificationType() string { return "application/json" }

// writeStateNotice writes the whole task: this version has no other form of notifications.
func (f form03) writeStateNotice(t *task) object { return f.writeTask(t) }

func (form03) writeHook(h *hook, id string) object {
	o := object{"id": id}
	setTexts(o, "url", h.url, "token", h.token)
	if h.asks {
		o["authentication"] = object{"schemes": []any{h.scheme}, "credentials": h.credentials}
	}
	return object{"taskId": h.task.id, "pushNotificationConfig": o}
}

func (form03) hookTaskAt() string { return "/taskId" }

func (form03) forgedState() state { return authRequired }

func (form03) wrapHooks(all []any) any { return all }

func (form03) emptyResult() any { return json.RawMessage("null") }

// listOtherNotices returns a body of a server's own making, which the text allows.
func (f form03) listOtherNotices(_ *stage, t *task) []namedNotice {
	return []namedNotice{{"notify-short", object{"id": t.id, "status": object{"state": f.stateName(t.state)}}}}
}
