package relay

import (
	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/serve"
	"github.com/a2a-conform/a2a-conform/schema"
)

// extendedCard is the operation that returns a card.
const extendedCard = "extended-card"

// asksForExtendedCard reports whether a request is a call whose result is a card, and returns the binding that reads
// it.
func (r *Relay) asksForExtendedCard(q *serve.Request) binding.Binding {
	x := &record.Exchange{Dir: record.In, URL: r.listener.Base() + q.Target, Request: *q.Message}
	for _, d := range r.cfg.Dialects {
		for _, name := range binding.Names(d) {
			if b := binding.ByNameOrDefault(d, name); b.Kind() != schema.KindGRPC && b.Sent(x).Op == extendedCard {
				return b
			}
		}
	}
	return nil
}

// replaceInCard replaces the addresses on a card.
func (r *Relay) replaceInCard(text []byte) (out []byte, notes []string) {
	root, _ := record.ObserveJSON(text)
	return r.replaceAddresses(text, root)
}

// replaceAddresses has the interfaces of a card within a text lead to the relay that lead to the server. The notes state
// which interfaces do not pass through the relay.
func (r *Relay) replaceAddresses(text []byte, at *record.Node) (out []byte, notes []string) {
	m := card.Intermediary{Name: "the relay", Dialects: r.cfg.Dialects, Routes: []card.Route{{Upstream: r.upstream, Base: r.listener.Base()}}}
	out, notes, _ = m.ReplaceOrigins(text, at)
	return out, notes
}
