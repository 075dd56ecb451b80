package harness

import (
	"net/http"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// offeredInstead are the dialects that a server's card offers if the operator named one that it
// does not. If there is no card at the places of the named one, it is looked for at those of the
// others, since that is what the operator has to know.
func (r *runner) offeredInstead(f *found, fetched map[string]*record.Exchange, fetch func(string) *record.Exchange) []string {
	if r.target.Bundled || len(r.target.givenFlags()) == 0 || r.target.Dialect == "" || r.target.Dialect == "auto" || f.dead() {
		return nil
	}
	if f.card != nil {
		return othersOf(f.dialect, f.card)
	}
	heard := false
	for _, x := range fetched {
		heard = heard || x.Dir == record.Out && x.Answered() && x.Status() != http.StatusTooManyRequests
	}
	if !heard || r.named() != "" || len(f.dialect.Card.Paths) == 0 {
		return nil
	}
	for _, name := range schema.Names() {
		o, err := schema.Outline(name)
		if err != nil || o.Detect.Never {
			continue
		}
		for _, a := range slices.Concat(r.nearPlaces(o), r.ownPlaces(o)) {
			if x := fetch(a); looksLikeCard(o, x) && card.Of(o, x.Reply().Root).IsOfDialect() {
				return othersOf(f.dialect, x.Reply().Root)
			}
		}
	}
	return nil
}

// othersOf are the dialects that a card is one of, if it is none of a given one.
func othersOf(d *schema.Dialect, root *record.Node) (names []string) {
	if card.Of(d, root).IsOfDialect() {
		return nil
	}
	for _, name := range schema.Names() {
		if o, err := schema.Outline(name); err == nil && !o.Detect.Never && o.Name != d.Name && card.Of(o, root).IsOfDialect() {
			names = append(names, name)
		}
	}
	return names
}
