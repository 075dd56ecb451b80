package harness

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// cardMatch is a card and a dialect that it declares.
type cardMatch struct {
	dialect *schema.Dialect
	card    *record.Exchange
	address string // the URL that was requested
}

// supersedes reports whether the other is an older version of the same protocol.
func (t cardMatch) supersedes(o cardMatch) bool {
	return slices.Contains(t.dialect.Detect.Supersedes, o.dialect.Name)
}

// chooseCardAndDialect returns the card and the dialect to judge by: the first match, which is the newest
// dialect, unless the operator's files are about another dialect that the server offers. If one
// card matches several dialects by chance, only the first counts.
func chooseCardAndDialect(all []cardMatch, prefer []string) (cardMatch, error) {
	first := all[0]
	for _, o := range all {
		if slices.Contains(prefer, o.dialect.Name) && (o == first || o.card != first.card || first.supersedes(o)) {
			return o, nil
		}
	}
	return first, checkCardsAgree(all)
}

// dialectsOfOtherCards returns the names of the other dialects that the cards offer.
func (t cardMatch) dialectsOfOtherCards(all []cardMatch) (names []string) {
	for _, o := range all {
		versions := t.supersedes(o) || o.supersedes(t)
		if o.dialect != t.dialect && (o.card != t.card || versions) && !slices.Contains(names, o.dialect.Name) {
			names = append(names, o.dialect.Name)
		}
	}
	return names
}

// checkCardsAgree returns an error if cards at different URLs declare different dialects: a
// server may have several, and only the operator knows which one is to be judged. Of two versions
// of one protocol the newer is judged.
func checkCardsAgree(all []cardMatch) error {
	for _, o := range all {
		if first := all[0]; o.dialect != first.dialect && o.card != first.card && !first.supersedes(o) {
			return usageErrorf("the server has cards of two protocols: %s is for %s, and %s for %s; give --dialect %s or --dialect %s",
				sanitizeAndShorten(first.card.URL), first.dialect.Title, sanitizeAndShorten(o.card.URL), o.dialect.Title, first.dialect.Name, o.dialect.Name)
		}
	}
	return nil
}

// describeVersion describes which version a card declares, as the end of a sentence about an
// agent card.
func describeVersion(card *record.Node) string {
	text := "that states no protocolVersion"
	if v := card.Member("protocolVersion"); v != nil && v.Kind == record.String {
		text = fmt.Sprintf("that states protocolVersion %s", sanitizeAndShorten(v.String))
	} else if v != nil {
		text = "whose protocolVersion is not a string"
	}
	if card.Member("supportedInterfaces") != nil {
		text += " and has supportedInterfaces"
	}
	return text
}

// findOrFetchUnknownCard returns a card of a protocol that this program does not support, so that the
// operator learns what the server is. It looks at the card that the operator named, at the
// documents that were fetched, and at today's well-known URL.
func (r *runner) findOrFetchUnknownCard(ctx context.Context, f *discovery, fetched map[string]*record.Exchange) *record.Exchange {
	foreign := func(x *record.Exchange) bool {
		root := x.Reply().Root
		return isCard(x) && root.Member("name") != nil &&
			(root.Member("skills") != nil || root.Member("protocolVersion") != nil || root.Member("supportedInterfaces") != nil)
	}
	for _, a := range slices.Sorted(maps.Keys(fetched)) {
		if n := r.givenCardURL(); (n == "" || a == n) && foreign(fetched[a]) {
			return fetched[a]
		}
	}
	u := *parseURLOrEmpty(r.target.URL)
	u.Path, u.RawQuery, u.Fragment = "/.well-known/agent-card.json", "", ""
	if r.target.Card != "" || f.hasTimedOutTwice() || fetched[u.String()] != nil {
		return nil
	}
	x := r.announceAndSendCall(ctx, client.Call{Method: http.MethodGet, URL: u.String(), Header: r.target.header(), Timeout: r.cardTimeout()}, nil)
	fetched[u.String()] = x
	f.tried = append(f.tried, fmt.Sprintf("GET %s: %s", &u, describeOutcome(x)))
	if foreign(x) {
		return x
	}
	return nil
}
