package a2a10

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/a2a03"
	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// pushConfig is a TaskPushNotificationConfig, section 4.3.1.
type pushConfig struct {
	Tenant         string    `json:"tenant,omitempty"`
	ID             string    `json:"id"`
	TaskID         string    `json:"taskId"`
	URL            string    `json:"url"`
	Token          string    `json:"token,omitempty"`
	Authentication *pushAuth `json:"authentication,omitempty"`
}

// pushAuth is an AuthenticationInfo, section 4.3.2.
type pushAuth struct {
	Scheme      string `json:"scheme"`
	Credentials string `json:"credentials,omitempty"`
}

// pushList is a ListTaskPushNotificationConfigsResponse.
type pushList struct {
	Configs       []pushConfig `json:"configs"`
	NextPageToken string       `json:"nextPageToken"`
}

// createPush is CreateTaskPushNotificationConfig, section 3.1.7.
func (a Server) createPush(_ context.Context, c *front.Call) (any, *front.RPCError) {
	var push *engine.Push
	id, refused := a.readPushParams(c, func(p front.Members) { push = readPush(p) })
	if refused != nil {
		return nil, refused
	}
	if push.ID == "" {
		push.ID = a.NewID()
	}
	kept, err := a.Engine.SetPush(id, push)
	if err != nil {
		return nil, Refusal(err)
	}
	return writePush(id, *kept), nil
}

// getPush is GetTaskPushNotificationConfig, section 3.1.8.
func (a Server) getPush(_ context.Context, c *front.Call) (any, *front.RPCError) {
	var config string
	id, refused := a.readPushParams(c, func(p front.Members) { config = required(p, "id") })
	if refused != nil {
		return nil, refused
	}
	pushes, err := a.Engine.Pushes(id)
	if err != nil {
		return nil, Refusal(err)
	}
	i := slices.IndexFunc(pushes, func(p engine.Push) bool { return p.ID == config })
	if i < 0 {
		return nil, &front.RPCError{Code: TaskNotFound, Message: "The task has no such configuration"}
	}
	return writePush(id, pushes[i]), nil
}

// listPush is ListTaskPushNotificationConfigs, section 3.1.9. A client that asks for
// pages of a size gets them.
func (a Server) listPush(_ context.Context, c *front.Call) (any, *front.RPCError) {
	var size, from int
	id, refused := a.readPushParams(c, func(p front.Members) {
		size = p.Count("pageSize")
		if token := optional(p, "pageToken"); token != "" {
			var ok bool
			if from, ok = readPageToken(token); !ok {
				p.R.Fault("%s is not a token of this server.", p.Path("pageToken"))
			}
		}
	})
	if refused != nil {
		return nil, refused
	}
	pushes, err := a.Engine.Pushes(id)
	if err != nil {
		return nil, Refusal(err)
	}
	page := pushList{Configs: []pushConfig{}}
	for i, p := range pushes {
		switch {
		case i < from:
		case size > 0 && len(page.Configs) == size:
			page.NextPageToken = pageToken(i)
			return page, nil
		default:
			page.Configs = append(page.Configs, writePush(id, p))
		}
	}
	return page, nil
}

// deletePush is DeleteTaskPushNotificationConfig, section 3.1.10. What is gone
// already may be deleted again.
func (a Server) deletePush(_ context.Context, c *front.Call) (any, *front.RPCError) {
	var config string
	id, refused := a.readPushParams(c, func(p front.Members) { config = required(p, "id") })
	if refused != nil {
		return nil, refused
	}
	if err := a.Engine.DeletePush(id, config); err != nil {
		return nil, Refusal(err)
	}
	return json.RawMessage("{}"), nil
}

// readPushParams reads the params of an operation on push configurations: the id
// of a task that the caller may see, and the rest.
func (a Server) readPushParams(c *front.Call, rest func(front.Members)) (string, *front.RPCError) {
	if !a.Variant.Push {
		return "", &front.RPCError{Code: pushNotSupported, Message: "Push Notification is not supported"}
	}
	var r front.Reader
	p := a.params(&r, c)
	id := required(p, "taskId")
	rest(p)
	if r.Err != nil {
		return "", r.Err
	}
	if _, err := a.find(c, id); err != nil {
		return "", Refusal(err)
	}
	return id, nil
}

// readPush reads a TaskPushNotificationConfig.
func readPush(m front.Members) *engine.Push {
	p := &engine.Push{ID: optional(m, "id"), URL: required(m, "url"), Token: m.Optional("token"), Tenant: m.Optional("tenant"), Events: true}
	m.CheckWebhook("url", p.URL)
	if auth, ok := m.Object("authentication", false); ok {
		p.Schemes, p.Credentials = []string{required(auth, "scheme")}, auth.Optional("credentials")
	}
	return p
}

func writePush(task string, p engine.Push) pushConfig {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	w := pushConfig{Tenant: text(p.Tenant), ID: p.ID, TaskID: task, URL: p.URL, Token: text(p.Token)}
	if len(p.Schemes) > 0 {
		w.Authentication = &pushAuth{p.Schemes[0], text(p.Credentials)}
	}
	return w
}

// notification is the body of a push notification: the change as a stream would tell
// it (section 4.3.3), or the whole task from a lavish server. A receiver that was
// set up by a client of 0.3 gets what it knows.
func notification(s *front.Server, to engine.Push, t engine.Task, change engine.Event) any {
	a := Server{Server: s}
	switch {
	case !to.Events:
		return a2a03.Dialect.Notification(s, to, t, change)
	case s.Variant.Lavish:
		return &Payload{Task: a.Task(t, nil)}
	}
	return a.event(change)
}
