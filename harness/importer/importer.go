// Package importer reads recordings of traffic that other programs wrote: HAR files of browsers, Playwright and mitmproxy,
// and traces of curl. It also reads the transcripts of our own runs. It never invents bytes: what a file does not have is
// marked as a gap of the exchange.
package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
)

// Bounds of what is read from files. Whoever has more cuts it into several files.
const (
	maxExchanges = 20_000    // of all files
	maxKept      = 192 << 20 // bytes of heads and bodies of all files
	maxNotes     = 40        // of all files
)

// ErrUnknownFormat is why a file is neither a HAR file nor a trace of curl.
var ErrUnknownFormat = errors.New("it is neither a HAR file nor what curl writes with --trace or --trace-ascii")

// Reader collects the exchanges of one or several files.
type Reader struct {
	rec   traffic.Recording
	kept  int
	conns map[string]int // numbers of connections, by file and name
}

// NewReader returns a reader without any exchange.
func NewReader() *Reader { return &Reader{conns: map[string]int{}} }

// Add reads a file, which may be opened twice. The error states what is wrong with it; its name is not in the error.
func (r *Reader) Add(name string, open func() (io.ReadCloser, error)) error {
	file, err := open()
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewReader(file)
	begin, _ := in.Peek(512)
	begin = bytes.TrimPrefix(begin, []byte("\xef\xbb\xbf"))
	switch trimmed := bytes.TrimLeft(begin, " \t\r\n"); {
	case len(trimmed) == 0:
		return errors.New("it is empty")
	case trimmed[0] == '{':
		err := r.addHAR(name, in)
		if !errors.Is(err, errOwnFile) {
			return err
		}
		again, err := open()
		if err != nil {
			return err
		}
		defer again.Close()
		return r.addTranscript(again)
	case looksLikeTrace(trimmed):
		return r.addTrace(name, in)
	}
	return ErrUnknownFormat
}

// Recording returns what was read, in the order of requests. Dialects are not set. Nothing can be added afterwards.
func (r *Reader) Recording() traffic.Recording {
	slices.SortStableFunc(r.rec.Passed, func(a, b traffic.Passed) int { return cmp.Compare(startOf(a), startOf(b)) })
	r.rec.Cut = true
	return r.rec
}

// startOf returns when the request of an exchange began.
func startOf(p traffic.Passed) record.Instant {
	if p.Out != nil {
		return p.Out.Start
	}
	return p.In.Start
}

// setSource notes which program wrote a file.
func (r *Reader) setSource(program string) {
	if r.rec.Source == "" {
		r.rec.Source = program
	} else if r.rec.Source != program {
		r.rec.Source = "several programs"
	}
}

// alignToStart returns by how much the instants of a file that began at a moment are moved, so that the zero point of all
// files is the same. A file without a date begins together with the first one.
func (r *Reader) alignToStart(began time.Time) time.Duration {
	if began.IsZero() {
		return 0
	}
	if r.rec.Started.IsZero() {
		r.rec.Started = began
		return 0
	}
	moved := began.Sub(r.rec.Started)
	if moved >= 0 {
		return moved
	}
	r.rec.Started = began
	for _, p := range r.rec.Passed {
		for _, x := range []*record.Exchange{p.In, p.Out} {
			if x != nil {
				moveInstants(x, -moved)
			}
		}
	}
	return 0
}

// moveInstants moves all instants of an exchange.
func moveInstants(x *record.Exchange, by time.Duration) {
	x.Start, x.End = x.Start+by, x.End+by
	for _, m := range []*record.Message{&x.Request, &x.Response} {
		m.Chunks = slices.Clone(m.Chunks)
		for i := range m.Chunks {
			m.Chunks[i].At += by
		}
	}
}

// addExchange adds an exchange between others, as one of the sides saw it. It reports false if no more can be kept.
func (r *Reader) addExchange(file, connection string, x *record.Exchange) bool {
	size := len(x.URL)
	for _, m := range []*record.Message{&x.Request, &x.Response} {
		size += len(m.Head) + len(m.Body)
	}
	if len(r.rec.Passed) >= maxExchanges || r.kept+size > maxKept {
		r.rec.Dropped++
		return false
	}
	r.kept += size
	if connection != "" {
		key := file + "\x00" + connection
		if r.conns[key] == 0 {
			r.conns[key] = len(r.conns) + 1
		}
		x.Conn = r.conns[key]
	}
	p := traffic.Passed{In: x, Out: mirrorExchange(x), Connection: x.Conn}
	if x.Dir == record.Out {
		p.In, p.Out = p.Out, p.In
	}
	r.rec.Passed = append(r.rec.Passed, p)
	return true
}

// mirrorExchange returns an exchange as the other side of it saw it.
func mirrorExchange(x *record.Exchange) *record.Exchange {
	dir := record.In
	if x.Dir == record.In {
		dir = record.Out
	}
	return &record.Exchange{Dir: dir, URL: x.URL, Conn: x.Conn, Start: x.Start, End: x.End, Ended: x.Ended, Trouble: x.Trouble,
		Request: x.Request, Response: x.Response, TLS: x.TLS, HTTP2: x.HTTP2, Gaps: x.Gaps}
}

// addNote adds what the reader of a report should know of the files, each once.
func (r *Reader) addNote(format string, args ...any) {
	note := fmt.Sprintf(format, args...)
	if len(r.rec.Notes) < maxNotes && !slices.Contains(r.rec.Notes, note) {
		r.rec.Notes = append(r.rec.Notes, note)
	}
}
