package conversation

import (
	"fmt"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Work is the time in which an agent works on a message.
type Work struct {
	c     *Conversation
	began record.Instant
	lasts time.Duration
}

// MarkLateIfAfterWork marks a step that had to come while the task ran, and was answered only
// after its declared end, or was due only then and not made: it shows nothing
// about the server. The play is then performed once more.
func (w Work) MarkLateIfAfterWork(step string) {
	c, began, lasts := w.c, w.began, w.lasts
	s := c.Play.Step(step)
	if s == nil || s.Unsayable { // no time is early enough for what the binding cannot express
		return
	}
	what, at := "due", c.Client.Now()
	if s.Exchange != nil {
		what, at = "answered", s.Exchange.End
	}
	if at-began >= lasts {
		s.Late = fmt.Sprintf("it was %s %.2f s after the message, whose work lasts %.2f s", what, (at - began).Seconds(), lasts.Seconds())
	}
}

// MarkLateIfNearWorkEnd marks a subscription that was made when the work was as good as done.
func (w Work) MarkLateIfNearWorkEnd(step string) {
	s := w.c.Play.Step(step)
	if s == nil || s.Exchange == nil || s.Late != "" {
		return
	}
	if at := s.Exchange.Start - w.began; at > w.lasts*3/4 {
		s.Late = fmt.Sprintf("it was made %.2f s after the message, whose work lasts %.2f s", at.Seconds(), w.lasts.Seconds())
	}
}

// NewAgentWork returns the work that began with a message and lasts as long as declared.
func (c *Conversation) NewAgentWork(began record.Instant, lasts time.Duration) Work {
	return Work{c, began, lasts}
}
