package client

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reference/hostile"
)

// framed serves every connection by a hostile server, or by another of its kind.
func framed(t *testing.T, name string) (url string) {
	all := hostile.FrameServers()
	i := slices.IndexFunc(all, func(s hostile.FrameServer) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("there is no hostile server %s", name)
	}
	return serve(t, func(c net.Conn) { all[i].Serve(t.Context(), c) })
}

func message(text string) []byte {
	b, _ := proto.Marshal(wrapperspb.String(text))
	return b
}

func zipped(text string, times int) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	for range times {
		io.WriteString(z, text)
	}
	z.Close()
	return b.Bytes()
}

func compressed(payload []byte) []byte {
	out := record.FrameGRPC(payload)
	out[0] = 1
	return out
}

// came is what the record of a call to a hostile server says.
type came struct {
	ended  record.Ended
	says   string // in what is said of the trouble, or of departures from HTTP/2
	faults string // kinds of departures from gRPC
}

var hostileFrames = map[string]came{
	"data-before-headers":                  {ended: record.Reset, says: "DATA came before the head"},
	"headers-that-never-end":               {ended: record.Limit, says: "a block of header fields has more than 1024 KiB"},
	"flood-of-empty-continuation":          {ended: record.Limit, says: "a block of header fields went on beyond 4096 frames"},
	"headers-left-open":                    {ended: record.Timeout},
	"continuation-out-of-order":            {ended: record.Reset, says: "expected CONTINUATION"},
	"continuation-by-itself":               {ended: record.Reset, says: "unexpected CONTINUATION"},
	"bomb-of-header-fields":                {ended: record.Limit, says: "more than 1024 KiB"},
	"headers-that-cannot-be-unpacked":      {ended: record.Reset, says: "cannot be unpacked"},
	"window-beyond-all-bounds":             {ended: record.Reset, says: "grows beyond 2^31-1"},
	"rapid-reset":                          {ended: record.Reset, says: "reset the stream: ENHANCE_YOUR_CALM"},
	"reset-in-mid-stream":                  {ended: record.Reset, says: "reset the stream: INTERNAL_ERROR"},
	"resets-of-streams-that-nobody-opened": {ended: record.EOF},
	"goaway-without-the-call":              {ended: record.Reset, says: "GOAWAY NO_ERROR"},
	"goaway-with-the-call-under-way":       {ended: record.EOF},
	"goaway-and-gone":                      {ended: record.Reset, says: "after GOAWAY PROTOCOL_ERROR"},
	"gone-in-mid-stream":                   {ended: record.Reset, says: "the connection"},
	"gone-inside-a-frame":                  {ended: record.Reset, says: "the connection"},
	"frame-of-16-mb":                       {ended: record.Reset, says: "a DATA frame of 16777215 bytes was announced"},
	"frame-larger-than-agreed":             {ended: record.EOF, says: "more than 16384 were not agreed on"},
	"prefix-of-2-gb":                       {ended: record.EOF, faults: record.GRPCPartialMessage},
	"message-without-end":                  {ended: record.Limit, says: "beyond 8 MiB"},
	"half-a-prefix":                        {ended: record.EOF, faults: record.GRPCPartialMessage},
	"flag-of-7":                            {ended: record.EOF, faults: record.GRPCBrokenMessage},
	"compressed-bomb":                      {ended: record.Limit, says: "beyond 8 MiB when they are decompressed"},
	"many-compressed-bombs":                {ended: record.Limit, says: "beyond 8 MiB"},
	"broken-gzip":                          {ended: record.EOF, faults: record.GRPCBrokenMessage},
	"compressed-by-nobody-knows-what":      {ended: record.EOF, faults: record.GRPCBrokenMessage},
	"coding-that-is-not-known":             {ended: record.EOF, faults: record.GRPCBrokenMessage},
	"trailers-missing":                     {ended: record.EOF, faults: record.GRPCNoStatus},
	"status-in-the-head":                   {ended: record.EOF, faults: record.GRPCNoTrailers + " " + record.GRPCNoStatus},
	"trailers-twice":                       {ended: record.EOF, faults: record.GRPCStatusTwice, says: "trailers came twice"},
	"trailers-after-the-end":               {ended: record.EOF, says: "came after the stream had ended"},
	"trailers-badly-encoded":               {ended: record.EOF, faults: record.GRPCBadMessage + " " + record.GRPCBadDetails, says: "has a character that no field can have"},
	"status-99":                            {ended: record.EOF, faults: record.GRPCUnknownStatus},
	"status-that-is-a-word":                {ended: record.EOF, faults: record.GRPCBadStatus},
	"details-that-are-no-protobuf":         {ended: record.EOF, faults: record.GRPCBadDetails},
	"details-of-another-status":            {ended: record.EOF, faults: record.GRPCOtherDetails},
	"no-status":                            {ended: record.EOF, says: "the response has no :status"},
	"fields-of-http1-capitals-a-line-end":  {ended: record.EOF, says: "is about a connection of HTTP/1.1"},
	"web-page":                             {ended: record.EOF},
	"push":                                 {ended: record.Reset, says: "the server pushes"},
	"pings-without-end":                    {ended: record.Limit, says: "more than 131072 frames"},
	"empty-data-without-end":               {ended: record.Limit, says: "more than 131072 frames"},
	"million-empty-messages":               {ended: record.Limit, says: "more than 16384 messages"},
	"field-for-every-two-bytes":            {ended: record.Limit, says: "more than 65536 fields"},
	"silence":                              {ended: record.Timeout},
	"half-closed-and-silent":               {ended: record.Timeout},
	"window-0-for-ever":                    {ended: record.Timeout, says: "no room in its flow-control window"},
	"window-never-opened-again":            {ended: record.Timeout, says: "no room in its flow-control window for 34465 of the 100000 bytes"},
	"fields-of-a-byte":                     {ended: record.Limit, says: "2000 fields"},
	"trailers-of-a-byte":                   {ended: record.Limit, says: "2000 fields"},
	"interim-fields-of-a-byte":             {ended: record.Limit, says: "2000 fields"},
	"interim-heads-by-the-20000":           {ended: record.EOF},
	"name-of-900-kb":                       {ended: record.EOF},
	"status-message-of-900-kb":             {ended: record.EOF},
	"status-details-of-900-kb":             {ended: record.EOF, faults: "details-coding"},
	"older-http":                           {ended: record.EOF, says: "the server answers HTTP/2 by HTTP/1.1"},
	"other-protocol":                       {ended: record.Reset, says: "frame"},
	"first-frame-ping":                     {ended: record.Reset, says: "the first frame is PING; expected SETTINGS"},
}

// Whatever a server sends, its exchange ends in time, tells what came, keeps within
// bounds and outlives its file.
func TestHostileFrames(t *testing.T) {
	t.Parallel()
	for _, server := range hostile.FrameServers() {
		t.Run(server.Name, func(t *testing.T) {
			want, known := hostileFrames[server.Name]
			if !known {
				t.Fatal("nothing is said of what has to come of it")
			}
			call := rpc(framed(t, server.Name), "Echo", "text")
			call.Timeout = 10 * time.Second
			if want.ended == record.Timeout {
				call.Timeout = 100 * time.Millisecond
			}
			if slices.Contains([]string{"window-0-for-ever", "window-never-opened-again"}, server.Name) {
				call.Body, call.Timeout = make([]byte, 100_000), 300*time.Millisecond
			}
			began := time.Now()
			x := newClient(t).Do(t.Context(), call, nil)
			if took := time.Since(began); took > call.Timeout+2*time.Second {
				t.Errorf("it took %v", took)
			}
			held(t, x)
			if said := x.Trouble + strings.Join(x.Response.Framing.Faults, "; "); x.Ended != want.ended || !strings.Contains(said, want.says) || want.says == "" && want.ended != record.Timeout && said != "" {
				t.Errorf("%s (%s) %q", x.Ended, x.Trouble, x.Response.Framing.Faults)
			}
			var kinds []string
			if g := x.GRPC(); g != nil && x.Ended == record.EOF {
				for _, f := range g.Faults {
					kinds = append(kinds, f.Kind)
				}
			}
			if got := strings.Join(kinds, " "); got != want.faults {
				t.Errorf("faults %q, want %q: %+v", got, want.faults, x.GRPC())
			}
			if x.Ended == record.EOF && x.GRPC() != nil && want.faults == "" && want.says == "" && value(t, x.GRPC().Messages[0]) != "reply" {
				t.Errorf("%+v", x.GRPC())
			}
		})
	}
}

// held checks what holds for every exchange over HTTP/2, whatever came.
func held(t *testing.T, x *record.Exchange) {
	t.Helper()
	sound(t, x)
	if strings.Contains(string(x.Response.Head), "\nSet-Cookie: pwned") || strings.Contains(string(x.Response.Trailer), "\n::error") {
		t.Errorf("a field became another: %q %q", x.Response.Head, x.Response.Trailer)
	}
	if n := len(x.HTTP2.Frames); n > maxFramesKept+maxEndsKept || len(x.Response.Framing.Faults) > 2*record.MaxFaults {
		t.Errorf("%d frames, %d faults", n, len(x.Response.Framing.Faults))
	}
	if x.Ended == record.Limit && x.EstimatedUnparsedMemorySize() > 1<<20 {
		t.Errorf("%d bytes are kept", x.EstimatedUnparsedMemorySize())
	}
	size := 0
	for _, p := range x.Response.Prefixes {
		size += p.Size
	}
	if x.Response.Prefixes != nil && size != len(x.Response.Body) {
		t.Errorf("prefixes of %d bytes, and a body of %d", size, len(x.Response.Body))
	}
	x.Reply()
	x.Events()
	x.GRPC()
	back(t, x)
}

// What the worst of them take in memory stays far below what a run may have.
func TestHostileFramesInMemory(t *testing.T) {
	var worst uint64
	for name, c := range hostileFrames {
		if c.ended != record.Limit {
			continue
		}
		url := framed(t, name)
		client := newClient(t)
		done := make(chan struct{})
		go func() {
			defer close(done)
			client.Do(t.Context(), rpc(url, "Echo", "text"), nil)
		}()
		for running := true; running; {
			select {
			case <-done:
				running = false
			case <-time.After(5 * time.Millisecond):
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			worst = max(worst, m.HeapAlloc)
		}
	}
	if worst > 256<<20 {
		t.Errorf("%d MiB", worst>>20)
	}
}

// Over the port of gRPC some speak HTTP/1.1: their answer is in the record as it was.
func TestOlderHTTPOnThePort(t *testing.T) {
	t.Parallel()
	x := newClient(t).Do(t.Context(), rpc(serve(t, func(c net.Conn) {
		io.ReadFull(c, make([]byte, len(http2.ClientPreface)))
		io.WriteString(c, "HTTP/1.1 505 HTTP Version Not Supported\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nwhat")
		io.Copy(io.Discard, c)
	}), "Echo", ""), nil)
	if x.Ended != record.EOF || x.Status() != 505 || string(x.Response.Body) != "what" || x.Response.Proto() != "HTTP/1.1" || x.GRPC() != nil || len(x.Response.Framing.Faults) != 1 {
		t.Errorf("%s (%s) %q %q", x.Ended, x.Trouble, x.Response.Head, x.Response.Framing.Faults)
	}
	back(t, x)
	for name, c := range map[string]struct {
		serve func(net.Conn)
		ended record.Ended
	}{
		"endless":     {func(c net.Conn) { io.WriteString(c, okJSON+"\r\n"); io.Copy(c, zeros{}) }, record.Limit},
		"headless":    {func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\n"); io.Copy(c, zeros{}) }, record.Limit},
		"other":       {func(c net.Conn) { io.WriteString(c, "SSH-2.0-OpenSSH_9.6\r\n"); io.Copy(io.Discard, c) }, record.Reset},
		"nothing":     {func(c net.Conn) { io.Copy(io.Discard, c) }, record.Timeout},
		"a bit":       {func(c net.Conn) { c.Write([]byte{0, 0}); io.Copy(io.Discard, c) }, record.Timeout},
		"hangs up":    {func(c net.Conn) {}, record.Reset},
		"resets":      {func(c net.Conn) { c.Read(make([]byte, 1)); c.(*net.TCPConn).SetLinger(0) }, record.Reset},
		"no SETTINGS": {func(c net.Conn) { http2.NewFramer(c, nil).WritePing(false, [8]byte{}); io.Copy(io.Discard, c) }, record.Reset},
	} {
		call := rpc(serve(t, c.serve), "Echo", "")
		call.Timeout = 300 * time.Millisecond
		if c.ended != record.Timeout {
			call.Timeout = 10 * time.Second
		}
		x := newClient(t).Do(t.Context(), call, nil)
		if held(t, x); x.Ended != c.ended || x.GRPC() != nil {
			t.Errorf("%s: %s (%s)", name, x.Ended, x.Trouble)
		}
	}
	dead, _ := net.Listen("tcp", "127.0.0.1:0")
	dead.Close()
	if x := newClient(t).Do(t.Context(), rpc("//"+dead.Addr().String(), "Echo", ""), nil); x.Ended != record.NoDial || !x.Refused() || x.Answered() {
		t.Errorf("%s (%s)", x.Ended, x.Trouble)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return copy(p, strings.Repeat("0", len(p))), nil }

// gRPC where JSON-RPC is expected is frames where a status line is due.
func TestFramesOnThePortOfHTTP1(t *testing.T) {
	x := newClient(t).Do(t.Context(), Call{Method: "POST", URL: serve(t, func(c net.Conn) {
		http2.NewFramer(c, nil).WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 100})
		io.Copy(io.Discard, c)
	}), Timeout: 300 * time.Millisecond}, nil)
	if x.Answered() || x.HTTP2 != nil || x.Ended != record.Reset && x.Ended != record.Timeout {
		t.Errorf("%s (%s) %q", x.Ended, x.Trouble, x.Response.Head)
	}
}

// No goroutine outlives its exchange and the client.
func TestNothingStaysOfHTTP2(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("exchanges", func(t *testing.T) {
		client := NewClient(Config{Started: time.Now(), Timeout: 50 * time.Millisecond})
		for _, url := range []string{
			serve(t, func(c net.Conn) { io.Copy(io.Discard, c) }),
			serve(t, func(c net.Conn) { <-t.Context().Done() }),
			framed(t, "goaway-with-the-call-under-way"),
			framed(t, "half-closed-and-silent"),
		} {
			call := rpc(url, "Echo", "")
			call.Body = append(call.Body, make([]byte, 4<<20)...) // more than any buffer takes
			client.Do(t.Context(), call, nil)
			client.Do(t.Context(), rpc(strings.TrimPrefix(url, "http:"), "Echo", ""), nil)
		}
		client.Close()
	})
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// Large metadata goes out in several frames.
func TestLargeMetadata(t *testing.T) {
	t.Parallel()
	got := make(chan int, 1)
	url := serve(t, func(c net.Conn) {
		io.ReadFull(c, make([]byte, len(http2.ClientPreface)))
		f := http2.NewFramer(c, c)
		f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		f.WriteSettings()
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			if h, ok := frame.(*http2.MetaHeadersFrame); ok {
				n := 0
				for _, f := range h.RegularFields() {
					n += len(f.Value)
				}
				got <- n
			}
		}
	})
	call := rpc(url, "Echo", "")
	call.Header["X-Large"] = []string{strings.Repeat("é1", 20<<10)}
	call.Timeout = 300 * time.Millisecond
	x := newClient(t).Do(t.Context(), call, nil)
	if n := <-got; n < 60<<10 || !strings.Contains(frameTypes(x, true), "HEADERS CONTINUATION") {
		t.Errorf("%d bytes came in %s", n, frameTypes(x, true))
	}
}

func TestFieldBlocks(t *testing.T) {
	b := fieldBlock{fields: []hpack.HeaderField{{Name: ":status", Value: "204"}, {Name: "a b:c", Value: "\x00x\r\n"}, {Name: "e", Value: "é\t"}}}
	if got, want := string(b.responseHead()), "HTTP/2 204\r\n:status: 204\r\na\\x20b\\x3ac: \\x00x\\x0d\\x0a\r\ne: é\t\r\n\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	m := record.Message{Head: b.responseHead()}
	if got := fmt.Sprint(m.Fields()); got != `[{:status 204} {a\x20b\x3ac \x00x\x0d\x0a} {e é}]` || m.Status() != 204 {
		t.Errorf("got %s", got)
	}
}
