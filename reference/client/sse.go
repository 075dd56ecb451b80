package client

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// streamFaults are mistakes in reading events.
type streamFaults struct {
	commentBreaks    bool // a comment is taken for an event
	linesAreEvents   bool // each data line is an event
	lastLineWins     bool // the last data line replaces the others
	keepsCR          bool // a carriage return before a line feed belongs to the line
	feedOnly         bool // a carriage return alone ends no line
	keepsMark        bool // a byte order mark belongs to the first line
	piecesAlone      bool // each piece is decoded by itself
	cutsFirstPiece   bool // of the events in the first piece only the first two are taken
	wantsSpace       bool // a field needs a space after its colon
	otherFieldBreaks bool // a field that is not data ends the stream
	passesEmpty      bool // an event without data is one
	cutsAt           int  // longer data are cut
	takesUnended     bool // the end of the stream ends an event
}

// An eventReader reads server-sent events, as the HTML standard has it (section 9.2.6).
type eventReader struct {
	source io.Reader
	faults streamFaults
	closed error

	begun     bool // the place for a byte order mark is over
	line      []byte
	afterCR   bool // a line feed that comes now belongs to the line end before
	data      []byte
	hasData   bool
	queue     [][]byte
	sawOther  bool
	size      int
	pieces    int // that were read
	fromPiece int // events that ended in this piece
}

func newEventReader(source io.Reader, f streamFaults) *eventReader {
	return &eventReader{source: source, faults: f}
}

var byteOrderMark = []byte("\uFEFF")

// readEvent returns the data of the next event. At the end of the stream it returns io.EOF, and
// what was not ended by a blank line is lost.
func (r *eventReader) readEvent() ([]byte, error) {
	for {
		if len(r.queue) > 0 {
			data := r.queue[0]
			r.queue = r.queue[1:]
			return data, nil
		}
		if r.closed != nil {
			return nil, r.closed
		}
		buffer := make([]byte, 32<<10)
		n, err := r.source.Read(buffer)
		r.closed = err
		if r.size += n; r.size > maxStream {
			r.closed = errors.New("the stream is too long")
		}
		r.readPiece(buffer[:n])
		if err == io.EOF && r.faults.takesUnended {
			_ = r.endEvent() // which has no error
		}
	}
}

// readPiece takes in what one read brought.
func (r *eventReader) readPiece(piece []byte) {
	r.fromPiece = 0
	r.pieces++
	if r.faults.piecesAlone {
		piece = []byte(strings.ToValidUTF8(string(piece), string(utf8.RuneError)))
	}
	for _, b := range piece {
		if err := r.readByte(b); err != nil {
			r.closed = err
			return
		}
	}
}

func (r *eventReader) readByte(b byte) error {
	followsCR := r.afterCR
	r.afterCR = false
	switch {
	case b == '\n' && followsCR:
		return nil
	case b == '\n':
		return r.endLine()
	case b == '\r' && !r.faults.feedOnly && !r.faults.keepsCR:
		r.afterCR = true
		return r.endLine()
	}
	if r.line = append(r.line, b); len(r.line)+len(r.data) > maxEvent {
		return errors.New("an event is too long")
	}
	return nil
}

// endLine takes in a whole line.
func (r *eventReader) endLine() error {
	line := r.line
	r.line = nil
	if !r.begun && !r.faults.keepsMark {
		line = bytes.TrimPrefix(line, byteOrderMark)
	}
	r.begun = true
	if r.faults.feedOnly {
		line = bytes.TrimSuffix(line, []byte("\r"))
	}
	if len(line) == 0 {
		return r.endEvent()
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	if r.faults.wantsSpace && !bytes.HasPrefix(value, []byte(" ")) {
		return nil
	}
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "":
		if r.faults.commentBreaks {
			return errors.New("a line of the stream is no field")
		}
	case "data":
		if r.hasData && r.faults.lastLineWins {
			r.data, r.hasData = nil, false
		}
		if r.hasData {
			r.data = append(r.data, '\n')
		}
		r.data, r.hasData = append(r.data, value...), true
		if r.faults.linesAreEvents {
			return r.endEvent()
		}
	default:
		r.sawOther = true
		if r.faults.otherFieldBreaks {
			return errors.New("the stream has a field that is not data")
		}
	}
	return nil
}

// endEvent passes on what was collected, if there are data.
func (r *eventReader) endEvent() error {
	data := r.data
	if len(data) > 0 || r.faults.passesEmpty && r.sawOther {
		if r.faults.cutsAt > 0 && len(data) > r.faults.cutsAt {
			data = data[:r.faults.cutsAt]
		}
		if r.fromPiece++; r.pieces > 1 || r.fromPiece <= 2 || !r.faults.cutsFirstPiece {
			r.queue = append(r.queue, data)
		}
	}
	r.data, r.hasData, r.sawOther = nil, false, false
	return nil
}
