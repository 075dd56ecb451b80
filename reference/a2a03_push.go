package reference

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// The structures of sections 6.8 to 6.10 as this server sends them.

type a2a03TaskPush struct {
	TaskID string          `json:"taskId"`
	Config a2a03PushConfig `json:"pushNotificationConfig"`
}

type a2a03PushConfig struct {
	ID             string         `json:"id"`
	URL            string         `json:"url"`
	Token          *string        `json:"token,omitempty"`
	Authentication *a2a03PushAuth `json:"authentication,omitempty"`
}

type a2a03PushAuth struct {
	Schemes     []string `json:"schemes"`
	Credentials *string  `json:"credentials,omitempty"`
}

// setPush is tasks/pushNotificationConfig/set, section 7.5.
func (a a2a03Server) setPush(_ context.Context, c *call) (any, *rpcError) {
	var push *engine.Push
	id, refused := a.readPushParams(c, "taskId", func(p members) {
		if config, ok := p.object("pushNotificationConfig", true); ok {
			push = readA2A03Push(config)
		}
	})
	if refused != nil {
		return nil, refused
	}
	kept, err := a.engine.SetPush(id, push)
	if err != nil {
		return nil, a2a03Refusal(err)
	}
	return writeA2A03Push(id, *kept), nil
}

// getPush is tasks/pushNotificationConfig/get, section 7.6. Without the id of a
// configuration it returns the first.
func (a a2a03Server) getPush(_ context.Context, c *call) (any, *rpcError) {
	var config *string
	id, refused := a.readPushParams(c, "id", func(p members) { config = p.optional("pushNotificationConfigId") })
	if refused != nil {
		return nil, refused
	}
	pushes, err := a.engine.Pushes(id)
	if err != nil {
		return nil, a2a03Refusal(err)
	}
	i := slices.IndexFunc(pushes, func(p engine.Push) bool { return config == nil || p.ID == *config })
	if i < 0 {
		return nil, &rpcError{Code: codeInvalidParams, Message: "The task has no such configuration"}
	}
	return writeA2A03Push(id, pushes[i]), nil
}

// listPush is tasks/pushNotificationConfig/list, section 7.7.
func (a a2a03Server) listPush(_ context.Context, c *call) (any, *rpcError) {
	id, refused := a.readPushParams(c, "id", func(members) {})
	if refused != nil {
		return nil, refused
	}
	pushes, err := a.engine.Pushes(id)
	if err != nil {
		return nil, a2a03Refusal(err)
	}
	list := []a2a03TaskPush{}
	for _, p := range pushes {
		list = append(list, writeA2A03Push(id, p))
	}
	return list, nil
}

// deletePush is tasks/pushNotificationConfig/delete, section 7.8. What is gone
// already may be deleted again.
func (a a2a03Server) deletePush(_ context.Context, c *call) (any, *rpcError) {
	var config string
	id, refused := a.readPushParams(c, "id", func(p members) { config = p.required("pushNotificationConfigId") })
	if refused != nil {
		return nil, refused
	}
	if err := a.engine.DeletePush(id, config); err != nil {
		return nil, a2a03Refusal(err)
	}
	return json.RawMessage("null"), nil
}

// readPushParams reads the params of a method about push notifications: the
// id of the task under its name, and the rest.
func (a a2a03Server) readPushParams(c *call, name string, rest func(members)) (string, *rpcError) {
	if !a.variant.push {
		return "", &rpcError{Code: a2a03PushNotSupported, Message: "Push Notification is not supported"}
	}
	var r reader
	p := r.params(c)
	id := p.required(name)
	p.metadata()
	rest(p)
	return id, r.err
}

// readA2A03Push reads a PushNotificationConfig, section 6.8.
func readA2A03Push(m members) *engine.Push {
	p := &engine.Push{URL: m.required("url"), Token: m.optional("token")}
	if id := m.optional("id"); id != nil {
		p.ID = *id
	}
	if why := unfitWebhook(p.URL); why != "" {
		m.r.fault("%s %s.", m.path("url"), why)
	}
	if auth, ok := m.object("authentication", false); ok {
		p.Schemes, p.Credentials = auth.strings("schemes"), auth.optional("credentials")
	}
	return p
}

func writeA2A03Push(task string, p engine.Push) a2a03TaskPush {
	w := a2a03TaskPush{task, a2a03PushConfig{ID: p.ID, URL: p.URL, Token: p.Token}}
	if p.Schemes != nil {
		w.Config.Authentication = &a2a03PushAuth{p.Schemes, p.Credentials}
	}
	return w
}

// a2a03Notification is the body of a push notification: the task, as in the
// example of section 9.5.
func a2a03Notification(s *Server, t engine.Task) any {
	return a2a03Server{s}.task(t, nil)
}

const (
	setPushConfigMethod    = "tasks/pushNotificationConfig/set"
	getPushConfigMethod    = "tasks/pushNotificationConfig/get"
	listPushConfigMethod   = "tasks/pushNotificationConfig/list"
	deletePushConfigMethod = "tasks/pushNotificationConfig/delete"
)
