package jaf03

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// AuthMutants are about the section "Authentication".
var authMutants = front.InArea("auth",
	front.Mutant{Name: "guard-optional", Variant: "guarded", Summary: "message/send at the default endpoint is served without credentials.",
		Guard: func(c *front.Caller) {
			if c.Http.URL.Path == "/a2a" {
				front.AnonymousTo("message/send")(c)
			}
		}},
	front.Mutant{Name: "missing-credentials-misnamed", Variant: "guarded", Summary: "Missing credentials of message/send have the code of an invalid request.",
		Reply: front.Recode("message/send", AuthenticationRequired, front.CodeInvalidRequest)},
	front.Mutant{Name: "guard-counts-headers", Variant: "guarded", Summary: "Any credential is accepted.",
		Guard: func(c *front.Caller) {
			if c.Credential != "" && c.Client == "" {
				c.Client = "first"
			}
		}},
	front.Mutant{Name: "bearer-overlooked", Variant: "guarded", Summary: "A token in the Authorization header is not looked for.",
		Guard: alone("Bearer", "")},
	front.Mutant{Name: "key-header-renamed", Variant: "guarded", Summary: "The API key is looked for in the header Api-Key.",
		Guard: alone("", "X-API-Key")},
	front.Mutant{Name: "basic-undecoded", Variant: "guarded", Summary: "Basic credentials are compared without decoding them.",
		Guard: alone("Basic", "")},
	front.Mutant{Name: "guard-hidden", Locked: true, Summary: "Credentials are demanded though the card says that they are not required."},
	front.Mutant{Name: "lacking-rights-misnamed", Variant: "guarded", Summary: "Lacking rights are reported as missing credentials.",
		Reply: front.Recode("", PermissionDenied, AuthenticationRequired)},
	front.Mutant{Name: "guard-open-stream", Variant: "guarded", Summary: "message/stream is open.", Guard: front.AnonymousTo("message/stream")},
	front.Mutant{Name: "guard-open-get", Variant: "guarded", Summary: "tasks/get is open.", Guard: front.AnonymousTo("tasks/get")},
	front.Mutant{Name: "guard-open-cancel", Variant: "guarded", Summary: "tasks/cancel is open.", Guard: front.AnonymousTo("tasks/cancel")},
	front.Mutant{Name: "guard-open-agents", Variant: "guarded", Summary: "The endpoints of the agents are open.",
		Guard: func(c *front.Caller) {
			if strings.HasPrefix(c.Http.URL.Path, "/a2a/agents/") {
				front.AnonymousTo("message/send", "message/stream", "tasks/get", "tasks/cancel")(c)
			}
		}},
)

// alone makes a guard that does not know one of the ways in which callers show
// who they are. Those who show it in several ways are not affected.
func alone(scheme, header string) func(*front.Caller) {
	return func(c *front.Caller) {
		word, _, _ := strings.Cut(c.Http.Header.Get("Authorization"), " ")
		if word == scheme && (c.Http.Header.Get("X-API-Key") != "") == (header != "") {
			c.Client = ""
		}
	}
}
