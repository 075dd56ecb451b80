package relay

import "github.com/a2a-conform/a2a-conform/harness/card"

// cards replaces the addresses on the server's cards by that of the relay.
func (r *Relay) listCards() card.Intermediary {
	return card.Intermediary{Name: "the relay", Dialects: r.cfg.Dialects, Routes: []card.Route{{Upstream: r.upstream, Base: r.listener.Base()}}}
}
