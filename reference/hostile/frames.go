package hostile

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"

	"golang.org/x/net/http2"
)

// frames answer every call by frames of HTTP/2 that no server of gRPC should send. A
// healthy reply among them is one field, a text.
var frames = []FrameServer{
	{Name: "data-before-headers", Doc: "DATA before HEADERS", answer: func(p *framePeer) { p.sendReplyDataFrame(); p.beginAnswer(); p.endAnswer() }},
	{Name: "headers-that-never-end", Doc: "HEADERS that never end", answer: func(p *framePeer) {
		p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: p.encodeHeaderFields(":status", "200")})
		for p.WriteContinuation(1, false, p.encodeHeaderFields("x", strings.Repeat("a", 15<<10))) == nil {
		}
	}},
	{Name: "flood-of-empty-continuation", Doc: "a flood of empty CONTINUATION", answer: func(p *framePeer) {
		p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: p.encodeHeaderFields(":status", "200")})
		for p.WriteContinuation(1, false, nil) == nil {
		}
	}},
	{Name: "headers-left-open", Doc: "HEADERS left open", answer: func(p *framePeer) {
		p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: p.encodeHeaderFields(":status", "200")})
	}},
	{Name: "continuation-out-of-order", Doc: "CONTINUATION out of order", answer: func(p *framePeer) {
		p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: p.encodeHeaderFields(":status", "200")})
		p.sendReplyDataFrame()
	}},
	{Name: "continuation-by-itself", Doc: "CONTINUATION by itself", answer: func(p *framePeer) { p.WriteContinuation(1, true, p.encodeHeaderFields(":status", "200")) }},
	{Name: "bomb-of-header-fields", Doc: "a bomb of header fields", answer: func(p *framePeer) {
		big := p.encodeHeaderFields(":status", "200", "x", strings.Repeat("a", 3900))
		again := p.encodeHeaderFields("x", strings.Repeat("a", 3900))
		p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: big})
		p.WriteContinuation(1, true, bytes.Repeat(again, 10_000))
	}},
	{Name: "headers-that-cannot-be-unpacked", Doc: "HEADERS that cannot be unpacked", answer: func(p *framePeer) {
		p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, EndHeaders: true})
	}},
	{Name: "window-beyond-all-bounds", Doc: "a window beyond all bounds", answer: func(p *framePeer) { p.WriteWindowUpdate(0, math.MaxInt32) }},
	{Name: "rapid-reset", Doc: "a rapid reset", answer: func(p *framePeer) { p.WriteRSTStream(1, http2.ErrCodeEnhanceYourCalm) }},
	{Name: "reset-in-mid-stream", Doc: "a reset in mid-stream", answer: func(p *framePeer) {
		p.beginAnswer()
		p.sendReplyDataFrame()
		p.WriteRSTStream(1, http2.ErrCodeInternal)
	}},
	{Name: "resets-of-streams-that-nobody-opened", Doc: "resets of streams that nobody opened", answer: func(p *framePeer) {
		for i := range uint32(1000) {
			p.WriteRSTStream(3+2*i, http2.ErrCodeCancel)
		}
		p.beginAnswer()
		p.sendReplyDataFrame()
		p.endAnswer()
	}},
	{Name: "goaway-without-the-call", Doc: "GOAWAY without the call", answer: func(p *framePeer) { p.WriteGoAway(0, http2.ErrCodeNo, []byte("bye\n::error::")) }},
	{Name: "goaway-with-the-call-under-way", Doc: "GOAWAY with the call under way", answer: func(p *framePeer) {
		p.beginAnswer()
		p.WriteGoAway(1, http2.ErrCodeNo, []byte("soon"))
		p.sendReplyDataFrame()
		p.endAnswer()
	}},
	{Name: "goaway-and-gone", Doc: "GOAWAY, and gone", answer: func(p *framePeer) {
		p.beginAnswer()
		p.sendReplyDataFrame()
		p.WriteGoAway(1, http2.ErrCodeProtocol, nil)
		p.hangUp()
	}},
	{Name: "gone-in-mid-stream", Doc: "gone in mid-stream", answer: func(p *framePeer) { p.beginAnswer(); p.sendReplyDataFrame(); p.Close() }},
	{Name: "gone-inside-a-frame", Doc: "gone inside a frame", answer: func(p *framePeer) { p.beginAnswer(); p.Write([]byte{0, 1, 0, 0, 0, 0, 0, 0, 1, 'x'}); p.Close() }},
	{Name: "frame-of-16-mb", Doc: "a frame of 16 MB", answer: func(p *framePeer) {
		p.beginAnswer()
		p.Write([]byte{0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1})
	}},
	{Name: "frame-larger-than-agreed", Doc: "a frame larger than agreed", answer: func(p *framePeer) {
		p.beginAnswer()
		p.WriteData(1, false, frameGRPCMessage(longReply))
		p.endAnswer()
	}},
	{Name: "prefix-of-2-gb", Doc: "a prefix of 2 GB", answer: func(p *framePeer) {
		p.beginAnswer()
		p.WriteData(1, false, append(binary.BigEndian.AppendUint32([]byte{0}, 2<<30), "some of it"...))
		p.endAnswer()
	}},
	{Name: "message-without-end", Doc: "a message without end", answer: func(p *framePeer) {
		p.beginAnswer()
		p.WriteData(1, false, binary.BigEndian.AppendUint32([]byte{0}, math.MaxUint32))
		for p.WriteData(1, false, make([]byte, 16<<10)) == nil {
		}
	}},
	{Name: "half-a-prefix", Doc: "half a prefix", answer: func(p *framePeer) { p.beginAnswer(); p.WriteData(1, false, []byte{0, 0, 0}); p.endAnswer() }},
	{Name: "flag-of-7", Doc: "a flag of 7", answer: func(p *framePeer) { p.beginAnswer(); p.WriteData(1, false, []byte{7, 0, 0, 0, 0}); p.endAnswer() }},
	{Name: "compressed-bomb", Doc: "a compressed bomb", answer: func(p *framePeer) {
		p.sendHeaders(false, ":status", "200", "content-type", "application/grpc", "grpc-encoding", "gzip")
		p.WriteData(1, false, frameFlaggedCompressed(bytes.Repeat(repeatGzipped(strings.Repeat("0", 1<<20), 1), 200)))
		p.endAnswer()
	}},
	{Name: "many-compressed-bombs", Doc: "many compressed bombs", answer: func(p *framePeer) {
		p.sendHeaders(false, ":status", "200", "content-type", "application/grpc", "grpc-encoding", "gzip")
		bomb := frameFlaggedCompressed(repeatGzipped(strings.Repeat("0", 1<<20), 7))
		for range 100 {
			p.WriteData(1, false, bomb)
		}
		p.endAnswer()
	}},
	{Name: "broken-gzip", Doc: "broken gzip", answer: func(p *framePeer) {
		p.sendHeaders(false, ":status", "200", "content-type", "application/grpc", "grpc-encoding", "gzip")
		p.WriteData(1, false, frameFlaggedCompressed(repeatGzipped("text", 100)[:20]))
		p.endAnswer()
	}},
	{Name: "compressed-by-nobody-knows-what", Doc: "compressed by nobody knows what", answer: func(p *framePeer) {
		p.beginAnswer()
		p.WriteData(1, false, frameFlaggedCompressed([]byte("noise")))
		p.endAnswer()
	}},
	{Name: "coding-that-is-not-known", Doc: "a coding that is not known", answer: func(p *framePeer) {
		p.sendHeaders(false, ":status", "200", "content-type", "application/grpc", "grpc-encoding", "zstd")
		p.WriteData(1, false, frameFlaggedCompressed([]byte("noise")))
		p.endAnswer()
	}},
	{Name: "trailers-missing", Doc: "trailers missing", answer: func(p *framePeer) { p.beginAnswer(); p.WriteData(1, true, frameGRPCMessage(reply)) }},
	{Name: "status-in-the-head", Doc: "a status in the head", answer: func(p *framePeer) {
		p.sendHeaders(false, ":status", "200", "content-type", "application/grpc", "grpc-status", "0")
		p.WriteData(1, true, frameGRPCMessage(reply))
	}},
	{Name: "trailers-twice", Doc: "trailers twice", answer: func(p *framePeer) {
		p.beginAnswer()
		p.sendReplyDataFrame()
		p.sendHeaders(false, "grpc-status", "0")
		p.sendHeaders(true, "grpc-status", "5")
	}},
	{Name: "trailers-after-the-end", Doc: "trailers after the end", answer: func(p *framePeer) {
		var both bytes.Buffer
		w := http2.NewFramer(&both, nil)
		w.AllowIllegalWrites = true
		p.beginAnswer()
		w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: p.encodeHeaderFields("grpc-status", "0"), EndHeaders: true, EndStream: true})
		w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: p.encodeHeaderFields("grpc-status", "0"), EndHeaders: true, EndStream: true})
		p.Write(both.Bytes())
	}},
	{Name: "trailers-badly-encoded", Doc: "trailers badly encoded", answer: func(p *framePeer) {
		p.beginAnswer()
		p.sendHeaders(true, "grpc-status", "5", "grpc-message", "100%zz\xff\r\n::error::pwned", "grpc-status-details-bin", "!!")
	}},
	{Name: "status-99", Doc: "status 99", answer: func(p *framePeer) { p.beginAnswer(); p.sendReplyDataFrame(); p.sendHeaders(true, "grpc-status", "99") }},
	{Name: "status-that-is-a-word", Doc: "a status that is a word", answer: func(p *framePeer) { p.beginAnswer(); p.sendHeaders(true, "grpc-status", "NOT_FOUND") }},
	{Name: "details-that-are-no-protobuf", Doc: "details that are no protobuf", answer: func(p *framePeer) {
		p.sendHeaders(true, ":status", "200", "content-type", "application/grpc", "grpc-status", "5", "grpc-status-details-bin", "/////w")
	}},
	{Name: "details-of-another-status", Doc: "details of another status", answer: func(p *framePeer) {
		p.sendHeaders(true, ":status", "200", "content-type", "application/grpc", "grpc-status", "5", "grpc-status-details-bin", "CAM")
	}},
	{Name: "no-status", Doc: "no :status", answer: func(p *framePeer) { p.sendHeaders(true, "content-type", "application/grpc", "grpc-status", "0") }},
	{Name: "fields-of-http1-capitals-a-line-end", Doc: "fields of HTTP/1.1, capitals, a line end", answer: func(p *framePeer) {
		p.sendHeaders(true, ":status", "200", "content-type", "application/grpc", "grpc-status", "0", "Upper", "x", "connection", "close", "x", "a\r\nSet-Cookie: pwned", ":late", "1")
	}},
	{Name: "web-page", Doc: "a web page", answer: func(p *framePeer) {
		p.sendHeaders(false, ":status", "502", "content-type", "text/html")
		p.WriteData(1, true, []byte("<h1>Bad gateway</h1>"))
	}},
	{Name: "push", Doc: "a push", answer: func(p *framePeer) {
		p.WritePushPromise(http2.PushPromiseParam{StreamID: 1, PromiseID: 2, BlockFragment: p.encodeHeaderFields(":status", "200"), EndHeaders: true})
	}},
	{Name: "pings-without-end", Doc: "pings without end", answer: func(p *framePeer) {
		many := bytes.Repeat([]byte{0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}, 1000)
		for {
			if _, err := p.Write(many); err != nil {
				return
			}
		}
	}},
	{Name: "empty-data-without-end", Doc: "empty DATA without end", answer: func(p *framePeer) {
		p.beginAnswer()
		many := bytes.Repeat([]byte{0, 0, 0, 0, 0, 0, 0, 0, 1}, 1000)
		for {
			if _, err := p.Write(many); err != nil {
				return
			}
		}
	}},
	{Name: "million-empty-messages", Doc: "a million empty messages", answer: func(p *framePeer) {
		p.beginAnswer()
		for range 400 {
			p.WriteData(1, false, make([]byte, 5*3000))
		}
		p.endAnswer()
	}},
	{Name: "field-for-every-two-bytes", Doc: "a field for every two bytes", answer: func(p *framePeer) {
		p.beginAnswer()
		b := frameGRPCMessage(append([]byte{0x12, 0x80, 0x80, 0x10}, bytes.Repeat([]byte{0x1a, 0}, 1<<17)...))
		for len(b) > 0 {
			n := min(len(b), 16<<10)
			p.WriteData(1, false, b[:n])
			b = b[n:]
		}
		p.endAnswer()
	}},
	{Name: "silence", Doc: "silence", answer: func(p *framePeer) {}},
	{Name: "half-closed-and-silent", Doc: "half closed, and silent", answer: func(p *framePeer) { p.beginAnswer(); p.sendReplyDataFrame() }},
	{Name: "window-0-for-ever", Doc: "the windows of flow control stay shut, and the call is waited for", settings: []http2.Setting{{ID: http2.SettingInitialWindowSize, Val: 0}}, answer: func(*framePeer) {}},
	{Name: "window-never-opened-again", Doc: "the windows of flow control are used up, and the rest of the call is waited for", answer: func(*framePeer) {}},
	{Name: "older-http", Doc: "HTTP/1.1 answers where HTTP/2 is due", bare: "HTTP/1.1 505 HTTP Version Not Supported\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nwhat"},
	{Name: "other-protocol", Doc: "something else answers, which speaks first", bare: "SSH-2.0-OpenSSH_9.6\r\n\x00\x01\x02\x1b[31m"},
	{Name: "first-frame-ping", Doc: "the first frame is no SETTINGS", bare: "\x00\x00\x08\x06\x00\x00\x00\x00\x0012345678"},
}
