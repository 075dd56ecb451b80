package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/reference"
)

// mistaken are the servers that the mistakes of users are about, by their URLs.
type mistaken struct {
	agent, page, secure, grpc   string
	guarded, guardedOlder       string
	unspecified, overGRPC       string
	below, redirect, away, hang string
	refusing, cut, old          string
	dead, internal              string
	names                       map[string]string // by address
}

// startMistaken starts them all.
func startMistaken(t *testing.T) *mistaken {
	s := &mistaken{names: map[string]string{}}
	s.agent = s.bundled(t, "agent", reference.Options{Dialect: "a2a-1.0"})
	s.guarded = s.bundled(t, "guarded", reference.Options{Dialect: "a2a-1.0", Variant: "guarded-json"})
	s.guardedOlder = s.bundled(t, "guarded-older", reference.Options{Dialect: "a2a-0.3", Variant: "guarded-json"})
	s.unspecified = s.bundled(t, "unspecified", reference.Options{Dialect: "a2a-1.0", Mutant: "card-url-unspecified"})
	both, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-1.0", GRPCAddr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { both.Close() })
	s.names[both.GRPCAddr()] = "grpc.test"
	s.grpc = "http://" + both.GRPCAddr()
	s.overGRPC = s.serve(t, "over-grpc", cardAt("", cardOf(t, both.URL(), "GRPC", "http://"+both.GRPCAddr())))
	s.page = s.serve(t, "page", commandtest.AnswerWith(http.StatusOK, "text/html", "<h1>Welcome</h1>"))
	s.below = s.serve(t, "below", underPath(t, s.agent, "/agents/echo"))
	s.redirect = s.serve(t, "redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://agents.example"+r.URL.Path, http.StatusFound)
	})
	s.away = s.serve(t, "away", commandtest.AnswerWith(http.StatusServiceUnavailable, "text/html", ""))
	s.hang = s.serve(t, "hang", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	s.refusing = s.serve(t, "refusing", commandtest.AnswerWith(http.StatusUnauthorized, "text/plain", ""))
	s.cut = s.serve(t, "cut", cardAt("", `{"name": "x`))
	s.old = s.serve(t, "old", cardAt("", `{"name":"x","url":"HOST/","version":"1","skills":[],"protocolVersion":"0.2.5"}`))
	s.dead = s.serve(t, "dead", cardAt("", cardOf(t, s.agent, "JSONRPC", "http://127.0.0.1:1/rpc")))
	s.internal = s.serve(t, "internal", cardAt("", cardOf(t, s.agent, "JSONRPC", "http://internal-host:8080/a2a/jsonrpc")))
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	s.secure = secure.URL
	s.names[strings.TrimPrefix(secure.URL, "https://")] = "secure.test"
	return s
}

// serve starts a server that output calls by a name.
func (s *mistaken) serve(t *testing.T, name string, h http.HandlerFunc) string {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	s.names[strings.TrimPrefix(server.URL, "http://")] = name + ".test"
	return server.URL
}

// bundled starts the bundled server.
func (s *mistaken) bundled(t *testing.T, name string, o reference.Options) string {
	t.Helper()
	server, err := reference.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	s.names[strings.TrimPrefix(server.URL(), "http://")] = name + ".test"
	return server.URL()
}

// rename puts the names of the servers in the place of their addresses. A port alone is that of
// a server too.
func (s *mistaken) rename(text string) string {
	for address, name := range s.names {
		_, port, _ := net.SplitHostPort(address)
		text = strings.ReplaceAll(text, address, name)
		text = strings.ReplaceAll(text, ":"+port, ":PORT")
	}
	return text
}

// cardAt serves a card below a path and nothing else. HOST in it is the server's own origin.
func cardAt(path, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path+"/.well-known/agent-card.json" {
			http.NotFound(w, r)
			return
		}
		commandtest.AnswerWith(http.StatusOK, "application/json", strings.ReplaceAll(text, "HOST", "http://"+r.Host))(w, r)
	}
}

// cardOf is the card of a bundled server with one interface of its own.
func cardOf(t *testing.T, origin, binding, address string) string {
	t.Helper()
	got, err := http.Get(origin + "/.well-known/agent-card.json")
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	var card map[string]any
	if err := json.NewDecoder(got.Body).Decode(&card); err != nil {
		t.Fatal(err)
	}
	card["supportedInterfaces"] = []any{map[string]any{"url": address, "protocolBinding": binding, "protocolVersion": "1.0"}}
	text, err := json.Marshal(card)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// underPath is a server that passes what comes below a path on to another one, whose card names
// this one.
func underPath(t *testing.T, origin, path string) http.HandlerFunc {
	at, err := url.Parse(origin)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(at)
			r.Out.URL.Path = strings.TrimPrefix(r.In.URL.Path, path)
			r.Out.Header.Set("Accept-Encoding", "identity")
		},
		ModifyResponse: func(r *http.Response) error {
			if !strings.HasSuffix(r.Request.URL.Path, ".json") {
				return nil
			}
			body, err := io.ReadAll(r.Body)
			here, _ := r.Request.Context().Value(http.LocalAddrContextKey).(net.Addr)
			body = bytes.ReplaceAll(body, []byte(origin), []byte("http://"+here.String()+path))
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			r.Header.Del("Content-Length")
			return err
		},
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, path+"/") {
			http.NotFound(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}
}

// resolveNothing has no host name known, whatever the network of this machine is. The names of
// this machine itself are not asked for.
func resolveNothing(t *testing.T) {
	before := net.DefaultResolver
	t.Cleanup(func() { net.DefaultResolver = before })
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go denyNames(there)
		return here, nil
	}}
}

// denyNames answers questions for names, each behind its length as in TCP, with "no such name".
func denyNames(conn net.Conn) {
	defer conn.Close()
	for {
		var size uint16
		if binary.Read(conn, binary.BigEndian, &size) != nil {
			return
		}
		question := make([]byte, size)
		if _, err := io.ReadFull(conn, question); err != nil || size < 12 {
			return
		}
		const answer, noSuchName = 0x80, 3 // RFC 1035, section 4.1.1
		question[2] |= answer
		question[3] = question[3]&0xf0 | noSuchName
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, size), question...)); err != nil {
			return
		}
	}
}
