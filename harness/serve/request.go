package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Bounds on one request.
const (
	maxHead      = 64 << 10 // bytes of a head, and of a trailer
	maxChunkLine = 4 << 10  // bytes of a line about a chunk
)

// handshake is the first byte of a handshake of TLS.
const handshake = 0x16

// request is a request of a client, as the scripted server reads it: leniently.
type request struct {
	Method string
	Target string // as it was written
	Path   string // of the target, without its query, and not decoded
	Header http.Header

	proto string
	start record.Instant
	// refused is the status with which a request is answered that cannot be read; 0 if it can be.
	refused int
	trouble string         // why it could not be read, or not in full
	ended   record.Ended   // how the reading came to its end
	record  record.Message // its body is without codings
	interim []int          // 1xx answers that were written before the body came
	silent  bool           // the connection ended without a byte
	address string         // its address, as a URL
	shown   string         // the subject of the certificate that the client showed of itself; "" for none
	http2   *record.HTTP2  // the frames of its stream; nil for HTTP/1.1
}

// wantsClose reports whether the client wants the connection to be closed after the answer.
func (q *request) wantsClose() bool {
	words := q.Header.Values("Connection")
	return q.refused != 0 || q.ended != record.EOF || httpguts.HeaderValuesContainsToken(words, "close") ||
		q.proto == "HTTP/1.0" && !httpguts.HeaderValuesContainsToken(words, "keep-alive")
}

// readRequest reads the next request of a connection. proceed writes an interim answer to a client
// that waits for one before it sends a body.
func readRequest(ctx context.Context, in *inbound, proceed func()) *request {
	q := &request{ended: record.EOF, Header: http.Header{}}
	q.record.Framing = record.Framing{Kind: "none", Declared: -1}
	first, at, err := in.awaitByte(ctx)
	if q.start = at; err != nil {
		q.silent = true
		return q
	}
	if first == handshake {
		q.record.Head, _, err = in.takeBytes(ctx, record.CutSmall, in.waits.head)
	} else {
		q.record.Head, err = in.takeHead(ctx)
	}
	switch {
	case errors.Is(err, errLine):
		q.refuseRequest(http.StatusRequestHeaderFieldsTooLarge, record.Limit, fmt.Sprintf("the head went beyond %d KiB and was read no further", maxHead>>10))
	case errors.Is(err, errTimeout):
		q.refuseRequest(http.StatusRequestTimeout, record.Timeout, "the head did not end in time")
	case err != nil:
		q.noteEnd(err, "within the head of its request")
	}
	if err != nil {
		return q
	}
	if q.parseHead(); q.refused != 0 {
		return q
	}
	q.readBody(ctx, in, proceed)
	return q
}

// refuseRequest notes that a request cannot be read.
func (q *request) refuseRequest(status int, ended record.Ended, trouble string) {
	q.refused, q.ended, q.trouble = status, ended, trouble
}

// noteEnd notes that the client, or the play, ended in the middle of a request.
func (q *request) noteEnd(err error, within string) {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, errStopped):
		q.ended, q.trouble = record.Aborted, "the play ended "+within
	case isClosedInOrder(err):
		q.ended, q.trouble = record.Reset, "the client closed the connection "+within
	default:
		q.ended, q.trouble = record.Reset, "the connection broke "+within+": "+err.Error()
	}
}

// takeHead takes what comes up to the first blank line after the request line. Blank lines before that
// are part of what was written (RFC 9112, section 2.2).
func (in *inbound) takeHead(ctx context.Context) (head []byte, err error) {
	until := time.Now().Add(in.waits.head)
	for begun := false; ; {
		from := len(head)
		if head, err = in.takeLine(ctx, head, maxHead-from, until); err != nil {
			return head, err
		}
		blank := isBlankLine(head[from:])
		if blank && begun {
			return head, nil
		}
		begun = begun || !blank
	}
}

// parseHead reads the request line and the fields.
func (q *request) parseHead() {
	line, _, _ := strings.Cut(strings.TrimLeft(string(q.record.Head), "\r\n"), "\n")
	words := strings.Fields(line)
	if len(words) != 3 || !strings.HasPrefix(words[2], "HTTP/1.") {
		trouble := "its first line is no request line of HTTP/1.1"
		if strings.HasPrefix(line, "PRI * HTTP/2") {
			trouble = "it begins with the preface of HTTP/2"
		} else if len(q.record.Head) > 0 && q.record.Head[0] == handshake {
			trouble = "it begins with a handshake of TLS, but this address is one of plain HTTP"
		}
		q.refuseRequest(http.StatusBadRequest, record.EOF, trouble)
		return
	}
	q.Method, q.Target, q.proto = words[0], words[1], words[2]
	q.Path, _, _ = strings.Cut(q.Target, "?")
	if _, rest, absolute := strings.Cut(q.Path, "://"); absolute {
		i := strings.IndexByte(rest, '/')
		if q.Path = "/"; i >= 0 {
			q.Path = rest[i:]
		}
	}
	m := record.Message{Head: bytes.TrimLeft(q.record.Head, "\r\n")}
	q.Header = m.Header()
}

// readBody reads the body by its framing (RFC 9112, section 6).
func (q *request) readBody(ctx context.Context, in *inbound, proceed func()) {
	f := &q.record.Framing
	lengths, codings := q.Header.Values("Content-Length"), q.Header.Values("Transfer-Encoding")
	chunked := len(codings) > 0 && strings.EqualFold(strings.TrimSpace(codings[len(codings)-1]), "chunked")
	switch {
	case len(codings) > 0 && !chunked:
		q.refuseRequest(http.StatusNotImplemented, record.EOF, fmt.Sprintf("its Transfer-Encoding is %q", codings[len(codings)-1]))
		return
	case len(codings) > 0:
		f.Kind = "chunked"
		if len(lengths) > 0 {
			f.Faults = append(f.Faults, "it has both Transfer-Encoding and Content-Length")
		}
	case len(lengths) > 0:
		n, err := strconv.ParseInt(lengths[0], 10, 64)
		for _, other := range lengths[1:] {
			if other != lengths[0] {
				err = errors.New("they differ")
			}
		}
		if err != nil || n < 0 {
			q.refuseRequest(http.StatusBadRequest, record.EOF, fmt.Sprintf("its Content-Length is %q", strings.Join(lengths, ", ")))
			return
		}
		if len(lengths) > 1 {
			f.Faults = append(f.Faults, fmt.Sprintf("it has Content-Length %d times", len(lengths)))
		}
		if f.Declared = n; n == 0 {
			return
		}
		f.Kind = "length"
	default:
		return
	}
	if strings.EqualFold(q.Header.Get("Expect"), "100-continue") && q.proto != "HTTP/1.0" && !in.hasBytes() {
		proceed()
		q.interim = append(q.interim, http.StatusContinue)
	}
	ctx, cancel := context.WithTimeout(ctx, in.waits.wholeBody)
	defer cancel()
	var err error
	if chunked {
		err = q.readChunks(ctx, in)
	} else {
		err = q.readBytes(ctx, in, f.Declared)
	}
	switch {
	case err == nil:
	case errors.Is(err, errTooLarge):
		q.refuseRequest(http.StatusRequestEntityTooLarge, record.Limit, fmt.Sprintf("the body went beyond %d MiB and was read no further", record.MaxDelivery>>20))
	case errors.Is(err, errChunk):
		f.Faults = append(f.Faults, err.Error())
		q.refuseRequest(http.StatusBadRequest, record.EOF, err.Error())
	case errors.Is(err, errTimeout), errors.Is(err, context.DeadlineExceeded):
		q.refuseRequest(http.StatusRequestTimeout, record.Timeout, "the body did not end in time")
	default:
		q.noteEnd(err, "within the body of its request")
	}
	q.decodeBody()
}

// decodeBody takes off the content coding of the body, since a secret could hide in coded bytes.
func (q *request) decodeBody() {
	coding := q.record.ContentCoding()
	if coding == "" {
		return
	}
	if trouble := q.record.DecodeDelivery(coding); trouble != "" && q.ended == record.EOF && q.refused == 0 {
		q.refuseRequest(http.StatusUnsupportedMediaType, record.Limit, trouble)
	}
}

var (
	errTooLarge = errors.New("the body is too large")
	errChunk    = errors.New("its chunks are malformed")
)

// readBytes reads the next n bytes as part of the body.
func (q *request) readBytes(ctx context.Context, in *inbound, n int64) error {
	for n > 0 {
		b, at, err := in.takeBytes(ctx, int(min(n, 64<<10)), in.waits.body)
		if err != nil {
			return err
		}
		n -= int64(len(b))
		if len(q.record.Body)+len(b) > record.MaxDelivery {
			q.record.Framing.Received += int64(len(b))
			return errTooLarge
		}
		q.record.AppendBody(b, at)
	}
	return nil
}

// readChunks reads a chunked body and its trailer (RFC 9112, section 7.1).
func (q *request) readChunks(ctx context.Context, in *inbound) error {
	for {
		line, err := in.takeLine(ctx, nil, maxChunkLine, time.Now().Add(in.waits.body))
		if err != nil {
			return classifyChunkError(err)
		}
		digits, _, _ := strings.Cut(strings.TrimRight(string(line), "\r\n"), ";")
		n, err := strconv.ParseUint(strings.TrimSpace(digits), 16, 64)
		if err != nil || n > math.MaxInt64 {
			return errChunk
		}
		if n == 0 {
			break
		}
		if err := q.readBytes(ctx, in, int64(n)); err != nil {
			return err
		}
		if line, err = in.takeLine(ctx, nil, 2, time.Now().Add(in.waits.body)); err != nil {
			return classifyChunkError(err)
		}
		if !isBlankLine(line) {
			return errChunk
		}
	}
	for {
		from := len(q.record.Trailer)
		trailer, err := in.takeLine(ctx, q.record.Trailer, maxHead-from, time.Now().Add(in.waits.body))
		if err != nil {
			return classifyChunkError(err)
		}
		if isBlankLine(trailer[from:]) {
			return nil
		}
		q.record.Trailer = trailer
	}
}

// classifyChunkError returns the error of malformed chunks for a line that is too long, and others as they
// are.
func classifyChunkError(err error) error {
	if errors.Is(err, errLine) {
		return errChunk
	}
	return err
}
