package a2a01

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// servedCard is the card that a server shows.
func servedCard(s *front.Server) any { return Server{s}.card() }

// codeMutants are the mutants of the table that are written in Go.
var codeMutants = map[string]front.Mutant{
	"guard-after-the-fact": {Guard: func(c *front.Caller) {
		if c.Method == "tasks/send" && c.Credential == "" && !mutants.CarriesToken(c) {
			c.Client = "first"
			c.HTTP.Header.Set("X-Refuse-Afterwards", "1")
		}
	},
		Reply: func(x *front.Reply) {
			if x.HTTP.Header.Get("X-Refuse-Afterwards") != "" {
				x.Status = http.StatusUnauthorized
				x.Header.Set("WWW-Authenticate", "Bearer")
				x.Decline(authenticationRequired)
			}
		}},
	"guard-knows-connections": {Guard: func(c *front.Caller) {
		key := "trusted " + c.HTTP.RemoteAddr
		if c.Client != "" {
			c.Notes.Write(key, c.Client)
		} else if client, ok := c.Notes.Read(key).(string); ok {
			c.Client = client
		}
	}},
	"card-at-root":       {Reply: mutants.MoveCardTo("root card", servedCard)},
	"card-at-later-path": {Reply: mutants.MoveCardTo("later card", servedCard)},
	"error-data-nan": {Reply: func(x *front.Reply) {
		if x.Answers("", front.CodeMethodNotFound) {
			x.Raw = []byte(`{"jsonrpc":"2.0","id":` + string(front.Encode(front.At(x.Body, "id"))) + `,"error":{"code":-32601,"message":"Method not found","data":NaN}}`)
		}
	}},
	"large-body-deadly": {Reply: front.DeadlyAfter(func(x *front.Reply) bool { return len(x.Sent) >= front.MaxBody })},
	"deep-body-deadly":  {Reply: front.DeadlyAfter(func(x *front.Reply) bool { return bytes.Contains(x.Sent, bytes.Repeat([]byte("["), 10_000)) })},
	"uri-required":      {Reply: Words.FileDeclined(func(bytes, uri bool) bool { return bytes && !uri })},
	"bytes-required":    {Reply: Words.FileDeclined(func(bytes, uri bool) bool { return uri && !bytes })},
	"bare-file-refused": {Reply: Words.FileDeclined(func(bytes, uri bool) bool { return !uri && !bytes })},
	"task-id-stringified": {Call: front.Misread("tasks/send", func(body any) {
		if id := front.At(body, "params/id"); front.IsNumber(id) {
			front.Put(body, "params/id", string(front.Encode(id)))
		}
	})},
	"history-length-parsed": {Call: front.Misread("tasks/send", func(body any) {
		if n := front.At(body, "params/historyLength"); front.IsText(n) || front.IsNumber(n) && strings.Contains(string(front.Encode(n)), ".") {
			front.Put(body, "params/historyLength", front.Num(1))
		}
	})},
	"session-replaced": {Reply: front.Answering("tasks/send", func(x *front.Reply) {
		if front.Has(x.Body, "result/sessionId") && x.Script() != "ask" {
			front.Put(x.Body, "result/sessionId", "server-session")
		}
	})},
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
	"push-credentials-quoted": {Push: func(n *front.PushNotification) {
		if scheme, token, ok := strings.Cut(n.Header.Get("Authorization"), " "); ok {
			n.Header.Set("Authorization", scheme+` {"token":"`+token+`"}`)
		}
	}},
	"event-after-final": {Event: Words.InStream("echo", func(f *front.StreamEvent) {
		if f.State() == "completed" {
			f.After = []any{f.ArtifactEvent(2)}
		}
	})},
	"event-after-error": {Event: Words.InStream("fail", func(f *front.StreamEvent) {
		if f.State() == "working" {
			f.Skip = true
			f.After = []any{map[string]any{"jsonrpc": "2.0", "id": front.At(f.Body, "id"),
				"error": map[string]any{"code": front.CodeInternal, "message": "The agent failed"}}}
		}
	})},
	"event-id-nul": {Event: Words.InStream("echo", func(f *front.StreamEvent) {
		if f.Count == 2 {
			f.Raw = "id: e\x002\ndata: " + string(front.Encode(f.Body)) + "\n\n"
		}
	})},
	"resubscribe-as-json": {Reply: front.Opening("tasks/resubscribe", func(x *front.Reply) {
		x.Header.Set("Content-Type", "application/json")
		x.Succeed(front.Generic(Server{x.Server}.task(x.Task(), 0)))
	})},
	"resubscribe-snapshot": {Event: Words.Resuming(func(f *front.StreamEvent) {
		if f.Count == 1 {
			task := front.Generic(Server{f.Reply.Server}.task(f.Reply.Task(), 0))
			front.Put(f.Body, "result", map[string]any{"task": task})
		}
	})},
	"history-newest-first": {Reply: mutants.HistoryOf(func(x *front.Reply, _ string, history []any) []any {
		if x.Script() == "ask" && len(history) > 3 {
			history[0], history[2] = history[2], history[0]
		}
		return history
	})},
	"history-by-role": {Reply: mutants.HistoryOf(func(x *front.Reply, _ string, history []any) []any {
		mutants.SortByRole(x.Body, "user")
		return history
	})},
	"timestamp-local": {Reply: front.Answering("tasks/get", func(x *front.Reply) {
		if t, ok := strings.CutSuffix(front.Text(x.Body, "result/status/timestamp"), "Z"); ok {
			front.Put(x.Body, "result/status/timestamp", t+"+02:00")
		}
	})},
	"question-completes": {Engine: func(o *engine.Options) { o.Asks = false }},
	"card-url-elsewhere": {Reply: mutants.OnCard(func(x *front.Reply) { front.Put(x.Body, "url", x.Server.Url+"/elsewhere") })},
	"debug-line-first": {Reply: func(x *front.Reply) {
		if x.Answers("tasks/cancel", taskNotCancelable) {
			x.Raw = append([]byte("DEBUG: not cancelable\n"), front.Encode(x.Body)...)
		}
	}},
}
