package mutants

import (
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// ErrorMutants are about what is refused, and how.
func ErrorMutants(w Wording) map[string]front.Mutant {
	return map[string]front.Mutant{
		"unknown-task-created": {Reply: func(x *front.Reply) {
			if x.Answers(w.Get, w.NotFound) {
				w.pretend(x, "submitted")
			}
		}},
		"unknown-task-canceled": {Reply: func(x *front.Reply) {
			if x.Answers(w.Cancel, w.NotFound) && !front.Has(x.Request, "params/metadata") {
				w.pretend(x, "canceled")
			}
		}},
		"any-file-type-accepted": {Call: front.Misread(w.Send, func(body any) {
			front.Walk(front.At(body, "params/message/parts"), func(m map[string]any) {
				if kind, _ := m["mimeType"].(string); strings.HasPrefix(kind, "application/x-") {
					delete(m, "mimeType")
				}
			})
		})},
		"empty-body-deadly": {Reply: func(x *front.Reply) {
			switch {
			case x.Document == "" && x.Http.Method == http.MethodPost && len(x.Sent) == 0:
				x.Server.Notes.Write("dead", true)
			case x.Method() == w.Send && x.Server.Notes.Read("dead") != nil:
				x.Blank(http.StatusServiceUnavailable, "text/plain")
			}
		}},
	}
}
