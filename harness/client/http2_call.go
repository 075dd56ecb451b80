package client

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// http2Call is one call on a connection of HTTP/2. Its reader takes frames apart as they
// arrive, its writer sends what the reader and the call have for it.
type http2Call struct {
	c        *Client
	conn     net.Conn
	in       *bufio.Reader
	frames   *http2.Framer
	arrived  record.Instant // of the bytes that were read last
	watch    Watch
	room     *bodySlot
	answered func(http.Header)
	writer   *http2Writer

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

func newHTTP2Call(c *Client, conn net.Conn, log *record.HTTP2, watch Watch, room *bodySlot, answered func(http.Header)) *http2Call {
	h := &http2Call{c: c, conn: conn, log: log, watch: watch, room: room, answered: answered, code: ourCancel}
	h.in = bufio.NewReaderSize(&stampedReader{conn, h}, readBuffer)
	h.frames = http2.NewFramer(io.Discard, h.in)
	h.frames.SetMaxReadFrameSize(maxFrameSize)
	h.frames.SetReuseFrames()
	h.fields = hpack.NewDecoder(4096, func(f hpack.HeaderField) {
		if h.block != nil {
			h.block.addField(f)
		}
	})
	h.fields.SetMaxStringLength(record.MaxHead)
	h.resp.Framing = record.Framing{Kind: "none", Declared: -1}
	h.writer = newHTTP2Writer(conn, h.recordFrame)
	return h
}

// stampedReader knows when the last bytes arrived.
type stampedReader struct {
	net.Conn
	h *http2Call
}

func (r *stampedReader) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	r.h.arrived = r.h.c.Now()
	return n, err
}

// recordFrame writes a frame into the record.
func (h *http2Call) recordFrame(f record.HTTP2Frame) {
	if f.Sent {
		f.At = h.c.Now()
	}
	h.lock.Lock()
	defer h.lock.Unlock()
	if !h.sealed {
		appendOrCountFrame(h.log, f)
	}
}

// expireConnDeadlinesNow ends what waits for the peer: the time of the call is over.
func (h *http2Call) expireConnDeadlinesNow() {
	now := time.Now()
	h.conn.SetReadDeadline(now)
	h.conn.SetWriteDeadline(now.Add(closeTimeout))
}

// sendAndRead sends the call and reads what comes, until the stream has ended one way or
// another.
func (h *http2Call) sendAndRead(fields []hpack.HeaderField, body []byte) (record.Ended, error) {
	h.writer.queueRequestAndStartWriting(fields, body)
	if start, err := h.in.Peek(5); err == nil && string(start) == "HTTP/" {
		return h.readHTTP1Answer()
	}
	ended, err := h.readAndDispatchFrame()
	for ended == "" {
		ended, err = h.readAndDispatchFrame()
	}
	switch ended {
	case record.EOF:
		h.readBufferedFrames()
	case record.OurClose:
		h.cancelAndPing()
	}
	return ended, err
}

// recordFaultReturningReset ends an exchange in which the peer left the protocol.
func (h *http2Call) recordFaultReturningReset(code http2.ErrCode, format string, args ...any) (record.Ended, error) {
	h.code = code
	h.resp.addFault(format, args...)
	return record.Reset, fmt.Errorf(record.HTTP2Trouble+format, args...)
}

// readAndDispatchFrame reads one frame. It returns how the stream ended, if it did.
func (h *http2Call) readAndDispatchFrame() (record.Ended, error) {
	if h.read++; h.read > maxFramesRead {
		return record.Limit, fmt.Errorf("there were more than %d frames, and no more were read", maxFramesRead)
	}
	head, err := h.frames.ReadFrameHeader()
	if err != nil && head.Type == 0 && head.Length == 0 && head.StreamID == 0 && !isFrameError(err) {
		return h.endingOfLostConn(err)
	}
	f := h.describeHead(head)
	if err != nil {
		h.recordFrame(f)
		return h.rejectFrame(head, err)
	}
	if head.Length > usualFrame {
		h.addFault("a %s frame has %d bytes, and more than %d were not agreed on", f.Type, head.Length, usualFrame)
	}
	frame, err := h.frames.ReadFrameForHeader(head)
	f.At = h.arrived
	if err != nil {
		f.Detail = "it did not come in full"
		if isFrameError(err) {
			f.Detail = ""
		}
		h.recordFrame(f)
		return h.rejectFrame(head, err)
	}
	describePayload(&f, frame)
	h.recordFrame(f)
	if h.read == 1 && head.Type != http2.FrameSettings {
		return h.recordFaultReturningReset(http2.ErrCodeProtocol, "the first frame is %s; expected SETTINGS", f.Type)
	}
	return h.dispatchFrame(frame)
}

// describeHead is the record of a frame whose head was read.
func (h *http2Call) describeHead(head http2.FrameHeader) record.HTTP2Frame {
	return record.HTTP2Frame{At: h.arrived, Type: frameName(head.Type), Flags: uint8(head.Flags), Stream: head.StreamID, Length: head.Length}
}

// addFault writes a departure down, once for each wording.
func (h *http2Call) addFault(format string, args ...any) {
	f := &h.resp.Framing
	if text := fmt.Sprintf(format, args...); len(f.Faults) < record.MaxFaults && !slices.Contains(f.Faults, text) {
		f.Faults = append(f.Faults, text)
	}
}

// isFrameError reports whether an error is about what was read, not about reading.
func isFrameError(err error) bool {
	var c http2.ConnectionError
	var s http2.StreamError
	return errors.As(err, &c) || errors.As(err, &s) || errors.Is(err, http2.ErrFrameTooLarge)
}

// rejectFrame ends an exchange for a frame that is none, or could not be read.
func (h *http2Call) rejectFrame(head http2.FrameHeader, err error) (record.Ended, error) {
	var c http2.ConnectionError
	var s http2.StreamError
	name := frameName(head.Type)
	switch {
	case errors.Is(err, http2.ErrFrameTooLarge):
		return h.recordFaultReturningReset(http2.ErrCodeFrameSize, "a %s frame of %d bytes was announced", name, head.Length)
	case errors.As(err, &s):
		return h.recordFaultReturningReset(s.Code, "a %s frame on stream %d is faulty (%s)", name, head.StreamID, codeName(s.Code))
	case errors.As(err, &c):
		why := codeName(http2.ErrCode(c))
		if d := h.frames.ErrorDetail(); d != nil {
			why += ": " + d.Error()
		}
		return h.recordFaultReturningReset(http2.ErrCode(c), "a %s frame on stream %d is faulty (%s)", name, head.StreamID, why)
	}
	return h.endingOfLostConn(err)
}

// endingOfLostConn returns how the stream ended if the connection gives no more.
func (h *http2Call) endingOfLostConn(err error) (record.Ended, error) {
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

// pingTimeout is how long a server may take to show that a connection outlives a stream
// that was given up.
const pingTimeout = 2 * time.Second

// cancelAndPing gives the stream up, as a client does that has seen enough, and asks by a PING
// whether the connection is still there.
func (h *http2Call) cancelAndPing() {
	h.writer.sendControlFrame(http2.FrameRSTStream, 0, record.OurStream, encodeReset(ourCancel))
	h.writer.sendControlFrame(http2.FramePing, 0, 0, []byte("parting?"))
	h.code = noError
	h.conn.SetReadDeadline(time.Now().Add(pingTimeout))
	for range maxLeftovers {
		f, frame, err := h.readAndRecordOneFrame()
		if err != nil {
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				h.recordConnLoss(err.Error())
			}
			return
		}
		switch frame := frame.(type) {
		case *http2.PingFrame:
			if frame.IsAck() {
				return
			}
			h.writer.sendControlFrame(http2.FramePing, http2.FlagPingAck, 0, frame.Data[:])
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				h.writer.applyAndAcknowledgeSettings(frame)
			}
		case *http2.GoAwayFrame:
			if frame.ErrCode != noError {
				h.recordConnLoss("GOAWAY " + f.Code)
				return
			}
		}
	}
}

// recordConnLoss writes down why the connection did not outlive the stream.
func (h *http2Call) recordConnLoss(why string) {
	h.lock.Lock()
	defer h.lock.Unlock()
	h.log.Lost = why
}

// maxLeftovers bounds the frames that are read of a stream that is over.
const maxLeftovers = 1000

// readAndRecordOneFrame reads one frame that belongs to no answer any more.
func (h *http2Call) readAndRecordOneFrame() (f record.HTTP2Frame, frame http2.Frame, err error) {
	head, err := h.frames.ReadFrameHeader()
	if err != nil {
		return f, nil, err
	}
	return h.readAndRecordUnhandledPayload(head)
}

// readAndRecordUnhandledPayload reads the rest of such a frame.
func (h *http2Call) readAndRecordUnhandledPayload(head http2.FrameHeader) (f record.HTTP2Frame, frame http2.Frame, err error) {
	frame, err = h.frames.ReadFrameForHeader(head)
	if f = h.describeHead(head); err == nil {
		describePayload(&f, frame)
	}
	h.recordFrame(f)
	return f, frame, err
}

// readBufferedFrames looks at the frames that came together with the end of the stream. What
// comes later belongs to no call.
func (h *http2Call) readBufferedFrames() {
	for range 100 {
		b, _ := h.in.Peek(min(h.in.Buffered(), 9))
		if len(b) < 9 || h.in.Buffered() < 9+(int(b[0])<<16|int(b[1])<<8|int(b[2])) {
			return
		}
		head, err := h.frames.ReadFrameHeader()
		if err != nil {
			h.recordFrame(h.describeHead(head))
			return
		}
		f, _, err := h.readAndRecordUnhandledPayload(head)
		if head.StreamID == record.OurStream && (head.Type == http2.FrameData || head.Type == http2.FrameHeaders) {
			h.addFault("a %s frame came after the stream had ended", f.Type)
		}
		if err != nil {
			return
		}
	}
}

// readHTTP1Answer takes an answer by HTTP/1.1, as a server gives it that knows no other.
func (h *http2Call) readHTTP1Answer() (record.Ended, error) {
	h.older = newFramer(false)
	h.older.addFault("the server answers HTTP/2 by HTTP/1.1")
	buf := make([]byte, 4<<10)
	for h.older.state != messageOver && h.older.state != framingLost {
		n, err := h.in.Read(buf)
		h.older.feedBytes(buf[:n], h.arrived)
		switch {
		case errors.Is(err, io.EOF):
			return record.EOF, nil
		case err != nil:
			return h.endingOfLostConn(err)
		case len(h.older.Head) > record.MaxHead || len(h.older.Body) > largeBody:
			return record.Limit, fmt.Errorf("the server answers HTTP/2 by HTTP/1.1, and at length")
		}
	}
	return record.EOF, nil
}

// takeResponse is the response as it was read.
func (h *http2Call) takeResponse(how record.Ended) record.Message {
	if h.older != nil {
		return h.older.closeMessage(how)
	}
	if how.ByPeer() && h.block != nil {
		h.addFault("a block of header fields does not end")
	}
	return h.resp.Message
}

// drainTimeout is how long the last frames of ours may take to be sent.
const drainTimeout = 250 * time.Millisecond

// closeGracefully ends the stream, if it is still open, and the connection. The peer may take
// its time to hang up, without the call waiting for it.
func (h *http2Call) closeGracefully(ended record.Ended) {
	if h.older == nil {
		h.writer.queueResetAndGoAway(h.code, ended == record.EOF)
	} else {
		h.writer.discardQueueAndStop()
	}
	select {
	case <-h.writer.done:
	case <-time.After(drainTimeout):
	}
	h.lock.Lock()
	h.sealed = true
	h.lock.Unlock()
	h.c.leaving.Go(func() {
		defer h.c.fds.signalFreed()
		guard := time.AfterFunc(closeTimeout, func() { h.connBeneathTLS().Close() })
		defer guard.Stop()
		<-h.writer.done
		if half, ok := h.conn.(interface{ CloseWrite() error }); ok {
			half.CloseWrite()
			h.conn.SetReadDeadline(time.Now().Add(closeTimeout))
			io.CopyN(io.Discard, h.conn, 2*ourWindow)
		}
		h.conn.Close()
	})
}

// connBeneathTLS is the connection beneath TLS, which closes without words.
func (h *http2Call) connBeneathTLS() net.Conn {
	if t, ok := h.conn.(interface{ NetConn() net.Conn }); ok {
		return t.NetConn()
	}
	return h.conn
}
