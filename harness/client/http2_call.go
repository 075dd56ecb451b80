package client

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Windows of flow control that we give: of the stream and of the connection.
const ourWindow = 1 << 20

// Why we give up a stream.
const (
	ourCancel = http2.ErrCodeCancel
	noError   = http2.ErrCodeNo
)

// h2call is one call on a connection of HTTP/2. Its reader takes frames apart as they
// arrive, its writer sends what the reader and the call have for it.
type h2call struct {
	c        *Client
	conn     net.Conn
	in       *bufio.Reader
	frames   *http2.Framer
	arrived  record.Instant // of the bytes that were read last
	watch    Watch
	room     *room
	answered func(http.Header)
	writer   *h2writer

	lock    sync.Mutex // over the record
	log     *record.HTTP2
	read    int
	sealed  bool
	fields  *hpack.Decoder
	block   *fieldBlock // that is being read
	resp    framer      // takes head, body and faults
	headed  bool        // the final head came
	over    bool        // the peer ended the stream
	window  int64       // of ours that the peer has used since it was renewed
	trailed bool
	code    http2.ErrCode // with which we give up the stream
	goAway  string
	older   *framer // an answer by HTTP/1.1
}

func newH2call(c *Client, conn net.Conn, log *record.HTTP2, watch Watch, room *room, answered func(http.Header)) *h2call {
	h := &h2call{c: c, conn: conn, log: log, watch: watch, room: room, answered: answered, code: ourCancel}
	h.in = bufio.NewReaderSize(&stampedReader{conn, h}, readBuffer)
	h.frames = http2.NewFramer(io.Discard, h.in)
	h.frames.SetMaxReadFrameSize(maxFrameSize)
	h.frames.SetReuseFrames()
	h.fields = hpack.NewDecoder(4096, func(f hpack.HeaderField) {
		if h.block != nil {
			h.block.add(f)
		}
	})
	h.fields.SetMaxStringLength(record.MaxHead)
	h.resp.Framing = record.Framing{Kind: "none", Declared: -1}
	h.writer = newH2writer(conn, h.note)
	return h
}

// stampedReader knows when the last bytes arrived.
type stampedReader struct {
	net.Conn
	h *h2call
}

func (r *stampedReader) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	r.h.arrived = r.h.c.Now()
	return n, err
}

// note writes a frame into the record.
func (h *h2call) note(f record.HTTP2Frame) {
	if f.Sent {
		f.At = h.c.Now()
	}
	h.lock.Lock()
	defer h.lock.Unlock()
	if !h.sealed {
		keepFrame(h.log, f)
	}
}

// hurry ends what waits for the peer: the time of the call is over.
func (h *h2call) hurry() {
	now := time.Now()
	h.conn.SetReadDeadline(now)
	h.conn.SetWriteDeadline(now.Add(goodbye))
}

// unsent is how many bytes of the call the flow control of the peer held back.
func (h *h2call) unsent() int { return h.writer.heldBack() }

// run sends the call and reads what comes, until the stream has ended one way or
// another.
func (h *h2call) run(fields []hpack.HeaderField, body []byte) (record.Ended, error) {
	h.writer.open(fields, body)
	if start, err := h.in.Peek(5); err == nil && string(start) == "HTTP/" {
		return h.readOlder()
	}
	for {
		ended, err := h.next()
		if ended == "" {
			continue
		}
		switch ended {
		case record.EOF:
			h.leftovers()
		case record.OurClose:
			h.part()
		}
		return ended, err
	}
}

// broken ends an exchange in which the peer left the protocol.
func (h *h2call) broken(code http2.ErrCode, format string, args ...any) (record.Ended, error) {
	h.code = code
	h.resp.fault(format, args...)
	return record.Reset, fmt.Errorf(record.HTTP2Trouble+format, args...)
}

// next reads one frame. It says how the stream ended, if it did.
func (h *h2call) next() (record.Ended, error) {
	if h.read++; h.read > maxFramesRead {
		return record.Limit, fmt.Errorf("there were more than %d frames, and no more were read", maxFramesRead)
	}
	head, err := h.frames.ReadFrameHeader()
	if err != nil && head.Type == 0 && head.Length == 0 && head.StreamID == 0 && !isFrameError(err) {
		return h.gone(err)
	}
	f := record.HTTP2Frame{At: h.arrived, Type: frameName(head.Type), Flags: uint8(head.Flags), Stream: head.StreamID, Length: head.Length}
	if err != nil {
		h.note(f)
		return h.illegal(head, err)
	}
	if head.Length > usualFrame {
		h.fault("a %s frame has %d bytes, and more than %d were not agreed on", f.Type, head.Length, usualFrame)
	}
	frame, err := h.frames.ReadFrameForHeader(head)
	f.At = h.arrived
	if err != nil {
		f.Detail = "it did not come in full"
		if isFrameError(err) {
			f.Detail = ""
		}
		h.note(f)
		return h.illegal(head, err)
	}
	describePayload(&f, frame)
	h.note(f)
	if h.read == 1 && head.Type != http2.FrameSettings {
		return h.broken(http2.ErrCodeProtocol, "the first frame is %s; expected SETTINGS", f.Type)
	}
	return h.take(frame)
}

// fault writes a departure down, once for each wording.
func (h *h2call) fault(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, known := range h.resp.Framing.Faults {
		if known == text {
			return
		}
	}
	if len(h.resp.Framing.Faults) < record.MaxFaults {
		h.resp.Framing.Faults = append(h.resp.Framing.Faults, text)
	}
}

// isFrameError reports whether an error is about what was read, not about reading.
func isFrameError(err error) bool {
	var c http2.ConnectionError
	var s http2.StreamError
	return errors.As(err, &c) || errors.As(err, &s) || errors.Is(err, http2.ErrFrameTooLarge)
}

// illegal ends an exchange for a frame that is none, or could not be read.
func (h *h2call) illegal(head http2.FrameHeader, err error) (record.Ended, error) {
	var c http2.ConnectionError
	var s http2.StreamError
	name := frameName(head.Type)
	switch {
	case errors.Is(err, http2.ErrFrameTooLarge):
		return h.broken(http2.ErrCodeFrameSize, "a %s frame of %d bytes was announced", name, head.Length)
	case errors.As(err, &s):
		return h.broken(s.Code, "a %s frame on stream %d is faulty (%s)", name, head.StreamID, codeName(s.Code))
	case errors.As(err, &c):
		why := codeName(http2.ErrCode(c))
		if d := h.frames.ErrorDetail(); d != nil {
			why += ": " + d.Error()
		}
		return h.broken(http2.ErrCode(c), "a %s frame on stream %d is faulty (%s)", name, head.StreamID, why)
	}
	return h.gone(err)
}

// gone tells of a connection that gives no more.
func (h *h2call) gone(err error) (record.Ended, error) {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return record.Timeout, err
	}
	where := "before the head of a response"
	switch {
	case h.block != nil:
		where = "inside a block of header fields"
	case h.headed:
		where = "before the stream had ended"
	}
	if h.goAway != "" {
		where += ", after GOAWAY " + h.goAway
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return record.Reset, fmt.Errorf("the connection closed %s", where)
	}
	return record.Reset, fmt.Errorf("the connection broke %s: %w", where, err)
}

// partingTime is how long a server may take to show that a connection outlives a stream
// that was given up.
const partingTime = 2 * time.Second

// part gives the stream up, as a client does that has seen enough, and asks by a PING
// whether the connection is still there.
func (h *h2call) part() {
	h.writer.control(http2.FrameRSTStream, 0, record.OurStream, payload(func(f *http2.Framer) { f.WriteRSTStream(record.OurStream, ourCancel) }))
	h.writer.control(http2.FramePing, 0, 0, []byte("parting?"))
	h.code = noError
	h.conn.SetReadDeadline(time.Now().Add(partingTime))
	for range maxLeftovers {
		f, frame, err := h.pass()
		if err != nil {
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				h.lock.Lock()
				h.log.Lost = err.Error()
				h.lock.Unlock()
			}
			return
		}
		switch frame := frame.(type) {
		case *http2.PingFrame:
			if frame.IsAck() {
				return
			}
			h.writer.control(http2.FramePing, http2.FlagPingAck, 0, frame.Data[:])
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				h.writer.settings(frame)
			}
		case *http2.GoAwayFrame:
			if frame.ErrCode != noError {
				h.lock.Lock()
				h.log.Lost = "GOAWAY " + f.Code
				h.lock.Unlock()
				return
			}
		}
	}
}

// maxLeftovers bounds the frames that are read of a stream that is over.
const maxLeftovers = 1000

// pass reads one frame that belongs to no answer any more.
func (h *h2call) pass() (f record.HTTP2Frame, frame http2.Frame, err error) {
	head, err := h.frames.ReadFrameHeader()
	if err != nil {
		return f, nil, err
	}
	f = record.HTTP2Frame{Type: frameName(head.Type), Flags: uint8(head.Flags), Stream: head.StreamID, Length: head.Length}
	frame, err = h.frames.ReadFrameForHeader(head)
	if f.At = h.arrived; err == nil {
		describePayload(&f, frame)
	}
	h.note(f)
	return f, frame, err
}

// leftovers looks at the frames that came together with the end of the stream. What
// comes later is nobody's.
func (h *h2call) leftovers() {
	for range 100 {
		b, _ := h.in.Peek(min(h.in.Buffered(), 9))
		if len(b) < 9 || h.in.Buffered() < 9+(int(b[0])<<16|int(b[1])<<8|int(b[2])) {
			return
		}
		head, err := h.frames.ReadFrameHeader()
		f := record.HTTP2Frame{At: h.arrived, Type: frameName(head.Type), Flags: uint8(head.Flags), Stream: head.StreamID, Length: head.Length}
		if err != nil {
			h.note(f)
			return
		}
		frame, err := h.frames.ReadFrameForHeader(head)
		if err == nil {
			describePayload(&f, frame)
		}
		h.note(f)
		if head.StreamID == record.OurStream && (head.Type == http2.FrameData || head.Type == http2.FrameHeaders) {
			h.fault("a %s frame came after the stream had ended", f.Type)
		}
		if err != nil {
			return
		}
	}
}

// readOlder takes an answer by HTTP/1.1, as a server gives it that knows no other.
func (h *h2call) readOlder() (record.Ended, error) {
	h.older = newFramer(false)
	h.older.fault("the server answers HTTP/2 by HTTP/1.1")
	buf := make([]byte, 4<<10)
	for h.older.state != messageOver && h.older.state != framingLost {
		n, err := h.in.Read(buf)
		h.older.feed(buf[:n], h.arrived)
		switch {
		case errors.Is(err, io.EOF):
			return record.EOF, nil
		case err != nil:
			return h.gone(err)
		case len(h.older.Head) > record.MaxHead || len(h.older.Body) > largeBody:
			return record.Limit, fmt.Errorf("the server answers HTTP/2 by HTTP/1.1, and at length")
		}
	}
	return record.EOF, nil
}

// message is the response as it was read.
func (h *h2call) message(how record.Ended) record.Message {
	if h.older != nil {
		return h.older.end(how)
	}
	if how.ByPeer() && h.block != nil {
		h.fault("a block of header fields does not end")
	}
	return h.resp.Message
}

// lastWords is how long the last frames of ours may take to be sent.
const lastWords = 250 * time.Millisecond

// leave ends the stream, if it is still open, and the connection. The peer may take
// its time to hang up; nobody waits for it.
func (h *h2call) leave(ended record.Ended) {
	if h.older == nil {
		h.writer.finish(h.code, ended == record.EOF)
	} else {
		h.writer.drop()
	}
	select {
	case <-h.writer.done:
	case <-time.After(lastWords):
	}
	h.lock.Lock()
	h.sealed = true
	h.lock.Unlock()
	h.c.leaving.Go(func() {
		defer h.c.fds.freed()
		guard := time.AfterFunc(goodbye, func() { h.raw().Close() })
		defer guard.Stop()
		<-h.writer.done
		if half, ok := h.conn.(interface{ CloseWrite() error }); ok {
			half.CloseWrite()
			h.conn.SetReadDeadline(time.Now().Add(goodbye))
			io.CopyN(io.Discard, h.conn, 2*ourWindow)
		}
		h.conn.Close()
	})
}

// raw is the connection beneath TLS, which closes without words.
func (h *h2call) raw() net.Conn {
	if t, ok := h.conn.(interface{ NetConn() net.Conn }); ok {
		return t.NetConn()
	}
	return h.conn
}
