package a2a03

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// inConfig makes an edit of the configuration in the results of one method.
func inConfig(method string, edit func(*front.Reply)) func(*front.Reply) {
	return front.Answering(method, func(x *front.Reply) {
		if front.Object(x.Body, "result/pushNotificationConfig") != nil {
			edit(x)
		}
	})
}

// settingPush edits the configuration in the calls of the method set.
func settingPush(edit func(config map[string]any)) func(*front.Call) {
	return front.Misread(SetPushConfigMethod, func(body any) {
		if c := front.Object(body, "params/pushNotificationConfig"); c != nil {
			edit(c)
		}
	})
}

// listed edits the results of the method list.
func listed(edit func(x *front.Reply, list []any)) func(*front.Reply) {
	return front.Answering(ListPushConfigMethod, func(x *front.Reply) {
		if list, ok := front.At(x.Body, "result").([]any); ok {
			edit(x, list)
		}
	})
}

// unknownTask makes an edit that turns the refusal of an unknown task into a
// success.
func unknownTask(method string, result func(*front.Reply) any) func(*front.Reply) {
	return front.Answering(method, func(x *front.Reply) {
		if x.Answers("", TaskNotFound) {
			x.Succeed(result(x))
		}
	})
}

// pushMutants are about the configurations of push notifications.
var pushMutants = front.InArea("push",
	front.Mutant{Name: "push-set-null", Summary: "Setting a configuration gives null.",
		Reply: onResult(SetPushConfigMethod, func(x *front.Reply) { front.Put(x.Body, "result", nil) })},
	front.Mutant{Name: "push-named-refused", Summary: "A configuration with an id is refused as invalid.",
		Reply: front.Declining(SetPushConfigMethod, front.CodeInvalidParams, func(params any) bool { return front.Text(params, "pushNotificationConfig/id") != "" })},
	front.Mutant{Name: "push-set-unnamed", Summary: "The result of setting a configuration does not name the task.",
		Reply: onResult(SetPushConfigMethod, func(x *front.Reply) { front.Drop(x.Body, "result/taskId") })},
	front.Mutant{Name: "push-url-rewritten", Summary: "The result of setting a configuration has another URL.",
		Reply: inConfig(SetPushConfigMethod, func(x *front.Reply) {
			front.Put(x.Body, "result/pushNotificationConfig/url", front.Text(x.Body, "result/pushNotificationConfig/url")+"#")
		})},
	front.Mutant{Name: "push-id-replaced", Summary: "A configuration gets an id of the server's own in place of the client's.",
		Reply: inConfig(SetPushConfigMethod, func(x *front.Reply) {
			if front.Has(x.Request, "params/pushNotificationConfig/id") {
				front.Put(x.Body, "result/pushNotificationConfig/id", "srv-1")
			}
		})},
	front.Mutant{Name: "push-id-left-out", Summary: "A configuration without an id does not get one.",
		Reply: inConfig(SetPushConfigMethod, func(x *front.Reply) {
			if !front.Has(x.Request, "params/pushNotificationConfig/id") {
				front.Drop(x.Body, "result/pushNotificationConfig/id")
			}
		})},
	front.Mutant{Name: "push-doubled", Summary: "A configuration that is set anew stands beside the old one.",
		Engine: func(o *engine.Options) { o.Defects.PushDoubled = true }},
	front.Mutant{Name: "push-single", Summary: "A second configuration removes the first.",
		Engine: func(o *engine.Options) { o.Defects.PushSingle = true }},
	front.Mutant{Name: "push-unknown-task-accepted", Summary: "A configuration for an unknown task is confirmed.",
		Reply: unknownTask(SetPushConfigMethod, func(x *front.Reply) any { return front.At(x.Request, "params") })},
	front.Mutant{Name: "push-url-optional", Summary: "A configuration without url is stored.",
		Call: settingPush(func(c map[string]any) {
			if c["url"] == nil {
				c["url"] = mutants.SomeHook
			}
		})},
	front.Mutant{Name: "push-set-without-task", Summary: "A configuration for no task is confirmed.",
		Reply: front.Answering(SetPushConfigMethod, func(x *front.Reply) {
			if !front.Has(x.Request, "params/taskId") {
				x.Succeed(map[string]any{"taskId": "", "pushNotificationConfig": front.At(x.Request, "params/pushNotificationConfig")})
			}
		})},
	front.Mutant{Name: "push-url-unchecked", Summary: "A URL that is not absolute is stored.",
		Call: settingPush(func(c map[string]any) {
			if s := front.Text(c, "url"); s != "" && !strings.Contains(s, "://") {
				c["url"] = mutants.SomeHook
			}
		})},
	front.Mutant{Name: "push-link-local-accepted", Summary: "A URL in the link-local network is stored.",
		Call: settingPush(func(c map[string]any) {
			if strings.Contains(front.Text(c, "url"), "//169.254.") {
				c["url"] = mutants.SomeHook
			}
		})},
	front.Mutant{Name: "push-get-url-only", Summary: "The configuration is returned as its URL.",
		Reply: inConfig(GetPushConfigMethod, func(x *front.Reply) {
			front.Put(x.Body, "result", front.Text(x.Body, "result/pushNotificationConfig/url"))
		})},
	front.Mutant{Name: "push-get-wants-id", Summary: "A configuration is only returned by its id.",
		Reply: front.Declining(GetPushConfigMethod, front.CodeInvalidParams, func(params any) bool { return !front.Has(params, "pushNotificationConfigId") })},
	front.Mutant{Name: "push-get-unknown-null", Summary: "The configuration of an unknown task is null.",
		Reply: unknownTask(GetPushConfigMethod, func(*front.Reply) any { return nil })},
	front.Mutant{Name: "push-get-second", Summary: "The second configuration is returned for the id of a third.",
		Reply: inConfig(GetPushConfigMethod, func(x *front.Reply) {
			if all, err := x.Server.Engine.Pushes(x.TaskID()); err == nil && len(all) > 1 && front.Has(x.Request, "params/pushNotificationConfigId") {
				front.Put(x.Body, "result", front.Generic(writeA2A03Push(x.TaskID(), all[1])))
			}
		})},
	front.Mutant{Name: "push-get-any", Summary: "Some configuration is returned for an id that does not exist.",
		Reply: front.Answering(GetPushConfigMethod, func(x *front.Reply) {
			if x.Answers("", front.CodeInvalidParams) && front.Has(x.Request, "params/pushNotificationConfigId") && x.Task().ID != "" {
				x.Succeed(front.Generic(writeA2A03Push(x.TaskID(), engine.Push{ID: "another", URL: mutants.SomeHook})))
			}
		})},
	front.Mutant{Name: "push-list-wrapped", Summary: "The list of configurations is inside an object.",
		Reply: listed(func(x *front.Reply, list []any) { front.Put(x.Body, "result", map[string]any{"configs": list}) })},
	front.Mutant{Name: "push-list-newest", Summary: "The list of configurations holds only the newest.",
		Reply: listed(func(x *front.Reply, list []any) {
			if len(list) > 1 {
				front.Put(x.Body, "result", list[len(list)-1:])
			}
		})},
	front.Mutant{Name: "push-list-null", Summary: "The list of a task without configurations is null.",
		Reply: listed(func(x *front.Reply, list []any) {
			if len(list) == 0 {
				front.Put(x.Body, "result", nil)
			}
		})},
	front.Mutant{Name: "push-list-unknown", Summary: "The list of an unknown task is empty.",
		Reply: unknownTask(ListPushConfigMethod, func(*front.Reply) any { return []any{} })},
	front.Mutant{Name: "push-delete-returns", Summary: "Deleting a configuration returns it.",
		Reply: onResult(DeletePushConfigMethod, func(x *front.Reply) {
			front.Put(x.Body, "result", map[string]any{"taskId": x.TaskID(), "pushNotificationConfig": map[string]any{"id": front.At(x.Request, "params/pushNotificationConfigId"), "url": mutants.SomeHook}})
		})},
	front.Mutant{Name: "push-delete-ignored", Summary: "A configuration that was deleted is still there.",
		Call: front.Misread(DeletePushConfigMethod, func(body any) {
			if front.IsText(front.At(body, "params/pushNotificationConfigId")) {
				front.Put(body, "params/pushNotificationConfigId", "none of them")
			}
		})},
	front.Mutant{Name: "push-delete-unknown", Summary: "Deleting from an unknown task is confirmed.",
		Reply: unknownTask(DeletePushConfigMethod, func(*front.Reply) any { return nil })},
	front.Mutant{Name: "push-delete-all", Summary: "Deleting without the id of a configuration deletes them all.",
		Reply: front.Answering(DeletePushConfigMethod, func(x *front.Reply) {
			if !front.Has(x.Request, "params/pushNotificationConfigId") {
				x.Server.Engine.SetPush(x.TaskID(), nil)
				x.Succeed(nil)
			}
		})},
	front.Mutant{Name: "push-delete-again", Summary: "Deleting a configuration a second time is an internal error, and deletes another.",
		Reply: onResult(DeletePushConfigMethod, func(x *front.Reply) {
			task, config := x.TaskID(), front.Text(x.Request, "params/pushNotificationConfigId")
			if x.Server.Notes.Count("deleted "+task+" "+config) == 2 {
				if left, _ := x.Server.Engine.Pushes(task); len(left) > 0 {
					x.Server.Engine.DeletePush(task, left[0].ID)
				}
				x.Decline(front.CodeInternal)
			}
		})},
)

// noPushMutants are about a server without push notifications.
var noPushMutants = front.In("silent", front.InArea("push",
	withoutPush("push-set-pretended", "Setting a configuration", SetPushConfigMethod, func(x *front.Reply) any { return front.At(x.Request, "params") }),
	withoutPush("push-get-pretended", "Getting a configuration", GetPushConfigMethod, func(x *front.Reply) any {
		return map[string]any{"taskId": front.Text(x.Request, "params/id"), "pushNotificationConfig": map[string]any{"url": mutants.SomeHook}}
	}),
	withoutPush("push-list-pretended", "Listing the configurations", ListPushConfigMethod, func(*front.Reply) any { return []any{} }),
	withoutPush("push-delete-pretended", "Deleting a configuration", DeletePushConfigMethod, func(*front.Reply) any { return nil }),
	front.Mutant{Name: "push-set-misnamed", Summary: "Setting a configuration is an internal error.", Reply: front.Recode(SetPushConfigMethod, pushNotSupported, front.CodeInternal)},
	front.Mutant{Name: "push-get-misnamed", Summary: "Getting a configuration is an internal error.", Reply: front.Recode(GetPushConfigMethod, pushNotSupported, front.CodeInternal)},
	front.Mutant{Name: "push-list-misnamed", Summary: "Listing the configurations is an internal error.", Reply: front.Recode(ListPushConfigMethod, pushNotSupported, front.CodeInternal)},
	front.Mutant{Name: "push-delete-misnamed", Summary: "Deleting a configuration is an internal error.", Reply: front.Recode(DeletePushConfigMethod, pushNotSupported, front.CodeInternal)},
)...)

func withoutPush(name, what, method string, result func(*front.Reply) any) front.Mutant {
	return front.Mutant{Name: name, Summary: what + " succeeds without push notifications.",
		Reply: front.Answering(method, func(x *front.Reply) {
			if x.Answers("", pushNotSupported) {
				x.Succeed(result(x))
			}
		})}
}

// noticeMutants are about the delivery of push notifications, beyond what
// other protocols have.
var noticeMutants = front.InArea("push",
	front.Mutant{Name: "push-only-terminal", Summary: "That a task waits for input is not notified.",
		Notice: func(n *front.Notice) { n.Lost = front.Text(n.Body, "status/state") == "input-required" }},
	front.Mutant{Name: "push-by-put", Summary: "Notifications are sent by PUT.",
		Notice: func(n *front.Notice) { n.Method = http.MethodPut }},
	front.Mutant{Name: "push-query-lost", Summary: "Notifications are sent to the URL without its query.",
		Notice: func(n *front.Notice) { n.To.URL, _, _ = strings.Cut(n.To.URL, "?") }},
	front.Mutant{Name: "push-task-unnamed", Summary: "Notifications do not name the task.",
		Notice: func(n *front.Notice) {
			n.Body = map[string]any{"event": "updated", "status": map[string]any{"state": front.At(n.Body, "status/state")}}
		}},
	front.Mutant{Name: "push-state-unsaid", Summary: "Notifications hold nothing but the id of the task.",
		Notice: func(n *front.Notice) { n.Body = map[string]any{"id": front.At(n.Body, "id")} }},
	front.Mutant{Name: "push-token-in-query", Summary: "The token is sent as part of the query.",
		Notice: func(n *front.Notice) {
			if u, err := url.Parse(n.To.URL); err == nil && n.To.Token != nil {
				u.RawQuery += "&token=" + url.QueryEscape(*n.To.Token)
				n.To.URL = u.String()
				n.Header.Del("X-A2A-Notification-Token")
			}
		}},
	front.Mutant{Name: "push-deleted-fires", Summary: "A deleted configuration goes on receiving.",
		Engine: func(o *engine.Options) { o.Defects.PushUndead = true }},
	front.Mutant{Name: "push-first-only", Summary: "Of several configurations only the first is notified.",
		Notice: func(n *front.Notice) {
			n.Lost = n.Notes.First("receiver of "+front.Text(n.Body, "id"), n.To.ID) != n.To.ID
		}},
	front.Mutant{Name: "push-state-other", Summary: "The notification of a completed task says that it failed.",
		Notice: func(n *front.Notice) { front.Swap(n.Body, "status/state", "completed", "failed") }},
	front.Mutant{Name: "push-failure-fatal", Summary: "A receiver that fails makes the task fail.",
		Engine: func(o *engine.Options) { o.Defects.PushFatal = true }},
)
