package serve

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/signature"
	"github.com/a2a-conform/a2a-conform/schema"
)

// signedRun is what a client that looks at signatures finds in the scenarios of signed cards.
type signedRun struct {
	mu    sync.Mutex
	rules schema.Signed
	found map[string]string // by scenario
}

// lookAtCard verifies the signatures of a card in each form in which it may have been signed.
func (r *signedRun) lookAtCard(ctx context.Context, t *Task) error {
	if !strings.HasPrefix(t.Scenario, "card-signed") && !strings.HasPrefix(t.Scenario, "card-forged") && !strings.HasPrefix(t.Scenario, "card-expired") {
		return runTestClient([]string{t.URL, t.Text}, strings.NewReader(""), t.Stdout)
	}
	roots := x509.NewCertPool()
	if text, err := os.ReadFile(t.CA); err == nil {
		roots.AppendCertsFromPEM(text)
	}
	own := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true}}
	get := func(url string) ([]byte, error) {
		resp, err := own.Get(url)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		return io.ReadAll(resp.Body)
	}
	text, err := get(t.Card)
	if err != nil {
		return err
	}
	given, err := os.ReadFile(t.Keys)
	if err != nil {
		return err
	}
	var context struct{ Keys []json.RawMessage }
	if err := json.Unmarshal([]byte(t.Context), &context); err != nil || len(context.Keys) != 1 || !strings.Contains(string(given), string(context.Keys[0])) {
		return fmt.Errorf("the context has the keys %s, and the file has %s", context.Keys, given)
	}
	root, faults := record.ObserveJSON(text)
	if root == nil || len(faults) > 0 {
		return fmt.Errorf("the card is no JSON: %s", text)
	}
	content, err := signature.Of(root, r.rules)
	if err != nil {
		return err
	}
	out := fmt.Sprintf("%d", len(content.Sound()))
	for _, s := range root.Member("signatures").Elems {
		header, err := signature.ReadHeader(s.Member("protected").String)
		if err != nil {
			return err
		}
		made, err := signature.Read(s.Member("protected").String, s.Member("signature").String)
		if err != nil {
			return err
		}
		list, where := given, "given"
		if at := signature.Member(header, "jku"); at != "" {
			if list, err = get(at); err != nil {
				return err
			}
			where = at[:strings.Index(at, ":")]
		}
		keys, err := signature.ReadKeys(list)
		if err != nil {
			return err
		}
		result := "unknown"
		for _, k := range keys.For(signature.Member(header, "kid"), signature.Member(header, "alg")) {
			result = "wrong"
			if made.Covers(content.Sound()[0].Text, k) {
				result = "valid"
			}
		}
		out += " " + where + " " + result
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found[t.Scenario] = out
	return nil
}

// Each card is signed as its scenario states, and but for the one with defaults there is one form in which it can have been.
func TestSignedCards(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"card-signed-plain": "1 given valid", "card-signed-order": "1 given valid", "card-signed-escapes": "1 given valid", "card-signed-numbers": "1 given valid",
		"card-signed-several": "1 given unknown given valid", "card-signed-jku": "1 http valid", "card-signed-fetched": "1 https valid",
		"card-forged-changed": "1 given wrong", "card-forged-stranger": "1 given unknown", "card-expired-key-gone": "1 https unknown", "card-expired-key-marked": "1 https valid",
	}
	d := loadDialect(t, a2a10)
	r := &signedRun{rules: d.Card.Signed, found: map[string]string{}}
	tr := runClient(t, Config{Dialect: d, Func: r.lookAtCard, Scenarios: []string{"card-signed", "card-forged", "card-expired-key"}, With: []string{WithTLS, WithKeys}})
	refuteTrouble(t, tr)
	for name, w := range want {
		if got := r.found[name]; got != w {
			t.Errorf("%s: %s, want %s", name, got, w)
		}
	}
	if got := r.found["card-signed-defaults"]; !strings.HasSuffix(got, " given valid") || strings.HasPrefix(got, "1 ") {
		t.Errorf("card-signed-defaults: %s", got)
	}
	for i := range tr.Plays {
		if p := &tr.Plays[i]; p.Client.Exit != 0 && !strings.HasPrefix(p.Scenario, "no-") && !strings.HasPrefix(p.Scenario, "card-broken") {
			t.Errorf("%s: %s", p.Scenario, p.Client.Stderr)
		}
	}
	if p := tr.Play("card-signed-fetched"); p == nil || p.Step("keys") == nil || p.Step("keys").Exchange.TLS == nil {
		t.Errorf("the keys were not fetched by TLS: %+v", p)
	}
}

// What a word in braces stands for has to be granted.
func TestWordsNeedTheirExtra(t *testing.T) {
	t.Parallel()
	for word, extra := range wordExtras {
		_, err := Run(t.Context(), Config{Dialect: loadDialect(t, a2a10), Command: []string{"mine", "{" + word + "}"}})
		if err == nil || !strings.Contains(err.Error(), "--with "+extra) {
			t.Errorf("{%s}: %v", word, err)
		}
	}
	got := fillCommand([]string{"mine", "--ca={ca}", "{jwks}"}, &Task{CA: "ca.pem", Keys: "keys.json", URL: "http://u", Text: "hi"})
	if strings.Join(got, " ") != "mine --ca=ca.pem keys.json http://u hi" {
		t.Errorf("the command is %q", got)
	}
}

// A program that is started once has the file of the authority for all of its time.
func TestKeptProgramsTrustTheAuthority(t *testing.T) {
	t.Parallel()
	tr := runClient(t, Config{Dialect: loadDialect(t, a2a10), Command: []string{testCommand()[0], "adapter"}, Keep: true, Scenarios: []string{"tls", "tls-expired"}, With: []string{WithTLS, WithKeys}})
	for name, exit := range map[string]int{"tls": 0, "tls-expired-card": 1, "tls-expired-interface": 1} {
		if p := tr.Play(name); p == nil || p.Client.Exit != exit || !p.Client.Kept {
			t.Errorf("%s: %+v", name, p)
		}
	}
}
