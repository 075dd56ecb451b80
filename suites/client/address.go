package client

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// addressParams choose what of the addresses of calls is judged.
type addressParams struct {
	Plays []string `json:"plays"` // the scenarios; none for all
	// What is judged: declared, that a card has the address; binding, that the call is in the binding
	// that is declared there; order, that no earlier entry would have done; tenant and no-tenant, that the
	// call names the tenant of the entry; version, that it names a version of the entry; supported, that a
	// call by the words of the dialect goes to an entry of a version of the dialect; paths, that it goes to an address that a card
	// has, or to one of some paths.
	What   string   `json:"what"`
	Paths  []string `json:"paths"`  // patterns of path.Match, for paths
	Across bool     `json:"across"` // of the order: entries of other bindings that the client uses count too
	Header string   `json:"header"` // that names the version
	// Sends are those of the scenarios in which a message has to arrive, as in the plain one.
	Sends []string `json:"sends"`
}

// checkAddress judges to which addresses calls go, and whether they fit to what the card states there.
func checkAddress(t *judge.T, p addressParams) {
	starts := t.AllStarts()
	if len(p.Plays) > 0 {
		starts = t.Starts(p.Plays...)
	}
	seen := 0
	judge.EachOf(t, starts, func(s judge.Start) {
		cards := s.Cards()
		if len(cards) == 0 { // the client knew the address from elsewhere, or there was no card to use
			return
		}
		all := s.Requests(func(r judge.Request) bool { return r.IsCall() && t.Requirement.For(r.By.Kind()) })
		if slices.Contains(p.Sends, s.Play.Scenario) && len(messagesOf(t, s)) == 0 && s.Ended() {
			demandPlainSuccess(t, s)
			t.Fail(s.Last(), "sent no message", "a message, as in the plain scenario")
		}
		if p.What == "declared" || p.What == "paths" {
			all = append(all, s.Requests(func(r judge.Request) bool { return isStrayCall(t, r) })...)
		}
		if p.What == "order" && len(all) > 1 {
			all = all[:1] // later ones may go elsewhere after a failure
		}
		eachOf(t, all, func(r judge.Request) {
			if judgeAddress(t, p, r, cards) {
				seen++
			}
		})
	})
	if seen == 0 {
		t.StopVacuous("no call was seen that it is about")
	}
}

// judgeAddress judges one call by the cards that the client was given, and reports whether the sentence is about it.
func judgeAddress(t *judge.T, p addressParams, r judge.Request, cards []card.Card) bool {
	at := r.Head(report.StatusLine)
	called := shorten.Visible(shorten.Clip(r.Exchange.URL, 100), 100)
	entries := findEntries(r, cards)
	switch p.What {
	case "declared":
		if !r.IsCall() {
			t.Fail(at, "sent a call to "+called, "an address that the card declares for calls")
		}
	case "paths":
		if isRedirected(r) {
			return false
		}
		fits := func(pattern string) bool {
			is, err := path.Match(pattern, pathOf(r))
			return is && err == nil
		}
		ofCard := func(c card.Card) bool { return isSameAddress(c.AgentAddress(), r.Exchange.URL) }
		if (len(entries) == 0 || !r.IsCall()) && !slices.ContainsFunc(p.Paths, fits) && !slices.ContainsFunc(cards, ofCard) {
			t.Fail(at, "sent a call to "+called, "the address of the card, or one of the paths "+strings.Join(p.Paths, ", "))
		}
	case "binding":
		if other := otherBinding(t, r); other != "" {
			t.Fail(at, fmt.Sprintf("sent a call in %s to %s, which the card declares for %s", other, called, r.By.Name()), "a call in the binding of the address")
		}
	case "order":
		if earlier := findEarlierEntry(t, p, r, cards[len(cards)-1]); earlier != "" {
			t.Fail(at, "called "+called, "the first such entry of the card, "+shorten.Visible(shorten.Clip(earlier, 100), 100))
		}
	case "version":
		named := strings.TrimSpace(r.Header().Get(p.Header))
		if named == "" || len(entries) == 0 {
			return false
		}
		if !slices.ContainsFunc(entries, func(i card.Interface) bool { return majorMinor(i.Version()) == majorMinor(named) }) {
			t.Fail(r.Head(p.Header), "named the version "+shorten.Visible(shorten.Clip(named, 40), 40), "a version that the card declares for the address")
		}
	case "supported":
		if r.Op == "" || len(entries) == 0 {
			return false
		}
		if !slices.ContainsFunc(entries, func(i card.Interface) bool { return t.Case.Dialect.Detect.Fits(i.Version()) }) {
			declared := shorten.Visible(shorten.Clip(entries[0].Version(), 40), 40)
			t.Fail(at, fmt.Sprintf("called %s, which the card declares for version %s", called, declared), "an entry of the version of the call, or no call")
		}
	case "tenant", "no-tenant":
		return judgeTenant(t, p, r, entries)
	default:
		panic(fmt.Errorf("there is no sentence %q about addresses", p.What))
	}
	t.OK(at)
	return true
}

// isSameAddress reports whether two URLs have the same origin and the same path, but for a slash at its end.
func isSameAddress(a, b string) bool {
	one, err := url.Parse(a)
	other, fault := url.Parse(b)
	return err == nil && fault == nil && strings.EqualFold(one.Scheme, other.Scheme) && strings.EqualFold(one.Host, other.Host) &&
		strings.TrimRight(one.EscapedPath(), "/") == strings.TrimRight(other.EscapedPath(), "/")
}

// judgeTenant judges the tenant that a call names by the entries of the card with its address. It reports whether
// the sentence is about the call.
func judgeTenant(t *judge.T, p addressParams, r judge.Request, entries []card.Interface) bool {
	if len(entries) == 0 || r.Op == "" {
		return false
	}
	due := entries[0].Tenant()
	if slices.ContainsFunc(entries, func(i card.Interface) bool { return i.Tenant() != due }) || (due == "") != (p.What == "no-tenant") {
		return false
	}
	v := r.Params.At("/tenant")
	inPath := due != "" && strings.Contains(r.Exchange.URL+"/", "/"+url.PathEscape(due)+"/")
	switch {
	case v.Exists() && !v.IsNull() && v.Text() != due, v.Exists() && !v.IsString() && !v.IsNull():
		t.Fail(v, "sent "+describeValue(v), tenantDue(due))
	case due != "" && v.Text() != due && !inPath:
		t.Fail(v, v.Lacking(), tenantDue(due))
	}
	t.OK(r.Params)
	return true
}

func tenantDue(due string) string {
	if due == "" {
		return "no tenant, since the entry of the card has none"
	}
	return fmt.Sprintf("the tenant %q of the card's entry", shorten.Visible(shorten.Clip(due, 60), 60))
}

// findEntries returns the entries of the cards by which a call may have gone to its address.
func findEntries(r judge.Request, cards []card.Card) (out []card.Interface) {
	for _, c := range cards {
		for _, i := range append(c.Interfaces(), c.Entries()...) {
			if i.Transport() == r.By.Name() && i.Covers(r.Exchange.URL) {
				out = append(out, i)
			}
		}
	}
	return out
}

// findEarlierEntry returns the address of an entry before the one that was called that would have
// done as well; "" if there is none.
func findEarlierEntry(t *judge.T, p addressParams, r judge.Request, c card.Card) string {
	used := t.Case.Transcript.Facts.Calibration
	for _, i := range c.Interfaces() {
		switch {
		case i.URL() == "":
		case i.Transport() == r.By.Name() && i.Covers(r.Exchange.URL):
			return ""
		case i.Transport() == r.By.Name(), p.Across && used != nil && slices.Contains(used.Bindings, i.Transport()):
			return i.URL()
		}
	}
	return ""
}

// otherBinding returns the name of the binding in which a call is made if that is not the one of its address.
func otherBinding(t *judge.T, r judge.Request) string {
	if r.Op != "" {
		return ""
	}
	return bindingOf(t, r, r.By.Name())
}

// bindingOf returns the name of the binding, besides one, in which a request is a call of an operation; "" if there is none.
func bindingOf(t *judge.T, r judge.Request, but string) string {
	for _, name := range binding.Names(t.Case.Dialect) {
		if name == but {
			continue
		}
		for _, sent := range binding.ByNameOrDefault(t.Case.Dialect, name).Sent(r.Exchange).Each() {
			if sent.Op != "" {
				return name
			}
		}
	}
	return ""
}

// isStrayCall reports whether a request to an address that no card names is a call of the protocol all the same.
func isStrayCall(t *judge.T, r judge.Request) bool {
	return strings.HasPrefix(r.Name, "stray") && bindingOf(t, r, "") != ""
}

// majorMinor returns the first two numbers of a version.
func majorMinor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}
