package a2a03

import (
	"net/http"
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// cardListAdds adds an element to a list of the agent card.
func cardListAdds(path string, element any) func(*front.Reply) {
	return mutants.OnCard(func(x *front.Reply) {
		list, _ := front.At(x.Body, path).([]any)
		front.Put(x.Body, path, append(list, element))
	})
}

// cardElsewhere serves the card as another document, and not in its place.
func cardElsewhere(document string) func(*front.Reply) {
	return func(x *front.Reply) {
		switch x.Document {
		case "card":
			x.Blank(http.StatusNotFound, "text/plain")
		case document:
			x.Status, x.Body = http.StatusOK, front.Generic(Server{x.Server}.card())
		}
	}
}

const ExtendedCardMethod = "agent/getAuthenticatedExtendedCard"

// cardMutants are about the card.
var cardMutants = map[string]front.Mutant{
	"card-at-old-path":         {Reply: cardElsewhere("old card")},
	"card-input-modes-short":   {Reply: cardListAdds("defaultInputModes", "plain text please")},
	"card-output-modes-short":  {Reply: cardListAdds("defaultOutputModes", "png")},
	"card-interface-elsewhere": {Reply: mutants.OnCard(func(x *front.Reply) { front.Put(x.Body, "additionalInterfaces/1/url", x.Server.Url+"/elsewhere") })},
	"card-main-interface-left-out": {Reply: mutants.OnCard(func(x *front.Reply) {
		list, _ := front.At(x.Body, "additionalInterfaces").([]any)
		front.Put(x.Body, "additionalInterfaces", list[1:])
	})},
	"card-interfaces-share-url": {Reply: mutants.OnCard(func(x *front.Reply) {
		list, _ := front.At(x.Body, "additionalInterfaces").([]any)
		front.Put(x.Body, "additionalInterfaces", append(list, list[1]))
	})},
	"card-url-of-two-transports": {Reply: mutants.OnCard(func(x *front.Reply) {
		list, _ := front.At(x.Body, "additionalInterfaces").([]any)
		front.Put(x.Body, "additionalInterfaces", append(list, map[string]any{"url": front.At(list[0], "url"), "transport": "PIGEON"}))
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
	"card-extension-twice":    {Reply: cardListAdds("capabilities/extensions", map[string]any{"uri": Provenance, "required": false})},
	"card-security-undefined": {Reply: cardListAdds("security", map[string]any{"oauth": []any{}})},
	"extended-card-pretended": {Reply: front.Answering(ExtendedCardMethod, func(x *front.Reply) {
		if x.Answers("", noExtendedCard) {
			x.Succeed(front.Generic(Server{x.Server}.card()))
		}
	})},
}
