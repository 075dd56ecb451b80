package serve

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// newAnswer makes what answers a request of HTTP/2.
func (s *http2Stream) newAnswer() *answerWriter {
	a := &answerWriter{ctx: s.ctx, conn: s.conn, raw: s.raw, in: s.in, now: s.sinceStart, q: s.q, stream: s}
	a.m.Framing = record.Framing{Kind: "none", Declared: -1}
	return a
}

// answerStream answers a request that is complete.
func (h *http2Conn) answerStream(s *http2Stream) {
	q := s.q
	q.address = joinAddress(h.base, q.Target)
	a := s.newAnswer()
	switch {
	case q.refused != 0:
		a.writeWhole(q.refused, nil, nil)
	case h.plain:
		a.writeWhole(http.StatusBadRequest, listTypeFields("text/plain"), []byte("this address is one of https\n"))
	case q.ended == record.EOF:
		h.answerSafely(a, q)
	}
	h.noteStream(a, s)
	h.closeStream(s)
	switch {
	case a.cut != "":
		h.hangUp()
	case a.broken == nil && (!a.whole || q.ended != record.EOF) && s.readCode() == "":
		h.writeReset(s.no, http2.ErrCodeNo)
	}
}

// readCode returns the code by which the client gave the stream up; "" if it did not.
func (s *http2Stream) readCode() string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.code
}

// noteStream records a request with its answer, and the frames of both.
func (h *http2Conn) noteStream(a *answerWriter, s *http2Stream) {
	s.q.address = joinAddress(h.base, s.q.Target)
	h.lock.Lock()
	s.noted = true
	h.lock.Unlock()
	x := &record.Exchange{Dir: record.In, Request: record.Message{Head: s.q.record.Head}, Response: a.m, HTTP2: s.log}
	x.ReplaceBodiesByGRPCPayloads(func() bool { return true })
	a.m = x.Response
	h.noteExchange(a, s.q)
}

// noteFrame adds a frame to the record of its stream. One of the connection is recorded with the request that was begun last.
func (h *http2Conn) noteFrame(f record.HTTP2Frame) {
	h.lock.Lock()
	defer h.lock.Unlock()
	s := h.streams[f.Stream]
	if s == nil && f.Stream == 0 {
		s = h.newest
	}
	switch {
	case s != nil && s.noted, s == nil && h.last > 0, s == nil && len(h.opening) >= maxOpening:
	case s == nil:
		h.opening = append(h.opening, f)
	case len(s.log.Frames) >= maxFramesKept && f.Type != http2.FrameRSTStream.String() && f.Type != http2.FrameGoAway.String(), len(s.log.Frames) >= 2*maxFramesKept:
		s.log.Unkept++
	default:
		s.log.Frames = append(s.log.Frames, f)
	}
}

// sendSettings begins our side of the connection.
func (h *http2Conn) sendSettings() {
	h.writeFrame(http2.FrameSettings, 0, 0, encodeFrame(func(f *http2.Framer) error {
		return f.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: maxStreams}, http2.Setting{ID: http2.SettingInitialWindowSize, Val: http2Window},
			http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: maxHead})
	}))
	h.renewWindow(0, http2Window-65535)
}

// renewWindow gives the client room for so many bytes more.
func (h *http2Conn) renewWindow(no uint32, n int64) {
	h.writeFrame(http2.FrameWindowUpdate, 0, no, encodeFrame(func(f *http2.Framer) error { return f.WriteWindowUpdate(no, uint32(n)) }))
}

// writeReset gives up a stream.
func (h *http2Conn) writeReset(no uint32, code http2.ErrCode) {
	h.writeFrame(http2.FrameRSTStream, 0, no, encodeFrame(func(f *http2.Framer) error { return f.WriteRSTStream(no, code) }))
}

// encodeGoAway returns what gives up a connection.
func encodeGoAway(last uint32, code http2.ErrCode) []byte {
	return encodeFrame(func(f *http2.Framer) error { return f.WriteGoAway(last, code, nil) })
}

// encodeFrame returns the payload of a frame.
func encodeFrame(write func(f *http2.Framer) error) []byte {
	const head = 9
	var out payloadBuffer
	f := http2.NewFramer(&out, nil)
	f.AllowIllegalWrites = true
	if err := write(f); err != nil || len(out) < head {
		panic(fmt.Errorf("a frame cannot be written: %w", err)) // to memory
	}
	return out[head:]
}

// payloadBuffer keeps what is written.
type payloadBuffer []byte

// Write appends bytes.
func (b *payloadBuffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}

// writeFrame writes a frame.
func (h *http2Conn) writeFrame(kind http2.FrameType, flags http2.Flags, no uint32, payload []byte) error {
	h.writes.Lock()
	defer h.writes.Unlock()
	return h.writeFrameLocked(kind, flags, no, payload)
}

// writeFrameLocked writes a frame. The caller holds the lock of writes. A client that does not read for a while is given up.
func (h *http2Conn) writeFrameLocked(kind http2.FrameType, flags http2.Flags, no uint32, payload []byte) error {
	f := client.DescribeFrame(http2.FrameHeader{Type: kind, Flags: flags, StreamID: no, Length: uint32(len(payload))}, parseFrame(kind, flags, no, payload))
	f.Sent, f.At = true, h.sinceStart()
	h.noteFrame(f)
	h.conn.SetWriteDeadline(time.Now().Add(h.waits.write))
	frames := http2.NewFramer(h.conn, nil)
	frames.AllowIllegalWrites = true
	err := frames.WriteRawFrame(kind, flags, no, payload)
	switch {
	case err == nil, errors.Is(err, net.ErrClosed):
	case errors.Is(err, os.ErrDeadlineExceeded): // half a frame may have left
		h.hangUp()
	default: // the client closed it
		h.conn.Close()
	}
	return err
}

// parseFrame reads a control frame of ours, so that the record shows what it states; nil for others.
func parseFrame(kind http2.FrameType, flags http2.Flags, no uint32, payload []byte) http2.Frame {
	if kind == http2.FrameData || kind == http2.FrameHeaders || kind == http2.FrameContinuation {
		return nil
	}
	var out payloadBuffer
	w := http2.NewFramer(&out, nil)
	w.AllowIllegalWrites = true
	w.WriteRawFrame(kind, flags, no, payload) // to memory
	frame, err := http2.NewFramer(nil, strings.NewReader(string(out))).ReadFrame()
	if err != nil {
		return nil
	}
	return frame
}

// writeFields writes a block of header fields on a stream.
func (s *http2Stream) writeFields(fields []hpack.HeaderField, end bool) error {
	if err := s.findEnd(); err != nil {
		return err
	}
	s.writes.Lock()
	defer s.writes.Unlock()
	s.packed.Reset()
	for _, f := range fields {
		s.encoder.WriteField(f) // to memory
	}
	kind, flags := http2.FrameHeaders, http2.Flags(0)
	if end {
		flags = http2.FlagHeadersEndStream
	}
	for first := true; first || s.packed.Len() > 0; first = false {
		p := s.packed.Next(http2FrameSize)
		if s.packed.Len() == 0 {
			flags |= http2.FlagHeadersEndHeaders
		}
		if err := s.writeFrameLocked(kind, flags, s.no, p); err != nil {
			return err
		}
		kind, flags = http2.FrameContinuation, 0
	}
	return nil
}

// findEnd returns why nothing can be written on the stream any more; nil as long as it can.
func (s *http2Stream) findEnd() error {
	_, err := s.in.readEnd()
	return err
}

var errWindow = errors.New("the client gave no room for more")

// takeWindow waits until the client has room for bytes on the stream, and returns for how many of them. A client that gives no
// room for a while is given up.
func (s *http2Stream) takeWindow(most int) (int, error) {
	late := time.NewTimer(s.waits.write)
	defer late.Stop()
	for {
		s.lock.Lock()
		n := int(min(int64(most), int64(s.size), s.window, s.http2Conn.window))
		if n > 0 {
			s.window -= int64(n)
			s.http2Conn.window -= int64(n)
		}
		news, over := s.news, s.over
		s.lock.Unlock()
		switch {
		case n > 0:
			return n, nil
		case over:
			return 0, errStopped
		}
		select {
		case <-news:
		case <-s.in.gone:
			return 0, s.findEnd()
		case <-s.ctx.Done():
			return 0, errStopped
		case <-late.C:
			return 0, errWindow
		}
	}
}

// writeData writes a piece of the body on a stream.
func (s *http2Stream) writeData(data []byte, end bool) error {
	for first := true; first || len(data) > 0; first = false {
		n := 0
		if err := s.findEnd(); err != nil {
			return err
		}
		if len(data) > 0 {
			var err error
			if n, err = s.takeWindow(len(data)); err != nil {
				if errors.Is(err, errWindow) { // the client may still read other streams
					s.writeReset(s.no, http2.ErrCodeCancel)
				}
				return err
			}
		}
		flags := http2.Flags(0)
		if end && n == len(data) {
			flags = http2.FlagDataEndStream
		}
		if err := s.writeFrame(http2.FrameData, flags, s.no, data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// writeStreamHead writes the head of an answer over HTTP/2.
func (a *answerWriter) writeStreamHead(status int, fields []record.Field, end bool) {
	out := []hpack.HeaderField{{Name: ":status", Value: strconv.Itoa(status)}, {Name: "date", Value: time.Now().UTC().Format(http.TimeFormat)}}
	for _, list := range [][]record.Field{fields, a.shared} {
		for _, f := range list {
			out = append(out, hpack.HeaderField{Name: strings.ToLower(f.Name), Value: f.Value})
		}
	}
	a.left = a.now()
	if a.broken = a.stream.writeFields(out, end); a.broken != nil {
		return
	}
	if status >= 200 {
		a.m.Head = client.FormatResponseHead(out)
		if !end {
			a.m.Framing.Kind = "frames"
		}
		return
	}
	a.m.Framing.Interim = append(a.m.Framing.Interim, status)
}

// writeStreamWhole answers by one message over HTTP/2.
func (a *answerWriter) writeStreamWhole(status int, fields []record.Field, body []byte) {
	if a.q.Method == http.MethodHead {
		body = nil
	}
	a.writeStreamHead(status, fields, len(body) == 0)
	if a.broken == nil && len(body) > 0 {
		a.writeStreamPiece(body, true)
	}
	a.whole = a.broken == nil
}

// writeStreamPiece writes a piece of the body over HTTP/2.
func (a *answerWriter) writeStreamPiece(data []byte, end bool) {
	a.left = a.now()
	if a.broken = a.stream.writeData(data, end); a.broken == nil {
		a.m.AppendBody(data, a.left)
	}
}

// endStreamPieces ends an answer over HTTP/2, with fields after its body.
func (a *answerWriter) endStreamPieces(trailer []record.Field) {
	if a.broken != nil {
		return
	}
	a.left = a.now()
	if len(trailer) == 0 {
		a.broken = a.stream.writeData(nil, true)
		return
	}
	var out []hpack.HeaderField
	for _, f := range trailer {
		out = append(out, hpack.HeaderField{Name: strings.ToLower(f.Name), Value: f.Value})
	}
	if a.broken = a.stream.writeFields(out, true); a.broken == nil {
		a.m.Trailer = append(a.m.Trailer, client.FormatFields(out)...)
	}
}
