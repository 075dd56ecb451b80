package a2a01

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

var accessMutants = front.InArea("discovery",
	front.Mutant{Name: "card-publishes-token", Variant: "guarded", Summary: "The card holds the real token.",
		Reply: func(x *front.Reply) {
			if x.Document == "card" {
				front.Put(x.Body, "authentication/credentials", `{"token":"`+front.Token+`"}`)
			}
		}},
)

var TransportMutants = front.InArea("transport",
	front.Mutant{Name: "card-url-elsewhere", Summary: "The card names a path at which nothing listens.",
		Reply: mutants.OnCard(func(x *front.Reply) { front.Put(x.Body, "url", x.Server.Url+"/elsewhere") })},
	front.Mutant{Name: "error-as-problem", Summary: "An unknown method is reported as application/problem+json.",
		Reply: func(x *front.Reply) {
			if x.Answers("", front.CodeMethodNotFound) {
				x.Header.Set("Content-Type", "application/problem+json")
			}
		}},
	front.Mutant{Name: "debug-line-first", Summary: "A debug line stands before the refusal to cancel a finished task.",
		Reply: func(x *front.Reply) {
			if x.Answers("tasks/cancel", taskNotCancelable) {
				x.Raw = append([]byte("DEBUG: not cancelable\n"), front.Encode(x.Body)...)
			}
		}},
)
