package task

import (
	"bytes"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Sessions begins two tasks in one session, the second when the first has
// ended, and with a reference to it if messages can have one. If the agent
// can remember, the first shows it something, and the second and, at the same
// time, a task of another session ask for it. Together with the first goes the message of another play, so that calls at
// the same time can be looked at.
var Sessions = conversation.Scenario{Name: "sessions", Play: func(c *conversation.Conversation) {
	_, remembers := c.Stimulus("remember")
	_, recalls := c.Stimulus("recall")
	remembers = remembers && recalls
	begin, ask := "quick", "quick"
	if remembers {
		begin, ask = "remember", "recall"
	}
	of := c.NewMessage(begin)
	if remembers {
		of.Text += " " + conversation.NewToken(c)
	}
	of.Bare = c.Writer.ServerContexts
	if of.Bare {
		of.Context = ""
	}
	beside := startArtifactBeside(c)
	f := c.Call(conversation.Step{Name: "first", Op: "send"}, of)
	conversation.OfferToCrowd(c, "first", of, f)
	beside()
	first := conversation.TaskID(of, f)
	c.PollBrieflyUntilAtRest("first-poll", first, f.State)
	ot := c.NewMessage(ask)
	var t *conversation.Pending
	if remembers && !of.Bare { // what a context that the server names knows of others is its own affair
		t = c.Start(conversation.Step{Name: "stranger", Op: "send", Role: record.Probe}, ot)
	}
	os := c.NewMessage(ask)
	if os.Context = of.Context; of.Bare {
		os.Context = f.Ctx
	}
	if first != "" {
		os.References = []string{first}
	}
	separateTimestamps(c)
	s := c.Call(conversation.Step{Name: "second", Op: "send"}, os)
	if !s.OK() && first != "" && bytes.Contains(s.Request.Body, []byte(first)) {
		// It may be the context that the server does not take any more, and not the reference.
		plain := os
		plain.References = nil
		c.Call(conversation.Step{Name: "second-plain", Op: "send", Role: record.Probe}, plain)
	}
	second := conversation.TaskID(os, s)
	c.PollBrieflyUntilAtRest("second-poll", second, s.State)
	if f.OK() && s.OK() && s.Ctx == f.Ctx {
		c.OfferStepUnderPlaysName("second", os, s)
	}
	c.Call(conversation.Step{Name: "get-first", Op: "get"}, dialect.Outgoing{Task: first})
	c.Call(conversation.Step{Name: "get-second", Op: "get"}, dialect.Outgoing{Task: second})
	switch {
	case of.Bare:
		return
	case !remembers:
		lacked := c.FirstLacked([]string{"remember", "recall"})
		c.EndPlayWithUnsentStep(conversation.Step{Name: "stranger", Op: "send"}, "", "%s", operator.NoStimulus(lacked))
		c.Play.Lacks = lacked
		return
	}
	stranger := conversation.TaskID(ot, t.Wait())
	c.PollBrieflyUntilAtRest("stranger-poll", stranger, t.Reply().State)
	c.Call(conversation.Step{Name: "get-stranger", Op: "get"}, dialect.Outgoing{Task: stranger})
}}

// separateTimestamps lets a little time pass if tasks can be listed by time, since a
// server may write it in milliseconds.
func separateTimestamps(c *conversation.Conversation) {
	if c.Dialect.Has("list") {
		c.Pause(5 * time.Millisecond)
	}
}

// startArtifactBeside sends the message of the play artifact if that and the one that looks at calls at the same time are
// performed. The returned function waits for the answer and leaves it to both.
func startArtifactBeside(c *conversation.Conversation) (wait func()) {
	const step = "artifact"
	if !c.IsPlayDue("artifact", "send") || !c.IsPlayDue("crowd", "") {
		return func() {}
	}
	o := c.NewMessage("chunks")
	if c.Writer.ServerContexts {
		o.Context, o.Bare = "", true
	}
	sent := c.Start(conversation.Step{Name: step, Op: "send"}, o)
	return func() {
		r := sent.Wait()
		conversation.OfferToCrowd(c, step, o, r)
		if r.OK() && conversation.TaskID(o, r) != "" {
			c.OfferStepUnderName(conversation.ArtifactOffer, step, o, r)
		}
	}
}
