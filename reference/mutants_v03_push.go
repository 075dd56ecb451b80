package reference

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// inConfig makes an edit of the configuration in the results of one method.
func inConfig(method string, edit func(*reply)) func(*reply) {
	return answering(method, func(x *reply) {
		if object(x.body, "result/pushNotificationConfig") != nil {
			edit(x)
		}
	})
}

// settingPush edits the configuration in the calls of the method set.
func settingPush(edit func(config map[string]any)) func(*call) {
	return misread(setPushConfigMethod, func(body any) {
		if c := object(body, "params/pushNotificationConfig"); c != nil {
			edit(c)
		}
	})
}

// listed edits the results of the method list.
func listed(edit func(x *reply, list []any)) func(*reply) {
	return answering(listPushConfigMethod, func(x *reply) {
		if list, ok := at(x.body, "result").([]any); ok {
			edit(x, list)
		}
	})
}

// unknownTask makes an edit that turns the refusal of an unknown task into a
// success.
func unknownTask(method string, result func(*reply) any) func(*reply) {
	return answering(method, func(x *reply) {
		if x.answers("", a2a03TaskNotFound) {
			x.succeed(result(x))
		}
	})
}

// a2a03PushMutants are about the configurations of push notifications.
var a2a03PushMutants = inArea("push",
	mutant{name: "push-set-null", summary: "Setting a configuration gives null.",
		reply: onResult(setPushConfigMethod, func(x *reply) { put(x.body, "result", nil) })},
	mutant{name: "push-set-unnamed", summary: "The result of setting a configuration does not name the task.",
		reply: onResult(setPushConfigMethod, func(x *reply) { drop(x.body, "result/taskId") })},
	mutant{name: "push-url-rewritten", summary: "The result of setting a configuration has another URL.",
		reply: inConfig(setPushConfigMethod, func(x *reply) {
			put(x.body, "result/pushNotificationConfig/url", text(x.body, "result/pushNotificationConfig/url")+"#")
		})},
	mutant{name: "push-id-replaced", summary: "A configuration gets an id of the server's own in place of the client's.",
		reply: inConfig(setPushConfigMethod, func(x *reply) {
			if has(x.request, "params/pushNotificationConfig/id") {
				put(x.body, "result/pushNotificationConfig/id", "srv-1")
			}
		})},
	mutant{name: "push-id-left-out", summary: "A configuration without an id does not get one.",
		reply: inConfig(setPushConfigMethod, func(x *reply) {
			if !has(x.request, "params/pushNotificationConfig/id") {
				drop(x.body, "result/pushNotificationConfig/id")
			}
		})},
	mutant{name: "push-doubled", summary: "A configuration that is set anew stands beside the old one.",
		engine: func(o *engine.Options) { o.Defects.PushDoubled = true }},
	mutant{name: "push-single", summary: "A second configuration removes the first.",
		engine: func(o *engine.Options) { o.Defects.PushSingle = true }},
	mutant{name: "push-unknown-task-accepted", summary: "A configuration for an unknown task is confirmed.",
		reply: unknownTask(setPushConfigMethod, func(x *reply) any { return at(x.request, "params") })},
	mutant{name: "push-url-optional", summary: "A configuration without url is stored.",
		call: settingPush(func(c map[string]any) {
			if c["url"] == nil {
				c["url"] = someHook
			}
		})},
	mutant{name: "push-set-without-task", summary: "A configuration for no task is confirmed.",
		reply: answering(setPushConfigMethod, func(x *reply) {
			if !has(x.request, "params/taskId") {
				x.succeed(map[string]any{"taskId": "", "pushNotificationConfig": at(x.request, "params/pushNotificationConfig")})
			}
		})},
	mutant{name: "push-url-unchecked", summary: "A URL that is not absolute is stored.",
		call: settingPush(func(c map[string]any) {
			if s := text(c, "url"); s != "" && !strings.Contains(s, "://") {
				c["url"] = someHook
			}
		})},
	mutant{name: "push-link-local-accepted", summary: "A URL in the link-local network is stored.",
		call: settingPush(func(c map[string]any) {
			if strings.Contains(text(c, "url"), "//169.254.") {
				c["url"] = someHook
			}
		})},
	mutant{name: "push-get-url-only", summary: "The configuration is returned as its URL.",
		reply: inConfig(getPushConfigMethod, func(x *reply) { put(x.body, "result", text(x.body, "result/pushNotificationConfig/url")) })},
	mutant{name: "push-get-wants-id", summary: "A configuration is only returned by its id.",
		reply: declining(getPushConfigMethod, codeInvalidParams, func(params any) bool { return !has(params, "pushNotificationConfigId") })},
	mutant{name: "push-get-unknown-null", summary: "The configuration of an unknown task is null.",
		reply: unknownTask(getPushConfigMethod, func(*reply) any { return nil })},
	mutant{name: "push-get-second", summary: "The second configuration is returned for the id of a third.",
		reply: inConfig(getPushConfigMethod, func(x *reply) {
			if all, err := x.server.engine.Pushes(x.taskID()); err == nil && len(all) > 1 && has(x.request, "params/pushNotificationConfigId") {
				put(x.body, "result", generic(writeA2A03Push(x.taskID(), all[1])))
			}
		})},
	mutant{name: "push-get-any", summary: "Some configuration is returned for an id that does not exist.",
		reply: answering(getPushConfigMethod, func(x *reply) {
			if x.answers("", codeInvalidParams) && has(x.request, "params/pushNotificationConfigId") && x.task().ID != "" {
				x.succeed(generic(writeA2A03Push(x.taskID(), engine.Push{ID: "another", URL: someHook})))
			}
		})},
	mutant{name: "push-list-wrapped", summary: "The list of configurations is inside an object.",
		reply: listed(func(x *reply, list []any) { put(x.body, "result", map[string]any{"configs": list}) })},
	mutant{name: "push-list-newest", summary: "The list of configurations holds only the newest.",
		reply: listed(func(x *reply, list []any) {
			if len(list) > 1 {
				put(x.body, "result", list[len(list)-1:])
			}
		})},
	mutant{name: "push-list-null", summary: "The list of a task without configurations is null.",
		reply: listed(func(x *reply, list []any) {
			if len(list) == 0 {
				put(x.body, "result", nil)
			}
		})},
	mutant{name: "push-list-unknown", summary: "The list of an unknown task is empty.",
		reply: unknownTask(listPushConfigMethod, func(*reply) any { return []any{} })},
	mutant{name: "push-delete-returns", summary: "Deleting a configuration returns it.",
		reply: onResult(deletePushConfigMethod, func(x *reply) {
			put(x.body, "result", map[string]any{"taskId": x.taskID(), "pushNotificationConfig": map[string]any{"id": at(x.request, "params/pushNotificationConfigId"), "url": someHook}})
		})},
	mutant{name: "push-delete-ignored", summary: "A configuration that was deleted is still there.",
		call: misread(deletePushConfigMethod, func(body any) {
			if isText(at(body, "params/pushNotificationConfigId")) {
				put(body, "params/pushNotificationConfigId", "none of them")
			}
		})},
	mutant{name: "push-delete-unknown", summary: "Deleting from an unknown task is confirmed.",
		reply: unknownTask(deletePushConfigMethod, func(*reply) any { return nil })},
	mutant{name: "push-delete-all", summary: "Deleting without the id of a configuration deletes them all.",
		reply: answering(deletePushConfigMethod, func(x *reply) {
			if !has(x.request, "params/pushNotificationConfigId") {
				x.server.engine.SetPush(x.taskID(), nil)
				x.succeed(nil)
			}
		})},
	mutant{name: "push-delete-again", summary: "Deleting a configuration a second time is an internal error, and deletes another.",
		reply: onResult(deletePushConfigMethod, func(x *reply) {
			task, config := x.taskID(), text(x.request, "params/pushNotificationConfigId")
			if x.server.notes.count("deleted "+task+" "+config) == 2 {
				if left, _ := x.server.engine.Pushes(task); len(left) > 0 {
					x.server.engine.DeletePush(task, left[0].ID)
				}
				x.decline(codeInternal)
			}
		})},
)

// a2a03NoPushMutants are about a server without push notifications.
var a2a03NoPushMutants = in("silent", inArea("push",
	withoutPush("push-set-pretended", "Setting a configuration", setPushConfigMethod, func(x *reply) any { return at(x.request, "params") }),
	withoutPush("push-get-pretended", "Getting a configuration", getPushConfigMethod, func(x *reply) any {
		return map[string]any{"taskId": text(x.request, "params/id"), "pushNotificationConfig": map[string]any{"url": someHook}}
	}),
	withoutPush("push-list-pretended", "Listing the configurations", listPushConfigMethod, func(*reply) any { return []any{} }),
	withoutPush("push-delete-pretended", "Deleting a configuration", deletePushConfigMethod, func(*reply) any { return nil }),
	mutant{name: "push-set-misnamed", summary: "Setting a configuration is an internal error.", reply: recode(setPushConfigMethod, a2a03PushNotSupported, codeInternal)},
	mutant{name: "push-get-misnamed", summary: "Getting a configuration is an internal error.", reply: recode(getPushConfigMethod, a2a03PushNotSupported, codeInternal)},
	mutant{name: "push-list-misnamed", summary: "Listing the configurations is an internal error.", reply: recode(listPushConfigMethod, a2a03PushNotSupported, codeInternal)},
	mutant{name: "push-delete-misnamed", summary: "Deleting a configuration is an internal error.", reply: recode(deletePushConfigMethod, a2a03PushNotSupported, codeInternal)},
)...)

func withoutPush(name, what, method string, result func(*reply) any) mutant {
	return mutant{name: name, summary: what + " succeeds without push notifications.",
		reply: answering(method, func(x *reply) {
			if x.answers("", a2a03PushNotSupported) {
				x.succeed(result(x))
			}
		})}
}

// a2a03NoticeMutants are about the delivery of push notifications, beyond what
// other protocols have.
var a2a03NoticeMutants = inArea("push",
	mutant{name: "push-only-terminal", summary: "That a task waits for input is not notified.",
		notice: func(n *notice) { n.lost = text(n.body, "status/state") == "input-required" }},
	mutant{name: "push-by-put", summary: "Notifications are sent by PUT.",
		notice: func(n *notice) { n.method = http.MethodPut }},
	mutant{name: "push-query-lost", summary: "Notifications are sent to the URL without its query.",
		notice: func(n *notice) { n.to.URL, _, _ = strings.Cut(n.to.URL, "?") }},
	mutant{name: "push-task-unnamed", summary: "Notifications do not name the task.",
		notice: func(n *notice) {
			n.body = map[string]any{"event": "updated", "status": map[string]any{"state": at(n.body, "status/state")}}
		}},
	mutant{name: "push-state-unsaid", summary: "Notifications hold nothing but the id of the task.",
		notice: func(n *notice) { n.body = map[string]any{"id": at(n.body, "id")} }},
	mutant{name: "push-token-in-query", summary: "The token is sent as part of the query.",
		notice: func(n *notice) {
			if u, err := url.Parse(n.to.URL); err == nil && n.to.Token != nil {
				u.RawQuery += "&token=" + url.QueryEscape(*n.to.Token)
				n.to.URL = u.String()
				n.header.Del("X-A2A-Notification-Token")
			}
		}},
	mutant{name: "push-deleted-fires", summary: "A deleted configuration goes on receiving.",
		engine: func(o *engine.Options) { o.Defects.PushUndead = true }},
	mutant{name: "push-first-only", summary: "Of several configurations only the first is notified.",
		notice: func(n *notice) {
			n.lost = n.notes.first("receiver of "+text(n.body, "id"), n.to.ID) != n.to.ID
		}},
	mutant{name: "push-state-other", summary: "The notification of a completed task says that it failed.",
		notice: func(n *notice) { swap(n.body, "status/state", "completed", "failed") }},
	mutant{name: "push-failure-fatal", summary: "A receiver that fails makes the task fail.",
		engine: func(o *engine.Options) { o.Defects.PushFatal = true }},
)
