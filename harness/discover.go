package harness

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// aboutDiscovery is what the play of a discovery does, in words.
const aboutDiscovery = "finds the protocols of the server and their addresses"

// discovery is what is known of the server after its discovery.
type discovery struct {
	dialect   *schema.Dialect
	card      *record.Node
	rpc       string
	plays     []record.Play
	offers    []string      // other dialects that its cards declare
	tried     []string      // requests and their outcomes, for readers of the report
	subjects  []agentTarget // the agents that the operator chose; none for the server's own
	list      bool          // an empty list was seen, which may be that of a directory
	emptyList string        // describes the empty list, as the end of another sentence
	paths     bool          // calls go to paths that are names of methods
	timeouts  int           // requests without a response so far; -1 once there was a response

	instead              []string          // the dialects that the card declares in place of the one that the operator named
	lead                 string            // a hint at the right address or protocol
	speaksPlaintextHTTP2 bool              // the server answers HTTP/2 without TLS
	withheld             []record.Withheld // interfaces on cards that are not called

	publishedCardURL string // the URL of the card; "" if there is none
	cardBelowTarget  string // the URL of the card if no protocol defines it: below the target, or the target itself
}

// countTimeout counts requests that timed out. After two of them without any response, no more
// are sent.
func (f *discovery) countTimeout(x *record.Exchange) {
	switch {
	case x.Answered():
		f.timeouts = -1
	case x.Ended == record.Timeout && f.timeouts >= 0:
		f.timeouts++
	}
}

func (f *discovery) hasTimedOutTwice() bool { return f.timeouts >= 2 }

// discoverServer requests cards until it knows the dialect of the server. It sends nothing that
// could reach an agent.
func (r *runner) discoverServer(ctx context.Context) (*discovery, error) {
	f := &discovery{}
	candidates, err := r.givenOrDetectableDialects()
	if err != nil {
		return nil, err
	}
	fetched := map[string]*record.Exchange{}
	fetch := func(address string) *record.Exchange {
		if x := fetched[address]; x != nil {
			return x
		}
		h := r.cardHeader(address, candidates)
		x := r.announceAndSendCall(ctx, client.Call{Method: http.MethodGet, URL: address, Header: h, Timeout: r.cardTimeout()}, nil)
		f.countTimeout(x)
		f.tried = append(f.tried, fmt.Sprintf("GET %s: %s", address, describeOutcome(x)))
		r.builder.addDiscoveryStep(address, x, f)
		if wait := client.RetryAfter(x.Response.Header(), time.Now()); x.Status() == http.StatusTooManyRequests && wait > 0 && wait <= maxRetryAfter {
			fetched[address+" (refused because of the rate limit)"] = x
			r.client.Pace().Refused(wait)
			x = r.announceAndSendCall(ctx, client.Call{Method: http.MethodGet, URL: address, Header: h, Timeout: r.cardTimeout()}, nil)
			f.tried = append(f.tried, fmt.Sprintf("GET %s, %.0f s later: %s", address, wait.Seconds(), describeOutcome(x)))
		}
		fetched[address] = x
		return x
	}
	if r.cardFromFile != nil {
		fetched[r.cardFromFile.URL] = r.cardFromFile
		f.tried = append(f.tried, "the card was read from "+r.cardFromFile.URL)
	}
	var cards []cardMatch
	recognise := func(s search) {
		for _, d := range candidates {
			for _, a := range s.places(d) {
				if f.hasTimedOutTwice() && (len(candidates) > 1 || s.near) && fetched[a] == nil {
					break
				}
				x := fetch(a)
				meant := r.givenCardURL() == "" || a == r.givenCardURL() // A card that the operator names is the only one that counts.
				if !isCard(x) || !meant || len(candidates) > 1 && !card.Of(d, x.Reply().Root).IsOfDialect() || s.near && !looksLikeCard(d, x) {
					continue
				}
				cards = append(cards, cardMatch{d, x, a})
				if s.near && f.cardBelowTarget == "" {
					f.cardBelowTarget = a
				}
			}
		}
	}
	if r.respellWellKnownCardURL(candidates) { // The requests and their order are the same as without --card.
		recognise(search{places: r.wellKnownCardURLs})
	}
	for _, s := range r.searches() {
		if len(cards) == 0 {
			recognise(s)
		}
	}
	if len(cards) > 0 {
		chosen, err := chooseCardAndDialect(cards, r.target.Prefer)
		if err != nil {
			return nil, err
		}
		f.dialect, f.card, f.offers = chosen.dialect, chosen.card.Reply().Root, chosen.dialectsOfOtherCards(cards)
		if f.cardBelowTarget != "" {
			f.cardBelowTarget = chosen.address
		}
	}
	if f.dialect == nil && len(candidates) == 1 {
		f.dialect = candidates[0]
	}
	if f.dialect == nil {
		r.findDirectory(candidates, f, fetched, fetch)
	}
	if f.dialect == nil {
		return r.probeUnrecognisedServer(ctx, f, fetched)
	}
	if f.dialect, err = r.loadDialect(f.dialect.Name); err != nil {
		return nil, err
	}
	asked, kept := r.cardPlay(f, fetched, fetch)
	f.instead = r.findOfferedDialects(f, fetched, fetch)
	var others []record.Step
	for _, a := range slices.Sorted(maps.Keys(fetched)) {
		if !slices.Contains(kept, a) {
			others = append(others, record.Step{Name: a, Role: record.Probe, Op: "document", Exchange: fetched[a]})
		}
	}
	if len(asked.Steps) > 0 || len(f.dialect.Card.Paths) > 0 {
		f.plays = append(f.plays, asked)
	}
	if len(others) > 0 {
		f.plays = append(f.plays, record.Play{Scenario: "discovery", About: aboutDiscovery, Attempt: 1, Steps: others})
	}
	r.lookUpHosts(ctx, card.Of(f.dialect, f.card))
	if err := r.settleInterfaces(ctx, f.dialect, card.Of(f.dialect, f.card)); err != nil {
		return nil, err
	}
	if f.rpc, err = r.chooseRPC(ctx, f); err != nil {
		return nil, err
	}
	if f.card == nil {
		r.setLead(ctx, f, fetched)
	}
	r.detectWhetherMethodsHavePaths(ctx, f)
	return f, r.fetchChosenAgents(ctx, f)
}

// cardHeader returns the header of a request for a card. It includes the version headers of the
// dialects, because a server of several versions may have a card for each.
func (r *runner) cardHeader(address string, candidates []*schema.Dialect) http.Header {
	h := r.target.header()
	if !sameOrigin(parseURLOrEmpty(address), parseURLOrEmpty(r.target.URL)) {
		h = http.Header{} // Credentials are never sent to another origin.
	}
	h.Set("Accept", "application/json")
	for _, d := range candidates {
		if slices.Contains(r.givenAndWellKnownCardURLs(d), address) || slices.Contains(r.cardURLsBelowTarget(d), address) || slices.Contains(r.targetURLIfCardsDefined(d), address) {
			binding.SetHeaders(h, d.Headers)
		}
	}
	return h
}

// givenOrDetectableDialects returns the dialects that the server may have. If there are several, they are
// outlines.
func (r *runner) givenOrDetectableDialects() ([]*schema.Dialect, error) {
	if n := r.target.Dialect; n != "" && n != "auto" {
		d, err := r.loadDialect(n)
		if err != nil {
			return nil, usageErrorf("--dialect: %v", err)
		}
		return []*schema.Dialect{d}, nil
	}
	return detectableDialects()
}

// detectableDialects returns the outlines of the dialects that a card can declare, in the order in which
// they are tried.
func detectableDialects() ([]*schema.Dialect, error) {
	var out []*schema.Dialect
	for _, n := range schema.Names() {
		d, err := schema.Outline(n)
		if err != nil {
			return nil, err
		}
		if !d.Detect.Never {
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b *schema.Dialect) int { return detectionOrder(a) - detectionOrder(b) })
	return out, nil
}

// detectionOrder sorts dialects for detection: first those whose cards would also match others,
// then those that supersede an older version.
func detectionOrder(d *schema.Dialect) int {
	switch {
	case d.Detect.Narrow:
		return 0
	case len(d.Detect.Supersedes) > 0:
		return 1
	}
	return 2
}

// documentRoot returns the URL to which the paths of documents are added. If the target is the
// RPC endpoint, the documents are in the folder that contains it.
func documentRoot(target string, d *schema.Dialect) string {
	u := siteOf(target)
	u.Path = strings.TrimSuffix(u.Path, d.RPCPath)
	return strings.TrimSuffix(u.String(), "/")
}

// isCard reports whether a response holds a card or may hold one. The operator's card file always
// counts.
func isCard(x *record.Exchange) bool {
	if !x.Obtained() {
		return false
	}
	root := x.Reply().Root
	return card.Of(nil, root).MayBe() || x.Dir == record.Given && root != nil && root.Kind == record.Object
}

// probeUnrecognisedServer ends the discovery of a server whose dialect no card declares. If there is
// a card, or something answers JSON-RPC, the operator has to name the dialect. Otherwise there is
// no A2A server, and the run ends with the list of requests.
func (r *runner) probeUnrecognisedServer(ctx context.Context, f *discovery, fetched map[string]*record.Exchange) (*discovery, error) {
	if x := r.findOrFetchUnknownCard(ctx, f, fetched); x != nil {
		place := sanitizeAndShorten(x.URL)
		if x.Dir == record.Given {
			place = r.target.cardFile()
		}
		return nil, usageErrorf("%s holds an agent card %s; this program supports %s. If one of them fits, give --dialect NAME --card %[1]s",
			place, describeVersion(x.Reply().Root), strings.Join(schema.Names(), ", "))
	}
	play, ids := record.Play{Scenario: "discovery", About: aboutDiscovery, Attempt: 1}, r.target.IDs.IDs("discovery")
	candidates, _ := r.givenOrDetectableDialects()
	answers, broken := f.list, false
	for _, a := range slices.Sorted(maps.Keys(fetched)) {
		s := record.Step{Name: a, Role: record.Probe, Op: "document", Exchange: fetched[a]}
		if r.isCardPlace(a, candidates) {
			s.Op = "card"
			answers = answers || isCard(s.Exchange)
			broken = broken || s.Exchange.Obtained() && s.Exchange.BrokenJSON() != ""
		}
		play.Steps = append(play.Steps, s)
	}
	r.setLead(ctx, f, fetched)
	asked := map[string]bool{}
	for _, d := range candidates {
		address, err := r.chooseRPC(ctx, &discovery{dialect: d})
		if err != nil || asked[address] || f.hasTimedOutTwice() {
			continue
		}
		asked[address] = true
		by := binding.ByNameOrDefault(d, "")
		call, err := by.Encode(address, binding.Request{Op: "unknown/method", ID: ids.New(), Params: map[string]any{}})
		if err != nil {
			continue
		}
		call.Header.Del("Accept")
		maps.Copy(call.Header, r.target.header())
		call.Timeout = r.cardTimeout()
		x := r.announceAndSendCall(ctx, call, nil)
		f.tried = append(f.tried, fmt.Sprintf("POST %s (an unknown method): %s", address, f.unifyOutcomesFromHTTP2Port(describeOutcome(x))))
		play.Steps = append(play.Steps, record.Step{Name: "rpc " + address, Role: record.Probe, Op: "rpc", Exchange: x})
		r.builder.addDiscoveryStep("rpc "+address, x, f)
		if by.Decode("", x).Marked {
			answers = true
		}
	}
	f.plays = append(f.plays, play)
	if x := r.findCardRefusedWith401(candidates, fetched); x != nil {
		r.needsCredentials = true
		return nil, usageErrorf("%s needs credentials (HTTP %d), so a2a-conform cannot detect the server's protocol; give credentials: %s",
			sanitizeAndShorten(x.URL), x.Status(), credentialFlags)
	}
	if answers && !broken {
		return nil, usageErrorf("a2a-conform cannot detect the server's protocol; give --dialect NAME (%s)%s",
			strings.Join(schema.Names(), ", "), f.emptyList)
	}
	return f, nil
}

// parseURLOrEmpty parses a URL that target.check has accepted.
func parseURLOrEmpty(address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil {
		return &url.URL{}
	}
	return u
}

// sameOrigin reports whether two URLs have one origin, so that both may get the same credentials.
func sameOrigin(u, v *url.URL) bool {
	return u.Scheme == v.Scheme && sameHost(u, v) && card.PortOf(u) == card.PortOf(v)
}

// sameHost reports whether two URLs name one host. localhost, 127.0.0.1 and ::1 are one host;
// other addresses of this machine (127.0.0.2, 0.0.0.0) may belong to another server.
func sameHost(u, v *url.URL) bool { return canonicalHost(u.Hostname()) == canonicalHost(v.Hostname()) }

// canonicalHost returns the one spelling of a host that is used for comparison.
func canonicalHost(host string) string {
	host = strings.ToLower(host)
	if ip, err := netip.ParseAddr(host); err == nil {
		host = ip.Unmap().String()
	}
	if host == "localhost" || host == "::1" {
		return "127.0.0.1"
	}
	return host
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// maxRetryAfter is the longest Retry-After after which the card is requested again.
const maxRetryAfter = 90 * time.Second

// cardTimeout returns the timeout of a request for a card, so that a server that hangs does not
// use up the run.
func (r *runner) cardTimeout() time.Duration {
	const most = 10 * time.Second
	if t := r.target.Timeout; t > 0 {
		return min(t, most)
	}
	return most
}
