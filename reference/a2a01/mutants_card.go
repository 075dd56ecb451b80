package a2a01

import (
	"net/http"

	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// cardMoved serves the card as another document.
func cardMoved(document string) func(*front.Reply) {
	return func(x *front.Reply) {
		switch x.Document {
		case "card":
			x.Blank(http.StatusNotFound, "text/plain")
		case document:
			x.Status, x.Body = http.StatusOK, front.Generic(Server{x.Server}.card())
		}
	}
}

var CardMutants = front.InArea("card",
	front.Mutant{Name: "card-missing", Area: "discovery", Summary: "No card can be fetched anywhere.",
		Reply: mutants.OnCard(func(x *front.Reply) { x.Blank(http.StatusNotFound, "text/plain") })},
	front.Mutant{Name: "card-at-root", Area: "discovery", Summary: "The card is served at /agent.json only.",
		Reply: cardMoved("root card")},
	front.Mutant{Name: "card-at-later-path", Area: "discovery", Summary: "The card is served at the path of a later protocol version only.",
		Reply: cardMoved("later card")},
	front.Mutant{Name: "card-in-array", Area: "discovery", Summary: "The card is wrapped in an array.",
		Reply: mutants.OnCard(func(x *front.Reply) { x.Body = []any{x.Body} })},
	front.Mutant{Name: "card-as-html", Area: "discovery", Summary: "The card is delivered as text/html.",
		Reply: mutants.OnCard(func(x *front.Reply) { x.Header.Set("Content-Type", "text/html") })},

	front.Mutant{Name: "card-url-renamed", Summary: "The endpoint is published under the name endpoint.",
		Reply: mutants.OnCard(func(x *front.Reply) {
			front.Put(x.Body, "endpoint", front.At(x.Body, "url"))
			front.Drop(x.Body, "url")
		})},
	front.Mutant{Name: "card-url-relative", Summary: "The card's url is a path.",
		Reply: mutants.CardHas("url", "/a2a/v1")},
	front.Mutant{Name: "card-documentation-vague", Summary: "The card's documentationUrl is no URL.",
		Reply: mutants.CardHas("documentationUrl", "see our wiki")},
	front.Mutant{Name: "card-scheme-homemade", Summary: "The card lists an authentication scheme nobody knows.",
		Reply: mutants.CardHas("authentication/schemes", []any{"our-login"})},
	front.Mutant{Name: "card-input-modes-short", Summary: "The default input modes hold a word that is no MIME type.",
		Reply: mutants.CardHas("defaultInputModes", []any{"application/json", "text/plain", "image/png", "file"})},
	front.Mutant{Name: "card-output-modes-short", Summary: "The default output modes hold a word that is no MIME type.",
		Reply: mutants.CardHas("defaultOutputModes", []any{"text/plain", "png"})},
	front.Mutant{Name: "card-skills-empty", Summary: "A working agent publishes no skill.",
		Reply: mutants.CardHas("skills", []any{})},
	front.Mutant{Name: "card-skill-ids-equal", Summary: "Two skills share one id.",
		Reply: mutants.CardHas("skills/1/id", "echo")},
	front.Mutant{Name: "card-skill-input-short", Summary: "A skill's input modes hold a word that is no MIME type.",
		Reply: mutants.CardHas("skills/1/inputModes", []any{"text"})},
	front.Mutant{Name: "card-skill-output-short", Summary: "A skill's output modes hold a word that is no MIME type.",
		Reply: mutants.CardHas("skills/1/outputModes", []any{"text"})},
)
