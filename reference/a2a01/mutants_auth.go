package a2a01

import (
	"net/http"

	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// authMutants are those that only A2A 0.1.0 has a place for.
var authMutants = map[string]front.Mutant{
	"guard-after-the-fact": {Guard: func(c *front.Caller) {
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
	"guard-knows-connections": {Guard: func(c *front.Caller) {
		key := "trusted " + c.Http.RemoteAddr
		if c.Client != "" {
			c.Notes.Write(key, c.Client)
		} else if client, ok := c.Notes.Read(key).(string); ok {
			c.Client = client
		}
	}},
}
