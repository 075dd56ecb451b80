package a2a03

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// The structures of sections 6.8 to 6.10 as this server sends them.

type taskPush struct {
	TaskID string     `json:"taskId"`
	Config pushConfig `json:"pushNotificationConfig"`
}

type pushConfig struct {
	ID             string    `json:"id"`
	URL            string    `json:"url"`
	Token          *string   `json:"token,omitempty"`
	Authentication *pushAuth `json:"authentication,omitempty"`
}

type pushAuth struct {
	Schemes     []string `json:"schemes"`
	Credentials *string  `json:"credentials,omitempty"`
}

// setPush is tasks/pushNotificationConfig/set, section 7.5.
func (a Server) setPush(_ context.Context, c *front.Call) (any, *front.RPCError) {
	var push *engine.Push
	id, refused := a.readPushParams(c, "taskId", func(p front.Members) {
		if config, ok := p.Object("pushNotificationConfig", true); ok {
			push = front.ReadPush(config, true)
		}
	})
	if refused != nil {
		return nil, refused
	}
	kept, err := a.Engine.SetPush(id, push)
	if err != nil {
		return nil, Refusal(err)
	}
	return writeA2A03Push(id, *kept), nil
}

// getPush is tasks/pushNotificationConfig/get, section 7.6. Without the id of a
// configuration it returns the first.
func (a Server) getPush(_ context.Context, c *front.Call) (any, *front.RPCError) {
	var config *string
	id, refused := a.readPushParams(c, "id", func(p front.Members) { config = p.Optional("pushNotificationConfigId") })
	if refused != nil {
		return nil, refused
	}
	pushes, err := a.Engine.Pushes(id)
	if err != nil {
		return nil, Refusal(err)
	}
	i := slices.IndexFunc(pushes, func(p engine.Push) bool { return config == nil || p.ID == *config })
	if i < 0 {
		return nil, &front.RPCError{Code: front.CodeInvalidParams, Message: "The task has no such configuration"}
	}
	return writeA2A03Push(id, pushes[i]), nil
}

// listPush is tasks/pushNotificationConfig/list, section 7.7.
func (a Server) listPush(_ context.Context, c *front.Call) (any, *front.RPCError) {
	id, refused := a.readPushParams(c, "id", func(front.Members) {})
	if refused != nil {
		return nil, refused
	}
	pushes, err := a.Engine.Pushes(id)
	if err != nil {
		return nil, Refusal(err)
	}
	list := []taskPush{}
	for _, p := range pushes {
		list = append(list, writeA2A03Push(id, p))
	}
	return list, nil
}

// deletePush is tasks/pushNotificationConfig/delete, section 7.8. What is gone
// already may be deleted again.
func (a Server) deletePush(_ context.Context, c *front.Call) (any, *front.RPCError) {
	var config string
	id, refused := a.readPushParams(c, "id", func(p front.Members) { config = p.Required("pushNotificationConfigId") })
	if refused != nil {
		return nil, refused
	}
	if err := a.Engine.DeletePush(id, config); err != nil {
		return nil, Refusal(err)
	}
	return json.RawMessage("null"), nil
}

// readPushParams reads the params of a method about push notifications: the
// id of the task under its name, and the rest.
func (a Server) readPushParams(c *front.Call, name string, rest func(front.Members)) (string, *front.RPCError) {
	if !a.Variant.Push {
		return "", &front.RPCError{Code: pushNotSupported, Message: "Push Notification is not supported"}
	}
	var r front.Reader
	p := r.Params(c)
	id := p.Required(name)
	p.Metadata()
	rest(p)
	return id, r.Err
}

func writeA2A03Push(task string, p engine.Push) taskPush {
	w := taskPush{task, pushConfig{ID: p.ID, URL: p.URL, Token: p.Token}}
	if p.Schemes != nil {
		w.Config.Authentication = &pushAuth{p.Schemes, p.Credentials}
	}
	return w
}

// notification is the body of a push notification: the task, as in the
// example of section 9.5.
func notification(s *front.Server, _ engine.Push, t engine.Task, _ engine.Event) any {
	return Server{s}.Task(t, nil)
}

const (
	SetPushConfigMethod    = "tasks/pushNotificationConfig/set"
	GetPushConfigMethod    = "tasks/pushNotificationConfig/get"
	ListPushConfigMethod   = "tasks/pushNotificationConfig/list"
	DeletePushConfigMethod = "tasks/pushNotificationConfig/delete"
)
