package client

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Credentials are what the client can show. An empty one is none.
type Credentials struct {
	Bearer string // a token
	Basic  string // USER:PASSWORD
	Key    string // an API key
	// ClientID and ClientSecret are shown to a token endpoint (RFC 6749, section 4.4).
	ClientID, ClientSecret string
}

// ReadCredentials returns those that are given by their kinds: bearer, basic, key, client-id and client-secret.
func ReadCredentials(byKind map[string]string) Credentials {
	return Credentials{Bearer: byKind["bearer"], Basic: byKind["basic"], Key: byKind["key"], ClientID: byKind["client-id"], ClientSecret: byKind["client-secret"]}
}

type schemeKind string

const (
	httpScheme schemeKind = "http"
	keyScheme  schemeKind = "key"
	// tokenScheme is one whose token is got from a token endpoint.
	tokenScheme schemeKind = "token"
	// codeScheme is one whose token is got by a code of an authorization endpoint.
	codeScheme schemeKind = "code"
	// discoveredScheme is one whose token endpoint is in a discovery document of OpenID Connect.
	discoveredScheme schemeKind = "discovered"
	// certificateScheme is one whose credential is shown in the handshake.
	certificateScheme schemeKind = "certificate"
)

// A scheme is a way to show a credential, as the card declares it.
type scheme struct {
	kind schemeKind
	name string // of the HTTP scheme, the header, the parameter or the cookie
	in   string // of a key: header, query or cookie; of a token the address of its endpoint, or of the document that names it
	ask  string // of a code: the address of the authorization endpoint
}

// A shown credential is a credential with the scheme that it is for.
type shownCredential struct {
	scheme
	value string
}

// findCredential returns the credential for a scheme, "" if there is none.
func (s *session) findCredential(of scheme) string {
	ready := s.options.Credentials.findCredential(of)
	switch {
	case of.kind == certificateScheme:
		return s.options.Cert
	case ready != "":
	case of.kind == tokenScheme:
		return s.obtainToken(of.in)
	case of.kind == codeScheme:
		return s.obtainTokenByCode(of)
	case of.kind == discoveredScheme:
		return s.obtainToken(s.discoverTokenEndpoint(of.in))
	}
	return ready
}

// findCredential returns the credential for a scheme that is at hand, "" if there is none.
func (c Credentials) findCredential(s scheme) string {
	switch {
	case s.kind == tokenScheme, s.kind == codeScheme, s.kind == discoveredScheme:
		return c.Bearer
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
	for _, s := range []scheme{{kind: httpScheme, name: "Bearer"}, {kind: httpScheme, name: "Basic"}, {kind: keyScheme, name: "X-API-Key", in: "header"}} {
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
	for _, together := range s.listDemands() {
		var shown []shownCredential
		for _, scheme := range together {
			if v := s.findCredential(scheme); v != "" {
				shown = append(shown, shownCredential{scheme, v})
			}
		}
		if len(shown) == len(together) {
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
		if v := s.findCredential(scheme); v != "" {
			return []shownCredential{{scheme, v}}
		}
	}
	return nil
}

// listDemands returns the alternatives of the card, each with the schemes that it combines.
func (s *session) listDemands() (all [][]scheme) {
	if s.dialect.listDemands != nil {
		return s.dialect.listDemands(s.card.document)
	}
	for _, alternative := range getList(s.card.document, s.dialect.security) {
		var together []scheme
		for _, name := range slices.Sorted(maps.Keys(getObject(alternative, s.dialect.schemesPath...))) {
			together = append(together, s.dialect.readScheme(getMember(s.card.document, "securitySchemes", name)))
		}
		all = append(all, together)
	}
	return all
}

// addCredentials puts credentials into a request, each in the place of its scheme.
// None goes to an address of plain HTTP if the card has come by TLS.
func (s *session) addCredentials(r *http.Request, all []shownCredential) {
	if r.URL.Scheme != "https" && strings.HasPrefix(s.options.URL, "https:") && !s.habits.credentialsByHTTP {
		return
	}
	for i, c := range all {
		if i > 0 && s.habits.firstScheme {
			return
		}
		switch {
		case c.kind == httpScheme && strings.EqualFold(c.name, "basic") && !s.habits.allBearer:
			r.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(c.value)))
		case c.kind == certificateScheme: // the handshake showed it
		case c.kind != keyScheme:
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

// maxToken bounds the answer of a token endpoint.
const maxToken = 64 << 10

// obtainToken gets a token from a token endpoint, once; "" if there is none to get.
func (s *session) obtainToken(endpoint string) string {
	c := s.options.Credentials
	if c.ClientID == "" || c.ClientSecret == "" || endpoint == "" {
		return ""
	}
	if token, known := s.tokens[endpoint]; known {
		return token
	}
	at := endpoint
	if s.habits.guessesTokenURL {
		at = s.guessTokenURL(endpoint)
	}
	s.tokens[endpoint] = s.requestToken(at, url.Values{"grant_type": {"client_credentials"}})
	return s.tokens[endpoint]
}

// requestToken asks a token endpoint for a token, and shows its secret if it has one.
func (s *session) requestToken(at string, form url.Values) string {
	c := s.options.Credentials
	if c.ClientSecret == "" {
		form.Set("client_id", c.ClientID)
	}
	r, err := http.NewRequestWithContext(s.ctx, http.MethodPost, at, strings.NewReader(form.Encode()))
	if err != nil {
		return ""
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	if c.ClientSecret != "" {
		r.SetBasicAuth(url.QueryEscape(c.ClientID), url.QueryEscape(c.ClientSecret))
	}
	reply, err := s.http.Do(r)
	if err != nil {
		return ""
	}
	defer reply.Body.Close()
	var answer struct {
		Token string `json:"access_token"`
		Type  string `json:"token_type"`
	}
	if err := json.NewDecoder(io.LimitReader(reply.Body, maxToken)).Decode(&answer); err != nil || reply.StatusCode != http.StatusOK || !strings.EqualFold(answer.Type, "bearer") {
		return ""
	}
	return answer.Token
}

// guessTokenURL returns the address that the token endpoint has at many servers.
func (s *session) guessTokenURL(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return endpoint
	}
	u.Path = "/token"
	return u.String()
}
