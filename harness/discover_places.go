package harness

import (
	"net/http"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// givenCardURL returns the URL of the card that the operator gave; "" if the card has to be
// found.
func (r *runner) givenCardURL() string {
	if r.cardFromFile != nil {
		return r.cardFromFile.URL
	}
	return r.target.Card
}

// wellKnownCardURLs returns the URLs at which a dialect defines its card, today's first.
func (r *runner) wellKnownCardURLs(d *schema.Dialect) []string {
	root := *parseURLOrEmpty(r.target.URL)
	root.Path, root.RawQuery, root.Fragment = "", "", ""
	return joinCardPathsToURL(&root, d)
}

// givenAndWellKnownCardURLs returns the well-known URLs of a dialect and the one that the operator gave.
func (r *runner) givenAndWellKnownCardURLs(d *schema.Dialect) []string {
	own := r.wellKnownCardURLs(d)
	if n := r.givenCardURL(); n != "" && !slices.Contains(own, n) {
		return append([]string{n}, own...)
	}
	return own
}

// respellWellKnownCardURL replaces the operator's card URL by the dialect's spelling of it if it is a
// well-known one, and reports whether it is.
func (r *runner) respellWellKnownCardURL(candidates []*schema.Dialect) bool {
	if r.target.Card == "" || r.cardFromFile != nil {
		return false
	}
	for _, d := range candidates {
		for _, a := range r.wellKnownCardURLs(d) {
			if sameAddress(a, r.target.Card) {
				r.target.Card = a
				return true
			}
		}
	}
	return false
}

// isCardFoundOnlyByGivenURL reports whether the operator gave the URL of a card that would not have been found
// without it. The URL of an older version is found anyway if no newer one has a card.
func (r *runner) isCardFoundOnlyByGivenURL(d *schema.Dialect, fetched map[string]*record.Exchange) bool {
	n := r.givenCardURL()
	if n == "" {
		return false
	}
	own := r.wellKnownCardURLs(d)
	i := slices.Index(own, n)
	return i < 0 || slices.ContainsFunc(own[:i], func(a string) bool { return isCard(fetched[a]) })
}

// cardPlay returns the play of the requests for the card, and sets f.card. If the operator gave
// another URL, or the card was found at the target or below it, only that card counts, because a
// card at a well-known URL may be that of another agent. Otherwise a card at an older URL counts
// if today's URL has none.
func (r *runner) cardPlay(f *discovery, fetched map[string]*record.Exchange, fetch func(string) *record.Exchange) (play record.Play, kept []string) {
	play = record.Play{Scenario: "card", About: "a look for the agent card", Attempt: 1}
	add := func(s record.Step, address string) {
		if play.Step(s.Name) != nil || f.hasTimedOutTwice() && fetched[address] == nil {
			return
		}
		s.Exchange = fetch(address)
		if s.Op == "card" && isCard(s.Exchange) {
			if f.card == nil {
				f.card = s.Exchange.Reply().Root
			}
			if f.publishedCardURL == "" && !s.Elsewhere {
				f.publishedCardURL = address
			}
		}
		kept = append(kept, address)
		play.Steps = append(play.Steps, s)
	}
	elsewhere := r.isCardFoundOnlyByGivenURL(f.dialect, fetched)
	if n := r.givenCardURL(); elsewhere {
		add(record.Step{Name: "configured", Role: record.Main, Op: "card", Elsewhere: r.cardFromFile != nil || !sameOrigin(parseURLOrEmpty(n), parseURLOrEmpty(r.target.URL))}, n)
	}
	if f.cardBelowTarget != "" {
		add(record.Step{Name: "target", Role: record.Main, Op: "card"}, f.cardBelowTarget)
	}
	own := r.wellKnownCardURLs(f.dialect)
	for i, a := range own {
		s := record.Step{Name: "well-known", Role: record.Main, Op: "card"}
		if i > 0 {
			s.Name = "older"
		}
		if elsewhere || f.cardBelowTarget != "" || i > 0 && isCard(fetched[own[0]]) {
			s.Role, s.Op = record.Probe, "document"
		}
		add(s, a)
	}
	if f.publishedCardURL == "" && !elsewhere && len(own) > 0 {
		f.publishedCardURL = own[0]
	}
	return play, kept
}

// credentialFlags names the flags for credentials.
const credentialFlags = "--bearer-env, --basic-env or --api-key-env"

// findCardRefusedWith401 returns the exchange of a card that the server refused with 401, which
// protocols allow; nil if there is none.
func (r *runner) findCardRefusedWith401(candidates []*schema.Dialect, fetched map[string]*record.Exchange) *record.Exchange {
	for _, d := range candidates {
		for _, a := range r.givenAndWellKnownCardURLs(d) {
			if n := r.givenCardURL(); (n == "" || a == n) && fetched[a].Status() == http.StatusUnauthorized {
				return fetched[a]
			}
		}
	}
	return nil
}

// sameAddress reports whether two URLs are spellings of one.
func sameAddress(a, b string) bool {
	u, v := parseURLOrEmpty(a), parseURLOrEmpty(b)
	return sameOrigin(u, v) && u.EscapedPath() == v.EscapedPath() && u.RawQuery == v.RawQuery
}
