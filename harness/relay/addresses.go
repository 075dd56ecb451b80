package relay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/harness/serve"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
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

// replaceAddresses has the interfaces of a card within a text lead to the relay that lead to the server. Only these bytes
// are changed, and nothing if the card is signed. The notes state which interfaces do not pass through the relay.
func (r *Relay) replaceAddresses(text []byte, at *record.Node) (out []byte, notes []string) {
	if at == nil || at.Kind != record.Object {
		return text, nil
	}
	places := map[string]*record.Node{}
	var order []string // of the pointers in places
	for _, d := range r.cfg.Dialects {
		is := card.Of(d, at)
		for _, a := range is.Addresses() {
			if n := at.At(a.Pointer); n != nil && places[a.Pointer] == nil {
				places[a.Pointer] = n
				order = append(order, a.Pointer)
			}
		}
		for _, i := range is.Entries() {
			if b, known := d.Bindings[i.Transport()]; known && b.Kind == schema.KindGRPC {
				notes = append(notes, fmt.Sprintf("the gRPC interface %s does not pass through the relay", showAddress(i.URL())))
				delete(places, i.URLAt())
			}
		}
	}
	if signed := at.Member("signatures"); signed != nil && len(signed.Elems) > 0 {
		return text, append(notes, "the card is signed, so its addresses were left as they are, and calls to them do not pass through the relay")
	}
	type edit struct {
		from, to int
		text     []byte
	}
	var edits []edit
	for _, pointer := range order {
		n := places[pointer]
		if n == nil {
			continue
		}
		if u, err := url.Parse(n.String); err == nil && u.Host == "" && u.Scheme == "" {
			continue // it is relative, and so leads to the host of the card
		}
		origin, leads := r.leadsToUpstream(n.String)
		if !leads {
			notes = append(notes, fmt.Sprintf("the interface %s is at another origin than the server, and does not pass through the relay", showAddress(n.String)))
			continue
		}
		if raw := text[n.Start:n.End]; len(raw) > 2 && bytes.HasPrefix(raw[1:], []byte(origin)) {
			edits = append(edits, edit{n.Start + 1, n.Start + 1 + len(origin), []byte(r.listener.Base())})
			continue
		}
		written, err := json.Marshal(r.listener.Base() + n.String[len(origin):]) // its bytes are escaped
		if err == nil {
			edits = append(edits, edit{n.Start, n.End, written})
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	last := 0
	for _, e := range edits {
		out = append(append(out, text[last:e.from]...), e.text...)
		last = e.to
	}
	return append(out, text[last:]...), notes
}

// leadsToUpstream reports whether an address on a card is one of the server, and returns its origin as it is written
// there. A name of this machine is the same as another, and an open host (0.0.0.0) is the server's.
func (r *Relay) leadsToUpstream(address string) (origin string, leads bool) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || len(address) > record.MaxAddress {
		return "", false
	}
	origin = address[:strings.Index(address, "://")+3+len(u.Host)]
	if !strings.EqualFold(u.Scheme, r.upstream.Scheme) || card.PortOf(u) != card.PortOf(r.upstream) {
		return "", false
	}
	here, there := r.upstream.Hostname(), u.Hostname()
	same := strings.EqualFold(here, there) || card.Unspecified(there) || card.Loopback(here) && card.Loopback(there)
	return origin, same
}

// showAddress returns an address for a note.
func showAddress(address string) string {
	return shorten.Visible(shorten.Clip(redact.StripSecrets(address), 100), 100)
}
