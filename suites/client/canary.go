package client

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// remedyForCredentials is what an operator adds so that clients are given credentials.
const remedyForCredentials = "--with credentials"

// listFittingCanaries returns the kinds of credentials that are right for a scheme.
func listFittingCanaries(s card.Scheme) []string {
	switch s.Kind() {
	case "basic":
		return []string{record.BasicCanary}
	case "apikey":
		return []string{record.KeyCanary}
	case "bearer", "openidconnect":
		return []string{record.BearerCanary}
	case "oauth2":
		return []string{record.TokenCanary, record.BearerCanary}
	}
	return nil
}

// isGranted reports whether the client was given what it needs for a scheme.
func isGranted(s judge.Start, scheme card.Scheme) bool {
	return slices.ContainsFunc(listFittingCanaries(scheme), func(kind string) bool {
		return slices.Contains(s.Run.Granted, kind) || kind == record.TokenCanary && slices.Contains(s.Run.Granted, record.ClientSecretCanary)
	})
}

// showsCredential reports whether a request has the credential of its start in the place of a scheme.
func showsCredential(r judge.Request, scheme card.Scheme) bool {
	in, name := scheme.Place()
	return slices.ContainsFunc(r.Exchange.Canaries, func(s record.Sighting) bool {
		if !s.Whole || s.Of != r.Play.Client.Start || s.In != in || !slices.Contains(listFittingCanaries(scheme), s.Kind) {
			return false
		}
		if in != card.InHeader {
			return s.Name == name
		}
		if !strings.EqualFold(s.Name, name) {
			return false
		}
		word, _, _ := strings.Cut(strings.TrimSpace(r.Header().Get(name)), " ")
		switch scheme.Kind() {
		case "apikey":
			return true
		case "oauth2", "openidconnect":
			return strings.EqualFold(word, "Bearer")
		}
		return strings.EqualFold(word, scheme.Word())
	})
}

// listDueAlternatives returns the alternatives of the card of a start for which the client was given all credentials.
func listDueAlternatives(t *judge.T, s judge.Start) (due [][]card.Scheme) {
	cards := s.Cards()
	switch {
	case len(s.Run.Granted) == 0:
		t.StopInconclusive(remedyForCredentials, "the client was given no credential in the scenario '%s'", s.Play.Scenario)
	case len(cards) == 0:
		t.StopUndecided("the client got no card in the scenario '%s'", s.Play.Scenario)
	}
	for _, a := range cards[0].Alternatives() {
		schemes := a.Schemes()
		if !slices.ContainsFunc(schemes, func(one card.Scheme) bool { return !isGranted(s, one) }) {
			due = append(due, schemes)
		}
	}
	if len(due) == 0 {
		t.StopUndecided("the card in the scenario '%s' demands nothing that the client was given", s.Play.Scenario)
	}
	return due
}

// lacksCredentials reports whether a request has the credentials of none of some alternatives.
func lacksCredentials(r judge.Request, due [][]card.Scheme) bool {
	return !slices.ContainsFunc(due, func(together []card.Scheme) bool {
		return !slices.ContainsFunc(together, func(one card.Scheme) bool { return !showsCredential(r, one) })
	})
}

// describeAlternatives returns in words what calls have to show.
func describeAlternatives(due [][]card.Scheme) string {
	var all []string
	for _, together := range due {
		var places []string
		for _, one := range together {
			in, name := one.Place()
			places = append(places, fmt.Sprintf("a credential in the %s %s (%s)", in, shorten.Visible(shorten.Clip(name, 40), 40), shorten.Visible(shorten.Clip(one.Kind(), 20), 20)))
		}
		all = append(all, strings.Join(places, " and "))
	}
	return strings.Join(all, ", or ")
}

// isCredentialUsed reports whether a kind of credentials was in a request of the whole run, in whatever place: the client
// takes it then.
func isCredentialUsed(t *judge.T, kind string) bool {
	return slices.ContainsFunc(t.Requests(func(judge.Request) bool { return true }), func(r judge.Request) bool {
		return slices.ContainsFunc(r.Exchange.Canaries, func(s record.Sighting) bool { return s.Kind == kind })
	})
}

// credentialWays are how a client gets its credentials.
var credentialWays = map[string]string{record.BearerCanary: "{bearer}, A2A_CONFORM_BEARER", record.BasicCanary: "{basic}, A2A_CONFORM_BASIC", record.KeyCanary: "{key}, A2A_CONFORM_API_KEY",
	record.ClientIDCanary: "{client-id}, A2A_CONFORM_CLIENT_ID", record.ClientSecretCanary: "{client-secret}, A2A_CONFORM_CLIENT_SECRET"}

// demandUseOfCredentials leaves a start undecided if the client used one of its credentials nowhere: it may take none.
func demandUseOfCredentials(t *judge.T, s judge.Start) {
	for _, kind := range s.Run.Granted {
		if kind != record.ClientIDCanary && !isCredentialUsed(t, kind) {
			t.StopInconclusive("", "the client showed the credential %s in no request of this run: it may not take it (%s and `credentials` in A2A_CONFORM_CONTEXT have it)", kind, credentialWays[kind])
		}
	}
}

// demandParams name scenarios whose card demands credentials that the client was given.
type demandParams struct {
	Plays   []string `json:"plays"`
	Control string   `json:"control"` // the plain scenario in which the client has to have shown one
	// Any has it be enough that the client shows a credential in one of the scenarios.
	Any bool `json:"any"`
}

// checkDemandedCredentials judges whether calls have the credentials that the card demands, each in its place.
func checkDemandedCredentials(t *judge.T, p demandParams) {
	if p.Any {
		checkSomeCredential(t, p.Plays)
		return
	}
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		due := listDueAlternatives(t, s)
		calls := s.Calls()
		without := judge.Filter(calls, func(r judge.Request) bool { return lacksCredentials(r, due) })
		switch {
		case len(calls) == 0 && !s.Ended():
			stopBeforeEnd(t, s)
		case len(calls) == 0:
			demandUseOfCredentials(t, s)
			t.Tolerate(s.Last(), "in the scenario '%s' the client made no call: it may not support what its card demands", s.Play.Scenario)
			return
		case len(without) == 0:
			t.OK(calls[0].Call)
			return
		}
		demandControl(t, p.Control)
		demandUseOfCredentials(t, s)
		if len(without) == 1 && len(calls) > 1 && without[0].Exchange == calls[0].Exchange {
			t.Tolerate(calls[0].Head(report.StatusLine), "the client made its first call without a credential, and the next ones with it")
			return
		}
		t.Fail(without[0].Head(report.StatusLine), "called "+without[0].By.Title(without[0].Op)+" without the credential that the card demands", describeAlternatives(due))
	})
}

// demandControl leaves a requirement undecided unless the client showed what the card demands in a plain scenario.
func demandControl(t *judge.T, scenario string) {
	if scenario == "" {
		return
	}
	for _, s := range t.Starts(scenario) {
		due := listDueAlternatives(t, s)
		if slices.ContainsFunc(s.Calls(), func(r judge.Request) bool { return !lacksCredentials(r, due) }) {
			return
		}
	}
	t.StopUndecided("the client showed no credential in the plain scenario '%s' either", scenario)
}

// checkSomeCredential judges whether the client showed, in one of several scenarios, the credentials that the card demands.
func checkSomeCredential(t *judge.T, plays []string) {
	var last judge.Start
	for _, name := range plays {
		for _, s := range t.Starts(name) { // all of them have to be part of the run
			due := listDueAlternatives(t, s)
			last = s
			for _, r := range s.Calls() {
				if !lacksCredentials(r, due) {
					t.OK(r.Call)
					return
				}
			}
			if !s.Ended() {
				stopBeforeEnd(t, s)
			}
		}
	}
	t.Fail(last.Last(), "showed in none of the scenarios "+strings.Join(plays, ", ")+" the credential that the card demands and that it was given", "a credential of one scheme at least")
}

// carryParams choose what credentials must be kept from.
type carryParams struct {
	// To is what is judged: text, that credentials are in no text of a call and in no path; origin, that none get to another origin
	// than those of the interfaces; elsewhere, that none are in requests that are no calls.
	To    string   `json:"to"`
	Plays []string `json:"plays"` // the scenarios; none for all
}

// checkCarriedCredentials judges whether credentials are in their places alone.
func checkCarriedCredentials(t *judge.T, p carryParams) {
	plays := p.Plays
	if len(plays) == 0 {
		plays = []string{"*"}
	}
	shown := 0
	granted := false
	judge.EachOf(t, t.Starts(plays...), func(s judge.Start) {
		granted = granted || len(s.Run.Granted) > 0
		eachOf(t, s.Requests(func(r judge.Request) bool { return len(r.Exchange.Canaries) > 0 }), func(r judge.Request) {
			for _, c := range r.Exchange.Canaries {
				at, got := p.findFault(t, s, r, c)
				if got == "" {
					continue
				}
				t.Fail(at, got, p.describeDue())
			}
			if r.IsCall() && !isRedirected(r) && (p.To != "origin" || r.Exchange.Status()/100 == 3) {
				shown++
				t.OK(r.Call)
			}
		})
	})
	switch {
	case !granted:
		t.StopInconclusive(remedyForCredentials, "the client was given no credential")
	case shown == 0 && p.To == "origin":
		t.StopUndecided("no call of the client with one of its credentials was redirected")
	case shown == 0:
		t.StopUndecided("the client showed none of the credentials that it was given")
	}
}

// isRedirected reports whether a request is what a redirect made of a call.
func isRedirected(r judge.Request) bool { return strings.HasPrefix(r.Name, "redirected") }

// asksForToken reports whether a request is one for a token, in which the client shows its id and its secret.
func asksForToken(r judge.Request) bool { return strings.HasPrefix(r.Name, "token") }

// findFault returns what is wrong with a credential that is in a request, and its place; "" if nothing is.
func (p carryParams) findFault(t *judge.T, s judge.Start, r judge.Request, c record.Sighting) (at judge.Value, got string) {
	what := fmt.Sprintf("sent its credential (%s) ", c.Kind)
	switch p.To {
	case "text":
		switch {
		case asksForToken(r), c.Kind == record.ClientIDCanary: // which is no secret
		case c.In == record.InBody && (r.IsCall() || isRedirected(r)):
			return findSecretText(r, c), what + "in the text of a request"
		case c.In == record.InPath:
			return r.Head(report.StatusLine), what + "in the path of a request"
		}
	case "origin":
		if isRedirected(r) {
			return r.Head(report.StatusLine), what + "to " + describeOrigin(r.Exchange.URL) + ", to which it was redirected"
		}
	case "elsewhere":
		if !r.IsCall() && !isRedirected(r) && c.Kind != record.ClientIDCanary && c.Kind != record.ClientSecretCanary { // those are for a token endpoint
			return r.Head(report.StatusLine), what + "with a request that is no call"
		}
	default:
		panic(fmt.Errorf("there is no sentence %q about credentials", p.To))
	}
	return at, ""
}

// describeDue returns in words what the place of credentials is.
func (p carryParams) describeDue() string {
	switch p.To {
	case "text":
		return "credentials in the place of their scheme alone"
	case "origin":
		return "no credential for another origin"
	}
	return "credentials with calls alone"
}

// findSecretText returns the text of a request that has a credential.
func findSecretText(r judge.Request, c record.Sighting) judge.Value {
	mark := record.SecretMark + c.Of + "." + c.Kind
	for _, v := range r.Body.Strings() {
		if strings.Contains(v.Text(), mark) {
			return v
		}
	}
	return r.Body
}

// describeOrigin returns the origin of an address for people.
func describeOrigin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "another address"
	}
	return shorten.Visible(shorten.Clip(u.Scheme+"://"+u.Host, 80), 80)
}

// checkPrintedCredentials judges whether the program of the client prints the credentials that it was given.
func checkPrintedCredentials(t *judge.T, p struct {
	Plays []string `json:"plays"`
}) {
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		if len(s.Run.Granted) == 0 {
			t.StopInconclusive(remedyForCredentials, "the client was given no credential in the scenario '%s'", s.Play.Scenario)
		}
		demandUseOfCredentials(t, s)
		if len(s.Run.Leaked) > 0 {
			t.Fail(s.Last(), "printed its credential "+strings.TrimPrefix(s.Run.Leaked[0], s.Run.Start+"."), "no credential in what it prints")
		}
		t.OK(s.Last())
	})
}

// checkTokenRequest judges whether the client gets its token from the endpoint on the card, and shows it.
func checkTokenRequest(t *judge.T, p struct {
	Plays []string `json:"plays"`
}) {
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		due := listDueAlternatives(t, s)
		asked := s.Requests(asksForToken)
		given := slices.ContainsFunc(asked, func(r judge.Request) bool { return r.Exchange.Status() == 200 })
		for _, r := range s.Requests(func(r judge.Request) bool { return !asksForToken(r) }) {
			if i := slices.IndexFunc(r.Exchange.Canaries, func(c record.Sighting) bool { return c.Kind == record.ClientSecretCanary }); i >= 0 && len(asked) == 0 {
				t.Fail(r.Head(report.StatusLine), "showed its secret at "+describeOrigin(r.Exchange.URL)+" in a request that is none for the token endpoint of the card", "a request for a token at the `tokenUrl` of the card")
			}
		}
		calls := s.Calls()
		without := judge.Filter(calls, func(r judge.Request) bool { return lacksCredentials(r, due) })
		switch {
		case len(asked) == 0:
			t.StopInconclusive("", "the client asked no token endpoint in the scenario '%s': it may not have this flow (%s and %s give it what it needs)", s.Play.Scenario, credentialWays[record.ClientIDCanary], credentialWays[record.ClientSecretCanary])
		case !given:
			t.StopUndecided("the token endpoint refused the request of the client in the scenario '%s'", s.Play.Scenario)
		case len(calls) == 0:
			t.StopUndecided("the client made no call in the scenario '%s'", s.Play.Scenario)
		case len(without) == 0 || len(without) < len(calls) && without[len(without)-1].Exchange.Start < asked[0].Exchange.Start:
			t.OK(asked[0].Call) // it may have called before it asked for a token
			return
		}
		t.Fail(without[0].Head(report.StatusLine), "called "+without[0].By.Title(without[0].Op)+" without the token that it had got", describeAlternatives(due))
	})
}

// checkRequiredExtension judges whether each call activates the extension that the card requires and the client was to know.
func checkRequiredExtension(t *judge.T, p struct {
	Plays  []string `json:"plays"`
	Header string   `json:"header"`
}) {
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		cards := s.Cards()
		if len(cards) == 0 {
			t.StopUndecided("the client got no card in the scenario '%s'", s.Play.Scenario)
		}
		_, required := cards[0].Requestable()
		lacks := func(r judge.Request) string {
			var active []string
			for element := range strings.SplitSeq(strings.Join(r.Header().Values(p.Header), ","), ",") {
				active = append(active, strings.TrimSpace(element))
			}
			i := slices.IndexFunc(required, func(uri string) bool { return !slices.Contains(active, uri) })
			if i < 0 {
				return ""
			}
			return required[i]
		}
		calls := s.Calls()
		switch {
		case len(required) == 0:
			t.StopUndecided("the card in the scenario '%s' requires no extension", s.Play.Scenario)
		case len(calls) == 0:
			t.StopUndecided("the client made no call in the scenario '%s'", s.Play.Scenario)
		case !slices.ContainsFunc(calls, func(r judge.Request) bool { return lacks(r) == "" }):
			t.StopInconclusive("", "the client activated the extension in no call: it may not know it ({extensions}, A2A_CONFORM_EXTENSIONS and `extensions` in A2A_CONFORM_CONTEXT have its URI)")
		}
		judge.Each(t, calls, func(r judge.Request) {
			if uri := lacks(r); uri != "" {
				t.Fail(r.Head(p.Header), "called "+r.By.Title(r.Op)+" without the extension that the card requires", shorten.Visible(shorten.Clip(uri, 120), 120)+" in "+p.Header)
			}
			t.OK(r.Head(p.Header))
		})
	})
}
