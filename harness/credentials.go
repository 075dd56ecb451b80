package harness

import (
	"crypto/rand"
	"encoding/base64"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// Identity is how a client shows who it is. Empty members are not used.
type Identity struct {
	Bearer string // token for Authorization: Bearer
	Basic  string // user:password for Authorization: Basic
	APIKey string // for the header of API keys
}

func (i Identity) given() bool { return i != Identity{} }

// set puts the identity into the headers of a request.
func (i Identity) set(h http.Header, keyHeader string) {
	switch {
	case i.Bearer != "":
		h.Set("Authorization", "Bearer "+i.Bearer)
	case i.Basic != "":
		h.Set("Authorization", "Basic "+encoded(i.Basic))
	}
	if i.APIKey != "" {
		h.Set(keyHeader, i.APIKey)
	}
}

func encoded(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// identity is the one that the run goes by.
func (t *Target) identity() Identity { return Identity{t.Bearer, t.Basic, t.APIKey} }

// keyHeader is the header that carries API keys.
func (t *Target) keyHeader() string {
	if t.KeyHeader != "" {
		return t.KeyHeader
	}
	return "X-API-Key"
}

// checkIdentities finds slips in the credentials.
func (t *Target) checkIdentities() error {
	for _, i := range []struct {
		name string
		Identity
	}{{"auth", t.identity()}, {"auth.second", t.Second}, {"auth.low", t.Low}} {
		if i.Bearer != "" && i.Basic != "" {
			return usage("%s.bearer and %[1]s.basic are both given, but a request can carry only one of them", i.name)
		}
		if i.Basic != "" && !strings.Contains(i.Basic, ":") {
			return usage("%s.basic has no colon; write it like user:password", i.name)
		}
	}
	for name, i := range map[string]Identity{"second": t.Second, "low": t.Low} {
		switch {
		case i.given() && len(t.own()) == 0:
			return usage("auth.%s is given, but there is no credential of the first client to compare it with; also give --bearer-env, --basic-env or --api-key-env", name)
		case i.given() && i == t.identity():
			return usage("auth.%s is the same credential as that of the first client; give the credential of another client", name)
		}
	}
	if t.KeyHeader != "" && t.APIKey == "" && t.Second.APIKey == "" && t.Low.APIKey == "" {
		return usage("a header for the API key is given (%s), but no key; also give --api-key-env or auth.apiKey", t.KeyHeader)
	}
	return t.checkNumbers()
}

// checkNumbers finds numbers of the operator's that no record can hold, before the first call: a run
// whose record cannot be written is lost.
func (t *Target) checkNumbers() error {
	if t.RateLimit != nil {
		if err := t.RateLimit.Check(); err != nil {
			return usage("declares.rateLimit %v", err)
		}
	}
	if t.Timeouts != nil {
		if err := t.Timeouts.Check(); err != nil {
			return usage("declares.timeouts %v", err)
		}
	}
	if !(t.PerSecond >= 0) || math.IsInf(t.PerSecond, 0) {
		return usage("%v calls in a second cannot be; give a number, or 0 for no bound", t.PerSecond)
	}
	for _, name := range slices.Sorted(maps.Keys(t.Stimuli)) {
		if s := t.Stimuli[name].Seconds; !(s >= 0) || math.IsInf(s, 0) {
			return usage("stimuli.%s: a run cannot wait %v seconds", name, s)
		}
	}
	return nil
}

// credential reports whether a header of the operator's is one by which a
// server may know its client.
func credential(name, value string) bool {
	return wire.CredentialHeader(name) || len(value) >= wire.MinSecret && likelyCredential.MatchString(name)
}

// A made-up credential is as long as a real one. It is made anew for every run, so
// that no server can know it.
type madeUp struct{ token string }

func makeUp() madeUp { return madeUp{rand.Text()} }

func (m madeUp) basic() string { return "client:" + m.token }

// plain are the header values that the transcript may show.
func (m madeUp) plain() []string { return []string{m.token, encoded(m.basic())} }

// callers are the headers of calls that the suite makes in another's name.
func (t *Target) callers(c card.Card, m madeUp) map[wire.Caller]http.Header {
	nobody := http.Header{}
	stranger := http.Header{}
	for name, values := range t.header() {
		switch scheme, rest, two := strings.Cut(values[0], " "); {
		case !credential(name, values[0]) && !(name == http.CanonicalHeaderKey(t.keyHeader()) && t.APIKey != ""):
			nobody[name] = values
		case strings.EqualFold(scheme, "Basic") && two:
			stranger.Set(name, scheme+" "+encoded(m.basic()))
		case two && rest != "" && strings.HasSuffix(name, "Authorization"):
			stranger.Set(name, scheme+" "+m.token)
		default:
			stranger.Set(name, m.token)
		}
	}
	if len(stranger) == 0 { // the card tells which form fits
		asks := c.Kinds()
		switch {
		case slices.Contains(asks, "basic"):
			stranger.Set("Authorization", "Basic "+encoded(m.basic()))
		case slices.Contains(asks, "apikey") && !slices.Contains(asks, "bearer"):
			stranger.Set(t.keyHeader(), m.token)
		default:
			stranger.Set("Authorization", "Bearer "+m.token)
		}
	}
	maps.Copy(stranger, nobody)
	out := map[wire.Caller]http.Header{wire.Nobody: nobody, wire.Stranger: stranger}
	for caller, i := range map[wire.Caller]Identity{wire.Second: t.Second, wire.Low: t.Low} {
		if i.given() {
			out[caller] = nobody.Clone()
			i.set(out[caller], t.keyHeader())
		}
	}
	for caller, i := range t.ways() {
		out[caller] = nobody.Clone()
		i.set(out[caller], t.keyHeader())
	}
	return out
}

// ways are the configured credentials one by one, by the way in which they
// travel: those of the first client, and where it has none of a kind those of
// the second.
func (t *Target) ways() map[wire.Caller]Identity {
	out := map[wire.Caller]Identity{}
	for _, i := range []Identity{t.Second, t.identity()} {
		if i.Bearer != "" {
			out[wire.ByBearer] = Identity{Bearer: i.Bearer}
		}
		if i.Basic != "" {
			out[wire.ByBasic] = Identity{Basic: i.Basic}
		}
		if i.APIKey != "" {
			out[wire.ByKey] = Identity{APIKey: i.APIKey}
		}
	}
	return out
}

// maxRate bounds the numbers of a rate limit that a client keeps: no run comes near
// a higher one, and as seconds it would be no duration.
const maxRate = 1e9

// cardLimit is the rate limit that a card states, for a client that keeps it; nil
// if there is none.
func cardLimit(c card.Card) *wire.RateLimit {
	l, ok := c.Rate()
	if !ok || l.Requests >= maxRate || l.Seconds >= maxRate {
		return nil
	}
	if l.Burst >= maxRate {
		l.Burst = 0
	}
	return &l
}
