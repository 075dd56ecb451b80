package a2a10

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// keptIn makes a server that adds a message it refused to the history of its task.
func keptIn(refused func(*front.Reply) bool) func(*front.Reply) {
	return func(x *front.Reply) {
		id := front.Text(x.Request, "params/message/taskId")
		if id != "" && refused(x) {
			x.Server.Notes.Write("refused "+id, front.At(x.Request, "params/message"))
			return
		}
		front.OnResult(getMethod, func(x *front.Reply) {
			if m := x.Server.Notes.Read("refused " + front.Text(x.Request, "params/id")); m != nil {
				history, _ := front.At(x.Body, "result/history").([]any)
				front.Put(x.Body, "result/history", append(history, m))
			}
		})(x)
	}
}

// onUnknownTask edits a call about a task that is not there.
func onUnknownTask(method string, edit func(body any)) func(*front.Call) {
	return func(c *front.Call) {
		if id := front.Text(c.Body, "params/message/taskId"); c.Method == method && id != "" {
			if _, err := c.Server.Engine.Task(id); err != nil {
				edit(c.Body)
			}
		}
	}
}

func forgetTask(body any) { front.Drop(body, "params/message/taskId") }

// isContextMismatchError reports whether a message names another context than that of its task.
func isContextMismatchError(x *front.Reply) bool {
	context := front.Text(x.Request, "params/message/contextId")
	return x.Answers(sendMethod, front.CodeInvalidParams) && context != "" && x.Task().Session != "" && context != x.Task().Session
}

// knownContext reports whether a context has a task.
func knownContext(c *front.Call) bool {
	context := front.Text(c.Body, "params/message/contextId")
	return slices.ContainsFunc(c.Server.Engine.Tasks(), func(t engine.Listed) bool { return t.Session == context })
}

// contextDropped makes a server that puts a message into a context of its own.
func contextDropped(known bool) func(*front.Call) {
	return func(c *front.Call) {
		if c.Method == sendMethod && front.Has(c.Body, "params/message/contextId") && !front.Has(c.Body, "params/message/taskId") && knownContext(c) == known {
			front.Drop(c.Body, "params/message/contextId")
		}
	}
}

// withoutID serves a call that names no task with the newest one.
func withoutID(method string) func(*front.Call) {
	return func(c *front.Call) {
		if c.Method == method && front.Text(c.Body, "params/id") == "" {
			if all := c.Server.Engine.Tasks(); len(all) > 0 && front.Object(c.Body, "params") != nil {
				front.Put(c.Body, "params/id", all[0].ID)
			}
		}
	}
}

// onEveryResultObject edits every object in the results of the server.
func onEveryResultObject(edit func(m map[string]any)) func(*front.Reply) {
	return func(x *front.Reply) { front.Walk(front.At(x.Body, "result"), edit) }
}

// onEveryMember edits one member of every object that has it.
func onEveryMember(name string, edit func(v string) any) func(*front.Reply) {
	return onEveryResultObject(func(m map[string]any) {
		if v, is := m[name].(string); is {
			m[name] = edit(v)
		}
	})
}

// onEveryPart edits every part of an incoming message.
func onEveryPart(edit func(part map[string]any)) func(*front.Call) {
	return words.PartsMisread(edit)
}

// removeParts removes the parts of a message for which odd holds.
func removeParts(method string, odd func(part any) bool) func(*front.Call) {
	return front.Misread(method, func(body any) {
		list, _ := front.At(body, "params/message/parts").([]any)
		kept := slices.DeleteFunc(slices.Clone(list), odd)
		if len(kept) == 0 && len(list) > 0 {
			kept = newSubstituteUserMessage()["parts"].([]any)
		}
		front.Replace(body, "params/message/parts", kept)
	})
}

// oddType reports whether a part is of a type that the card does not list.
func oddType(part any) bool {
	kind := front.Text(part, "mediaType")
	return kind != "" && !slices.Contains(front.Modes, kind)
}

// unsupported refuses messages of no context that have a certain part as being of an
// unsupported type.
func unsupported(is func(part map[string]any) bool) func(*front.Reply) {
	return front.Declining(sendMethod, contentType, front.AnyPart(func(p map[string]any) bool { return is(p) }))
}

func servedPartWithMember(member string) func(map[string]any) bool {
	return func(p map[string]any) bool { return front.Has(p, member) && !oddType(p) }
}

// contentsOf counts the members of a part of which it must have one.
func contentsOf(p map[string]any) (n int) {
	for _, name := range contents {
		if p[name] != nil {
			n++
		}
	}
	return n
}

// taskMutants are about messages, tasks and what they hold.
var taskMutants = map[string]front.Mutant{
	"canceled-task-revived": {Reply: func(x *front.Reply) {
		if t := x.Task(); x.Answers(sendMethod, Unsupported) && t.Status.State == engine.Canceled {
			t.Status.State = engine.Working
			x.Succeed(map[string]any{"task": front.Generic(Server{Server: x.Server}.Task(t, nil))})
		}
	}},
	"refused-message-kept": {Reply: keptIn(func(x *front.Reply) bool { return x.Answers(sendMethod, Unsupported) })},
	"unknown-task-begun":   {Call: onUnknownTask(sendMethod, forgetTask)},
	"output-modes-ignored": {Call: dropWrongParam(sendMethod, "configuration/acceptedOutputModes", func(v any) bool { return !strings.HasPrefix(front.Text(v, "0"), "application/x-") })},
	"repeated-message-joined": {Reply: front.OnResult(sendMethod, func(x *front.Reply) {
		front.Put(x.Body, "result", x.Server.Notes.First("message "+front.Text(x.Request, "params/message/messageId"), front.At(x.Body, "result")))
	})},
	"context-replaced":      {Call: contextDropped(false)},
	"context-not-continued": {Call: contextDropped(true)},
	"context-mismatch-kept": {Reply: keptIn(isContextMismatchError)},
	"task-ids-repeat": {Reply: onTask(func(x *front.Reply, t map[string]any) {
		if !front.Has(x.Request, "params/message/taskId") {
			t["id"] = x.Server.Notes.First("first task", t["id"])
		}
	})},
	"task-id-made-up": {Reply: onTask(func(_ *front.Reply, t map[string]any) { t["id"] = fmt.Sprint("other-", t["id"]) })},
	"get-other-task": {Reply: front.OnResult(getMethod, func(x *front.Reply) {
		front.Put(x.Body, "result", x.Server.Notes.First("task", front.At(x.Body, "result")))
	})},
	"get-without-id-served": {Call: withoutID(getMethod)},
	"get-adds-history": {Reply: front.OnResult(getMethod, func(x *front.Reply) {
		history, _ := front.At(x.Body, "result/history").([]any)
		if len(history) == 0 {
			return
		}
		for range x.Server.Notes.Count("looks at " + front.Text(x.Request, "params/id")) {
			history = append(history, history[len(history)-1])
		}
		front.Put(x.Body, "result/history", history)
	})},
	"history-reversed": {Reply: front.OnResult(getMethod, func(x *front.Reply) {
		history, _ := front.At(x.Body, "result/history").([]any)
		slices.Reverse(history)
	})},
	"history-by-role":      {Reply: front.OnResult(getMethod, func(x *front.Reply) { mutants.SortByRole(x.Body, "ROLE_USER") })},
	"send-history-ignored": {Call: dropWrongParam(sendMethod, "configuration/historyLength", func(v any) bool { return !front.IsNegative(v) })},
	"history-beyond-refused": {Reply: front.Declining(getMethod, front.CodeInvalidParams, func(params any) bool {
		return front.Has(params, "historyLength") && len(front.Encode(front.At(params, "historyLength"))) > 2
	})},
	"history-rewritten": {Reply: front.OnResult(getMethod, func(x *front.Reply) {
		front.Walk(front.At(x.Body, "result/history"), func(m map[string]any) {
			if text, is := m["text"].(string); is {
				m["text"] = strings.ToUpper(text)
			}
		})
	})},
	"needauth-breaks-subscription": {Event: func(f *front.StreamEvent) {
		if f.Method() == subscribeMethod && f.Whole() && f.State() == stateName(engine.AuthRequired) {
			f.After = []any{map[string]any{"jsonrpc": "2.0", "id": front.At(f.Body, "id"), "error": map[string]any{"code": front.CodeInternal, "message": "Credentials are missing"}}}
			f.Cut = true
		}
	}},
	"states-as-older": {Reply: onEveryMember("state", func(v string) any { return string(states[v]) })},
	"roles-as-older":  {Reply: onEveryMember("role", func(v string) any { return strings.ToLower(strings.TrimPrefix(v, "ROLE_")) })},
	"part-two-contents": {Reply: onEveryResultObject(func(m map[string]any) {
		if front.Has(m, "artifactId") {
			front.Put(m, "parts/0/data", map[string]any{"text": front.At(m, "parts/0/text")})
		}
	})},
	"raw-as-numbers": {Reply: onEveryMember("raw", func(v string) any {
		var list []any
		for _, b := range []byte(v) {
			list = append(list, int(b))
		}
		return list
	})},
	"history-of-another": {Reply: onEveryResultObject(func(m map[string]any) {
		history, _ := m["history"].([]any)
		for _, message := range history {
			front.Replace(message, "taskId", "another-task")
		}
	})},
	"message-ids-equal": {Reply: onEveryResultObject(func(m map[string]any) {
		history, _ := m["history"].([]any)
		if len(history) == 0 {
			return
		}
		asked := front.Text(history[0], "messageId")
		for _, message := range append([]any{front.At(m, "status/message")}, history[1:]...) {
			if front.Text(message, "role") == "ROLE_AGENT" {
				front.Put(message, "messageId", asked)
			}
		}
	})},
	"timestamp-offset": {Reply: onEveryMember("timestamp", func(v string) any { return strings.Replace(v, "Z", "+00:00", 1) })},
	"timestamp-seconds": {Reply: onEveryMember("timestamp", func(v string) any {
		whole, _, _ := strings.Cut(v, ".")
		return whole + "Z"
	})},
	"text-in-latin-1": {Reply: func(x *front.Reply) {
		if front.Has(x.Body, "result") {
			x.Raw = bytes.ReplaceAll(front.Encode(x.Form(x.Body)), []byte("ü"), []byte{0xfc})
			x.Raw = bytes.ReplaceAll(x.Raw, []byte("\u0308"), []byte{0xa8}) // the two dots alone
		}
	}},
	"odd-part-dropped": {Call: removeParts(sendMethod, oddType)},
	"empty-part-accepted": {Call: onEveryPart(func(p map[string]any) {
		if contentsOf(p) == 0 {
			p["text"] = "hello"
		}
	})},
	"part-last-content-wins": {Call: onEveryPart(func(p map[string]any) {
		for i := 0; contentsOf(p) > 1; i++ {
			delete(p, contents[i])
		}
	})},
	"raw-unchecked": {Call: onEveryPart(func(p map[string]any) {
		if raw, is := p["raw"].(string); is && !front.IsBase64(raw) {
			p["raw"] = ""
		}
	})},
	"text-stringified": {Call: onEveryPart(func(p map[string]any) {
		if front.IsNumber(p["text"]) {
			p["text"] = string(front.Encode(p["text"]))
		}
	})},
	"raw-refused":  {Reply: unsupported(servedPartWithMember("raw"))},
	"url-refused":  {Reply: unsupported(servedPartWithMember("url"))},
	"data-refused": {Reply: unsupported(servedPartWithMember("data"))},
	"mixed-parts-refused": {Reply: front.Declining(sendMethod, front.CodeInvalidParams, func(params any) bool {
		list := front.Parts(params)
		return len(list) > 1 && front.Has(list[0], "text") != front.Has(list[1], "text")
	})},
}
