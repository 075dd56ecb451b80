package card

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Intermediary is what is between clients and servers of others. Clients reach it only if the cards of the servers name
// its addresses.
type Intermediary struct {
	Name     string            // in the notes, such as "the relay"
	Dialects []*schema.Dialect // by which cards are read
	Routes   []Route
	GRPC     bool // calls of gRPC pass through it
}

// Route is how clients reach one server through an intermediary.
type Route struct {
	Upstream *url.URL // of the server; only its scheme and its host matter
	Base     string   // origin that clients call in its place
}

// ReplaceOrigins has the interfaces of a card within a text lead to the intermediary that lead to one of its servers. Only
// the bytes of these origins are changed, and nothing if the card is signed. The notes state which interfaces do not
// pass through the intermediary; bypassed reports that the card is signed and names one that would have been changed.
func (m Intermediary) ReplaceOrigins(text []byte, at *record.Node) (out []byte, notes []string, bypassed bool) {
	if at == nil || at.Kind != record.Object {
		return text, nil, false
	}
	places, notes := m.listPlaces(at)
	var edits []edit
	for _, n := range places {
		u, err := url.Parse(n.String)
		if err == nil && u.Host == "" && u.Scheme == "" {
			continue // it is relative, and so leads to the host of the card
		}
		origin, base := m.findRoute(n.String)
		if base == "" {
			notes = append(notes, fmt.Sprintf("the interface %s is at another origin than the server, and does not pass through %s", showAddress(n.String), m.Name))
			continue
		}
		if raw := text[n.Start:n.End]; len(raw) > 2 && bytes.HasPrefix(raw[1:], []byte(origin)) {
			edits = append(edits, edit{n.Start + 1, n.Start + 1 + len(origin), []byte(base)})
			continue
		}
		written, err := json.Marshal(base + n.String[len(origin):]) // its bytes are escaped
		if err == nil {
			edits = append(edits, edit{n.Start, n.End, written})
		}
	}
	if signed := at.Member("signatures"); signed != nil && len(signed.Elems) > 0 {
		return text, append(notes, "the card is signed, so its addresses were left as they are, and calls to them do not pass through "+m.Name), len(edits) > 0
	}
	return applyEdits(text, edits), notes, false
}

// IsCardPath reports whether a path is one at which a card may be: below the host, or below the path of the server's URL.
func (m Intermediary) IsCardPath(path, below string) bool {
	return slices.ContainsFunc(m.Dialects, func(d *schema.Dialect) bool {
		return slices.ContainsFunc(d.Card.Paths, func(p string) bool { return path == p || path == below+p })
	})
}

// ExtendedCard is the operation that returns a card.
const ExtendedCard = "extended-card"

// FindCardCall reports whether a request is a call whose result is a card, and returns the binding that reads it; nil if it
// is none. Calls of gRPC are none, since their messages are not changed.
func (m Intermediary) FindCardCall(x *record.Exchange) binding.Binding {
	for _, d := range m.Dialects {
		for _, name := range binding.Names(d) {
			if b := binding.ByNameOrDefault(d, name); b.Kind() != schema.KindGRPC && b.Sent(x).Op == ExtendedCard {
				return b
			}
		}
	}
	return nil
}

// ReplaceInAnswer replaces the addresses on the card that the body of an answer is, or that is the result in it if a binding
// is given. It returns what ReplaceOrigins does.
func (m Intermediary) ReplaceInAnswer(by binding.Binding, head, body []byte) (out []byte, notes []string, bypassed bool) {
	x := &record.Exchange{Dir: record.Out, Ended: record.EOF, Response: record.Message{Head: head, Body: body}}
	switch {
	case x.Response.ContentCoding() != "":
		return body, []string{"the card came in a content coding that was not asked for, so its addresses were left as they are"}, false
	case by != nil:
		return m.ReplaceOrigins(body, by.Decode(ExtendedCard, x).Result.Node)
	}
	return m.ReplaceOrigins(body, x.Reply().Root)
}

// listPlaces returns the addresses on a card that may lead to a server, and notes about those that the intermediary cannot
// pass on.
func (m Intermediary) listPlaces(at *record.Node) (out []*record.Node, notes []string) {
	places := map[string]*record.Node{}
	var order []string // of the pointers in places
	for _, d := range m.Dialects {
		is := Of(d, at)
		for _, a := range is.Addresses() {
			if n := at.At(a.Pointer); n != nil && places[a.Pointer] == nil {
				places[a.Pointer] = n
				order = append(order, a.Pointer)
			}
		}
		for _, i := range is.Entries() {
			if b, known := d.Bindings[i.Transport()]; known && b.Kind == schema.KindGRPC && !m.GRPC {
				notes = append(notes, fmt.Sprintf("the gRPC interface %s does not pass through %s", showAddress(i.URL()), m.Name))
				delete(places, i.URLAt())
			}
		}
	}
	for _, pointer := range order {
		if n := places[pointer]; n != nil {
			out = append(out, n)
		}
	}
	return out, notes
}

// MaxNotes bounds the notes of an intermediary, since a hostile card could name thousands of addresses.
const MaxNotes = 20

// Notes are what the operator should know of the cards that passed an intermediary. Several goroutines may use them, and
// the zero value has none.
type Notes struct {
	mu  sync.Mutex
	all []string
}

// AddNotes keeps notes, each once, up to MaxNotes.
func (n *Notes) AddNotes(notes []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, note := range notes {
		if !slices.Contains(n.all, note) && len(n.all) < MaxNotes {
			n.all = append(n.all, note)
		}
	}
}

// ListNotes returns a copy of the notes in their order.
func (n *Notes) ListNotes() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.all)
}

// edit replaces the bytes of a text between two offsets.
type edit struct {
	from, to int
	text     []byte
}

// applyEdits returns a text with the edits, which do not overlap.
func applyEdits(text []byte, edits []edit) (out []byte) {
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	last := 0
	for _, e := range edits {
		out = append(append(out, text[last:e.from]...), e.text...)
		last = e.to
	}
	return append(out, text[last:]...)
}

// findRoute returns the origin of an address as it is written there, and the origin that clients call in its place; "" if
// it leads to none of the servers. A name of this machine is the same as another, and an open host (0.0.0.0) is the
// server's. Addresses of gRPC may be written without a scheme.
func (m Intermediary) findRoute(address string) (origin, base string) {
	if len(address) > record.MaxAddress {
		return "", ""
	}
	_, bare := HostOf(address)
	bare = bare && !strings.Contains(address, "://") && m.GRPC
	for _, r := range m.Routes {
		whole, cut := address, 0
		if bare {
			cut = len(r.Upstream.Scheme) + len("://")
			whole = r.Upstream.Scheme + "://" + address
		}
		u, err := url.Parse(whole)
		if err != nil || u.Host == "" || u.User != nil {
			continue
		}
		if !strings.EqualFold(u.Scheme, r.Upstream.Scheme) || PortOf(u) != PortOf(r.Upstream) {
			continue
		}
		here, there := r.Upstream.Hostname(), u.Hostname()
		if !strings.EqualFold(here, there) && !Unspecified(there) && !(Loopback(here) && Loopback(there)) {
			continue
		}
		origin, base = whole[cut:strings.Index(whole, "://")+3+len(u.Host)], r.Base
		if bare {
			_, base, _ = strings.Cut(base, "://")
		}
		return origin, base
	}
	return "", ""
}

// showAddress returns an address for a note.
func showAddress(address string) string {
	return shorten.Visible(shorten.Clip(redact.StripSecrets(address), 100), 100)
}
