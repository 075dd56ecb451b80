package harness

import (
	"cmp"
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

// isGiven reports whether an identity has any credential.
func isGiven(i operator.Identity) bool { return i != operator.Identity{} }

// setCredentials adds the credentials of an identity to the header of a request.
func setCredentials(h http.Header, i operator.Identity, keyHeader string) {
	switch {
	case i.Bearer != "":
		h.Set("Authorization", "Bearer "+i.Bearer)
	case i.Basic != "":
		h.Set("Authorization", "Basic "+encodeBase64(i.Basic))
	}
	if i.APIKey != "" {
		h.Set(keyHeader, i.APIKey)
	}
}

func encodeBase64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// mainIdentity returns the identity that ordinary calls use.
func (t *target) mainIdentity() operator.Identity {
	return operator.Identity{Bearer: t.Bearer, Basic: t.Basic, APIKey: t.APIKey}
}

// keyHeader returns the name of the header that carries API keys.
func (t *target) keyHeader() string { return cmp.Or(t.KeyHeader, "X-API-Key") }

// checkIdentities reports mistakes in the credentials.
func (t *target) checkIdentities() error {
	for _, i := range []struct {
		name string
		operator.Identity
	}{{"auth", t.mainIdentity()}, {"auth.second", t.OtherIdentity}, {"auth.low", t.RestrictedIdentity}} {
		if i.Bearer != "" && i.Basic != "" {
			return usageErrorf("%s.bearer and %[1]s.basic are both given, but a request can carry only one of them", i.name)
		}
		if i.Basic != "" && !strings.Contains(i.Basic, ":") {
			return usageErrorf("%s.basic has no colon; write it like user:password", i.name)
		}
	}
	for name, i := range map[string]operator.Identity{"second": t.OtherIdentity, "low": t.RestrictedIdentity} {
		switch {
		case isGiven(i) && len(t.mainIdentitySecrets()) == 0:
			return usageErrorf("auth.%s is given, but there is no credential of the first client to compare it with; also give --bearer-env, --basic-env or --api-key-env", name)
		case isGiven(i) && i == t.mainIdentity():
			return usageErrorf("auth.%s is the same credential as that of the first client; give the credential of another client", name)
		}
	}
	if t.KeyHeader != "" && t.APIKey == "" && t.OtherIdentity.APIKey == "" && t.RestrictedIdentity.APIKey == "" {
		return usageErrorf("a header for the API key is given (%s), but no key; also give --api-key-env or auth.apiKey", t.KeyHeader)
	}
	return t.checkNumbers()
}

// checkNumbers reports numbers that no transcript can hold. It runs before the first call,
// because a run whose transcript cannot be written is lost.
func (t *target) checkNumbers() error {
	if t.RateLimit != nil {
		if err := t.RateLimit.Check(); err != nil {
			return usageErrorf("declares.rateLimit %v", err)
		}
	}
	if t.Timeouts != nil {
		if err := t.Timeouts.Check(); err != nil {
			return usageErrorf("declares.timeouts %v", err)
		}
	}
	if !(t.PerSecond >= 0) || math.IsInf(t.PerSecond, 0) {
		return usageErrorf("%v calls in a second cannot be; give a number, or 0 for no bound", t.PerSecond)
	}
	return nil
}

// isCredentialHeader reports whether a server may identify its client by a header.
func isCredentialHeader(name, value string) bool {
	return redact.CredentialHeader(name) || len(value) >= redact.MinSecret && likelyCredential.MatchString(name)
}

// fakeCredentials are as long as real ones and new in every run, so that no server can know them.
type fakeCredentials struct{ token string }

func newFakeCredentials() fakeCredentials { return fakeCredentials{rand.Text()} }

func (m fakeCredentials) plainUserPassword() string { return "client:" + m.token }

// unredactedTexts returns the header values that the transcript may show.
func (m fakeCredentials) unredactedTexts() []string {
	return []string{m.token, encodeBase64(m.plainUserPassword())}
}

// callerHeaders returns the headers of calls that are made as another client.
func (t *target) callerHeaders(c card.Card, m fakeCredentials) map[record.Caller]http.Header {
	nobody := http.Header{}
	stranger := http.Header{}
	for name, values := range t.header() {
		switch scheme, rest, two := strings.Cut(values[0], " "); {
		case !isCredentialHeader(name, values[0]) && !(name == http.CanonicalHeaderKey(t.keyHeader()) && t.APIKey != ""):
			nobody[name] = values
		case strings.EqualFold(scheme, "Basic") && two:
			stranger.Set(name, scheme+" "+encodeBase64(m.plainUserPassword()))
		case two && rest != "" && strings.HasSuffix(name, "Authorization"):
			stranger.Set(name, scheme+" "+m.token)
		default:
			stranger.Set(name, m.token)
		}
	}
	if len(stranger) == 0 { // The card declares which scheme fits.
		asks := c.Kinds()
		switch {
		case slices.Contains(asks, "basic"):
			stranger.Set("Authorization", "Basic "+encodeBase64(m.plainUserPassword()))
		case slices.Contains(asks, "apikey") && !slices.Contains(asks, "bearer"):
			stranger.Set(t.keyHeader(), m.token)
		default:
			stranger.Set("Authorization", "Bearer "+m.token)
		}
	}
	maps.Copy(stranger, nobody)
	out := map[record.Caller]http.Header{record.Nobody: nobody, record.Stranger: stranger}
	identities := t.splitIdentitiesByCredentialKind()
	identities[record.Second], identities[record.Low] = t.OtherIdentity, t.RestrictedIdentity
	for caller, i := range identities {
		if isGiven(i) {
			out[caller] = nobody.Clone()
			setCredentials(out[caller], i, t.keyHeader())
		}
	}
	return out
}

// splitIdentitiesByCredentialKind returns the configured credentials one by one, by the way in which they are
// sent. Those of the first client come before those of the second.
func (t *target) splitIdentitiesByCredentialKind() map[record.Caller]operator.Identity {
	out := map[record.Caller]operator.Identity{}
	for _, i := range []operator.Identity{t.OtherIdentity, t.mainIdentity()} {
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

// maxRate bounds the numbers of a rate limit that a client obeys: no run makes that many calls,
// and as seconds the number would overflow a duration.
const maxRate = 1e9

// rateLimitOfCard returns the rate limit that a card declares; nil if there is none.
func rateLimitOfCard(c card.Card) *operator.RateLimit {
	l, ok := c.Rate()
	if !ok || l.Requests >= maxRate || l.Seconds >= maxRate {
		return nil
	}
	if l.Burst >= maxRate {
		l.Burst = 0
	}
	return &l
}
