package core

import (
	_ "embed"
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/a2a01"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// Schema is a whole a2a.json: the structures that the core schema shows, and
// for those that it only names definitions of our own invention, as the variant
// typed keeps them.
//
//go:embed core_schema.json
var Schema string

// Dialect is A2A 0.1.0 spoken by servers that keep the structures of the core
// schema: every artifact bears its index.
var Dialect = front.Dialect{
	Name: "core-schema",
	Variants: []front.Variant{
		{Name: "full", Streaming: true, Rich: true, Indexed: true, InputModes: a2a01.Modes},
		{Name: "lavish", Streaming: true, Rich: true, Lavish: true, Indexed: true, InputModes: a2a01.Modes},
		{Name: "minimal", Indexed: true, InputModes: []string{"text/plain"}},
		{Name: "typed", Streaming: true, Rich: true, Indexed: true, Typed: true, InputModes: a2a01.Modes},
	},
	Mutants:    allMutants(),
	Codes:      a2a01.Codes,
	Asks:       true,
	HttpErrors: true,
	Handler:    a2a01.NewA2A01,
}

func allMutants() []front.Mutant {
	ms := append(front.Picked(a2a01.CardMutants, "card-in-array"), []front.Mutant{
		{Name: "text-refused", Area: "card", Variant: "minimal", Summary: "Every message of text is refused for its type.",
			Reply: front.Declining("tasks/send", a2a01.ContentType, front.AnyPart(func(p map[string]any) bool { return front.Has(p, "text") }))},
		{Name: "send-refused-as-invalid", Area: "task", Summary: "tasks/send refuses every message as invalid.",
			Reply: front.Declining("tasks/send", front.CodeInvalidParams, func(any) bool { return true })},
		{Name: "get-refused-as-invalid", Area: "task", Summary: "tasks/get is answered as invalid.",
			Reply: front.Declining("tasks/get", front.CodeInvalidParams, func(any) bool { return true })},
		{Name: "stream-refused-as-invalid", Area: "task", Summary: "tasks/sendSubscribe refuses every message as invalid.",
			Reply: front.Opening("tasks/sendSubscribe", func(x *front.Reply) { x.Decline(front.CodeInvalidParams) })},
		{Name: "card-member-twice", Area: "card", Summary: "The version stands on the card twice, once as a number.",
			Reply: mutants.OnCard(func(x *front.Reply) { x.Raw = slices.Concat([]byte(`{"version":2,`), front.Encode(x.Body)[1:]) })},
		{Name: "part-hologram", Area: "message", Summary: "A part is of the kind hologram.",
			Reply: sentParts("data", func(p map[string]any) { p["type"] = "hologram" })},
	}...)
	ms = append(ms, mutants.AddressMutants...)
	for _, kind := range a2a01.CoreKinds {
		ms = append(ms, front.Mutant{Name: "part-" + kind + "-misshapen", Area: "message", Variant: "typed", Summary: "A part of the kind " + kind + " lacks what it is about.",
			Reply: sentParts(kind, func(p map[string]any) {
				for name := range p {
					if name != "type" {
						delete(p, name)
					}
				}
			})})
	}
	return ms
}

// sentParts edits every part of a kind in the results of the server.
func sentParts(kind string, edit func(part map[string]any)) func(*front.Reply) {
	return func(x *front.Reply) {
		front.Walk(front.At(x.Body, "result"), func(m map[string]any) {
			if m["type"] == kind {
				edit(m)
			}
		})
	}
}
