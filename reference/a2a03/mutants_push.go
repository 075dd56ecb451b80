package a2a03

import (
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

// onPushList edits the results of the method list.
func onPushList(edit func(x *front.Reply, list []any)) func(*front.Reply) {
	return front.Answering(ListPushConfigMethod, func(x *front.Reply) {
		if list, ok := front.At(x.Body, "result").([]any); ok {
			edit(x, list)
		}
	})
}

// pushMutants are about push configurations and notifications.
var pushMutants = map[string]front.Mutant{
	"push-url-rewritten": {Reply: inConfig(SetPushConfigMethod, func(x *front.Reply) {
		front.Put(x.Body, "result/pushNotificationConfig/url", front.Text(x.Body, "result/pushNotificationConfig/url")+"#")
	})},
	"push-url-unchecked": {Call: settingPush(func(c map[string]any) {
		if s := front.Text(c, "url"); s != "" && !strings.Contains(s, "://") {
			c["url"] = mutants.SomeHook
		}
	})},
	"push-link-local-accepted": {Call: settingPush(func(c map[string]any) {
		if strings.Contains(front.Text(c, "url"), "//169.254.") {
			c["url"] = mutants.SomeHook
		}
	})},
	"push-get-second": {Reply: inConfig(GetPushConfigMethod, func(x *front.Reply) {
		if all, err := x.Server.Engine.Pushes(x.TaskID()); err == nil && len(all) > 1 && front.Has(x.Request, "params/pushNotificationConfigId") {
			front.Put(x.Body, "result", front.Generic(writeA2A03Push(x.TaskID(), all[1])))
		}
	})},
	"push-get-any": {Reply: front.Answering(GetPushConfigMethod, func(x *front.Reply) {
		if x.Answers("", front.CodeInvalidParams) && front.Has(x.Request, "params/pushNotificationConfigId") && x.Task().ID != "" {
			x.Succeed(front.Generic(writeA2A03Push(x.TaskID(), engine.Push{ID: "another", URL: mutants.SomeHook})))
		}
	})},
	"push-list-newest": {Reply: onPushList(func(x *front.Reply, list []any) {
		if len(list) > 1 {
			front.Put(x.Body, "result", list[len(list)-1:])
		}
	})},
	"push-delete-returns": {Reply: front.OnResult(DeletePushConfigMethod, func(x *front.Reply) {
		front.Put(x.Body, "result", map[string]any{"taskId": x.TaskID(), "pushNotificationConfig": map[string]any{"id": front.At(x.Request, "params/pushNotificationConfigId"), "url": mutants.SomeHook}})
	})},
	"push-delete-all": {Reply: front.Answering(DeletePushConfigMethod, func(x *front.Reply) {
		if !front.Has(x.Request, "params/pushNotificationConfigId") {
			x.Server.Engine.SetPush(x.TaskID(), nil)
			x.Succeed(nil)
		}
	})},
	"push-delete-again": {Reply: front.OnResult(DeletePushConfigMethod, func(x *front.Reply) {
		task, config := x.TaskID(), front.Text(x.Request, "params/pushNotificationConfigId")
		if x.Server.Notes.Count("deleted "+task+" "+config) == 2 {
			if left, _ := x.Server.Engine.Pushes(task); len(left) > 0 {
				x.Server.Engine.DeletePush(task, left[0].ID)
			}
			x.Decline(front.CodeInternal)
		}
	})},
	"push-token-in-query": {Push: func(n *front.PushNotification) {
		if u, err := url.Parse(n.To.URL); err == nil && n.To.Token != nil {
			u.RawQuery += "&token=" + url.QueryEscape(*n.To.Token)
			n.To.URL = u.String()
			n.Header.Del("X-A2A-Notification-Token")
		}
	}},
	"push-first-only": {Push: func(n *front.PushNotification) {
		n.Lost = n.Notes.First("receiver of "+front.Text(n.Body, "id"), n.To.ID) != n.To.ID
	}},
}
