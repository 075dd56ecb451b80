package scenario

import (
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
	Ops: []string{"send", "get", "cancel"}, Claims: []string{"auth"}, Sends: 5, Burst: 8, Wide: 2,
	Play: func(c *Conversation) {
		g := &guardPlay{Conversation: c, line: c.Client.Line(true)}
		defer g.line.Close()
		if len(c.Secrets) == 0 { // what is refused proves nothing; what is served does
			g.sendAs("bare-send", wire.Nobody, nil)
			g.sendAs("wrong-send", wire.Stranger, nil)
			c.Play.Stop = "no credential is configured"
			return
		}
		o := c.NewMessage("quick")
		g.began = c.Client.Now()
		if !c.Writer.Waits { // the call may return while the task goes on
			o = c.NewMessage(c.FirstConfigured("slow", "quick"))
			if _, known := c.Stimulus("slow"); known {
				g.lasts = c.WorkTime("slow")
			}
		}
		made := c.Call(Step{Name: "task", Role: wire.Twin, Op: "send"}, o)
		task := TaskID(o, made)
		if !made.OK() || task == "" {
			c.Play.Stop = "the call with the configured credentials was not accepted"
			return
		}
		if c.IsSettled(made.State) {
			g.lasts = 0
		}
		g.askWhileRunning(task)
		g.sendAs("bare-send", wire.Nobody, nil)
		g.sendAs("wrong-send", wire.Stranger, nil)
		g.sendAs("in-body", wire.Nobody, credentialsInBody(c))
		if c.CardURL != "" {
			c.Raw(Step{Name: "bare-card", Role: wire.Probe, Op: "document", As: wire.Nobody, Line: g.line, Method: http.MethodGet, URL: c.CardURL}, nil)
		}
		g.sendToAgentEndpoint()
		g.askOnKeptConnection(task)
		g.tryAlternatives(task)
		g.askAsOthers(task, made.Ctx)
	},
}

// guardPlay is a conversation with a server that knows its clients. Calls without
// valid credentials travel on a line of their own, on which nothing was ever
// authenticated.
type guardPlay struct {
	*Conversation
	line    *wire.Line
	webhook string // the id of the one that the task has, where webhooks are read by theirs

	began wire.Instant  // when the message was sent that began the task
	lasts time.Duration // how long the task runs from then; 0 if it had ended with the reply
}

// stepWithoutCredentials is a step without credentials.
func (g *guardPlay) stepWithoutCredentials(name, op string) Step {
	return Step{Name: name, Role: wire.Probe, Op: op, As: wire.Nobody, Line: g.line, Twin: "task"}
}

// askWhileRunning asks for what is to be had only while the task runs, and then for the
// task itself.
func (g *guardPlay) askWhileRunning(task string) {
	about := dialect.Outgoing{Task: task}
	runs, ended := g.runningTask(task)
	defer ended()
	if g.streamsTasks() {
		s, line := g.stepWithoutCredentials("bare-resubscribe", "resubscribe"), g.Client.Line(true)
		s.Line, s.Twin = line, runs.twin
		defer line.Close()
		defer g.subscribeBriefly(s, runs.task).Wait()
	}
	defer g.subscribeAsStranger(runs)()
	if g.Writer.Push != nil && g.Claimed("push") {
		push := func(s Step) {
			g.Call(s, dialect.Outgoing{Task: task, Push: g.Writer.Push(dialect.Push{ID: g.webhook, URL: Nowhere + g.NewID()})})
		}
		if g.Writer.NamedWebhooks {
			g.webhook = g.NewID()
			about.Config = g.webhook
		}
		push(Step{Name: "push-set", Role: wire.Twin, Op: "push-set"})
		push(g.stepWithoutCredentials("bare-push-set", "push-set"))
		g.Call(g.stepWithoutCredentials("bare-push-get", "push-get"), about)
		if g.Writer.NamedWebhooks {
			g.Call(g.stepWithoutCredentials("bare-push-delete", "push-delete"), about)
		}
		g.Call(Step{Name: "push-get", Role: wire.Twin, Op: "push-get"}, about)
		if g.Dialect.Has("push-list") {
			g.Call(g.stepWithoutCredentials("bare-push-list", "push-list"), about)
		}
	}
	if g.Dialect.Has("list") {
		g.Call(g.stepWithoutCredentials("bare-list", "list"), dialect.Outgoing{})
	}
	bare := g.Call(g.stepWithoutCredentials("bare-cancel", "cancel"), about)
	g.lateIfEnded("bare-cancel", askedTask{began: g.began, lasts: g.lasts}, bare)
	look := g.Call(Step{Name: "look", Op: "get"}, about)
	g.askAsStrangers(task, look, runs)
	g.Call(g.stepWithoutCredentials("bare-get", "get"), about)
	if g.Dialect.Has("stream") && g.Claimed("streaming") {
		o := g.NewMessage("quick")
		g.Call(g.stepWithoutCredentials("bare-stream", "stream"), o)
		g.checkNoTask("bare-stream", o.Task)
	}
}

// sendAs sends the harmless message in another's name, and looks whether a task
// came of it.
func (g *guardPlay) sendAs(name string, as wire.Caller, metadata map[string]any) {
	s, o := g.stepWithoutCredentials(name, "send"), g.NewMessage("quick")
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
		g.checkNoTask(name, o.Task)
	}
}

// checkNoTask looks a task up that should not be there. Where the server chooses the
// ids, there is none to look up.
func (g *guardPlay) checkNoTask(name, task string) {
	if task != "" {
		g.Call(Step{Name: name + "-then", Role: wire.Probe, Op: "get"}, dialect.Outgoing{Task: task})
	}
}

// credentialsInBody are the configured credentials as a payload might carry them.
func credentialsInBody(c *Conversation) map[string]any {
	out := map[string]any{"token": c.Secrets[0], "apiKey": c.Secrets[0]}
	if h := c.Header.Get("Authorization"); h != "" {
		out["authorization"] = h
	}
	return out
}

// askOnKeptConnection makes two calls on one connection, the second without credentials.
func (g *guardPlay) askOnKeptConnection(task string) {
	line := g.Client.Line(false)
	defer line.Close()
	g.Client.Pace().Room(g.Context, 2) // a connection does not stay open for ever
	g.Call(Step{Name: "kept-with", Role: wire.Twin, Op: "get", Line: line}, dialect.Outgoing{Task: task})
	g.Call(Step{Name: "kept-bare", Role: wire.Probe, Op: "get", As: wire.Nobody, Line: line, Twin: "kept-with"}, dialect.Outgoing{Task: task})
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
			c.Call(Step{Name: "send", Role: wire.Probe, Op: "send", As: wire.Nobody, Line: line}, c.NewMessage("quick"))
		}
	},
}

// needAuth sends the message that makes the agent ask for credentials of
// another system.
var needAuth = Scenario{
	Name: "need-auth", Doc: "a message for which the agent needs further credentials",
	Ops: []string{"send", "get"}, Needs: []string{"needauth"}, Sends: 1,
	Play: func(c *Conversation) {
		play := needAuthPlay{c}
		o := c.NewMessage("needauth")
		sent := c.Call(Step{Name: "send", Op: "send"}, o)
		task := TaskID(o, sent)
		state := c.PollSoon("poll", task, sent.State)
		c.LookUp("look", task, 1)
		if c.Writer.Unlocks && task != "" && c.AwaitsClient(state) {
			play.writeToLocked(o, sent)
		}
	},
}

// needAuthPlay is a play of need-auth.
type needAuthPlay struct{ *Conversation }

// writeToLocked follows a task that waits for credentials, where the server streams,
// and sends it a message.
func (c needAuthPlay) writeToLocked(o dialect.Outgoing, sent *Reply) {
	task := TaskID(o, sent)
	if c.Dialect.Has("resubscribe") && c.Claimed("streaming") {
		watch, came := NotifyFirstEvent()
		s := c.Start(Step{Name: "follow", Op: "resubscribe", Until: watch, Quiet: c.Window("linger", time.Second)}, dialect.Outgoing{Task: task})
		select {
		case <-came:
		case <-s.Done():
		}
		s.Ended(c.Window("linger", time.Second) / 2)
		defer s.Wait()
	}
	c.Call(Step{Name: "message", Op: "send"}, FollowUp(c.Text("quick"), o, sent))
}
