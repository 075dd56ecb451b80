package harness

import (
	"net/http"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// findOfferedDialects returns the dialects that the server's card declares if it does not declare
// the one that the operator named. If the named dialect has no card, the cards of the other
// dialects are requested.
func (r *runner) findOfferedDialects(f *discovery, fetched map[string]*record.Exchange, fetch func(string) *record.Exchange) []string {
	if r.target.Bundled || len(r.target.givenFlags()) == 0 || r.target.Dialect == "" || r.target.Dialect == "auto" || f.hasTimedOutTwice() {
		return nil
	}
	if f.card != nil {
		return othersOf(f.dialect, f.card)
	}
	heard := false
	for _, x := range fetched {
		heard = heard || x.Dir == record.Out && x.Answered() && x.Status() != http.StatusTooManyRequests
	}
	if !heard || r.givenCardURL() != "" || len(f.dialect.Card.Paths) == 0 {
		return nil
	}
	for _, name := range schema.Names() {
		o, err := schema.Outline(name)
		if err != nil || o.Detect.Never {
			continue
		}
		for _, a := range slices.Concat(r.cardURLsBelowTarget(o), r.wellKnownCardURLs(o)) {
			if x := fetch(a); looksLikeCard(o, x) && card.Of(o, x.Reply().Root).IsOfDialect() {
				return othersOf(f.dialect, x.Reply().Root)
			}
		}
	}
	return nil
}

// othersOf returns the dialects that a card declares if it does not declare the given one.
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
