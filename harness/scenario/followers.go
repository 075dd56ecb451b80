package scenario

import (
	"time"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// followed sends the message that takes time by a plain call and follows its task by
// two subscriptions, of which the first has begun when the second is made. A look
// before shows how far the task had come.
var followed = Scenario{
	Name: "followed", Doc: "a message that takes time, sent by a plain call and followed by two subscriptions", Burst: 4, Wide: 3,
	Ops: []string{"send", "resubscribe", "get"}, Needs: []string{"slow"}, Claims: []string{"streaming"}, Sends: 1,
	Play: func(c *Conversation) {
		o, lasts, began := c.NewMessage("slow"), c.WorkTime("slow"), c.Client.Now()
		sent := c.Start(Step{Name: "send", Op: "send"}, o)
		defer sent.Wait()
		task, known := sent.TaskInTime(o, lasts/2, "first", "resubscribe")
		if !known {
			return
		}
		look := c.PollUntil("look", task, &Reply{}, func(int) time.Duration { return lasts / 16 }, lasts/4, func(r *Reply) bool {
			s := c.Dialect.State(r.State)
			return s != nil && (len(s.Not) > 0 || c.IsSettled(r.State))
		})
		if c.IsSettled(look.State) {
			for _, name := range []string{"first", "second"} {
				c.NotSent(Step{Name: name, Op: "resubscribe"}, "look-1", "the task had ended before it could be followed: make stimuli.slow take longer")
				c.WorkSince(began, lasts).MarkLate(name)
			}
			return
		}
		first := c.Subscribe("first", task, true)
		second := c.Start(Step{Name: "second", Op: "resubscribe", Closes: true, Quiet: c.Patience()}, dialect.Outgoing{Task: task})
		first.Wait()
		second.Wait()
		c.WorkSince(began, lasts).MarkTooLate("first")
		c.WorkSince(began, lasts).MarkTooLate("second")
	},
}

// followers streams the message that takes time and subscribes to its task beside the
// stream, which goes on. A third stream is dropped after its first event.
var followers = Scenario{
	Name: "followers", Doc: "a streamed task with a second subscription to it, and a third that is dropped", Burst: 4, Wide: 3,
	Ops: []string{"stream", "resubscribe", "get"}, Needs: []string{"slow"}, Claims: []string{"streaming"}, Sends: 1,
	Play: func(c *Conversation) {
		began, lasts := c.Client.Now(), c.WorkTime("slow")
		s, task, working := OpenSlowStream(c, "subscribe")
		defer s.Wait()
		if s.Over() {
			c.NotSent(Step{Name: "joined", Op: "resubscribe"}, "subscribe", "the stream had ended before another could be opened: make stimuli.slow take longer")
			c.WorkSince(began, lasts).MarkLate("joined")
			c.NotSent(Step{Name: "dropped", Op: "resubscribe"}, "subscribe", "the stream had ended before another could be opened: make stimuli.slow take longer")
			c.Call(Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: s.Wait().Task})
			return
		}
		if task == "" {
			s.EndUnnamedStream(working-began >= lasts, "joined", "resubscribe")
			return
		}
		joined := c.Subscribe("joined", task, false)
		c.Call(Step{Name: "dropped", Op: "resubscribe", Until: UntilFirstEvent, Fresh: true, Quiet: c.Patience()}, dialect.Outgoing{Task: task})
		joined.Wait()
		s.Wait()
		c.WorkSince(began, lasts).MarkTooLate("joined")
		c.WorkSince(began, lasts).MarkTooLate("dropped")
		c.Call(Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
	},
}

// Subscribe subscribes to a task and waits for the first event; closes says that the end of
// the stream is waited for.
func (c *Conversation) Subscribe(name, task string, closes bool) *Pending {
	came := make(chan struct{})
	seen := false
	p := c.Start(Step{Name: name, Op: "resubscribe", Closes: closes, Quiet: c.Patience(), Until: func(*Reply, *wire.Node) bool {
		if !seen {
			seen = true
			close(came)
		}
		return false
	}}, dialect.Outgoing{Task: task})
	select {
	case <-came:
	case <-p.Done():
	case <-c.Context.Done():
	}
	return p
}
