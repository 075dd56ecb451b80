package auth

import (
	"crypto/tls"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// TLSVersions opens one connection with today's TLS versions and one with
// those that were given up.
var TLSVersions = conversation.Scenario{Name: "tls", Play: func(c *conversation.Conversation) {
	ask := dialect.Outgoing{Task: c.NewID()}
	c.Call(conversation.Step{Name: "modern", Role: record.Probe, Op: "get", MinTLS: tls.VersionTLS12}, ask)
	c.Call(conversation.Step{Name: "outdated", Role: record.Probe, Op: "get", MinTLS: tls.VersionTLS10, MaxTLS: tls.VersionTLS11}, ask)
}}
