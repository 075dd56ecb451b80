package mutants

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// Hello is what a lenient server puts in place of a message it misses.
func Hello() map[string]any {
	return map[string]any{"role": "user", "parts": []any{front.Hi()}}
}

// SendMutants are about the message that is sent, and what stands beside it.
func SendMutants(w Wording) []front.Mutant {
	return front.InArea("message",
		front.Mutant{Name: "send-missing", Summary: w.Send + " is not implemented.",
			Reply: front.Answering(w.Send, func(x *front.Reply) { x.Decline(front.CodeMethodNotFound) })},
		front.Mutant{Name: "send-refused-as-invalid", Summary: w.Send + " refuses every message as invalid.",
			Call: front.Misread(w.Send, func(body any) { front.Drop(body, "params/message/parts") })},
		front.Mutant{Name: "message-optional", Summary: "A task is made without any message.",
			Call: front.Misread(w.Send, func(body any) {
				if front.At(body, "params/message") == nil {
					front.Put(body, "params/message", w.Hello())
				}
			})},
		front.Mutant{Name: "message-as-text", Summary: "A bare string is taken as the message.",
			Call: front.Misread(w.Send, func(body any) {
				if front.IsText(front.At(body, "params/message")) {
					front.Put(body, "params/message", w.Hello())
				}
			})},
		front.Mutant{Name: "role-defaults-to-user", Summary: "A missing role is taken as user.",
			Call: front.Supply(w.Send, "params/message/role", w.user())},
		front.Mutant{Name: "role-unchecked", Summary: "Any role is accepted.",
			Call: front.Misread(w.Send, func(body any) {
				for _, role := range []string{"system", "ROLE_SYSTEM"} {
					front.Swap(body, "params/message/role", role, w.user())
				}
			})},
		front.Mutant{Name: "parts-optional", Summary: "Missing parts mean an empty prompt.",
			Call: front.Misread(w.Send, func(body any) {
				if m := front.Object(body, "params/message"); m != nil && !front.Has(m, "parts") {
					m["parts"] = w.Hello()["parts"]
				}
			})},
		front.Mutant{Name: "parts-may-be-empty", Summary: "An empty array of parts is accepted.",
			Call: front.Misread(w.Send, func(body any) {
				if parts, ok := front.At(body, "params/message/parts").([]any); ok && len(parts) == 0 {
					front.Put(body, "params/message/parts", w.Hello()["parts"])
				}
			})},
		front.Mutant{Name: "single-part-wrapped", Summary: "A single part is accepted in place of the array.",
			Call: front.Misread(w.Send, func(body any) {
				if part := front.Object(body, "params/message/parts"); part != nil {
					front.Put(body, "params/message/parts", []any{part})
				}
			})},
		front.Mutant{Name: "message-metadata-refused", Summary: "A message with metadata is refused.",
			Reply: front.Declining(w.Send, front.CodeInvalidParams, func(params any) bool { return front.Object(params, "message/metadata") != nil })},
		front.Mutant{Name: "params-metadata-refused", Summary: w.Send + " with metadata is refused.",
			Reply: front.Declining(w.Send, front.CodeInvalidParams, func(params any) bool { return front.Object(params, "metadata") != nil })},
		front.Mutant{Name: "metadata-unchecked", Summary: "Metadata of any type is accepted.",
			Call: front.Misread(w.Send, func(body any) {
				for _, path := range []string{"params/metadata", "params/message/metadata"} {
					if front.Has(body, path) && front.Object(body, path) == nil {
						front.Drop(body, path)
					}
				}
			})},
	)
}
