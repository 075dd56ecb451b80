package proxy

import (
	"bytes"
	"strconv"
	"sync"
)

// chunkedBody has the bytes of a body in chunks (RFC 9112, section 7.1) from the moment at which they come on one connection to the
// moment at which they leave on the other. They leave as they came, in place of what net/http makes of them: chunks that it cannot
// read, extensions, and the names of trailers pass like that.
type chunkedBody struct {
	mu    sync.Mutex
	scan  chunkScanner
	queue []byte
	lost  bool // there was too much of it
	over  bool // what comes from now on does not leave
}

// maxQueued bounds the bytes of a body that came and have not left. Usually it has what one read brought.
const maxQueued = 1 << 20

// addCame adds what came, and returns how much of it is of the body: what follows it is not.
func (b *chunkedBody) addCame(p []byte) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.scan.scanPiece(p)
	switch {
	case b.over:
	case b.lost || len(b.queue)+n > maxQueued:
		b.lost, b.queue = true, nil
	default:
		b.queue = append(b.queue, p[:n]...)
	}
	return n
}

// endLeaving has what comes from now on not be kept, since the call is over: net/http reads the rest of a request to drop it.
func (b *chunkedBody) endLeaving() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
}

// takeCame returns what came and has not left. It reports false if that is not known.
func (b *chunkedBody) takeCame() ([]byte, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.queue
	b.queue = nil
	return out, !b.lost
}

// hasEnded reports whether the whole body came.
func (b *chunkedBody) hasEnded() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.scan.state == afterBody
}

// chunkScanner finds the end of a body in chunks that net/http can read. One that it cannot read has no end.
type chunkScanner struct {
	state scanState
	line  []byte // of a size, as far as it came, or the beginning of a line of the trailer
	left  uint64 // bytes that are still to come of a chunk, with the end of its line
}

// scanState is what a scanner is at.
type scanState int

// The states of a scanner.
const (
	inSize scanState = iota
	inChunk
	inTrailer
	afterBody
	unreadableBody
)

// maxChunkLine bounds the line with the size of a chunk, as net/http does.
const maxChunkLine = 4096

// scanPiece scans what came, and returns how much of it is of the body.
func (s *chunkScanner) scanPiece(p []byte) int {
	for at := 0; at < len(p); {
		switch s.state {
		case inChunk:
			n := min(s.left, uint64(len(p)-at))
			at += int(n)
			if s.left -= n; s.left == 0 {
				s.state = inSize
			}
		case afterBody:
			return at
		case unreadableBody:
			return len(p)
		default:
			end := bytes.IndexByte(p[at:], '\n') + 1
			piece := p[at:]
			if end > 0 {
				piece = p[at : at+end]
			}
			at += len(piece)
			s.keepLine(piece)
			if end > 0 {
				s.endLine()
			}
		}
	}
	return len(p)
}

// keepLine keeps as much of a line as is looked at.
func (s *chunkScanner) keepLine(piece []byte) {
	if s.state == inSize {
		if len(s.line)+len(piece) > maxChunkLine {
			s.state, s.line = unreadableBody, nil
			return
		}
		s.line = append(s.line, piece...)
		return
	}
	s.line = append(s.line, piece[:min(len(piece), 3-min(len(s.line), 3))]...)
}

// endLine continues behind a line.
func (s *chunkScanner) endLine() {
	line := s.line
	s.line = nil
	switch s.state {
	case inTrailer:
		if string(line) == "\n" || string(line) == "\r\n" {
			s.state = afterBody
		}
	case inSize:
		text, isLine := bytes.CutSuffix(line, []byte("\r\n"))
		digits, _, _ := bytes.Cut(bytes.TrimRight(text, " \t"), []byte(";"))
		size, err := strconv.ParseUint(string(digits), 16, 63)
		switch {
		case !isLine || err != nil:
			s.state = unreadableBody
		case size == 0:
			s.state = inTrailer
		default:
			s.state, s.left = inChunk, size+2
		}
	}
}
