package scenario

import (
	"bytes"
	"cmp"
	"fmt"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// ask makes the agent ask, looks at the history, answers without naming the
// session again, and looks at the longer history.
var ask = Scenario{
	Name: "ask", Doc: "a message that makes the agent ask, and the answer to it",
	Ops: []string{"send", "get"}, Needs: []string{"ask"}, Sends: 2, Chain: 1,
	Play: func(c *Conversation) {
		play := askPlay{c}
		o := c.NewMessage("ask")
		sent := c.Call(Step{Name: "send", Op: "send"}, o)
		task := TaskID(o, sent)
		if !c.AwaitsClient(c.PollSoon("poll", task, sent.State)) {
			c.EndPlay(Step{Name: "answer", Op: "send"}, "send", "the agent did not wait for an answer")
			return
		}
		c.LookUp("waiting-1", task, 1)
		waiting := c.LookUp("waiting-50", task, 50)
		answer := play.newAnswer(o, sent)
		if c.Writer.RepliedContexts { // the task has one
			answer.Context = ""
		}
		if !c.Writer.ClientTasks { // who makes the task's id lets a reply be shortened
			for i := range 3 {
				c.LookUp(fmt.Sprintf("idle-%d", i+1), task, 50)
			}
			one := 1
			answer.HistoryLength = &one
		}
		answered := c.Call(Step{Name: "answer", Op: "send"}, answer)
		c.PollOnward("after", task, waiting.TaskStatus, answered)
		c.LookUp("done-1", task, 1)
		c.LookUp("done-50", task, 50)
	},
}

// askPlay is a play in which the agent asks a question.
type askPlay struct{ *Conversation }

// newAnswer is the message that lets a waiting task go on. Where the client chose
// the task's id, that is all it names.
func (c askPlay) newAnswer(o dialect.Outgoing, r *Reply) dialect.Outgoing {
	next := FollowUp(cmp.Or(c.Stimuli["ask"].Answer, "yes"), o, r)
	if c.Writer.ClientTasks {
		next.Context = ""
	}
	return next
}

// askStream makes the agent ask in a stream and answers by another. Where a task
// that waits can be followed, that is done in between.
var askStream = Scenario{
	Name: "ask-stream", Doc: "a question and its answer, each in a stream",
	Ops: []string{"stream", "get"}, Needs: []string{"ask"}, Claims: []string{"streaming"}, Sends: 2, Chain: 1,
	Play: func(c *Conversation) {
		play := askPlay{c}
		o := c.NewMessage("ask")
		s := c.Call(Step{Name: "subscribe", Op: "stream"}, o)
		task := TaskID(o, s)
		if !c.AwaitsClient(c.PollSoon("poll", task, s.State)) {
			c.EndPlay(Step{Name: "answer", Op: "stream"}, "subscribe", "the agent did not wait for an answer")
			return
		}
		if c.Writer.FollowsWaiting {
			c.Call(Step{Name: "waiting", Op: "resubscribe", Quiet: c.Window("silence", 10*time.Second)}, dialect.Outgoing{Task: task})
		}
		c.Call(Step{Name: "answer", Op: "stream"}, play.newAnswer(o, s))
	},
}

// letters are of several scripts: an accent of its own, right to left, and
// beyond the first 65536.
const letters = "Zoe\u0308 Привет 日本 שלום 😀"

// history asks for the messages of a task in several lengths.
var history = Scenario{
	Name: "history", Doc: "one harmless message, and looks at the messages of its task",
	Ops: []string{"send", "get"}, Sends: 1,
	Play: func(c *Conversation) {
		play := endedPlay{c}
		o, five := c.NewMessage("quick"), 5
		o.Text += " " + NewToken(c) + " " + letters
		o.HistoryLength = &five
		sent := c.Call(Step{Name: "send", Op: "send"}, o)
		task := TaskID(o, sent)
		ended := c.PollSoon("poll", task, sent.State)
		if task == "" {
			for _, look := range []string{"get-10", "get-50", "get-1"} {
				c.NotSent(Step{Name: look, Op: "get"}, "send", "the reply to send named no task")
			}
			return
		}
		play.offerIfUnchanged(o, sent, ended, c.LookUp("get-10", task, 10), c.LookUp("get-50", task, 50), c.LookUp("get-1", task, 1))
	},
}

// twoTasks begins two tasks at the same time, without a session.
var twoTasks = Scenario{
	Name: "two-tasks", Doc: "two harmless messages at the same time, without a session", Wide: 2,
	Ops: []string{"send", "get"}, Sends: 2,
	Play: func(c *Conversation) {
		ten := 10
		ours := func() dialect.Outgoing {
			return dialect.Outgoing{Text: c.Text("quick") + " " + NewToken(c), Task: c.NewTask(), HistoryLength: &ten}
		}
		oa, ob := ours(), ours()
		a := c.Start(Step{Name: "a", Op: "send"}, oa)
		b := c.Start(Step{Name: "b", Op: "send"}, ob)
		ra, rb := a.Wait(), b.Wait()
		c.LookUp("get-a", TaskID(oa, ra), 10)
		c.LookUp("get-b", TaskID(ob, rb), 10)
		if rb.OK() && TaskID(ob, rb) != "" {
			c.Offer("b", ob, rb)
		}
	},
}

// sessions begins two tasks in one session, the second when the first has
// ended, and with a reference to it where messages can have one. Where the agent
// can remember, the first tells it something, and the second and, at the same
// time, a task of another session ask for it.
var sessions = Scenario{
	Name: "sessions", Doc: "two tasks in one session and, where the agent remembers, one in another", Wide: 2,
	Ops: []string{"send", "get"}, Sends: 3, Chain: 1, Instead: []string{"remember", "recall"},
	Play: func(c *Conversation) {
		_, remembers := c.Stimulus("remember")
		_, recalls := c.Stimulus("recall")
		remembers = remembers && recalls
		begin, ask := "quick", "quick"
		if remembers {
			begin, ask = "remember", "recall"
		}
		of := c.NewMessage(begin)
		if remembers {
			of.Text += " " + NewToken(c)
		}
		of.Bare = c.Writer.ServerContexts
		if of.Bare {
			of.Context = ""
		}
		f := c.Call(Step{Name: "first", Op: "send"}, of)
		first := TaskID(of, f)
		c.PollSoon("first-poll", first, f.State)
		ot := c.NewMessage(ask)
		var t *Pending
		if remembers && !of.Bare { // what a context that the server names knows of others is its own affair
			t = c.Start(Step{Name: "stranger", Op: "send", Role: wire.Probe}, ot)
		}
		os := c.NewMessage(ask)
		if os.Context = of.Context; of.Bare {
			os.Context = f.Ctx
		}
		if first != "" {
			os.References = []string{first}
		}
		separateTimestamps(c)
		s := c.Call(Step{Name: "second", Op: "send"}, os)
		if !s.OK() && first != "" && bytes.Contains(s.Request.Body, []byte(first)) {
			// It may be the context that the server does not take any more, and not the reference.
			plain := os
			plain.References = nil
			c.Call(Step{Name: "second-plain", Op: "send", Role: wire.Probe}, plain)
		}
		second := TaskID(os, s)
		c.PollSoon("second-poll", second, s.State)
		if f.OK() && s.OK() && s.Ctx == f.Ctx {
			c.Offer("second", os, s)
		}
		c.Call(Step{Name: "get-first", Op: "get"}, dialect.Outgoing{Task: first})
		c.Call(Step{Name: "get-second", Op: "get"}, dialect.Outgoing{Task: second})
		switch {
		case of.Bare:
			return
		case !remembers:
			lacked := c.FirstLacked([]string{"remember", "recall"})
			c.EndPlay(Step{Name: "stranger", Op: "send"}, "", "%s", operator.NoStimulus(lacked))
			c.Play.Lacks = lacked
			return
		}
		stranger := TaskID(ot, t.Wait())
		c.PollSoon("stranger-poll", stranger, t.Reply().State)
		c.Call(Step{Name: "get-stranger", Op: "get"}, dialect.Outgoing{Task: stranger})
	},
}
