package serve

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Bounds on one connection of HTTP/2.
const (
	maxStreams      = 100     // requests at the same time
	maxFrames       = 1 << 16 // that are read
	maxFramesKept   = 256     // of one request
	maxOpening      = 32      // that are kept before the first request
	maxBlockFrames  = 64      // of one block of header fields
	http2Window     = 1 << 20 // that we give, to each stream and to the connection
	http2FrameSize  = 16 << 10
	http2UsedAtOnce = http2Window / 2 // of a window before it is renewed
)

// serveHTTP2 answers the requests of a connection that begins with the preface of HTTP/2 (RFC 9113). Requests are recorded as
// those of HTTP/1.1 are, each with the frames of its stream.
func (c *connection) serveHTTP2() {
	h := &http2Conn{connection: c, streams: map[uint32]*http2Stream{}, news: make(chan struct{}), size: http2FrameSize, initial: 65535, window: 65535}
	h.input = &frameInput{in: c.in, conn: h}
	h.reader = http2.NewFramer(io.Discard, h.input)
	h.reader.SetMaxReadFrameSize(http2FrameSize)
	h.reader.SetReuseFrames()
	h.fields = hpack.NewDecoder(4096, h.addField)
	h.fields.SetMaxStringLength(maxHead)
	h.encoder = hpack.NewEncoder(&h.packed)
	defer h.endConnection()
	if _, err := io.CopyN(io.Discard, h.input, int64(len(http2.ClientPreface))); err != nil {
		return
	}
	h.sendSettings()
	for n := 0; h.readFrame(n == 0); n++ {
		if n == maxFrames {
			h.failConnection(http2.ErrCodeEnhanceYourCalm, fmt.Sprintf("more than %d frames came, and no more were read", maxFrames))
			return
		}
	}
}

// http2Conn is a connection of HTTP/2. Its frames are read by one goroutine, and each request is answered by one of its own.
type http2Conn struct {
	*connection
	input   *frameInput
	reader  *http2.Framer
	fields  *hpack.Decoder
	block   *headerBlock // that is being read; nil for none
	used    int64        // of the window that we gave, since it was renewed
	last    uint32       // the highest number of a stream of the client
	answers sync.WaitGroup

	// What follows is shared with the goroutines that answer.
	lock    sync.Mutex
	streams map[uint32]*http2Stream
	running int
	pending int // bytes of the bodies of all requests that are not answered yet
	opening []record.HTTP2Frame
	newest  *http2Stream
	size    int   // of the frames that the client takes
	initial int64 // the window that the client gives to each stream
	window  int64 // that it gives to the connection
	news    chan struct{}
	over    bool // nothing is written any more

	writes  sync.Mutex // over all that follows
	packed  bytes.Buffer
	encoder *hpack.Encoder
}

// frameInput reads the bytes of a connection for a Framer, in a bounded time.
type frameInput struct {
	in    *inbound
	conn  *http2Conn
	at    record.Instant // when the bytes came that were read last
	until time.Time
}

// Read returns the next bytes.
func (r *frameInput) Read(p []byte) (int, error) {
	patience := r.conn.waits.head
	if !r.until.IsZero() {
		patience = max(time.Until(r.until), time.Millisecond)
	}
	b, at, err := r.in.takeBytes(r.conn.ctx, len(p), patience)
	r.at = at
	return copy(p, b), err
}

// readFrame reads one frame and acts on it. It reports false once there is nothing more to read.
func (h *http2Conn) readFrame(first bool) bool {
	if h.isOver() {
		return false
	}
	if _, err := h.in.awaitUntil(h.ctx, h.findDeadline()); errors.Is(err, errTimeout) {
		return h.expireRequests()
	} else if err != nil {
		return false
	}
	h.input.until = time.Now().Add(h.waits.body)
	if h.block != nil {
		h.input.until = h.block.until
	}
	head, err := h.reader.ReadFrameHeader()
	if err != nil {
		return h.refuseFrame(head, err)
	}
	frame, err := h.reader.ReadFrameForHeader(head)
	if err != nil {
		return h.refuseFrame(head, err)
	}
	f := client.DescribeFrame(head, frame)
	f.At = h.input.at
	if head.Type != http2.FrameHeaders { // which may open the stream that it belongs to
		h.noteFrame(f)
	}
	if first && head.Type != http2.FrameSettings {
		return h.failConnection(http2.ErrCodeProtocol, "the first frame is "+f.Type+", and not SETTINGS")
	}
	return h.dispatchFrame(frame, f)
}

// isOver reports whether the connection was given up.
func (h *http2Conn) isOver() bool {
	h.lock.Lock()
	defer h.lock.Unlock()
	return h.over
}

// hangUp closes the connection, in which case it is not the client that does.
func (h *http2Conn) hangUp() {
	h.lock.Lock()
	h.over = true
	h.signalNews()
	h.lock.Unlock()
	h.in.stopReading(errStopped)
	h.conn.Close()
}

// findDeadline returns until when the next frame has to come, since a request is not complete; zero if none is due.
func (h *http2Conn) findDeadline() (until time.Time) {
	if h.block != nil {
		return h.block.until
	}
	h.lock.Lock()
	defer h.lock.Unlock()
	for _, s := range h.streams {
		for _, due := range []time.Time{s.quiet, s.until} {
			if !s.complete && (until.IsZero() || due.Before(until)) {
				until = due
			}
		}
	}
	return until
}

// expireRequests refuses the requests whose time is over. It reports whether more is read.
func (h *http2Conn) expireRequests() bool {
	if h.block != nil {
		if s := h.block.stream; s != nil && !h.block.trailer {
			s.q.refuseRequest(http.StatusRequestTimeout, record.Timeout, "the head did not end in time")
		}
		return h.failConnection(http2.ErrCodeEnhanceYourCalm, "a block of header fields did not end in time")
	}
	now := time.Now()
	for _, s := range h.listStreams() {
		if !s.complete && (now.After(s.quiet) || now.After(s.until)) {
			s.q.refuseRequest(http.StatusRequestTimeout, record.Timeout, "the body did not end in time")
			h.completeRequest(s)
		}
	}
	return true
}

// refuseFrame ends what a frame was part of that is none, or did not come in full. It reports whether more is read.
func (h *http2Conn) refuseFrame(head http2.FrameHeader, err error) bool {
	var whole http2.ConnectionError
	var one http2.StreamError
	f := client.DescribeFrame(head, nil)
	switch {
	case errors.Is(err, http2.ErrFrameTooLarge):
		return h.failConnection(http2.ErrCodeFrameSize, fmt.Sprintf("a %s frame of %d bytes was announced", f.Type, head.Length))
	case errors.As(err, &one):
		f.At = h.input.at
		h.noteFrame(f)
		if s := h.findStream(one.StreamID); s != nil {
			h.resetStream(s, one.Code, fmt.Sprintf("a %s frame is faulty (%s)", f.Type, client.NameErrorCode(one.Code)))
			return true
		}
		h.writeReset(one.StreamID, one.Code)
		return true
	case errors.As(err, &whole):
		why := fmt.Sprintf("a %s frame is faulty (%s", f.Type, client.NameErrorCode(http2.ErrCode(whole)))
		if detail := h.reader.ErrorDetail(); detail != nil {
			why += ": " + detail.Error()
		}
		return h.failConnection(http2.ErrCode(whole), why+")")
	case errors.Is(err, errTimeout):
		return h.failConnection(http2.ErrCodeEnhanceYourCalm, "a frame did not end in time")
	}
	return false
}

// dispatchFrame acts on a frame. It reports whether more is read.
func (h *http2Conn) dispatchFrame(frame http2.Frame, f record.HTTP2Frame) bool {
	switch frame := frame.(type) {
	case *http2.SettingsFrame:
		if !frame.IsAck() {
			return h.takeSettings(frame)
		}
	case *http2.PingFrame:
		if !frame.IsAck() {
			h.writeFrame(http2.FramePing, http2.FlagPingAck, 0, frame.Data[:])
		}
	case *http2.WindowUpdateFrame:
		return h.growWindow(frame.StreamID, int64(frame.Increment))
	case *http2.RSTStreamFrame:
		if frame.StreamID > h.last {
			return h.failConnection(http2.ErrCodeProtocol, fmt.Sprintf("stream %d was reset, which was not opened", frame.StreamID))
		}
		if s := h.findStream(frame.StreamID); s != nil {
			return h.abandonStream(s, client.NameErrorCode(frame.ErrCode))
		}
	case *http2.PushPromiseFrame:
		return h.failConnection(http2.ErrCodeProtocol, "a client pushes")
	case *http2.HeadersFrame:
		return h.takeHeaders(frame, f)
	case *http2.ContinuationFrame:
		return h.takeFragment(frame.HeaderBlockFragment(), frame.HeadersEnded())
	case *http2.DataFrame:
		return h.takeData(frame)
	}
	return true
}

// takeSettings does what the client asks for, and acknowledges it.
func (h *http2Conn) takeSettings(frame *http2.SettingsFrame) bool {
	fault, table := "", int64(-1)
	h.lock.Lock()
	frame.ForeachSetting(func(s http2.Setting) error {
		switch s.ID {
		case http2.SettingInitialWindowSize:
			if s.Val > 1<<31-1 {
				fault = fmt.Sprintf("SETTINGS_INITIAL_WINDOW_SIZE is %d", s.Val)
				return nil
			}
			for _, open := range h.streams {
				open.window += int64(s.Val) - h.initial
			}
			h.initial = int64(s.Val)
		case http2.SettingMaxFrameSize:
			h.size = int(min(max(s.Val, http2FrameSize), 64<<10))
		case http2.SettingHeaderTableSize:
			table = int64(s.Val)
		}
		return nil
	})
	h.signalNews()
	h.lock.Unlock()
	if fault != "" {
		return h.failConnection(http2.ErrCodeFlowControl, fault)
	}
	if table >= 0 { // before the acknowledgement: what is written after it keeps to the size
		h.writes.Lock()
		h.encoder.SetMaxDynamicTableSizeLimit(uint32(table))
		h.writes.Unlock()
	}
	h.writeFrame(http2.FrameSettings, http2.FlagSettingsAck, 0, nil)
	return true
}

// growWindow widens the window of a stream, or of the connection.
func (h *http2Conn) growWindow(no uint32, n int64) bool {
	h.lock.Lock()
	of := &h.window
	if s := h.streams[no]; s != nil {
		of = &s.window
	} else if no != 0 {
		h.lock.Unlock()
		if no > h.last {
			return h.failConnection(http2.ErrCodeProtocol, fmt.Sprintf("the window of stream %d grows, which was not opened", no))
		}
		return true // it is over
	}
	*of += n
	wide := *of > 1<<31-1
	h.signalNews()
	h.lock.Unlock()
	if wide {
		return h.failConnection(http2.ErrCodeFlowControl, "a window of flow control grows beyond 2^31-1 bytes")
	}
	return true
}

// signalNews wakes who waits for a window. The caller holds the lock.
func (h *http2Conn) signalNews() {
	close(h.news)
	h.news = make(chan struct{})
}

// failConnection gives up the connection, since the client left the protocol or went beyond a bound. It reports false.
func (h *http2Conn) failConnection(code http2.ErrCode, trouble string) bool {
	trouble = record.HTTP2Trouble + trouble
	h.writeFrame(http2.FrameGoAway, 0, 0, encodeGoAway(h.last, code))
	open := h.listStreams()
	for _, s := range open {
		if s.complete {
			continue
		}
		s.addFault("%s", strings.TrimPrefix(trouble, record.HTTP2Trouble))
		if s.q.refused == 0 {
			s.q.ended, s.q.trouble = record.EOF, trouble
		}
		h.admitRequest()
		s.decodeRequest()
		h.noteUnanswered(s, s.q.ended, s.q.trouble)
		h.closeStream(s)
	}
	if len(open) == 0 {
		h.noteFaultyConnection(trouble)
	}
	return false
}

// noteFaultyConnection records a connection that left the protocol between its requests.
func (h *http2Conn) noteFaultyConnection(trouble string) {
	h.lock.Lock()
	log := &record.HTTP2{Frames: h.opening}
	h.opening = nil
	h.lock.Unlock()
	x := &record.Exchange{Dir: record.In, URL: h.base + "/", Conn: h.no, Start: h.input.at, End: h.sinceStart(), Ended: record.OurClose, Trouble: trouble, TLS: h.tls, HTTP2: log}
	x.Request.Head = []byte("PRI * HTTP/2\r\n\r\n")
	x.Request.Framing = record.Framing{Kind: "none", Declared: -1, Faults: []string{strings.TrimPrefix(trouble, record.HTTP2Trouble)}}
	x.Response.Framing = record.Framing{Kind: "none", Declared: -1}
	h.announceExchange(x)
}

// endConnection ends the answers that are under way, once nothing more is read.
func (h *http2Conn) endConnection() {
	_, gone := h.in.readEnd()
	if gone == nil {
		gone = errStopped
		h.hangUp()
	}
	for _, s := range h.listStreams() {
		s.in.stopReading(gone)
		if !s.complete {
			s.q.noteEnd(gone, "within its request")
			h.noteIncomplete(s)
		}
	}
	h.answers.Wait()
}
