package a2a01

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

var TransportMutants = map[string]front.Mutant{
	"card-url-elsewhere": {Reply: mutants.OnCard(func(x *front.Reply) { front.Put(x.Body, "url", x.Server.Url+"/elsewhere") })},
	"debug-line-first": {Reply: func(x *front.Reply) {
		if x.Answers("tasks/cancel", taskNotCancelable) {
			x.Raw = append([]byte("DEBUG: not cancelable\n"), front.Encode(x.Body)...)
		}
	}},
}
