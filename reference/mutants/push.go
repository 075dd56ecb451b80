package mutants

import (
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
var NoticeMutants = map[string]front.Mutant{
	"push-token-truncated": {Notice: func(n *front.Notice) {
		if t := n.Header.Get("X-A2A-Notification-Token"); t != "" {
			n.Header.Set("X-A2A-Notification-Token", t[:len(t)/2])
		}
	}},
}
