package gateway

import (
	"bytes"
	"net/url"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// A head is found as it was written, whatever came before it on the connection and in whatever pieces.
func TestFindHead(t *testing.T) {
	const head = "POST /a?b HTTP/1.1\r\nhOST: x\r\nX-A:  1\r\n\r\n"
	for name, c := range map[string]struct {
		came, want string
	}{
		"alone":              {head, head},
		"before its body":    {head + "{}", head},
		"after another call": {strings.Replace(head, "X-A", "X-B", 1) + "{}" + head + "{}", head},
		"without an end":     {"POST /a?b HTTP/1.1\r\nHost: x\r\n", ""},
		"not there":          {"GET / HTTP/1.1\r\n\r\n", ""},
		"too long ago":       {head + strings.Repeat("a", 3*mostArrivedHead), ""},
	} {
		conn := &arrivedConn{}
		for piece := []byte(c.came); len(piece) > 0; {
			n := min(7, len(piece))
			conn.keepLast(piece[:n])
			piece = piece[n:]
		}
		if got := conn.findHead("POST /a?b HTTP/1."); string(got) != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// Whatever arrives, what is kept of a connection is bounded, and a head that is found is one that came.
func FuzzFindHead(f *testing.F) {
	f.Add([]byte("POST / HTTP/1.1\r\nA: b\r\n\r\n{}"), "POST / HTTP/1.", 3)
	f.Add([]byte("\r\n\r\nPOST"), "POST", 1)
	f.Add([]byte{}, "", 0)
	f.Fuzz(func(t *testing.T, came []byte, line string, size int) {
		c := &arrivedConn{}
		for rest := came; len(rest) > 0; {
			n := min(max(size, 1), len(rest))
			c.keepLast(rest[:n])
			rest = rest[n:]
		}
		if len(c.last) > 2*mostArrivedHead {
			t.Fatalf("%d bytes are kept", len(c.last))
		}
		if head := c.findHead(line); head != nil && (!bytes.Contains(came, head) || !bytes.HasPrefix(head, []byte(line)) || !bytes.HasSuffix(head, []byte("\r\n\r\n"))) {
			t.Fatalf("%q is no head of %q", head, came)
		}
	})
}

// A request asks for an answer by its query, or in gRPC by the id of its message. What is left out or has no end asks for none.
func TestReadAsked(t *testing.T) {
	const asks = "a2a-conform-answer=events;a2a-conform-call=events.GRPC.through.1;"
	for name, c := range map[string]struct{ target, media, body, answer, id string }{
		"query":              {"/?a2a-conform-answer=slow&a2a-conform-call=slow.HTTP%2BJSON.direct.1", "application/json", asks, "slow", "slow.HTTP+JSON.direct.1"},
		"message":            {"/s/M", "application/grpc", "\x00" + asks, "events", "events.GRPC.through.1"},
		"message and suffix": {"/s/M?a2a-conform-answer=slow", "application/grpc+proto", asks, "events", "events.GRPC.through.1"},
		"for the server":     {"/?a=b", "application/json", "{}", "", ""},
		"no end":             {"/s/M", "application/grpc", "a2a-conform-answer=events", "", ""},
		"too long":           {"/s/M", "application/grpc", "a2a-conform-answer=" + strings.Repeat("a", 200) + ";", "", ""},
	} {
		u, err := url.Parse(c.target)
		if err != nil {
			t.Fatal(err)
		}
		if answer, id := readAsked(u, c.media, []byte(c.body)); answer != c.answer || id != c.id {
			t.Errorf("%s: got %q and %q, want %q and %q", name, answer, id, c.answer, c.id)
		}
	}
}

// A call of gRPC is kept without the prefixes of its messages, by whatever version of HTTP it arrives, so that it is comparable to what was sent.
func TestKeepArrivalTakesPayloads(t *testing.T) {
	for name, http2 := range map[string]*record.HTTP2{"HTTP/1.1": nil, "HTTP/2": {}} {
		u := &Upstream{cfg: UpstreamConfig{Redact: redact.NewRedactor(nil)}}
		x := &record.Exchange{Dir: record.In, HTTP2: http2}
		x.Request.Head = []byte("POST /s/M HTTP/1.1\r\nContent-Type: application/grpc\r\n\r\n")
		x.Request.Body = record.FrameGRPC([]byte("payload"))
		u.keepArrival(x)
		if got := u.listArrivals(); len(got) != 1 || string(got[0].Request.Body) != "payload" {
			t.Errorf("%s: got %q", name, x.Request.Body)
		}
	}
}

// A card that names another host for gRPC is not followed: calls have the credentials of the operator.
func TestIsSameHost(t *testing.T) {
	for _, c := range []struct {
		target, server string
		want           bool
	}{
		{"agent.example.com:443", "https://agent.example.com/a", true},
		{"https://Agent.example.com:443/", "https://agent.example.com/a", true},
		{"127.0.0.1:9999", "http://localhost:1", true},
		{"[::1]:9999", "http://127.0.0.1:1", true},
		{"evil.example.com:443", "https://agent.example.com/a", false},
		{"agent.example.com.evil.example:443", "https://agent.example.com/a", false},
		{"agent.example.com@evil.example:443", "https://agent.example.com/a", false},
		{"10.0.0.1:9999", "http://localhost:1", false},
		{"", "", false},
	} {
		if got := isSameHost(c.target, c.server); got != c.want {
			t.Errorf("%q at %q: got %v", c.target, c.server, got)
		}
	}
}
