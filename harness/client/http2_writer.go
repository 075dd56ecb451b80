package client

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"sync"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Bounds on what waits to be sent to a peer that does not read.
const (
	maxWaiting = 256 // frames
	maxWindow  = 1<<31 - 1
)

// http2Writer sends the frames of one call, in a goroutine of its own: a peer that reads
// nothing must not keep us from reading.
type http2Writer struct {
	conn net.Conn
	out  *bufio.Writer
	note func(record.HTTP2Frame)
	done chan struct{}

	mu      sync.Mutex
	news    *sync.Cond
	waiting []http2Frame
	body    []byte // still to be sent
	ended   bool   // our half of the stream
	frame   int    // bytes that the peer takes in one
	stream  int64  // windows that the peer gives
	whole   int64
	initial int64
	last    bool // nothing comes after what is waiting
	unsent  int  // bytes of the body that were left when the stream ended
	failed  bool
}

type http2Frame struct {
	kind    http2.FrameType
	flags   http2.Flags
	stream  uint32
	payload []byte
}

func newHTTP2Writer(conn net.Conn, note func(record.HTTP2Frame)) *http2Writer {
	const usual = 65535 // RFC 9113, section 6.9.2
	w := &http2Writer{conn: conn, out: bufio.NewWriterSize(conn, readBuffer), note: note, done: make(chan struct{}), frame: usualFrame, stream: usual, whole: usual, initial: usual}
	w.news = sync.NewCond(&w.mu)
	return w
}

// queueRequestAndStartWriting sends the beginning of the connection and the call.
func (w *http2Writer) queueRequestAndStartWriting(fields []hpack.HeaderField, body []byte) {
	w.out.WriteString(http2.ClientPreface)
	w.queueFrame(http2.FrameSettings, 0, 0, encodePayload(func(f *http2.Framer) {
		f.WriteSettings(http2.Setting{ID: http2.SettingEnablePush, Val: 0}, http2.Setting{ID: http2.SettingInitialWindowSize, Val: ourWindow},
			http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: record.MaxHead})
	}))
	w.queueFrame(http2.FrameWindowUpdate, 0, 0, []byte{0, 0xf, 0, 1}) // what is missing to ourWindow
	var packed bytes.Buffer
	enc := hpack.NewEncoder(&packed)
	for _, f := range fields {
		enc.WriteField(f)
	}
	kind, flags := http2.FrameHeaders, http2.Flags(0)
	if len(body) == 0 {
		flags, w.ended = http2.FlagHeadersEndStream, true
	}
	for first := true; first || packed.Len() > 0; first = false {
		p := bytes.Clone(packed.Next(usualFrame))
		if packed.Len() == 0 {
			flags |= http2.FlagHeadersEndHeaders
		}
		w.queueFrame(kind, flags, record.OurStream, p)
		kind, flags = http2.FrameContinuation, 0
	}
	w.body = body
	go w.writeFrames()
}

// encodePayload is what a Framer writes behind the head of a frame.
func encodePayload(write func(f *http2.Framer)) []byte {
	var b bytes.Buffer
	write(http2.NewFramer(&b, nil))
	return b.Bytes()[9:]
}

func encodeReset(code http2.ErrCode) []byte {
	return encodePayload(func(f *http2.Framer) { f.WriteRSTStream(record.OurStream, code) })
}

func (w *http2Writer) queueFrame(kind http2.FrameType, flags http2.Flags, stream uint32, payload []byte) {
	w.waiting = append(w.waiting, http2Frame{kind, flags, stream, payload})
}

// sendControlFrame sends a frame before the rest of the body.
func (w *http2Writer) sendControlFrame(kind http2.FrameType, flags http2.Flags, stream uint32, payload []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting) < maxWaiting && !w.last {
		w.queueFrame(kind, flags, stream, bytes.Clone(payload))
		w.news.Signal()
	}
}

// renewWindows gives the peer as much room again as it has used.
func (w *http2Writer) renewWindows(n uint32) {
	p := encodePayload(func(f *http2.Framer) { f.WriteWindowUpdate(0, n) })
	w.sendControlFrame(http2.FrameWindowUpdate, 0, 0, p)
	w.sendControlFrame(http2.FrameWindowUpdate, 0, record.OurStream, p)
}

// applyAndAcknowledgeSettings takes what the peer asks for, and acknowledges it. It returns what is wrong with
// it.
func (w *http2Writer) applyAndAcknowledgeSettings(f *http2.SettingsFrame) (fault string) {
	w.mu.Lock()
	f.ForeachSetting(func(s http2.Setting) error {
		switch s.ID {
		case http2.SettingInitialWindowSize:
			if s.Val > maxWindow {
				fault = fmt.Sprintf("SETTINGS_INITIAL_WINDOW_SIZE is %d", s.Val)
				return nil
			}
			w.stream += int64(s.Val) - w.initial
			w.initial = int64(s.Val)
		case http2.SettingMaxFrameSize:
			w.frame = int(min(max(s.Val, usualFrame), maxFrameSize))
		}
		return nil
	})
	w.mu.Unlock()
	w.sendControlFrame(http2.FrameSettings, http2.FlagSettingsAck, 0, nil)
	return fault
}

// growWindow widens a window; it reports false if it is wider than any can be.
func (w *http2Writer) growWindow(stream uint32, n int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	of := &w.whole
	if stream != 0 {
		of = &w.stream
	}
	*of += n
	w.news.Signal()
	return *of <= maxWindow
}

// unsentBytes is how much of the body was not sent.
func (w *http2Writer) unsentBytes() int { return readLocked(&w.mu, &w.unsent) }

// heldBack is how much of the body the peer gave no room for.
func (w *http2Writer) heldBack() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if min(w.stream, w.whole) > 0 || w.failed {
		return 0
	}
	return len(w.body)
}

// queueResetAndGoAway gives up what is left of the stream and sends GOAWAY.
func (w *http2Writer) queueResetAndGoAway(code http2.ErrCode, answerEnded bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !answerEnded && code != noError || answerEnded && !w.ended {
		w.queueFrame(http2.FrameRSTStream, 0, record.OurStream, encodeReset(code))
	}
	w.unsent, w.body, w.last = len(w.body), nil, true
	w.queueFrame(http2.FrameGoAway, 0, 0, encodePayload(func(f *http2.Framer) { f.WriteGoAway(0, noError, nil) }))
	w.news.Signal()
}

// discardQueueAndStop ends without a word.
func (w *http2Writer) discardQueueAndStop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unsent, w.body, w.waiting, w.last = len(w.body), nil, nil, true
	w.news.Signal()
}

// writeFrames sends frames until the last.
func (w *http2Writer) writeFrames() {
	defer close(w.done)
	for {
		f, ok := w.awaitNextFrame()
		if !ok {
			w.out.Flush()
			return
		}
		w.note(f.toRecord())
		frames := http2.NewFramer(w.out, nil)
		frames.AllowIllegalWrites = true
		if err := frames.WriteRawFrame(f.kind, f.flags, f.stream, f.payload); err != nil {
			w.mu.Lock()
			w.failed = true // the peer may have answered all the same, so that nothing else is done about it
			w.mu.Unlock()
			return
		}
	}
}

// awaitNextFrame waits for something to send.
func (w *http2Writer) awaitNextFrame() (f http2Frame, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		if w.failed {
			return f, false
		}
		if len(w.waiting) > 0 {
			f, w.waiting = w.waiting[0], w.waiting[1:]
			return f, true
		}
		if n := int(min(int64(len(w.body)), int64(w.frame), w.stream, w.whole)); n > 0 {
			f = http2Frame{http2.FrameData, 0, record.OurStream, w.body[:n]}
			w.body = w.body[n:]
			w.stream, w.whole = w.stream-int64(n), w.whole-int64(n)
			if len(w.body) == 0 {
				f.flags, w.ended = http2.FlagDataEndStream, true
			}
			return f, true
		}
		if w.last {
			return f, false
		}
		if w.out.Buffered() > 0 {
			w.mu.Unlock()
			err := w.out.Flush()
			w.mu.Lock()
			if err != nil {
				w.failed = true
			}
			continue
		}
		w.news.Wait()
	}
}

// toRecord is the frame as the record shows it.
func (f http2Frame) toRecord() record.HTTP2Frame {
	out := record.HTTP2Frame{Sent: true, Type: frameName(f.kind), Flags: uint8(f.flags), Stream: f.stream, Length: uint32(len(f.payload))}
	if f.kind == http2.FrameData || f.kind == http2.FrameHeaders || f.kind == http2.FrameContinuation {
		return out
	}
	var b bytes.Buffer
	frames := http2.NewFramer(&b, &b)
	frames.WriteRawFrame(f.kind, f.flags, f.stream, f.payload)
	if frame, err := frames.ReadFrame(); err == nil {
		describePayload(&out, frame)
	}
	return out
}
