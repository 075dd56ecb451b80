package serve

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

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
