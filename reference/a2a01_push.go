package reference

import (
	"context"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// The structures of sections 6.8 to 6.10 as this server sends them.

type a2a01PushConfig struct {
	URL            string               `json:"url"`
	Token          *string              `json:"token,omitempty"`
	Authentication *a2a01Authentication `json:"authentication,omitempty"`
}

type a2a01TaskPush struct {
	ID     string           `json:"id"`
	Config *a2a01PushConfig `json:"pushNotificationConfig"`
}

// setPush is tasks/pushNotification/set, section 7.5. A null configuration
// clears the current one.
func (a a2a01Server) setPush(_ context.Context, c *call) (any, *rpcError) {
	if !a.variant.push {
		return nil, a2a01NoPush()
	}
	var r reader
	var push *engine.Push
	p := r.params(c)
	id := p.required("id")
	if v, present := p.m["pushNotificationConfig"]; v != nil || !present {
		if config, ok := p.object("pushNotificationConfig", true); ok {
			push = readA2A01Push(config)
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	if _, err := a.engine.SetPush(id, push); err != nil {
		return nil, a2a01Refusal(err)
	}
	return writeA2A01Push(id, push), nil
}

// getPush is tasks/pushNotification/get, section 7.6.
func (a a2a01Server) getPush(_ context.Context, c *call) (any, *rpcError) {
	if !a.variant.push {
		return nil, a2a01NoPush()
	}
	id, refused := readA2A01ID(c)
	if refused != nil {
		return nil, refused
	}
	pushes, err := a.engine.Pushes(id)
	if err != nil {
		return nil, a2a01Refusal(err)
	}
	if len(pushes) == 0 {
		return writeA2A01Push(id, nil), nil
	}
	return writeA2A01Push(id, &pushes[0]), nil
}

func a2a01NoPush() *rpcError {
	return &rpcError{Code: a2a01PushNotSupported, Message: "Push Notification is not supported"}
}

// readA2A01Push reads a PushNotificationConfig, section 6.8.
func readA2A01Push(m members) *engine.Push {
	p := &engine.Push{URL: m.required("url"), Token: m.optional("token")}
	if why := unfitWebhook(p.URL); why != "" {
		m.r.fault("%s %s.", m.path("url"), why)
	}
	if auth, ok := m.object("authentication", false); ok {
		p.Schemes, p.Credentials = auth.strings("schemes"), auth.optional("credentials")
	}
	return p
}

func writeA2A01Push(id string, p *engine.Push) a2a01TaskPush {
	w := a2a01TaskPush{ID: id}
	if p != nil {
		w.Config = &a2a01PushConfig{URL: p.URL, Token: p.Token}
		if p.Schemes != nil {
			w.Config.Authentication = &a2a01Authentication{Schemes: p.Schemes, Credentials: p.Credentials}
		}
	}
	return w
}

// a2a01Notification is the body of a push notification, after the example of
// section 9.4.
func a2a01Notification(_ *Server, t engine.Task) any {
	return struct {
		EventType string      `json:"eventType"`
		TaskID    string      `json:"taskId"`
		Status    a2a01Status `json:"status"`
		Summary   string      `json:"summary"`
	}{"taskUpdate", t.ID, a2a01Status{State: t.Status.State, Timestamp: timestamp(t.Status.Time)}, "The task is " + string(t.Status.State) + "."}
}
