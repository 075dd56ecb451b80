package card

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// cardInterface is an interface on a card.
type cardInterface struct {
	card judge.Value
	card.Interface
}

// listInterfaceEntriesOfCards returns the interfaces on all cards, including those of other versions.
func listInterfaceEntriesOfCards(t *judge.T) (out []cardInterface) {
	for _, v := range t.Cards() {
		for _, i := range t.Case.ReadCard(v).Entries() {
			out = append(out, cardInterface{v, i})
		}
	}
	return out
}

// readMember returns the member of the interface at the pointer.
func (e cardInterface) readMember(t *judge.T, pointer string) judge.Value {
	at := t.Case.Dialect.Card.Interfaces
	return e.card.At(strings.TrimSuffix(e.URLAt(), at.URL) + pointer)
}

type entryURLParams struct {
	everyCard
	Authority  string `json:"authority"`  // a transport whose address may be host:port
	Production string `json:"production"` // the configured fact that makes TLS mandatory
}

func checkInterfaceURLsAbsolute(t *judge.T, p entryURLParams) {
	of := judge.Filter(listInterfaceEntriesOfCards(t), func(e cardInterface) bool { return e.readMember(t, t.Case.Dialect.Card.Interfaces.URL).IsString() })
	addUncallableAddressFindings(t)
	judge.Each(t, of, func(e cardInterface) {
		address := e.readMember(t, t.Case.Dialect.Card.Interfaces.URL)
		if e.Transport() == p.Authority && isHostWithOptionalPort(address.Text()) {
			t.OK(address)
			return
		}
		t.Expect(address).To(match.BeAbsoluteURL())
		switch u, _ := url.Parse(address.Text()); {
		case !strings.EqualFold(u.Scheme, "http"):
		case p.Production != "" && slices.Contains(t.Case.Transcript.Facts.Operator, p.Production):
			t.Fail(address, "sent "+address.Shown(), "https: your configuration says that this server is in production")
		case !observe.IsLoopbackURL(address.Text()):
			t.Finding(address, "an interface is reached without TLS: %s", address.Shown())
		}
	})
}

func isHostWithOptionalPort(address string) bool {
	u, err := url.Parse("//" + address)
	return err == nil && u.Host == address && u.Host != ""
}

type transportParams struct {
	everyCard
	Names []string `json:"names"` // of the transports that the protocol itself defines
}

// findStandardTransport returns the known transport that a name means, whatever its spelling; "" if
// it means none.
func (p transportParams) findStandardTransport(name string) string {
	if i := slices.IndexFunc(p.Names, func(known string) bool { return hasSameLettersAndDigits(name, known) }); i >= 0 {
		return p.Names[i]
	}
	return ""
}

func (p transportParams) listEntryTransportNames(t *judge.T) []judge.Value {
	all := judge.Map(listInterfaceEntriesOfCards(t), func(e cardInterface) judge.Value { return e.readMember(t, t.Case.Dialect.Card.Interfaces.Transport) })
	return judge.Filter(all, judge.Value.IsString)
}

func checkTransportSpelling(t *judge.T, p transportParams) {
	judge.Each(t, p.listEntryTransportNames(t), func(v judge.Value) {
		if known := p.findStandardTransport(v.Text()); known != "" {
			t.Expect(v).To(match.BeText(known))
			return
		}
		t.OK(v)
	})
}

func checkCustomTransportsAreURIs(t *judge.T, p transportParams) {
	own := slices.DeleteFunc(p.listEntryTransportNames(t), func(v judge.Value) bool { return p.findStandardTransport(v.Text()) != "" })
	judge.Each(t, own, func(v judge.Value) { t.Expect(v).To(observe.FormRule("absolute-uri")) })
}

type versionListParams struct {
	everyCard
	Like  string `json:"like"`
	Wants string `json:"wants"`
}

func checkMatchingVersionListed(t *judge.T, p versionListParams) {
	at := t.Case.Dialect.Card.Interfaces
	form := regexp.MustCompile(p.Like)
	judge.Each(t, t.Cards(), func(v judge.Value) {
		observe.StopUndecidedIf(t, len(t.Case.ReadCard(v).Entries()) == 0, "the card lists no interfaces")
		t.Expect(v.At(at.At)).To(match.Should("an interface of "+p.Wants, func(list judge.Value) bool {
			return slices.ContainsFunc(list.Elems(), func(e judge.Value) bool { return form.MatchString(e.At(at.Version).Text()) })
		}, nil))
	})
}
