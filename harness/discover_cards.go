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

// telling is a card that tells of a dialect.
type telling struct {
	dialect *schema.Dialect
	card    *record.Exchange
	address string // where it was asked for
}

// supersedes reports whether the other is an older version of the same protocol.
func (t telling) supersedes(o telling) bool {
	return slices.Contains(t.dialect.Detect.Supersedes, o.dialect.Name)
}

// meant is the card that counts, and the dialect that it is read as: the first one's,
// which is the newest, unless the operator's files are about another that is offered.
// A card that fits several dialects by chance offers only the first.
func meant(all []telling, prefer []string) (telling, error) {
	first := all[0]
	for _, o := range all {
		if slices.Contains(prefer, o.dialect.Name) && (o == first || o.card != first.card || first.supersedes(o)) {
			return o, nil
		}
	}
	return first, contradiction(all)
}

// others are the names of the dialects that the cards offer beside this one.
func (t telling) others(all []telling) (names []string) {
	for _, o := range all {
		versions := t.supersedes(o) || o.supersedes(t)
		if o.dialect != t.dialect && (o.card != t.card || versions) && !slices.Contains(names, o.dialect.Name) {
			names = append(names, o.dialect.Name)
		}
	}
	return names
}

// contradiction is the error about cards at different places that tell of
// different dialects: a server may speak several, and which one is meant is the
// operator's to say. Of two versions of one protocol, the newer is meant.
func contradiction(all []telling) error {
	for _, o := range all {
		if first := all[0]; o.dialect != first.dialect && o.card != first.card && !first.supersedes(o) {
			return usage("the server has cards of two protocols: %s is for %s, and %s for %s; give --dialect %s or --dialect %s",
				printable(first.card.URL), first.dialect.Title, printable(o.card.URL), o.dialect.Title, first.dialect.Name, o.dialect.Name)
		}
	}
	return nil
}

// stated is what a card says of its protocol, to be read after "an agent card".
func stated(card *record.Node) string {
	text := "that states no protocolVersion"
	if v := card.Member("protocolVersion"); v != nil && v.Kind == record.String {
		text = fmt.Sprintf("that states protocolVersion %s", printable(v.String))
	} else if v != nil {
		text = "whose protocolVersion is not a string"
	}
	if card.Member("supportedInterfaces") != nil {
		text += " and has supportedInterfaces"
	}
	return text
}

// foreignCard is a card of a protocol that this program does not speak, so that
// the operator learns what the server is: the one that was named, or one among the
// documents that were fetched, or where today's cards lie.
func (r *runner) foreignCard(ctx context.Context, f *found, fetched map[string]*record.Exchange) *record.Exchange {
	foreign := func(x *record.Exchange) bool {
		root := x.Reply().Root
		return isCard(x) && root.Member("name") != nil &&
			(root.Member("skills") != nil || root.Member("protocolVersion") != nil || root.Member("supportedInterfaces") != nil)
	}
	for _, a := range slices.Sorted(maps.Keys(fetched)) {
		if n := r.named(); (n == "" || a == n) && foreign(fetched[a]) {
			return fetched[a]
		}
	}
	u := *parse(r.target.URL)
	u.Path, u.RawQuery, u.Fragment = "/.well-known/agent-card.json", "", ""
	if r.target.Card != "" || f.dead() || fetched[u.String()] != nil {
		return nil
	}
	x := r.client.Do(ctx, client.Call{Method: http.MethodGet, URL: u.String(), Header: r.target.header(), Timeout: r.cardPatience()}, nil)
	fetched[u.String()] = x
	f.tried = append(f.tried, fmt.Sprintf("GET %s: %s", &u, describeOutcome(x)))
	if foreign(x) {
		return x
	}
	return nil
}
