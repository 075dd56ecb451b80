package a2a10

import (
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// configs edits the results of the method that lists.
func configs(edit func(x *front.Reply, list []any)) func(*front.Reply) {
	return front.OnResult(listPushMethod, func(x *front.Reply) {
		if list, ok := front.At(x.Body, "result/configs").([]any); ok {
			edit(x, list)
		}
	})
}

// sentConfigFillingMissingID is the configuration that a call holds.
func sentConfigFillingMissingID(x *front.Reply) any {
	c := front.Object(front.Generic(front.At(x.Request, "params")), "")
	if front.Text(c, "id") == "" {
		c["id"] = "made-up"
	}
	return c
}

// isFitWebhook reports whether a URL is one that the server would take.
func isFitWebhook(s string) bool { return front.UnfitWebhook(s) == "" }

// noticeState is the path of the state in a push notification.
const noticeState = "statusUpdate/status/state"

// pushMutants are about push configurations and notifications.
var pushMutants = map[string]front.Mutant{
	"push-global": {Reply: func(x *front.Reply) {
		front.OnResult(createPushMethod, func(x *front.Reply) { x.Server.Notes.Write("push", front.At(x.Body, "result")) })(x)
		configs(func(x *front.Reply, list []any) {
			if c := x.Server.Notes.Read("push"); c != nil && len(list) == 0 {
				front.Put(x.Body, "result/configs", []any{c})
			}
		})(x)
	}},
	"push-for-every-task": {Reply: func(x *front.Reply) {
		front.OnResult(createPushMethod, func(x *front.Reply) {
			x.Server.Notes.Write("webhook "+front.Text(x.Body, "result/id"), front.At(x.Body, "result"))
		})(x)
		kept := x.Server.Notes.Read("webhook " + front.Text(x.Request, "params/id"))
		if x.Answers(getPushMethod, TaskNotFound) && kept != nil && x.Task().ID != "" && x.Task().ID != front.Text(kept, "taskId") {
			x.Succeed(kept)
		}
	}},
	"push-id-replaced": {Call: front.Misread(createPushMethod, func(body any) {
		if id := front.Text(body, "params/id"); id != "" {
			front.Put(body, "params/id", "srv-"+id)
		}
	}),
		Reply: front.OnResult(createPushMethod, func(x *front.Reply) {
			front.Put(x.Body, "result/id", strings.TrimPrefix(front.Text(x.Body, "result/id"), "srv-"))
		})},
	"push-unknown-stored": {Reply: returnResultOnError(createPushMethod, TaskNotFound, sentConfigFillingMissingID)},
	"push-once": {Push: func(n *front.PushNotification) {
		n.Lost = n.Notes.Count("told "+n.To.URL) > 1
		n.Notes.Write("told "+n.To.ID, true)
	},
		Reply: configs(func(x *front.Reply, list []any) {
			front.Put(x.Body, "result/configs", slices.DeleteFunc(list, func(c any) bool { return x.Server.Notes.Read("told "+front.Text(c, "id")) != nil }))
		})},
	"push-first-returned": {Call: func(c *front.Call) {
		if pushes, _ := c.Server.Engine.Pushes(front.Text(c.Body, "params/taskId")); c.Method == getPushMethod && len(pushes) > 0 {
			front.Put(c.Body, "params/id", pushes[0].ID)
		}
	}},
	"push-second-returned": {Call: func(c *front.Call) {
		pushes, _ := c.Server.Engine.Pushes(front.Text(c.Body, "params/taskId"))
		if c.Method == getPushMethod && len(pushes) > 2 && front.Text(c.Body, "params/id") == pushes[2].ID {
			front.Put(c.Body, "params/id", pushes[1].ID)
		}
	}},
	"push-list-loops": {Reply: configs(func(x *front.Reply, _ []any) {
		if front.Has(x.Request, "params/pageSize") {
			front.Put(x.Body, "result/nextPageToken", pageToken(1))
		}
	})},
	"push-delete-again-other": {Call: func(c *front.Call) {
		task, id := front.Text(c.Body, "params/taskId"), front.Text(c.Body, "params/id")
		if pushes, _ := c.Server.Engine.Pushes(task); c.Method == deletePushMethod && len(pushes) > 0 && c.Notes.Count("deleted "+task+" "+id) > 1 {
			front.Put(c.Body, "params/id", pushes[0].ID)
		}
	}},
	"push-link-local-accepted": {Reply: func(x *front.Reply) {
		u, err := url.Parse(front.Text(x.Request, "params/url"))
		if err == nil && u.Host != "" && !isFitWebhook(u.String()) && x.Answers(createPushMethod, front.CodeInvalidParams) && x.Task().ID != "" {
			x.Succeed(sentConfigFillingMissingID(x))
		}
	}},
	"push-url-unchecked": {Call: front.Misread(createPushMethod, func(body any) {
		if u := front.Text(body, "params/url"); u != "" && !strings.Contains(u, "://") {
			front.Put(body, "params/url", mutants.SomeHook)
		}
	})},
	"push-create-without-capability": {Reply: returnResultOnError(createPushMethod, pushNotSupported, sentConfigFillingMissingID)},
	"push-again":                     {Push: func(n *front.PushNotification) { n.Again = true }},
	"push-path-dropped": {Push: func(n *front.PushNotification) {
		if u, err := url.Parse(n.To.URL); err == nil {
			n.To.URL = u.Scheme + "://" + u.Host + "/"
		}
	}},
	"push-always-bearer": {Push: func(n *front.PushNotification) {
		if _, credentials, ok := strings.Cut(n.Header.Get("Authorization"), " "); ok {
			n.Header.Set("Authorization", "Bearer "+credentials)
		}
	}},
	"push-out-of-order": {Push: func(n *front.PushNotification) {
		switch states[front.Text(n.Body, noticeState)] {
		case engine.Working:
			front.Put(n.Body, noticeState, stateName(engine.Completed))
		case engine.Completed:
			front.Put(n.Body, noticeState, stateName(engine.Working))
		}
	}},
}
