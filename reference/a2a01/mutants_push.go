package a2a01

import (
	"net/url"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// pushMutants are about the configuration of push notifications.
var pushMutants = front.InArea("push",
	front.Mutant{Name: "push-set-missing", Summary: "tasks/pushNotification/set is not implemented.",
		Reply: front.Answering(mutants.SetPushMethod, func(x *front.Reply) { x.Decline(front.CodeMethodNotFound) })},
	front.Mutant{Name: "push-set-stale", Summary: "tasks/pushNotification/set returns another configuration than the one set.",
		Reply: front.Answering(mutants.SetPushMethod, func(x *front.Reply) {
			if front.Has(x.Body, "result/pushNotificationConfig/url") {
				front.Put(x.Body, "result/pushNotificationConfig/url", mutants.SomeHook+"previous")
			}
		})},
	front.Mutant{Name: "push-get-missing", Summary: "tasks/pushNotification/get is not implemented.",
		Reply: front.Answering(mutants.GetPushMethod, func(x *front.Reply) { x.Decline(front.CodeMethodNotFound) })},
	front.Mutant{Name: "push-get-other-task", Summary: "tasks/pushNotification/get names another task.",
		Reply: front.Answering(mutants.GetPushMethod, func(x *front.Reply) {
			if front.Has(x.Body, "result") {
				front.Put(x.Body, "result/id", "another-task")
			}
		})},
	front.Mutant{Name: "push-url-cut", Summary: "The URL is cut off at its query string.",
		Reply: mutants.ConfigOf(func(_ *front.Reply, config map[string]any) {
			if u, err := url.Parse(front.Text(config, "url")); err == nil {
				if u.RawQuery == "" {
					u.Path = "/"
				}
				u.RawQuery = ""
				config["url"] = u.String()
			}
		})},
	front.Mutant{Name: "push-token-foreign", Summary: "The token of another task is returned.",
		Reply: mutants.ConfigOf(func(_ *front.Reply, config map[string]any) {
			if config["token"] != nil {
				config["token"] = "token-of-another-task"
			}
		})},
	front.Mutant{Name: "push-first-kept", Summary: "A second configuration is dropped.",
		Engine: func(o *engine.Options) { o.Defects.PushFirstKept = true }},
	front.Mutant{Name: "push-config-shared", Summary: "One configuration is kept for the whole server.",
		Reply: func(x *front.Reply) {
			if x.Method() == mutants.SetPushMethod && front.Has(x.Body, "result/pushNotificationConfig/url") {
				x.Server.Notes.Write("hook", front.At(x.Body, "result/pushNotificationConfig/url"))
			}
			mutants.ConfigOf(func(x *front.Reply, config map[string]any) {
				if hook := x.Server.Notes.Read("hook"); hook != nil {
					config["url"] = hook
				}
			})(x)
		}},
	front.Mutant{Name: "push-in-send-ignored", Summary: "A configuration sent with the first message is ignored when the task ends at once.",
		Call: front.Misread("tasks/send", func(body any) {
			if strings.HasPrefix(front.Text(body, "params/message/parts/0/text"), "echo") && front.Has(body, "params/pushNotification/url") {
				front.Drop(body, "params/pushNotification")
			}
		})},
	front.Mutant{Name: "push-url-optional", Summary: "A configuration without url is stored.",
		Call: front.Supply(mutants.SetPushMethod, "params/pushNotificationConfig/url", mutants.SomeHook)},
	front.Mutant{Name: "push-url-unchecked", Summary: "A URL that is not absolute is stored.",
		Call: front.Misread(mutants.SetPushMethod, func(body any) {
			if s := front.Text(body, "params/pushNotificationConfig/url"); s != "" && !strings.Contains(s, "://") {
				front.Put(body, "params/pushNotificationConfig/url", mutants.SomeHook)
			}
		})},
	front.Mutant{Name: "push-http-accepted", Summary: "A URL with plain http is accepted.",
		Call: front.Misread(mutants.SetPushMethod, func(body any) {
			if s := front.Text(body, "params/pushNotificationConfig/url"); strings.HasPrefix(s, "http:") && front.UnfitWebhook(s) != "" {
				front.Put(body, "params/pushNotificationConfig/url", mutants.SomeHook)
			}
		})},
	front.Mutant{Name: "push-schemes-optional", Summary: "An authentication object without schemes is accepted.",
		Call: front.Supply(mutants.SetPushMethod, "params/pushNotificationConfig/authentication/schemes", []any{})},
	front.Mutant{Name: "push-null-refused", Summary: "An authentication of null is refused.",
		Reply: front.Declining(mutants.SetPushMethod, front.CodeInvalidParams, func(params any) bool {
			return front.Has(params, "pushNotificationConfig/authentication") && front.At(params, "pushNotificationConfig/authentication") == nil
		})},
	front.Mutant{Name: "push-token-number", Summary: "A token that is a number is stored.",
		Call: front.Misread(mutants.SetPushMethod, func(body any) {
			if front.IsNumber(front.At(body, "params/pushNotificationConfig/token")) {
				front.Put(body, "params/pushNotificationConfig/token", "5")
			}
		})},
	front.Mutant{Name: "push-credentials-object", Summary: "Credentials that are an object are stored.",
		Call: front.Misread(mutants.SetPushMethod, func(body any) {
			if front.Object(body, "params/pushNotificationConfig/authentication/credentials") != nil {
				front.Drop(body, "params/pushNotificationConfig/authentication/credentials")
			}
		})},
	front.Mutant{Name: "push-config-as-text", Summary: "A configuration that is a string is taken as the URL.",
		Call: front.Misread(mutants.SetPushMethod, func(body any) {
			if front.IsText(front.At(body, "params/pushNotificationConfig")) {
				front.Put(body, "params/pushNotificationConfig", map[string]any{"url": mutants.SomeHook})
			}
		})},
	front.Mutant{Name: "push-in-send-dropped", Summary: "A configuration without url in tasks/send is dropped.",
		Call: front.Misread("tasks/send", func(body any) {
			if front.Object(body, "params/pushNotification") != nil && !front.Has(body, "params/pushNotification/url") {
				front.Drop(body, "params/pushNotification")
			}
		})},
	front.Mutant{Name: "push-set-without-id", Summary: "A configuration without task id is stored.",
		Reply: front.Answering(mutants.SetPushMethod, func(x *front.Reply) {
			if !front.Has(x.Request, "params/id") {
				x.Succeed(map[string]any{"id": "", "pushNotificationConfig": front.At(x.Request, "params/pushNotificationConfig")})
			}
		})},
	front.Mutant{Name: "push-set-nothing", Summary: "An absent configuration is treated as success.",
		Call: front.Misread(mutants.SetPushMethod, func(body any) {
			if front.Object(body, "params") != nil && !front.Has(body, "params/pushNotificationConfig") {
				front.Put(body, "params/pushNotificationConfig", nil)
			}
		})},
	front.Mutant{Name: "push-null-crashes", Summary: "A configuration of null is an internal error.",
		Reply: front.Declining(mutants.SetPushMethod, front.CodeInternal, func(params any) bool {
			return front.Has(params, "pushNotificationConfig") && front.At(params, "pushNotificationConfig") == nil
		})},
	front.Mutant{Name: "push-token-as-sent", Summary: "A configuration whose token is no text is accepted, and read as it was sent.",
		Reply: func(x *front.Reply) {
			kept := "as sent " + front.Text(x.Request, "params/id")
			token := front.At(x.Request, "params/pushNotificationConfig/token")
			if x.Answers(mutants.SetPushMethod, front.CodeInvalidParams) && token != nil && !front.IsText(token) {
				x.Server.Notes.Write(kept, front.At(x.Request, "params"))
				x.Succeed(front.At(x.Request, "params"))
			}
			if odd := x.Server.Notes.Read(kept); x.Method() == mutants.GetPushMethod && odd != nil {
				x.Succeed(odd)
			}
		}},
	front.Mutant{Name: "push-unknown-task-accepted", Summary: "A configuration for an unknown task is stored.",
		Reply: front.Answering(mutants.SetPushMethod, func(x *front.Reply) {
			if x.Answers("", taskNotFound) {
				x.Succeed(front.At(x.Request, "params"))
			}
		})},
	front.Mutant{Name: "push-unknown-task-misnamed", Summary: "tasks/pushNotification/set reports an unknown task as invalid params.",
		Reply: front.Recode(mutants.SetPushMethod, taskNotFound, front.CodeInvalidParams)},
	front.Mutant{Name: "push-get-any-task", Summary: "tasks/pushNotification/get returns an empty configuration for any id.",
		Reply: front.Answering(mutants.GetPushMethod, func(x *front.Reply) {
			if x.Answers("", taskNotFound) {
				x.Succeed(map[string]any{"id": front.Text(x.Request, "params/id"), "pushNotificationConfig": nil})
			}
		})},
	front.Mutant{Name: "push-get-without-id", Summary: "tasks/pushNotification/get without id returns a configuration.",
		Reply: front.Answering(mutants.GetPushMethod, func(x *front.Reply) {
			if !front.Has(x.Request, "params/id") {
				x.Succeed(map[string]any{"id": "last", "pushNotificationConfig": map[string]any{"url": mutants.SomeHook}})
			}
		})},
	front.Mutant{Name: "push-config-invented", Summary: "The configuration of another task is returned for a task without one.",
		Reply: front.Answering(mutants.GetPushMethod, func(x *front.Reply) {
			if front.Has(x.Body, "result") && front.At(x.Body, "result/pushNotificationConfig") == nil {
				front.Put(x.Body, "result/pushNotificationConfig", map[string]any{"url": mutants.SomeHook})
			}
		})},
)

// noticeMutants are those that only A2A 0.1.0 has a place for.
var noticeMutants = front.InArea("push",
	front.Mutant{Name: "push-task-unnamed", Summary: "Notifications do not name the task.",
		Notice: func(n *front.Notice) { front.Drop(n.Body, "taskId") }},
	front.Mutant{Name: "push-status-as-text", Summary: "Notifications hold the status as free text.",
		Notice: func(n *front.Notice) { front.Put(n.Body, "status", front.Text(n.Body, "summary")) }},
	front.Mutant{Name: "push-credentials-quoted", Summary: "The credentials are sent with the JSON quotes around them.",
		Notice: func(n *front.Notice) {
			if scheme, token, ok := strings.Cut(n.Header.Get("Authorization"), " "); ok {
				n.Header.Set("Authorization", scheme+` {"token":"`+token+`"}`)
			}
		}},
	front.Mutant{Name: "push-to-first", Summary: "Notifications go to the first configuration after it was replaced.",
		Engine: func(o *engine.Options) { o.Defects.PushToFirst = true }},
)
