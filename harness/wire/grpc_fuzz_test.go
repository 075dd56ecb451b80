package wire

import (
	"bytes"
	"context"
	"io"
	"net"
	"reflect"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/protobuf/encoding/protowire"
)

// Messages do not depend on how their body was split, and no byte is lost or made up.
func FuzzGRPCReader(f *testing.F) {
	f.Add(append(FrameGRPC(message("one")), FrameGRPC(nil)...), "", 3)
	f.Add(compressed(zipped("zipped", 3)), "gzip", 1)
	f.Add([]byte{0, 0x80, 0, 0, 0, 1}, "", 2)
	f.Add([]byte{9, 0, 0, 0, 1, 1, 0, 0}, "br", 4)
	f.Fuzz(func(t *testing.T, body []byte, coding string, piece int) {
		whole, over := ReadGRPC(body, []Chunk{{1, len(body)}}, coding)
		var chunks []Chunk
		for left := len(body); left > 0; left -= chunks[len(chunks)-1].N {
			chunks = append(chunks, Chunk{1, min(max(1, piece), left)})
		}
		split, overToo := ReadGRPC(body, chunks, coding)
		if over != overToo || len(whole) != len(split) {
			t.Fatalf("whole %d messages, %q; split %d, %q", len(whole), over, len(split), overToo)
		}
		used := 0
		for i, m := range whole {
			if !reflect.DeepEqual(m.GRPCPrefix, split[i].GRPCPrefix) || !bytes.Equal(m.Payload, split[i].Payload) {
				t.Fatalf("message %d is %+v, and %+v where it was split", i, m, split[i])
			}
			if m.Size != len(m.Payload) || m.Size > maxGRPCBytes || m.Declared >= 0 && m.Received > m.Declared {
				t.Errorf("message %d is %+v", i, m.GRPCPrefix)
			}
			if m.Flag == 0 && m.Sound() && (int64(m.Size) != m.Declared || !bytes.Equal(m.Payload, body[used+5:used+5+m.Size])) {
				t.Errorf("message %d is not what stands at byte %d", i, used)
			}
			used += 5 + int(m.Received)
		}
		if n := len(whole); over == "" && (n == 0) != (len(body) == 0) {
			t.Errorf("%d messages in %d bytes", n, len(body))
		}
	})
}

// Whatever bytes a server sends over HTTP/2, its exchange ends, is within bounds, can
// be looked at, and outlives its file.
func FuzzHTTP2Frames(f *testing.F) {
	var healthy bytes.Buffer
	w, packed := http2.NewFramer(&healthy, nil), &bytes.Buffer{}
	pack := hpack.NewEncoder(packed)
	w.WriteSettings()
	pack.WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	pack.WriteField(hpack.HeaderField{Name: "content-type", Value: "application/grpc"})
	w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: packed.Bytes(), EndHeaders: true})
	w.WriteData(1, false, FrameGRPC(message("reply")))
	w.WritePing(false, [8]byte{})
	packed.Reset()
	pack.WriteField(hpack.HeaderField{Name: "grpc-status", Value: "5"})
	pack.WriteField(hpack.HeaderField{Name: "grpc-message", Value: "%C3%A9"})
	pack.WriteField(hpack.HeaderField{Name: "grpc-status-details-bin", Value: "CAU"})
	w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: packed.Bytes(), EndHeaders: true, EndStream: true})
	w.WriteGoAway(1, http2.ErrCodeNo, []byte("bye"))
	f.Add(healthy.Bytes())
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
	f.Add([]byte{0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 2})
	client := NewClient(Config{Started: time.Now(), Redact: NewRedactor([]Secret{{"bearer", "tok-12345678"}})})
	f.Fuzz(func(t *testing.T, said []byte) {
		ours, theirs := net.Pipe()
		go func() {
			go io.Copy(io.Discard, theirs)
			theirs.Write(said)
			theirs.Close()
		}()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		call := rpc("http://h", "Echo", "text")
		x := &Exchange{Dir: Out, URL: call.URL, HTTP2: &HTTP2{}, Conn: 1, Start: client.Now()}
		u, _ := address(call)
		room := &room{c: client, ctx: ctx}
		ended, err := client.overHTTP2(ctx, x, ours, client.h2fields(u, call, time.Second), call, nil, room, nil)
		room.leave()
		ended, err = cause(ctx, ctx, ended, err)
		client.close(x, call, ended, err, room)
		if x.Ended == Timeout {
			t.Fatalf("it did not end: %s", x.Trouble)
		}
		held(t, x)
	})
}

// A message stays one of the same length when secrets are taken out, and every field of
// it is where it was.
func FuzzRedactProtobuf(f *testing.F) {
	const secret = "tok-12345678"
	f.Add(message(secret), 3)
	f.Add(protowire.AppendBytes(protowire.AppendTag(nil, 3, protowire.BytesType), message("a "+secret+" b")), 5)
	f.Add([]byte("\x0a\x04tok-\x0a\x0812345678\x10\x05"), 1)
	r := NewRedactor([]Secret{{"bearer", secret}})
	f.Fuzz(func(t *testing.T, b []byte, at int) {
		if at >= 0 && at < len(b) {
			b = append(append(bytes.Clone(b[:at]), secret...), b[at:]...)
		}
		clean, changed := r.protobuf(b)
		if len(clean) != len(b) || changed == bytes.Equal(b, clean) {
			t.Errorf("%q became %q", b, clean)
		}
		if bytes.Contains(clean, []byte(secret)) {
			t.Errorf("%q is left in %q", secret, clean)
		}
	})
}
