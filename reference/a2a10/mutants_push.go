package a2a10

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// configs edits the results of the method that lists.
func configs(edit func(x *front.Reply, list []any)) func(*front.Reply) {
	return onResult(listPushMethod, func(x *front.Reply) {
		if list, ok := front.At(x.Body, "result/configs").([]any); ok {
			edit(x, list)
		}
	})
}

// echo is the configuration that a call holds.
func echo(x *front.Reply) any {
	c := front.Object(front.Generic(front.At(x.Request, "params")), "")
	if front.Text(c, "id") == "" {
		c["id"] = "made-up"
	}
	return c
}

func noConfigs(*front.Reply) any {
	return map[string]any{"configs": []any{}, "nextPageToken": ""}
}

// webhook reports whether a URL is one that the server would take.
func webhook(s string) bool { return front.UnfitWebhook(s) == "" }

// pushMutants are about the configurations of push notifications.
var pushMutants = slices.Concat(front.InArea("push",
	front.Mutant{Name: "push-id-empty", Summary: "A configuration is stored under an id that is returned empty.", Reply: put(createPushMethod, "id", "")},
	front.Mutant{Name: "push-url-left-out", Summary: "The result of creating a configuration has no url.", Reply: drop(createPushMethod, "url")},
	front.Mutant{Name: "push-wrapped", Summary: "The result of creating a configuration has the wrapper of 0.3.",
		Reply: onResult(createPushMethod, func(x *front.Reply) {
			c := front.At(x.Body, "result")
			front.Put(x.Body, "result", map[string]any{"taskId": front.At(c, "taskId"), "pushNotificationConfig": c})
		})},
	front.Mutant{Name: "push-global", Summary: "A configuration is listed for every task.",
		Reply: func(x *front.Reply) {
			onResult(createPushMethod, func(x *front.Reply) { x.Server.Notes.Write("push", front.At(x.Body, "result")) })(x)
			configs(func(x *front.Reply, list []any) {
				if c := x.Server.Notes.Read("push"); c != nil && len(list) == 0 {
					front.Put(x.Body, "result/configs", []any{c})
				}
			})(x)
		}},
	front.Mutant{Name: "push-for-every-task", Summary: "A configuration is returned whichever task it is asked for under.",
		Reply: func(x *front.Reply) {
			onResult(createPushMethod, func(x *front.Reply) {
				x.Server.Notes.Write("webhook "+front.Text(x.Body, "result/id"), front.At(x.Body, "result"))
			})(x)
			kept := x.Server.Notes.Read("webhook " + front.Text(x.Request, "params/id"))
			if x.Answers(getPushMethod, TaskNotFound) && kept != nil && x.Task().ID != "" && x.Task().ID != front.Text(kept, "taskId") {
				x.Succeed(kept)
			}
		}},
	front.Mutant{Name: "push-id-replaced", Summary: "A configuration is stored under an id of the server's own, and that of the client is returned.",
		Call: front.Misread(createPushMethod, func(body any) {
			if id := front.Text(body, "params/id"); id != "" {
				front.Put(body, "params/id", "srv-"+id)
			}
		}),
		Reply: onResult(createPushMethod, func(x *front.Reply) {
			front.Put(x.Body, "result/id", strings.TrimPrefix(front.Text(x.Body, "result/id"), "srv-"))
		})},
	front.Mutant{Name: "push-unknown-stored", Summary: "A configuration for an unknown task is stored.", Reply: succeeding(createPushMethod, TaskNotFound, echo)},
	front.Mutant{Name: "push-guarded-refused", Summary: "A configuration with authentication is refused as invalid.",
		Reply: front.Declining(createPushMethod, front.CodeInvalidParams, func(params any) bool { return front.Text(params, "authentication/scheme") != "" })},
	front.Mutant{Name: "push-delete-refused", Summary: "A configuration is deleted, and the deletion answered as invalid.",
		Reply: front.Declining(deletePushMethod, front.CodeInvalidParams, func(any) bool { return true })},
	front.Mutant{Name: "push-without-url", Summary: "A configuration without url is stored.",
		Call: front.Misread(createPushMethod, func(body any) {
			if front.Text(body, "params/url") == "" && front.Object(body, "params") != nil {
				front.Put(body, "params/url", mutants.SomeHook)
			}
		})},
	front.Mutant{Name: "push-scheme-optional", Summary: "A configuration whose authentication has no scheme is stored.",
		Call: front.Misread(createPushMethod, func(body any) {
			if auth := front.Object(body, "params/authentication"); auth != nil && front.Text(auth, "scheme") == "" {
				auth["scheme"] = "Bearer"
			}
		})},
	front.Mutant{Name: "push-once", Summary: "A configuration vanishes after its first notification.",
		Notice: func(n *front.Notice) {
			n.Lost = n.Notes.Count("told "+n.To.URL) > 1
			n.Notes.Write("told "+n.To.ID, true)
		},
		Reply: configs(func(x *front.Reply, list []any) {
			front.Put(x.Body, "result/configs", slices.DeleteFunc(list, func(c any) bool { return x.Server.Notes.Read("told "+front.Text(c, "id")) != nil }))
		})},
	front.Mutant{Name: "push-id-of-task", Summary: "A configuration that is created without an id is given that of its task.",
		Call: func(c *front.Call) {
			if c.Method == createPushMethod && front.Text(c.Body, "params/id") == "" && front.Text(c.Body, "params/taskId") != "" {
				front.Put(c.Body, "params/id", front.Text(c.Body, "params/taskId"))
			}
		}},
	front.Mutant{Name: "push-single", Summary: "A second configuration replaces the first.", Engine: func(o *engine.Options) { o.Defects.PushSingle = true }},
	front.Mutant{Name: "push-first-returned", Summary: "The first configuration is returned, whichever is asked for.",
		Call: func(c *front.Call) {
			if pushes, _ := c.Server.Engine.Pushes(front.Text(c.Body, "params/taskId")); c.Method == getPushMethod && len(pushes) > 0 {
				front.Put(c.Body, "params/id", pushes[0].ID)
			}
		}},
	front.Mutant{Name: "push-second-returned", Summary: "The second configuration is returned for the id of the third.",
		Call: func(c *front.Call) {
			pushes, _ := c.Server.Engine.Pushes(front.Text(c.Body, "params/taskId"))
			if c.Method == getPushMethod && len(pushes) > 2 && front.Text(c.Body, "params/id") == pushes[2].ID {
				front.Put(c.Body, "params/id", pushes[1].ID)
			}
		}},
	front.Mutant{Name: "push-id-only", Summary: "Of a configuration that is looked up only the id is returned.",
		Reply: onResult(getPushMethod, func(x *front.Reply) {
			front.Put(x.Body, "result", map[string]any{"id": front.At(x.Body, "result/id"), "taskId": front.At(x.Body, "result/taskId")})
		})},
	front.Mutant{Name: "push-settings-left-out", Summary: "A configuration is looked up without its token and its authentication.",
		Reply: onResult(getPushMethod, func(x *front.Reply) {
			front.Drop(x.Body, "result/token")
			front.Drop(x.Body, "result/authentication")
		})},
	front.Mutant{Name: "push-absent-empty", Summary: "A configuration that is not there is returned as an empty object.",
		Reply: func(x *front.Reply) {
			if x.Answers(getPushMethod, TaskNotFound) && x.Task().ID != "" {
				x.Succeed(map[string]any{})
			}
		}},
	front.Mutant{Name: "push-get-stranger-misnamed", Summary: "A configuration that is not there is an internal error.",
		Reply: func(x *front.Reply) {
			if x.Answers(getPushMethod, TaskNotFound) && x.Task().ID != "" {
				front.Put(x.Body, "error/code", front.CodeInternal)
			}
		}},
	front.Mutant{Name: "push-get-unknown-internal", Summary: "Looking up a configuration of an unknown task is an internal error.",
		Reply: front.Recode(getPushMethod, TaskNotFound, front.CodeInternal)},
	front.Mutant{Name: "push-list-first", Summary: "Only the first configuration is listed.",
		Reply: configs(func(x *front.Reply, list []any) { front.Put(x.Body, "result/configs", list[:min(1, len(list))]) })},
	front.Mutant{Name: "push-list-bare", Summary: "The list of configurations has no wrapper.",
		Reply: configs(func(x *front.Reply, list []any) { front.Put(x.Body, "result", list) })},
	front.Mutant{Name: "push-list-none-refused", Summary: "Listing the configurations of a task that has none is an unknown task.",
		Reply: configs(func(x *front.Reply, list []any) {
			if len(list) == 0 {
				x.Decline(TaskNotFound)
			}
		})},
	front.Mutant{Name: "push-unlisted-while-waiting", Summary: "A task that waits for the client is said to have no configuration.",
		Reply: configs(func(x *front.Reply, list []any) {
			if x.Task().Status.State.Paused() {
				front.Put(x.Body, "result/configs", []any{})
			}
		})},
	front.Mutant{Name: "push-list-unknown-empty", Summary: "An unknown task has an empty list of configurations.", Reply: succeeding(listPushMethod, TaskNotFound, noConfigs)},
	front.Mutant{Name: "push-list-loops", Summary: "Every page of configurations leads to the second.",
		Reply: configs(func(x *front.Reply, _ []any) {
			if front.Has(x.Request, "params/pageSize") {
				front.Put(x.Body, "result/nextPageToken", pageToken(1))
			}
		})},
	front.Mutant{Name: "push-delete-forgotten", Summary: "A configuration is said to be deleted and stays.",
		Call: front.Misread(deletePushMethod, func(body any) { front.Put(body, "params/id", "none") })},
	front.Mutant{Name: "push-delete-unknown", Summary: "Deleting a configuration of an unknown task is confirmed.",
		Reply: succeeding(deletePushMethod, TaskNotFound, nothing)},
	front.Mutant{Name: "push-delete-again-other", Summary: "Deleting a configuration again deletes another.",
		Call: func(c *front.Call) {
			task, id := front.Text(c.Body, "params/taskId"), front.Text(c.Body, "params/id")
			if pushes, _ := c.Server.Engine.Pushes(task); c.Method == deletePushMethod && len(pushes) > 0 && c.Notes.Count("deleted "+task+" "+id) > 1 {
				front.Put(c.Body, "params/id", pushes[0].ID)
			}
		}},
	front.Mutant{Name: "push-delete-unknown-internal", Summary: "Deleting a configuration of an unknown task is an internal error.",
		Reply: front.Recode(deletePushMethod, TaskNotFound, front.CodeInternal)},
	front.Mutant{Name: "push-in-send-ignored", Summary: "A configuration sent with a message is ignored.",
		Call: ignored(sendMethod, "configuration/taskPushNotificationConfig")},
	front.Mutant{Name: "push-in-stream-ignored", Summary: "A configuration sent with a streamed message is ignored.",
		Call: ignored(streamMethod, "configuration/taskPushNotificationConfig")},
	front.Mutant{Name: "push-link-local-accepted", Summary: "A webhook in the link-local network is accepted.",
		Reply: func(x *front.Reply) {
			u, err := url.Parse(front.Text(x.Request, "params/url"))
			if err == nil && u.Host != "" && !webhook(u.String()) && x.Answers(createPushMethod, front.CodeInvalidParams) && x.Task().ID != "" {
				x.Succeed(echo(x))
			}
		}},
	front.Mutant{Name: "push-url-unchecked", Summary: "What is no URL is accepted as a webhook.",
		Call: front.Misread(createPushMethod, func(body any) {
			if u := front.Text(body, "params/url"); u != "" && !strings.Contains(u, "://") {
				front.Put(body, "params/url", mutants.SomeHook)
			}
		})},
), front.In("silent", front.InArea("push",
	front.Mutant{Name: "push-create-without-capability", Summary: "Without push notifications a configuration is created.", Reply: succeeding(createPushMethod, pushNotSupported, echo)},
	front.Mutant{Name: "push-get-without-capability", Summary: "Without push notifications looking up a configuration is an unknown task.",
		Reply: front.Recode(getPushMethod, pushNotSupported, TaskNotFound)},
	front.Mutant{Name: "push-list-without-capability", Summary: "Without push notifications the configurations are listed.", Reply: succeeding(listPushMethod, pushNotSupported, noConfigs)},
	front.Mutant{Name: "push-delete-without-capability", Summary: "Without push notifications a configuration is deleted.", Reply: succeeding(deletePushMethod, pushNotSupported, nothing)},
	front.Mutant{Name: "push-in-send-accepted", Summary: "Without push notifications a configuration sent with a message is accepted.",
		Call: ignored(sendMethod, "configuration/taskPushNotificationConfig")},
	front.Mutant{Name: "push-in-send-internal", Summary: "Without push notifications a configuration sent with a message is an internal error.",
		Reply: front.Recode(sendMethod, pushNotSupported, front.CodeInternal)},
)...))

// noticeState is where a push notification says the state of its task.
const noticeState = "statusUpdate/status/state"

// noticeMutants are about the delivery of push notifications.
var noticeMutants = front.InArea("push",
	front.Mutant{Name: "push-again", Summary: "A notification that could not be delivered is sent once more.", Notice: func(n *front.Notice) { n.Again = true }},
	front.Mutant{Name: "push-by-put", Summary: "Notifications are sent by PUT.", Notice: func(n *front.Notice) { n.Method = http.MethodPut }},
	front.Mutant{Name: "push-as-json", Summary: "Notifications are labelled application/json.",
		Notice: func(n *front.Notice) { n.Header.Set("Content-Type", "application/json") }},
	front.Mutant{Name: "push-path-dropped", Summary: "Notifications are sent to the root of the webhook's host.",
		Notice: func(n *front.Notice) {
			if u, err := url.Parse(n.To.URL); err == nil {
				n.To.URL = u.Scheme + "://" + u.Host + "/"
			}
		}},
	front.Mutant{Name: "push-query-lost", Summary: "Notifications are sent to the URL without its query.",
		Notice: func(n *front.Notice) { n.To.URL, _, _ = strings.Cut(n.To.URL, "?") }},
	front.Mutant{Name: "push-first-only", Summary: "Only the first configuration of a task gets notifications.",
		Engine: func(o *engine.Options) { o.Defects.PushToFirst = true }},
	front.Mutant{Name: "push-bare-task", Summary: "A notification is the bare task.",
		Notice: func(n *front.Notice) {
			if u := front.Object(n.Body, "statusUpdate"); u != nil {
				n.Body = map[string]any{"id": u["taskId"], "contextId": u["contextId"], "status": u["status"]}
			}
		}},
	front.Mutant{Name: "push-as-words", Summary: "A notification is a text.",
		Notice: func(n *front.Notice) { n.Body = "The task has changed." }},
	front.Mutant{Name: "push-two-payloads", Summary: "A notification holds the update and the task.",
		Notice: func(n *front.Notice) {
			if u := front.Object(n.Body, "statusUpdate"); u != nil {
				front.Put(n.Body, "task", map[string]any{"id": u["taskId"], "contextId": u["contextId"], "status": u["status"]})
			}
		}},
	front.Mutant{Name: "push-as-text", Summary: "Notifications are labelled text/plain.", Notice: func(n *front.Notice) { n.Header.Set("Content-Type", "text/plain") }},
	front.Mutant{Name: "push-always-bearer", Summary: "Notifications carry their credentials as those of a bearer, whatever the scheme.",
		Notice: func(n *front.Notice) {
			if _, credentials, ok := strings.Cut(n.Header.Get("Authorization"), " "); ok {
				n.Header.Set("Authorization", "Bearer "+credentials)
			}
		}},
	front.Mutant{Name: "push-unnamed", Summary: "A notification does not name its task.",
		Notice: func(n *front.Notice) { front.Walk(n.Body, func(m map[string]any) { delete(m, "taskId") }) }},
	front.Mutant{Name: "push-end-dropped", Summary: "The end of a task is not delivered.",
		Notice: func(n *front.Notice) { n.Lost = states[front.Text(n.Body, noticeState)].Terminal() }},
	front.Mutant{Name: "push-question-dropped", Summary: "It is not delivered that a task waits.",
		Notice: func(n *front.Notice) { n.Lost = states[front.Text(n.Body, noticeState)].Paused() }},
	front.Mutant{Name: "push-undead", Summary: "A configuration that was deleted goes on receiving.",
		Engine: func(o *engine.Options) { o.Defects.PushUndead = true }},
	front.Mutant{Name: "push-blocks", Waits: true, Summary: "Everything waits until a webhook has answered.",
		Engine: func(o *engine.Options) { o.Defects.PushBlocks = true }},
	front.Mutant{Name: "push-fatal", Summary: "A webhook that fails makes the task fail.",
		Engine: func(o *engine.Options) { o.Defects.PushFatal = true }},
	front.Mutant{Name: "push-out-of-order", Summary: "Notifications say working after they said completed.",
		Notice: func(n *front.Notice) {
			switch states[front.Text(n.Body, noticeState)] {
			case engine.Working:
				front.Put(n.Body, noticeState, stateName(engine.Completed))
			case engine.Completed:
				front.Put(n.Body, noticeState, stateName(engine.Working))
			}
		}},
)
