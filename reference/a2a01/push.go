package a2a01

import (
	"context"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// The structures of sections 6.8 to 6.10 as this server sends them.

type pushConfig struct {
	URL            string          `json:"url"`
	Token          *string         `json:"token,omitempty"`
	Authentication *authentication `json:"authentication,omitempty"`
}

type taskPush struct {
	ID     string      `json:"id"`
	Config *pushConfig `json:"pushNotificationConfig"`
}

// setPush is tasks/pushNotification/set, section 7.5. A null configuration
// clears the current one.
func (a Server) setPush(_ context.Context, c *front.Call) (any, *front.RPCError) {
	if !a.Variant.Push {
		return nil, noPush()
	}
	var r front.Reader
	var push *engine.Push
	p := r.Params(c)
	id := p.Required("id")
	if v, present := p.M["pushNotificationConfig"]; v != nil || !present {
		if config, ok := p.Object("pushNotificationConfig", true); ok {
			push = front.ReadPush(config, false)
		}
	}
	if r.Err != nil {
		return nil, r.Err
	}
	if _, err := a.Engine.SetPush(id, push); err != nil {
		return nil, refusal(err)
	}
	return writeA2A01Push(id, push), nil
}

// getPush is tasks/pushNotification/get, section 7.6.
func (a Server) getPush(_ context.Context, c *front.Call) (any, *front.RPCError) {
	if !a.Variant.Push {
		return nil, noPush()
	}
	id, refused := front.ReadTaskID(c)
	if refused != nil {
		return nil, refused
	}
	pushes, err := a.Engine.Pushes(id)
	if err != nil {
		return nil, refusal(err)
	}
	if len(pushes) == 0 {
		return writeA2A01Push(id, nil), nil
	}
	return writeA2A01Push(id, &pushes[0]), nil
}

func noPush() *front.RPCError {
	return &front.RPCError{Code: pushNotSupported, Message: "Push Notification is not supported"}
}

func writeA2A01Push(id string, p *engine.Push) taskPush {
	w := taskPush{ID: id}
	if p != nil {
		w.Config = &pushConfig{URL: p.URL, Token: p.Token}
		if p.Schemes != nil {
			w.Config.Authentication = &authentication{Schemes: p.Schemes, Credentials: p.Credentials}
		}
	}
	return w
}

// notification is the body of a push notification, after the example of
// section 9.4.
func notification(_ *front.Server, _ engine.Push, t engine.Task, _ engine.Event) any {
	return struct {
		EventType string `json:"eventType"`
		TaskID    string `json:"taskId"`
		Status    Status `json:"status"`
		Summary   string `json:"summary"`
	}{"taskUpdate", t.ID, Status{State: t.Status.State, Timestamp: front.Timestamp(t.Status.Time)}, "The task is " + string(t.Status.State) + "."}
}
