package a2a01

import (
	"net/url"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// pushMutants are about the configuration of push notifications.
var pushMutants = map[string]front.Mutant{
	"push-url-cut": {Reply: mutants.ConfigOf(func(_ *front.Reply, config map[string]any) {
		if u, err := url.Parse(front.Text(config, "url")); err == nil {
			if u.RawQuery == "" {
				u.Path = "/"
			}
			u.RawQuery = ""
			config["url"] = u.String()
		}
	})},
	"push-config-shared": {Reply: func(x *front.Reply) {
		if x.Method() == mutants.SetPushMethod && front.Has(x.Body, "result/pushNotificationConfig/url") {
			x.Server.Notes.Write("hook", front.At(x.Body, "result/pushNotificationConfig/url"))
		}
		mutants.ConfigOf(func(x *front.Reply, config map[string]any) {
			if hook := x.Server.Notes.Read("hook"); hook != nil {
				config["url"] = hook
			}
		})(x)
	}},
	"push-url-unchecked": {Call: front.Misread(mutants.SetPushMethod, func(body any) {
		if s := front.Text(body, "params/pushNotificationConfig/url"); s != "" && !strings.Contains(s, "://") {
			front.Put(body, "params/pushNotificationConfig/url", mutants.SomeHook)
		}
	})},
	"push-http-accepted": {Call: front.Misread(mutants.SetPushMethod, func(body any) {
		if s := front.Text(body, "params/pushNotificationConfig/url"); strings.HasPrefix(s, "http:") && front.UnfitWebhook(s) != "" {
			front.Put(body, "params/pushNotificationConfig/url", mutants.SomeHook)
		}
	})},
	"push-token-as-sent": {Reply: func(x *front.Reply) {
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
}

// noticeMutants are those that only A2A 0.1.0 has a place for.
var noticeMutants = map[string]front.Mutant{
	"push-credentials-quoted": {Notice: func(n *front.Notice) {
		if scheme, token, ok := strings.Cut(n.Header.Get("Authorization"), " "); ok {
			n.Header.Set("Authorization", scheme+` {"token":"`+token+`"}`)
		}
	}},
}
