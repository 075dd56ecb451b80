package serve

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// The paths of what a login needs besides the token endpoint.
const (
	authorizePath = "/oauth/authorize"
	discoveryPath = "/.well-known/openid-configuration"
	loginKeysPath = "/oauth/keys.json"
)

// logins are the scenarios about credentials that the client gets by a login or shows below HTTP, and about addresses without TLS.
var logins = []Script{
	{Name: "auth-plaintext", Twin: "tls", Also: []string{"auth-bearer"}, Doc: "The card demands a token, and is at an address of https. Its interfaces are at addresses of http, on another host name.",
		Needs: []string{WithCredentials, WithTLS}, Grants: []string{record.BearerCanary}, TwoOrigins: true, certificate: goodCertificate, plainFaces: true,
		set: func(s *stage) {
			s.addMarker("artifact")
			for i := range s.faces {
				s.faces[i].origin = 1
			}
			demandCredentials(s, []securityScheme{bearerScheme})
		}},
	{Name: "auth-oauth-code", Twin: "hello", Dialects: []string{a2a10}, Doc: "The card demands a token of the authorization code flow, with PKCE. The authorization endpoint redirects at once, without asking a user.",
		Needs: []string{WithCredentials}, Grants: []string{record.ClientIDCanary, record.TokenCanary},
		set: func(s *stage) {
			s.addMarker("artifact")
			ask, at := s.bases[0]+authorizePath, s.bases[0]+tokenPath
			all := codes{}
			s.places = map[string]place{
				ask: {"authorize", func(a *answerWriter, q *request) { all.answerAuthorization(s, a, q) }},
				at:  {"token", func(a *answerWriter, q *request) { all.answerCode(s, a, q) }},
			}
			demandCredentials(s, []securityScheme{{name: "login", kind: "code", ask: ask, at: at, canary: record.TokenCanary}})
		}},
	{Name: "auth-oidc", Twin: "hello", Dialects: []string{a2a10, a2a03}, Doc: "The card demands a token of OpenID Connect. Its discovery document names a token endpoint, which gives one to a client that shows its id and its secret.",
		Needs: []string{WithCredentials}, Grants: []string{record.ClientIDCanary, record.ClientSecretCanary, record.TokenCanary},
		set: func(s *stage) {
			s.addMarker("artifact")
			base := s.bases[0]
			all := codes{}
			s.places = map[string]place{
				base + discoveryPath: {"discovery", func(a *answerWriter, _ *request) { answerDocument(a, describeIssuer(base)) }},
				base + loginKeysPath: {"discovery-keys", func(a *answerWriter, _ *request) { answerDocument(a, object{"keys": []any{}}) }},
				base + authorizePath: {"authorize", func(a *answerWriter, q *request) { all.answerAuthorization(s, a, q) }},
				base + tokenPath: {"token", func(a *answerWriter, q *request) {
					if form, err := url.ParseQuery(string(q.record.Body)); err == nil && form.Get("grant_type") == codeGrant {
						all.answerCode(s, a, q)
						return
					}
					s.answerTokenRequest(a, q)
				}},
			}
			demandCredentials(s, []securityScheme{{name: "login", kind: "oidc", at: base + discoveryPath, canary: record.TokenCanary}})
		}},
	{Name: "auth-mtls", Twin: "tls", Dialects: []string{a2a10, a2a03}, Doc: "The card demands a certificate of the client, for which its addresses of https ask.",
		Needs: []string{WithCredentials, WithTLS}, certificate: mutualCertificate,
		set: func(s *stage) {
			s.addMarker("artifact")
			demandCredentials(s, []securityScheme{{name: "certificate", kind: "mtls"}})
		}},
}

// answerDocument answers by a document of JSON.
func answerDocument(a *answerWriter, o object) {
	a.writeWhole(http.StatusOK, append(listTypeFields("application/json"), record.Field{Name: "Cache-Control", Value: "no-store"}), encodeJSON(o))
}

// describeIssuer returns the discovery document of OpenID Connect (OpenID Connect Discovery 1.0, section 3).
func describeIssuer(base string) object {
	return object{"issuer": base, "authorization_endpoint": base + authorizePath, "token_endpoint": base + tokenPath, "jwks_uri": base + loginKeysPath,
		"response_types_supported": []any{"code"}, "subject_types_supported": []any{"public"}, "id_token_signing_alg_values_supported": []any{"ES256"},
		"scopes_supported": []any{"openid"}, "grant_types_supported": []any{"client_credentials", codeGrant}, "code_challenge_methods_supported": []any{"S256"},
		"token_endpoint_auth_methods_supported": []any{"client_secret_basic", "client_secret_post", "none"}}
}

const codeGrant = "authorization_code"

// Bounds on what a client asks an authorization endpoint for.
const (
	maxCodes    = 100
	maxRedirect = 2000 // bytes of the address to which it is redirected
)

// codes are those that an authorization endpoint gave and that are not used up, each with what it was asked for.
type codes map[string]url.Values

// answerAuthorization redirects at once, with a code, or with an error if the client asks without PKCE (RFC 6749, section 4.1, and
// RFC 7636).
func (all codes) answerAuthorization(s *stage, a *answerWriter, q *request) {
	asked, err := readAsked(q)
	to, bad := url.Parse(asked.Get("redirect_uri"))
	if err != nil || bad != nil || to.Scheme == "" || len(asked.Get("redirect_uri")) > maxRedirect || s.canaries == nil || asked.Get("client_id") != s.canaries.values[record.ClientIDCanary] {
		a.writeWhole(http.StatusBadRequest, listTypeFields("text/plain"), []byte("an unknown client, or no address to redirect to\n"))
		return
	}
	answer := to.Query()
	if state := asked.Get("state"); state != "" {
		answer.Set("state", state)
	}
	answer.Set("iss", s.bases[0])
	refusal := ""
	switch {
	case asked.Get("response_type") != "code":
		refusal = "unsupported_response_type"
	case asked.Get("code_challenge") == "":
		refusal = "invalid_request"
		answer.Set("error_description", "a code_challenge is required")
	}
	s.editTasks(func() {
		if refusal == "" && len(all) >= maxCodes {
			refusal = "temporarily_unavailable"
		}
		if refusal != "" {
			answer.Set("error", refusal)
			return
		}
		code := s.ids.New()
		all[code] = asked
		answer.Set("code", code)
	})
	to.RawQuery = answer.Encode()
	a.writeWhole(http.StatusFound, []record.Field{{Name: "Location", Value: to.String()}, {Name: "Cache-Control", Value: "no-store"}}, nil)
}

// readAsked returns the parameters of a request for an authorization, which may be in the query or in a form.
func readAsked(q *request) (url.Values, error) {
	if q.Method == http.MethodPost {
		return url.ParseQuery(string(q.record.Body))
	}
	u, err := url.Parse(q.Target)
	if err != nil {
		return nil, err
	}
	return url.ParseQuery(u.RawQuery)
}

// answerCode gives the token to a client that has a code, and the verifier that belongs to it.
func (all codes) answerCode(s *stage, a *answerWriter, q *request) {
	refuse := func(why string) {
		a.writeWhole(http.StatusBadRequest, listTypeFields("application/json"), encodeJSON(object{"error": why}))
	}
	form, err := url.ParseQuery(string(q.record.Body))
	switch {
	case q.Method != http.MethodPost || err != nil:
		refuse("invalid_request")
		return
	case form.Get("grant_type") != codeGrant:
		refuse("unsupported_grant_type")
		return
	}
	var asked url.Values
	s.editTasks(func() { // a code is good once
		asked = all[form.Get("code")]
		delete(all, form.Get("code"))
	})
	if asked == nil || form.Get("redirect_uri") != asked.Get("redirect_uri") || !fitsChallenge(form.Get("code_verifier"), asked) {
		refuse("invalid_grant")
		return
	}
	answerDocument(a, object{"access_token": s.canaries.values[record.TokenCanary], "token_type": "Bearer", "expires_in": 3600})
}

// fitsChallenge reports whether a verifier is the one of which an authorization was asked for.
func fitsChallenge(verifier string, asked url.Values) bool {
	due := verifier
	if asked.Get("code_challenge_method") == "S256" {
		sum := sha256.Sum256([]byte(verifier))
		due = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	return verifier != "" && due == asked.Get("code_challenge")
}
