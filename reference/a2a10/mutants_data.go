package a2a10

import (
	"bytes"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// everywhere edits every object in the results of the server.
func everywhere(edit func(m map[string]any)) func(*front.Reply) {
	return func(x *front.Reply) { front.Walk(front.At(x.Body, "result"), edit) }
}

// member edits one member of every object that has it.
func member(name string, edit func(v string) any) func(*front.Reply) {
	return everywhere(func(m map[string]any) {
		if v, is := m[name].(string); is {
			m[name] = edit(v)
		}
	})
}

// dataMutants are about what stands in the objects of section 4.1, beyond their mere
// shape.
var dataMutants = front.InArea("data",
	front.Mutant{Name: "states-as-older", Summary: "States are named as in 0.3.",
		Reply: member("state", func(v string) any { return string(states[v]) })},
	front.Mutant{Name: "task-messages-without-context", Summary: "The agent's messages in a task name no context.",
		Reply: everywhere(func(m map[string]any) {
			if m["role"] == "ROLE_AGENT" && m["taskId"] != nil {
				delete(m, "contextId")
			}
		})},
	front.Mutant{Name: "states-as-numbers", Summary: "A state is sent as its number.",
		Reply: member("state", func(string) any { return 3 })},
	front.Mutant{Name: "roles-as-older", Summary: "Roles are named as in 0.3.",
		Reply: member("role", func(v string) any { return strings.ToLower(strings.TrimPrefix(v, "ROLE_")) })},
	front.Mutant{Name: "kinds-added", Summary: "Tasks and messages say of what kind they are, as in 0.3.",
		Reply: everywhere(func(m map[string]any) {
			switch {
			case m["messageId"] != nil:
				m["kind"] = "message"
			case m["status"] != nil && m["id"] != nil:
				m["kind"] = "task"
			}
		})},
	front.Mutant{Name: "part-kinds-added", Summary: "Parts say of what kind they are, as in 0.3.",
		Reply: everywhere(func(m map[string]any) {
			if front.IsText(m["text"]) {
				m["kind"] = "text"
			}
		})},
	front.Mutant{Name: "member-in-snake-case", Summary: "GetTask adds the context under the name context_id.",
		Reply: onResult(getMethod, func(x *front.Reply) { front.Put(x.Body, "result/context_id", front.At(x.Body, "result/contextId")) })},
	front.Mutant{Name: "part-two-contents", Summary: "A text part of an artifact has data too.",
		Reply: everywhere(func(m map[string]any) {
			if front.Has(m, "artifactId") {
				front.Put(m, "parts/0/data", map[string]any{"text": front.At(m, "parts/0/text")})
			}
		})},
	front.Mutant{Name: "raw-as-numbers", Summary: "A raw content is a list of numbers.",
		Reply: member("raw", func(v string) any {
			var list []any
			for _, b := range []byte(v) {
				list = append(list, int(b))
			}
			return list
		})},
	front.Mutant{Name: "status-message-of-user", Summary: "The message of a status has the role of the user.",
		Reply: everywhere(func(m map[string]any) { front.Replace(m, "status/message/role", "ROLE_USER") })},
	front.Mutant{Name: "history-of-another", Summary: "The messages in the history name another task.",
		Reply: everywhere(func(m map[string]any) {
			history, _ := m["history"].([]any)
			for _, message := range history {
				front.Replace(message, "taskId", "another-task")
			}
		})},
	front.Mutant{Name: "artifact-ids-equal", Summary: "All artifacts of a task have the same id.",
		Reply: member("artifactId", func(string) any { return "artifact-0" })},
	front.Mutant{Name: "message-ids-equal", Summary: "The agent's messages in a task have the messageId of the client's.",
		Reply: everywhere(func(m map[string]any) {
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
	front.Mutant{Name: "timestamp-offset", Summary: "Timestamps name another zone than UTC.",
		Reply: member("timestamp", func(v string) any { return strings.Replace(v, "Z", "+00:00", 1) })},
	front.Mutant{Name: "timestamp-seconds", Summary: "Timestamps have whole seconds only.",
		Reply: member("timestamp", func(v string) any {
			whole, _, _ := strings.Cut(v, ".")
			return whole + "Z"
		})},
	front.Mutant{Name: "timestamp-unix", Summary: "Timestamps are numbers.",
		Reply: member("timestamp", func(string) any { return 1767225600 })},
	front.Mutant{Name: "text-in-latin-1", Summary: "Results are sent in Latin-1.",
		Reply: func(x *front.Reply) {
			if front.Has(x.Body, "result") {
				x.Raw = bytes.ReplaceAll(front.Encode(x.Form(x.Body)), []byte("ü"), []byte{0xfc})
				x.Raw = bytes.ReplaceAll(x.Raw, []byte("\u0308"), []byte{0xa8}) // the two dots alone
			}
		}},
)
