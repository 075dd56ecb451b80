package conversation

import (
	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// NewMessage is a message with the text of a stimulus that begins a new task. The
// reply is to wait for the end of the work, unless the work is known to last.
func (c *Conversation) NewMessage(stimulus string) dialect.Outgoing {
	o, wait := NewUnsubstitutedMessage(c, c.quickReplacementOrSame(stimulus)), stimulus != "slow"
	o.Blocking = &wait
	return o
}

// NewUnsubstitutedMessage is NewMessage with the text of this very stimulus, not of one that takes its place.
func NewUnsubstitutedMessage(c *Conversation, stimulus string) dialect.Outgoing {
	wait := stimulus != "slow"
	o := dialect.Outgoing{Text: c.Stimuli[stimulus].Text, Task: c.NewTask(), Context: c.NewContext(), Blocking: &wait}
	if prefix := c.Stimuli[stimulus].MessageID; prefix != "" {
		o.Message = prefix + c.NewID()
	}
	return o
}

// Request is a valid call of ours.
func (c *Conversation) Request(step, op string, o dialect.Outgoing) binding.Request {
	if o.Message == "" {
		o.Message = NewMessageID(c)
	}
	if o.Context == "" && c.Dialect.Operation(op).Agent && !c.Writer.ClientTasks && o.Task == "" && !o.Bare {
		o.Context = c.NewContext() // "" if the server is to make it
	}
	r := binding.Request{Op: op, ID: NewCallID(c, step)}
	params := c.Writer.Params[op](o)
	if c.Tenant != "" {
		if params == nil {
			params = map[string]any{}
		}
		params["tenant"] = c.Tenant
	}
	if params != nil {
		r.Params = params
	}
	return r
}
