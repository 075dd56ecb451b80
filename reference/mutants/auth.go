package mutants

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// AuthMutants are about the guard before the methods.
func AuthMutants(w Wording) map[string]front.Mutant {
	return map[string]front.Mutant{
		"guard-optional": {Guard: func(c *front.Caller) {
			if !CarriesToken(c) {
				front.AnonymousTo(w.Send)(c)
			}
		}},
		"guard-reads-body": {Guard: func(c *front.Caller) {
			if c.Method == w.Send && !CarriesToken(c) {
				c.Client = ""
			}
		}},
		"guard-takes-metadata": {Guard: func(c *front.Caller) {
			if CarriesToken(c) {
				c.Client = "first"
			}
		}},
		"guard-shares-running": {Guard: func(c *front.Caller) {
			if c.Method == w.Resubscribe && c.Working {
				c.Owner = ""
			}
		}},
	}
}

// CarriesToken reports whether the metadata of a call holds the token.
func CarriesToken(c *front.Caller) bool {
	return strings.Contains(string(front.Encode(front.At(c.Body, "params/metadata"))), front.Token) ||
		strings.Contains(string(front.Encode(front.At(c.Body, "params/message/metadata"))), front.Token)
}
