package mutants

import (
	"net/http"
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// CredentialMutants speak of credentials to a client whose credentials are valid.
func CredentialMutants(get string, notFound int) map[string]front.Mutant {
	malformed := []any{front.Num(front.CodeParse), front.Num(front.CodeInvalidRequest), front.Num(front.CodeInvalidParams)}
	return map[string]front.Mutant{
		"malformed-unauthorized": {Reply: func(x *front.Reply) {
			if slices.Contains(malformed, front.At(x.Body, "error/code")) {
				x.Blank(http.StatusUnauthorized, "text/plain")
				x.Header.Set("WWW-Authenticate", "Bearer")
			}
		}},
	}
}
