package a2a01

import (
	"net/http"

	"github.com/a2a-conform/a2a-conform/reference/front"
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

var CardMutants = map[string]front.Mutant{
	"card-at-root":       {Reply: cardMoved("root card")},
	"card-at-later-path": {Reply: cardMoved("later card")},
}
