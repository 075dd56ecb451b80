package mutants

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// OnCard edits the agent card.
func OnCard(edit func(*front.Reply)) func(*front.Reply) {
	return func(x *front.Reply) {
		if x.Document == "card" {
			edit(x)
		}
	}
}

// CardHas sets one member of the agent card.
func CardHas(path string, value any) func(*front.Reply) {
	return OnCard(func(x *front.Reply) { front.Put(x.Body, path, value) })
}
