// Package auth has the scenarios about credentials, TLS and the cards that need them.
package auth

import (
	"net/http"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Guard makes calls about one task with the right credentials, with none, with
// made-up ones, and in the name of other clients. One of them reaches the agent
// of a server that keeps its guard up; one more if a forbidden message is
// configured.
var Guard = conversation.Scenario{Name: "guard", Play: func(c *conversation.Conversation) {
	g := &guardPlay{Conversation: c, line: c.Client.Line(true)}
	defer g.line.Close()
	if len(c.Secrets) == 0 { // what is refused proves nothing; what is served does
		g.sendQuickAsThenLookUpTask("bare-send", record.Nobody, nil)
		g.sendQuickAsThenLookUpTask("wrong-send", record.Stranger, nil)
		c.Play.Stop = "no credential is configured"
		return
	}
	o := c.NewMessage("quick")
	g.began = c.Client.Now()
	if !c.Writer.Waits { // the call may return while the task continues
		o = c.NewMessage(c.FirstConfiguredOrLastStimulus("slow", "quick"))
		if _, known := c.Stimulus("slow"); known {
			g.lasts = c.WorkTime("slow")
		}
	}
	made := c.Call(conversation.Step{Name: "task", Role: record.Twin, Op: "send"}, o)
	task := conversation.TaskID(o, made)
	if !made.OK() || task == "" {
		c.Play.Stop = "the call with the configured credentials was not accepted"
		return
	}
	if c.IsTerminalOrAwaitsClient(made.State) {
		g.lasts = 0
	}
	g.probeAccessWhileTaskRuns(task)
	g.sendQuickAsThenLookUpTask("bare-send", record.Nobody, nil)
	g.sendQuickAsThenLookUpTask("wrong-send", record.Stranger, nil)
	g.sendQuickAsThenLookUpTask("in-body", record.Nobody, credentialsAsPayload(c))
	if c.CardURL != "" {
		c.Raw(conversation.Step{Name: "bare-card", Role: record.Probe, Op: "document", As: record.Nobody, Line: g.line, Method: http.MethodGet, URL: c.CardURL}, nil)
	}
	g.probeAgentEndpointWithoutAuth()
	g.dropCredentialsMidConnection(task)
	g.getWithTokenThenAPIKeyAlone(task)
	g.probeAsOtherValidCallers(task, made.Ctx)
}}

// guardPlay is a conversation with a server that knows its clients. Calls without
// valid credentials travel on a line of their own, on which nothing was ever
// authenticated.
type guardPlay struct {
	*conversation.Conversation
	line    *client.Line
	webhook string // the id of the one that the task has, if webhooks are read by theirs

	began record.Instant // when the message was sent that began the task
	lasts time.Duration  // how long the task runs from then; 0 if it had ended with the reply
}

// stepWithoutCredentials is a step without credentials.
func (g *guardPlay) stepWithoutCredentials(name, op string) conversation.Step {
	return conversation.Step{Name: name, Role: record.Probe, Op: op, As: record.Nobody, Line: g.line, Twin: "task"}
}

// probeAccessWhileTaskRuns asks for what is to be had only while the task runs, and then for the
// task itself.
func (g *guardPlay) probeAccessWhileTaskRuns(task string) {
	about := dialect.Outgoing{Task: task}
	runs, ended := g.runningTask(task)
	defer ended()
	if g.CanSubscribe() {
		s, line := g.stepWithoutCredentials("bare-resubscribe", "resubscribe"), g.Client.Line(true)
		s.Line, s.Twin = line, runs.twin
		defer line.Close()
		defer g.subscribeUntilFirstEvent(s, runs.task).Wait()
	}
	defer g.subscribeAsStranger(runs)()
	if g.Writer.Push != nil && g.Claimed("push") {
		push := func(s conversation.Step) {
			g.Call(s, dialect.Outgoing{Task: task, Push: g.Writer.Push(dialect.Push{ID: g.webhook, URL: conversation.Nowhere + g.NewID()})})
		}
		if g.Writer.NamedWebhooks {
			g.webhook = g.NewID()
			about.Config = g.webhook
		}
		push(conversation.Step{Name: "push-set", Role: record.Twin, Op: "push-set"})
		push(g.stepWithoutCredentials("bare-push-set", "push-set"))
		g.Call(g.stepWithoutCredentials("bare-push-get", "push-get"), about)
		if g.Writer.NamedWebhooks {
			g.Call(g.stepWithoutCredentials("bare-push-delete", "push-delete"), about)
		}
		g.Call(conversation.Step{Name: "push-get", Role: record.Twin, Op: "push-get"}, about)
		if g.Dialect.Has("push-list") {
			g.Call(g.stepWithoutCredentials("bare-push-list", "push-list"), about)
		}
	}
	if g.Dialect.Has("list") {
		g.Call(g.stepWithoutCredentials("bare-list", "list"), dialect.Outgoing{})
	}
	bare := g.Call(g.stepWithoutCredentials("bare-cancel", "cancel"), about)
	g.lateIfEnded("bare-cancel", askedTask{began: g.began, lasts: g.lasts}, bare)
	look := g.Call(conversation.Step{Name: "look", Op: "get"}, about)
	g.askAsStrangers(task, look, runs)
	g.Call(g.stepWithoutCredentials("bare-get", "get"), about)
	if g.CanStream() {
		o := g.NewMessage("quick")
		g.Call(g.stepWithoutCredentials("bare-stream", "stream"), o)
		g.lookUpUnexpectedTask("bare-stream", o.Task)
	}
}

// sendQuickAsThenLookUpTask sends the harmless message in another's name, and looks whether a task
// came of it.
func (g *guardPlay) sendQuickAsThenLookUpTask(name string, as record.Caller, metadata map[string]any) {
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
		g.lookUpUnexpectedTask(name, o.Task)
	}
}

// lookUpUnexpectedTask looks a task up that should not be there. If the server chooses the
// ids, there is none to look up.
func (g *guardPlay) lookUpUnexpectedTask(name, task string) {
	if task != "" {
		g.Call(conversation.Step{Name: name + "-then", Role: record.Probe, Op: "get"}, dialect.Outgoing{Task: task})
	}
}

// dropCredentialsMidConnection makes two calls on one connection, the second without credentials.
func (g *guardPlay) dropCredentialsMidConnection(task string) {
	line := g.Client.Line(false)
	defer line.Close()
	g.Client.Pace().AwaitRoom(g.Context, 2) // a connection does not stay open for ever
	g.Call(conversation.Step{Name: "kept-with", Role: record.Twin, Op: "get", Line: line}, dialect.Outgoing{Task: task})
	g.Call(conversation.Step{Name: "kept-bare", Role: record.Probe, Op: "get", As: record.Nobody, Line: line, Twin: "kept-with"}, dialect.Outgoing{Task: task})
}

// probeAgentEndpointWithoutAuth calls the endpoint of an agent, with credentials and without.
func (g *guardPlay) probeAgentEndpointWithoutAuth() {
	if g.Dialect.Agents.RPC == "" || !g.Card.Exists() {
		return
	}
	name := g.Card.Name()
	if strings.TrimSpace(name) == "" {
		g.NotSent(conversation.Step{Name: "bare-agent", Op: "send"}, "", "the card does not name its agent")
		return
	}
	at := g.Base + g.Dialect.Agents.Path(g.Dialect.Agents.RPC, name)
	g.Call(conversation.Step{Name: "agent", Role: record.Twin, Op: "send", URL: at}, g.NewMessage("quick"))
	s := g.stepWithoutCredentials("bare-agent", "send")
	s.URL, s.Twin = at, "agent"
	g.Call(s, g.NewMessage("quick"))
}

// credentialsAsPayload are the configured credentials as a payload might carry them.
func credentialsAsPayload(c *conversation.Conversation) map[string]any {
	out := map[string]any{"token": c.Secrets[0], "apiKey": c.Secrets[0]}
	if h := c.Header.Get("Authorization"); h != "" {
		out["authorization"] = h
	}
	return out
}
