package reference

import "net/http"

// onCard edits the agent card.
func onCard(edit func(*reply)) func(*reply) {
	return func(x *reply) {
		if x.document == "card" {
			edit(x)
		}
	}
}

// cardHas sets one member of the agent card.
func cardHas(path string, value any) func(*reply) {
	return onCard(func(x *reply) { put(x.body, path, value) })
}

// cardMoved serves the card as another document.
func cardMoved(document string) func(*reply) {
	return func(x *reply) {
		switch x.document {
		case "card":
			x.blank(http.StatusNotFound, "text/plain")
		case document:
			x.status, x.body = http.StatusOK, generic(a2a01Server{x.server}.card())
		}
	}
}

var a2a01CardMutants = inArea("card",
	mutant{name: "card-missing", area: "discovery", summary: "No card can be fetched anywhere.",
		reply: onCard(func(x *reply) { x.blank(http.StatusNotFound, "text/plain") })},
	mutant{name: "card-at-root", area: "discovery", summary: "The card is served at /agent.json only.",
		reply: cardMoved("root card")},
	mutant{name: "card-at-later-path", area: "discovery", summary: "The card is served at the path of a later protocol version only.",
		reply: cardMoved("later card")},
	mutant{name: "card-in-array", area: "discovery", summary: "The card is wrapped in an array.",
		reply: onCard(func(x *reply) { x.body = []any{x.body} })},
	mutant{name: "card-as-html", area: "discovery", summary: "The card is delivered as text/html.",
		reply: onCard(func(x *reply) { x.header.Set("Content-Type", "text/html") })},

	mutant{name: "card-url-renamed", summary: "The endpoint is published under the name endpoint.",
		reply: onCard(func(x *reply) {
			put(x.body, "endpoint", at(x.body, "url"))
			drop(x.body, "url")
		})},
	mutant{name: "card-url-relative", summary: "The card's url is a path.",
		reply: cardHas("url", "/a2a/v1")},
	mutant{name: "card-documentation-vague", summary: "The card's documentationUrl is no URL.",
		reply: cardHas("documentationUrl", "see our wiki")},
	mutant{name: "card-scheme-homemade", summary: "The card lists an authentication scheme nobody knows.",
		reply: cardHas("authentication/schemes", []any{"our-login"})},
	mutant{name: "card-input-modes-short", summary: "The default input modes hold a word that is no MIME type.",
		reply: cardHas("defaultInputModes", []any{"application/json", "text/plain", "image/png", "file"})},
	mutant{name: "card-output-modes-short", summary: "The default output modes hold a word that is no MIME type.",
		reply: cardHas("defaultOutputModes", []any{"text/plain", "png"})},
	mutant{name: "card-skills-empty", summary: "A working agent publishes no skill.",
		reply: cardHas("skills", []any{})},
	mutant{name: "card-skill-ids-equal", summary: "Two skills share one id.",
		reply: cardHas("skills/1/id", "echo")},
	mutant{name: "card-skill-input-short", summary: "A skill's input modes hold a word that is no MIME type.",
		reply: cardHas("skills/1/inputModes", []any{"text"})},
	mutant{name: "card-skill-output-short", summary: "A skill's output modes hold a word that is no MIME type.",
		reply: cardHas("skills/1/outputModes", []any{"text"})},
)
