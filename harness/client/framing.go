package client

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

const (
	maxInterim   = 100     // interim responses that are kept
	maxChunkLine = 8 << 10 // bytes of the line with the length of a chunk
	roomAhead    = 8 << 10 // bytes that a body is given room for before they came
)

// framer takes the bytes of a response apart as they arrive: interim
// responses, head, and the body without its transfer coding (RFC 9112,
// sections 6 and 7). It finds the same end of the message as net/http, so
// that what follows belongs to no later exchange.
type framer struct {
	record.Message
	toHead bool // the response to a HEAD has no body, whatever its head declares
	state  framing
	line   int // offset at which the present line of the head begins
	fields int // lines of the head, or of the trailers, so far
	// crowded means that there were more lines than are read; the exchange ends there.
	crowded bool
	size    []byte // a line about a chunk, so far
	left    int64  // bytes still to come of the body or the chunk
}

// framing is what the next byte of a response belongs to.
type framing int

const (
	inHead framing = iota
	inLength
	inClose
	inChunkSize
	inChunk
	inChunkEnd
	inTrailer
	framingLost // it is not known any more
	messageOver
)

func newFramer(toHead bool) *framer {
	f := &framer{toHead: toHead}
	f.Framing = record.Framing{Kind: "none", Declared: -1}
	return f
}

// feedBytes takes the bytes that arrived at an instant. It returns how many of them
// belong to the message.
func (f *framer) feedBytes(p []byte, at record.Instant) (used int) {
	all := len(p)
	for len(p) > 0 && f.state != messageOver {
		n := 0
		switch f.state {
		case inHead:
			n = lengthToNewlineOrEnd(p)
			f.Head = append(f.Head, p[:n]...)
			if p[n-1] == '\n' {
				line := f.Head[f.line:]
				f.line = len(f.Head)
				if isOnlyLineEnd(line) {
					f.fields = 0
					f.chooseBodyFraming()
				} else {
					f.countField()
				}
			}
		case inLength, inChunk:
			if f.Body == nil {
				f.Body = make([]byte, 0, min(f.left, roomAhead))
			}
			n = int(min(f.left, int64(len(p))))
			f.AppendBody(p[:n], at)
			if f.left -= int64(n); f.left == 0 && f.state == inChunk {
				f.state = inChunkEnd
			} else if f.left == 0 {
				f.state = messageOver
			}
		case inClose:
			n = len(p)
			f.AppendBody(p, at)
		case inChunkSize, inChunkEnd, inTrailer:
			n = lengthToNewlineOrEnd(p)
			f.size = append(f.size, p[:n]...)
			if p[n-1] == '\n' {
				line := f.size
				f.size = f.size[:0]
				f.readLineBetweenChunks(line)
			} else if len(f.size) > maxChunkLine && f.state != inTrailer {
				f.loseFraming("the line about a chunk goes on beyond %d bytes", maxChunkLine)
			}
		case framingLost:
			n = len(p)
		}
		p = p[n:]
	}
	return all - len(p)
}

// errTooManyFields ends the reading of a response whose head has more lines than are read:
// each of them takes more memory in net/http, and in the record, than its own bytes.
var errTooManyFields = fmt.Errorf("its head has more than %d header fields and was read no further", record.MaxFields)

// countField counts one more line of a head, and ends the message if there are too many.
func (f *framer) countField() {
	if f.fields++; f.fields > record.MaxFields {
		f.crowded, f.state = true, framingLost
	}
}

func isOnlyLineEnd(line []byte) bool { return len(bytes.TrimRight(line, "\r\n")) == 0 }

func (f *framer) addFault(format string, args ...any) {
	f.Framing.Faults = append(f.Framing.Faults, fmt.Sprintf(format, args...))
}

func (f *framer) loseFraming(format string, args ...any) {
	f.addFault(format, args...)
	f.state = framingLost
}

// chooseBodyFraming decides how the body is framed.
func (f *framer) chooseBodyFraming() {
	status := f.Status()
	if status >= 100 && status < 200 && status != http.StatusSwitchingProtocols {
		if len(f.Framing.Interim) < maxInterim {
			f.Framing.Interim = append(f.Framing.Interim, status)
		}
		f.Head, f.line = f.Head[:0], 0
		return
	}
	h := f.Header()
	f.findHeadFaults(status, h)
	lengths := h.Values("Content-Length")
	for i, v := range lengths {
		n, err := strconv.ParseUint(v, 10, 63)
		switch {
		case err != nil:
			f.addFault("Content-Length is %s", record.QuoteOrDescribeLength(v))
		case i > 0 && int64(n) != f.Framing.Declared:
			f.addFault("Content-Length is given as %s and as %s", record.QuoteOrDescribeLength(lengths[0]), record.QuoteOrDescribeLength(v))
		default:
			f.Framing.Declared = int64(n)
		}
	}
	codings := h.Values("Transfer-Encoding")
	chunked := len(codings) == 1 && strings.EqualFold(codings[0], "chunked")
	switch {
	case len(codings) == 0:
	case !chunked:
		f.addFault("Transfer-Encoding is %s, and only chunked was accepted", record.QuoteOrDescribeLength(strings.Join(codings, ", ")))
	case beforeChunks(f.Proto()):
		f.addFault("Transfer-Encoding is given in a message of %s", f.Proto())
		chunked = false
	case len(lengths) > 0:
		f.addFault("both Content-Length and Transfer-Encoding are given")
	}
	switch {
	case f.toHead || status == http.StatusNoContent || status == http.StatusNotModified:
		f.state = messageOver
	case chunked:
		f.Framing.Kind, f.state = "chunked", inChunkSize
	case f.Framing.Declared >= 0:
		f.Framing.Kind, f.state, f.left = "length", inLength, f.Framing.Declared
		if f.left == 0 {
			f.state = messageOver
		}
	default:
		f.Framing.Kind, f.state = "close", inClose
	}
}

// beforeChunks reports whether a version is older than HTTP/1.1, which brought
// transfer codings.
func beforeChunks(proto string) bool {
	major, minor, ok := http.ParseHTTPVersion(proto)
	return ok && (major < 1 || major == 1 && minor < 1)
}

// findHeadFaults finds what common clients take and HTTP/1.1 does not have (RFC 9110,
// sections 2.5, 5.3 and 15; RFC 9112, sections 2.2 and 5.2).
func (f *framer) findHeadFaults(status int, h http.Header) {
	if p := f.Proto(); p != "HTTP/1.1" && p != "HTTP/1.0" && strings.HasPrefix(p, "HTTP/") {
		f.addFault("the status line says %s, on a connection of HTTP/1.1", record.QuoteOrDescribeLength(p))
	}
	if _, has := f.StatusCode(); has && (status < 100 || status > 599) {
		f.addFault("the status is %03d, and HTTP has those from 100 to 599", status)
	}
	if status == http.StatusSwitchingProtocols {
		f.addFault("the status is 101, and no other protocol was asked for")
	}
	if bytes.Contains(f.Head, []byte("\n ")) || bytes.Contains(f.Head, []byte("\n\t")) {
		f.addFault("a header field goes on over several lines")
	}
	if bytes.Count(f.Head, []byte("\n")) > bytes.Count(f.Head, []byte("\r\n")) {
		f.addFault("lines of the head end with LF alone")
	}
	if same := h["Content-Length"]; len(same) > 1 && len(slices.Compact(slices.Clone(same))) == 1 {
		f.addFault("Content-Length is given %d times", len(same))
	}
	if kinds := slices.Compact(slices.Clone(h["Content-Type"])); len(kinds) > 1 {
		f.addFault("Content-Type is given as %s and as %s", record.QuoteOrDescribeLength(kinds[0]), record.QuoteOrDescribeLength(kinds[1]))
	}
}

// readLineBetweenChunks reads a line between the chunks.
func (f *framer) readLineBetweenChunks(line []byte) {
	switch f.state {
	case inChunkSize:
		whole := strings.TrimRight(string(line), "\r\n")
		text, _, _ := strings.Cut(whole, ";")
		size, err := strconv.ParseUint(strings.TrimRight(text, " \t"), 16, 62)
		switch {
		case err != nil:
			f.loseFraming("%s is not a chunk size", record.QuoteOrDescribeLength(whole))
		case size == 0:
			f.state = inTrailer
		default:
			f.state, f.left = inChunk, int64(size)
		}
	case inChunkEnd:
		f.state = inChunkSize
		if !isOnlyLineEnd(line) {
			f.loseFraming("a chunk is longer than its size says")
		}
	case inTrailer:
		if f.countField(); isOnlyLineEnd(line) {
			f.state = messageOver
		} else if len(f.Trailer)+len(line) <= record.MaxHead {
			f.Trailer = append(f.Trailer, line...)
		}
	}
}

// closeMessage closes the books. A message that does not end is the peer's doing only
// if the peer ended the transfer, not if we did.
func (f *framer) closeMessage(how record.Ended) record.Message {
	switch f.state {
	case messageOver:
		if f.Framing.Extra > 0 {
			f.addFault("%d bytes follow the end of the message", f.Framing.Extra)
		}
	case inHead:
		if len(f.Head) == 0 {
			f.Head = nil
		} else if how.ByPeer() {
			f.addFault("the head does not end")
		}
	case inLength:
		if how.ByPeer() {
			f.addFault("Content-Length promises %d bytes, %d came", f.Framing.Declared, f.Framing.Received)
		}
	case inChunkSize, inChunk, inChunkEnd, inTrailer:
		if how.ByPeer() {
			f.addFault("the chunked body does not end")
		}
	}
	return f.Message
}

// lengthToNewlineOrEnd is the length of the first line of p, or of its beginning.
func lengthToNewlineOrEnd(p []byte) int {
	if i := bytes.IndexByte(p, '\n'); i >= 0 {
		return i + 1
	}
	return len(p)
}
