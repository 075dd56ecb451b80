package mutants

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// Hello is what a lenient server puts in place of a message it misses.
func Hello() map[string]any {
	return map[string]any{"role": "user", "parts": []any{front.Hi()}}
}

// SendMutants are about the message that is sent, and what stands beside it.
func SendMutants(w Wording) map[string]front.Mutant {
	return map[string]front.Mutant{
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
	}
}
