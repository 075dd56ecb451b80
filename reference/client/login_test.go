package client_test

import (
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/client"
)

// demandingLogin is an agent whose card demands one scheme, as both versions write it.
func demandingLogin(write func(s *testAgent) (now, old object)) func(s *testAgent, card object) {
	return func(s *testAgent, card object) {
		scheme, old := write(s)
		card["securityRequirements"] = []any{object{"schemes": object{"login": object{"list": []any{}}}}}
		if s.dialect == "a2a-0.3" {
			scheme = old
			card["security"] = []any{object{"login": []any{}}}
		}
		card["securitySchemes"] = object{"login": scheme}
	}
}

// demandCode demands a token of the authorization code flow.
func demandCode(s *testAgent) (now, old object) {
	flows := object{"authorizationCode": object{"authorizationUrl": s.base + "/oauth/authorize", "tokenUrl": s.base + "/oauth/token", "scopes": object{}, "pkceRequired": true}}
	return object{"oauth2SecurityScheme": object{"flows": flows}}, object{"type": "oauth2", "flows": flows}
}

// demandDiscovery demands a token of OpenID Connect.
func demandDiscovery(s *testAgent) (now, old object) {
	at := s.base + "/.well-known/openid-configuration"
	return object{"openIdConnectSecurityScheme": object{"openIdConnectUrl": at}}, object{"type": "openIdConnect", "openIdConnectUrl": at}
}

// answerLogin answers what a login asks for besides a token.
func (s *testAgent) answerLogin(w http.ResponseWriter, r *http.Request) bool {
	switch r.URL.Path {
	case "/oauth/authorize":
		asked := r.URL.Query()
		http.Redirect(w, r, asked.Get("redirect_uri")+"?"+url.Values{"state": {asked.Get("state")}, "code": {"the-code"}}.Encode(), http.StatusFound)
	case "/.well-known/openid-configuration":
		json.NewEncoder(w).Encode(object{"issuer": s.base, "token_endpoint": s.base + "/oauth/token"})
	default:
		return false
	}
	return true
}

// signToken signs claims by a key of the agent, under the name of another one.
func (s *testAgent) signToken(by, as string, claims object) string {
	content, _ := json.Marshal(claims)
	signer := &testAgent{signers: map[string]*ecdsa.PrivateKey{as: s.signers[by]}}
	made := signer.sign(as, "", content)
	return fmt.Sprintf("%s.%s.%s", made["protected"], base64url(content), made["signature"])
}

// notifyingByTokens is an agent that brings notifications with tokens, of which the first one and the last one alone are genuine.
func notifyingByTokens(s *testAgent, w http.ResponseWriter, c receivedCall) {
	r := readRegistration(c)
	s.reply(w, c, c.params)
	now := time.Now().Unix()
	claims := func(edit func(object)) object {
		all := object{"aud": []any{r.URL}, "iat": now, "exp": now + 300}
		edit(all)
		return all
	}
	asIs := func(object) {}
	good := s.signToken("own", "own", claims(asIs))
	first, rest, _ := strings.Cut(good, ".")
	_, seal, _ := strings.Cut(rest, ".")
	changed, _ := json.Marshal(claims(func(o object) { o["exp"] = now + 600 }))
	content, _ := json.Marshal(claims(asIs))
	tokens := []string{
		good, "", "x.y", first + "." + base64url(changed) + "." + seal, base64url([]byte(`{"alg":"none","kid":"own"}`)) + "." + base64url(content) + ".",
		s.signToken("stranger", "own", claims(asIs)), s.signToken("stranger", "stranger", claims(asIs)), s.signToken("own", "own", claims(func(o object) { o["aud"] = "https://other.example/hook" })),
		s.signToken("own", "own", claims(func(o object) { o["iat"], o["exp"] = now-300, now-200 })), s.signToken("own", "own", claims(func(o object) { o["iat"] = now - 3600; delete(o, "exp") })),
	}
	go func() {
		for _, token := range tokens {
			s.notify(r, s.wrap("task", s.taskIn("working")), func(h http.Header) { h.Set("Authorization", "Bearer "+token) })
		}
		quiet := testAgent{dialect: s.dialect}
		quiet.notify(r, s.wrap("task", s.taskIn("completed")), func(h http.Header) { h.Set("Authorization", "Bearer "+good) })
	}()
}

func init() {
	ids := func(o *client.Options) {
		o.Credentials = client.Credentials{ClientID: "the-client", ClientSecret: "the-secret"}
	}
	situations["code"] = situation{options: func(o *client.Options) { o.Credentials = client.Credentials{ClientID: "the-client"} }, editCard: demandingLogin(demandCode)}
	situations["discovery"] = situation{options: ids, editCard: demandingLogin(demandDiscovery)}
	situations["plain interface"] = situation{secure: "good", failing: true, options: demanding([]string{"bearer"}).options, editCard: func(s *testAgent, card object) {
		demanding([]string{"bearer"}).editCard(s, card)
		s.setInterfaces(card, s.makeInterface(s.other+"/rpc", "JSONRPC", "1.0"))
	}}
	situations["tokens of notifications"] = situation{signed: "own", options: giveCommands(sendNoWait, `{"do":"push","task":"last","signed":true}`), serve: whenCalled("set-webhook", notifyingByTokens)}
	for mutant, name := range map[string]string{"credentials-by-http": "plain interface", "pkce-ignored": "code", "https-becomes-http": "https", "notice-jwt-decoded-alone": "tokens of notifications", "notice-jwt-of-any-age": "tokens of notifications"} {
		situationNames[mutant] = name
	}
}

// A token is got by each login that the card demands. Cards of the other dialects describe no logins.
func TestTokensAreGotByLogins(t *testing.T) {
	for _, dialect := range []string{"a2a-1.0", "a2a-0.3"} {
		for name, want := range map[string]string{"code": "code_verifier=<id", "discovery": "GET /.well-known/openid-configuration"} {
			code, seen := runHealthy(t, situations[name], dialect, "plain")
			if code != 0 || !strings.Contains(seen, "Authorization: Bearer token-of-the-endpoint") || !strings.Contains(seen, want) || strings.Contains(seen, "the-secret") {
				t.Errorf("%s, %s: %s", dialect, name, seen)
			}
		}
	}
}

// No credential goes to an address of plain HTTP that a card names which came by TLS.
func TestCredentialsStayWithTLS(t *testing.T) {
	for _, dialect := range talking {
		if _, seen := runHealthy(t, situations["plain interface"], dialect, "plain"); strings.Contains(seen, "the-token") || !strings.Contains(seen, "other origin POST /rpc") {
			t.Errorf("%s: %s", dialect, seen)
		}
	}
}

// Of tokens that are not signed, are for somebody else, or are old, none is taken for genuine.
func TestTokensOfNotificationsAreVerified(t *testing.T) {
	for _, dialect := range dialectsWith("webhook") {
		_, seen := runHealthy(t, situations["tokens of notifications"], dialect, "reporting")
		if got := strings.Count(seen, "the webhook answered 200"); got != 1 || strings.Count(seen, "the webhook answered 401") != 9 || strings.Contains(seen, `"credentials"`) {
			t.Errorf("%s: %s", dialect, seen)
		}
	}
}

// A certificate that cannot be read is an error, which names it.
func TestCertificatesOfClients(t *testing.T) {
	if err := (client.Options{Cert: "no certificate", CertKey: "no key"}).Validate(); err == nil || !strings.Contains(err.Error(), "certificate of the client") {
		t.Errorf("a text that is no certificate: %v", err)
	}
}
