package mutants

import (
	"net/http"
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// CredentialMutants speak of credentials to a client whose credentials are valid.
func CredentialMutants(get string, notFound int) []front.Mutant {
	malformed := []any{front.Num(front.CodeParse), front.Num(front.CodeInvalidRequest), front.Num(front.CodeInvalidParams)}
	return front.In("guarded", front.InArea("auth",
		front.Mutant{Name: "malformed-unauthorized", Summary: "Malformed calls are answered with HTTP 401, whoever makes them.",
			Reply: func(x *front.Reply) {
				if slices.Contains(malformed, front.At(x.Body, "error/code")) {
					x.Blank(http.StatusUnauthorized, "text/plain")
					x.Header.Set("WWW-Authenticate", "Bearer")
				}
			}},
		front.Mutant{Name: "unknown-task-forbidden", Summary: "A call about a task that never was is answered with HTTP 403.",
			Reply: func(x *front.Reply) {
				if x.Answers("", notFound) {
					x.Blank(http.StatusForbidden, "text/plain")
				}
			}},
		front.Mutant{Name: "get-unauthorized", Summary: get + " is answered with HTTP 401, whoever makes it.",
			Guard: func(c *front.Caller) {
				if c.Method == get {
					c.Client = ""
				}
			}},
	)...)
}
