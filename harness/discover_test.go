package harness

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// nothing wants no scenario, so that a run ends with its discovery.
func nothing(*schema.Dialect) ([]string, error) { return nil, nil }

// paths is a server of a few documents. SELF in a document stands for its own
// URL; what begins with a digit is a status.
type paths map[string]string

func (p paths) start(t *testing.T) (url string, asked func() []*http.Request) {
	var mu sync.Mutex
	var requests []*http.Request
	var self string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		requests = append(requests, r)
		mu.Unlock()
		text, ok := p[r.Method+" "+r.URL.Path]
		if !ok {
			if text, ok = p["*"]; !ok {
				http.NotFound(w, r)
				return
			}
		}
		status := 200
		if text[0] >= '0' && text[0] <= '9' {
			var location string
			fmt.Sscan(text, &status, &location)
			if location != "" {
				w.Header().Set("Location", location)
			}
		}
		if text[0] == '<' {
			w.Header().Set("Content-Type", "text/html")
		} else {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(status)
		io.WriteString(w, strings.ReplaceAll(text, "SELF", self))
	}))
	t.Cleanup(server.Close)
	self = server.URL
	return server.URL, func() []*http.Request {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(requests)
	}
}

const (
	card01  = "GET /.well-known/agent.json"
	card03  = "GET /.well-known/agent-card.json"
	cardJAF = "GET /.well-known/agent-card"
	good01  = `{"name":"x","url":"SELF/rpc","capabilities":{"streaming":true}}`
	goodA2X = `{"name":"z","description":"d","protocolVersion":"0.3.0","version":"1","url":"SELF/api/a2a","skills":[],"capabilities":{}}`
	good03  = `{"name":"w","protocolVersion":"0.3.0","url":"SELF/","skills":[],"capabilities":{},"defaultInputModes":[],"defaultOutputModes":[]}`
	goodJAF = `{"name":"y","protocolVersion":"0.3.0","capabilities":{}}`
	page    = "<!doctype html><title>Welcome</title>"
)

func TestDiscover(t *testing.T) {
	for _, c := range []struct {
		name    string
		serves  paths
		target  operator.Target // its URL is the server's, unless it begins with a path
		dialect string          // "" where nothing of an A2A server is found
		rpc     string          // after the server's URL
		usage   string          // the flag that a usage error names
	}{
		{"a card of 0.1", paths{card01: good01}, operator.Target{}, "a2a-0.1", "/rpc", ""},
		{"a card of JAF", paths{cardJAF: goodJAF}, operator.Target{}, "jaf-0.3", "/a2a", ""},
		{"a card of A2X", paths{card01: goodA2X}, operator.Target{}, "a2x-0.3", "/api/a2a", ""},
		{"a card of 0.3 at the older place", paths{card01: good03}, operator.Target{}, "a2a-0.3", "/", ""},
		{"a card of 0.3 at both places", paths{card01: good03, "GET /.well-known/agent-card.json": good03}, operator.Target{}, "a2a-0.3", "/", ""},
		{"two cards", paths{card01: good01, cardJAF: goodJAF}, operator.Target{}, "", "", "--dialect a2a-0.1 or --dialect jaf-0.3"},
		{"two cards, the operator chooses", paths{card01: good01, cardJAF: goodJAF}, operator.Target{Dialect: "jaf-0.3"}, "jaf-0.3", "/a2a", ""},
		{"a page for every path, and one card", paths{"*": page, cardJAF: goodJAF}, operator.Target{}, "jaf-0.3", "/a2a", ""},
		{"an error for every path, and one card", paths{"*": `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`, cardJAF: goodJAF}, operator.Target{}, "jaf-0.3", "/a2a", ""},
		{"a card elsewhere", paths{"GET /my/card.json": good01}, operator.Target{Endpoint: operator.Endpoint{Card: "/my/card.json"}}, "a2a-0.1", "/rpc", ""},
		{"unknown version", paths{card01: `{"name":"x","protocolVersion":"7.1","url":"SELF/"}`}, operator.Target{}, "", "", "--dialect"},
		{"unknown version, the operator knows", paths{card01: `{"name":"x","protocolVersion":"7.1","url":"SELF/"}`}, operator.Target{Dialect: "a2a-0.1"}, "a2a-0.1", "/", ""},
		{"version that is no string", paths{card01: `{"name":"x","protocolVersion":1,"url":"SELF/"}`}, operator.Target{}, "", "", "--dialect"},
		{"an object that is no card", paths{"*": `{"status":"up"}`}, operator.Target{}, "", "", "--dialect"},
		{"no card, but JSON-RPC", paths{"POST /": `{"jsonrpc":"2.0","id":"discovery","error":{"code":-32601,"message":"Method not found"}}`}, operator.Target{}, "", "", "--dialect"},
		{"a list for every path", paths{"*": `[]`}, operator.Target{}, "", "", ""},
		{"HTML everywhere", paths{"*": page}, operator.Target{}, "", "", ""},
		{"500 everywhere", paths{"*": "500"}, operator.Target{}, "", "", ""},
		{"404 everywhere", paths{}, operator.Target{}, "", "", ""},
		{"401 everywhere", paths{"*": "401"}, operator.Target{}, "", "", "--bearer-env"},
		{"401 everywhere, and the credentials do not fit", paths{"*": "401"}, operator.Target{Credentials: operator.Credentials{Bearer: "tok-12345678"}}, "", "", "give credentials: "},
		{"401 for a card, and another one", paths{card03: "401", card01: good01}, operator.Target{}, "a2a-0.1", "/rpc", ""},
		{"401 everywhere, the operator knows", paths{"*": "401"}, operator.Target{Dialect: "a2a-0.3"}, "a2a-0.3", "", ""},
		{"403 everywhere", paths{"*": "403"}, operator.Target{}, "", "", ""},
		{"redirects everywhere", paths{"*": "302 /elsewhere", "GET /elsewhere": good01}, operator.Target{}, "", "", ""},
		{"500 everywhere, the operator knows", paths{"*": "500"}, operator.Target{Dialect: "a2a-0.1"}, "a2a-0.1", "", ""},
		{"no such dialect", paths{}, operator.Target{Dialect: "a2a-9"}, "", "", "--dialect"},

		{"endpoint, relative", paths{card01: `{"name":"x","url":"/agents/rpc"}`}, operator.Target{}, "a2a-0.1", "/agents/rpc", ""},
		{"endpoint, empty", paths{card01: `{"name":"x","url":""}`}, operator.Target{}, "a2a-0.1", "", ""},
		{"endpoint, no URL of ours", paths{card01: `{"name":"x","url":"ws://example.invalid/"}`}, operator.Target{}, "a2a-0.1", "", ""},
		{"endpoint, no string", paths{card01: `{"name":"x","url":7}`}, operator.Target{}, "a2a-0.1", "", ""},
		{"endpoint, any address", paths{card01: `{"name":"x","url":"https://0.0.0.0:1/rpc"}`}, operator.Target{}, "a2a-0.1", "/rpc", ""},
		{"endpoint, any address of six", paths{card01: `{"name":"x","url":"http://[::]:1/rpc"}`}, operator.Target{Credentials: operator.Credentials{Bearer: "tok-12345678"}}, "a2a-0.1", "/rpc", ""},
		{"endpoint, another host", paths{card01: `{"name":"x","url":"http://example.invalid/rpc"}`}, operator.Target{}, "", "", "--rpc http://example.invalid/rpc"},
		{"endpoint, a host that looks local", paths{card01: `{"name":"x","url":"http://127.0.0.1.example.invalid/rpc"}`}, operator.Target{}, "", "", "--rpc http://127.0.0.1.example.invalid/rpc"},
		{"endpoint, another port and credentials", paths{card01: `{"name":"x","url":"http://127.0.0.1:1/rpc"}`}, operator.Target{Credentials: operator.Credentials{Bearer: "tok-12345678"}}, "", "", "--rpc http://127.0.0.1:1/rpc"},
		{"endpoint, another scheme and credentials", paths{card01: `{"name":"x","url":"https://127.0.0.1/rpc"}`}, operator.Target{Credentials: operator.Credentials{APIKey: "tok-12345678"}}, "", "", "--rpc https://127.0.0.1/rpc"},
		{"endpoint, the operator's", paths{card01: `{"name":"x","url":"http://example.invalid/rpc"}`}, operator.Target{Endpoint: operator.Endpoint{RPC: "/mine"}}, "a2a-0.1", "/mine", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			self, asked := c.serves.start(t)
			target := c.target
			target.URL = self
			if target.Card != "" {
				target.Card = self + target.Card
			}
			if target.RPC != "" {
				target.RPC = self + target.RPC
			}
			talk, err := Run(t.Context(), target, nothing)
			for _, r := range asked() {
				if r.URL.Path == "/elsewhere" {
					t.Error("a redirect was followed")
				}
			}
			if c.usage != "" {
				if u := (*UsageError)(nil); !errors.As(err, &u) || !strings.Contains(u.Text, c.usage) {
					t.Errorf("got %v, want a usage error that names %s", err, c.usage)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			facts := talk.Transcript.Facts
			if c.dialect == "" {
				if talk.Dialect != nil || facts.Dialect != "auto" || len(facts.Tried) != len(asked()) || len(talk.Transcript.Exchanges) != len(asked()) {
					t.Errorf("got %v, %q; %d requests, tried %q", talk.Dialect, facts.Dialect, len(asked()), facts.Tried)
				}
				return
			}
			if talk.Dialect == nil || talk.Dialect.Name != c.dialect || facts.Dialect != c.dialect {
				t.Fatalf("got %q", facts.Dialect)
			}
			if want := self + c.rpc; strings.TrimSuffix(facts.RPC, "/") != strings.TrimSuffix(want, "/") {
				t.Errorf("calls go to %s, want %s", facts.RPC, want)
			}
			if p := talk.Transcript.Play("card"); p == nil || len(p.Steps) == 0 {
				t.Errorf("there is no play about the card: %+v", talk.Transcript.Plays)
			}
			if len(talk.Transcript.Exchanges) != len(asked()) {
				t.Errorf("%d requests came, %d exchanges are kept", len(asked()), len(talk.Transcript.Exchanges))
			}
		})
	}
}

func TestDiscoverNothingListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	talk, err := Run(t.Context(), operator.Target{URL: "http://" + l.Addr().String()}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	if talk.Dialect != nil || len(talk.Transcript.Exchanges) == 0 {
		t.Errorf("got %v with %d exchanges", talk.Dialect, len(talk.Transcript.Exchanges))
	}
	for _, x := range talk.Transcript.Exchanges {
		if x.Ended != record.NoDial {
			t.Errorf("%s: %s", x.URL, x.Ended)
		}
	}
}

// TestCredentialsStay: what the operator gives for one origin goes to no other.
func TestCredentialsStay(t *testing.T) {
	const token = "tok>1234?5678"
	elsewhere, askedElsewhere := paths{"GET /card.json": `{"name":"x","url":"SELF/rpc"}`}.start(t)
	self, asked := paths{}.start(t)
	run := func(target operator.Target) error {
		target.URL, target.Card = self, elsewhere+"/card.json"
		target.Bearer, target.Header = token, http.Header{"X-Tenant": {"mine"}}
		_, err := Run(t.Context(), target, nothing)
		return err
	}
	if u := (*UsageError)(nil); !errors.As(run(operator.Target{}), &u) || !strings.Contains(u.Text, "--rpc "+elsewhere) {
		t.Errorf("got %v", u)
	}
	if err := run(operator.Target{Dialect: "a2a-0.1", Endpoint: operator.Endpoint{RPC: self}}); err != nil {
		t.Error(err)
	}
	if len(asked()) == 0 || len(askedElsewhere()) == 0 {
		t.Fatal("one of the two was not asked at all")
	}
	for _, r := range asked() {
		if r.Header.Get("Authorization") != "Bearer "+token || r.Header.Get("X-Tenant") != "mine" {
			t.Errorf("%s came to the target with %v", r.URL, r.Header)
		}
	}
	for _, r := range askedElsewhere() {
		if r.Header.Get("Authorization") != "" || r.Header.Get("X-Tenant") != "" {
			t.Errorf("%s went elsewhere with %v", r.URL, r.Header)
		}
	}
}

// TestNothingSecretIsKept has a server publish what it is sent, and the
// operator write the secret where it does not belong.
func TestNothingSecretIsKept(t *testing.T) {
	const token = `tok>1234?5/67"8`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		fmt.Fprintf(w, `{"name":%q,"url":"/","description":"%s","q":"%s"}`, r.Header.Get("Authorization"), base64.StdEncoding.EncodeToString([]byte("x"+token)), url.QueryEscape(token))
	}))
	defer server.Close()
	for _, target := range []operator.Target{{}, {Dialect: "a2a-0.1"}} {
		target.URL, target.Bearer = server.URL+"/?t="+url.QueryEscape(token), token
		target.Stimuli = map[string]operator.Stimulus{"quick": {Text: "say " + token}}
		talk, err := Run(t.Context(), target, nothing)
		if err != nil {
			t.Fatal(err)
		}
		var har bytes.Buffer
		if err := record.WriteHAR(&har, talk.Transcript); err != nil {
			t.Fatal(err)
		}
		if text := har.String(); strings.Contains(text, "1234?5") || strings.Contains(text, "1234%3F5") || !strings.Contains(text, "⟦secret:bearer⟧") {
			t.Errorf("the transcript holds the secret:\n%s", text)
		}
		for _, x := range talk.Transcript.Exchanges {
			if text := string(x.Response.Body) + string(x.Request.Head) + string(x.Response.Head); strings.Contains(text, "1234") || strings.Contains(text, "MTIzN") {
				t.Errorf("an exchange holds the secret: %s", text)
			}
		}
	}
}

// TestFactsAreStable: the same target gives the same facts in every run.
func TestFactsAreStable(t *testing.T) {
	self, _ := paths{card01: good01}.start(t)
	target := operator.Target{URL: self, Credentials: operator.Credentials{Header: http.Header{"X-Api-Key": {"12345678"}, "Cookie": {"a=12345678;b=12345678"}, "Authorization": {"Bearer 12345678"}}}}
	for range 10 {
		talk, err := Run(t.Context(), target, nothing)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(talk.Transcript.Facts.Secrets, " "); got != "authorization cookie x-api-key" {
			t.Errorf("got %s", got)
		}
	}
}

func TestOrigins(t *testing.T) {
	for _, c := range []struct {
		a, b         string
		host, origin bool
	}{
		{"http://a", "http://A:80/x", true, true},
		{"https://a", "https://a:443", true, true},
		{"http://a", "https://a", true, false},
		{"http://a:1", "http://a:2", true, false},
		{"http://a", "http://b", false, false},
		{"http://localhost:1", "http://127.0.0.1:1", true, true},
		{"http://LOCALHOST:1", "http://[::1]:1", true, true},
		{"http://0.0.0.0:1", "http://127.0.0.1:1", false, false},
		{"http://[::]:1", "http://[::1]:1", false, false},
		{"http://127.0.0.2:1", "http://127.0.0.1:1", false, false},
		{"http://127.0.0.2:1", "http://localhost:1", false, false},
		{"http://[::ffff:127.0.0.1]:1", "http://127.0.0.1:1", true, true},
		{"http://127.0.0.2:1", "http://127.0.0.2:1", true, true},
		{"http://127.0.0.1", "http://127.example", false, false},
		{"http://127.0.0.1", "http://127.0.0.1.example", false, false},
		{"http://localhost", "http://localhost.example", false, false},
		{"http://[::1]", "http://[::2]", false, false},
	} {
		a, b := parseURLOrEmpty(c.a), parseURLOrEmpty(c.b)
		if sameHost(a, b) != c.host || sameHost(b, a) != c.host || sameOrigin(a, b) != c.origin || sameOrigin(b, a) != c.origin {
			t.Errorf("%s and %s: host %v, origin %v", c.a, c.b, sameHost(a, b), sameOrigin(a, b))
		}
	}
}

func TestInterruptedDiscovery(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	defer server.Close()
	talk, err := Run(ctx, operator.Target{URL: server.URL}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	if talk.Dialect != nil || talk.Transcript.Facts.Cut != "the run was interrupted" {
		t.Errorf("got %v, cut %q", talk.Dialect, talk.Transcript.Facts.Cut)
	}
}
