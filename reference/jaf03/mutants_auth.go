package jaf03

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// AuthMutants are about the section "Authentication".
var authMutants = map[string]front.Mutant{
	"bearer-overlooked":  {Guard: alone("Bearer", "")},
	"key-header-renamed": {Guard: alone("", "X-API-Key")},
	"basic-undecoded":    {Guard: alone("Basic", "")},
	"guard-open-agents": {Guard: func(c *front.Caller) {
		if strings.HasPrefix(c.Http.URL.Path, "/a2a/agents/") {
			front.AnonymousTo("message/send", "message/stream", "tasks/get", "tasks/cancel")(c)
		}
	}},
}

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
