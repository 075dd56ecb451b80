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
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// found is what discovery learnt.
type found struct {
	dialect   *schema.Dialect
	card      *wire.Node
	rpc       string
	plays     []wire.Play
	offers    []string  // the other dialects that its cards tell of
	tried     []string  // what was asked and what came, for the reader
	subjects  []subject // the agents that the operator chose; none for the server's own
	list      bool      // a list without an entry was seen, which may be a directory's
	emptyList string    // what that is, to be read after another sentence
	paths     bool      // calls go to paths that are the methods' names
	mute      int       // questions to which nothing came, where nothing ever came

	instead  []string        // the dialects that the card offers, if it does not offer the one that the operator named
	lead     string          // where the server is, as its answers give away
	greets   bool            // HTTP/2 without TLS is spoken there
	withheld []wire.Withheld // interfaces on cards that are not called

	handedOut string // where the server hands out its card; "" where it does not
	near      string // the card's address, if no protocol names it: below the target, or the target itself
}

// heard counts questions that were not answered in time: after two of them, and
// no answer at all, the server is asked no more.
func (f *found) heard(x *wire.Exchange) {
	switch {
	case x.Answered():
		f.mute = -1
	case x.Ended == wire.Timeout && f.mute >= 0:
		f.mute++
	}
}

func (f *found) dead() bool { return f.mute >= 2 }

// discover fetches cards until it knows what the server speaks. It sends
// nothing that could reach an agent.
func (r *runner) discover(ctx context.Context) (*found, error) {
	f := &found{}
	candidates, err := r.candidates()
	if err != nil {
		return nil, err
	}
	fetched := map[string]*wire.Exchange{}
	fetch := func(address string) *wire.Exchange {
		if x := fetched[address]; x != nil {
			return x
		}
		h := r.cardHeader(address, candidates)
		x := r.client.Do(ctx, wire.Call{Method: http.MethodGet, URL: address, Header: h, Timeout: r.cardPatience()}, nil)
		f.heard(x)
		f.tried = append(f.tried, fmt.Sprintf("GET %s: %s", address, describeOutcome(x)))
		r.ledger.asked(address, x, f)
		if wait := wire.RetryAfter(x.Response.Header(), time.Now()); x.Status() == http.StatusTooManyRequests && wait > 0 && wait <= limitWait {
			fetched[address+" (refused because of the rate limit)"] = x
			r.client.Pace().Refused(wait)
			x = r.client.Do(ctx, wire.Call{Method: http.MethodGet, URL: address, Header: h, Timeout: r.cardPatience()}, nil)
			f.tried = append(f.tried, fmt.Sprintf("GET %s, %.0f s later: %s", address, wait.Seconds(), describeOutcome(x)))
		}
		fetched[address] = x
		return x
	}
	if r.given != nil {
		fetched[r.given.URL] = r.given
		f.tried = append(f.tried, "the card was read from "+r.given.URL)
	}
	var cards []telling
	recognise := func(s search) {
		for _, d := range candidates {
			for _, a := range s.places(d) {
				if f.dead() && (len(candidates) > 1 || s.near) && fetched[a] == nil {
					break
				}
				x := fetch(a)
				meant := r.named() == "" || a == r.named() // the operator's card is the card
				if !isCard(x) || !meant || len(candidates) > 1 && !card.Of(d, x.Reply().Root).IsOfDialect() || s.near && !looksLikeCard(d, x) {
					continue
				}
				cards = append(cards, telling{d, x, a})
				if s.near && f.near == "" {
					f.near = a
				}
			}
		}
	}
	if r.spellAsOwn(candidates) { // the same is asked, in the same order, as without that word
		recognise(search{places: r.ownPlaces})
	}
	for _, s := range r.searches() {
		if len(cards) == 0 {
			recognise(s)
		}
	}
	if len(cards) > 0 {
		chosen, err := meant(cards, r.target.Prefer)
		if err != nil {
			return nil, err
		}
		f.dialect, f.card, f.offers = chosen.dialect, chosen.card.Reply().Root, chosen.others(cards)
		if f.near != "" {
			f.near = chosen.address
		}
	}
	if f.dialect == nil && len(candidates) == 1 {
		f.dialect = candidates[0]
	}
	if f.dialect == nil {
		r.findDirectory(candidates, f, fetched, fetch)
	}
	if f.dialect == nil {
		return r.unrecognised(ctx, f, fetched)
	}
	if f.dialect, err = r.load(f.dialect.Name); err != nil {
		return nil, err
	}
	asked, kept := r.cardPlay(f, fetched, fetch)
	f.instead = r.offeredInstead(f, fetched, fetch)
	var others []wire.Step
	for _, a := range slices.Sorted(maps.Keys(fetched)) {
		if !slices.Contains(kept, a) {
			others = append(others, wire.Step{Name: a, Role: wire.Probe, Op: "document", Exchange: fetched[a]})
		}
	}
	if len(asked.Steps) > 0 || len(f.dialect.Card.Paths) > 0 {
		f.plays = append(f.plays, asked)
	}
	if len(others) > 0 {
		f.plays = append(f.plays, wire.Play{Scenario: "discovery", Attempt: 1, Steps: others})
	}
	r.lookUpHosts(ctx, card.Of(f.dialect, f.card))
	if err := r.settleInterfaces(ctx, f.dialect, card.Of(f.dialect, f.card)); err != nil {
		return nil, err
	}
	if f.rpc, err = r.endpoint(ctx, f); err != nil {
		return nil, err
	}
	if f.card == nil {
		r.setLead(ctx, f, fetched)
	}
	r.reach(ctx, f)
	return f, r.choose(ctx, f)
}

// cardHeader is what a request for a card says. A server of several versions may show
// each its own card.
func (r *runner) cardHeader(address string, candidates []*schema.Dialect) http.Header {
	h := r.target.header()
	if !sameOrigin(parse(address), parse(r.target.URL)) {
		h = http.Header{} // credentials never go to another origin
	}
	h.Set("Accept", "application/json")
	for _, d := range candidates {
		if slices.Contains(r.places(d), address) || slices.Contains(r.nearPlaces(d), address) || slices.Contains(r.itself(d), address) {
			for name, value := range d.Headers {
				h.Set(name, value)
			}
		}
	}
	return h
}

// candidates are the dialects that a server may speak: outlines, where there are several.
func (r *runner) candidates() ([]*schema.Dialect, error) {
	if n := r.target.Dialect; n != "" && n != "auto" {
		d, err := r.load(n)
		if err != nil {
			return nil, usage("--dialect: %v", err)
		}
		return []*schema.Dialect{d}, nil
	}
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
	slices.SortStableFunc(out, func(a, b *schema.Dialect) int { return rank(a) - rank(b) })
	return out, nil
}

// rank puts the dialects first whose cards others would take for their own, and then
// those that older versions of the same protocol give way to.
func rank(d *schema.Dialect) int {
	switch {
	case d.Detect.Narrow:
		return 0
	case len(d.Detect.Supersedes) > 0:
		return 1
	}
	return 2
}

// base is the URL to which the paths of a server's documents are added. Where
// the target is the endpoint itself, they lie beside it.
func base(target string, d *schema.Dialect) string {
	u := siteOf(target)
	u.Path = strings.TrimSuffix(u.Path, d.RPCPath)
	return strings.TrimSuffix(u.String(), "/")
}

// isCard reports whether a GET brought a card, or what may be one: the operator's
// file is one, whatever else it holds.
func isCard(x *wire.Exchange) bool {
	if !x.Obtained() {
		return false
	}
	root := x.Reply().Root
	return card.Of(nil, root).MayBe() || x.Dir == wire.Given && root != nil && root.Kind == wire.Object
}

// unrecognised is reached where no card tells the dialect. If a card was read,
// or something speaks JSON-RPC, the operator has to say what it is; otherwise
// there is no such server here, and the run ends with what was tried.
func (r *runner) unrecognised(ctx context.Context, f *found, fetched map[string]*wire.Exchange) (*found, error) {
	if x := r.foreignCard(ctx, f, fetched); x != nil {
		place := printable(x.URL)
		if x.Dir == wire.Given {
			place = r.target.cardFile()
		}
		return nil, usage("%s holds an agent card %s; this program speaks %s. If one of them fits, give --dialect NAME --card %[1]s",
			place, stated(x.Reply().Root), strings.Join(schema.Names(), ", "))
	}
	play, ids := wire.Play{Scenario: "discovery", Attempt: 1}, r.target.IDs.IDs("discovery")
	candidates, _ := r.candidates()
	answers, broken := f.list, false
	for _, a := range slices.Sorted(maps.Keys(fetched)) {
		s := wire.Step{Name: a, Role: wire.Probe, Op: "document", Exchange: fetched[a]}
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
		address, err := r.endpoint(ctx, &found{dialect: d})
		if err != nil || asked[address] || f.dead() {
			continue
		}
		asked[address] = true
		by := binding.ForName(d, "")
		call, err := by.Encode(address, binding.Request{Op: "unknown/method", ID: ids.New(), Params: map[string]any{}})
		if err != nil {
			continue
		}
		call.Header.Del("Accept")
		maps.Copy(call.Header, r.target.header())
		call.Timeout = r.cardPatience()
		x := r.client.Do(ctx, call, nil)
		f.tried = append(f.tried, fmt.Sprintf("POST %s (an unknown method): %s", address, f.alike(describeOutcome(x))))
		play.Steps = append(play.Steps, wire.Step{Name: "rpc " + address, Role: wire.Probe, Op: "rpc", Exchange: x})
		r.ledger.asked("rpc "+address, x, f)
		if by.Decode("", x).Marked {
			answers = true
		}
	}
	f.plays = append(f.plays, play)
	if x := r.guardedPlace(candidates, fetched); x != nil {
		r.guarded = true
		return nil, usage("%s needs credentials (HTTP %d), so a2a-conform cannot detect which protocol the server speaks; give credentials: %s",
			printable(x.URL), x.Status(), credentialFlags)
	}
	if answers && !broken {
		return nil, usage("a2a-conform cannot detect which protocol the server speaks; give --dialect NAME (%s)%s",
			strings.Join(schema.Names(), ", "), f.emptyList)
	}
	return f, nil
}

// parse reads a URL that target.check has accepted.
func parse(address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil {
		return &url.URL{}
	}
	return u
}

// sameOrigin reports whether what may be told to u may be told to v.
func sameOrigin(u, v *url.URL) bool {
	return u.Scheme == v.Scheme && sameHost(u, v) && port(u) == port(v)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}

// sameHost reports whether two names are those of one host. The usual names of this machine are; its
// other addresses (127.0.0.2, 0.0.0.0) may be those of something else that runs here.
func sameHost(u, v *url.URL) bool { return canonicalHost(u.Hostname()) == canonicalHost(v.Hostname()) }

// canonicalHost is one spelling of a host.
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

func isAny(host string) bool { return card.Unspecified(host) }

// limitWait is the longest wait that a server may ask for before it is asked
// for its card again.
const limitWait = 90 * time.Second

// cardPatience is how long a card may take: a server that hangs on the card
// should not use up the run.
func (r *runner) cardPatience() time.Duration {
	const most = 10 * time.Second
	if t := r.target.Timeout; t > 0 {
		return min(t, most)
	}
	return most
}
