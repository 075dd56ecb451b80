package proxy

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/internal/testconn"
	"github.com/a2a-conform/a2a-conform/internal/testprocess"
	"github.com/a2a-conform/a2a-conform/schema"
)

// patience is how long a test waits for what has to come.
const patience = 20 * time.Second

// startServer starts a server of HTTP/1.1 and of HTTP/2 in plain.
func startServer(t testing.TB, handler http.Handler) string {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// openProxy opens a proxy to a server.
func openProxy(t testing.TB, upstream string, change ...func(*Config)) *Proxy {
	t.Helper()
	dialects, err := schema.LoadEach("a2a-1.0", "a2a-0.3")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Upstreams: []Upstream{{URL: upstream}}, Dialects: dialects, Started: time.Now()}
	for _, edit := range change {
		edit(&cfg)
	}
	p, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// newClient returns a client of one protocol.
func newClient(t testing.TB, second bool) *http.Client {
	tr := &http.Transport{DisableCompression: true, Protocols: new(http.Protocols)}
	tr.Protocols.SetHTTP1(!second)
	tr.Protocols.SetUnencryptedHTTP2(second)
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// send sends a request and returns the answer with its whole body.
func send(t testing.TB, c *http.Client, r *http.Request) (*http.Response, string) {
	t.Helper()
	answer, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

func newRequest(t testing.TB, method, url, body string, fields ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(fields); i += 2 {
		r.Header.Add(fields[i], fields[i+1])
	}
	return r
}

// closeAndRecord closes a proxy and returns what it recorded.
func closeAndRecord(t testing.TB, p *Proxy, want int) []traffic.Passed {
	t.Helper()
	p.Close()
	got := p.Record().Passed
	if len(got) != want {
		t.Fatalf("%d exchanges were recorded, want %d: %+v", len(got), want, p.Stats())
	}
	return got
}

// Requests and answers pass unchanged, but for the fields about connections and Host.
func TestPassesUnchanged(t *testing.T) {
	for _, second := range []bool{false, true} {
		t.Run(fmt.Sprintf("second %v", second), func(t *testing.T) {
			var came *http.Request
			var body string
			coded := []byte{0x1f, 0x8b, 0, 0xff, 'x'}
			upstream := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				came = r
				text, _ := io.ReadAll(r.Body)
				body = string(text)
				w.Header().Set("X-Own", "a, b")
				w.Header()["Date"], w.Header()["Content-Type"] = nil, nil
				w.Header().Set("Content-Encoding", "zstd")
				w.Header().Set("Trailer", "X-Sum")
				w.WriteHeader(http.StatusTeapot)
				w.(http.Flusher).Flush() // so that no length is made up
				w.Write(coded)
				w.Header().Set("X-Sum", "5")
				w.Header().Set(http.TrailerPrefix+"X-Late", "6")
			}))
			p := openProxy(t, upstream+"/agent")
			r := newRequest(t, "PATCH", p.URLs()[0]+"/a%2Fb;c?x=1;y&&z=%zz", "a body", "Accept-Encoding", "br", "X-Forwarded-For", "1.2.3.4", "Forwarded", "for=x", "X-Twice", "1", "X-Twice", "2", "User-Agent", "mine")
			r.ContentLength = -1
			r.Trailer = http.Header{"X-After": {"late"}}
			answer, text := send(t, newClient(t, second), r)
			if want := "/agent/a%2Fb;c?x=1;y&&z=%zz"; came.RequestURI != want || came.Method != "PATCH" || body != "a body" {
				t.Errorf("the server was asked for %s %s, with %q", came.Method, came.RequestURI, body)
			}
			if came.Host != strings.TrimPrefix(upstream, "http://") || came.ProtoMajor != majorOf(second) {
				t.Errorf("the host was %s, by %s", came.Host, came.Proto)
			}
			want := http.Header{"Accept-Encoding": {"br"}, "X-Forwarded-For": {"1.2.3.4"}, "Forwarded": {"for=x"}, "X-Twice": {"1", "2"}, "User-Agent": {"mine"}}
			if fmt.Sprint(came.Header) != fmt.Sprint(want) {
				t.Errorf("the server was sent %v, want %v", came.Header, want)
			}
			if came.Trailer.Get("X-After") != "late" {
				t.Errorf("the trailer of the request is %v", came.Trailer)
			}
			if answer.StatusCode != http.StatusTeapot || text != string(coded) || answer.Trailer.Get("X-Sum") != "5" || answer.Trailer.Get("X-Late") != "6" {
				t.Errorf("the client was given %d %q, trailer %v", answer.StatusCode, text, answer.Trailer)
			}
			if want := (http.Header{"Content-Encoding": {"zstd"}, "X-Own": {"a, b"}}); fmt.Sprint(answer.Header) != fmt.Sprint(want) {
				t.Errorf("the client was given %v, want %v", answer.Header, want)
			}
			x := closeAndRecord(t, p, 1)[0]
			if x.In.URL != p.URLs()[0]+"/a%2Fb;c?x=1;y&&z=%zz" || x.Out.URL != upstream+"/agent/a%2Fb;c?x=1;y&&z=%zz" || x.Connection == 0 || x.Out.Conn == 0 {
				t.Errorf("recorded %+v, %+v", x.In, x.Out)
			}
			for side, e := range map[string]*record.Exchange{"in": x.In, "out": x.Out} {
				if string(e.Request.Body) != "a body" || e.Status() != http.StatusTeapot || e.Ended != record.EOF || !e.Gaps.Bytes || !e.Gaps.Response || e.Gaps.Request || (e.HTTP2 != nil) != second {
					t.Errorf("%s: %+v, gaps %+v", side, e, e.Gaps)
				}
				if e.Response.Trailers().Get("X-Sum") != "5" || e.Response.Header().Get("X-Own") != "a, b" || e.Request.Header().Get("X-Twice") != "1" || e.Request.Trailers().Get("X-After") != "late" {
					t.Errorf("%s: %s %s %s", side, e.Request.Head, e.Response.Head, e.Response.Trailer)
				}
				if len(e.Response.Body) > 0 {
					t.Errorf("%s keeps a body whose coding is not known", side)
				}
			}
		})
	}
}

// majorOf returns the major version of HTTP of a client.
func majorOf(second bool) int {
	if second {
		return 2
	}
	return 1
}

// Each event of a stream reaches the client before the next one is sent.
func TestStreamsAreFlushed(t *testing.T) {
	for _, second := range []bool{false, true} {
		next := make(chan bool, 1)
		upstream := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", r.URL.Query().Get("type"))
			w.WriteHeader(200)
			w.(http.Flusher).Flush()
			for i := range 3 {
				select {
				case <-next:
				case <-r.Context().Done():
				}
				fmt.Fprintf(w, "data: %d\n\n", i)
				w.(http.Flusher).Flush()
			}
		}))
		p := openProxy(t, upstream)
		for _, kind := range []string{"text/event-stream", "application/grpc", "application/json"} {
			answer, err := newClient(t, second).Do(newRequest(t, "GET", p.URLs()[0]+"/?type="+kind, ""))
			if err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(answer.Body)
			for i := range 3 {
				next <- true
				if line, err := lines.ReadString('\n'); err != nil || line != fmt.Sprintf("data: %d\n", i) {
					t.Fatalf("got %q, %v", line, err)
				}
				lines.ReadString('\n')
			}
			if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 {
				t.Errorf("got %q, %v", rest, err)
			}
			answer.Body.Close()
		}
		for _, x := range closeAndRecord(t, p, 3) {
			if x.Out.Response.MediaType() == "text/event-stream" && (len(x.Out.Events()) != 3 || len(x.Out.Response.Chunks) != 3) {
				t.Errorf("recorded %+v", x.Out.Response)
			}
		}
	}
}

// A refusal of gRPC that is a head alone stays one: its end is the end of the head.
func TestGRPCRefusalIsHeadAlone(t *testing.T) {
	upstream := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Length"] = nil
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Grpc-Status", "12")
	}))
	p := openProxy(t, upstream)
	for range 20 { // a race would not show each time
		answer, err := newClient(t, true).Transport.RoundTrip(newRequest(t, "POST", p.URLs()[0]+"/a.B/C", "", "Content-Type", "application/grpc", "Te", "trailers"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(fmt.Sprintf("%T", answer.Body), "noBody") || answer.Header.Get("Grpc-Status") != "12" || answer.ContentLength != 0 || answer.Header.Get("Content-Length") != "" {
			t.Fatalf("got %+v", answer)
		}
	}
}

// Of compressed bodies, the record has the text; the client gets the bytes.
func TestCompressedBodies(t *testing.T) {
	var coded bytes.Buffer
	z := gzip.NewWriter(&coded)
	io.WriteString(z, `{"a":"text"}`)
	z.Close()
	upstream := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(coded.Bytes())
	}))
	p := openProxy(t, upstream)
	if _, text := send(t, newClient(t, false), newRequest(t, "POST", p.URLs()[0], coded.String(), "Content-Encoding", "gzip", "Accept-Encoding", "gzip")); text != coded.String() {
		t.Errorf("got %q", text)
	}
	x := closeAndRecord(t, p, 1)[0]
	for _, e := range []*record.Exchange{x.In, x.Out} {
		if string(e.Request.Body) != `{"a":"text"}` || string(e.Response.Body) != `{"a":"text"}` || e.Gaps.Request || e.Gaps.Response || len(e.Response.Framing.Faults) > 0 {
			t.Errorf("got %q, %q, %+v", e.Request.Body, e.Response.Body, e.Gaps)
		}
	}
}

// An upgrade passes in both directions, and is not recorded.
func TestUpgradesPassUnrecorded(t *testing.T) {
	upstream := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		io.WriteString(rw, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		rw.Flush()
		io.Copy(c, rw)
	}))
	p := openProxy(t, upstream)
	c := dialProxy(t, p.URLs()[0])
	io.WriteString(c, "GET /socket HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
	r := bufio.NewReader(c)
	answer, err := http.ReadResponse(r, nil)
	if err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
		t.Fatal(answer, err)
	}
	io.WriteString(c, "hello\n")
	if line, err := r.ReadString('\n'); line != "hello\n" {
		t.Errorf("got %q, %v", line, err)
	}
	c.Close()
	closeAndRecord(t, p, 0)
	if s := p.Stats(); s.Upgraded != 1 || s.Passed != 1 {
		t.Errorf("counted %+v", s)
	}
}

// How either side breaks off reaches the other, and is recorded.
func TestBrokenOff(t *testing.T) {
	came, left := make(chan bool, 1), make(chan bool, 1)
	upstream := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/cut":
			io.WriteString(w, "half")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case "/silent", "/open":
			if r.URL.Path == "/open" {
				io.WriteString(w, "half")
				w.(http.Flusher).Flush()
			}
			came <- true
			<-r.Context().Done()
			left <- true
		}
	}))
	p := openProxy(t, upstream)
	answer, err := newClient(t, false).Get(p.URLs()[0] + "/cut")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(answer.Body); string(text) != "half" || err == nil {
		t.Errorf("got %q, %v", text, err)
	}
	for i, path := range []string{"/silent", "/open"} {
		ctx, leave := context.WithCancel(t.Context())
		r, _ := http.NewRequestWithContext(ctx, "GET", p.URLs()[0]+path, nil)
		c := newClient(t, false)
		go func() {
			if answer, err := c.Do(r); err == nil {
				io.ReadAll(answer.Body)
			}
		}()
		testconn.Receive(t, came)
		leave()
		testconn.Receive(t, left) // the server learns that the client has left
		awaitStats(t, p, "a call that has ended", func(s Stats) bool { return s.Passed == int64(i+2) })
	}
	began := make(chan bool)
	go func() {
		answer, err := http.Get(p.URLs()[0] + "/open")
		if err != nil {
			t.Error(err)
		}
		close(began)
		if err == nil {
			io.ReadAll(answer.Body)
		}
	}()
	testconn.Receive(t, began)
	gone, err := http.Get(startClosedProxy(t))
	if err != nil || gone.StatusCode != http.StatusBadGateway {
		t.Errorf("got %v, %v", gone, err)
	}
	got := map[string][2]record.Ended{}
	for _, x := range closeAndRecord(t, p, 4) {
		name := x.In.URL[strings.LastIndexByte(x.In.URL, '/'):]
		if x.In.Ended == record.Aborted {
			name += " at the end"
		}
		got[name] = [2]record.Ended{x.In.Ended, x.Out.Ended}
	}
	want := map[string][2]record.Ended{"/cut": {record.OurClose, record.Reset}, "/silent": {record.Reset, record.OurClose}, "/open": {record.Reset, record.OurClose}, "/open at the end": {record.Aborted, record.Aborted}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// startClosedProxy returns the address of a proxy whose server is gone.
func startClosedProxy(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	p := openProxy(t, "http://"+l.Addr().String())
	t.Cleanup(func() {
		x := closeAndRecord(t, p, 1)[0]
		if x.Out.Ended != record.NoDial || x.Out.Answered() || x.In.Status() != http.StatusBadGateway {
			t.Errorf("recorded %+v, %+v", x.In, x.Out)
		}
	})
	return p.URLs()[0]
}

// cardText is a card whose interfaces are at some addresses.
func cardText(signed string, addresses ...string) string {
	var list []string
	for _, a := range addresses {
		list = append(list, fmt.Sprintf(`{"url":"%s","protocolBinding":"JSONRPC","protocolVersion":"1.0"}`, a))
	}
	return `{ "name":"A" , "documentationUrl":"` + addresses[0] + `/docs", "supportedInterfaces":[` + strings.Join(list, " , ") + `], "capabilities":{}` + signed + ` }`
}

// Of cards, only the origins that lead to a server of the proxy are changed; of signed ones, nothing.
func TestCards(t *testing.T) {
	var own, other string
	signed := ""
	card := func() string { return cardText(signed, own+"/rpc", other+"/rpc", "http://elsewhere.example/rpc") }
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/agent-card.json"):
			if r.Header.Get("Accept-Encoding") != "" {
				t.Error("the card was asked for with a coding")
			}
			io.WriteString(w, card())
		case strings.Contains(string(body), "GetExtendedAgentCard"):
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":%s}`, card())
		default:
			io.WriteString(w, own+other)
		}
	})
	own, other = startServer(t, handler), startServer(t, handler)
	p := openProxy(t, own, func(c *Config) { c.Upstreams = append(c.Upstreams, Upstream{URL: other}) })
	urls := p.URLs()
	want := strings.ReplaceAll(cardText("", own+"/rpc", urls[1]+"/rpc", "http://elsewhere.example/rpc"), `"url":"`+own, `"url":"`+urls[0])
	for _, c := range []struct{ path, body, want string }{
		{"/.well-known/agent-card.json", "", want},
		{"/rpc", `{"jsonrpc":"2.0","id":1,"method":"GetExtendedAgentCard","params":{}}`, `{"jsonrpc":"2.0","id":1,"result":` + want + `}`},
		{"/rpc", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{}}`, own + other},
	} {
		method := "POST"
		if c.body == "" {
			method = "GET"
		}
		for _, base := range urls {
			answer, text := send(t, newClient(t, false), newRequest(t, method, base+c.path, c.body, "Content-Type", "application/json", "A2A-Version", "1.0"))
			if text != c.want || answer.ContentLength != int64(len(text)) {
				t.Errorf("%s: got %s, want %s (%d)", c.path, text, c.want, answer.ContentLength)
			}
		}
	}
	if p.Bypass() != "" || !slices.ContainsFunc(p.Record().Notes, func(n string) bool { return strings.Contains(n, "elsewhere.example") }) {
		t.Errorf("bypass %q, notes %q", p.Bypass(), p.Record().Notes)
	}
	for _, x := range closeAndRecord(t, p, 6)[:2] {
		if string(x.In.Response.Body) != want || !strings.Contains(string(x.Out.Response.Body), own+"/rpc") || x.In.Response.Framing.Received != int64(len(want)) {
			t.Errorf("recorded %s, %s", x.In.Response.Body, x.Out.Response.Body)
		}
	}
	signed = `,"signatures":[{"protected":"e30","signature":"AA"}]`
	p = openProxy(t, own)
	if _, text := send(t, newClient(t, false), newRequest(t, "GET", p.URLs()[0]+"/.well-known/agent-card.json", "")); text != card() || !strings.Contains(p.Bypass(), "signed") {
		t.Errorf("got %s, bypass %q", text, p.Bypass())
	}
	signed = ""
	p = openProxy(t, own, func(c *Config) { c.KeepCards = true })
	if _, text := send(t, newClient(t, false), newRequest(t, "GET", p.URLs()[0]+"/.well-known/agent-card.json", "")); text != card() {
		t.Errorf("got %s", text)
	}
}

// What the operator did not choose passes and is not recorded: other paths, other threads.
func TestSelection(t *testing.T) {
	upstream := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"%s","contextId":"%[1]s-context"}}}`, r.URL.Query().Get("n"))
	}))
	p := openProxy(t, upstream, func(c *Config) { c.Only = []string{"/one/"} })
	for _, path := range []string{"/one", "/one/a", "/oneself", "/two"} {
		send(t, newClient(t, false), newRequest(t, "GET", p.URLs()[0]+path, ""))
	}
	closeAndRecord(t, p, 2)
	if s := p.Stats(); s.LeftOut != 2 || s.Passed != 4 {
		t.Errorf("counted %+v", s)
	}

	p = openProxy(t, upstream, func(c *Config) { c.Sample = 4 })
	c := newClient(t, false)
	const tasks = 200
	for n := range tasks {
		name := fmt.Sprintf("task-number-%d", n)
		send(t, c, newRequest(t, "POST", p.URLs()[0]+"/rpc?n="+name, `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{}}}`))
		send(t, c, newRequest(t, "POST", p.URLs()[0]+"/rpc?n="+name, `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"`+name+`"}}`))
		send(t, c, newRequest(t, "GET", p.URLs()[0]+"/tasks/"+name+":subscribe?n="+name, ""))
	}
	p.Close()
	seen := map[string]int{}
	for _, x := range p.Record().Passed {
		u, _ := url.Parse(x.Out.URL)
		seen[u.Query().Get("n")]++
	}
	for name, n := range seen {
		if n != 3 {
			t.Errorf("of the thread of %s, %d of 3 exchanges were recorded", name, n)
		}
	}
	if len(seen) < tasks/8 || len(seen) > tasks/2 {
		t.Errorf("of %d threads, %d were recorded, and one of 4 was due", tasks, len(seen))
	}
}

// What is kept is bounded, in its number, its size and its age.
func TestRingIsBounded(t *testing.T) {
	upstream := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, strings.Repeat("x", 10_000)) }))
	for _, c := range []struct {
		name   string
		change func(*Config)
		most   int
	}{
		{"number", func(c *Config) { c.Bounds.Exchanges = 7 }, 7},
		{"bytes", func(c *Config) { c.Bounds.Kept = 100_000 }, 10},
		{"age", func(c *Config) { c.Hold = time.Nanosecond }, 0},
		{"room of what is under way", func(c *Config) { c.Bounds.Waiting = 1000 }, 0},
	} {
		p := openProxy(t, upstream, c.change)
		for n := range 30 {
			send(t, newClient(t, false), newRequest(t, "GET", fmt.Sprintf("%s/%d", p.URLs()[0], n), ""))
		}
		p.Close()
		got := p.Record().Passed
		s := p.Stats()
		if len(got) > c.most || c.most > 0 && (len(got) < c.most/2 || !strings.HasSuffix(got[len(got)-1].In.URL, "/29")) || s.Held != len(got) || s.Passed != 30 {
			t.Errorf("%s: %d are kept, %+v", c.name, len(got), s)
		}
		if c.name == "room of what is under way" && s.Dropped != 30 || s.Recorded+s.Dropped != 30 {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
}

// What is kept of an exchange takes about as much memory as its bytes, and not as much as its values once they are read.
func TestKeptExchangesAreUnread(t *testing.T) {
	body := `{"jsonrpc":"2.0","id":1,"result":{"x":[` + strings.Repeat("1234567890123,", 100_000) + `0]}}`
	upstream := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, body)
	}))
	p, c := openProxy(t, upstream), newClient(t, false)
	before := testprocess.HeldMemory()
	send(t, c, newRequest(t, "POST", p.URLs()[0], `{"jsonrpc":"2.0","id":1,"method":"tasks/get"}`))
	closeAndRecord(t, p, 1)
	if held := testprocess.HeldMemory() - before; held > 4*int64(len(body)) {
		t.Errorf("%d bytes are held for a body of %d", held, len(body))
	}
	runtime.KeepAlive(p)
}

// The field Host stays if the operator has it so.
func TestKeepHost(t *testing.T) {
	var host string
	upstream := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { host = r.Host }))
	p := openProxy(t, upstream, func(c *Config) { c.KeepHost = true })
	r := newRequest(t, "GET", p.URLs()[0], "")
	r.Host = "agents.example"
	if send(t, newClient(t, false), r); host != "agents.example" {
		t.Errorf("the host is %q", host)
	}
}

// What is no URL of a server is refused.
func TestConfigMistakes(t *testing.T) {
	for _, u := range []string{"", "localhost:9999", "ftp://h", "http://user:word@h"} {
		if _, err := Open(Config{Upstreams: []Upstream{{URL: u}}}); err == nil || strings.Contains(err.Error(), "word") {
			t.Errorf("%q: %v", u, err)
		}
	}
	if _, err := Open(Config{}); err == nil {
		t.Error("there is a proxy without a server")
	}
}
