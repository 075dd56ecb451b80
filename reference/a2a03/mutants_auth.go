package a2a03

import (
	"net/http"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// onRefused edits what is refused because of who calls.
func onRefused(edit func(*front.Reply)) func(*front.Reply) {
	return func(x *front.Reply) {
		if x.Answers("", Codes.UnknownCaller) {
			edit(x)
		}
	}
}

// ShowsCredential reports whether a request has a credential, be it a wrong one.
func ShowsCredential(r *http.Request) bool {
	return r.Header.Get("Authorization") != "" || r.Header.Get(front.APIKeyHeader) != ""
}

// authMutants are about the guard, beyond what other protocols have.
var authMutants = front.In("guarded", front.InArea("auth",
	front.Mutant{Name: "guard-hidden", Variant: "full", Locked: true, Summary: "A credential is demanded that the card does not mention."},
	front.Mutant{Name: "guard-open-push-list", Summary: "The push configurations can be listed without credentials.", Guard: front.AnonymousTo(ListPushConfigMethod)},
	front.Mutant{Name: "guard-open-extended-card", Area: "card", Summary: "The extended card is for everybody.", Guard: front.AnonymousTo(ExtendedCardMethod)},
	front.Mutant{Name: "guard-any-for-extended-card", Area: "card", Summary: "Any credential opens the extended card.",
		Guard: func(c *front.Caller) {
			if c.Method == ExtendedCardMethod && c.Credential != "" && c.Client == "" {
				c.Client = "first"
			}
		}},
	front.Mutant{Name: "guard-wants-both", Summary: "A token and an API key are demanded at once.",
		Guard: func(c *front.Caller) {
			if c.Http.Header.Get("Authorization") == "" || c.Http.Header.Get(front.APIKeyHeader) == "" {
				c.Client = ""
			}
		}},
	front.Mutant{Name: "guard-reads-query", Summary: "The API key is read from the query.",
		Guard: func(c *front.Caller) {
			if c.Http.Header.Get("Authorization") == "" {
				c.Client = front.Tokens[c.Http.URL.Query().Get("key")]
			}
		}},
	front.Mutant{Name: "missing-credentials-200", Summary: "Missing credentials are answered with HTTP 200.",
		Reply: onRefused(func(x *front.Reply) {
			if !ShowsCredential(x.Http) {
				x.Status = http.StatusOK
			}
		})},
	front.Mutant{Name: "wrong-credentials-500", Summary: "Wrong credentials are answered with HTTP 500.",
		Reply: onRefused(func(x *front.Reply) {
			if ShowsCredential(x.Http) {
				x.Status = http.StatusInternalServerError
			}
		})},
	front.Mutant{Name: "extended-card-refused-empty", Area: "card", Summary: "The extended card is refused by HTTP 200 without a body.",
		Reply: onRefused(func(x *front.Reply) {
			if x.Method() == ExtendedCardMethod {
				x.Blank(http.StatusOK, "application/json")
				x.Header.Del("WWW-Authenticate")
			}
		})},
	front.Mutant{Name: "extended-card-unchallenged", Area: "card", Summary: "The refusal of the extended card comes without a challenge.",
		Reply: onRefused(func(x *front.Reply) {
			if x.Method() == ExtendedCardMethod {
				x.Header.Del("WWW-Authenticate")
			}
		})},
	front.Mutant{Name: "lacking-rights-page", Summary: "Lacking rights are answered with a page and HTTP 404.",
		Reply: func(x *front.Reply) {
			if x.Answers("", Codes.Forbidden) {
				x.Blank(http.StatusNotFound, "text/html")
				x.Raw = []byte("<h1>Not Found</h1>")
			}
		}},
	front.Mutant{Name: "second-interface-closed", Area: "transport", Summary: "The second interface takes no credential.",
		Guard: func(c *front.Caller) {
			if c.Http.URL.Path == Second {
				c.Client = ""
			}
		}},
)...)
