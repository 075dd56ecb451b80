package harness

import (
	"net/http"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// named is where the operator says that the card lies; "" where it is looked for.
func (r *runner) named() string {
	if r.given != nil {
		return r.given.URL
	}
	return r.target.Card
}

// ownPlaces are the addresses at which a dialect has its cards, today's first.
func (r *runner) ownPlaces(d *schema.Dialect) (out []string) {
	for _, p := range d.Card.Paths {
		u := *parse(r.target.URL)
		u.Path, u.RawQuery, u.Fragment = p, "", ""
		out = append(out, u.String())
	}
	return out
}

// places are those and the one that the operator names.
func (r *runner) places(d *schema.Dialect) []string {
	own := r.ownPlaces(d)
	if n := r.named(); n != "" && !slices.Contains(own, n) {
		return append([]string{n}, own...)
	}
	return own
}

// spellAsOwn writes the operator's address of the card as the dialects do, where
// it is one of theirs, and reports whether it is.
func (r *runner) spellAsOwn(candidates []*schema.Dialect) bool {
	if r.target.Card == "" || r.given != nil {
		return false
	}
	for _, d := range candidates {
		for _, a := range r.ownPlaces(d) {
			if sameAddress(a, r.target.Card) {
				r.target.Card = a
				return true
			}
		}
	}
	return false
}

// elsewhere reports whether the operator names a card that would not have been
// found without it. The address of an older place is what is found anyway where
// no newer one holds a card.
func (r *runner) elsewhere(d *schema.Dialect, fetched map[string]*record.Exchange) bool {
	n := r.named()
	if n == "" {
		return false
	}
	own := r.ownPlaces(d)
	i := slices.Index(own, n)
	return i < 0 || slices.ContainsFunc(own[:i], func(a string) bool { return isCard(fetched[a]) })
}

// cardPlay is what was asked for the card, and f.card what it brought. A card
// that the operator names elsewhere is the card, or there is none: what is at
// the dialect's own places may then be that of another agent. The same holds if
// the card was found at the target or below it. Otherwise one at an older place
// counts if there is none at today's.
func (r *runner) cardPlay(f *found, fetched map[string]*record.Exchange, fetch func(string) *record.Exchange) (play record.Play, kept []string) {
	play = record.Play{Scenario: "card", Attempt: 1}
	add := func(s record.Step, address string) {
		if play.Step(s.Name) != nil || f.dead() && fetched[address] == nil {
			return
		}
		s.Exchange = fetch(address)
		if s.Op == "card" && isCard(s.Exchange) {
			if f.card == nil {
				f.card = s.Exchange.Reply().Root
			}
			if f.handedOut == "" && !s.Elsewhere {
				f.handedOut = address
			}
		}
		kept = append(kept, address)
		play.Steps = append(play.Steps, s)
	}
	elsewhere := r.elsewhere(f.dialect, fetched)
	if n := r.named(); elsewhere {
		add(record.Step{Name: "configured", Role: record.Main, Op: "card", Elsewhere: r.given != nil || !sameOrigin(parse(n), parse(r.target.URL))}, n)
	}
	if f.near != "" {
		add(record.Step{Name: "target", Role: record.Main, Op: "card"}, f.near)
	}
	own := r.ownPlaces(f.dialect)
	for i, a := range own {
		s := record.Step{Name: "well-known", Role: record.Main, Op: "card"}
		if i > 0 {
			s.Name = "older"
		}
		if elsewhere || f.near != "" || i > 0 && isCard(fetched[own[0]]) {
			s.Role, s.Op = record.Probe, "document"
		}
		add(s, a)
	}
	if f.handedOut == "" && !elsewhere && len(own) > 0 {
		f.handedOut = own[0]
	}
	return play, kept
}

// credentialFlags are the flags by which an operator names a credential.
const credentialFlags = "--bearer-env, --basic-env or --api-key-env"

// guardedPlace is a place of a card that is kept from whoever shows no credentials,
// or not those that the server takes: protocols allow it.
func (r *runner) guardedPlace(candidates []*schema.Dialect, fetched map[string]*record.Exchange) *record.Exchange {
	for _, d := range candidates {
		for _, a := range r.places(d) {
			if n := r.named(); (n == "" || a == n) && fetched[a].Status() == http.StatusUnauthorized {
				return fetched[a]
			}
		}
	}
	return nil
}

// sameAddress reports whether two URLs are spellings of one.
func sameAddress(a, b string) bool {
	u, v := parse(a), parse(b)
	return sameOrigin(u, v) && u.EscapedPath() == v.EscapedPath() && u.RawQuery == v.RawQuery
}
