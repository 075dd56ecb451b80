package client

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
)

// Credentials are what the client can show. An empty one is none.
type Credentials struct {
	Bearer string // a token
	Basic  string // USER:PASSWORD
	Key    string // an API key
}

type schemeKind string

const (
	httpScheme schemeKind = "http"
	keyScheme  schemeKind = "key"
)

// A scheme is a way to show a credential, as the card declares it.
type scheme struct {
	kind schemeKind
	name string // of the HTTP scheme, the header, the parameter or the cookie
	in   string // of a key: header, query or cookie
}

// A shown credential is a credential with the scheme that it is for.
type shownCredential struct {
	scheme
	value string
}

// valueFor returns the credential for a scheme, "" if there is none.
func (c Credentials) valueFor(s scheme) string {
	switch {
	case s.kind == keyScheme:
		return c.Key
	case s.kind == httpScheme && strings.EqualFold(s.name, "bearer"):
		return c.Bearer
	case s.kind == httpScheme && strings.EqualFold(s.name, "basic"):
		return c.Basic
	}
	return ""
}

// all returns every credential that there is, with the usual scheme for it.
func (c Credentials) all() (shown []shownCredential) {
	for _, s := range []scheme{{httpScheme, "Bearer", ""}, {httpScheme, "Basic", ""}, {keyScheme, "X-API-Key", "header"}} {
		if v := c.valueFor(s); v != "" {
			shown = append(shown, shownCredential{s, v})
		}
	}
	return shown
}

// demandedCredentials returns the credentials for the first alternative of the card that
// the client has all credentials for.
func (s *session) demandedCredentials() []shownCredential {
	alternatives, schemes := s.dialect.securityOf(s.card.document)
	for _, demanded := range alternatives {
		var shown []shownCredential
		for _, name := range sortedKeys(demanded) {
			if v := s.options.Credentials.valueFor(schemes[name]); v != "" {
				shown = append(shown, shownCredential{schemes[name], v})
			}
		}
		if len(shown) == len(demanded) {
			return shown
		}
		if s.habits.firstAlternative {
			return nil
		}
	}
	return nil
}

// addCredentials puts credentials into a request, each in the place of its scheme.
func (s *session) addCredentials(r *http.Request, all []shownCredential) {
	for i, c := range all {
		if i > 0 && s.habits.firstScheme {
			return
		}
		switch {
		case c.kind == httpScheme && strings.EqualFold(c.name, "basic") && !s.habits.allBearer:
			r.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(c.value)))
		case c.kind == httpScheme:
			r.Header.Set("Authorization", "Bearer "+c.value)
		case c.in == "query" && !s.habits.keysInHeader:
			q := r.URL.Query()
			q.Set(c.name, c.value)
			r.URL.RawQuery = q.Encode()
		case c.in == "cookie" && !s.habits.keysInHeader:
			r.AddCookie(&http.Cookie{Name: c.name, Value: c.value})
		default:
			r.Header.Set(c.name, c.value)
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
