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
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// isGiven reports whether there is an identity.
func isGiven(i operator.Identity) bool { return i != operator.Identity{} }

// setCredentials puts an identity into the headers of a request.
func setCredentials(h http.Header, i operator.Identity, keyHeader string) {
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
func (t *target) identity() operator.Identity {
	return operator.Identity{Bearer: t.Bearer, Basic: t.Basic, APIKey: t.APIKey}
}

// keyHeader is the header that carries API keys.
func (t *target) keyHeader() string {
	if t.KeyHeader != "" {
		return t.KeyHeader
	}
	return "X-API-Key"
}

// checkIdentities finds slips in the credentials.
func (t *target) checkIdentities() error {
	for _, i := range []struct {
		name string
		operator.Identity
	}{{"auth", t.identity()}, {"auth.second", t.OtherIdentity}, {"auth.low", t.RestrictedIdentity}} {
		if i.Bearer != "" && i.Basic != "" {
			return usage("%s.bearer and %[1]s.basic are both given, but a request can carry only one of them", i.name)
		}
		if i.Basic != "" && !strings.Contains(i.Basic, ":") {
			return usage("%s.basic has no colon; write it like user:password", i.name)
		}
	}
	for name, i := range map[string]operator.Identity{"second": t.OtherIdentity, "low": t.RestrictedIdentity} {
		switch {
		case isGiven(i) && len(t.own()) == 0:
			return usage("auth.%s is given, but there is no credential of the first client to compare it with; also give --bearer-env, --basic-env or --api-key-env", name)
		case isGiven(i) && i == t.identity():
			return usage("auth.%s is the same credential as that of the first client; give the credential of another client", name)
		}
	}
	if t.KeyHeader != "" && t.APIKey == "" && t.OtherIdentity.APIKey == "" && t.RestrictedIdentity.APIKey == "" {
		return usage("a header for the API key is given (%s), but no key; also give --api-key-env or auth.apiKey", t.KeyHeader)
	}
	return t.checkNumbers()
}

// checkNumbers finds numbers of the operator's that no record can hold, before the first call: a run
// whose record cannot be written is lost.
func (t *target) checkNumbers() error {
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
	return nil
}

// credential reports whether a header of the operator's is one by which a
// server may know its client.
func credential(name, value string) bool {
	return redact.CredentialHeader(name) || len(value) >= redact.MinSecret && likelyCredential.MatchString(name)
}

// A made-up credential is as long as a real one. It is made anew for every run, so
// that no server can know it.
type madeUp struct{ token string }

func makeUp() madeUp { return madeUp{rand.Text()} }

func (m madeUp) basic() string { return "client:" + m.token }

// plain are the header values that the transcript may show.
func (m madeUp) plain() []string { return []string{m.token, encoded(m.basic())} }

// callers are the headers of calls that the suite makes in another's name.
func (t *target) callers(c card.Card, m madeUp) map[record.Caller]http.Header {
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
	out := map[record.Caller]http.Header{record.Nobody: nobody, record.Stranger: stranger}
	for caller, i := range map[record.Caller]operator.Identity{record.Second: t.OtherIdentity, record.Low: t.RestrictedIdentity} {
		if isGiven(i) {
			out[caller] = nobody.Clone()
			setCredentials(out[caller], i, t.keyHeader())
		}
	}
	for caller, i := range t.ways() {
		out[caller] = nobody.Clone()
		setCredentials(out[caller], i, t.keyHeader())
	}
	return out
}

// ways are the configured credentials one by one, by the way in which they
// travel: those of the first client, and where it has none of a kind those of
// the second.
func (t *target) ways() map[record.Caller]operator.Identity {
	out := map[record.Caller]operator.Identity{}
	for _, i := range []operator.Identity{t.OtherIdentity, t.identity()} {
		if i.Bearer != "" {
			out[record.ByBearer] = operator.Identity{Bearer: i.Bearer}
		}
		if i.Basic != "" {
			out[record.ByBasic] = operator.Identity{Basic: i.Basic}
		}
		if i.APIKey != "" {
			out[record.ByKey] = operator.Identity{APIKey: i.APIKey}
		}
	}
	return out
}

// maxRate bounds the numbers of a rate limit that a client keeps: no run comes near
// a higher one, and as seconds it would be no duration.
const maxRate = 1e9

// cardLimit is the rate limit that a card states, for a client that keeps it; nil
// if there is none.
func cardLimit(c card.Card) *operator.RateLimit {
	l, ok := c.Rate()
	if !ok || l.Requests >= maxRate || l.Seconds >= maxRate {
		return nil
	}
	if l.Burst >= maxRate {
		l.Burst = 0
	}
	return &l
}
