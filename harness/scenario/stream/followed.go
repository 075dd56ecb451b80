package stream

import (
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// Followed sends the message that takes time by a plain call and follows its task by
// two subscriptions, of which the first has begun when the second is made. A look
// before shows how far the task had come. Looks until its end serve the conversation that only looks.
var Followed = conversation.Scenario{Name: "followed", Play: func(c *conversation.Conversation) {
	o, lasts, began := c.NewMessage("slow"), c.WorkTime("slow"), c.Client.Now()
	sent := c.Start(conversation.Step{Name: "send", Op: "send"}, o)
	defer sent.Wait()
	task, known := sent.AwaitTaskOrEndPlay(o, lasts/2, "first", "resubscribe")
	if !known {
		return
	}
	look := c.PollUntil("look", task, &conversation.Reply{}, func(int) time.Duration { return lasts / 16 }, lasts/4, func(r *conversation.Reply) bool {
		s := c.Dialect.State(r.State)
		return s != nil && (len(s.Not) > 0 || c.IsTerminalOrAwaitsClient(r.State))
	})
	if c.IsTerminalOrAwaitsClient(look.State) {
		for _, name := range []string{"first", "second"} {
			c.NotSent(conversation.Step{Name: name, Op: "resubscribe"}, "look-1", "the task had ended before it could be followed: make stimuli.slow take longer")
			c.NewAgentWork(began, lasts).MarkLateIfAfterWork(name)
		}
		return
	}
	first := c.Subscribe("first", task, true)
	second := c.Start(conversation.Step{Name: "second", Op: "resubscribe", Closes: true, Quiet: c.PatienceForSlowMessage()}, dialect.Outgoing{Task: task})
	ended := ""
	if c.IsPlayDue("slow", "") || c.IsPlayDue("list", "first") {
		ended = c.PollUntilAtRest("poll", task, look.State, lasts/8, c.PatienceForSlowMessage())
	}
	first.Wait()
	second.Wait()
	c.NewAgentWork(began, lasts).MarkLateIfNearWorkEnd("first")
	c.NewAgentWork(began, lasts).MarkLateIfNearWorkEnd("second")
	if r := sent.Wait(); r.OK() && c.IsTerminal(ended) && !c.IsTerminalOrAwaitsClient(r.State) {
		c.OfferTaskWithLooks("send", "poll", o, r)
		c.OfferStepUnderName("followed/list", "send", o, r)
	}
}}
