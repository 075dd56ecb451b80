package hostile

import (
	"bytes"
	"math"
	"strings"

	"golang.org/x/net/http2"
)

// frameProtocol break the rules of HTTP/2 about connections, streams and flow control, or use
// those that are seldom used. Their names begin with the frame that it is about.
var frameProtocol = []FrameServer{
	{Name: "reset-refused-stream", Doc: "every stream is refused by REFUSED_STREAM, which says that nothing was done", answer: func(p *framePeer) { p.WriteRSTStream(1, http2.ErrCodeRefusedStream) }},
	{Name: "reset-no-error", Doc: "every stream is reset without an error, before an answer", answer: func(p *framePeer) { p.WriteRSTStream(1, http2.ErrCodeNo) }},
	{Name: "reset-older-http-required", Doc: "every stream is reset by HTTP_1_1_REQUIRED", answer: func(p *framePeer) { p.WriteRSTStream(1, http2.ErrCodeHTTP11Required) }},
	{Name: "reset-unknown-code", Doc: "every stream is reset with a code that does not exist", answer: func(p *framePeer) { p.WriteRSTStream(1, 0xdeadbeef) }},
	{Name: "reset-of-the-connection", Doc: "RST_STREAM comes for stream 0", answer: func(p *framePeer) { p.WriteRSTStream(0, http2.ErrCodeCancel) }},
	{Name: "reset-after-the-answer", Doc: "a whole answer is followed by RST_STREAM without an error, which is allowed", answer: func(p *framePeer) {
		p.beginAnswer()
		p.sendReplyDataFrame()
		p.endAnswer()
		p.WriteRSTStream(1, http2.ErrCodeNo)
	}},
	{Name: "settings-without-end", Doc: "SETTINGS come without end, each to be acknowledged", answer: func(p *framePeer) {
		p.repeatFrame([]byte{0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 100})
	}},
	{Name: "settings-of-5-bytes", Doc: "SETTINGS have a length that holds no setting", answer: func(p *framePeer) { p.Write([]byte{0, 0, 5, 4, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5}) }},
	{Name: "settings-on-a-stream", Doc: "SETTINGS come on the stream of the call", answer: func(p *framePeer) { p.Write([]byte{0, 0, 0, 4, 0, 0, 0, 0, 1}) }},
	{Name: "settings-window-of-4-gb", Doc: "SETTINGS ask for a window of 4 GB", answer: func(p *framePeer) {
		p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: math.MaxUint32})
	}},
	{Name: "settings-frames-of-a-byte", Doc: "SETTINGS ask for frames of at most one byte", answer: func(p *framePeer) {
		p.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1})
		p.beginAnswer()
		p.sendReplyDataFrame()
		p.endAnswer()
	}},
	{Name: "window-update-of-nothing", Doc: "WINDOW_UPDATE gives 0 bytes", answer: func(p *framePeer) { p.Write([]byte{0, 0, 4, 8, 0, 0, 0, 0, 1, 0, 0, 0, 0}) }},
	{Name: "window-updates-without-end", Doc: "WINDOW_UPDATE gives one byte after the other", answer: func(p *framePeer) {
		p.repeatFrame([]byte{0, 0, 4, 8, 0, 0, 0, 0, 1, 0, 0, 0, 1})
	}},
	{Name: "data-of-padding-without-end", Doc: "DATA has nothing but padding, without end", answer: func(p *framePeer) {
		p.beginAnswer()
		p.repeatFrame(append([]byte{0, 1, 0, 0, 8, 0, 0, 0, 1, 255}, make([]byte, 255)...))
	}},
	{Name: "data-with-too-much-padding", Doc: "DATA has more padding than bytes", answer: func(p *framePeer) {
		p.beginAnswer()
		p.Write([]byte{0, 0, 2, 0, 8, 0, 0, 0, 1, 200, 0})
	}},
	{Name: "data-on-the-connection", Doc: "DATA comes on stream 0", answer: func(p *framePeer) { p.beginAnswer(); p.WriteData(0, false, frameGRPCMessage(reply)) }},
	{Name: "data-on-another-stream", Doc: "DATA comes on a stream that nobody opened", answer: func(p *framePeer) { p.beginAnswer(); p.WriteData(3, true, frameGRPCMessage(reply)) }},
	{Name: "headers-on-an-even-stream", Doc: "HEADERS open a stream of the server's own", answer: func(p *framePeer) {
		p.WriteHeaders(http2.HeadersFrameParam{StreamID: 2, BlockFragment: p.encodeHeaderFields(":status", "200"), EndHeaders: true})
	}},
	{Name: "headers-that-depend-on-themselves", Doc: "HEADERS have a priority by which the stream depends on itself", answer: func(p *framePeer) {
		p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: p.encodeHeaderFields(":status", "200", "content-type", "application/grpc"), EndHeaders: true, Priority: http2.PriorityParam{StreamDep: 1, Weight: 9}})
		p.sendReplyDataFrame()
		p.endAnswer()
	}},
	{Name: "headers-of-a-switch", Doc: "HEADERS say 101, which HTTP/2 does not have", answer: func(p *framePeer) {
		p.sendHeaders(false, ":status", "101")
		p.beginAnswer()
		p.sendReplyDataFrame()
		p.endAnswer()
	}},
	{Name: "headers-with-a-table-of-4-gb", Doc: "HEADERS grow the table of fields beyond what was agreed", answer: func(p *framePeer) {
		p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: append([]byte{0x3f, 0xe1, 0xff, 0xff, 0xff, 0x0f}, p.encodeHeaderFields(":status", "200")...), EndHeaders: true})
	}},
	{Name: "headers-from-an-empty-table", Doc: "HEADERS name a field that the table does not have", answer: func(p *framePeer) {
		p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x88, 0xff, 0x20}, EndHeaders: true})
	}},
	{Name: "headers-as-trailers-without-end", Doc: "trailers come again and again, and never end the stream", answer: func(p *framePeer) {
		p.beginAnswer()
		p.sendReplyDataFrame()
		for range 4_000 {
			p.sendHeaders(false, "grpc-status", "0", "x", strings.Repeat("t", 100))
		}
		p.hangUp()
	}},
	{Name: "priorities-without-end", Doc: "PRIORITY comes without end, for streams that nobody opened", answer: func(p *framePeer) {
		p.repeatFrame([]byte{0, 0, 5, 2, 0, 0, 0, 0, 5, 0, 0, 0, 3, 9})
	}},
	{Name: "unknown-frames-without-end", Doc: "frames of an unknown type come without end", answer: func(p *framePeer) {
		p.repeatFrame(append([]byte{0, 0, 16, 0xfa, 0xff, 0xff, 0xff, 0xff, 0xff}, "unknown to anyone"[:16]...))
	}},
	{Name: "goaway-again-and-again", Doc: "GOAWAY comes 10,000 times, each with more to say, and the last takes back the call", answer: func(p *framePeer) {
		p.beginAnswer()
		for range 10_000 {
			p.WriteGoAway(math.MaxInt32, http2.ErrCodeNo, bytes.Repeat([]byte("bye "), 20))
		}
		p.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, nil)
	}},
	{Name: "goaway-of-1-mb", Doc: "GOAWAY explains itself in 1 MB", answer: func(p *framePeer) {
		p.WriteGoAway(1, http2.ErrCodeInternal, bytes.Repeat([]byte("\n::error::why"), 75_000))
		p.hangUp()
	}},
	{Name: "ping-of-7-bytes", Doc: "PING has seven bytes", answer: func(p *framePeer) { p.Write([]byte{0, 0, 7, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7}) }},
}

// repeatFrame sends a frame until no one takes it any more.
func (p *framePeer) repeatFrame(frame []byte) {
	many := bytes.Repeat(frame, 1000)
	for {
		if _, err := p.Write(many); err != nil {
			return
		}
	}
}
