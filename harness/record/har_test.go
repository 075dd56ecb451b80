package record

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
)

// full is a transcript with every feature that a HAR file has to keep.
func full() *Transcript {
	const ms = time.Millisecond
	x := func(start, end Instant, ended Ended) *Exchange {
		return &Exchange{Dir: Out, URL: "http://h/rpc?b=2&a=1&b=1&c", Conn: 3, Start: start, End: end, Ended: ended,
			Request: Message{Head: []byte("POST /rpc HTTP/1.1\r\nHost: h\r\n\r\n"), Body: []byte("{}"), Framing: Framing{Kind: "length", Declared: 2, Received: 2}},
			Response: Message{Head: []byte("HTTP/1.1 200 Very Fine\r\nContent-Type: application/json\r\nSet-Cookie: a\r\nset-cookie: b\r\n\r\n"), Body: []byte(`{"ok":true}`),
				Chunks: []Chunk{{start + 1, 5}, {end, 6}}, Framing: Framing{Kind: "close", Declared: -1, Received: 11}}}
	}
	card := x(0, 2*ms, EOF)
	card.Request.Body, card.Request.Framing = nil, Framing{}
	binary := x(3*ms, 4*ms, Reset)
	binary.Response.Body = []byte{0, 0xff, 0xfe, '\n', 0xe2, 0x82, '<', '&', '>', 0x20}
	binary.Response.Chunks = []Chunk{{3*ms + 5, 10}}
	binary.Response.Framing = Framing{Kind: "chunked", Declared: 7, Received: 9, Faults: []string{"a", "b"}, Interim: []int{100, 103}, Extra: 4}
	binary.Trouble = "unexpected EOF <&>  ⟦secret:bearer⟧"
	large := x(5*ms, 6*ms, Limit)
	large.Request.Body, large.Request.Recipe = nil, &Recipe{"letters", 1 << 20, "abcd"}
	large.Response.Body, large.Response.Chunks, large.Response.Framing.Cut = bytes.Repeat([]byte("é"), 40<<10), nil, "sha256:00"
	empty := x(7*ms, 8*ms, Timeout)
	empty.Request.Body, empty.Response = []byte{}, Message{Body: []byte{}}
	unreached := &Exchange{Dir: Out, URL: "https://h/", Start: 8 * ms, End: 9 * ms, Ended: NoDial, Trouble: "refused"}
	secure := x(9*ms, 10*ms, OurClose)
	secure.TLS = &TLS{"TLS 1.3", "TLS_AES_128_GCM_SHA256", "h", "CN=h", "CN=ca", "2030-01-01T00:00:00Z", true,
		&ClientHello{Versions: []string{"TLS 1.3", "TLS 1.2"}, Listed: true, ServerName: "h", Protocols: []string{"h2"}}}
	secure.Attempts = []Attempt{{Conn: 2, Start: 9 * ms, End: 9*ms + 5, Sent: 120, Trouble: "EOF"}, {Conn: 1, Start: 9*ms + 5, End: 9*ms + 6}}
	unsent := &Exchange{Dir: Out, URL: "https://h/", Start: 10 * ms, End: 10 * ms, Ended: Unsent, Trouble: "no room"}
	delivery := x(11*ms, 12*ms, EOF)
	delivery.Dir = In
	stray := x(13*ms, 14*ms, EOF)
	stray.Dir, stray.Gaps = In, &Gaps{Fields: true, Bytes: true, Request: true, Response: true, Times: true}
	rpc := x(15*ms, 16*ms, EOF)
	rpc.Request = Message{Head: []byte("POST /s/M HTTP/2\r\n:method: POST\r\ncontent-type: application/grpc\r\n\r\n"), Body: []byte{8, 1}, Framing: Framing{Kind: "frames", Declared: -1, Received: 7},
		Prefixes: []GRPCPrefix{{At: 15 * ms, Declared: 2, Received: 2, Size: 2}}}
	rpc.Response = Message{Head: []byte("HTTP/2 200\r\n:status: 200\r\ncontent-type: application/grpc\r\n\r\n"), Body: []byte{0xff, 0, 1}, Chunks: []Chunk{{15*ms + 7, 3}},
		Framing: Framing{Kind: "frames", Declared: -1, Received: 23}, Trailer: []byte("grpc-status: 5\r\n"),
		Prefixes: []GRPCPrefix{{At: 15*ms + 7, Flag: 1, Declared: 2, Received: 2, Size: 3}, {At: 15*ms + 8, Flag: 9, Declared: 2 << 30, Received: 4, Fault: "cut"}}}
	rpc.HTTP2 = &HTTP2{ALPN: "h2", NoTLS: "TLS handshake: EOF", Frames: []HTTP2Frame{{At: 15 * ms, Sent: true, Type: "HEADERS", Flags: 4, Stream: 1, Length: 60},
		{At: 15*ms + 9, Type: "GOAWAY", Length: 11, Code: "NO_ERROR", Detail: "last stream 1, \"bye\""}}, Unkept: 3}
	given := &Exchange{Dir: Given, URL: "file:card.json", Ended: EOF, Response: Message{Body: []byte(`{"name": "x"}`), Framing: Framing{Kind: "none", Declared: -1, Received: 13}}}
	t := &Transcript{
		Started: time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC), Duration: 20 * ms,
		Facts: Facts{Tool: "1.2.3", Kind: "url", Target: "http://h/", RPC: "http://h/rpc", Dialect: "zz-9.9", Never: []string{"ask"}, Operator: []string{"production"},
			Stimuli: map[string]operator.Stimulus{"quick": {Text: "echo <hello>"}, "ask": {Text: "ask", Answer: "blue", Seconds: 0.4}}, Allow: []string{"heavy"},
			Selection: operator.Selection{Run: []string{"A*"}, Skip: []string{"B"}, Areas: []string{"card"}, Sections: []string{"8.1"}, Levels: []string{"MUST"}}, Tried: []string{"GET /: 404"},
			Gate: "conformant", Insecure: true, Webhook: "http://w/", Secrets: []string{"bearer"}, Waited: map[string]float64{"silence": 1.5, "must-close": 5}, Cut: "interrupted"},
		Plays: []Play{
			{Scenario: "card", Attempt: 1, Steps: []Step{{Name: "configured", Role: Main, Op: "card", Elsewhere: true, Exchange: given},
				{Name: "well-known", Role: Probe, Op: "document", Exchange: card}}},
			{Scenario: "quick", Subject: Subject{"agent", "binding"}, Attempt: 2, Reached: []Milestone{{"final", "send", 4 * ms}}, Stop: "it ended",
				Steps: []Step{
					{Name: "send", Role: Twin, Op: "send", Exchange: binary},
					{Name: "broken", Role: Probe, Op: "send", Twin: "send", Task: "t", Context: "c", Invalid: true, Exchange: large, Bisects: "send"},
					{Name: "get", Role: Fence, Op: "get", NotSent: "no task", Because: "send"},
					{Name: "again", Role: Alive, Op: "send", Exchange: binary},
					{Name: "hook", Role: Main, Op: "push", Exchange: delivery},
				}},
			{Scenario: "none", Attempt: 1, Stop: "not claimed"},
			{Scenario: "hello", Attempt: 1, Client: &ClientRun{Text: "Hi", Exit: 1, Kept: true, Renewed: "it ended", Do: []string{`{"do":"list"}`}, Misread: []Misread{{Line: 2, Text: `{"saw":`, Why: "cut"}},
				Said: []Said{{At: ms, Line: 1, Saw: "error", Code: "-32001", Text: "a <b>", Assembled: true, Cut: true}, {At: 2 * ms, Line: 3, Cannot: "list"}}}},
		},
		Exchanges: []*Exchange{stray, secure, unreached, empty, unsent, rpc},
	}
	t.Seal()
	return t
}

func written(t *testing.T, tr *Transcript) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteHAR(&b, tr); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestHARIsLossless(t *testing.T) {
	tr := full()
	text := written(t, tr)
	for _, x := range tr.Exchanges { // reading fills what is derived, and must change nothing
		x.Reply()
		x.Call()
		x.Events()
	}
	if again := written(t, tr); !bytes.Equal(text, again) {
		t.Error("two writings of one transcript differ")
	}
	back, err := ReadHAR(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if again := written(t, back); !bytes.Equal(text, again) {
		t.Error("what was read is written otherwise")
	}
	want := full()
	for i, x := range back.Exchanges {
		if !reflect.DeepEqual(x, want.Exchanges[i]) {
			t.Errorf("exchange %d:\n got %+v\nwant %+v", i+1, x, want.Exchanges[i])
		}
	}
	if !reflect.DeepEqual(back, want) {
		t.Errorf("got\n%+v\nwant\n%+v", back, want)
	}
	if n := len(back.Exchanges); back.Spoken() != n-1 || back.Play("card").Step("configured").Exchange != back.Exchanges[n-1] || back.Exchanges[n-1].Answered() {
		t.Errorf("what the operator gave counts as an exchange: %d of %d", back.Spoken(), n)
	}
	if s := back.Plays[1].Steps; s[0].Exchange != s[3].Exchange || s[0].Exchange != back.Exchanges[1] {
		t.Error("two steps about one exchange have become two exchanges")
	}
}

// TestHARForViewers looks at the members that other programs read.
func TestHARForViewers(t *testing.T) {
	var f struct {
		Log struct {
			Version string
			Entries []struct {
				StartedDateTime string
				Time            float64
				Timings         struct{ Send, Wait, Receive float64 }
				Request         struct {
					Method, URL string
					QueryString []harPair
					PostData    *struct{ Text string }
				}
				Response struct {
					Status              int
					StatusText, HTTPVer string
					Headers             []harPair
					Content             struct{ Text, MimeType string }
				}
			}
		}
	}
	if err := json.Unmarshal(written(t, full()), &f); err != nil {
		t.Fatal(err)
	}
	e := f.Log.Entries[2] // the large one
	if f.Log.Version != "1.2" || e.StartedDateTime != "2026-01-02T03:04:05.005000678Z" || e.Time != 1 || e.Request.Method != "POST" || e.Request.PostData != nil {
		t.Errorf("got %+v", e)
	}
	if want := []harPair{{"a", "1"}, {"b", "2"}, {"b", "1"}, {"c", ""}}; !reflect.DeepEqual(e.Request.QueryString, want) {
		t.Errorf("query %v, want %v", e.Request.QueryString, want)
	}
	if r := e.Response; r.Status != 200 || r.StatusText != "Very Fine" || len(r.Headers) != 3 || r.Headers[2] != (harPair{"set-cookie", "b"}) || !strings.HasSuffix(r.Content.Text, "é…") {
		t.Errorf("got %d %q %v", r.Status, r.StatusText, r.Headers)
	}
	for i, e := range f.Log.Entries {
		if e.Timings.Send < 0 || e.Timings.Wait < 0 || e.Timings.Receive < 0 {
			t.Errorf("entry %d: timings %+v", i, e.Timings)
		}
	}
}

func TestWriteHARUnsealed(t *testing.T) {
	tr := full()
	tr.Exchanges[0], tr.Exchanges[1] = tr.Exchanges[1], tr.Exchanges[0]
	if err := WriteHAR(&bytes.Buffer{}, tr); err == nil || !strings.Contains(err.Error(), "not sealed") {
		t.Errorf("got %v", err)
	}
}

func TestReadHARRefuses(t *testing.T) {
	good := string(written(t, full()))
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "not a HAR file: it ends too early"},
		{"its log twice", strings.TrimSuffix(strings.TrimSpace(good), "}") + `, "log": {}}`, "it has log twice"},
		{"its entries twice", strings.Replace(good, `"entries": [`, `"entries": [], "entries": [`, 1), "it has log.entries twice"},
		{"less than no time", regexp.MustCompile(`"durationNs": \d+`).ReplaceAllString(good, `"durationNs": -9`), "durationNs is -9"},
		{"no JSON", "<html>", "not a HAR file: invalid character '<'"},
		{"cut off", good[:len(good)/2], "not a HAR file: it ends too early"},
		{"more behind it", good + "{}", "something follows its end"},
		{"garbage behind it", good + "x", "something follows its end"},
		{"another program's", `{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[]}}`, "it has no log._a2aConform"},
		{"a later format", strings.Replace(good, `"format": 3`, `"format": 4`, 1), "format is 4, but this version reads 1 to 3"},
		{"attempts after the end", strings.Replace(good, `"sent": 120`, `"sent": -1`, 1), "_attempts[0], -1 bytes"},
		{"no time", strings.Replace(good, `"started": "2026-`, `"started": "0001-`, 1), "log._a2aConform.started is in the year 1"},
		{"far future", strings.Replace(good, `"started": "2026-`, `"started": "9999-`, 1), "is in the year 9999"},
		{"missing entry", strings.Replace(good, `"_id": 2`, `"_id": 3`, 1), "log.entries[1]._id is 3"},
		{"end before start", strings.Replace(good, `"_end": 2000000`, `"_end": -1`, 1), "log.entries[0]: it begins at 0s and ends at -1ns"},
		{"direction", strings.Replace(good, `"_direction": "out"`, `"_direction": "up"`, 1), `log.entries[0]: _direction is "up"`},
		{"ended", strings.Replace(good, `"_ended": "eof"`, `"_ended": "well"`, 1), `log.entries[0]: _ended is "well"`},
		{"chunk of nothing", strings.Replace(good, `"n": 5`, `"n": 0`, 1), "log.entries[0]: response._raw: _chunks[0], 0 bytes at 1ns, does not fit"},
		{"chunk too large", strings.Replace(good, `"n": 5`, `"n": 9223372036854775807`, 1), "log.entries[0]: response._raw: _chunks count more than the 11 bytes"},
		{"chunks too small", strings.Replace(good, `"n": 5`, `"n": 4`, 1), "log.entries[0]: response._raw: _chunks count 10 bytes of the body's 11"},
		{"chunk after the end", strings.Replace(good, `"at": 1,`, `"at": 99999999999,`, 1), "does not fit between its neighbours"},
		{"chunks out of order", strings.Replace(good, `"at": 1,`, `"at": 2000001,`, 1), "does not fit between its neighbours"},
		{"no such exchange", strings.Replace(good, `"exchange": 11`, `"exchange": 99`, 1), "plays[0].steps[0] names exchange 99 of 11"},
		{"a message larger than the body", strings.Replace(good, `"size": 2`, `"size": 4`, 1), "request._raw: _prefixes[0], 4 bytes at 15ms, does not fit"},
		{"messages smaller than the body", strings.Replace(good, `"size": 2`, `"size": 1`, 1), "request._raw: _prefixes count 1 bytes of the body's 2"},
		{"a message after the end", strings.Replace(good, `"at": 15000008`, `"at": 16000001`, 1), "_prefixes[1], 0 bytes at 16.000001ms, does not fit"},
		{"a frame after the end", strings.Replace(good, `"at": 15000009`, `"at": 16000001`, 1), "_http2.frames[1] at 16.000001ms is not within the exchange"},
		{"body is no base64", strings.Replace(good, `"body": "e30="`, `"body": "{}"`, 1), "not a HAR file: illegal base64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.text == good {
				t.Fatal("the text was not changed")
			}
			if _, err := ReadHAR(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func FuzzReadHAR(f *testing.F) {
	var b bytes.Buffer
	if err := WriteHAR(&b, full()); err != nil {
		f.Fatal(err)
	}
	small, err := ReadHAR(bytes.NewReader(b.Bytes()))
	if err != nil {
		f.Fatal(err)
	}
	small.Exchanges, small.Plays = small.Exchanges[:2], small.Plays[:1]
	b.Reset()
	if err := WriteHAR(&b, small); err != nil {
		f.Fatal(err)
	}
	var dense bytes.Buffer
	if err := json.Compact(&dense, b.Bytes()); err != nil {
		f.Fatal(err)
	}
	f.Add(dense.Bytes())
	f.Add([]byte(`{"log":{"entries":[],"_a2aConform":{"format":1,"started":"2026-01-02T03:04:05+01:00","facts":{"waited":{"x":1e300}},"plays":[{"steps":[{"name":"\ud800"}]}]}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		tr, err := ReadHAR(bytes.NewReader(text))
		if err != nil {
			return
		}
		once := written(t, tr)
		back, err := ReadHAR(bytes.NewReader(once))
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, once)
		}
		if twice := written(t, back); !bytes.Equal(once, twice) {
			t.Errorf("once\n%s\ntwice\n%s", once, twice)
		}
		for _, x := range back.Exchanges { // whatever was read can be looked at
			x.Reply()
			x.Call()
			x.Events()
			x.Rest()
		}
	})
}

// As many values as are read are told before they are.
func TestCountValues(t *testing.T) {
	for text, want := range map[string]int{"": 0, "1": 0, "[1,2]": 2, `{"a,[{":[1]}`: 2, `"\",["`: 0, `["`: 1, `"\`: 0, `[[],{}]`: 4} {
		if got := CountValues([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
