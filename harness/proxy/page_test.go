package proxy

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/livepage"
)

// secret is what a client or a server says that must not be shown.
const secret = "s3cret-of-somebody-else"

// openPage opens the page of a proxy on which one requirement is broken.
func openPage(t *testing.T, p *Proxy) *Page {
	t.Helper()
	g, err := p.OpenPage("127.0.0.1:0", func() Judged {
		return Judged{At: time.Unix(1_700_000_000, 0), Times: 2, Sides: []livepage.TrafficSide{{Name: "server", Summary: livepage.Summary{Verdict: "nonconformant", Fails: 1, Passes: 4, Undecided: 9,
			Failures: []livepage.Failure{{ID: "X-001", Level: "MUST", Statement: "It must hold."}}}}}}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// A secret that passes is on no page and in no metric, wherever it was.
func TestSecretsAreNotShown(t *testing.T) {
	upstream := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Set-Cookie", "Location", "Www-Authenticate", "X-Own", secret} {
			w.Header().Set(name, "a="+secret)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%q,"result":{"task":{"id":%[1]q,"contextId":%[1]q,"pushNotificationConfig":{"url":"http://h/%[1]s?token=%[1]s","token":%[1]q}}}}`, secret)
	}))
	p := openProxy(t, upstream+"/"+secret, func(c *Config) { c.Only = []string{"/" + secret}; c.Sample = 1 })
	g := openPage(t, p)
	r := newRequest(t, "POST", p.URLs()[0]+"/hooks/"+secret+"?key="+secret, `{"jsonrpc":"2.0","id":"`+secret+`","method":"`+secret+`"}`, "Authorization", "Bearer "+secret, "Cookie", "a="+secret,
		"X-Api-Key", secret, "Referer", "http://h/"+secret, "X-"+secret, secret, "User-Agent", secret, "Origin", "http://"+secret, "Content-Type", "application/"+secret, "Proxy-Authorization", "Basic "+secret)
	r.Host = secret
	send(t, newClient(t, false), r)
	send(t, newClient(t, true), newRequest(t, "POST", p.URLs()[0]+"/"+secret+"/"+secret, secret, "Content-Type", "application/grpc", "Authorization", secret))
	for _, at := range []string{"", "metrics", "version", secret} {
		answer, text := send(t, newClient(t, false), newRequest(t, "GET", g.Address+at, ""))
		if strings.Contains(text+fmt.Sprint(answer.Header), secret) {
			t.Errorf("%s shows the secret: %s", at, text)
		}
		if at == "" && (!strings.Contains(text, "X-001") || !strings.Contains(text, "It must hold.") || strings.Contains(answer.Header.Get("Content-Security-Policy"), "unsafe")) {
			t.Errorf("the page is %s, with %v", text, answer.Header)
		}
	}
	for _, x := range closeAndRecord(t, p, 2) { // what HTTP itself keeps secret is not kept either
		if got := x.In.Request.Header().Get("Authorization"); strings.Contains(got, secret) {
			t.Errorf("the record has %q", got)
		}
	}
}

// The metrics are OpenMetrics, and count what passed.
func TestMetrics(t *testing.T) {
	p := openProxy(t, startAgent(t))
	g := openPage(t, p)
	for range 3 {
		send(t, newClient(t, false), newRequest(t, "GET", p.URLs()[0], ""))
	}
	p.Close()
	answer, text := send(t, newClient(t, false), newRequest(t, "GET", g.Address+"metrics", ""))
	if kind := answer.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/openmetrics-text") {
		t.Errorf("the type is %s", kind)
	}
	for _, want := range []string{`a2a_conform_proxy_exchanges_total{record="recorded"} 3`, `a2a_conform_proxy_exchanges_total{record="dropped"} 0`, "a2a_conform_proxy_held_exchanges 3", "a2a_conform_proxy_open_exchanges 0",
		`a2a_conform_proxy_requirements{side="server",verdict="fail"} 1`, "a2a_conform_proxy_judged_timestamp 1700000000"} {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	described := map[string]bool{}
	line := regexp.MustCompile(`^(?:# (TYPE|HELP) (\w+) .+|(\w+?)(?:_total)?(?:\{\w+="\w+"(?:,\w+="\w+")*\})? \d+)$`)
	body, ended := strings.CutSuffix(text, "# EOF\n")
	for l := range strings.Lines(body) {
		m := line.FindStringSubmatch(strings.TrimSuffix(l, "\n"))
		switch {
		case m == nil:
			t.Errorf("%q is no line of OpenMetrics", l)
		case m[1] == "TYPE" && described[m[2]]:
			t.Errorf("%s is described twice", m[2])
		case m[1] == "TYPE":
			described[m[2]] = true
		case m[1] == "" && !described[m[3]]:
			t.Errorf("%q comes before its description", l)
		}
	}
	if !ended || len(described) < 5 {
		t.Errorf("the metrics are\n%s", text)
	}
}

// The page is served to this machine by its own name alone.
func TestPageIsOfThisMachine(t *testing.T) {
	p := openProxy(t, startAgent(t))
	for _, at := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0", "nonsense"} {
		if g, err := p.OpenPage(at, func() Judged { return Judged{} }); err == nil {
			g.Close()
			t.Errorf("the page is served at %s", at)
		}
	}
	g := openPage(t, p)
	u, err := url.Parse(g.Address)
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int{u.Host: 200, "localhost:" + u.Port(): 200, "evil.example": http.StatusMisdirectedRequest, "evil.example:" + u.Port(): http.StatusMisdirectedRequest} {
		r := newRequest(t, "GET", g.Address, "")
		r.Host = host
		if answer, _ := send(t, newClient(t, false), r); answer.StatusCode != want {
			t.Errorf("by %s, the page answers %d, want %d", host, answer.StatusCode, want)
		}
	}
	if answer, err := http.Post(g.Address, "text/plain", strings.NewReader("x")); err != nil || answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("a POST gets %v, %v", answer, err)
	} else {
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
}
