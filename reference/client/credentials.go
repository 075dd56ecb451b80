package client

import (
	"encoding/base64"
	"maps"
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

// findCredential returns the credential for a scheme, "" if there is none.
func (c Credentials) findCredential(s scheme) string {
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

// listAll returns every credential that there is, with the usual scheme for it.
func (c Credentials) listAll() (shown []shownCredential) {
	for _, s := range []scheme{{httpScheme, "Bearer", ""}, {httpScheme, "Basic", ""}, {keyScheme, "X-API-Key", "header"}} {
		if v := c.findCredential(s); v != "" {
			shown = append(shown, shownCredential{s, v})
		}
	}
	return shown
}

// chooseCredentials returns the credentials for the first alternative of the card that
// the client has all credentials for. The extended card is always for those who show one: if the card
// demands none, it is that of the first scheme for which the client has one.
func (s *session) chooseCredentials(op operation) []shownCredential {
	for _, alternative := range getList(s.card.document, s.dialect.security) {
		names := slices.Sorted(maps.Keys(getObject(alternative, s.dialect.schemesPath...)))
		var shown []shownCredential
		for _, name := range names {
			scheme := s.dialect.readScheme(getMember(s.card.document, "securitySchemes", name))
			if v := s.options.Credentials.findCredential(scheme); v != "" {
				shown = append(shown, shownCredential{scheme, v})
			}
		}
		if len(shown) == len(names) {
			return shown
		}
		if s.habits.firstAlternative {
			return nil
		}
	}
	if op != extendedCard {
		return nil
	}
	schemes := getObject(s.card.document, "securitySchemes")
	for _, name := range slices.Sorted(maps.Keys(schemes)) {
		scheme := s.dialect.readScheme(schemes[name])
		if v := s.options.Credentials.findCredential(scheme); v != "" {
			return []shownCredential{{scheme, v}}
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
