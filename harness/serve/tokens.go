package serve

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"time"
)

// tokenForm is how the token of a notification is made.
type tokenForm struct {
	audience string        // instead of the webhook
	age      time.Duration // since it was issued
	lasts    time.Duration // from then on; 0 if it does not say
	seal     func(c *courier, claims []byte) (string, error)
}

// honestToken is how a genuine token is made.
var honestToken = tokenForm{lasts: 5 * time.Minute, seal: sealToken}

// sealToken signs claims with the key that the client was given.
func sealToken(c *courier, claims []byte) (string, error) {
	own := c.stage.keys.own
	return own.SignToken(claims, own.KeyName())
}

// signToken returns a token about a notification: the claims that the text has as an example, and the digest of the body, which
// some programs read.
func (c *courier) signToken(n *notification, how tokenForm) string {
	issued := time.Now().Add(-how.age)
	digest := sha256.Sum256(n.body)
	claims := object{"iss": c.stage.bases[0], "aud": listAudiences(n.to.url), "iat": issued.Unix(), "jti": c.stage.ids.New(), "taskId": n.about, "request_body_sha256": hex.EncodeToString(digest[:])}
	if how.audience != "" {
		claims["aud"] = how.audience
	}
	if how.lasts > 0 {
		claims["exp"] = issued.Add(how.lasts).Unix()
	}
	token, err := how.seal(c, encodeJSON(claims))
	if err != nil {
		panic(err) // the key is of our own making
	}
	return token
}

// listAudiences returns for whom a token is: the webhook, by its address and by its origin.
func listAudiences(hook string) []any {
	all := []any{hook}
	if u, err := url.Parse(hook); err == nil {
		all = append(all, u.Scheme+"://"+u.Host)
	}
	return all
}

// forgedTokens are the tokens that a client has to refuse, each with the kind of its notification.
var forgedTokens = []struct {
	kind string
	form tokenForm
}{
	{"none", tokenForm{lasts: 5 * time.Minute, seal: func(c *courier, claims []byte) (string, error) {
		header := encodeJSON(object{"alg": "none", "typ": "JWT", "kid": c.stage.keys.own.KeyName()})
		return base64.RawURLEncoding.EncodeToString(header) + "." + base64.RawURLEncoding.EncodeToString(claims) + ".", nil
	}}},
	{"stranger", tokenForm{lasts: 5 * time.Minute, seal: func(c *courier, claims []byte) (string, error) {
		return c.stage.keys.stranger.SignToken(claims, c.stage.keys.own.KeyName())
	}}},
	{"changed", tokenForm{lasts: 5 * time.Minute, seal: func(c *courier, claims []byte) (string, error) {
		token, err := sealToken(c, encodeJSON(object{"jti": c.stage.ids.New()}))
		header, rest, _ := strings.Cut(token, ".")
		_, seal, _ := strings.Cut(rest, ".")
		return header + "." + base64.RawURLEncoding.EncodeToString(claims) + "." + seal, err
	}}},
	{"audience", tokenForm{lasts: 5 * time.Minute, audience: "https://" + otherHost + "/hook", seal: sealToken}},
	{"expired", tokenForm{age: 2 * time.Hour, lasts: time.Hour, seal: sealToken}},
}

// oldToken is one that was issued long ago, and does not say until when it lasts.
var oldToken = tokenForm{age: time.Hour, seal: sealToken}

// bringTokens brings genuine notifications with signed tokens, and then forged ones. To a client that asks for no tokens the genuine
// ones come as it asks for them, and no others.
func bringTokens(c *courier, t *task) {
	for _, one := range genuineNotices {
		c.bringNotice("notify-genuine", t, c.stage.changeState(t, working, c.stage.formatAnswer("notice")+one.says), one.pause)
	}
	forge := func(kind string, now state, in string, how tokenForm) {
		c.forgeNotice("notify-jwt-"+kind, t, now, in, func(h *hook, n *notification) bool {
			if c.lacksInSome(t, func(h *hook) bool { return h.signed }) {
				return false
			}
			n.authorization = h.writeAuthorization(c.signToken(n, how))
			return true
		})
	}
	for _, one := range forgedTokens {
		forge(one.kind, inputRequired, "forged-credentials", one.form)
	}
	forge("old", authRequired, "forged-time", oldToken)
	c.letTimePass(2 * leaveTime)
}
