package a2a03

import (
	"net/http"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// ShowsCredential reports whether a request has a credential, be it a wrong one.
func ShowsCredential(r *http.Request) bool {
	return r.Header.Get("Authorization") != "" || r.Header.Get(front.APIKeyHeader) != ""
}

// authMutants are about the guard, beyond what other protocols have.
var authMutants = map[string]front.Mutant{
	"guard-reads-query": {Guard: func(c *front.Caller) {
		if c.Http.Header.Get("Authorization") == "" {
			c.Client = front.Tokens[c.Http.URL.Query().Get("key")]
		}
	}},
}
