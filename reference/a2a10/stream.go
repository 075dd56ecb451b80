package a2a10

import (
	"errors"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// stream is SendStreamingMessage, section 3.1.2. When the task asks for something,
// the stream ends, that of a lavish server not.
func (a Server) stream(c *front.Call) (*front.Stream, *front.RPCError) {
	if refused := a.NeedStreaming(Unsupported); refused != nil {
		return nil, refused
	}
	p, refused := a.readSend(c)
	if refused != nil {
		return nil, refused
	}
	if p.talk {
		return front.Single(a.chat(p.request)), nil
	}
	p.request.Stream = true
	sub, err := a.Engine.Send(p.request)
	if err != nil {
		return nil, Refusal(err)
	}
	if a.Variant.Lavish {
		sub.Beyond()
	}
	a.own(c, sub.Task)
	return front.Follow(sub, &Payload{Task: a.Task(sub.Start, p.history)}, a.event), nil
}

// subscribe is SubscribeToTask, section 3.1.6. It follows a task to its end; a lavish
// server shows one that asks for input, and no more.
func (a Server) subscribe(c *front.Call) (*front.Stream, *front.RPCError) {
	if refused := a.NeedStreaming(Unsupported); refused != nil {
		return nil, refused
	}
	id, refused := a.readID(c)
	if refused != nil {
		return nil, refused
	}
	t, err := a.find(c, id)
	if err != nil {
		return nil, Refusal(err)
	}
	if a.Variant.Lavish && t.Status.State == engine.InputRequired {
		return front.Single(&Payload{Task: a.Task(t, nil)}), nil
	}
	sub, err := a.Engine.Await(id)
	if errors.Is(err, engine.ErrFinished) {
		return nil, &front.RPCError{Code: Unsupported, Message: "The task has ended: no updates are to come"}
	}
	if err != nil {
		return nil, Refusal(err)
	}
	return front.Follow(sub, &Payload{Task: a.Task(sub.Start, nil)}, a.event), nil
}
