package harness

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// moved is a server with two bindings that has its card say something else of where they
// are. HOME in a text is the front's own address, THERE that of the server behind it.
func moved(t *testing.T, there *httptest.Server, says map[string]string) *httptest.Server {
	t.Helper()
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		to, err := http.NewRequestWithContext(r.Context(), r.Method, there.URL+r.URL.RequestURI(), bytes.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		to.Header = r.Header.Clone()
		answer, err := http.DefaultTransport.RoundTrip(to)
		if err != nil {
			return
		}
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		if strings.Contains(r.URL.Path, "/.well-known/") {
			for is, should := range says {
				text = bytes.ReplaceAll(text, []byte(strings.ReplaceAll(is, "THERE", there.URL)), []byte(strings.NewReplacer("HOME", server.URL, "THERE", there.URL).Replace(should)))
			}
		}
		for name, values := range answer.Header {
			if name != "Content-Length" {
				w.Header()[name] = values
			}
		}
		w.WriteHeader(answer.StatusCode)
		w.Write(text)
	}))
	t.Cleanup(server.Close)
	return server
}

// What the card has on the target's host is called, and nothing else without the
// operator's word. One place elsewhere does not keep the others from being called.
func TestWhereInterfacesAre(t *testing.T) {
	t.Parallel()
	d := twoBindings(t, "a2a-0.3")
	there := front(t, d, false)
	const token = "a-long-enough-token"
	opsAway := map[string]string{`"url":"THERE/ops"`: `"url":"http://elsewhere.invalid/ops"`, `"url":"THERE/also"`: `"url":"http://elsewhere.invalid/also"`, `"url":"THERE/"`: `"url":"HOME/"`}
	rpcAway := map[string]string{`"url":"THERE/a2a/v1"`: `"url":"http://elsewhere.invalid/a2a/v1"`, `"url":"THERE/"`: `"url":"http://elsewhere.invalid/"`, `"url":"THERE/ops"`: `"url":"HOME/ops"`, `"url":"THERE/also"`: `"url":"HOME/also"`}
	bothAway := map[string]string{`"url":"THERE/`: `"url":"http://elsewhere.invalid/`}
	rpcHome := map[string]string{`"url":"THERE/"`: `"url":"HOME/"`}
	for _, c := range []struct {
		name     string
		says     map[string]string
		target   operator.Target // THERE and HOME stand for the two servers
		spoken   string          // the bindings in their order, with the server each went to
		withheld string          // with the remedy for each
		usage    string
	}{
		{"on the target's host, whatever the port", rpcHome, operator.Target{}, "JSONRPC HOME, OPS THERE", "", ""},
		{"elsewhere", opsAway, operator.Target{}, "JSONRPC HOME", "OPS: --rpc OPS=http://elsewhere.invalid/ops or --trust-host elsewhere.invalid", ""},
		{"elsewhere, each is wanted", opsAway, operator.Target{Endpoint: operator.Endpoint{Binding: "each"}}, "JSONRPC HOME", "OPS: --rpc OPS=http://elsewhere.invalid/ops or --trust-host elsewhere.invalid", ""},
		{"elsewhere, and another is wanted", opsAway, operator.Target{Endpoint: operator.Endpoint{Binding: "JSONRPC"}}, "JSONRPC HOME", "", ""},
		{"elsewhere, and that is wanted", opsAway, operator.Target{Endpoint: operator.Endpoint{Binding: "OPS"}}, "", "", "give --rpc OPS=http://elsewhere.invalid/ops or --trust-host elsewhere.invalid"},
		{"elsewhere, and the operator knows better", opsAway, operator.Target{Endpoint: operator.Endpoint{Interfaces: map[string]string{"OPS": "THERE/ops"}}}, "JSONRPC HOME, OPS THERE", "", ""},
		{"the preferred one elsewhere", rpcAway, operator.Target{}, "OPS HOME", "JSONRPC: --rpc JSONRPC=http://elsewhere.invalid/ or --trust-host elsewhere.invalid", ""},
		{"the preferred one elsewhere, and the operator knows better", rpcAway, operator.Target{Endpoint: operator.Endpoint{Interfaces: map[string]string{"JSONRPC": "THERE/"}}}, "JSONRPC THERE, OPS HOME", "", ""},
		{"all elsewhere", bothAway, operator.Target{}, "", "", "the card says that calls go to http://elsewhere.invalid/, which is another host than the target"},
		{"all elsewhere, and one endpoint is named", bothAway, operator.Target{Endpoint: operator.Endpoint{RPC: "HOME/"}}, "JSONRPC HOME", "", ""},
		{"one endpoint and another", bothAway, operator.Target{Endpoint: operator.Endpoint{RPC: "HOME/", Interfaces: map[string]string{"OPS": "THERE/ops"}}}, "JSONRPC HOME, OPS THERE", "", ""},
		{"the endpoint is the card's of another binding", opsAway, operator.Target{Endpoint: operator.Endpoint{RPC: "http://elsewhere.invalid/ops"}}, "OPS http://elsewhere.invalid/ops", "", ""},
		{"one endpoint twice", rpcHome, operator.Target{Endpoint: operator.Endpoint{RPC: "HOME/", Interfaces: map[string]string{"JSONRPC": "THERE/"}}}, "", "", "both set the address for JSONRPC"},
		{"another origin, which would get credentials", rpcHome, operator.Target{Credentials: operator.Credentials{Bearer: token}}, "JSONRPC HOME", "OPS: --rpc OPS=THERE/ops or --trust-host 127.0.0.1", ""},
		{"another origin that is trusted", rpcHome, operator.Target{Credentials: operator.Credentials{Bearer: token}, Endpoint: operator.Endpoint{TrustHosts: []string{"127.0.0.1"}}}, "JSONRPC HOME, OPS THERE", "", ""},
		{"another origin that is named", rpcHome, operator.Target{Credentials: operator.Credentials{Bearer: token}, Endpoint: operator.Endpoint{Interfaces: map[string]string{"OPS": "THERE/ops"}}}, "JSONRPC HOME, OPS THERE", "", ""},
		{"another host that is trusted", opsAway, operator.Target{Endpoint: operator.Endpoint{TrustHosts: []string{"Elsewhere.Invalid"}}}, "JSONRPC HOME, OPS http://elsewhere.invalid/ops", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			home := moved(t, there, c.says)
			spell := strings.NewReplacer("HOME", home.URL, "THERE", there.URL)
			target := c.target
			target.URL, target.Dialect, target.RPC = home.URL, d.Name, spell.Replace(target.RPC)
			target.Interfaces = maps.Clone(target.Interfaces)
			for name, address := range target.Interfaces {
				target.Interfaces[name] = spell.Replace(address)
			}
			target.Load = func(string) (*schema.Dialect, error) { return d, nil }
			talk, err := run(t.Context(), target, scenario.All, func(*schema.Dialect) ([]string, error) { return []string{"quick"}, nil })
			if c.usage != "" {
				if u := (*UsageError)(nil); !errors.As(err, &u) || !strings.Contains(u.Text, c.usage) {
					t.Errorf("got %v, want %s", err, c.usage)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var spoken, withheld []string
			for _, by := range talk.Transcript.Facts.Bindings {
				at := ""
				for _, p := range talk.Transcript.Plays {
					if p.Subject.Binding == by && at == "" {
						for _, s := range p.Steps {
							if s.Exchange != nil {
								at = s.Exchange.URL
							}
						}
					}
				}
				for name, url := range map[string]string{"HOME": home.URL, "THERE": there.URL} {
					if strings.HasPrefix(at, url) {
						at = name
					}
				}
				if i := strings.Index(at, "/ops/"); i > 0 {
					at = at[:i+4]
				}
				spoken = append(spoken, by+" "+at)
			}
			for _, w := range talk.Transcript.Facts.Withheld {
				withheld = append(withheld, w.Binding+": "+w.Remedy)
			}
			if got := strings.Join(spoken, ", "); got != c.spoken {
				t.Errorf("spoken: %s, want %s", got, c.spoken)
			}
			if got := strings.Join(withheld, ", "); got != spell.Replace(c.withheld) {
				t.Errorf("withheld: %s, want %s", got, spell.Replace(c.withheld))
			}
			for _, x := range talk.Transcript.Exchanges {
				if strings.Contains(x.URL, "elsewhere.invalid") && len(c.target.TrustHosts) == 0 && c.target.RPC == "" {
					t.Errorf("%s was called", x.URL)
				}
				if c.target.Bearer == "" || !strings.HasPrefix(x.URL, there.URL) {
					continue
				}
				if shown := strings.Contains(string(x.Request.Head), "⟦secret:bearer⟧"); !shown {
					t.Errorf("a place of the operator's was shown no credentials: %s", x.Request.Head)
				}
			}
		})
	}
}

// What a binding that nobody called is judged by is undecided, with the flag that has it
// called; what holds in any is judged by the others, and shown as not tried in it.
func TestUncalledInterfacesAreUndecided(t *testing.T) {
	t.Parallel()
	d := twoBindings(t, "a2a-0.3")
	about := d.Requirement("A2A03-ENV-001")
	about.Binding = "ops"
	there := front(t, d, false)
	home := moved(t, there, map[string]string{`"url":"THERE/ops"`: `"url":"http://elsewhere.invalid/ops"`, `"url":"THERE/also"`: `"url":"http://elsewhere.invalid/also"`})
	talk, err := run(t.Context(), operator.Target{URL: home.URL, Dialect: d.Name, Load: func(string) (*schema.Dialect, error) { return d, nil }},
		scenario.All, func(*schema.Dialect) ([]string, error) { return []string{"quick"}, nil })
	if err != nil {
		t.Fatal(err)
	}
	var har bytes.Buffer
	if err := record.WriteHAR(&har, talk.Transcript); err != nil {
		t.Fatal(err)
	}
	again, err := record.ReadHAR(&har)
	if err != nil {
		t.Fatal(err)
	}
	for _, transcript := range []*record.Transcript{talk.Transcript, again} {
		c := verdict.NewDecider(d, transcript, suites.Checks(), nil)
		r := c.Result(about.ID)
		if r.Verdict != report.Inconclusive || r.Remedy != "--rpc OPS=http://elsewhere.invalid/ops or --trust-host elsewhere.invalid" {
			t.Errorf("%s: %s, %s", r.Verdict, r.Reason, r.Remedy)
		}
		if got := cellsOf(&r.Result); got != "JSONRPC not-tried, OPS inconclusive" {
			t.Errorf("the sentence about it is %s", got)
		}
		r = c.Result("A2A03-SEND-002")
		if got := cellsOf(&r.Result); r.Verdict != report.Pass || got != "JSONRPC pass, OPS not-tried" || !strings.Contains(r.Subjects[1].Reason, "was not called") {
			t.Errorf("a sentence about any is %s (%s): %v", r.Verdict, got, r.Subjects)
		}
	}
}

// A card that sends our credentials back in an address leads to no record of them.
func TestUncalledInterfacesHideSecrets(t *testing.T) {
	t.Parallel()
	const token = "a-long-enough-token"
	d := twoBindings(t, "a2a-0.3")
	home := moved(t, front(t, d, false), map[string]string{`"url":"THERE/"`: `"url":"HOME/"`, `"url":"THERE/ops"`: `"url":"http://elsewhere.invalid/` + token + `"`})
	talk, err := run(t.Context(), operator.Target{URL: home.URL, Dialect: d.Name, Load: func(string) (*schema.Dialect, error) { return d, nil }, Credentials: operator.Credentials{Bearer: token}},
		scenario.All, func(*schema.Dialect) ([]string, error) { return []string{"quick"}, nil })
	if err != nil {
		t.Fatal(err)
	}
	said := fmt.Sprint(talk.Transcript.Facts.Withheld)
	if strings.Contains(said, token) || !strings.Contains(said, "secret:bearer") {
		t.Error(said)
	}
}

func cellsOf(r *report.Result) string {
	var out []string
	for _, s := range r.Subjects {
		out = append(out, s.Binding+" "+string(s.Verdict))
	}
	return strings.Join(out, ", ")
}

// Mistakes in where interfaces are end a run before anything is sent.
func TestMistakesInInterfaces(t *testing.T) {
	for _, c := range []struct {
		target operator.Target
		want   string
	}{
		{operator.Target{Dialect: "a2a-0.3", Endpoint: operator.Endpoint{Interfaces: map[string]string{"JSONRCP": "http://x/"}}}, "--rpc JSONRCP=http://x/: unknown binding JSONRCP; did you mean JSONRPC?"},
		{operator.Target{Endpoint: operator.Endpoint{Interfaces: map[string]string{"JSNRPC": "http://x/"}}}, "did you mean JSONRPC?"},
		{operator.Target{Dialect: "a2a-0.3", Endpoint: operator.Endpoint{Interfaces: map[string]string{"soap\x1b[2J": "http://x/"}}}, "choose one of"},
		{operator.Target{Dialect: "a2a-0.3", Endpoint: operator.Endpoint{Interfaces: map[string]string{"JSONRPC": ""}}}, "has no URL"},
		{operator.Target{Dialect: "a2a-0.3", Endpoint: operator.Endpoint{Interfaces: map[string]string{"JSONRPC": "localhost:1"}}}, "is not an http or https URL"},
		{operator.Target{Dialect: "a2a-0.3", Endpoint: operator.Endpoint{Interfaces: map[string]string{"JSONRPC": "http://user:long-password@x/"}}}, "auth.basic"},
		{operator.Target{Dialect: "jaf-0.3", Endpoint: operator.Endpoint{Interfaces: map[string]string{"JSONRPC": "http://x/"}, Agent: "all"}}, "--agent and --rpc"},
		{operator.Target{Endpoint: operator.Endpoint{TrustHosts: []string{"http://x/"}}}, `--trust-host "http://x/" is not the name of a host`},
		{operator.Target{Endpoint: operator.Endpoint{TrustHosts: []string{"x:80"}}}, "without scheme, port"},
		{operator.Target{Endpoint: operator.Endpoint{TrustHosts: []string{"*.example.com"}}}, "is not the name of a host"},
		{operator.Target{Endpoint: operator.Endpoint{TrustHosts: []string{""}}}, "is not the name of a host"},
		{operator.Target{Endpoint: operator.Endpoint{TrustHosts: []string{"[::1]", "agent.example.com"}}}, ""},
	} {
		c.target.URL = "http://127.0.0.1:1"
		err := (&target{c.target}).check()
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v: %v, want %s", c.target.Interfaces, err, c.want)
		case err != nil && (strings.Contains(err.Error(), "long-password") || strings.Contains(err.Error(), "\x1b")):
			t.Errorf("the mistake shows %q", err)
		}
	}
}

// An address without a scheme is TLS where TLS answers, and plain where it does not.
func TestSchemeOfBareAddresses(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	secured := func(cfg *tls.Config) *httptest.Server {
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.TLS, server.Config.ErrorLog = cfg, log.New(io.Discard, "", 0)
		server.StartTLS()
		t.Cleanup(server.Close)
		return server
	}
	secure, strict := secured(&tls.Config{}), secured(&tls.Config{ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12}) // which refuses the handshake
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	r := &runner{}
	for name, c := range map[string]struct{ address, want string }{
		"TLS": {secure.Listener.Addr().String(), "https"}, "TLS that wants to know who we are": {strict.Listener.Addr().String(), "https"},
		"plain HTTP": {plain.Listener.Addr().String(), "http"}, "nobody": {gone.Addr().String(), "https"},
	} {
		if got := r.detectScheme(t.Context(), c.address); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	d := &schema.Dialect{Bindings: map[string]schema.Binding{"GRPC": {Kind: "grpc"}, "JSONRPC": {Kind: schema.KindJSONRPC}}}
	for _, c := range []struct {
		address string
		target  operator.Target
		to      string // HOST stands for the address of the plain server, PORT for its port
		remedy  string
	}{
		{"HOST", operator.Target{}, "http://HOST", ""},
		{secure.Listener.Addr().String(), operator.Target{}, "https://" + secure.Listener.Addr().String(), ""},
		{"0.0.0.0:PORT", operator.Target{}, "http://HOST", ""},
		{"http://0.0.0.0:PORT", operator.Target{}, "http://HOST", ""},
		{"https://HOST", operator.Target{}, "https://HOST", ""},
		{"rpc.example.com:443", operator.Target{}, "", "--rpc GRPC=rpc.example.com:443 or --trust-host rpc.example.com"},
		{"HOST", operator.Target{Credentials: operator.Credentials{Bearer: "a-long-enough-token"}}, "http://HOST", ""}, // there is nobody on the way
		{"HOST", operator.Target{Credentials: operator.Credentials{Bearer: "a-long-enough-token"}, Endpoint: operator.Endpoint{TrustHosts: []string{"127.0.0.1"}}}, "http://HOST", ""},
	} {
		spell := strings.NewReplacer("HOST", plain.Listener.Addr().String(), "PORT", plain.URL[strings.LastIndexByte(plain.URL, ':')+1:])
		c.target.URL = "http://127.0.0.1:1"
		to, held := (&runner{target: target{c.target}}).resolveInterface(t.Context(), d, "GRPC", spell.Replace(c.address))
		if to != spell.Replace(c.to) || (held != nil) != (c.remedy != "") || held != nil && held.Remedy != spell.Replace(c.remedy) {
			t.Errorf("%s: %s, %v", c.address, to, held)
		}
	}
	for address, want := range map[string]string{"localhost:50051": "localhost:50051", "[::1]:1": "[::1]:1", "localhost": "", "localhost:": "", ":1": "", "http://x:1": "", "x:y": "", "a@b:1": "", "x:1/": ""} {
		if got, _ := bareAddress(address); got != want {
			t.Errorf("%s is read as %q", address, got)
		}
	}
	if !slices.Equal([]string{hostName("[::1]"), hostName("x")}, []string{"::1", "x"}) {
		t.Error("the brackets of IPv6 are taken for a part of the name")
	}
}
