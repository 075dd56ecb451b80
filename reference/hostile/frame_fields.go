package hostile

import (
	"bytes"
	"strings"

	"golang.org/x/net/http2"
)

// frameFields send header fields over HTTP/2 beyond all measure: each packs into a byte, or
// is as long as a head may be.
var frameFields = []FrameServer{
	{Name: "fields-of-a-byte", Doc: "200,000 fields of a byte each", answer: func(p *framePeer) {
		p.manyFields(false, p.encodeHeaderFields(":status", "200", "content-type", "application/grpc", "a", ""), 200_000)
		p.sendReplyDataFrame()
		p.endAnswer()
	}},
	{Name: "trailers-of-a-byte", Doc: "200,000 trailers of a byte each", answer: func(p *framePeer) {
		p.beginAnswer()
		p.sendReplyDataFrame()
		p.manyFields(true, p.encodeHeaderFields("grpc-status", "0", "a", ""), 200_000)
	}},
	{Name: "interim-fields-of-a-byte", Doc: "an interim response of 200,000 fields", answer: func(p *framePeer) {
		p.manyFields(false, p.encodeHeaderFields(":status", "103", "a", ""), 200_000)
		p.beginAnswer()
		p.sendReplyDataFrame()
		p.endAnswer()
	}},
	{Name: "interim-heads-by-the-20000", Doc: "20,000 interim responses", answer: func(p *framePeer) {
		for range 20_000 {
			p.sendHeaders(false, ":status", "103", "link", "l")
		}
		p.beginAnswer()
		p.sendReplyDataFrame()
		p.endAnswer()
	}},
	{Name: "name-of-900-kb", Doc: "a field with a name of 900 KB", answer: func(p *framePeer) {
		p.longBlock(false, p.encodeHeaderFields(":status", "200", "content-type", "application/grpc", "x-"+strings.Repeat("n", 900_000), "v"))
		p.sendReplyDataFrame()
		p.endAnswer()
	}},
	{Name: "status-message-of-900-kb", Doc: "a status message of 900 KB", answer: func(p *framePeer) {
		p.beginAnswer()
		p.sendReplyDataFrame()
		p.longBlock(true, p.encodeHeaderFields("grpc-status", "3", "grpc-message", strings.Repeat("m", 900_000)))
	}},
	{Name: "status-details-of-900-kb", Doc: "status details of 900 KB", answer: func(p *framePeer) {
		p.beginAnswer()
		p.sendReplyDataFrame()
		p.longBlock(true, p.encodeHeaderFields("grpc-status", "3", "grpc-status-details-bin", strings.Repeat("CAMQ", 225_000)))
	}},
}

// manyFields sends a block, and its last field, which was new, so many times more: it takes a
// byte each time, because both ends have it in their tables by then.
func (p *framePeer) manyFields(end bool, block []byte, times int) {
	const newest = 0x80 | 62 // RFC 7541, sections 2.3.3 and 6.1
	p.longBlock(end, append(block, bytes.Repeat([]byte{newest}, times)...))
}

// longBlock sends a block of fields in as many frames as it takes.
func (p *framePeer) longBlock(end bool, block []byte) {
	const most = 16 << 10
	first := block[:min(most, len(block))]
	block = block[len(first):]
	p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: first, EndStream: end, EndHeaders: len(block) == 0})
	for len(block) > 0 {
		next := block[:min(most, len(block))]
		block = block[len(next):]
		p.WriteContinuation(1, len(block) == 0, next)
	}
}
