package auth

import (
	"cmp"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// askedTask is a task of the first client that others ask for.
type askedTask struct {
	task  string
	twin  string // the owner's call that began it
	place string // is added to the names of the steps about it

	began record.Instant
	lasts time.Duration // how long it runs from then; 0 if it does not run
	spare bool          // another task shows the same, so that what comes too late is not repeated
}

// stepOfSecond is a step of another client.
func (g *guardPlay) stepOfSecond(name, op, twin string) conversation.Step {
	return conversation.Step{Name: name, Role: record.Probe, Op: op, As: record.Second, Twin: twin}
}

// asksAsSecond reports whether the operator named another client.
func (g *guardPlay) asksAsSecond() bool {
	_, ok := g.Callers[record.Second]
	return ok
}

// runningTask is the task that others ask for while it runs: that of the conversation or, if
// the reply to its message came only when the work was done, one that its owner streams. The
// function that is returned waits for the end of that stream.
func (g *guardPlay) runningTask(task string) (runs askedTask, ended func()) {
	runs, ended = askedTask{task: task, twin: "task", began: g.began, lasts: g.lasts}, func() {}
	_, slow := g.Stimulus("slow")
	if g.lasts > 0 || !slow || g.Writer.Waits || !g.CanSubscribe() {
		return runs, ended
	}
	began := g.Client.Now()
	s, streamed, _ := conversation.OpenSlowStreamAndAwaitEvent(g.Conversation, "own-stream")
	if streamed != "" {
		runs = askedTask{task: streamed, twin: "own-stream", began: began, lasts: g.Conversation.WorkTime("slow")}
	}
	return runs, func() { s.Wait() }
}

// subscribeUntilFirstEvent subscribes to a task for somebody who may not. A server that serves the
// subscription must not take up the time of the calls behind it, so the stream is
// dropped after its first event, and no longer waited for than is due to a refusal.
func (g *guardPlay) subscribeUntilFirstEvent(s conversation.Step, task string) *conversation.Pending {
	patience := cmp.Or(g.lasts, g.Window("linger", time.Second))
	s.Until, s.Quiet = conversation.UntilFirstEvent, patience
	p := g.Start(s, dialect.Outgoing{Task: task})
	p.Ended(patience / 4)
	return p
}

// subscribeAsStranger lets another client subscribe to a task, and its owner after that. The
// owner is served if there was anything to subscribe to, so that the other was refused for
// being another. What is returned waits for both.
func (g *guardPlay) subscribeAsStranger(of askedTask) (over func()) {
	if !g.asksAsSecond() || !g.CanSubscribe() {
		return func() {}
	}
	name, own := "second-resubscribe"+of.place, "own-resubscribe"+of.place
	second := g.subscribeUntilFirstEvent(g.stepOfSecond(name, "resubscribe", own), of.task)
	owner := g.subscribeUntilFirstEvent(conversation.Step{Name: own, Role: record.Twin, Op: "resubscribe"}, of.task)
	ended := of.lasts > 0 && owner.Over() && !g.opensStream(owner.Reply()) &&
		g.hasEnded(g.Call(conversation.Step{Name: "own-look" + of.place, Op: "get"}, dialect.Outgoing{Task: of.task}))
	return func() {
		owner.Wait()
		g.lateIfEnded(name, of, second.Wait())
		g.lateIf(ended && !g.opensStream(second.Reply()), name)
	}
}

// opensStream reports whether a call opened a stream that does not begin with a refusal.
func (g *guardPlay) opensStream(r *conversation.Reply) bool {
	return r.OK() || r.IsStream() && len(r.Events()) > 0 && !g.IsRefusedInStream(r)
}

// hasEnded reports whether a look at a task shows that its work is done.
func (g *guardPlay) hasEnded(look *conversation.Reply) bool {
	return g.IsTerminalOrAwaitsClient(look.State) && !g.IsCanceled(look.State)
}

// lateIf marks a call of another client about a task that had ended: the refusal shows
// nothing about one that runs.
func (g *guardPlay) lateIf(ended bool, step string) {
	if s := g.Play.Step(step); ended && s != nil && s.Exchange != nil && s.Late == "" {
		s.Late = "the task had ended when its owner looked: make stimuli.slow take longer"
	}
}

// lateIfEnded marks a call about the task whose work takes time if it was refused because
// the task had ended, and its time was over: it shows nothing then. A refusal for another
// reason is what it is, however late it comes.
func (g *guardPlay) lateIfEnded(step string, of askedTask, r *conversation.Reply) {
	if of.lasts > 0 && r.Answer.Refuses("TaskNotCancelable", "OperationNotSupported", "InvalidTaskState") {
		g.NewAgentWork(of.began, of.lasts).MarkLateIfAfterWork(step)
	}
}

// askAsStrangers lets another client ask for a task while it runs, and meddle with it if the
// protocol rules what comes of that. One that waits for its owner is a further place: it
// runs as long as the calls take, whatever the network does. The look is the owner's.
func (g *guardPlay) askAsStrangers(task string, look *conversation.Reply, runs askedTask) {
	if !g.asksAsSecond() {
		return
	}
	g.Call(g.stepOfSecond("second-unknown", "get", "look"), dialect.Outgoing{Task: g.NewID()})
	g.Call(g.stepOfSecond("second-get", "get", "look"), dialect.Outgoing{Task: task})
	if !g.Dialect.Has("list") {
		return
	}
	g.callWebhookOpsAsStranger(task)
	_, runs.spare = g.Stimulus("ask")
	gone := runs.task == task && g.IsCanceled(look.State)
	inTime := !runs.spare || g.Client.Now()-runs.began < runs.lasts/2
	switch {
	case gone: // by our own call without credentials
		g.NotSent(conversation.Step{Name: "second-cancel", Role: record.Probe, Op: "cancel"}, "bare-cancel", "the task was canceled before")
	case inTime:
		g.cancelAsStranger(runs)
	}
	if waits := g.waitingTask(); waits.task != "" {
		defer g.subscribeAsStranger(waits)()
		g.cancelAsStranger(waits)
	} else if !inTime && !gone {
		runs.spare = false
		g.cancelAsStranger(runs)
	}
}

// waitingTask is a task of the owner that waits for an answer; there is none if the agent
// never asks.
func (g *guardPlay) waitingTask() askedTask {
	if _, asks := g.Stimulus("ask"); !asks {
		return askedTask{}
	}
	o := g.NewMessage("ask")
	made := g.Call(conversation.Step{Name: "own-wait", Role: record.Twin, Op: "send"}, o)
	if !g.AwaitsClient(made.State) {
		return askedTask{}
	}
	return askedTask{task: conversation.TaskID(o, made), twin: "own-wait", place: "-waiting"}
}

// cancelAsStranger lets another client cancel a task, at which its owner then looks.
func (g *guardPlay) cancelAsStranger(of askedTask) {
	name := "second-cancel" + of.place
	r := g.Call(g.stepOfSecond(name, "cancel", of.twin), dialect.Outgoing{Task: of.task})
	look := g.Call(conversation.Step{Name: "second-look" + of.place, Op: "get"}, dialect.Outgoing{Task: of.task})
	if !of.spare {
		g.lateIfEnded(name, of, r)
		g.lateIf(of.lasts > 0 && !r.OK() && g.hasEnded(look), name)
	}
}

// answerAsStranger lets another client answer what the agent asked the first.
func (g *guardPlay) answerAsStranger(task string) {
	twin := "task"
	if _, known := g.Stimulus("ask"); known { // an ended task takes no message from anybody
		twin = "own-ask"
		o := g.NewMessage("ask")
		if task = conversation.TaskID(o, g.Call(conversation.Step{Name: twin, Role: record.Twin, Op: "send"}, o)); task == "" {
			return
		}
	}
	o := g.NewMessage("quick")
	o.Task, o.Context = task, ""
	g.Call(conversation.Step{Name: "second-send", Role: record.Probe, Op: "send", As: record.Second, Twin: twin}, o)
}

// probeAsOtherValidCallers lets further clients ask for what is not theirs.
func (g *guardPlay) probeAsOtherValidCallers(task, context string) {
	if g.asksAsSecond() {
		if g.Dialect.Has("list") {
			g.answerAsStranger(task)
		}
		if context != "" && g.Dialect.Has("list") {
			g.PageThroughTasksReturningFirst("list", context, dialect.Listing{})
			for _, s := range []conversation.Step{{Name: "second-list", Ctx: context}, {Name: "second-list-all"}} {
				s.Role, s.Op, s.As, s.Twin = record.Probe, "list", record.Second, "list"
				g.Call(s, dialect.Outgoing{Context: s.Ctx})
			}
		}
	}
	_, low := g.Callers[record.Low]
	if _, known := g.Stimulus("forbidden"); low && known {
		g.Call(conversation.Step{Name: "allowed", Role: record.Twin, Op: "send"}, g.NewMessage("forbidden"))
		g.Call(conversation.Step{Name: "forbidden", Role: record.Probe, Op: "send", As: record.Low, Twin: "allowed"}, g.NewMessage("forbidden"))
	}
}

// callWebhookOpsAsStranger lets a further client ask for the webhooks of a task that is not its,
// and change them, if a task may have several.
func (g *guardPlay) callWebhookOpsAsStranger(task string) {
	if g.webhook == "" {
		return
	}
	config := g.Writer.Push(dialect.Push{ID: g.NewID(), URL: conversation.Nowhere + g.NewID()})
	for _, s := range []conversation.Step{
		{Name: "second-push-get", Op: "push-get", Twin: "push-get"},
		{Name: "second-push-list", Op: "push-list", Twin: "push-get"},
		{Name: "second-push-set", Op: "push-set", Twin: "push-set"},
		{Name: "second-push-delete", Op: "push-delete", Twin: "push-set"},
	} {
		s.Role, s.As = record.Probe, record.Second
		g.Call(s, dialect.Outgoing{Task: task, Config: g.webhook, Push: config})
	}
}
