package client

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
)

// redirectURL is the address to which an authorization endpoint is to send the user. The client reads the answer itself.
const redirectURL = "http://127.0.0.1/signed-in"

// readFlows reads the flows of OAuth 2.0 by which a token is got, as both versions have them: that which needs no browser first.
func readFlows(flows object) scheme {
	if at := getText(flows, "clientCredentials", "tokenUrl"); at != "" {
		return scheme{kind: tokenScheme, name: "Bearer", in: at}
	}
	if ask := getText(flows, "authorizationCode", "authorizationUrl"); ask != "" {
		return scheme{kind: codeScheme, name: "Bearer", in: getText(flows, "authorizationCode", "tokenUrl"), ask: ask}
	}
	return scheme{kind: tokenScheme, name: "Bearer"}
}

// obtainTokenByCode gets a token by the authorization code flow, once; "" if there is none to get. Only an endpoint that redirects
// at once gives a code, since there is no browser.
func (s *session) obtainTokenByCode(of scheme) string {
	id := s.options.Credentials.ClientID
	if id == "" || of.ask == "" || of.in == "" {
		return ""
	}
	if token, known := s.tokens[of.ask]; known {
		return token
	}
	s.tokens[of.ask] = ""
	verifier, state := newID()+newID(), newID()
	asked := url.Values{"response_type": {"code"}, "client_id": {id}, "redirect_uri": {redirectURL}, "state": {state}}
	if !s.habits.withoutProofKey {
		sum := sha256.Sum256([]byte(verifier))
		asked.Set("code_challenge", base64.RawURLEncoding.EncodeToString(sum[:]))
		asked.Set("code_challenge_method", "S256")
	}
	at, err := url.Parse(of.ask)
	if err != nil {
		return ""
	}
	at.RawQuery = asked.Encode()
	r, err := http.NewRequestWithContext(s.ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return ""
	}
	reply, err := s.http.Do(r)
	if err != nil {
		return ""
	}
	reply.Body.Close()
	to, err := reply.Location()
	if err != nil || to.Query().Get("state") != state || to.Query().Get("code") == "" {
		return ""
	}
	form := url.Values{"grant_type": {"authorization_code"}, "code": {to.Query().Get("code")}, "redirect_uri": {redirectURL}}
	if !s.habits.withoutProofKey {
		form.Set("code_verifier", verifier)
	}
	s.tokens[of.ask] = s.requestToken(of.in, form)
	return s.tokens[of.ask]
}

// discoverTokenEndpoint returns the token endpoint of a discovery document, which is got once; "" if there is none.
func (s *session) discoverTokenEndpoint(document string) string {
	if s.options.Credentials.ClientSecret == "" || document == "" {
		return ""
	}
	if endpoint, known := s.discovered[document]; known {
		return endpoint
	}
	s.discovered[document] = ""
	r, err := http.NewRequestWithContext(s.ctx, http.MethodGet, document, nil)
	if err != nil {
		return ""
	}
	reply, err := s.http.Do(r)
	if err != nil {
		return ""
	}
	defer reply.Body.Close()
	var answer struct {
		Endpoint string `json:"token_endpoint"`
	}
	if json.NewDecoder(io.LimitReader(reply.Body, maxToken)).Decode(&answer) == nil && reply.StatusCode == http.StatusOK {
		s.discovered[document] = answer.Endpoint
	}
	return s.discovered[document]
}
