package scenario

import (
	"crypto/tls"
	"net/http"
	"net/url"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// tlsVersions opens one connection with today's TLS versions and one with
// those that were given up.
var tlsVersions = Scenario{
	Name: "tls", Doc: "a modern and an outdated TLS handshake", Ops: []string{"get"}, Claims: []string{"https"},
	Play: func(c *Conversation) {
		ask := dialect.Outgoing{Task: c.NewID()}
		c.Call(Step{Name: "modern", Role: wire.Probe, Op: "get", MinTLS: tls.VersionTLS12}, ask)
		c.Call(Step{Name: "outdated", Role: wire.Probe, Op: "get", MinTLS: tls.VersionTLS10, MaxTLS: tls.VersionTLS11}, ask)
	},
}

// plainHTTP makes a call to the plain port of the endpoint's host. It carries
// no credential: whoever listens there may not be the server.
var plainHTTP = Scenario{
	Name: "plain-http", Doc: "a message to the same host by plain http", Ops: []string{"send"},
	Claims: []string{"https"}, Words: []string{"production"}, Sends: 1,
	Play: func(c *Conversation) {
		u, err := url.Parse(c.RPC)
		if err != nil {
			c.Play.Stop = "the endpoint's URL cannot be read"
			return
		}
		u.Scheme, u.Host, u.User = "http", u.Hostname(), nil
		without := http.Header{}
		for name := range c.Header {
			without[name] = nil
		}
		c.Call(Step{Name: "send", Role: wire.Probe, Op: "send", URL: u.String(), Header: without},
			dialect.Outgoing{Text: c.Text("quick"), Task: c.NewTask(), Context: c.NewContext()})
	},
}
