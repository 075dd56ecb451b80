package mutants

import (
	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

const (
	SetPushMethod = "tasks/pushNotification/set"
	GetPushMethod = "tasks/pushNotification/get"
)

// SomeHook is what a lenient server puts in place of an unusable URL.
const SomeHook = "https://hook.invalid/"

// ConfigOf edits the configuration in the results of tasks/pushNotification/get.
func ConfigOf(edit func(x *front.Reply, config map[string]any)) func(*front.Reply) {
	return front.Answering(GetPushMethod, func(x *front.Reply) {
		if c := front.Object(x.Body, "result/pushNotificationConfig"); c != nil {
			edit(x, c)
		}
	})
}

// NoticeMutants are about the delivery of push notifications.
var NoticeMutants = front.InArea("push",
	front.Mutant{Name: "push-never", Waits: true, Summary: "Notifications are configured and never sent.",
		Engine: func(o *engine.Options) { o.Defects.PushNever = true }},
	front.Mutant{Name: "push-token-dropped", Summary: "Notifications do not carry the token.",
		Notice: func(n *front.Notice) { n.Header.Del("X-A2A-Notification-Token") }},
	front.Mutant{Name: "push-token-truncated", Summary: "Notifications carry only the first half of the token.",
		Notice: func(n *front.Notice) {
			if t := n.Header.Get("X-A2A-Notification-Token"); t != "" {
				n.Header.Set("X-A2A-Notification-Token", t[:len(t)/2])
			}
		}},
	front.Mutant{Name: "push-as-form", Summary: "Notifications are labelled as a form.",
		Notice: func(n *front.Notice) { n.Header.Set("Content-Type", "application/x-www-form-urlencoded") }},
	front.Mutant{Name: "push-unauthenticated", Summary: "Notifications are sent without credentials.",
		Notice: func(n *front.Notice) { n.Header.Del("Authorization") }},
)
