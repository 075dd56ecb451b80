package harness

import (
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// search is a list of URLs for each dialect, one of which may hold its card. The next search is
// made only if this one found nothing.
type search struct {
	places func(*schema.Dialect) []string
	// near means that no protocol defines these URLs. A document there counts only if it looks
	// like a card, since such a path may return anything.
	near bool
}

// searches returns the URLs at which a card is looked for, in their order:
// - below the target, as clients look that are given its URL;
// - at the target itself, which may be the card;
// - at the root of its host, which may hold another agent's card;
// - in the folders between the two, for a target that is an endpoint behind a prefix.
// A target without a path is requested after the URLs below it.
func (r *runner) searches() []search {
	if r.givenCardURL() != "" {
		return []search{{places: r.givenAndWellKnownCardURLs}}
	}
	site := siteOf(r.target.URL)
	if site.Path == "" {
		return []search{{places: r.givenAndWellKnownCardURLs}, {r.targetURLIfCardsDefined, true}}
	}
	out := []search{{r.cardURLsBelowTarget, true}, {r.targetURLIfCardsDefined, true}, {places: r.givenAndWellKnownCardURLs}}
	for _, folder := range foldersOf(site) {
		out = append(out, search{func(d *schema.Dialect) []string { return joinCardPathsToURL(folder, d) }, true})
	}
	return out
}

// cardURLsBelowTarget returns the URLs of a dialect's cards below the target.
func (r *runner) cardURLsBelowTarget(d *schema.Dialect) []string {
	return joinCardPathsToURL(siteOf(r.target.URL), d)
}

// targetURLIfCardsDefined returns the target's own URL if the dialect has cards.
func (r *runner) targetURLIfCardsDefined(d *schema.Dialect) []string {
	if len(d.Card.Paths) == 0 {
		return nil
	}
	u := *parseURLOrEmpty(r.target.URL)
	u.Fragment = ""
	return []string{u.String()}
}

// joinCardPathsToURL returns the URLs of a dialect's cards below another URL.
func joinCardPathsToURL(at *url.URL, d *schema.Dialect) (out []string) {
	for _, p := range d.Card.Paths {
		u := *at
		u.Path, u.RawPath = strings.TrimSuffix(at.Path, "/")+p, ""
		out = append(out, u.String())
	}
	return out
}

// siteOf returns a target without its query and the slash at its end. If the target is the
// well-known URL of a card, it returns the URL in front of the well-known path.
func siteOf(target string) *url.URL {
	u := *parseURLOrEmpty(target)
	u.RawQuery, u.Fragment, u.ForceQuery = "", "", false
	if i := strings.LastIndex(u.Path, "/.well-known/"); i >= 0 {
		u.Path = u.Path[:i]
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	return &u
}

// foldersOf returns the folders between a URL and the root of its host, the nearest first.
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

// isCardPlace reports whether a URL is one at which a dialect or the operator has a card.
func (r *runner) isCardPlace(address string, candidates []*schema.Dialect) bool {
	site := siteOf(r.target.URL)
	folders := append([]*url.URL{site}, foldersOf(site)...)
	return slices.ContainsFunc(candidates, func(d *schema.Dialect) bool {
		return slices.Contains(r.givenAndWellKnownCardURLs(d), address) ||
			slices.ContainsFunc(folders, func(f *url.URL) bool { return slices.Contains(joinCardPathsToURL(f, d), address) })
	})
}

// looksLikeCard reports whether a document looks like a card: it declares the dialect, or it has
// the name of an agent and one more member of a card.
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
