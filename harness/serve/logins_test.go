package serve

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// loginClient calls as a scenario wants it, and follows no redirect.
type loginClient struct {
	http *http.Client
	t    *Task
}

// fetch makes a request, and returns the status, the address of a redirect and the body.
func (c *loginClient) fetch(method, address string, form url.Values, edit func(*http.Request)) (status int, to *url.URL, body string, err error) {
	q, err := http.NewRequest(method, address, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, nil, "", err
	}
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if edit != nil {
		edit(q)
	}
	answer, err := c.http.Do(q)
	if err != nil {
		return 0, nil, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	to, _ = answer.Location()
	return answer.StatusCode, to, string(text), err
}

// call sends a message with a token.
func (c *loginClient) call(token string) (status int, err error) {
	q, err := http.NewRequest(http.MethodPost, c.t.RPC, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}}`))
	if err != nil {
		return 0, err
	}
	q.Header.Set("Content-Type", "application/json")
	if token != "" {
		q.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := c.http.Do(q)
	if err != nil {
		return 0, err
	}
	return answer.StatusCode, answer.Body.Close()
}

// readToken returns the token in the answer of a token endpoint.
func readToken(body string) string {
	var answer struct {
		Token string `json:"access_token"`
	}
	json.Unmarshal([]byte(body), &answer)
	return answer.Token
}

// playLogin plays a scenario with a function that makes its own requests.
func playLogin(t *testing.T, scenario string, play func(c *loginClient) error) *record.Play {
	t.Helper()
	tr := runClient(t, Config{Dialect: loadDialect(t, a2a10), Scenarios: []string{scenario}, With: []string{WithCredentials, WithTLS}, Func: func(_ context.Context, task *Task) error {
		c := &loginClient{t: task, http: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
		ca, err := os.ReadFile(task.CA)
		if err != nil {
			return err
		}
		cfg := &tls.Config{RootCAs: x509.NewCertPool()}
		cfg.RootCAs.AppendCertsFromPEM(ca)
		if task.Cert != "" {
			pair, err := tls.LoadX509KeyPair(task.Cert, task.CertKey)
			if err != nil {
				return err
			}
			cfg.Certificates = []tls.Certificate{pair}
		}
		c.http.Transport = &http.Transport{TLSClientConfig: cfg, DisableKeepAlives: true}
		if task.Scenario != scenario {
			_, err := c.call("")
			return err
		}
		return play(c)
	}})
	refuteTrouble(t, tr)
	p := tr.Play(scenario)
	if p == nil || p.Client.Exit != 0 {
		t.Fatalf("%s: %+v", scenario, p)
	}
	return p
}

// A code is good once, for whoever has the verifier of its challenge; no other request gets one, or a token.
func TestAuthorizeByCode(t *testing.T) {
	t.Parallel()
	const verifier, challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" // of RFC 7636
	p := playLogin(t, "auth-oauth-code", func(c *loginClient) error {
		ask, at := c.t.URL+authorizePath, c.t.URL+tokenPath
		id := c.t.Credentials[record.ClientIDCanary]
		good := func() url.Values {
			return url.Values{"response_type": {"code"}, "client_id": {id}, "redirect_uri": {"http://127.0.0.1:1/back?a=b"}, "state": {"s&=\r\n"}, "code_challenge": {challenge}, "code_challenge_method": {"S256"}}
		}
		for name, edit := range map[string]func(url.Values){
			"no client": func(q url.Values) { q.Del("client_id") }, "no address": func(q url.Values) { q.Del("redirect_uri") }, "a path": func(q url.Values) { q.Set("redirect_uri", "/back") },
			"a long address": func(q url.Values) { q.Set("redirect_uri", "http://127.0.0.1/"+strings.Repeat("x", maxRedirect)) }, "two lines": func(q url.Values) { q.Set("redirect_uri", "http://127.0.0.1/\r\nX: y") },
		} {
			q := good()
			edit(q)
			if status, to, _, err := c.fetch(http.MethodGet, ask+"?"+q.Encode(), nil, nil); err != nil || status != http.StatusBadRequest || to != nil {
				return fmt.Errorf("%s: %d %v %v", name, status, to, err)
			}
		}
		for want, edit := range map[string]func(url.Values){"invalid_request": func(q url.Values) { q.Del("code_challenge") }, "unsupported_response_type": func(q url.Values) { q.Set("response_type", "token") }} {
			q := good()
			edit(q)
			if status, to, _, err := c.fetch(http.MethodGet, ask+"?"+q.Encode(), nil, nil); err != nil || status != http.StatusFound || to.Query().Get("error") != want || to.Query().Get("code") != "" {
				return fmt.Errorf("%s: %d %v %v", want, status, to, err)
			}
		}
		trade := func(edit func(url.Values)) (status int, token string, err error) {
			status, to, _, err := c.fetch(http.MethodPost, ask, good(), nil)
			if err != nil || status != http.StatusFound || to.Query().Get("state") != "s&=\r\n" || to.Query().Get("a") != "b" || to.Host != "127.0.0.1:1" {
				return status, "", fmt.Errorf("%d %v %w", status, to, err)
			}
			form := url.Values{"grant_type": {codeGrant}, "code": {to.Query().Get("code")}, "redirect_uri": {"http://127.0.0.1:1/back?a=b"}, "client_id": {id}, "code_verifier": {verifier}}
			edit(form)
			var body string
			if status, _, body, err = c.fetch(http.MethodPost, at, form, nil); err != nil || status != http.StatusOK {
				return status, readToken(body), err
			}
			if again, _, more, _ := c.fetch(http.MethodPost, at, form, nil); again != http.StatusBadRequest || readToken(more) != "" {
				return status, "", errors.New("a code is good twice")
			}
			return status, readToken(body), nil
		}
		for name, edit := range map[string]func(url.Values){
			"no verifier": func(q url.Values) { q.Del("code_verifier") }, "another verifier": func(q url.Values) { q.Set("code_verifier", challenge) }, "another address": func(q url.Values) { q.Set("redirect_uri", "http://127.0.0.1:1/") },
			"another code": func(q url.Values) { q.Set("code", "x") }, "another grant": func(q url.Values) { q.Set("grant_type", "client_credentials") },
		} {
			if status, token, err := trade(edit); err != nil || status != http.StatusBadRequest || token != "" {
				return fmt.Errorf("%s: %d %v", name, status, err)
			}
		}
		_, token, err := trade(func(url.Values) {})
		if err != nil || token == "" {
			return fmt.Errorf("there is no token: %w", err)
		}
		if status, err := c.call("other"); err != nil || status != http.StatusUnauthorized {
			return fmt.Errorf("another token: %d %w", status, err)
		}
		status, err := c.call(token)
		if status != http.StatusOK {
			err = fmt.Errorf("the token is refused: %d %w", status, err)
		}
		return err
	})
	if p.Step("authorize") == nil || p.Step("token") == nil || p.Step("send") == nil {
		t.Errorf("the requests have other names: %+v", p.Steps)
	}
	for _, s := range p.Steps {
		if strings.Contains(string(s.Exchange.Response.Body), `"access_token":"`+canaryMark) {
			t.Errorf("the record has the token: %s", s.Exchange.Response.Body)
		}
	}
}

// The discovery document names a token endpoint, which gives a token.
func TestDiscoverTokenEndpoint(t *testing.T) {
	t.Parallel()
	playLogin(t, "auth-oidc", func(c *loginClient) error {
		_, _, text, err := c.fetch(http.MethodGet, c.t.URL+discoveryPath, nil, nil)
		if err != nil {
			return err
		}
		var document map[string]any
		if err := json.Unmarshal([]byte(text), &document); err != nil {
			return err
		}
		for _, name := range strings.Fields("issuer authorization_endpoint token_endpoint jwks_uri response_types_supported subject_types_supported id_token_signing_alg_values_supported") { // which are required
			if document[name] == nil {
				return fmt.Errorf("the document lacks %s", name)
			}
		}
		at := document["token_endpoint"].(string)
		own := func(q *http.Request) {
			q.SetBasicAuth(c.t.Credentials[record.ClientIDCanary], c.t.Credentials[record.ClientSecretCanary])
		}
		if status, _, body, err := c.fetch(http.MethodPost, at, url.Values{"grant_type": {"client_credentials"}}, nil); err != nil || status != http.StatusUnauthorized || readToken(body) != "" {
			return fmt.Errorf("without a secret: %d %w", status, err)
		}
		_, _, body, err := c.fetch(http.MethodPost, at, url.Values{"grant_type": {"client_credentials"}}, own)
		if err != nil {
			return err
		}
		if status, err := c.call(readToken(body)); err != nil || status != http.StatusOK {
			return fmt.Errorf("the token is refused: %d %w", status, err)
		}
		return nil
	})
}

// Whoever shows a certificate is let in, and the record states whose it was.
func TestAskForCertificates(t *testing.T) {
	t.Parallel()
	p := playLogin(t, "auth-mtls", func(c *loginClient) error {
		if status, err := c.call(""); err != nil || status != http.StatusOK {
			return fmt.Errorf("with a certificate: %d %w", status, err)
		}
		c.http.Transport.(*http.Transport).TLSClientConfig.Certificates = nil
		if status, err := c.call(""); err != nil || status != http.StatusUnauthorized {
			return fmt.Errorf("without a certificate: %d %w", status, err)
		}
		return nil
	})
	if with, without := p.Step("send").Exchange.TLS, p.Step("send-2").Exchange.TLS; !strings.Contains(with.Subject, "a2a-conform tested client") || without.Subject != "" {
		t.Errorf("%+v and %+v", with, without)
	}
}

// The card is at an address of https, and its interfaces are at addresses of http on another host name.
func TestServeInterfacesWithoutTLS(t *testing.T) {
	t.Parallel()
	playLogin(t, "auth-plaintext", func(c *loginClient) error {
		if !strings.HasPrefix(c.t.URL, "https://localhost:") || !strings.HasPrefix(c.t.RPC, "http://127.0.0.1:") {
			return fmt.Errorf("the addresses are %s and %s", c.t.URL, c.t.RPC)
		}
		for token, want := range map[string]int{"": http.StatusUnauthorized, c.t.Credentials[record.BearerCanary]: http.StatusOK} {
			if status, err := c.call(token); err != nil || status != want {
				return fmt.Errorf("got %d, want %d (%w)", status, want, err)
			}
		}
		return nil
	})
}
