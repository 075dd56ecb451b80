package relay

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/schema"
)

// patience is how long a test waits for what has to come.
const patience = 10 * time.Second

// openRelay opens a relay to a server of a test.
func openRelay(t *testing.T, handler http.HandlerFunc, change ...func(*Config)) (*Relay, *httptest.Server) {
	t.Helper()
	upstream := httptest.NewServer(handler)
	t.Cleanup(upstream.Close)
	d, err := schema.Load("a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Upstream: upstream.URL, Dialects: []*schema.Dialect{d}, Started: time.Now()}
	for _, edit := range change {
		edit(&cfg)
	}
	r, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r, upstream
}

// exchange sends bytes on a connection of its own, and returns all that comes until the other side closes it.
func exchange(t *testing.T, base, text string) string {
	t.Helper()
	conn := connect(t, base)
	io.WriteString(conn, text)
	got, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

func connect(t *testing.T, base string) net.Conn {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.DialTimeout("tcp", u.Host, patience)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(patience))
	return conn
}

// cardText is a card whose addresses begin with some origins.
func cardText(origins ...string) string {
	var list []string
	for i, o := range origins {
		list = append(list, fmt.Sprintf(`{"url":"%s/rpc/%d","protocolBinding":"JSONRPC","protocolVersion":"1.0"}`, o, i))
	}
	return `{ "name":"A" , "documentationUrl":"` + origins[0] + `/docs", "supportedInterfaces":[` + strings.Join(list, " , ") + `], "capabilities":{} }`
}

// halve closes a relay and returns its records.
func halve(t *testing.T, r *Relay) traffic.Halves {
	t.Helper()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	r.AwaitQuiet(patience)
	r.Close()
	h, err := r.Halve(record.ClientRun{Ended: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// What is passed on is what was sent, but for the fields about the connection and Host: names of fields keep their
// letters, and nothing is added.
func TestOnlyTheConnectionIsChanged(t *testing.T) {
	got := make(chan string, 1)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		in := bufio.NewReader(conn)
		var head strings.Builder
		for {
			line, err := in.ReadString('\n')
			if head.WriteString(line); err != nil || line == "\r\n" {
				break
			}
		}
		body := make([]byte, 2)
		io.ReadFull(in, body)
		got <- head.String() + string(body)
		io.WriteString(conn, "HTTP/1.1 207 My Own\r\nx-LOWER: a  b\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nContent-Length: 3\r\n\r\nabc")
	}()
	r, _ := openRelay(t, nil, func(c *Config) { c.Upstream = "http://" + l.Addr().String() })
	answer := exchange(t, r.URL(), "POST /rpc?x=%41 HTTP/1.1\r\nHost: relay\r\nx-SmaLL: 1\r\nConnection: close, x-gone\r\nx-gone: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
	sent := <-got
	if want := "POST /rpc?x=%41 HTTP/1.1\r\n"; !strings.HasPrefix(sent, want) {
		t.Errorf("the server was sent %q, want %q first", sent, want)
	}
	for _, want := range []string{"\r\nx-SmaLL: 1\r\n", "\r\nHost: " + l.Addr().String() + "\r\n", "\r\n\r\n{}"} {
		if !strings.Contains(sent, want) {
			t.Errorf("the server was sent %q, which lacks %q", sent, want)
		}
	}
	for _, no := range []string{"x-gone", "chunked", "User-Agent", "Accept-Encoding"} {
		if strings.Contains(sent, no) {
			t.Errorf("the server was sent %q, which has %q", sent, no)
		}
	}
	if want := "HTTP/1.1 207 My Own\r\nx-LOWER: a  b\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc"; answer != want {
		t.Errorf("the client was given\n%q, want\n%q", answer, want)
	}
}

// Each piece of a stream reaches the client before the server writes the next one.
func TestStreamsAreNotHeldBack(t *testing.T) {
	next := make(chan bool)
	r, _ := openRelay(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 3 {
			fmt.Fprintf(w, "data: %d\n\n", i)
			w.(http.Flusher).Flush()
			select {
			case <-next:
			case <-time.After(patience):
				return
			}
		}
	})
	resp, err := http.Post(r.URL()+"/rpc", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	for i := range 3 {
		line, err := lines.ReadString('\n')
		if want := fmt.Sprintf("data: %d\n", i); line != want || err != nil {
			t.Fatalf("got %q, %v, want %q", line, err, want)
		}
		lines.ReadString('\n')
		next <- true
	}
	if rest, err := io.ReadAll(lines); len(rest) > 0 || err != nil {
		t.Errorf("at the end came %q, %v", rest, err)
	}
	h := halve(t, r)
	if len(h.Server.Exchanges) != 1 || string(h.Server.Exchanges[0].Response.Body) != string(h.Client.Exchanges[0].Response.Body) || !h.Server.Exchanges[0].IsStream() {
		t.Errorf("the halves differ: %+v", h)
	}
}

// A client that leaves a stream ends it at the server, too.
func TestTheServerLearnsThatTheClientLeft(t *testing.T) {
	left := make(chan bool)
	r, _ := openRelay(t, func(w http.ResponseWriter, q *http.Request) {
		fmt.Fprint(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		<-q.Context().Done()
		close(left)
	})
	conn := connect(t, r.URL())
	io.WriteString(conn, "GET /rpc HTTP/1.1\r\nHost: x\r\n\r\n")
	if _, err := bufio.NewReader(conn).ReadString('1'); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	select {
	case <-left:
	case <-time.After(patience):
		t.Error("the server goes on")
	}
}

// Of a card only the origins of interfaces that lead to the server are replaced, byte for byte.
func TestAddressesOnCards(t *testing.T) {
	var given string
	r, upstream := openRelay(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, given) })
	port := upstream.URL[strings.LastIndex(upstream.URL, ":"):]
	for name, c := range map[string]struct {
		card, want string
		note       string
	}{
		"its own":        {cardText(upstream.URL), strings.Replace(cardText(upstream.URL), `"url":"`+upstream.URL, `"url":"`+r.listener.Base(), 1), ""},
		"another name":   {cardText("http://localhost" + port), strings.Replace(cardText("http://localhost"+port), `"url":"http://localhost`+port, `"url":"`+r.listener.Base(), 1), ""},
		"an open host":   {cardText("http://0.0.0.0" + port), strings.Replace(cardText("http://0.0.0.0"+port), `"url":"http://0.0.0.0`+port, `"url":"`+r.listener.Base(), 1), ""},
		"escaped":        {strings.ReplaceAll(cardText(upstream.URL), "/", `\/`), strings.Replace(strings.ReplaceAll(cardText(upstream.URL), "/", `\/`), `"`+strings.ReplaceAll(upstream.URL, "/", `\/`)+`\/rpc\/0"`, `"`+r.listener.Base()+`/rpc/0"`, 1), ""},
		"another origin": {cardText("http://127.0.0.1:1"), cardText("http://127.0.0.1:1"), "is at another origin"},
		"another scheme": {cardText("https://127.0.0.1" + port), cardText("https://127.0.0.1" + port), "is at another origin"},
		"a user":         {cardText("http://u:p@127.0.0.1" + port), cardText("http://u:p@127.0.0.1" + port), "is at another origin"},
		"signed":         {strings.Replace(cardText(upstream.URL), "{", `{"signatures":[{}],`, 1), strings.Replace(cardText(upstream.URL), "{", `{"signatures":[{}],`, 1), "the card is signed"},
		"gRPC":           {strings.Replace(cardText("127.0.0.1"+port), "JSONRPC", "GRPC", 1), strings.Replace(cardText("127.0.0.1"+port), "JSONRPC", "GRPC", 1), "the gRPC interface 127.0.0.1"},
		"relative":       {strings.ReplaceAll(cardText("x"), `"x/`, `"/`), strings.ReplaceAll(cardText("x"), `"x/`, `"/`), ""},
		"no card":        {"[1]", "[1]", ""},
		"no JSON":        {"<html>", "<html>", ""},
		"many addresses": {cardText(slices.Repeat([]string{"http://127.0.0.1:1"}, 30)...), cardText(slices.Repeat([]string{"http://127.0.0.1:1"}, 30)...), "is at another origin"},
	} {
		t.Run(name, func(t *testing.T) {
			given = c.card
			r.notes = card.Notes{}
			resp, err := http.Get(r.URL() + "/.well-known/agent-card.json")
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if got, _ := io.ReadAll(resp.Body); string(got) != c.want {
				t.Errorf("the client was given\n%s, want\n%s", got, c.want)
			}
			noted := r.notes.ListNotes()
			notes := strings.Join(noted, "\n")
			if (notes == "") != (c.note == "") || !strings.Contains(notes, c.note) || strings.Contains(notes, "u:p") || len(noted) > card.MaxNotes {
				t.Errorf("the notes are %q, want %q", notes, c.note)
			}
		})
	}
}

// The server is judged by what it wrote, and the client by what it was given.
func TestBothHalvesAreRecorded(t *testing.T) {
	r, upstream := openRelay(t, func(w http.ResponseWriter, q *http.Request) {
		if strings.HasSuffix(q.URL.Path, ".json") {
			io.WriteString(w, cardText("http://"+q.Host))
			return
		}
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}, func(c *Config) {
		c.Redact = redact.NewRedactor([]redact.Secret{{Name: "token", Value: "a-secret-of-somebody"}})
	})
	for _, call := range []struct{ method, path, body string }{
		{"GET", "/.well-known/agent-card.json", ""},
		{"POST", "/rpc/0", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"parts":[{"text":"a-secret-of-somebody"}]}}}`},
		{"POST", "/rpc/0", `{"jsonrpc":"2.0","id":2,"method":"GetTask","params":{"id":"1"}}`},
		{"POST", "/rpc/0", `{"jsonrpc":"2.0","id":3,"method":"sendMessage"}`},
		{"GET", "/elsewhere", ""},
	} {
		q, err := http.NewRequest(call.method, r.URL()+call.path, strings.NewReader(call.body))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Authorization", "Bearer not-for-the-record")
		resp, err := http.DefaultTransport.RoundTrip(q)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	h := halve(t, r)
	for _, half := range []struct {
		of    *record.Transcript
		names string
		base  string
	}{{h.Client, "cross/card cross/send cross/look cross/call cross/stray", r.listener.Base()}, {h.Server, "card/card thread-1/send thread-2/look thread-3/call thread-4/stray", upstream.URL}} {
		var names []string
		for p, s := range half.of.Steps() {
			names = append(names, p.Scenario+"/"+s.Name)
			if !strings.HasPrefix(s.Exchange.URL, half.base) {
				t.Errorf("%s went to %s, want %s", s.Name, s.Exchange.URL, half.base)
			}
		}
		if got := strings.Join(names, " "); got != half.names {
			t.Errorf("the steps are %q, want %q", got, half.names)
		}
		if card := string(half.of.Exchanges[0].Response.Body); !strings.Contains(card, `"url":"`+half.base+"/rpc/0") {
			t.Errorf("the card is %s, want the addresses of %s", card, half.base)
		}
		if err := half.of.Contradiction(); err != nil {
			t.Error(err)
		}
		var har bytes.Buffer
		if err := record.WriteHAR(&har, half.of); err != nil {
			t.Error(err)
		}
		for _, secret := range []string{"a-secret-of-somebody", "not-for-the-record"} {
			if strings.Contains(har.String(), secret) {
				t.Errorf("the record has %s", secret)
			}
		}
	}
}

// A server that does not answer, or breaks off, does so to the client, too.
func TestAServerThatBreaksOff(t *testing.T) {
	r, _ := openRelay(t, func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/begun" {
			w.Header().Set("Content-Length", "10")
			io.WriteString(w, "abc")
			w.(http.Flusher).Flush()
		}
		panic(http.ErrAbortHandler)
	})
	resp, err := http.Get(r.URL() + "/none")
	if err != nil || resp.StatusCode != http.StatusBadGateway {
		t.Fatalf("without an answer the client was given %v, %v", resp, err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if resp, err = http.Get(r.URL() + "/begun"); err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); string(got) != "abc" || err == nil {
		t.Errorf("of an answer that broke off came %q, %v", got, err)
	}
	h := halve(t, r)
	if x := h.Server.Exchanges[0]; x.Ended != record.Reset {
		t.Errorf("the server's half ended %s (%s)", x.Ended, x.Trouble)
	}
	if x := h.Client.Exchanges[1]; x.Ended != record.OurClose {
		t.Errorf("the client's half ended %s (%s)", x.Ended, x.Trouble)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, address := range []string{"", "localhost:1", "ftp://localhost", "http://"} {
		if r, err := Open(context.Background(), Config{Upstream: address}); err == nil {
			r.Close()
			t.Errorf("%q was taken", address)
		}
	}
}

// What breaks off because we ended the client is not its doing.
func TestAnEndedClientIsExcused(t *testing.T) {
	r, _ := openRelay(t, func(w http.ResponseWriter, q *http.Request) {
		fmt.Fprint(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		<-q.Context().Done()
	})
	conn := connect(t, r.URL())
	io.WriteString(conn, "GET /rpc HTTP/1.1\r\nHost: x\r\n\r\n")
	if _, err := bufio.NewReader(conn).ReadString('1'); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	r.AwaitQuiet(patience)
	r.Close()
	for _, ended := range []bool{false, true} {
		h, err := r.Halve(record.ClientRun{Patience: ended, Ended: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if got := h.Client.Exchanges[0].Ended; (got == record.Aborted) != ended {
			t.Errorf("a client that was ended (%v): %s", ended, got)
		}
	}
}
