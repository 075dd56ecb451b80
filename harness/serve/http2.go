package serve

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpguts"
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

// http2Stream is one request, and its answer.
type http2Stream struct {
	*http2Conn
	no    uint32
	q     *request
	in    *inbound // never brings a byte; it ends when the client ends the stream or the connection
	log   *record.HTTP2
	quiet time.Time // until when the next piece of the body has to come
	until time.Time // until when all of it has to come
	used  int64     // of the window that we gave, since it was renewed

	// What follows is guarded by the lock of the connection.
	window   int64 // that the client gives us
	complete bool  // no more of the request is read
	noted    bool  // its exchange is recorded
	held     int   // bytes of its body, which count among those that are pending
	code     string
}

// headerBlock is a block of header fields while it is read.
type headerBlock struct {
	stream  *http2Stream // nil for one that is over
	trailer bool
	end     bool // the stream ends with it
	until   time.Time
	fields  []hpack.HeaderField
	size    int // of names and values
	packed  int
	frames  int
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

// listStreams returns the streams that are open, in their order.
func (h *http2Conn) listStreams() (out []*http2Stream) {
	h.lock.Lock()
	defer h.lock.Unlock()
	for _, s := range h.streams {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b *http2Stream) int { return int(a.no) - int(b.no) })
	return out
}

// findStream returns an open stream by its number; nil if there is none.
func (h *http2Conn) findStream(no uint32) *http2Stream {
	h.lock.Lock()
	defer h.lock.Unlock()
	return h.streams[no]
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

// takeHeaders begins a block of header fields: the head of a request, or what follows its body.
func (h *http2Conn) takeHeaders(frame *http2.HeadersFrame, f record.HTTP2Frame) bool {
	s := h.findStream(frame.StreamID)
	h.block = &headerBlock{stream: s, trailer: s != nil, end: frame.StreamEnded(), until: time.Now().Add(h.waits.head)}
	switch {
	case s != nil && s.complete:
		return h.failConnection(http2.ErrCodeStreamClosed, fmt.Sprintf("HEADERS came on stream %d after its end", frame.StreamID))
	case s == nil && frame.StreamID%2 == 0:
		return h.failConnection(http2.ErrCodeProtocol, fmt.Sprintf("the client opens stream %d, and those of clients have odd numbers", frame.StreamID))
	case s == nil && frame.StreamID > h.last && h.countStreams() >= 2*maxStreams: // the block is read all the same, as its fields may be referred to
		h.lock.Lock()
		h.last = frame.StreamID
		h.lock.Unlock()
		h.writeReset(frame.StreamID, http2.ErrCodeRefusedStream)
	case s == nil && frame.StreamID > h.last:
		h.block.stream = h.openStream(frame.StreamID)
	}
	h.noteFrame(f)
	return h.takeFragment(frame.HeaderBlockFragment(), frame.HeadersEnded())
}

// countStreams returns how many streams are open.
func (h *http2Conn) countStreams() int {
	h.lock.Lock()
	defer h.lock.Unlock()
	return len(h.streams)
}

// openStream begins a request.
func (h *http2Conn) openStream(no uint32) *http2Stream {
	now := time.Now()
	s := &http2Stream{http2Conn: h, no: no, in: newInbound(h.sinceStart), quiet: now.Add(h.waits.body), until: now.Add(h.waits.wholeBody)}
	s.q = &request{proto: "HTTP/2", ended: record.EOF, Header: http.Header{}, start: h.input.at}
	s.q.record.Framing = record.Framing{Kind: "none", Declared: -1}
	s.log = &record.HTTP2{ALPN: h.alpn}
	s.q.http2 = s.log
	h.lock.Lock()
	defer h.lock.Unlock()
	s.log.Frames, h.opening = h.opening, nil
	h.last, h.newest, s.window = no, s, h.initial
	h.streams[no] = s
	return s
}

// addField takes a field of the block that is being read.
func (h *http2Conn) addField(f hpack.HeaderField) {
	b := h.block
	if b == nil {
		return
	}
	if b.size += len(f.Name) + len(f.Value) + 4; b.size <= maxHead && len(b.fields) < record.MaxFields {
		b.fields = append(b.fields, f)
	}
}

// isOver reports whether a block has more than is kept of it.
func (b *headerBlock) isOver() bool { return b.size > maxHead || len(b.fields) == record.MaxFields }

// takeFragment reads a part of a block of header fields.
func (h *http2Conn) takeFragment(p []byte, last bool) bool {
	b := h.block
	b.frames++
	b.packed += len(p)
	_, err := h.fields.Write(p)
	if err == nil && last {
		err = h.fields.Close()
	}
	tooLong := errors.Is(err, hpack.ErrStringLength) || b.packed > maxHead || b.frames > maxBlockFrames
	if b.stream != nil && (tooLong || b.isOver() && last) {
		b.stream.q.refuseRequest(http.StatusRequestHeaderFieldsTooLarge, record.Limit, fmt.Sprintf("the head went beyond %d KiB or %d frames and was read no further", maxHead>>10, maxBlockFrames))
	}
	switch {
	case tooLong: // what follows cannot be unpacked any more
		if b.stream != nil && !b.trailer {
			b.stream.readFields(b.fields)
		}
		return h.failConnection(http2.ErrCodeEnhanceYourCalm, "a block of header fields went beyond all bounds")
	case err != nil:
		return h.failConnection(http2.ErrCodeCompression, "a block of header fields cannot be unpacked")
	case !last:
		return true
	}
	h.block = nil
	s := b.stream
	switch {
	case s == nil: // the stream is over
	case b.trailer:
		s.q.record.Trailer = client.FormatFields(b.fields)
		if !b.end {
			s.addFault("trailers came, and did not end the stream")
		}
		h.completeRequest(s)
	default:
		s.readFields(b.fields)
		switch {
		case b.end || s.q.refused != 0:
			h.completeRequest(s)
		default:
			s.q.record.Framing.Kind = "frames"
		}
	}
	return true
}

// addFault notes a departure of a request from HTTP/2.
func (s *http2Stream) addFault(format string, args ...any) {
	f := &s.q.record.Framing
	if len(f.Faults) < record.MaxFaults {
		f.Faults = append(f.Faults, fmt.Sprintf(format, args...))
	}
}

// readFields takes the head of a request from its fields (RFC 9113, section 8.3).
func (s *http2Stream) readFields(fields []hpack.HeaderField) {
	q := s.q
	q.record.Head = client.FormatRequestHead(fields)
	seen, plain := map[string]bool{}, false
	for _, f := range fields {
		if !strings.HasPrefix(f.Name, ":") {
			plain = true
			s.checkField(f)
			q.Header.Add(f.Name, f.Value)
			continue
		}
		switch {
		case !slices.Contains([]string{":method", ":scheme", ":path", ":authority", ":protocol"}, f.Name):
			s.addFault("the request has the pseudo-header field %s", record.QuoteOrDescribeLength(f.Name))
		case seen[f.Name]:
			s.addFault("the request has %s twice", f.Name)
			continue
		case plain:
			s.addFault("%s comes after other fields", f.Name)
		}
		seen[f.Name] = true
		switch f.Name {
		case ":method":
			q.Method = f.Value
		case ":path":
			q.Target = f.Value
		}
	}
	for _, due := range []string{":method", ":scheme", ":path"} {
		if !seen[due] {
			s.addFault("the request has no %s", due)
		}
	}
	q.Path, _, _ = strings.Cut(q.Target, "?")
	if (q.Method == "" || q.Target == "") && q.refused == 0 {
		q.refuseRequest(http.StatusBadRequest, record.EOF, "its fields do not state what is asked for")
	}
	if v := q.Header.Get("Content-Length"); v != "" {
		n, err := strconv.ParseUint(v, 10, 63)
		if q.record.Framing.Declared = int64(n); err != nil {
			q.record.Framing.Declared = -1
			s.addFault("content-length is %s", record.QuoteOrDescribeLength(v))
		}
	}
}

// checkField notes what a field of a request must not be (RFC 9113, section 8.2).
func (s *http2Stream) checkField(f hpack.HeaderField) {
	name := record.QuoteOrDescribeLength(f.Name)
	switch {
	case !httpguts.ValidHeaderFieldName(f.Name):
		s.addFault("%s is no name of a field", name)
	case f.Name != strings.ToLower(f.Name):
		s.addFault("the name of the field %s is not in small letters", name)
	case !httpguts.ValidHeaderFieldValue(f.Value):
		s.addFault("the field %s has a character that no field can have", name)
	case slices.Contains([]string{"connection", "transfer-encoding", "keep-alive", "upgrade", "proxy-connection"}, f.Name):
		s.addFault("the field %s is about a connection of HTTP/1.1", f.Name)
	}
}

// takeData takes a piece of the body of a request.
func (h *http2Conn) takeData(frame *http2.DataFrame) bool {
	s := h.findStream(frame.StreamID)
	n := int64(frame.Length)
	if h.used += n; h.used > http2Window {
		return h.failConnection(http2.ErrCodeFlowControl, "more came than the window of flow control has room for")
	}
	if h.used >= http2UsedAtOnce {
		h.renewWindow(0, h.used)
		h.used = 0
	}
	switch {
	case s == nil && frame.StreamID > h.last:
		return h.failConnection(http2.ErrCodeProtocol, fmt.Sprintf("DATA came on stream %d, which was not opened", frame.StreamID))
	case s == nil || s.complete: // it is over, or refused
		return true
	}
	if s.used += n; s.used >= http2UsedAtOnce {
		h.renewWindow(s.no, s.used)
		s.used = 0
	}
	q, data := s.q, frame.Data()
	if !s.holdBytes(len(data)) {
		q.record.Framing.Received += int64(len(data))
		q.refuseRequest(http.StatusRequestEntityTooLarge, record.Limit, fmt.Sprintf("the bodies of the requests went beyond %d MiB, and this one was read no further", record.MaxDelivery>>20))
		h.completeRequest(s)
		return true
	}
	q.record.AppendBody(data, h.input.at)
	s.quiet = time.Now().Add(h.waits.body)
	if frame.StreamEnded() {
		if d := q.record.Framing.Declared; d >= 0 && d != q.record.Framing.Received {
			s.addFault("content-length promises %d bytes, %d came", d, q.record.Framing.Received)
		}
		h.completeRequest(s)
	}
	return true
}

// completeRequest has a request answered of which no more is read.
func (h *http2Conn) completeRequest(s *http2Stream) {
	s.decodeRequest()
	h.lock.Lock()
	s.complete = true
	h.running++
	crowded := h.running > maxStreams
	h.lock.Unlock()
	if !h.admitRequest() {
		trouble := fmt.Sprintf("more than %d requests came", maxRequests)
		h.noteUnanswered(s, record.OurClose, trouble)
		h.closeStream(s)
		h.failConnection(http2.ErrCodeEnhanceYourCalm, trouble)
		h.hangUp()
		return
	}
	if crowded {
		h.noteUnanswered(s, record.OurClose, fmt.Sprintf("the client had more than %d requests at the same time", maxStreams))
		h.closeStream(s)
		h.writeReset(s.no, http2.ErrCodeRefusedStream)
		return
	}
	h.answers.Go(func() { h.answerStream(s) })
}

// decodeRequest takes off what the body of a request is wrapped in: a content coding, and the prefixes of gRPC.
func (s *http2Stream) decodeRequest() {
	q := s.q
	s.decoding.Lock() // since a few bytes may be many that were compressed
	defer s.decoding.Unlock()
	came := len(q.record.Body)
	q.decodeBody()
	if record.IsGRPC(q.record.MediaType()) {
		x := &record.Exchange{Dir: record.In, Request: q.record, HTTP2: s.log}
		x.ReplaceBodiesByGRPCPayloads(nil)
		q.record = x.Request
	}
	if !s.holdBytes(len(q.record.Body) - came) {
		q.record.Body, q.record.Chunks, q.record.Prefixes = nil, nil, nil
		q.refuseRequest(http.StatusRequestEntityTooLarge, record.Limit, fmt.Sprintf("the bodies of the requests went beyond %d MiB when they were decompressed, and this one is not kept", record.MaxDelivery>>20))
	}
}

// holdBytes counts further bytes of the body of a request. It reports false, and counts none, if the connection has too many.
func (s *http2Stream) holdBytes(n int) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	if n > 0 && s.pending+n > record.MaxDelivery {
		return false
	}
	s.pending += n
	s.held += n
	return true
}

// abandonStream takes note that the client gave a stream up.
func (h *http2Conn) abandonStream(s *http2Stream, code string) bool {
	h.lock.Lock()
	s.code = code
	complete := s.complete
	h.lock.Unlock()
	s.in.stopReading(errReset)
	if complete {
		return true // whose answer ends it
	}
	s.q.ended, s.q.trouble = record.Reset, "the client reset the stream ("+code+") within the body of its request"
	return h.noteIncomplete(s)
}

// errReset is why nothing more comes on a stream that the client gave up.
var errReset = errors.New("the client reset the stream")

// noteIncomplete records a request that did not come in full. It reports whether more is read.
func (h *http2Conn) noteIncomplete(s *http2Stream) bool {
	admitted := h.admitRequest()
	s.decodeRequest()
	h.noteUnanswered(s, s.q.ended, s.q.trouble)
	h.closeStream(s)
	if !admitted {
		return h.failConnection(http2.ErrCodeEnhanceYourCalm, fmt.Sprintf("more than %d requests came", maxRequests))
	}
	return true
}

// resetStream gives up a stream whose request is faulty.
func (h *http2Conn) resetStream(s *http2Stream, code http2.ErrCode, trouble string) {
	h.writeReset(s.no, code)
	h.lock.Lock()
	complete := s.complete
	h.lock.Unlock()
	s.in.stopReading(errReset)
	if !complete {
		s.addFault("%s", trouble)
		s.q.ended, s.q.trouble = record.EOF, trouble
		h.noteIncomplete(s)
	}
}

// noteUnanswered records a request that has no answer.
func (h *http2Conn) noteUnanswered(s *http2Stream, ended record.Ended, trouble string) {
	a := s.newAnswer()
	s.q.ended, s.q.trouble = ended, trouble
	if ended == record.EOF || ended == record.OurClose {
		s.q.ended, a.cut = record.EOF, trouble
	}
	h.noteStream(a, s)
}

// closeStream forgets a stream.
func (h *http2Conn) closeStream(s *http2Stream) {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.streams[s.no] == s {
		delete(h.streams, s.no)
		h.pending -= s.held
		s.held = 0
	}
	if s.complete {
		h.running--
	} else {
		s.complete = true
	}
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
