package reference

import (
	"net/http"
	"strings"
)

// authMutants are about the guard before the methods.
func authMutants(w wording) []mutant {
	return in("guarded", inArea("auth",
		mutant{name: "guard-optional", summary: w.send + " is served without credentials.",
			guard: func(c *caller) {
				if !carriesToken(c) {
					anonymousTo(w.send)(c)
				}
			}},
		mutant{name: "guard-counts-headers", summary: "Any credential is accepted.",
			guard: func(c *caller) {
				if c.credential != "" && c.client == "" {
					c.client = "first"
				}
			}},
		mutant{name: "guard-reads-body", summary: w.send + " wants its token in the JSON body.",
			guard: func(c *caller) {
				if c.method == w.send && !carriesToken(c) {
					c.client = ""
				}
			}},
		mutant{name: "guard-takes-metadata", summary: "A token in the metadata of a call is accepted.",
			guard: func(c *caller) {
				if carriesToken(c) {
					c.client = "first"
				}
			}},
		mutant{name: "guard-open-get", summary: "tasks/get is open.", guard: anonymousTo("tasks/get")},
		mutant{name: "guard-open-cancel", summary: "tasks/cancel is open.", guard: anonymousTo("tasks/cancel")},
		mutant{name: "guard-open-stream", summary: w.stream + " is open.", guard: anonymousTo(w.stream)},
		mutant{name: "guard-open-resubscribe", summary: "tasks/resubscribe is open.", guard: anonymousTo("tasks/resubscribe")},
		mutant{name: "guard-open-push", summary: "The push configuration can be set without credentials.", guard: anonymousTo(w.setPush)},
		mutant{name: "guard-shares-tasks", summary: "Every client can read every task.",
			guard: func(c *caller) { c.owner = "" }},

		mutant{name: "challenge-missing", summary: "HTTP 401 comes without a challenge.",
			reply: func(x *reply) { x.header.Del("WWW-Authenticate") }},
		mutant{name: "challenge-foreign", summary: "The challenge says Basic, the card Bearer.",
			reply: func(x *reply) {
				if x.header.Get("WWW-Authenticate") != "" {
					x.header.Set("WWW-Authenticate", `Basic realm="a2a-conform, Bearer"`)
				}
			}},
	)...)
}

// a2a01AuthMutants are those that only A2A 0.1.0 has a place for.
var a2a01AuthMutants = inArea("auth",
	mutant{name: "guard-after-the-fact", variant: "guarded", summary: "tasks/send without credentials is refused after it was carried out.",
		guard: func(c *caller) {
			if c.method == "tasks/send" && c.credential == "" && !carriesToken(c) {
				c.client = "first"
				c.http.Header.Set("X-Refuse-Afterwards", "1")
			}
		},
		reply: func(x *reply) {
			if x.http.Header.Get("X-Refuse-Afterwards") != "" {
				x.status = http.StatusUnauthorized
				x.header.Set("WWW-Authenticate", "Bearer")
				x.decline(a2a01AuthenticationRequired)
			}
		}},
	mutant{name: "guard-knows-connections", variant: "guarded", summary: "A connection is trusted once a call on it was authenticated.",
		guard: func(c *caller) {
			key := "trusted " + c.http.RemoteAddr
			if c.client != "" {
				c.notes.write(key, c.client)
			} else if client, ok := c.notes.read(key).(string); ok {
				c.client = client
			}
		}},
	mutant{name: "guard-hidden", locked: true, summary: "A credential is demanded that the card does not mention."},
	mutant{name: "missing-credentials-500", variant: "guarded", summary: "Missing credentials are answered with HTTP 500.",
		reply: func(x *reply) {
			if x.answers("", a2a01AuthenticationRequired) {
				x.status = http.StatusInternalServerError
			}
		}},
	mutant{name: "missing-credentials-misnamed", variant: "guarded", summary: "Missing credentials have the code of an invalid request.",
		reply: recode("", a2a01AuthenticationRequired, codeInvalidRequest)},
	mutant{name: "lacking-rights-401", variant: "guarded", summary: "Lacking rights are answered with HTTP 401.",
		reply: func(x *reply) {
			if x.answers("", a2a01AuthorizationFailed) {
				x.status = http.StatusUnauthorized
				x.header.Set("WWW-Authenticate", "Bearer")
			}
		}},
	mutant{name: "lacking-rights-misnamed", variant: "guarded", summary: "Lacking rights are an internal error.",
		reply: recode("", a2a01AuthorizationFailed, codeInternal)},

	mutant{name: "needed-login-fails", summary: "A task that needs further credentials fails.",
		reply: func(x *reply) {
			if x.script() == "needauth" && text(x.body, "result/status/state") == "input-required" {
				put(x.body, "result/status/state", "failed")
			}
		}},
	mutant{name: "needed-login-unspoken", summary: "A task that needs further credentials does not say so.",
		reply: func(x *reply) {
			if x.script() == "needauth" {
				drop(x.body, "result/status/message")
			}
		}},
)

// carriesToken reports whether the metadata of a call holds the token.
func carriesToken(c *caller) bool {
	return strings.Contains(string(encode(at(c.body, "params/metadata"))), Token) ||
		strings.Contains(string(encode(at(c.body, "params/message/metadata"))), Token)
}
