package card

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

var entryChecks = []judge.Check{
	judge.Define("interface/urls", "the address of each interface on the card is absolute; one without TLS on another machine is a finding at least", entryURLs),
	judge.Define("interface/spelling", "a transport that has a name of its own bears it letter by letter", transportSpelt),
	judge.Define("interface/own-names", "a transport without a name of its own is named by a URI", transportURI),
	judge.Define("interface/version", "an interface on the card is of the version that is judged", versionListed),
}

// entry is an interface on a card.
type entry struct {
	card judge.Value
	card.Interface
}

// entries are the interfaces on all cards, those of other versions included.
func entries(t *judge.T) (out []entry) {
	for _, v := range t.Cards() {
		for _, i := range t.Case.ReadCard(v).Entries() {
			out = append(out, entry{v, i})
		}
	}
	return out
}

// member is one of the members of the interface.
func (e entry) member(t *judge.T, pointer string) judge.Value {
	at := t.Case.Dialect.Card.Interfaces
	return e.card.At(strings.TrimSuffix(e.URLAt(), at.URL) + pointer)
}

type entryURLParams struct {
	onCards
	Authority  string `json:"authority"`  // a transport whose address may be host:port
	Production string `json:"production"` // the word of the operator where TLS is due
}

func entryURLs(t *judge.T, p entryURLParams) {
	var of []entry
	for _, e := range entries(t) {
		if e.member(t, t.Case.Dialect.Card.Interfaces.URL).IsString() {
			of = append(of, e)
		}
	}
	noteAddresses(t)
	judge.Each(t, of, func(e entry) {
		address := e.member(t, t.Case.Dialect.Card.Interfaces.URL)
		if e.Transport() == p.Authority && hostAndPort(address.Text()) {
			t.OK(address)
			return
		}
		t.Expect(address).To(match.Should("an absolute URL", func(v judge.Value) bool {
			u, err := url.Parse(v.Text())
			return err == nil && u.Scheme != "" && u.Host != ""
		}, nil))
		switch u, _ := url.Parse(address.Text()); {
		case !strings.EqualFold(u.Scheme, "http"):
		case p.Production != "" && slices.Contains(t.Case.Transcript.Facts.Operator, p.Production):
			t.Fail(address, "sent "+address.Shown(), "https: your configuration says that this server is in production")
		case !observe.IsLoopbackURL(address.Text()):
			t.Finding(address, "an interface is reached without TLS: %s", address.Shown())
		}
	})
}

func hostAndPort(address string) bool {
	u, err := url.Parse("//" + address)
	return err == nil && u.Host == address && u.Host != ""
}

type transportParams struct {
	onCards
	Names []string `json:"names"` // of the transports that the protocol itself defines
}

// letters are what is left of a name where case and punctuation do not count.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// meant is the transport that a name stands for, however it is spelt.
func (p transportParams) meant(name string) string {
	for _, known := range p.Names {
		if letters(name) == letters(known) {
			return known
		}
	}
	return ""
}

func (p transportParams) names(t *judge.T) (out []judge.Value) {
	for _, e := range entries(t) {
		if v := e.member(t, t.Case.Dialect.Card.Interfaces.Transport); v.IsString() {
			out = append(out, v)
		}
	}
	return out
}

func transportSpelt(t *judge.T, p transportParams) {
	judge.Each(t, p.names(t), func(v judge.Value) {
		if known := p.meant(v.Text()); known != "" {
			t.Expect(v).To(match.BeText(known))
			return
		}
		t.OK(v)
	})
}

func transportURI(t *judge.T, p transportParams) {
	own := slices.DeleteFunc(p.names(t), func(v judge.Value) bool { return p.meant(v.Text()) != "" })
	judge.Each(t, own, func(v judge.Value) { t.Expect(v).To(observe.FormRule("absolute-uri")) })
}

type versionListParams struct {
	onCards
	Like  string `json:"like"`
	Wants string `json:"wants"`
}

func versionListed(t *judge.T, p versionListParams) {
	at := t.Case.Dialect.Card.Interfaces
	form := regexp.MustCompile(p.Like)
	judge.Each(t, t.Cards(), func(v judge.Value) {
		if len(t.Case.ReadCard(v).Entries()) == 0 {
			t.Undecided("the card lists no interfaces")
		}
		t.Expect(v.At(at.At)).To(match.Should("an interface of "+p.Wants, func(list judge.Value) bool {
			return slices.ContainsFunc(list.Elems(), func(e judge.Value) bool { return form.MatchString(e.At(at.Version).Text()) })
		}, nil))
	})
}
