package serve

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// newHTTP2Recorded records what a test sends by HTTP/2, too.
func newHTTP2Recorded(t *testing.T) *recorded {
	t.Helper()
	return newRecordedWith(t, recorderConfig{Started: time.Now(), HTTP2: true}, "127.0.0.1")
}

// newHTTP2Client makes a client that takes it for granted that servers have HTTP/2.
func newHTTP2Client(t *testing.T) *http.Client {
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// http2Wire writes frames to a recorder by hand.
type http2Wire struct {
	t    *testing.T
	conn net.Conn
	*http2.Framer
	packed bytes.Buffer
	enc    *hpack.Encoder
}

// begin begins a connection of HTTP/2.
func (r *recorded) begin() *http2Wire {
	r.t.Helper()
	w := &http2Wire{t: r.t, conn: r.dial()}
	w.Framer = http2.NewFramer(w.conn, w.conn)
	w.AllowIllegalWrites, w.AllowIllegalReads = true, true
	w.enc = hpack.NewEncoder(&w.packed)
	write(r.t, w.conn, http2.ClientPreface)
	w.WriteSettings()
	return w
}

// pack returns the block of a request.
func (w *http2Wire) pack(more ...string) []byte {
	w.packed.Reset()
	fields := append([]string{":method", "POST", ":scheme", "http", ":path", "/echo", ":authority", "h"}, more...)
	for i := 0; i < len(fields); i += 2 {
		w.enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return bytes.Clone(w.packed.Bytes())
}

// open sends the head of a request.
func (w *http2Wire) open(no uint32, end bool, more ...string) error {
	return w.WriteHeaders(http2.HeadersFrameParam{StreamID: no, BlockFragment: w.pack(more...), EndHeaders: true, EndStream: end})
}

// await reads frames until one of a type and stream came, and returns it.
func (w *http2Wire) await(kind http2.FrameType, no uint32) http2.Frame {
	w.t.Helper()
	for {
		f, err := w.ReadFrame()
		if err != nil {
			w.t.Fatalf("no %s came on stream %d: %v", kind, no, err)
		}
		if f.Header().Type == kind && f.Header().StreamID == no {
			return f
		}
	}
}

// drain reads until the connection ends.
func (w *http2Wire) drain() {
	io.Copy(io.Discard, w.conn)
	w.conn.Close()
}

func TestRecordHTTP2Requests(t *testing.T) {
	t.Parallel()
	r := newHTTP2Recorded(t)
	c := newHTTP2Client(t)
	large := strings.Repeat("0123456789abcdef", 40<<10) // more than the window of any stream at its beginning
	for _, body := range []string{"one", large, ""} {
		resp, err := c.Post("http://"+r.addr+"/echo?x=1", "text/plain", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		if err != nil || string(text) != "got "+body {
			t.Errorf("the answer has %d bytes, %v", len(text), err)
		}
		resp.Body.Close()
	}
	resp, err := c.Get("http://" + r.addr + "/stream")
	if err != nil {
		t.Fatal(err)
	}
	io.CopyN(io.Discard, resp.Body, 20)
	resp.Body.Close()
	resp, err = c.Get("http://" + r.addr + "/nothing")
	if err == nil {
		t.Errorf("what is not answered is answered by %s", resp.Status)
	}
	c.CloseIdleConnections()
	all := r.exchanges(5)
	x := all[0]
	if !bytes.HasPrefix(x.Request.Head, []byte("POST /echo?x=1 HTTP/2\r\n")) || x.Request.Header().Get("Content-Type") != "text/plain" || string(x.Request.Body) != "one" || x.Request.Framing.Kind != "frames" || len(x.Request.Framing.Faults) > 0 {
		t.Errorf("the request was recorded as %q %q %+v", x.Request.Head, x.Request.Body, x.Request.Framing)
	}
	if x.URL != "http://"+r.addr+"/echo?x=1" || x.Ended != record.EOF || x.Status() != 200 || string(x.Response.Body) != "got one" || x.Response.Proto() != "HTTP/2" || x.Dir != record.In {
		t.Errorf("the exchange is %s, ended by %s: %q %q", x.URL, x.Ended, x.Response.Head, x.Response.Body)
	}
	var got []string
	for _, f := range x.HTTP2.Frames {
		got = append(got, fmt.Sprintf("%s %t %d", f.Type, f.Sent, f.Stream))
	}
	for _, want := range []string{"SETTINGS false 0", "SETTINGS true 0", "HEADERS false 1", "DATA false 1", "HEADERS true 1", "DATA true 1"} {
		if !strings.Contains(strings.Join(got, "\n")+"\n", want+"\n") {
			t.Errorf("there is no frame %s in %q", want, got)
		}
	}
	if string(all[1].Request.Body) != large || string(all[1].Response.Body) != "got "+large || all[2].Request.Framing.Kind == "length" {
		t.Errorf("the large request has %d bytes, and the answer %d", len(all[1].Request.Body), len(all[1].Response.Body))
	}
	if x := all[3]; x.Ended != record.Reset || !strings.Contains(x.Trouble, "CANCEL") || len(x.Response.Chunks) < 2 {
		t.Errorf("the abandoned stream ended by %s (%s)", x.Ended, x.Trouble)
	}
	if x := all[4]; x.Ended != record.OurClose || x.Closed == nil || x.Closed.By != record.ByClient {
		t.Errorf("what was not answered ended by %s (%s), closed %+v", x.Ended, x.Trouble, x.Closed)
	}
}

// A cut of ours ends the connection.
func TestCutHTTP2(t *testing.T) {
	t.Parallel()
	r := newHTTP2Recorded(t)
	w := r.begin()
	w.open(1, true, ":path", "/x")
	if err := w.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, BlockFragment: w.pack(), EndHeaders: true, EndStream: true}); err != nil {
		t.Fatal(err)
	}
	w.await(http2.FrameHeaders, 3)
	resp, err := newHTTP2Client(t).Get("http://" + r.addr + "/cut")
	if err == nil {
		_, err = io.ReadAll(resp.Body)
	}
	if err == nil {
		t.Error("a stream that was cut ended in order")
	}
	w.conn.Close()
	for _, x := range r.exchanges(3) {
		if strings.HasSuffix(x.URL, "/cut") && (x.Ended != record.OurClose || x.Closed.By != record.ByUs || string(x.Response.Body) != "data: 1\n\n") {
			t.Errorf("it ended by %s (%s), closed %+v: %q", x.Ended, x.Trouble, x.Closed, x.Response.Body)
		}
		if strings.HasSuffix(x.URL, "/echo") && len(x.Request.Framing.Faults) > 0 != bytes.Contains(x.Request.Head, []byte("/x")) {
			t.Logf("%q has %q", x.Request.Head, x.Request.Framing.Faults)
		}
	}
}

// A client that stops in the middle is not waited for without end, whatever it began, and others are served meanwhile.
func TestWaitForHTTP2(t *testing.T) {
	t.Parallel()
	const soon = 200 * time.Millisecond
	for name, c := range map[string]struct {
		send    func(w *http2Wire)
		status  string // that answers the request; "" for none
		trouble string // of the exchange; "" if there is none
	}{
		"a head without an end": {func(w *http2Wire) {
			w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: w.pack()})
			w.drain()
		}, "", "the head did not end in time"},
		"half a frame": {func(w *http2Wire) {
			w.open(1, false)
			write(w.t, w.conn, "\x00\x00\x10\x00")
			w.drain()
		}, "", ""},
		"a body that stops": {func(w *http2Wire) {
			w.open(1, false)
			w.WriteData(1, false, []byte("{"))
			w.await(http2.FrameHeaders, 1)
		}, "408", "the body did not end in time"},
		"a body that goes on and on": {func(w *http2Wire) {
			w.open(1, false)
			go func() {
				for w.WriteData(1, false, []byte(" ")) == nil {
					time.Sleep(soon / 10)
				}
			}()
			w.await(http2.FrameHeaders, 1)
		}, "408", "the body did not end in time"},
		"an answer that is not read": {func(w *http2Wire) {
			w.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
			w.open(1, true)
			w.await(http2.FrameRSTStream, 1)
		}, "200", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRecordedWith(t, recorderConfig{Started: time.Now(), HTTP2: true, waits: waits{head: soon, body: soon, wholeBody: 3 * soon, write: soon}}, "127.0.0.1")
			w := r.begin()
			began := time.Now()
			c.send(w)
			other := newHTTP2Client(t)
			if resp, err := other.Get("http://" + r.addr + "/echo"); err != nil {
				t.Errorf("another client was not served: %v", err)
			} else {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			other.CloseIdleConnections()
			if took := time.Since(began); took > 25*soon {
				t.Errorf("the client was waited for %v", took)
			}
			w.conn.Close()
			all := r.exchanges(2)
			x := all[slices.IndexFunc(all, func(x *record.Exchange) bool { return !bytes.HasPrefix(x.Request.Head, []byte("GET ")) })]
			if c.status != "" && strconv.Itoa(x.Status()) != c.status || !strings.Contains(x.Trouble, c.trouble) {
				t.Errorf("it was answered by %d, and ended by %s (%s)", x.Status(), x.Ended, x.Trouble)
			}
			if x.Ended == record.EOF && c.status != "200" {
				t.Errorf("it ended by %s", x.Ended)
			}
		})
	}
}

// What clients do to a connection of HTTP/2 is bounded in size, number and time, and recorded as far as it came.
func TestBoundHTTP2(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		send  func(w *http2Wire)
		check func(t *testing.T, r *recorded, all []*record.Exchange)
	}{
		"a flood of CONTINUATION": {func(w *http2Wire) {
			w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: w.pack()})
			for w.WriteContinuation(1, false, nil) == nil {
			}
		}, wantOne(record.Limit, "the head went beyond")},
		"a huge field": {func(w *http2Wire) {
			w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: w.pack()})
			for w.WriteContinuation(1, false, w.pack("x-large", strings.Repeat("~", 10<<10))) == nil {
			}
		}, wantOne(record.Limit, "the head went beyond")},
		"a bomb of HPACK": {func(w *http2Wire) {
			w.enc.SetMaxDynamicTableSizeLimit(4096)
			w.enc.WriteField(hpack.HeaderField{Name: "x-large", Value: strings.Repeat("x", 3000)})
			block := append(w.pack(), w.pack()...)
			for range 15000 {
				block = append(block, 0x80|62) // the newest field of the table
			}
			w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block[:10]})
			for rest := block[10:]; len(rest) > 0; {
				n := min(len(rest), 16<<10)
				w.WriteContinuation(1, n == len(rest), rest[:n])
				rest = rest[n:]
			}
			w.await(http2.FrameHeaders, 1)
			w.conn.Close()
		}, wantOne(record.Limit, "the head went beyond")},
		"a body without an end": {func(w *http2Wire) {
			w.open(1, false)
			go func() {
				for w.WriteData(1, false, make([]byte, 16<<10)) == nil {
				}
			}()
			w.await(http2.FrameHeaders, 1)
			w.conn.Close()
		}, wantOne(record.Limit, "")},
		"bodies on many streams": {func(w *http2Wire) {
			w.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 20})
			for no := uint32(1); no < 180; no += 2 {
				w.open(no, false)
			}
			for n := 0; n < 400; n++ { // 6 MB, of which none is complete
				if w.WriteData(uint32(2*(n%90)+1), false, make([]byte, 16<<10)) != nil {
					break
				}
				time.Sleep(time.Millisecond)
			}
			w.conn.Close()
		}, func(t *testing.T, _ *recorded, all []*record.Exchange) {
			refused := 0
			for _, x := range all {
				if x.Ended == record.Limit {
					refused++
				}
			}
			if refused < 4 { // for 6 MB came, of which 1 MB is waited for at the same time
				t.Errorf("%d of %d requests were refused", refused, len(all))
			}
		}},
		"a frame that is too large": {func(w *http2Wire) {
			w.open(1, false)
			w.WriteRawFrame(http2.FrameData, 0, 1, make([]byte, 17<<10))
			w.drain()
		}, wantOne(record.OurClose, "bytes was announced")},
		"bombs of gzip": {func(w *http2Wire) {
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			z.Write(make([]byte, 2*record.MaxDelivery))
			z.Close()
			for no := uint32(1); no < 20; no += 2 {
				w.open(no, false, "content-type", "application/grpc", "grpc-encoding", "gzip")
				message := record.FrameGRPC(packed.Bytes())
				message[0] = 1
				w.WriteData(no, true, message)
				w.await(http2.FrameHeaders, no)
			}
			w.conn.Close()
		}, func(t *testing.T, _ *recorded, all []*record.Exchange) {
			for _, x := range all {
				if x.Ended != record.Limit || len(x.Request.Body) > 0 || x.Status() != 413 {
					t.Fatalf("%d bytes are kept, and it ended by %s (%s)", len(x.Request.Body), x.Ended, x.Trouble)
				}
			}
			if len(all) != 10 {
				t.Errorf("%d are recorded", len(all))
			}
		}},
		"what is no frame": {func(w *http2Wire) {
			io.WriteString(w.conn, strings.Repeat("GET / HTTP/1.1\r\n", 100))
			w.drain()
		}, wantOne(record.OurClose, "HTTP/2")},
		"DATA on an idle stream": {func(w *http2Wire) {
			w.WriteData(5, true, []byte("x"))
			w.drain()
		}, wantOne(record.OurClose, "not opened")},
		"an even stream": {func(w *http2Wire) {
			w.open(2, true)
			w.drain()
		}, wantOne(record.OurClose, "odd numbers")},
		"fields that cannot be unpacked": {func(w *http2Wire) {
			w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, EndHeaders: true})
			w.drain()
		}, wantOne(record.OurClose, "unpacked")},
		"a request in the middle": {func(w *http2Wire) {
			w.open(1, false)
			w.WriteData(1, false, []byte("half"))
			w.WritePing(false, [8]byte{})
			w.await(http2.FramePing, 0)
			w.conn.Close()
		}, wantOne(record.Reset, "within its request")},
		"a reset request": {func(w *http2Wire) {
			w.open(1, false)
			w.WriteRSTStream(1, http2.ErrCodeCancel)
			w.WritePing(false, [8]byte{})
			w.await(http2.FramePing, 0)
			w.conn.Close()
		}, wantOne(record.Reset, "CANCEL")},
		"a request without a path": {func(w *http2Wire) {
			w.packed.Reset()
			w.enc.WriteField(hpack.HeaderField{Name: "x-a", Value: "b"})
			w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: w.packed.Bytes(), EndHeaders: true, EndStream: true})
			w.await(http2.FrameHeaders, 1)
			w.conn.Close()
		}, func(t *testing.T, _ *recorded, all []*record.Exchange) {
			if len(all) != 1 || all[0].Status() != 400 || len(all[0].Request.Framing.Faults) == 0 {
				t.Errorf("got %+v", all)
			}
		}},
		"a flood of resets": {func(w *http2Wire) {
			for no := uint32(1); no < 20000; no += 2 {
				if w.open(no, true) != nil || w.WriteRSTStream(no, http2.ErrCodeCancel) != nil {
					break
				}
			}
			w.drain()
		}, func(t *testing.T, r *recorded, all []*record.Exchange) {
			if len(all) > maxKept || r.countSurplus() > maxRequests+2*maxStreams {
				t.Errorf("%d were kept, and %d counted", len(all), r.countSurplus())
			}
		}},
		"a flood of PING": {func(w *http2Wire) {
			go func() {
				for w.WritePing(false, [8]byte{}) == nil {
				}
			}()
			w.drain()
		}, wantOne(record.OurClose, "frames came")},
		"many requests without an end": {func(w *http2Wire) {
			for no := uint32(1); no <= 2*(2*maxStreams+1); no += 2 {
				w.WriteHeaders(http2.HeadersFrameParam{StreamID: no, BlockFragment: w.packPath("/stream"), EndHeaders: true})
			}
			w.await(http2.FrameRSTStream, 4*maxStreams+1)
			w.conn.Close()
		}, func(t *testing.T, _ *recorded, all []*record.Exchange) {
			if len(all) != 2*maxStreams {
				t.Errorf("%d are recorded", len(all))
			}
		}},
		"many requests at the same time": {func(w *http2Wire) {
			for no := uint32(1); no <= 2*(maxStreams+20); no += 2 {
				w.WriteHeaders(http2.HeadersFrameParam{StreamID: no, BlockFragment: w.packPath("/stream"), EndHeaders: true, EndStream: true})
			}
			w.await(http2.FrameRSTStream, 2*maxStreams+1)
			w.conn.Close()
		}, func(t *testing.T, _ *recorded, all []*record.Exchange) {
			if len(all) != maxStreams+20 {
				t.Errorf("%d are recorded", len(all))
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newHTTP2Recorded(t)
			w := r.begin()
			c.send(w)
			w.conn.Close()
			r.awaitQuiet(10 * time.Second)
			c.check(t, r, r.listExchanges())
		})
	}
}

// packPath returns the block of a request for a path.
func (w *http2Wire) packPath(path string) []byte {
	w.packed.Reset()
	for _, f := range [][2]string{{":method", "GET"}, {":scheme", "http"}, {":path", path}} {
		w.enc.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]})
	}
	return bytes.Clone(w.packed.Bytes())
}

// wantOne wants one exchange that ended so.
func wantOne(ended record.Ended, trouble string) func(*testing.T, *recorded, []*record.Exchange) {
	return func(t *testing.T, _ *recorded, all []*record.Exchange) {
		if len(all) != 1 || all[0].Ended != ended || !strings.Contains(all[0].Trouble, trouble) {
			for _, x := range all {
				t.Errorf("%s ended by %s (%s): %.200q %q", x.URL, x.Ended, x.Trouble, x.Request.Head, x.Request.Framing.Faults)
			}
			t.Errorf("want one that ended by %s (%s)", ended, trouble)
		}
	}
}
