package adapter

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
)

// Reader reads the lines of a program while it prints them, and keeps those by which it reports what its client
// saw. All other lines are plain output, which it passes over.
type Reader struct {
	scenario string // of the play; lines that name another one are not of it
	now      func() record.Instant
	redact   func(string) string

	mu      sync.Mutex
	partial []byte // of the line that is not complete
	skips   bool   // the line was too long to be kept
	lines   int
	said    []record.Said
	size    int // of the texts that are kept
	misread []record.Misread
	full    bool // no more lines are kept
	over    chan struct{}
	isOver  bool
}

// NewReader makes a reader of what is printed in a play of a scenario. Times are those of now, and redact removes
// secrets from texts.
func NewReader(scenario string, now func() record.Instant, redact func(string) string) *Reader {
	return &Reader{scenario: scenario, now: now, redact: redact, over: make(chan struct{})}
}

// Write takes a piece of what is printed.
func (r *Reader) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for rest := p; len(rest) > 0; {
		piece, after, complete := bytes.Cut(rest, []byte("\n"))
		rest = after
		if room := MaxLine + record.CutMargin - len(r.partial); len(piece) > room {
			piece, r.skips = piece[:max(0, room)], true
		}
		r.partial = append(r.partial, piece...)
		if complete {
			r.endLine()
		}
	}
	return len(p), nil
}

// Close takes what was printed last as a line, if no line end came.
func (r *Reader) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.partial) > 0 {
		r.endLine()
	}
}

// endLine reads the line that is complete.
func (r *Reader) endLine() {
	text, skips := r.partial, r.skips
	r.partial, r.skips = r.partial[:0], false
	r.lines++
	switch {
	case r.isOver || !skips && len(text) == 0:
		return
	case r.full && !bytes.Contains(text, []byte(OfScenario)): // only the end of the scenario still counts
		return
	}
	if skips {
		if isMeantAsReport(text) {
			r.noteMisread(text, fmt.Sprintf("it is longer than %d bytes; report a shorter text", MaxLine))
		}
		return
	}
	line, is, err := ParseLine(text)
	switch {
	case !is:
	case err != nil:
		r.noteMisread(text, err.Error())
	case line.Scenario != "" && line.Scenario != r.scenario:
		r.noteMisread(text, fmt.Sprintf("it names another scenario than %s, which is played; report what was seen before the next scenario begins", r.scenario))
	default:
		r.keepLine(line.Said)
	}
}

// keepLine keeps what a line reports, within the bounds of a play.
func (r *Reader) keepLine(s record.Said) {
	if s.Saw == End && s.Of == OfScenario {
		r.isOver = true
		defer close(r.over)
	} else if r.full {
		return
	}
	s.At, s.Line = r.now(), r.lines
	r.size += boundTexts(&s, r.redact)
	if !r.isOver && (len(r.said) >= MaxLines || r.size > maxTexts) {
		r.full = true
		r.noteMisread([]byte(s.FormatLine()), fmt.Sprintf("more was reported than the %d lines and %d bytes that are kept; report each thing once", MaxLines, maxTexts))
		return
	}
	r.said = append(r.said, s)
}

// noteMisread lists a line that cannot be read.
func (r *Reader) noteMisread(text []byte, why string) {
	if len(r.misread) >= maxMisread {
		return
	}
	shown := strings.ToValidUTF8(shorten.Bytes(r.redact(string(text)), maxQuoted), "\uFFFD")
	r.misread = append(r.misread, record.Misread{Line: r.lines, Text: shown, Why: why})
}

// ScenarioEnd returns a channel that is closed when the program is done with the scenario.
func (r *Reader) ScenarioEnd() <-chan struct{} { return r.over }

// HasRead reports whether anything was printed.
func (r *Reader) HasRead() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lines > 0 || len(r.partial) > 0
}

// ListResult returns what was reported until now, and the lines that could not be read.
func (r *Reader) ListResult() ([]record.Said, []record.Misread) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]record.Said(nil), r.said...), append([]record.Misread(nil), r.misread...)
}
