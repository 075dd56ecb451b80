package mutants

import (
	"bytes"
	"crypto/tls"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// sharedMutantsInGo returns the mutants of the shared table that are written in Go, in the words
// of a protocol. restBase is the path of its HTTP+JSON.
func sharedMutantsInGo(w Wording, restBase string) map[string]front.Mutant {
	malformed := []any{front.Num(front.CodeParse), front.Num(front.CodeInvalidRequest), front.Num(front.CodeInvalidParams)}
	return map[string]front.Mutant{
		"guard-optional": {Guard: func(c *front.Caller) {
			if !CarriesToken(c) {
				front.AnonymousTo(w.Send)(c)
			}
		}},
		"guard-reads-body": {Guard: func(c *front.Caller) {
			if c.Method == w.Send && !CarriesToken(c) {
				c.Client = ""
			}
		}},
		"guard-takes-metadata": {Guard: func(c *front.Caller) {
			if CarriesToken(c) {
				c.Client = "first"
			}
		}},
		"guard-shares-running": {Guard: func(c *front.Caller) {
			if c.Method == w.Resubscribe && c.Working {
				c.Owner = ""
			}
		}},

		"card-url-unspecified": {Reply: OnCard(func(x *front.Reply) { eachAddress(x.Body, withUnspecifiedHost) })},
		"id-wrong-at-times": {Reply: func(x *front.Reply) {
			id, kind, every, at := front.Text(x.Request, "id"), "results", 10, 3
			if front.Has(x.Body, "error") { // of which there are few, and some that no client compares
				kind, every, at = "errors", 3, 1
			}
			if !x.Opens && id != "" && x.Server.Notes.Count(kind+" "+x.Binding())%every == at {
				front.Replace(x.Body, "id", "another "+id)
			}
		}},

		"malformed-unauthorized": {Reply: func(x *front.Reply) {
			if slices.Contains(malformed, front.At(x.Body, "error/code")) {
				x.Blank(http.StatusUnauthorized, "text/plain")
				x.Header.Set("WWW-Authenticate", "Bearer")
			}
		}},

		"unknown-task-created": {Reply: func(x *front.Reply) {
			if x.Answers(w.Get, w.NotFound) {
				w.returnPretendedTask(x, "submitted")
			}
		}},
		"unknown-task-canceled": {Reply: func(x *front.Reply) {
			if x.Answers(w.Cancel, w.NotFound) && !front.Has(x.Request, "params/metadata") {
				w.returnPretendedTask(x, "canceled")
			}
		}},
		"any-file-type-accepted": {Call: front.Misread(w.Send, func(body any) {
			front.Walk(front.At(body, "params/message/parts"), func(m map[string]any) {
				if kind, _ := m["mimeType"].(string); strings.HasPrefix(kind, "application/x-") {
					delete(m, "mimeType")
				}
			})
		})},
		"empty-body-deadly":    {Reply: w.Deadly(func(x *front.Reply) bool { return x.HTTP.Method == http.MethodPost && len(x.Sent) == 0 })},
		"parse-error-deadly":   {Reply: w.Deadly(func(x *front.Reply) bool { return x.Answers("", front.CodeParse) && len(x.Sent) > 0 })},
		"large-message-deadly": {Reply: w.Deadly(func(x *front.Reply) bool { return len(x.Sent) > 1<<19 })},
		"deep-metadata-deadly": {Reply: w.Deadly(func(x *front.Reply) bool { return measureDepth(x.Sent) >= 150 })},
		"parallel-calls-mixed": {Engine: func(o *engine.Options) { o.Latency += 30 * time.Millisecond }, // so that calls meet
			Call: func(c *front.Call) {
				if c.Method == w.Send {
					c.Notes.Add("under way", 1)
				}
			},
			Reply: front.Answering(w.Send, func(x *front.Reply) {
				notes := &x.Server.Notes
				switch others := notes.Add("under way", -1); {
				case !front.Has(x.Body, "result"):
				case others >= 1:
					front.Put(x.Body, "result", notes.First("result of many", front.At(x.Body, "result")))
				case notes.Read("result of many") != nil: // the last of them
					front.Put(x.Body, "result", notes.Write("result of many", nil))
				}
			})},

		"grpc-fields-retyped": {GRPC: Sending("Task", func(task protoreflect.Message) {
			field := Field(task, "context_id")
			number := protowire.AppendTag(task.GetUnknown(), field.Number(), protowire.VarintType)
			task.Clear(field)
			task.SetUnknown(protowire.AppendVarint(number, 7))
		})},
		"grpc-state-unspecified": {GRPC: Sending("TaskStatus", func(status protoreflect.Message) {
			if state := Field(status, "state"); status.Get(state).Enum() == 3 {
				status.Clear(state)
			}
		})},
		"grpc-event-empty": {Event: func(f *front.StreamEvent) {
			if f.Count == 1 && f.Reply.Binding() == front.GRPC {
				f.After = append(f.After, f.Further(map[string]any{}))
			}
		}},
		"grpc-guard-open": {Guard: func(c *front.Caller) {
			if front.OverGRPC(c.HTTP) && c.Client == "" && c.Credential == "" {
				c.Client, c.Owner = "first", ""
			}
		}},
		"unknown-part-dropped": {Call: w.PartsMisread(func(p map[string]any) {
			if kind := front.Text(p, w.Kind); kind != "" && kind != "text" && kind != "file" && kind != "data" {
				w.turnIntoText(p)
			}
		})},
		"text-stringified": {Call: w.PartsMisread(func(p map[string]any) {
			if p[w.Kind] == "text" && front.IsNumber(p["text"]) {
				p["text"] = string(front.Encode(p["text"]))
			}
		})},
		"file-optional": {Call: w.PartsMisread(func(p map[string]any) {
			if p[w.Kind] == "file" && front.Object(p, "file") == nil {
				w.turnIntoText(p)
			}
		})},
		"bytes-unchecked": {Call: w.PartsMisread(func(p map[string]any) {
			if s := front.Text(p, "file/bytes"); !front.IsBase64(s) {
				front.Put(p, "file/bytes", "")
			}
		})},

		"push-by-put":     {Push: func(n *front.PushNotification) { n.Method = http.MethodPut }},
		"push-query-lost": {Push: func(n *front.PushNotification) { n.To.URL, _, _ = strings.Cut(n.To.URL, "?") }},
		"push-token-truncated": {Push: func(n *front.PushNotification) {
			if t := n.Header.Get("X-A2A-Notification-Token"); t != "" {
				n.Header.Set("X-A2A-Notification-Token", t[:len(t)/2])
			}
		}},
		"rest-subscribe-read-as-id": {Route: Repathed(restBase, func(path string) string {
			if task, ok := strings.CutSuffix(path, ":subscribe"); ok {
				return task + "%3Asubscribe"
			}
			return path
		})},
		"rest-json-refused": {Route: Typed("application/json")},
		"rest-events-enveloped": {Event: func(f *front.StreamEvent) {
			if f.Reply.OverREST() {
				body := front.Generic(f.Body)
				if front.Has(body, "result") {
					front.Put(body, "result", f.Sent(f.Body))
				}
				f.Raw = "data: " + string(front.Encode(body)) + "\n\n"
			}
		}},
		"rest-stream-as-lines": {REST: func(x *front.Reply) {
			if x.Opens {
				x.Header.Set("Content-Type", "application/x-ndjson")
			}
		},
			Event: func(f *front.StreamEvent) {
				if f.Reply.OverREST() {
					f.Raw = string(front.Encode(f.Sent(f.Body))) + "\n"
				}
			}},
		"rest-guard-open": {Guard: func(c *front.Caller) {
			if strings.HasPrefix(c.HTTP.URL.Path, restBase+"/") && c.Client == "" && c.Credential == "" {
				c.Client, c.Owner = "first", ""
			}
		}},

		"http-method-ignored": {Reply: func(x *front.Reply) {
			if x.HTTP.Method == http.MethodPut && x.Perform != nil {
				x.Perform()
			}
		}},
		"notification-answered": {Reply: func(x *front.Reply) {
			if x.Call != nil && x.Call.Notification && x.Status == http.StatusNoContent {
				x.Status = http.StatusOK
				x.Body = map[string]any{"jsonrpc": "2.0", "error": map[string]any{"code": front.CodeInvalidRequest, "message": "Invalid Request"}}
			}
		}},
		"batch-error-mute": {Reply: func(x *front.Reply) {
			if answers, ok := x.Body.([]any); ok {
				front.Drop(answers[len(answers)-1], "error/message")
			}
		}},
		"word-gets-error-page": {Reply: func(x *front.Reply) {
			if x.Answers("", front.CodeParse) && strings.Trim(string(x.Sent), "abcdefghijklmnopqrstuvwxyz \n") == "" && len(x.Sent) > 0 {
				x.Blank(http.StatusBadRequest, "text/html")
				x.Raw = []byte("<h1>Bad Request</h1>")
			}
		}},
		"empty-body-ignored": {Reply: func(x *front.Reply) {
			if x.Answers("", front.CodeParse) && len(x.Sent) == 0 {
				x.Blank(http.StatusOK, "application/json")
			}
		}},
		"null-body-crashes": {Reply: func(x *front.Reply) {
			if string(bytes.TrimSpace(x.Sent)) == "null" {
				x.Blank(http.StatusInternalServerError, "text/plain")
			}
		}},
		"unknown-method-404": {Reply: func(x *front.Reply) {
			if x.Answers("", front.CodeMethodNotFound) && strings.HasPrefix(x.Method(), "tasks/") {
				x.Blank(http.StatusNotFound, "text/plain")
			}
		}},
		"events-unseparated": {Event: func(f *front.StreamEvent) {
			f.Raw = "event: " + f.Name + "\ndata: " + string(front.Encode(f.Sent(f.Body))) + "\n"
		}},
		"event-ids-counted": {Event: func(f *front.StreamEvent) { front.Put(f.Body, "id", strconv.Itoa(f.Count)) }},
		"event-id-wrong-at-times": {Event: func(f *front.StreamEvent) {
			if id := front.Text(f.Body, "id"); f.Count == 1 && id != "" && f.Reply.Server.Notes.Count("begun")%2 == 0 {
				front.Replace(f.Body, "id", "another "+id)
			}
		}},
		"message-optional": {Call: front.Misread(w.Send, func(body any) {
			if front.At(body, "params/message") == nil {
				front.Put(body, "params/message", w.Hello())
			}
		})},
		"message-as-text": {Call: front.Misread(w.Send, func(body any) {
			if front.IsText(front.At(body, "params/message")) {
				front.Put(body, "params/message", w.Hello())
			}
		})},
		"parts-optional": {Call: front.Misread(w.Send, func(body any) {
			if m := front.Object(body, "params/message"); m != nil && !front.Has(m, "parts") {
				m["parts"] = w.Hello()["parts"]
			}
		})},
		"parts-may-be-empty": {Call: front.Misread(w.Send, func(body any) {
			if parts, ok := front.At(body, "params/message/parts").([]any); ok && len(parts) == 0 {
				front.Put(body, "params/message/parts", w.Hello()["parts"])
			}
		})},

		"event-without-field": {Event: w.InStream("echo", func(f *front.StreamEvent) {
			if f.Count == 2 {
				f.Raw = string(front.Encode(f.Sent(f.Body))) + "\n\n"
			}
		})},
		"event-split": {Event: w.InStream("echo", func(f *front.StreamEvent) {
			if f.Count == 2 {
				b := front.Encode(f.Sent(f.Body))
				f.Raw = "data: " + string(b[:20]) + "\n\ndata: " + string(b[20:]) + "\n\n"
			}
		})},
		"event-id-of-task": {Event: w.InStream("", func(f *front.StreamEvent) {
			if front.IsNumber(front.At(f.Body, "id")) {
				front.Put(f.Body, "id", f.Task())
			}
		})},
		"streamed-task-working": {Event: w.InStream("echo", func(f *front.StreamEvent) { f.Reply.Server.Notes.Write("streamed "+f.Task(), true) }),
			Reply: LookingAgain("echo", 1, func(x *front.Reply) {
				if x.Server.Notes.Read("streamed "+front.Text(x.Request, "params/id")) != nil {
					front.Swap(x.Body, "result/status/state", w.stateName("completed"), w.stateName("working"))
				}
			})},

		"resubscribe-old-id": {Event: func(f *front.StreamEvent) {
			key := "subscription " + f.Task()
			if f.Method() == w.Stream {
				f.Reply.Server.Notes.Write(key, front.At(f.Body, "id"))
			} else if id := f.Reply.Server.Notes.Read(key); id != nil {
				front.Put(f.Body, "id", id)
			}
		}},

		"task-renamed": {Reply: front.Answering(w.Cancel, func(x *front.Reply) {
			if front.Has(x.Body, "result") {
				front.Put(x.Body, "result/id", "server-"+front.Text(x.Request, "params/id"))
			}
		})},
		"history-unlimited": {Reply: HistoryOf(func(x *front.Reply, asked string, history []any) []any {
			if asked == "1" {
				return w.WholeHistory(x)
			}
			return history
		})},
		"history-earliest": {Reply: HistoryOf(func(x *front.Reply, asked string, history []any) []any {
			if asked == "1" {
				return w.WholeHistory(x)[:1]
			}
			return history
		})},
		"history-agent-only": {Reply: HistoryOf(func(x *front.Reply, asked string, history []any) []any {
			if x.Script() != "echo" || asked == "1" {
				return history
			}
			return slices.DeleteFunc(history, func(m any) bool { return front.Text(m, "role") == w.userRole() })
		})},

		"charset-refused": {Reply: func(x *front.Reply) {
			if x.Document == "" && strings.Contains(x.HTTP.Header.Get("Content-Type"), ";") {
				x.Status = http.StatusUnsupportedMediaType
				x.Decline(front.CodeInvalidRequest)
			}
		}},
		"tls-outdated-only": {TLS: func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 }},
		"tls-outdated-too":  {TLS: func(c *tls.Config) { c.MinVersion = tls.VersionTLS10 }},
	}
}
