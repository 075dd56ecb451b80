package reference

import (
	"net/url"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

const (
	setPushMethod = "tasks/pushNotification/set"
	getPushMethod = "tasks/pushNotification/get"
)

// someHook is what a lenient server puts in place of an unusable URL.
const someHook = "https://hook.invalid/"

// configOf edits the configuration in the results of tasks/pushNotification/get.
func configOf(edit func(x *reply, config map[string]any)) func(*reply) {
	return answering(getPushMethod, func(x *reply) {
		if c := object(x.body, "result/pushNotificationConfig"); c != nil {
			edit(x, c)
		}
	})
}

// a2a01PushMutants are about the configuration of push notifications.
var a2a01PushMutants = inArea("push",
	mutant{name: "push-set-missing", summary: "tasks/pushNotification/set is not implemented.",
		reply: answering(setPushMethod, func(x *reply) { x.decline(codeMethodNotFound) })},
	mutant{name: "push-set-stale", summary: "tasks/pushNotification/set returns another configuration than the one set.",
		reply: answering(setPushMethod, func(x *reply) {
			if has(x.body, "result/pushNotificationConfig/url") {
				put(x.body, "result/pushNotificationConfig/url", someHook+"previous")
			}
		})},
	mutant{name: "push-get-missing", summary: "tasks/pushNotification/get is not implemented.",
		reply: answering(getPushMethod, func(x *reply) { x.decline(codeMethodNotFound) })},
	mutant{name: "push-get-other-task", summary: "tasks/pushNotification/get names another task.",
		reply: answering(getPushMethod, func(x *reply) {
			if has(x.body, "result") {
				put(x.body, "result/id", "another-task")
			}
		})},
	mutant{name: "push-url-cut", summary: "The URL is cut off at its query string.",
		reply: configOf(func(_ *reply, config map[string]any) {
			if u, err := url.Parse(text(config, "url")); err == nil {
				if u.RawQuery == "" {
					u.Path = "/"
				}
				u.RawQuery = ""
				config["url"] = u.String()
			}
		})},
	mutant{name: "push-token-foreign", summary: "The token of another task is returned.",
		reply: configOf(func(_ *reply, config map[string]any) {
			if config["token"] != nil {
				config["token"] = "token-of-another-task"
			}
		})},
	mutant{name: "push-first-kept", summary: "A second configuration is dropped.",
		engine: func(o *engine.Options) { o.Defects.PushFirstKept = true }},
	mutant{name: "push-config-shared", summary: "One configuration is kept for the whole server.",
		reply: func(x *reply) {
			if x.method() == setPushMethod && has(x.body, "result/pushNotificationConfig/url") {
				x.server.notes.write("hook", at(x.body, "result/pushNotificationConfig/url"))
			}
			configOf(func(x *reply, config map[string]any) {
				if hook := x.server.notes.read("hook"); hook != nil {
					config["url"] = hook
				}
			})(x)
		}},
	mutant{name: "push-in-send-ignored", summary: "A configuration sent with the first message is ignored when the task ends at once.",
		call: misread("tasks/send", func(body any) {
			if strings.HasPrefix(text(body, "params/message/parts/0/text"), "echo") && has(body, "params/pushNotification/url") {
				drop(body, "params/pushNotification")
			}
		})},
	mutant{name: "push-url-optional", summary: "A configuration without url is stored.",
		call: supply(setPushMethod, "params/pushNotificationConfig/url", someHook)},
	mutant{name: "push-url-unchecked", summary: "A URL that is not absolute is stored.",
		call: misread(setPushMethod, func(body any) {
			if s := text(body, "params/pushNotificationConfig/url"); s != "" && !strings.Contains(s, "://") {
				put(body, "params/pushNotificationConfig/url", someHook)
			}
		})},
	mutant{name: "push-http-accepted", summary: "A URL with plain http is accepted.",
		call: misread(setPushMethod, func(body any) {
			if s := text(body, "params/pushNotificationConfig/url"); strings.HasPrefix(s, "http:") && unfitWebhook(s) != "" {
				put(body, "params/pushNotificationConfig/url", someHook)
			}
		})},
	mutant{name: "push-schemes-optional", summary: "An authentication object without schemes is accepted.",
		call: supply(setPushMethod, "params/pushNotificationConfig/authentication/schemes", []any{})},
	mutant{name: "push-null-refused", summary: "An authentication of null is refused.",
		reply: declining(setPushMethod, codeInvalidParams, func(params any) bool {
			return has(params, "pushNotificationConfig/authentication") && at(params, "pushNotificationConfig/authentication") == nil
		})},
	mutant{name: "push-token-number", summary: "A token that is a number is stored.",
		call: misread(setPushMethod, func(body any) {
			if isNumber(at(body, "params/pushNotificationConfig/token")) {
				put(body, "params/pushNotificationConfig/token", "5")
			}
		})},
	mutant{name: "push-credentials-object", summary: "Credentials that are an object are stored.",
		call: misread(setPushMethod, func(body any) {
			if object(body, "params/pushNotificationConfig/authentication/credentials") != nil {
				drop(body, "params/pushNotificationConfig/authentication/credentials")
			}
		})},
	mutant{name: "push-config-as-text", summary: "A configuration that is a string is taken as the URL.",
		call: misread(setPushMethod, func(body any) {
			if isText(at(body, "params/pushNotificationConfig")) {
				put(body, "params/pushNotificationConfig", map[string]any{"url": someHook})
			}
		})},
	mutant{name: "push-in-send-dropped", summary: "A configuration without url in tasks/send is dropped.",
		call: misread("tasks/send", func(body any) {
			if object(body, "params/pushNotification") != nil && !has(body, "params/pushNotification/url") {
				drop(body, "params/pushNotification")
			}
		})},
	mutant{name: "push-set-without-id", summary: "A configuration without task id is stored.",
		reply: answering(setPushMethod, func(x *reply) {
			if !has(x.request, "params/id") {
				x.succeed(map[string]any{"id": "", "pushNotificationConfig": at(x.request, "params/pushNotificationConfig")})
			}
		})},
	mutant{name: "push-set-nothing", summary: "An absent configuration is treated as success.",
		call: misread(setPushMethod, func(body any) {
			if object(body, "params") != nil && !has(body, "params/pushNotificationConfig") {
				put(body, "params/pushNotificationConfig", nil)
			}
		})},
	mutant{name: "push-null-crashes", summary: "A configuration of null is an internal error.",
		reply: declining(setPushMethod, codeInternal, func(params any) bool {
			return has(params, "pushNotificationConfig") && at(params, "pushNotificationConfig") == nil
		})},
	mutant{name: "push-unknown-task-accepted", summary: "A configuration for an unknown task is stored.",
		reply: answering(setPushMethod, func(x *reply) {
			if x.answers("", a2a01TaskNotFound) {
				x.succeed(at(x.request, "params"))
			}
		})},
	mutant{name: "push-unknown-task-misnamed", summary: "tasks/pushNotification/set reports an unknown task as invalid params.",
		reply: recode(setPushMethod, a2a01TaskNotFound, codeInvalidParams)},
	mutant{name: "push-get-any-task", summary: "tasks/pushNotification/get returns an empty configuration for any id.",
		reply: answering(getPushMethod, func(x *reply) {
			if x.answers("", a2a01TaskNotFound) {
				x.succeed(map[string]any{"id": text(x.request, "params/id"), "pushNotificationConfig": nil})
			}
		})},
	mutant{name: "push-get-without-id", summary: "tasks/pushNotification/get without id returns a configuration.",
		reply: answering(getPushMethod, func(x *reply) {
			if !has(x.request, "params/id") {
				x.succeed(map[string]any{"id": "last", "pushNotificationConfig": map[string]any{"url": someHook}})
			}
		})},
	mutant{name: "push-config-invented", summary: "The configuration of another task is returned for a task without one.",
		reply: answering(getPushMethod, func(x *reply) {
			if has(x.body, "result") && at(x.body, "result/pushNotificationConfig") == nil {
				put(x.body, "result/pushNotificationConfig", map[string]any{"url": someHook})
			}
		})},
)

// noticeMutants are about the delivery of push notifications.
var noticeMutants = inArea("push",
	mutant{name: "push-never", waits: true, summary: "Notifications are configured and never sent.",
		engine: func(o *engine.Options) { o.Defects.PushNever = true }},
	mutant{name: "push-token-dropped", summary: "Notifications do not carry the token.",
		notice: func(n *notice) { n.header.Del("X-A2A-Notification-Token") }},
	mutant{name: "push-token-truncated", summary: "Notifications carry only the first half of the token.",
		notice: func(n *notice) {
			if t := n.header.Get("X-A2A-Notification-Token"); t != "" {
				n.header.Set("X-A2A-Notification-Token", t[:len(t)/2])
			}
		}},
	mutant{name: "push-as-form", summary: "Notifications are labelled as a form.",
		notice: func(n *notice) { n.header.Set("Content-Type", "application/x-www-form-urlencoded") }},
	mutant{name: "push-unauthenticated", summary: "Notifications are sent without credentials.",
		notice: func(n *notice) { n.header.Del("Authorization") }},
)

// a2a01NoticeMutants are those that only A2A 0.1.0 has a place for.
var a2a01NoticeMutants = inArea("push",
	mutant{name: "push-task-unnamed", summary: "Notifications do not name the task.",
		notice: func(n *notice) { drop(n.body, "taskId") }},
	mutant{name: "push-status-as-text", summary: "Notifications hold the status as free text.",
		notice: func(n *notice) { put(n.body, "status", text(n.body, "summary")) }},
	mutant{name: "push-credentials-quoted", summary: "The credentials are sent with the JSON quotes around them.",
		notice: func(n *notice) {
			if scheme, token, ok := strings.Cut(n.header.Get("Authorization"), " "); ok {
				n.header.Set("Authorization", scheme+` {"token":"`+token+`"}`)
			}
		}},
	mutant{name: "push-to-first", summary: "Notifications go to the first configuration after it was replaced.",
		engine: func(o *engine.Options) { o.Defects.PushToFirst = true }},
)
