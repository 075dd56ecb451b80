package a2a10

import (
	"context"
	"errors"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// stream is SendStreamingMessage, section 3.1.2. When the task asks for something,
// the stream ends, that of a lavish server not.
func (a Server) stream(c *front.Call) (*front.Stream, *front.RPCError) {
	if refused := a.needStreaming(); refused != nil {
		return nil, refused
	}
	p, refused := a.readSend(c)
	if refused != nil {
		return nil, refused
	}
	if p.talk {
		return front.Single(&Payload{Message: a.chat(p.request)}), nil
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
	return a.follow(sub, &Payload{Task: a.Task(sub.Start, p.history)}), nil
}

// subscribe is SubscribeToTask, section 3.1.6. It follows a task to its end; a lavish
// server shows one that asks for input, and no more.
func (a Server) subscribe(c *front.Call) (*front.Stream, *front.RPCError) {
	if refused := a.needStreaming(); refused != nil {
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
	return a.follow(sub, &Payload{Task: a.Task(sub.Start, nil)}), nil
}

func (a Server) needStreaming() *front.RPCError {
	if a.Variant.Streaming {
		return nil
	}
	return &front.RPCError{Code: Unsupported, Message: "Streaming is not supported"}
}

// follow turns the changes of a task into the results of section 3.2.3, after a
// first one. The change that the first result shows already is not told again.
func (a Server) follow(sub *engine.Subscription, first any) *front.Stream {
	begun := false
	return &front.Stream{
		Next: func(ctx context.Context) (string, any, bool) {
			if !begun {
				begun = true
				return "", first, true
			}
			for {
				ev, ok := sub.Next(ctx)
				if !ok {
					return "", nil, false
				}
				if ev.Status == nil || ev.Status.Message != sub.Start.Status.Message || ev.Final {
					return "", a.event(ev), true
				}
			}
		},
		Close: sub.Leave,
	}
}
