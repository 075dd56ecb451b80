package proxy

import (
	"bytes"
	"io"
	"net"
	"net/textproto"
	"strings"
)

// speller has the head of a message of HTTP/1.1 leave as it came: net/http, which writes it, changes the case of the names of
// fields and their order. Its user locks it.
type speller struct {
	as    []byte       // how the head came; nil if what is written passes as it is
	begun []byte       // what was written of the head so far
	body  *chunkedBody // how the body comes that follows it; nil if what is written of it passes as it is
}

// spellNext has the next head, and a body in chunks unless it is nil, be written as they came on the other side.
func (s *speller) spellNext(as []byte, body *chunkedBody) {
	s.as, s.begun, s.body = as, nil, body
	if as == nil {
		s.body = nil
	}
}

// spellWritten returns what is to leave when net/http writes some bytes: nothing while the head is not complete. It reports false if
// that is not known.
func (s *speller) spellWritten(p []byte) ([]byte, bool) {
	switch {
	case s.as == nil && s.body != nil:
		return s.body.takeCame()
	case s.as == nil:
		return p, true
	}
	s.begun = append(s.begun, p...)
	end := findHeadEnd(s.begun)
	if end < 0 && len(s.begun) <= maxHead {
		return nil, true
	}
	out, of := s.begun, s.body
	if s.body = nil; end >= 0 {
		rest := s.begun[end:]
		out = spellHead(s.begun[:end], s.as)
		if isInterim(s.begun) { // the head that is meant is still to come
			s.begun, s.body = nil, of
			return append(out, rest...), true
		}
		if of != nil && isChunked(s.begun[:end]) {
			if s.body = of; len(rest) > 0 { // before that, the call may be made once more on another connection
				came, known := of.takeCame()
				s.as, s.begun = nil, nil
				return append(out, came...), known
			}
		}
		out = append(out, rest...)
	}
	s.as, s.begun = nil, nil
	return out, true
}

// isChunked reports whether a head as net/http writes it announces a body in chunks.
func isChunked(head []byte) bool {
	return bytes.Contains(head, []byte("\r\nTransfer-Encoding: chunked\r\n"))
}

// isInterim reports whether a message is an answer before the answer.
func isInterim(head []byte) bool { return bytes.HasPrefix(head, []byte("HTTP/1.1 1")) }

// findHeadEnd returns how long the head of a message is, with the empty line after it; -1 if it is not complete.
func findHeadEnd(text []byte) int {
	for at := 0; ; {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			return -1
		}
		if line := bytes.TrimSuffix(text[at:at+n], []byte("\r")); len(line) == 0 && at > 0 {
			return at + n + 1
		}
		at += n + 1
	}
}

// spellHead returns a head as net/http writes it, with the fields in the order and with the names that they came with, and the
// reason of an answer. Nothing else is taken from what came: a field that net/http does not write is not written.
func spellHead(written, came []byte) []byte {
	lines, as := splitLines(written), splitLines(came)
	if len(lines) == 0 || len(as) == 0 {
		return written
	}
	fields := map[string][]string{} // the lines by their names
	for _, line := range lines[1:] {
		name, _, _ := strings.Cut(line, ":")
		name = textproto.CanonicalMIMEHeaderKey(name)
		fields[name] = append(fields[name], line)
	}
	out := make([]byte, 0, len(written)+len(came))
	first := lines[0]
	if strings.HasPrefix(first, "HTTP/1.1 ") && strings.HasPrefix(as[0], first[:len("HTTP/1.1 200")]) {
		first = as[0]
	}
	out = append(append(out, first...), "\r\n"...)
	for _, line := range as[1:] {
		name, value, isField := strings.Cut(line, ":")
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		of := fields[canonical]
		if !isField || len(of) == 0 || strings.TrimLeft(name, " \t") != name {
			continue
		}
		fields[canonical] = of[1:]
		_, is, _ := strings.Cut(of[0], ":")
		if strings.Trim(is, " \t") != strings.Trim(value, " \t") {
			line = name + ":" + is
		}
		out = append(append(out, line...), "\r\n"...)
	}
	for _, line := range lines[1:] { // those that came with another name, or did not come
		name, _, _ := strings.Cut(line, ":")
		name = textproto.CanonicalMIMEHeaderKey(name)
		if of := fields[name]; len(of) > 0 && of[0] == line {
			fields[name] = of[1:]
			out = append(append(out, line...), "\r\n"...)
		}
	}
	return append(out, "\r\n"...)
}

// splitLines returns the lines of a head without their ends, and without the empty one at its end.
func splitLines(head []byte) (lines []string) {
	for line := range strings.SplitSeq(string(head), "\n") {
		if line = strings.TrimSuffix(line, "\r"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// writeSpelled writes what is to leave for bytes that net/http wrote, and reports them as written. It fails if that is not known.
func writeSpelled(to net.Conn, p, out []byte, known bool) (int, error) {
	switch {
	case !known:
		return 0, io.ErrShortWrite
	case len(out) == 0:
		return len(p), nil
	}
	if _, err := to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}
