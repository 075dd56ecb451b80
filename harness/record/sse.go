package record

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Bounds of what an SSEReader keeps. Judging needs far less; they keep a
// hostile stream from costing more memory than it has bytes.
const (
	maxSSELine    = 8 << 20
	maxSSEComment = 1 << 10
	maxSSENotes   = 16 // comments kept per frame
)

// Kinds of SSEFault.
const (
	SSEIDWithNUL      = "id-with-nul"      // an id field that the standard ignores
	SSEBadRetry       = "retry-not-digits" // a retry field that the standard ignores
	SSEUnknownField   = "unknown-field"    // a field whose name the standard does not know
	SSEInvalidUTF8    = "invalid-utf8"     // bytes that the standard reads as U+FFFD
	SSELineTooLong    = "line-too-long"    // a line beyond our bound, of which the rest was not kept
	SSEIncompleteLast = "incomplete"       // the stream ended before the event did, so the standard drops it
)

// SSEFault is something in an event stream that its reader has to ignore or
// repair. None of them stops the reading.
type SSEFault struct {
	Kind   string
	Detail string
	Offset int // in the stream
}

// Frame is one block of an event stream: what was between two blank lines.
// A reader of the standard dispatches an event for those with HasData only;
// the others (comments, a lone id) are reported because they were on the wire.
type Frame struct {
	Event    string // event name, "" when none was given
	ID       string // the id given in this block; the standard carries it on to later events, Frame does not
	HasID    bool
	Data     string // data lines joined by LF, with U+FFFD for invalid UTF-8
	HasData  bool
	Retry    int      // milliseconds, -1 if none
	Comments []string // the first few, cut if they are long

	Start, End         int // the first byte of the block, the first byte after its blank line
	DataStart, DataEnd int // from the first data line's value to the end of the last one's; of use only with HasData

	At     time.Duration // arrival of the byte that completed the frame
	Faults []SSEFault    // the first few
}

// SSEReader reads an event stream as it arrives, by the letter of the WHATWG
// HTML standard, "Server-sent events". Frames do not depend on how the stream
// was split into feeds.
type SSEReader struct {
	line      []byte // what is kept of the unfinished line
	lineStart int    // its offset in the stream
	lineLen   int    // its length so far, kept or not
	afterCR   bool   // a CR ended the last line: an LF that comes next is part of that ending

	frame Frame
	open  bool   // frame holds something
	data  []byte // its data buffer, each line followed by LF
	event string // the last name seen
	at    time.Duration
}

// NewSSEReader returns a reader at the start of a stream.
func NewSSEReader() *SSEReader { return new(SSEReader) }

// Feed reads the next bytes of the stream, which arrived at the given time, and
// returns the frames they completed.
//
// A frame is complete with the CR or LF of its blank line. If that is a CR,
// waiting for an LF could mean waiting for the next event, so Feed does not: End
// is then the offset after the CR. [ReadSSE] sees what followed and includes the LF.
func (r *SSEReader) Feed(p []byte, at time.Duration) []Frame {
	return r.feedFrames(nil, p, at)
}

func (r *SSEReader) feedFrames(frames []Frame, p []byte, at time.Duration) []Frame {
	if len(p) == 0 {
		return frames
	}
	r.at = at
	if r.afterCR {
		r.afterCR = false
		if p[0] == '\n' {
			p = p[1:]
			r.lineStart++
		}
	}
	// Each kind of line end is looked for again only once it was passed: a stream
	// with only one of them is still read in linear time.
	cr, lf := -1, -1
	for pos := 0; pos < len(p); {
		if cr < pos {
			cr = indexFrom(p, pos, '\r')
		}
		if lf < pos {
			lf = indexFrom(p, pos, '\n')
		}
		end := min(cr, lf)
		if end == len(p) {
			r.appendToLine(p[pos:])
			break
		}
		line := p[pos:end]
		if r.lineLen > 0 {
			r.appendToLine(line)
			line = r.line
		} else {
			r.lineLen = len(line)
			line = line[:min(len(line), maxSSELine)]
		}
		if r.endLine(line, 1) {
			frames = append(frames, r.finishFrame(r.lineStart))
		}
		pos = end + 1
		if p[end] == '\r' {
			if pos == len(p) {
				r.afterCR = true
			} else if p[pos] == '\n' {
				pos++
				r.lineStart++
			}
		}
	}
	return frames
}

// Close ends the stream. It returns the last block if the blank line that
// completes it never came: the standard drops it, a judge may want to see it.
// Its At is the arrival of the stream's last byte.
func (r *SSEReader) Close() *Frame {
	detail := "the stream ends without the blank line that completes the event"
	if r.lineLen > 0 {
		detail = "the stream ends inside a line"
		r.endLine(r.line, 0)
	}
	if !r.open {
		return nil
	}
	rest := r.finishFrame(r.lineStart)
	rest.Faults = append(rest.Faults, SSEFault{SSEIncompleteLast, detail, rest.End})
	return &rest
}

// ReadSSE reads a whole recorded stream. The chunks have the times at which its bytes arrived;
// bytes beyond them count as arrived with the last.
func ReadSSE(body []byte, chunks []Chunk) (frames []Frame, rest *Frame) {
	r := NewSSEReader()
	left := body
	var at time.Duration
	for _, c := range chunks {
		n := min(max(c.N, 0), len(left))
		frames = r.feedFrames(frames, left[:n], c.At)
		left, at = left[n:], c.At
	}
	frames = r.feedFrames(frames, left, at)
	for i := range frames {
		if end := frames[i].End; body[end-1] == '\r' && end < len(body) && body[end] == '\n' {
			frames[i].End++
		}
	}
	return frames, r.Close()
}

// appendToLine adds bytes to the unfinished line.
func (r *SSEReader) appendToLine(p []byte) {
	r.lineLen += len(p)
	r.line = append(r.line, p[:min(len(p), maxSSELine-len(r.line))]...)
}

// endLine interprets a line, of which line is what was kept, steps over it and
// its line end, and reports whether it completes a frame.
func (r *SSEReader) endLine(line []byte, lineEnd int) (complete bool) {
	start, end := r.lineStart, r.lineStart+r.lineLen
	kept := start + len(line)
	if start == 0 && bytes.HasPrefix(line, bom) {
		line = line[len(bom):]
		start += len(bom)
	}
	if start == end {
		complete = r.open
	} else {
		if !r.open {
			r.open = true
			r.frame = Frame{Retry: -1, Start: start}
		}
		if kept < end {
			r.addFault(SSELineTooLong, strconv.Itoa(end-start)+" bytes; the first "+strconv.Itoa(len(line))+" are kept", kept)
		}
		if kept < end || lineEnd == 0 {
			line = trimPartialRune(line) // it was cut here, not written so
		}
		if len(line) > 0 {
			r.parseLineIntoFrame(line, start, end)
		}
	}
	r.line, r.lineLen = r.line[:0], 0
	r.lineStart = end + lineEnd
	return complete
}

// parseLineIntoFrame interprets a line that is not blank.
func (r *SSEReader) parseLineIntoFrame(line []byte, start, end int) {
	valid := utf8.Valid(line)
	if !valid {
		i := invalidUTF8At(line)
		r.addFault(SSEInvalidUTF8, "byte 0x"+strconv.FormatUint(uint64(line[i]), 16), start+i)
	}
	name, value, colon := bytes.Cut(line, []byte(":"))
	valueStart := end // a field without colon has an empty value
	if colon {
		valueStart = start + len(name) + 1
		if len(value) > 0 && value[0] == ' ' {
			value = value[1:]
			valueStart++
		}
	}
	decoded := value
	if !valid {
		decoded = decodeUTF8(value)
	}
	f := &r.frame
	switch string(name) {
	case "":
		if len(f.Comments) < maxSSENotes {
			f.Comments = append(f.Comments, string(cutUTF8(decoded, maxSSEComment)))
		}
	case "data":
		if !f.HasData {
			f.HasData = true
			f.DataStart = valueStart
		}
		f.DataEnd = end
		r.data = append(append(r.data, decoded...), '\n')
	case "event":
		if string(decoded) != r.event { // streams repeat few names
			r.event = string(decoded)
		}
		f.Event = r.event
	case "id":
		// The standard ignores such an id instead of cutting it.
		if i := bytes.IndexByte(value, 0); i >= 0 {
			r.addFault(SSEIDWithNUL, strconv.Quote(string(cutUTF8(decoded, 40))), valueStart+i)
		} else {
			f.ID, f.HasID = string(decoded), true
		}
	case "retry":
		if strings.Trim(string(value), "0123456789") == "" && len(value) > 0 {
			f.Retry, _ = strconv.Atoi(string(value)) // what no int can hold becomes the largest: no client waits that long
		} else {
			r.addFault(SSEBadRetry, strconv.Quote(string(cutUTF8(decoded, 40))), valueStart)
		}
	default:
		r.addFault(SSEUnknownField, strconv.Quote(string(cutUTF8(decodeUTF8(name[:min(len(name), 60)]), 40))), start)
	}
}

func (r *SSEReader) addFault(kind, detail string, offset int) {
	if len(r.frame.Faults) < MaxFaults {
		r.frame.Faults = append(r.frame.Faults, SSEFault{kind, detail, offset})
	}
}

// finishFrame takes the frame out of the reader.
func (r *SSEReader) finishFrame(end int) Frame {
	f := r.frame
	f.End, f.At = end, r.at
	if f.HasData {
		f.Data = string(r.data[:len(r.data)-1])
	}
	r.frame, r.open, r.data = Frame{}, false, r.data[:0]
	return f
}

// indexFrom is the position of c in p at or after pos, or len(p).
func indexFrom(p []byte, pos int, c byte) int {
	if i := bytes.IndexByte(p[pos:], c); i >= 0 {
		return pos + i
	}
	return len(p)
}
