package reference

import (
	"strings"
)

// jaf03AuthMutants are about the section "Authentication".
var jaf03AuthMutants = inArea("auth",
	mutant{name: "guard-optional", variant: "guarded", summary: "message/send at the default endpoint is served without credentials.",
		guard: func(c *caller) {
			if c.http.URL.Path == "/a2a" {
				anonymousTo("message/send")(c)
			}
		}},
	mutant{name: "missing-credentials-misnamed", variant: "guarded", summary: "Missing credentials of message/send have the code of an invalid request.",
		reply: recode("message/send", jaf03AuthenticationRequired, codeInvalidRequest)},
	mutant{name: "guard-counts-headers", variant: "guarded", summary: "Any credential is accepted.",
		guard: func(c *caller) {
			if c.credential != "" && c.client == "" {
				c.client = "first"
			}
		}},
	mutant{name: "bearer-overlooked", variant: "guarded", summary: "A token in the Authorization header is not looked for.",
		guard: alone("Bearer", "")},
	mutant{name: "key-header-renamed", variant: "guarded", summary: "The API key is looked for in the header Api-Key.",
		guard: alone("", "X-API-Key")},
	mutant{name: "basic-undecoded", variant: "guarded", summary: "Basic credentials are compared without decoding them.",
		guard: alone("Basic", "")},
	mutant{name: "guard-hidden", locked: true, summary: "Credentials are demanded though the card says that they are not required."},
	mutant{name: "lacking-rights-misnamed", variant: "guarded", summary: "Lacking rights are reported as missing credentials.",
		reply: recode("", jaf03PermissionDenied, jaf03AuthenticationRequired)},
	mutant{name: "guard-open-stream", variant: "guarded", summary: "message/stream is open.", guard: anonymousTo("message/stream")},
	mutant{name: "guard-open-get", variant: "guarded", summary: "tasks/get is open.", guard: anonymousTo("tasks/get")},
	mutant{name: "guard-open-cancel", variant: "guarded", summary: "tasks/cancel is open.", guard: anonymousTo("tasks/cancel")},
	mutant{name: "guard-open-agents", variant: "guarded", summary: "The endpoints of the agents are open.",
		guard: func(c *caller) {
			if strings.HasPrefix(c.http.URL.Path, "/a2a/agents/") {
				anonymousTo("message/send", "message/stream", "tasks/get", "tasks/cancel")(c)
			}
		}},
)

// alone makes a guard that does not know one of the ways in which callers show
// who they are. Those who show it in several ways are not affected.
func alone(scheme, header string) func(*caller) {
	return func(c *caller) {
		word, _, _ := strings.Cut(c.http.Header.Get("Authorization"), " ")
		if word == scheme && (c.http.Header.Get("X-API-Key") != "") == (header != "") {
			c.client = ""
		}
	}
}
