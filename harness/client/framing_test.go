package client

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// parse reads raw in pieces of the given size, one a millisecond.
func parse(raw string, piece int, toHead bool, how record.Ended) record.Message {
	f := newFramer(toHead)
	var at record.Instant
	for rest := []byte(raw); len(rest) > 0; at += time.Millisecond {
		n := min(piece, len(rest))
		if used := f.feedBytes(rest[:n], at); used < n {
			f.Framing.Extra += len(rest) - used
			break
		}
		rest = rest[n:]
	}
	return f.closeMessage(how)
}

func TestFraming(t *testing.T) {
	const ok, chunked = "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, c := range []struct {
		name, raw string
		how       record.Ended
		body      string
		framing   record.Framing
	}{
		{"nothing", "", record.Reset, "", record.Framing{Kind: "none", Declared: -1}},
		{"a blank line", "\r\n", record.Reset, "", record.Framing{Kind: "close", Declared: -1}},
		{"length, we closed", ok + "Content-Length: 9\r\n\r\nhello", record.OurClose, "hello", record.Framing{Kind: "length", Declared: 9, Received: 5}},
		{"length, our limit", ok + "Content-Length: 9\r\n\r\nhello", record.Limit, "hello", record.Framing{Kind: "length", Declared: 9, Received: 5}},
		{"length, no patience", ok + "Content-Length: 9\r\n\r\nhello", record.Timeout, "hello", record.Framing{Kind: "length", Declared: 9, Received: 5}},
		{"chunked, we closed", chunked + "5\r\nhello\r\n", record.OurClose, "hello", record.Framing{Kind: "chunked", Declared: -1, Received: 5}},
		{"chunked, we closed in a chunk", chunked + "9\r\nhello", record.OurClose, "hello", record.Framing{Kind: "chunked", Declared: -1, Received: 5}},
		{"head, no patience", ok, record.Timeout, "", record.Framing{Kind: "none", Declared: -1}},
		{"negative length", ok + "Content-Length: -1\r\n\r\nhello", record.EOF, "hello",
			record.Framing{Kind: "close", Declared: -1, Received: 5, Faults: []string{`Content-Length is "-1"`}}},
		{"length with a sign", ok + "Content-Length: +5\r\n\r\nhello", record.EOF, "hello",
			record.Framing{Kind: "close", Declared: -1, Received: 5, Faults: []string{`Content-Length is "+5"`}}},
		{"length beyond all bounds", ok + "Content-Length: 99999999999999999999\r\n\r\nhello", record.EOF, "hello",
			record.Framing{Kind: "close", Declared: -1, Received: 5, Faults: []string{`Content-Length is "99999999999999999999"`}}},
		{"length twice the same", ok + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", record.EOF, "hello",
			record.Framing{Kind: "length", Declared: 5, Received: 5, Faults: []string{"Content-Length is given 2 times"}}},
		{"length in a folded line", ok + "X-Note: a\r\n Content-Length: 2\r\n\r\nhello", record.EOF, "hello",
			record.Framing{Kind: "close", Declared: -1, Received: 5, Faults: []string{"a header field goes on over several lines"}}},
		{"chunk size beyond all bounds", chunked + "FFFFFFFFFFFFFFFFF\r\nhello", record.Reset, "",
			record.Framing{Kind: "chunked", Declared: -1, Faults: []string{`"FFFFFFFFFFFFFFFFF" is not a chunk size`}}},
		{"a great chunk size", chunked + "3FFFFFFFFFFFFFFF\r\nhello", record.Reset, "hello",
			record.Framing{Kind: "chunked", Declared: -1, Received: 5, Faults: []string{"the chunked body does not end"}}},
		{"empty chunk size", chunked + "\r\nhello", record.Reset, "", record.Framing{Kind: "chunked", Declared: -1, Faults: []string{`"" is not a chunk size`}}},
		{"endless chunk size", chunked + strings.Repeat("0", maxChunkLine+2), record.Reset, "",
			record.Framing{Kind: "chunked", Declared: -1, Faults: []string{`the line about a chunk goes on beyond 8192 bytes`}}},
		{"capital hexadecimals", chunked + "A\r\n0123456789\r\n0\r\n\r\n", record.EOF, "0123456789", record.Framing{Kind: "chunked", Declared: -1, Received: 10}},
		{"empty trailer line ends", chunked + "0\r\nX: 1\r\n\r\nmore", record.EOF, "",
			record.Framing{Kind: "chunked", Declared: -1, Extra: 4, Faults: []string{"4 bytes follow the end of the message"}}},
		{"switching protocols", "HTTP/1.1 101 Switching Protocols\r\n\r\nhello", record.EOF, "hello",
			record.Framing{Kind: "close", Declared: -1, Received: 5, Faults: []string{"the status is 101, and no other protocol was asked for"}}},
		{"status out of range", "HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nok", record.EOF, "ok", record.Framing{Kind: "length", Declared: 2, Received: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, piece := range []int{1, 2, 7, 1 << 20} {
				m := parse(c.raw, piece, false, c.how)
				if string(m.Body) != c.body || !reflect.DeepEqual(m.Framing, c.framing) {
					t.Fatalf("in pieces of %d:\n got %q %+v\nwant %q %+v", piece, m.Body, m.Framing, c.body, c.framing)
				}
			}
		})
	}
}

func TestFramingKeepsTheHead(t *testing.T) {
	m := parse("HTTP/1.1 100 Continue\r\nA: 1\r\n\r\nHTTP/1.1 200 Fine\r\nb:  2 \r\nSet-Cookie: x\r\n y\r\n\tz\r\nno colon\r\nContent-Length: 0\r\n\r\n", 3, false, record.EOF)
	if want := "HTTP/1.1 200 Fine\r\nb:  2 \r\nSet-Cookie: x\r\n y\r\n\tz\r\nno colon\r\nContent-Length: 0\r\n\r\n"; string(m.Head) != want {
		t.Errorf("got %q", m.Head)
	}
	if got, want := m.Fields(), []record.Field{{Name: "b", Value: "2"}, {Name: "Set-Cookie", Value: "x y z"}, {Name: "Content-Length", Value: "0"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzParseResponse(f *testing.F) {
	for _, raw := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nT: 1\r\n\r\nmore",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
		"HTTP/0.1 200\nTransfer-Encoding: chunked\n\n000",
		"HTTP/1.0 200 OK\n\nhello",
		"HTTP/1.1 204 No Content\r\n\r\n",
		"HTTP/1.1 200 OK\r\nX: 1\r\n Content-Length: 2\r\nContent-Length: 1\r\n\r\nab",
		"\n\n", "HTTP", "",
	} {
		f.Add(raw, uint8(1), false)
		f.Add(raw, uint8(255), true)
	}
	f.Fuzz(func(t *testing.T, raw string, piece uint8, toHead bool) {
		m := parse(raw, 1+int(piece), toHead, record.EOF)
		sum, last := 0, record.Instant(-1)
		for _, c := range m.Chunks {
			if c.N <= 0 || c.At <= last {
				t.Errorf("chunks %v", m.Chunks)
			}
			sum, last = sum+c.N, c.At
		}
		if sum != len(m.Body) || m.Framing.Received != int64(sum) {
			t.Errorf("chunks count %d bytes, framing %d, the body has %d", sum, m.Framing.Received, len(m.Body))
		}
		if len(m.Head)+len(m.Body)+m.Framing.Extra > len(raw) {
			t.Errorf("%d bytes of head, %d of body, %d extra in %d", len(m.Head), len(m.Body), m.Framing.Extra, len(raw))
		}
		whole := parse(raw, len(raw)+1, toHead, record.EOF)
		m.Chunks, whole.Chunks = nil, nil
		if !reflect.DeepEqual(m, whole) {
			t.Errorf("in pieces:\n%+v\nat once:\n%+v", m, whole)
		}
		// What net/http reads to its end is read the same. A recorder that saw an
		// earlier end would cut answers short.
		method := http.MethodGet
		if toHead {
			method = http.MethodHead
		}
		resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(raw)), &http.Request{Method: method})
		if err != nil || resp.StatusCode < 200 || resp.StatusCode > 999 {
			return
		}
		if body, err := io.ReadAll(resp.Body); err == nil && !bytes.Equal(body, m.Body) {
			t.Errorf("net/http reads %q, the record has %q (%+v)", body, m.Body, m.Framing)
		}
	})
}

// What a peer wrote is quoted whole or not at all before it is redacted.
func TestNoFaultHoldsHalfAToken(t *testing.T) {
	long := strings.Repeat("long-", 60) + "token"
	for _, secret := range []string{"tok;12345678-and-more-than-forty-characters-of-it", long} {
		r := redact.NewRedactor([]redact.Secret{{Name: "bearer", Value: secret}})
		const ok = "HTTP/1.1 200 OK\r\n"
		for _, raw := range []string{
			ok + "Content-Length: " + secret + "\r\n\r\nhello",
			ok + "Content-Length: 5\r\nContent-Length: " + secret + "\r\n\r\nhello",
			ok + "Transfer-Encoding: " + secret + "\r\n\r\nhello",
			ok + "Transfer-Encoding: chunked\r\n\r\n" + secret + "\r\nhello",
			ok + "Transfer-Encoding: chunked\r\n\r\nx;" + secret + "\r\nhello",
			ok + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat(secret, 1000),
			ok + "Content-Encoding: " + strings.ToUpper(secret) + "\r\n\r\nhello",
		} {
			x := &record.Exchange{Response: parse(raw, 7, false, record.Reset)}
			if coding := x.Response.ContentCoding(); coding != "" {
				x.Trouble = x.Response.Decode(coding, true)
			}
			r.Exchange(x)
			faults := strings.Join(x.Response.Framing.Faults, "\n") + x.Trouble + x.Response.Framing.Coding
			if faults == "" || strings.Contains(strings.ToLower(faults), strings.ToLower(secret[:6])) {
				t.Errorf("%.60q leads to %q", raw, faults)
			}
		}
	}
}
