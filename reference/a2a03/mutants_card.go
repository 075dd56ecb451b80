package a2a03

import (
	"net/http"
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

const ExtendedCardMethod = "agent/getAuthenticatedExtendedCard"

// cardMutants are about the card.
var cardMutants = map[string]front.Mutant{
	"card-at-old-path":         {Reply: mutants.MoveCardTo("old card", func(s *front.Server) any { return Server{s}.card() })},
	"card-interface-elsewhere": {Reply: mutants.OnCard(func(x *front.Reply) { front.Put(x.Body, "additionalInterfaces/1/url", x.Server.Url+"/elsewhere") })},
	"card-main-interface-left-out": {Reply: mutants.OnCard(func(x *front.Reply) {
		list, _ := front.At(x.Body, "additionalInterfaces").([]any)
		front.Put(x.Body, "additionalInterfaces", list[1:])
	})},
	"rest-undeclared": {Reply: func(x *front.Reply) {
		switch x.Document {
		case "card":
			list, _ := front.At(x.Body, "additionalInterfaces").([]any)
			list = slices.DeleteFunc(list, func(v any) bool { return front.Text(v, "transport") == front.HTTPJSON })
			front.Put(x.Body, "additionalInterfaces", list)
		case "rest card":
			x.Status, x.Body = http.StatusOK, front.Generic(Server{x.Server}.card())
		case "rest task":
			x.Body = map[string]any{"code": TaskNotFound, "message": "Task not found"}
			if t, err := x.Server.Engine.Task(x.HTTP.PathValue("id")); err == nil {
				x.Status, x.Body = http.StatusOK, front.Generic(Server{x.Server}.Task(t, nil))
			}
		}
	}},
	"extended-card-pretended": {Reply: front.Answering(ExtendedCardMethod, func(x *front.Reply) {
		if x.Answers("", noExtendedCard) {
			x.Succeed(front.Generic(Server{x.Server}.card()))
		}
	})},
}
