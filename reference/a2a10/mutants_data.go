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
var dataMutants = map[string]front.Mutant{
	"states-as-older": {Reply: member("state", func(v string) any { return string(states[v]) })},
	"roles-as-older":  {Reply: member("role", func(v string) any { return strings.ToLower(strings.TrimPrefix(v, "ROLE_")) })},
	"part-two-contents": {Reply: everywhere(func(m map[string]any) {
		if front.Has(m, "artifactId") {
			front.Put(m, "parts/0/data", map[string]any{"text": front.At(m, "parts/0/text")})
		}
	})},
	"raw-as-numbers": {Reply: member("raw", func(v string) any {
		var list []any
		for _, b := range []byte(v) {
			list = append(list, int(b))
		}
		return list
	})},
	"history-of-another": {Reply: everywhere(func(m map[string]any) {
		history, _ := m["history"].([]any)
		for _, message := range history {
			front.Replace(message, "taskId", "another-task")
		}
	})},
	"message-ids-equal": {Reply: everywhere(func(m map[string]any) {
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
	"timestamp-offset": {Reply: member("timestamp", func(v string) any { return strings.Replace(v, "Z", "+00:00", 1) })},
	"timestamp-seconds": {Reply: member("timestamp", func(v string) any {
		whole, _, _ := strings.Cut(v, ".")
		return whole + "Z"
	})},
	"text-in-latin-1": {Reply: func(x *front.Reply) {
		if front.Has(x.Body, "result") {
			x.Raw = bytes.ReplaceAll(front.Encode(x.Form(x.Body)), []byte("ü"), []byte{0xfc})
			x.Raw = bytes.ReplaceAll(x.Raw, []byte("\u0308"), []byte{0xa8}) // the two dots alone
		}
	}},
}
