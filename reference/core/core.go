package core

import (
	_ "embed"
	"slices"
	"sync"

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
		{Name: "full", Streaming: true, Rich: true, Indexed: true, InputModes: front.Modes},
		{Name: "lavish", Streaming: true, Rich: true, Lavish: true, Indexed: true, InputModes: front.Modes},
		{Name: "minimal", Indexed: true, InputModes: []string{"text/plain"}},
		{Name: "typed", Streaming: true, Rich: true, Indexed: true, Typed: true, InputModes: front.Modes},
	},
	Mutants:    sync.OnceValue(allMutants),
	Codes:      a2a01.Codes,
	Asks:       true,
	HTTPErrors: true,
	Handler:    a2a01.NewA2A01,
}

//go:embed mutants.yaml
var tableText []byte

var table = mutants.NewTable("reference/core/mutants.yaml", tableText)

func allMutants() []front.Mutant {
	code := map[string]front.Mutant{
		"card-member-twice": {Reply: mutants.OnCard(func(x *front.Reply) { x.Raw = slices.Concat([]byte(`{"version":2,`), front.Encode(x.Body)[1:]) })},
	}
	for _, kind := range a2a01.CoreKinds {
		code["part-"+kind+"-misshapen"] = front.Mutant{Reply: sentParts(kind, func(p map[string]any) {
			for name := range p {
				if name != "type" {
					delete(p, name)
				}
			}
		})}
	}
	return table.Build(mutants.Vocabulary{
		Words: a2a01.Words, Errors: a2a01.ErrorNames,
		Shared: map[string]mutants.Source{
			"mutants": mutants.SharedSource(a2a01.Words, ""),
			"a2a01":   {Table: a2a01.Table, Code: a2a01.Code()},
		},
		Code: []map[string]front.Mutant{code},
	})
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
