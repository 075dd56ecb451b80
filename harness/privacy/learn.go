package privacy

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// maxSecrets is how many secrets are removed by their values; what is found beyond is removed at its place only.
const maxSecrets = 2000

// secretName matches names of fields, parameters and members that hold secrets.
var secretName = regexp.MustCompile(`(?i)(authori[sz]ation|cookie|token|secret|password|passwd|credential|api[-_]?key|^key$|signature|^sig$|session|assertion|code_verifier|client_id)`)

// learner finds the secrets of a recording by their places.
type learner struct {
	words   map[string]bool
	private map[string]bool
	secrets []redact.Secret
	known   map[string]bool // the values of secrets
}

// learnFrom finds the secrets in one exchange.
func (l *learner) learnFrom(x *record.Exchange) {
	l.learnFromQuery(x.URL)
	for _, m := range []*record.Message{&x.Request, &x.Response} {
		l.learnFromFields(m.Header())
		l.learnFromFields(m.Trailers())
	}
	for _, m := range []*record.Message{&x.Request, &x.Response} {
		if m.MediaType() == "application/x-www-form-urlencoded" {
			if form, err := url.ParseQuery(string(m.Body)); err == nil {
				l.learnFromValues(form)
			}
		}
	}
	for _, doc := range []*record.Document{x.Call(), x.Reply()} {
		l.learnFromJSON(doc.Root, "")
	}
	for _, e := range x.Events() {
		l.learnFromJSON(e.Root, "")
	}
}

// learnFromFields finds the secrets in header fields.
func (l *learner) learnFromFields(h http.Header) {
	for name, values := range h {
		for _, value := range values {
			switch {
			case strings.HasSuffix(name, "Authorization"):
				l.learnCredential(value)
			case name == "Cookie" || name == "Set-Cookie":
				l.learnCookies(name, value)
			case name == "Referer" || name == "Location" || name == "Link":
				l.learnFromQuery(value)
			case !isShownField(name) && secretName.MatchString(name):
				l.addSecret(name, value)
			}
		}
	}
}

// learnCredential finds the secrets in the value of a field Authorization.
func (l *learner) learnCredential(value string) {
	scheme, rest, has := strings.Cut(strings.TrimSpace(value), " ")
	if !has {
		l.addSecret("authorization", scheme)
		return
	}
	rest = strings.TrimSpace(rest)
	l.addSecret("authorization", rest)
	if strings.EqualFold(scheme, "Basic") {
		if plain, err := base64.StdEncoding.DecodeString(rest); err == nil {
			_, password, _ := strings.Cut(string(plain), ":")
			l.addSecret("password", password)
		}
	}
}

// learnCookies finds the values of cookies.
func (l *learner) learnCookies(name, value string) {
	pairs := strings.Split(value, ";")
	if name == "Set-Cookie" {
		pairs = pairs[:1] // attributes follow
	}
	for _, pair := range pairs {
		if _, v, ok := strings.Cut(pair, "="); ok {
			l.addSecret("cookie", strings.Trim(strings.TrimSpace(v), `"`))
		}
	}
}

// learnFromQuery finds the secrets in the query and the user information of an address.
func (l *learner) learnFromQuery(address string) {
	u, err := url.Parse(address)
	if err != nil {
		return
	}
	if u.User != nil {
		if password, has := u.User.Password(); has {
			l.addSecret("password", password)
		}
	}
	l.learnFromValues(u.Query())
}

// learnFromValues finds the secrets in a query or a form: every parameter that no protocol has may be one.
func (l *learner) learnFromValues(values url.Values) {
	for name, all := range values {
		if name == "code" || secretName.MatchString(name) || !l.words[name] {
			for _, v := range all {
				l.addSecret(name, v)
			}
		}
	}
}

// learnFromJSON finds the secrets in a value, which has a name. Addresses outside of cards may be those of webhooks or
// files, whose paths and queries give access.
func (l *learner) learnFromJSON(n *record.Node, name string) {
	if n == nil {
		return
	}
	switch n.Kind {
	case record.Object:
		if isCard(n) {
			return // a card is public, and its members name schemes and not secrets
		}
		for _, m := range n.Members {
			l.learnFromJSON(m.Value, m.Name)
		}
	case record.Array:
		for _, e := range n.Elems {
			l.learnFromJSON(e, name)
		}
	case record.String:
		switch {
		case isAddress(n.String) && !isPublicAddress(name):
			l.private[withoutQuery(n.String)] = true
			if u, err := url.Parse(n.String); err == nil {
				l.addSecret("address", strings.TrimPrefix(u.EscapedPath(), "/"))
				l.learnFromQuery(n.String)
			}
		case isSecretMember(name):
			l.addSecret(name, n.String)
		}
	}
}

// isSecretMember reports whether a member of JSON holds a secret by its name. The protocols have tokens of pages and
// signatures of cards, which are none.
func isSecretMember(name string) bool {
	switch name {
	case "pageToken", "nextPageToken", "signature", "signatures":
		return false
	}
	return secretName.MatchString(name)
}

// isPublicAddress reports whether a member has an address that names something and leads nowhere private.
func isPublicAddress(name string) bool {
	return slices.Contains([]string{"extensions", "@type", "documentationUrl", "iconUrl", "$schema", "domain"}, name)
}

// addSecret adds a secret. What is shorter than can be removed by its value, or a protocol has as well, is removed at its
// place only, since it occurs elsewhere by chance.
func (l *learner) addSecret(name, value string) {
	if len(value) < redact.MinSecret || len(l.secrets) >= maxSecrets || l.words[value] || strings.Contains(value, record.SecretMark) || isCommon(value) {
		return
	}
	if !l.known[value] {
		l.known[value] = true
		l.secrets = append(l.secrets, redact.Secret{Name: strings.ToLower(strings.Map(keepNameLetter, name)) + "-" + strconv.Itoa(len(l.secrets)+1), Value: value})
	}
}

// keepNameLetter is for strings.Map: it removes what could end the mark of a secret.
func keepNameLetter(c rune) rune {
	if strings.ContainsRune(":⟦⟧", c) {
		return -1
	}
	return c
}

// isCommon reports whether a value is such that ordinary texts have it: small letters alone that are no longer than
// long words.
func isCommon(value string) bool {
	return len(value) <= 12 && strings.Trim(value, "abcdefghijklmnopqrstuvwxyz-_/ ") == ""
}
