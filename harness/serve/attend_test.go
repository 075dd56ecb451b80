package serve

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/livepage"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// attended is a run with a client that a test uses by hand.
type attended struct {
	Addresses
	t    *testing.T
	end  func() *record.Transcript
	came chan Arrival
}

// attend begins a run. Its end is that of the test, or a call of end.
func attend(t *testing.T, cfg Config, at Attached) *attended {
	t.Helper()
	if cfg.Dialect == nil {
		cfg.Dialect = loadDialect(t, a2a10)
	}
	if at.Listen == "" {
		at.Listen = "127.0.0.1:0"
	}
	a := &attended{t: t, came: make(chan Arrival, 4*maxRequests)}
	ready, over := make(chan Addresses, 1), make(chan error, 1)
	at.Ready = func(to Addresses) { ready <- to }
	at.Came = func(arrival Arrival) { a.came <- arrival }
	ctx, cancel := context.WithCancel(t.Context())
	var tr *record.Transcript
	go func() {
		var err error
		tr, err = Attend(ctx, cfg, at)
		over <- err
	}()
	a.end = sync.OnceValue(func() *record.Transcript {
		cancel()
		if err := <-over; err != nil {
			t.Error(err)
		}
		return tr
	})
	t.Cleanup(func() { a.end() })
	select {
	case a.Addresses = <-ready:
	case err := <-over:
		over <- nil
		t.Fatal(err)
	}
	return a
}

// say has the small client send a message.
func (a *attended) say(text string) string {
	a.t.Helper()
	var out bytes.Buffer
	if err := runTestClient([]string{a.Agent, text}, strings.NewReader(""), &out); err != nil {
		a.t.Fatal(err)
	}
	return out.String()
}

// ask makes one request, and returns the answer with its body.
func (a *attended) ask(method, address, body string, header ...string) (*http.Response, string) {
	a.t.Helper()
	req, err := http.NewRequestWithContext(a.t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	for _, h := range header {
		switch name, value, _ := strings.Cut(h, ": "); name {
		case "":
		case "Host":
			req.Host = value
		default:
			req.Header.Add(name, value)
		}
	}
	caller := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := caller.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return resp, string(text)
}

// choose has the page go on to a scenario, as its button does.
func (a *attended) choose(scenario string) {
	a.t.Helper()
	resp, text := a.ask(http.MethodPost, a.Page+"next", url.Values{"scenario": {scenario}}.Encode(), "Content-Type: application/x-www-form-urlencoded")
	if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") == "" {
		a.t.Fatalf("choosing %q was answered by %s %s", scenario, resp.Status, text)
	}
}

func describePlays(tr *record.Transcript) string {
	var out []string
	for i := range tr.Plays {
		var names []string
		for _, s := range tr.Plays[i].Steps {
			names = append(names, s.Name)
		}
		out = append(out, tr.Plays[i].Scenario+": "+strings.Join(names, " "))
	}
	return strings.Join(out, "; ")
}

func TestAttendClient(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{a2a10, a2a03} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			a := attend(t, Config{Dialect: loadDialect(t, dialect)}, Attached{})
			if got := a.say("hello"); !strings.Contains(got, "The answer is ") {
				t.Errorf("the client printed %q", got)
			}
			a.choose("stream")
			a.choose("")
			a.choose("hello-message")
			a.say("again")
			tr := a.end()
			if got, want := describePlays(tr), "hello: card send; hello-message: card send"; got != want {
				t.Errorf("the record has %s, want %s", got, want)
			}
			if f := tr.Facts; f.Role != record.ClientRole || f.Command != nil || f.Target != a.Agent || f.Calibration == nil || !f.Calibration.Works || f.Calibration.Exits || f.Calibration.Prints || len(f.Calibration.NeverUsed) > 0 {
				t.Errorf("the facts are %+v, calibration %+v", f, f.Calibration)
			}
			for i := range tr.Plays {
				p := &tr.Plays[i]
				if run := p.Client; run.Exit != 0 || run.Ended != 0 || run.Command != nil || run.Stdout != "" || run.Printed() || !p.Has(came) || !p.Has(wentOn) {
					t.Errorf("the play %s has %+v and %+v", p.Scenario, run, p.Reached)
				}
			}
			if err := tr.Contradiction(); err != nil {
				t.Error(err)
			}
			compareAfterFile(t, tr)
		})
	}
}

// A run without a request has a record without a play, and a scenario without one is not in the record.
func TestAttendNobody(t *testing.T) {
	t.Parallel()
	a := attend(t, Config{}, Attached{})
	a.choose("silent")
	if tr := a.end(); len(tr.Plays) != 0 || len(tr.Exchanges) != 0 || tr.Facts.Cut != "" || tr.Facts.Calibration.Works {
		t.Errorf("the record has %d plays and %d exchanges, cut %q", len(tr.Plays), len(tr.Exchanges), tr.Facts.Cut)
	}
}

// An answer that is under way when another scenario is chosen, or the run ends, is recorded as ended by us.
func TestEndAnswersThatAreUnderWay(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*attended){"choice": func(a *attended) { a.choose("hello") }, "end": func(a *attended) { a.end() }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := attend(t, Config{Scenarios: []string{"stream-abandon"}}, Attached{})
			a.choose("stream-abandon")
			resp, err := http.Post(a.Agent+rpcPath, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{"message":{}}}`))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if _, err := resp.Body.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			end(a)
			if _, err := io.ReadAll(resp.Body); err == nil {
				t.Error("the stream came to its end")
			}
			p := a.end().Play("stream-abandon")
			if p == nil || p.Step("stream") == nil || p.Step("stream").Exchange.Ended != record.Aborted {
				t.Errorf("the play is %+v", p)
			}
		})
	}
}

// awaitPage waits until the page shows a text.
func (a *attended) awaitPage(want string) string {
	a.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		_, text := a.ask(http.MethodGet, a.Page, "")
		if strings.Contains(text, want) {
			return text
		}
		if time.Now().After(deadline) {
			a.t.Fatalf("the page does not show %q: %s", want, text)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A page of another origin may call the agent, and its questions whether it may are no calls of the client.
func TestAnswerPagesOfOtherOrigins(t *testing.T) {
	t.Parallel()
	a := attend(t, Config{}, Attached{})
	const origin = "http://app.example.com"
	resp, _ := a.ask(http.MethodOptions, a.Agent+rpcPath, "", "Origin: "+origin, "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: a2a-version,content-type", "Access-Control-Request-Private-Network: true")
	for name, want := range map[string]string{"Access-Control-Allow-Origin": origin, "Access-Control-Allow-Methods": "POST", "Access-Control-Allow-Headers": "a2a-version,content-type", "Access-Control-Allow-Private-Network": "true"} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("the preflight was answered with %s: %q, want %q", name, got, want)
		}
	}
	if resp, _ := a.ask(http.MethodGet, a.Card, "", "Origin: null"); resp.StatusCode != http.StatusOK || resp.Header.Get("Access-Control-Allow-Origin") != "null" {
		t.Errorf("the card was answered by %s with %v", resp.Status, resp.Header)
	}
	if resp, _ := a.ask(http.MethodGet, a.Card, ""); resp.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("a request without an origin was answered with %v", resp.Header)
	}
	if resp, _ := a.ask(http.MethodOptions, a.Agent+"/", ""); resp.StatusCode != http.StatusNotFound {
		t.Errorf("a request that is no preflight was answered by %s", resp.Status)
	}
	if got, want := describePlays(a.end()), "hello: card card-2 stray"; got != want {
		t.Errorf("the record has %s, want %s", got, want)
	}
}

// The page refuses other names, other tokens, and forms of other pages.
func TestRefuseStrangersOnThePage(t *testing.T) {
	t.Parallel()
	a := attend(t, Config{}, Attached{OnePort: true})
	root := a.Page[:strings.Index(a.Page[len("http://"):], "/")+len("http://")]
	for _, page := range []string{a.Page, a.PageOnPort} {
		for name, c := range map[string]struct {
			method, address, header string
			want                    int
		}{
			"host":          {"GET", page, "Host: evil.example.com", http.StatusMisdirectedRequest},
			"host to post":  {"POST", page + "next", "Host: evil.example.com", http.StatusMisdirectedRequest},
			"origin":        {"POST", page + "next", "Origin: http://evil.example.com", http.StatusForbidden},
			"no origin":     {"POST", page + "next", "Origin: null", http.StatusForbidden},
			"site":          {"POST", page + "next", "Sec-Fetch-Site: cross-site", http.StatusForbidden},
			"other path":    {"GET", page + "nothing", "", http.StatusNotFound},
			"chosen by GET": {"GET", page + "next", "", http.StatusNotFound},
			"token":         {"GET", root + "/AAAAAAAAAAAAAAAAAAAAAAAAAA/", "", http.StatusNotFound},
			"token of port": {"GET", a.Agent + pagePath + "/AAAAAAAAAAAAAAAAAAAAAAAAAA/", "", http.StatusNotFound},
			"no token":      {"GET", root + "/", "", http.StatusNotFound},
		} {
			if resp, _ := a.ask(c.method, c.address, "", c.header); resp.StatusCode != c.want {
				t.Errorf("%s: answered by %s, want %d", name, resp.Status, c.want)
			}
		}
		resp, text := a.ask(http.MethodPost, page+"next", "scenario="+url.QueryEscape("<script>alert(1)</script>"), "Content-Type: application/x-www-form-urlencoded")
		if resp.StatusCode != http.StatusConflict || strings.Contains(text, "<script>alert") || !strings.Contains(text, "&lt;script&gt;alert") {
			t.Errorf("a scenario that there is not was answered by %s %s", resp.Status, text)
		}
		if resp, _ := a.ask(http.MethodPost, page+"next", "scenario="+strings.Repeat("x", maxForm), "Content-Type: application/x-www-form-urlencoded"); resp.StatusCode != http.StatusConflict {
			t.Errorf("a form that is too large was answered by %s", resp.Status)
		}
	}
	resp, text := a.ask(http.MethodGet, a.Page, "")
	_, nonce, _ := strings.Cut(resp.Header.Get("Content-Security-Policy"), "script-src 'nonce-")
	nonce, _, _ = strings.Cut(nonce, "'")
	if nonce == "" || strings.Count(text, `nonce="`+nonce+`"`) != 2 || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the page has the fields %v", resp.Header)
	}
	for _, p := range a.end().Plays {
		for _, s := range p.Steps {
			if strings.Contains(s.Exchange.URL, a.PageOnPort) {
				t.Errorf("the record has the request for the page %s", s.Exchange.URL)
			}
		}
	}
}

// The page shows what came, with nothing of it as markup, and the verdict of whoever judges.
func TestShowRequestsOnThePage(t *testing.T) {
	t.Parallel()
	judged := func(tr *record.Transcript) livepage.Summary {
		return livepage.Summary{Verdict: fmt.Sprintf("judged %d", len(tr.Exchanges)), Fails: 1, Failures: []livepage.Failure{{ID: "X-1", Level: "MUST", Statement: "It holds.", Reason: "<img src=x onerror=alert(1)>"}}}
	}
	a := attend(t, Config{}, Attached{Judge: judged})
	a.ask("GET", a.Agent+"/%3Cb%3E?<b>bold</b>", "")
	if got := <-a.came; got.Scenario != "hello" || got.Name != "stray" || got.Method != "GET" || got.Status != http.StatusNotFound {
		t.Errorf("what came was reported as %+v", got)
	}
	text := a.awaitPage("judged 1")
	for _, want := range []string{"1 request: stray", "&lt;b&gt;bold&lt;/b&gt;", "&lt;img src=x onerror=alert(1)&gt;", DefaultText} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(text, "<b>bold") || strings.Contains(text, "<img") {
		t.Error("the page has the markup of a client")
	}
	a.choose("turns")
	if text := a.awaitPage("Now: turns"); !strings.Contains(text, DefaultSecond) {
		t.Error("the page lacks the second text")
	}
	a.say("hello")
	a.awaitPage("judged 3")
}

// With one port, the page and the second origin are below paths of it.
func TestAttendAtOnePort(t *testing.T) {
	t.Parallel()
	a := attend(t, Config{}, Attached{OnePort: true})
	if !strings.HasPrefix(a.PageOnPort, a.Agent+pagePath+"/") {
		t.Fatalf("the page is at %s", a.PageOnPort)
	}
	resp, _ := a.ask(http.MethodPost, a.PageOnPort+"next", "scenario=interfaces-url", "Content-Type: application/x-www-form-urlencoded", "Origin: "+a.Agent)
	if resp.StatusCode != http.StatusSeeOther {
		t.Fatalf("the choice was answered by %s", resp.Status)
	}
	_, text := a.ask(http.MethodGet, a.PageOnPort, "")
	if !strings.Contains(text, "Now: interfaces-url") || strings.Contains(text, "card-redirect-origin") {
		t.Errorf("the page is %s", text)
	}
	_, card := a.ask(http.MethodGet, a.Card, "")
	if want := a.Agent + secondOriginPath + "/agents/one/rest/"; !strings.Contains(card, want) {
		t.Errorf("the card has not %s: %s", want, card)
	}
	a.ask(http.MethodPost, a.Agent+secondOriginPath+"/agents/one/rest/message:send", `{"message":{}}`, "Content-Type: application/json")
	if got, want := describePlays(a.end()), "interfaces-url: card send"; got != want {
		t.Errorf("the record has %s, want %s", got, want)
	}
}

// The address by which a client calls us may be another than the one that we listen on.
func TestNameAttachedAddresses(t *testing.T) {
	t.Parallel()
	a := attend(t, Config{}, Attached{Listen: "localhost:0", URL: "https://Agent.example.com:443/"})
	if a.Agent != "https://agent.example.com" || a.Card != "https://agent.example.com/.well-known/agent-card.json" {
		t.Errorf("the addresses are %+v", a.Addresses)
	}
	for name, at := range map[string]Attached{
		"not HOST:PORT":    {Listen: "8080"},
		"every address":    {Listen: "0.0.0.0:0"},
		"without a path":   {Listen: "127.0.0.1:0", URL: "http://h/path"},
		"without a path ":  {Listen: "127.0.0.1:0", URL: "ftp://h"},
		"user or password": {Listen: "127.0.0.1:0", URL: "http://me:pw@h"},
		"belong together":  {Listen: "127.0.0.1:0", CertFile: "x.pem"},
		"no such file":     {Listen: "127.0.0.1:0", CertFile: "/nowhere/x.pem", KeyFile: "/nowhere/y.pem"},
	} {
		_, err := Attend(t.Context(), Config{Dialect: loadDialect(t, a2a10)}, at)
		if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(name)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Another command finds the run by its file, and learns what is wrong with one that is left over.
func TestChooseScenarioByFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "cache", "attached.json")
	if _, err := ChooseScenario(t.Context(), file, ""); err == nil || !strings.Contains(err.Error(), "no run waits") {
		t.Errorf("without a file: %v", err)
	}
	a := attend(t, Config{Scenarios: []string{"turns"}}, Attached{NextFile: file})
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || a.NextTrouble != "" {
		t.Fatalf("the file is %v (%v, %s)", info, err, a.NextTrouble)
	}
	left, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	now, err := ChooseScenario(t.Context(), file, "turns")
	if err != nil || now.Name != "turns" || now.About == "" || len(now.Do) != 4 || now.Do[1].Text != DefaultText {
		t.Fatalf("it went on to %+v (%v)", now, err)
	}
	if _, err := ChooseScenario(t.Context(), file, "nothing"); err == nil || !strings.Contains(err.Error(), `no scenario "nothing"`) {
		t.Errorf("a scenario that there is not: %v", err)
	}
	a.say("hello")
	for _, want := range []string{"hello", "card-broken-html", "no-answer-html"} { // none of which has had a request
		if now, err = ChooseScenario(t.Context(), file, now.Name); err != nil {
			t.Fatal(err)
		}
		if _, err = ChooseScenario(t.Context(), file, want); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		a.ask("GET", a.Card, "")
	}
	if _, err := ChooseScenario(t.Context(), file, ""); err == nil || !strings.Contains(err.Error(), "every scenario has had requests") {
		t.Errorf("at the end: %v", err)
	}
	a.end()
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the file is still there (%v)", err)
	}
	for text, want := range map[string]string{
		string(left):                           "left from a run that is over",
		`{"page":"http://evil.example.com/x"}`: "no page of this machine",
		`{`:                                    "no file of such a run",
		strings.Repeat("x", maxNextFile+1):     "too large",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ChooseScenario(t.Context(), file, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %s", text, err, want)
		}
	}
}

// Neither requests nor plays are without a bound.
func TestBoundAttachedRuns(t *testing.T) {
	t.Parallel()
	a := attend(t, Config{Scenarios: []string{"hello"}}, Attached{})
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	for i := range maxKept + 5 {
		resp, err := (&http.Client{Transport: transport}).Get(a.Agent + "/x")
		if err != nil {
			t.Fatal(i, err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	for range maxPlays - 1 {
		a.choose("hello")
		a.ask("GET", a.Card, "")
	}
	a.choose("hello")
	resp, text := a.ask(http.MethodPost, a.Page+"next", "scenario=hello", "Content-Type: application/x-www-form-urlencoded")
	if resp.StatusCode != http.StatusConflict || !strings.Contains(text, "takes no more") {
		t.Errorf("one play too many was answered by %s", resp.Status)
	}
	tr := a.end()
	if got := tr.Plays[0]; len(tr.Plays) != maxPlays || len(got.Steps) != maxKept || got.Client.Surplus != 5 {
		t.Errorf("the record has %d plays, the first with %d requests and %d more", len(tr.Plays), len(got.Steps), got.Client.Surplus)
	}
}

// The agent may be reached by TLS, with a certificate of the operator's.
func TestAttendOverTLS(t *testing.T) {
	t.Parallel()
	lent := httptest.NewTLSServer(nil) // whose certificate is for 127.0.0.1
	defer lent.Close()
	pair := lent.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	at := Attached{CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem")}
	for file, block := range map[string]*pem.Block{at.CertFile: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, at.KeyFile: {Type: "PRIVATE KEY", Bytes: key}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := attend(t, Config{}, at)
	if !strings.HasPrefix(a.Agent, "https://127.0.0.1:") {
		t.Fatalf("the agent is at %s", a.Agent)
	}
	if resp, err := http.Get(a.Card); err == nil { // it does not trust the certificate
		resp.Body.Close()
		t.Fatal("the certificate was taken")
	}
	if text := a.awaitPage("No request has come yet."); !strings.Contains(text, "0 of ") {
		t.Error("a handshake that failed counts as a request")
	}
	resp, err := lent.Client().Get(a.Card)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	tr := a.end()
	if p := tr.Play("hello"); p == nil || p.Step("card") == nil || p.Step("card").Exchange.TLS == nil {
		t.Errorf("the record has %s", describePlays(tr))
	}
	compareAfterFile(t, tr)
}
