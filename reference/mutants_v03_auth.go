package reference

import "net/http"

// onRefused edits what is refused because of who calls.
func onRefused(edit func(*reply)) func(*reply) {
	return func(x *reply) {
		if x.answers("", a2a03Codes.unknownCaller) {
			edit(x)
		}
	}
}

// showsCredential reports whether a request has a credential, be it a wrong one.
func showsCredential(r *http.Request) bool {
	return r.Header.Get("Authorization") != "" || r.Header.Get(apiKeyHeader) != ""
}

// a2a03AuthMutants are about the guard, beyond what other protocols have.
var a2a03AuthMutants = in("guarded", inArea("auth",
	mutant{name: "guard-open-push-list", summary: "The push configurations can be listed without credentials.", guard: anonymousTo(listPushConfigMethod)},
	mutant{name: "guard-open-extended-card", area: "card", summary: "The extended card is for everybody.", guard: anonymousTo(extendedCardMethod)},
	mutant{name: "guard-any-for-extended-card", area: "card", summary: "Any credential opens the extended card.",
		guard: func(c *caller) {
			if c.method == extendedCardMethod && c.credential != "" && c.client == "" {
				c.client = "first"
			}
		}},
	mutant{name: "guard-wants-both", summary: "A token and an API key are demanded at once.",
		guard: func(c *caller) {
			if c.http.Header.Get("Authorization") == "" || c.http.Header.Get(apiKeyHeader) == "" {
				c.client = ""
			}
		}},
	mutant{name: "guard-reads-query", summary: "The API key is read from the query.",
		guard: func(c *caller) {
			if c.http.Header.Get("Authorization") == "" {
				c.client = tokens[c.http.URL.Query().Get("key")]
			}
		}},
	mutant{name: "missing-credentials-200", summary: "Missing credentials are answered with HTTP 200.",
		reply: onRefused(func(x *reply) {
			if !showsCredential(x.http) {
				x.status = http.StatusOK
			}
		})},
	mutant{name: "wrong-credentials-500", summary: "Wrong credentials are answered with HTTP 500.",
		reply: onRefused(func(x *reply) {
			if showsCredential(x.http) {
				x.status = http.StatusInternalServerError
			}
		})},
	mutant{name: "extended-card-refused-empty", area: "card", summary: "The extended card is refused by HTTP 200 without a body.",
		reply: onRefused(func(x *reply) {
			if x.method() == extendedCardMethod {
				x.blank(http.StatusOK, "application/json")
				x.header.Del("WWW-Authenticate")
			}
		})},
	mutant{name: "extended-card-unchallenged", area: "card", summary: "The refusal of the extended card comes without a challenge.",
		reply: onRefused(func(x *reply) {
			if x.method() == extendedCardMethod {
				x.header.Del("WWW-Authenticate")
			}
		})},
	mutant{name: "lacking-rights-page", summary: "Lacking rights are answered with a page and HTTP 404.",
		reply: func(x *reply) {
			if x.answers("", a2a03Codes.forbidden) {
				x.blank(http.StatusNotFound, "text/html")
				x.raw = []byte("<h1>Not Found</h1>")
			}
		}},
	mutant{name: "second-interface-closed", area: "transport", summary: "The second interface takes no credential.",
		guard: func(c *caller) {
			if c.http.URL.Path == a2a03Second {
				c.client = ""
			}
		}},
)...)
