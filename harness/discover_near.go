package harness

import (
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// A search is a list of addresses for each dialect, at one of which its card may be. The
// next search is made only if this one found nothing.
type search struct {
	places func(*schema.Dialect) []string
	// near says that no protocol names these addresses. A document there counts only if it
	// looks like a card, since such a path may answer anything.
	near bool
}

// searches are the places where a card is looked for, in their order: below the target,
// where clients that are given its URL look; at the target itself, which may be the card;
// and at the root of its host, where a card may be another agent's. At last come the folders
// between the two, for a target that is the endpoint of an agent behind a prefix. A target
// without a path is asked for after the places below it.
func (r *runner) searches() []search {
	if r.named() != "" {
		return []search{{places: r.places}}
	}
	site := siteOf(r.target.URL)
	if site.Path == "" {
		return []search{{places: r.places}, {r.itself, true}}
	}
	out := []search{{r.nearPlaces, true}, {r.itself, true}, {places: r.places}}
	for _, folder := range foldersOf(site) {
		out = append(out, search{func(d *schema.Dialect) []string { return below(folder, d) }, true})
	}
	return out
}

// nearPlaces are the addresses of a dialect's cards below the target.
func (r *runner) nearPlaces(d *schema.Dialect) []string { return below(siteOf(r.target.URL), d) }

// itself is the target's own address, for the dialects that have cards.
func (r *runner) itself(d *schema.Dialect) []string {
	if len(d.Card.Paths) == 0 {
		return nil
	}
	u := *parse(r.target.URL)
	u.Fragment = ""
	return []string{u.String()}
}

// below are the addresses of a dialect's cards below another address.
func below(at *url.URL, d *schema.Dialect) (out []string) {
	for _, p := range d.Card.Paths {
		u := *at
		u.Path, u.RawPath = strings.TrimSuffix(at.Path, "/")+p, ""
		out = append(out, u.String())
	}
	return out
}

// siteOf is a target without its query and the slash at its end. If the target is the
// address of a card at a well-known place, it is the address below which that place is.
func siteOf(target string) *url.URL {
	u := *parse(target)
	u.RawQuery, u.Fragment, u.ForceQuery = "", "", false
	if i := strings.LastIndex(u.Path, "/.well-known/"); i >= 0 {
		u.Path = u.Path[:i]
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	return &u
}

// foldersOf are the folders between an address and its host's root, the nearest first.
func foldersOf(site *url.URL) (out []*url.URL) {
	const most = 3
	path := site.Path
	for len(out) < most {
		i := strings.LastIndexByte(path, '/')
		if i <= 0 {
			break
		}
		path = path[:i]
		u := *site
		u.Path, u.RawPath = path, ""
		out = append(out, &u)
	}
	return out
}

// isCardPlace reports whether an address is one where a dialect, or the operator, has a card.
func (r *runner) isCardPlace(address string, candidates []*schema.Dialect) bool {
	site := siteOf(r.target.URL)
	folders := append([]*url.URL{site}, foldersOf(site)...)
	return slices.ContainsFunc(candidates, func(d *schema.Dialect) bool {
		return slices.Contains(r.places(d), address) ||
			slices.ContainsFunc(folders, func(f *url.URL) bool { return slices.Contains(below(f, d), address) })
	})
}

// looksLikeCard reports whether a document has what a card has: it fits the dialect, or
// names an agent and says something of what it does or where it is.
func looksLikeCard(d *schema.Dialect, x *record.Exchange) bool {
	if !isCard(x) {
		return false
	}
	root := x.Reply().Root
	if card.Of(d, root).IsOfDialect() {
		return true
	}
	name := root.Member("name")
	return name != nil && name.Kind == record.String && slices.ContainsFunc(
		[]string{"url", "skills", "capabilities", "protocolVersion", "supportedInterfaces"},
		func(member string) bool { return root.Member(member) != nil })
}
