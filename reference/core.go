package reference

import (
	_ "embed"
	"slices"
)

// CoreSchema is a whole a2a.json: the structures that the core schema shows, and
// for those that it only names definitions of our own invention, as the variant
// typed keeps them.
//
//go:embed core_schema.json
var CoreSchema string

// coreSchema is A2A 0.1.0 spoken by servers that keep the structures of the core
// schema: every artifact bears its index.
var coreSchema = dialect{
	name: "core-schema",
	variants: []variant{
		{name: "full", streaming: true, rich: true, indexed: true, inputModes: a2a01Modes},
		{name: "lavish", streaming: true, rich: true, lavish: true, indexed: true, inputModes: a2a01Modes},
		{name: "minimal", indexed: true, inputModes: []string{"text/plain"}},
		{name: "typed", streaming: true, rich: true, indexed: true, typed: true, inputModes: a2a01Modes},
	},
	mutants:    coreMutants(),
	codes:      a2a01Codes,
	asks:       true,
	httpErrors: true,
	handler:    newA2A01,
}

// coreKinds are the kinds of part that the core schema names.
var coreKinds = []string{"text", "uri", "data", "json", "form", "iframe", "video", "audio", "action"}

// coreParts has one part of each kind.
var coreParts = func() []a2a01Part {
	words := "in other forms"
	parts := []a2a01Part{{Type: "text", Text: &words}, {Type: "data", Data: map[string]any{"answer": words}}}
	for _, kind := range coreKinds {
		if kind != "text" && kind != "data" {
			parts = append(parts, a2a01Part{Type: kind, Content: map[string]any{"value": words}})
		}
	}
	return parts
}()

func coreMutants() []mutant {
	ms := append(picked(a2a01CardMutants, "card-in-array"), []mutant{
		{name: "text-refused", area: "card", variant: "minimal", summary: "Every message of text is refused for its type.",
			reply: declining("tasks/send", a2a01ContentType, anyPart(func(p map[string]any) bool { return has(p, "text") }))},
		{name: "card-member-twice", area: "card", summary: "The version stands on the card twice, once as a number.",
			reply: onCard(func(x *reply) { x.raw = slices.Concat([]byte(`{"version":2,`), encode(x.body)[1:]) })},
		{name: "part-hologram", area: "message", summary: "A part is of the kind hologram.",
			reply: sentParts("data", func(p map[string]any) { p["type"] = "hologram" })},
	}...)
	for _, kind := range coreKinds {
		ms = append(ms, mutant{name: "part-" + kind + "-misshapen", area: "message", variant: "typed", summary: "A part of the kind " + kind + " lacks what it is about.",
			reply: sentParts(kind, func(p map[string]any) {
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
func sentParts(kind string, edit func(part map[string]any)) func(*reply) {
	return func(x *reply) {
		walk(at(x.body, "result"), func(m map[string]any) {
			if m["type"] == kind {
				edit(m)
			}
		})
	}
}
