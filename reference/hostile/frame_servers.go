package hostile

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// FrameServer is a hostile server of gRPC: it uses HTTP/2 frame by frame, in plain.
type FrameServer struct {
	Name string
	Doc  string
	// Lead states that it is one of each few, in the order of the gallery.
	Lead bool

	settings []http2.Setting
	answer   func(*framePeer) // once a call has come in full
	bare     string           // in place of frames, once the client has begun
}

// FrameServers returns the servers of gRPC that belong to the gallery.
func FrameServers() []FrameServer {
	out := slices.Concat(frames, frameFields, frameProtocol)
	for i := range out {
		out[i].Lead = i%16 == 1
	}
	return out
}

// Serve serves one connection, until the client hangs up or the context is done.
func (s FrameServer) Serve(ctx context.Context, c net.Conn) {
	defer context.AfterFunc(ctx, func() { c.Close() })()
	if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	if s.bare != "" {
		writeText(c, "%s", s.bare)
		readToEnd(c)
		return
	}
	p := &framePeer{Conn: c, Framer: http2.NewFramer(c, c)}
	p.pack = hpack.NewEncoder(&p.packed)
	p.AllowIllegalWrites = true
	p.WriteSettings(s.settings...)
	for called := false; !called; {
		f, err := p.ReadFrame()
		if err != nil {
			return
		}
		d, ok := f.(*http2.DataFrame)
		called = ok && d.StreamEnded()
	}
	s.answer(p)
	readToEnd(c)
}

// framePeer is the server's end of a connection. What cannot be sent any more is left.
type framePeer struct {
	net.Conn
	*http2.Framer
	packed bytes.Buffer
	pack   *hpack.Encoder
}

// hangUp ends what the server sends. A connection that is closed while the client still sends
// may be reset, and what the client did not read by then is lost.
func (p *framePeer) hangUp() {
	if half, ok := p.Conn.(interface{ CloseWrite() error }); ok {
		half.CloseWrite()
		return
	}
	p.Close()
}

// encodeHeaderFields packs fields, given as names and values by turns.
func (p *framePeer) encodeHeaderFields(fields ...string) []byte {
	p.packed.Reset()
	for i := 0; i < len(fields); i += 2 {
		p.pack.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return bytes.Clone(p.packed.Bytes())
}

// sendHeaders sends fields in one frame, which may end the stream.
func (p *framePeer) sendHeaders(end bool, fields ...string) {
	p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: p.encodeHeaderFields(fields...), EndHeaders: true, EndStream: end})
}

// beginAnswer is the head of a healthy answer, reply a healthy message, and ok its end.
func (p *framePeer) beginAnswer() {
	p.sendHeaders(false, ":status", "200", "content-type", "application/grpc")
}
func (p *framePeer) sendReplyDataFrame() { p.WriteData(1, false, frameGRPCMessage(reply)) }
func (p *framePeer) endAnswer()          { p.sendHeaders(true, "grpc-status", "0") }

var (
	reply     = []byte("\x0a\x05reply")
	longReply = append([]byte("\x0a\x80\xc0\x02"), strings.Repeat("l", 40<<10)...)
)

// frameGRPCMessage returns a message as gRPC sends it, and compressed one that states it is that.
func frameGRPCMessage(payload []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(payload))), payload...)
}

func frameFlaggedCompressed(payload []byte) []byte {
	out := frameGRPCMessage(payload)
	out[0] = 1
	return out
}

func repeatGzipped(text string, times int) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for range times {
		io.WriteString(z, text)
	}
	z.Close()
	return b.Bytes()
}
