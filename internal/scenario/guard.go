package scenario

import (
	"cmp"
	"net/http"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// guard makes calls about one task with the right credentials, with none, with
// made-up ones, and in the name of other clients. One of them reaches the agent
// of a server that keeps its guard up; one more where a forbidden message is
// configured.
var guard = Scenario{
	Name: "guard", Doc: "calls about one task with credentials, without any and with wrong ones",
	Ops: []string{"send", "get", "cancel"}, Claims: []string{"auth"}, Sends: 4, Burst: 8, Wide: 2,
	Play: func(c *Conversation) {
		g := &guarded{Conversation: c, line: c.Client.Line(true)}
		defer g.line.Close()
		if len(c.Secrets) == 0 { // what is refused proves nothing; what is served does
			g.send("bare-send", wire.Nobody, nil)
			g.send("wrong-send", wire.Stranger, nil)
			c.Play.Stop = "no credential is configured"
			return
		}
		o := c.say("quick")
		g.began = c.Client.Now()
		if !c.Writer.Waits { // the call may return while the task goes on
			o = c.say(c.either("slow", "quick"))
			if _, known := c.Stimulus("slow"); known {
				g.lasts = c.lasts("slow")
			}
		}
		made := c.Call(Step{Name: "task", Role: wire.Twin, Op: "send"}, o)
		task := named(o, made)
		if !made.OK() || task == "" {
			c.Play.Stop = "the call with the configured credentials was not accepted"
			return
		}
		if c.settled(made.State) {
			g.lasts = 0
		}
		g.running(task)
		g.send("bare-send", wire.Nobody, nil)
		g.send("wrong-send", wire.Stranger, nil)
		g.send("in-body", wire.Nobody, c.tokens())
		if c.CardURL != "" {
			c.Raw(Step{Name: "bare-card", Role: wire.Probe, Op: "document", As: wire.Nobody, Line: g.line, Method: http.MethodGet, URL: c.CardURL}, nil)
		}
		g.elsewhere()
		g.kept(task)
		g.alternatives(task)
		g.others(task, made.Ctx)
	},
}

// guarded is a conversation with a server that knows its clients. Calls without
// valid credentials travel on a line of their own, on which nothing was ever
// authenticated.
type guarded struct {
	*Conversation
	line    *wire.Line
	webhook string // the id of the one that the task has, where webhooks are read by theirs

	began wire.Instant  // when the message was sent that began the task
	lasts time.Duration // how long the task runs from then; 0 if it had ended with the reply
}

// bare is a step without credentials.
func (g *guarded) bare(name, op string) Step {
	return Step{Name: name, Role: wire.Probe, Op: op, As: wire.Nobody, Line: g.line, Twin: "task"}
}

// running asks for what is to be had only while the task runs, and then for the
// task itself.
func (g *guarded) running(task string) {
	about := dialect.Outgoing{Task: task}
	if g.Dialect.Has("resubscribe") && g.Claimed("streaming") {
		s, line := g.bare("bare-resubscribe", "resubscribe"), g.Client.Line(true)
		s.Line = line
		defer line.Close()
		defer g.follow(s, task).Wait()
	}
	if g.Writer.Push != nil && g.Claimed("push") {
		push := func(s Step) {
			g.Call(s, dialect.Outgoing{Task: task, Push: g.Writer.Push(dialect.Push{ID: g.webhook, URL: Nowhere + g.NewID()})})
		}
		if g.Writer.NamedWebhooks {
			g.webhook = g.NewID()
			about.Config = g.webhook
		}
		push(Step{Name: "push-set", Role: wire.Twin, Op: "push-set"})
		push(g.bare("bare-push-set", "push-set"))
		g.Call(g.bare("bare-push-get", "push-get"), about)
		if g.Writer.NamedWebhooks {
			g.Call(g.bare("bare-push-delete", "push-delete"), about)
		}
		g.Call(Step{Name: "push-get", Role: wire.Twin, Op: "push-get"}, about)
		if g.Dialect.Has("push-list") {
			g.Call(g.bare("bare-push-list", "push-list"), about)
		}
	}
	if g.Dialect.Has("list") {
		g.Call(g.bare("bare-list", "list"), dialect.Outgoing{})
	}
	g.lateIfEnded("bare-cancel", "task", g.Call(g.bare("bare-cancel", "cancel"), about))
	g.Call(Step{Name: "look", Op: "get"}, about)
	g.strangers(task)
	g.Call(g.bare("bare-get", "get"), about)
	if g.Dialect.Has("stream") && g.Claimed("streaming") {
		o := g.say("quick")
		g.Call(g.bare("bare-stream", "stream"), o)
		g.then("bare-stream", o.Task)
	}
}

// send sends the harmless message in another's name, and looks whether a task
// came of it.
func (g *guarded) send(name string, as wire.Caller, metadata map[string]any) {
	s, o := g.bare(name, "send"), g.say("quick")
	s.As, s.Task, s.Ctx = as, o.Task, o.Context
	if len(g.Secrets) == 0 {
		s.Twin = ""
	}
	o.Metadata = metadata
	request := g.Request(name, "send", o)
	if params, ok := request.Members(); ok && metadata != nil {
		if message, ok := params["message"].(map[string]any); ok {
			message["metadata"] = metadata
		}
	}
	g.Post(s, request)
	if len(g.Secrets) > 0 {
		g.then(name, o.Task)
	}
}

// then looks a task up that should not be there. Where the server chooses the
// ids, there is none to look up.
func (g *guarded) then(name, task string) {
	if task != "" {
		g.Call(Step{Name: name + "-then", Role: wire.Probe, Op: "get"}, dialect.Outgoing{Task: task})
	}
}

// tokens are the configured credentials as a payload might carry them.
func (c *Conversation) tokens() map[string]any {
	out := map[string]any{"token": c.Secrets[0], "apiKey": c.Secrets[0]}
	if h := c.Header.Get("Authorization"); h != "" {
		out["authorization"] = h
	}
	return out
}

// kept makes two calls on one connection, the second without credentials.
func (g *guarded) kept(task string) {
	line := g.Client.Line(false)
	defer line.Close()
	g.Client.Pace().Room(g.Context, 2) // a connection does not stay open for ever
	g.Call(Step{Name: "kept-with", Role: wire.Twin, Op: "get", Line: line}, dialect.Outgoing{Task: task})
	g.Call(Step{Name: "kept-bare", Role: wire.Probe, Op: "get", As: wire.Nobody, Line: line, Twin: "kept-with"}, dialect.Outgoing{Task: task})
}

// follow subscribes to a task for somebody who may not. A server that serves the
// subscription must not take up the time of the calls behind it, so the stream is
// dropped after its first event, and no longer waited for than is due to a refusal.
func (g *guarded) follow(s Step, task string) *Pending {
	patience := cmp.Or(g.lasts, g.window("linger", time.Second))
	s.Until, s.Quiet = first, patience
	p := g.Start(s, dialect.Outgoing{Task: task})
	p.Ended(patience / 4)
	return p
}

// strangers lets another client ask for a task while it runs, and meddle with it if the
// protocol says what comes of that. A task that waits for its owner runs as long as the
// calls take, whatever the network does; the work of another may end before.
func (g *guarded) strangers(task string) {
	if _, ok := g.Callers[wire.Second]; !ok {
		return
	}
	as := func(name, op, twin string) Step {
		return Step{Name: name, Role: wire.Probe, Op: op, As: wire.Second, Twin: twin}
	}
	g.Call(as("second-unknown", "get", "look"), dialect.Outgoing{Task: g.NewID()})
	g.Call(as("second-get", "get", "look"), dialect.Outgoing{Task: task})
	if g.Dialect.Has("list") {
		g.othersWebhooks(task)
	}
	twin := "task"
	if _, known := g.Stimulus("ask"); known && g.Dialect.Has("list") {
		o := g.say("ask")
		made := g.Call(Step{Name: "own-wait", Role: wire.Twin, Op: "send"}, o)
		if waits := named(o, made); waits != "" && g.waiting(made.State) {
			task, twin = waits, "own-wait"
		}
	}
	if g.Dialect.Has("resubscribe") && g.Claimed("streaming") {
		defer func(p *Pending) { g.lateIfEnded("second-resubscribe", twin, p.Wait()) }(g.follow(as("second-resubscribe", "resubscribe", twin), task))
	}
	if g.Dialect.Has("list") {
		r := g.Call(as("second-cancel", "cancel", twin), dialect.Outgoing{Task: task})
		g.Call(Step{Name: "second-look", Op: "get"}, dialect.Outgoing{Task: task})
		g.lateIfEnded("second-cancel", twin, r)
	}
}

// lateIfEnded marks a call about the task whose work takes time if it was refused because
// the task had ended, and its time was over: it says nothing then. A refusal for another
// reason is what it is, however late it comes.
func (g *guarded) lateIfEnded(step, twin string, r *Reply) {
	if twin == "task" && g.lasts > 0 && r.Answer.Refuses("TaskNotCancelable", "OperationNotSupported", "InvalidTaskState") {
		g.late(step, g.began, g.lasts)
	}
}

// answered lets another client answer what the agent asked the first.
func (g *guarded) answered(task string) {
	twin := "task"
	if _, known := g.Stimulus("ask"); known { // an ended task takes no message from anybody
		twin = "own-ask"
		o := g.say("ask")
		if task = named(o, g.Call(Step{Name: twin, Role: wire.Twin, Op: "send"}, o)); task == "" {
			return
		}
	}
	o := g.say("quick")
	o.Task, o.Context = task, ""
	g.Call(Step{Name: "second-send", Role: wire.Probe, Op: "send", As: wire.Second, Twin: twin}, o)
}

// others lets further clients ask for what is not theirs.
func (g *guarded) others(task, context string) {
	if _, ok := g.Callers[wire.Second]; ok {
		if g.Dialect.Has("list") {
			g.answered(task)
		}
		if context != "" && g.Dialect.Has("list") {
			g.list("list", context, dialect.Listing{})
			for _, s := range []Step{{Name: "second-list", Ctx: context}, {Name: "second-list-all"}} {
				s.Role, s.Op, s.As, s.Twin = wire.Probe, "list", wire.Second, "list"
				g.Call(s, dialect.Outgoing{Context: s.Ctx})
			}
		}
	}
	_, low := g.Callers[wire.Low]
	if _, known := g.Stimulus("forbidden"); low && known {
		g.Call(Step{Name: "allowed", Role: wire.Twin, Op: "send"}, g.say("forbidden"))
		g.Call(Step{Name: "forbidden", Role: wire.Probe, Op: "send", As: wire.Low, Twin: "allowed"}, g.say("forbidden"))
	}
}

// othersWebhooks lets a further client ask for the webhooks of a task that is not its,
// and change them, where a task may have several.
func (g *guarded) othersWebhooks(task string) {
	if g.webhook == "" {
		return
	}
	config := g.Writer.Push(dialect.Push{ID: g.NewID(), URL: Nowhere + g.NewID()})
	for _, s := range []Step{
		{Name: "second-push-get", Op: "push-get", Twin: "push-get"},
		{Name: "second-push-list", Op: "push-list", Twin: "push-get"},
		{Name: "second-push-set", Op: "push-set", Twin: "push-set"},
		{Name: "second-push-delete", Op: "push-delete", Twin: "push-set"},
	} {
		s.Role, s.As = wire.Probe, wire.Second
		g.Call(s, dialect.Outgoing{Task: task, Config: g.webhook, Push: config})
	}
}

// anonymous sends the harmless message without the operator's credentials to a
// server that asks for none. Without any configured, every call is such a one.
var anonymous = Scenario{
	Name: "anonymous", Doc: "one harmless message without credentials, where the card asks for none",
	Ops: []string{"send"}, Sends: 1,
	Play: func(c *Conversation) {
		switch {
		case !c.Card.Exists():
			c.Play.Stop = "no agent card could be read"
		case c.Card.Demands() == card.Yes:
			c.Play.Stop = "the card says that the server demands credentials"
		case c.Claimed("auth"):
			c.Play.Stop = "the card does not say whether the server demands credentials; the conversation guard tests that"
		case len(c.Secrets) == 0:
			c.Play.Stop = "no credential is configured: the other calls carry none either"
		default:
			line := c.Client.Line(true)
			defer line.Close()
			c.Call(Step{Name: "send", Role: wire.Probe, Op: "send", As: wire.Nobody, Line: line}, c.say("quick"))
		}
	},
}

// needAuth sends the message that makes the agent ask for credentials of
// another system.
var needAuth = Scenario{
	Name: "need-auth", Doc: "a message for which the agent needs further credentials",
	Ops: []string{"send", "get"}, Needs: []string{"needauth"}, Sends: 1,
	Play: func(c *Conversation) {
		o := c.say("needauth")
		sent := c.Call(Step{Name: "send", Op: "send"}, o)
		task := named(o, sent)
		state := c.soon("poll", task, sent.State)
		c.look("look", task, 1)
		if c.Writer.Unlocks && task != "" && c.waiting(state) {
			c.writeToLocked(o, sent)
		}
	},
}

// writeToLocked follows a task that waits for credentials, where the server streams,
// and sends it a message.
func (c *Conversation) writeToLocked(o dialect.Outgoing, sent *Reply) {
	task := named(o, sent)
	if c.Dialect.Has("resubscribe") && c.Claimed("streaming") {
		watch, came := signal()
		s := c.Start(Step{Name: "follow", Op: "resubscribe", Until: watch, Quiet: c.window("linger", time.Second)}, dialect.Outgoing{Task: task})
		select {
		case <-came:
		case <-s.done:
		}
		s.Ended(c.window("linger", time.Second) / 2)
		defer s.Wait()
	}
	c.Call(Step{Name: "message", Op: "send"}, further(c.Stimuli[c.spoken("quick")].Text, o, sent))
}
