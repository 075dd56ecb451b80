package serve

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"golang.org/x/net/http2"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

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

// countStreams returns how many streams are open.
func (h *http2Conn) countStreams() int {
	h.lock.Lock()
	defer h.lock.Unlock()
	return len(h.streams)
}

// openStream begins a request.
func (h *http2Conn) openStream(no uint32) *http2Stream {
	now := time.Now()
	s := &http2Stream{http2Conn: h, no: no, in: newInbound(h.sinceStart, h.waits), quiet: now.Add(h.waits.body), until: now.Add(h.waits.wholeBody)}
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

// addFault notes a departure of a request from HTTP/2.
func (s *http2Stream) addFault(format string, args ...any) {
	f := &s.q.record.Framing
	if len(f.Faults) < record.MaxFaults {
		f.Faults = append(f.Faults, fmt.Sprintf(format, args...))
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
