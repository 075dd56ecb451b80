package client

import (
	"bytes"
	"context"
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

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
	w.WriteData(1, false, record.FrameGRPC(message("reply")))
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
	client := NewClient(Config{Started: time.Now(), Redact: redact.NewRedactor([]redact.Secret{{Name: "bearer", Value: "tok-12345678"}})})
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
		x := &record.Exchange{Dir: record.Out, URL: call.URL, HTTP2: &record.HTTP2{}, Conn: 1, Start: client.Now()}
		u, _ := parseHTTP2URL(call)
		room := &bodySlot{c: client, ctx: ctx}
		ended, err := client.overHTTP2(ctx, x, ours, client.buildHTTP2Fields(u, call, time.Second), call, nil, room, nil)
		room.release()
		ended, err = reclassifyEnding(ctx, ctx, ended, err)
		client.completeAndRedactExchange(x, call, ended, err, room)
		if x.Ended == record.Timeout {
			t.Fatalf("it did not end: %s", x.Trouble)
		}
		held(t, x)
	})
}
