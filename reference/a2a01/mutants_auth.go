package a2a01

import (
	"net/http"

	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// authMutants are those that only A2A 0.1.0 has a place for.
var authMutants = front.InArea("auth",
	front.Mutant{Name: "guard-after-the-fact", Variant: "guarded", Summary: "tasks/send without credentials is refused after it was carried out.",
		Guard: func(c *front.Caller) {
			if c.Method == "tasks/send" && c.Credential == "" && !mutants.CarriesToken(c) {
				c.Client = "first"
				c.Http.Header.Set("X-Refuse-Afterwards", "1")
			}
		},
		Reply: func(x *front.Reply) {
			if x.Http.Header.Get("X-Refuse-Afterwards") != "" {
				x.Status = http.StatusUnauthorized
				x.Header.Set("WWW-Authenticate", "Bearer")
				x.Decline(authenticationRequired)
			}
		}},
	front.Mutant{Name: "guard-knows-connections", Variant: "guarded", Summary: "A connection is trusted once a call on it was authenticated.",
		Guard: func(c *front.Caller) {
			key := "trusted " + c.Http.RemoteAddr
			if c.Client != "" {
				c.Notes.Write(key, c.Client)
			} else if client, ok := c.Notes.Read(key).(string); ok {
				c.Client = client
			}
		}},
	front.Mutant{Name: "guard-hidden", Locked: true, Summary: "A credential is demanded that the card does not mention."},
	front.Mutant{Name: "missing-credentials-500", Variant: "guarded", Summary: "Missing credentials are answered with HTTP 500.",
		Reply: func(x *front.Reply) {
			if x.Answers("", authenticationRequired) {
				x.Status = http.StatusInternalServerError
			}
		}},
	front.Mutant{Name: "missing-credentials-misnamed", Variant: "guarded", Summary: "Missing credentials have the code of an invalid request.",
		Reply: front.Recode("", authenticationRequired, front.CodeInvalidRequest)},
	front.Mutant{Name: "lacking-rights-401", Variant: "guarded", Summary: "Lacking rights are answered with HTTP 401.",
		Reply: func(x *front.Reply) {
			if x.Answers("", authorizationFailed) {
				x.Status = http.StatusUnauthorized
				x.Header.Set("WWW-Authenticate", "Bearer")
			}
		}},
	front.Mutant{Name: "lacking-rights-misnamed", Variant: "guarded", Summary: "Lacking rights are an internal error.",
		Reply: front.Recode("", authorizationFailed, front.CodeInternal)},

	front.Mutant{Name: "needed-login-fails", Summary: "A task that needs further credentials fails.",
		Reply: func(x *front.Reply) {
			if x.Script() == "needauth" && front.Text(x.Body, "result/status/state") == "input-required" {
				front.Put(x.Body, "result/status/state", "failed")
			}
		}},
	front.Mutant{Name: "needed-login-unspoken", Summary: "A task that needs further credentials does not say so.",
		Reply: func(x *front.Reply) {
			if x.Script() == "needauth" {
				front.Drop(x.Body, "result/status/message")
			}
		}},
)
