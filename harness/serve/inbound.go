package serve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// readAhead is how many bytes of a client are read before they are needed. Beyond it the client
// has to wait, as at any server.
const readAhead = 256 << 10

var (
	errLine    = errors.New("the line is too long")
	errTimeout = errors.New("nothing came in time")
)

// piece is what one read of a connection brought.
type piece struct {
	at   record.Instant
	data []byte
}

// inbound is what a client sent on a connection and was not yet taken. It is read all the time,
// so that a client that closes while an answer is written is noticed.
type inbound struct {
	now   func() record.Instant
	waits waits // how long the client is waited for

	mu     sync.Mutex
	pieces []piece
	size   int
	err    error          // why no more comes: io.EOF if the client closed in order
	errAt  record.Instant // when that was noticed
	news   chan struct{}  // closed with the next change
	gone   chan struct{}  // closed once no more comes
}

// newInbound makes the input of a connection that was not read yet.
func newInbound(now func() record.Instant, w waits) *inbound {
	return &inbound{now: now, waits: w, news: make(chan struct{}), gone: make(chan struct{})}
}

// readConnection reads until the connection ends.
func (in *inbound) readConnection(c net.Conn) {
	for {
		buf := make([]byte, 16<<10)
		n, err := c.Read(buf)
		at := in.now()
		in.mu.Lock()
		if n > 0 {
			in.pieces = append(in.pieces, piece{at, buf[:n]})
			in.size += n
		}
		if err != nil && in.err == nil {
			in.err, in.errAt = err, at
			close(in.gone)
		}
		in.signalChange()
		for in.size >= readAhead && in.err == nil {
			news := in.news
			in.mu.Unlock()
			<-news // a take, or the end
			in.mu.Lock()
		}
		ended := in.err != nil
		in.mu.Unlock()
		if ended {
			return
		}
	}
}

// stopReading has nothing more be read, and wakes who waits.
func (in *inbound) stopReading(err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.err == nil {
		in.err, in.errAt = err, in.now()
		close(in.gone)
	}
	in.signalChange()
}

// signalChange wakes who waits. The caller holds in.mu.
func (in *inbound) signalChange() {
	close(in.news)
	in.news = make(chan struct{})
}

// hasBytes reports whether something came that was not yet taken.
func (in *inbound) hasBytes() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.size > 0
}

// readEnd returns when and why the client's side of the connection ended; nil while it has not.
func (in *inbound) readEnd() (record.Instant, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.errAt, in.err
}

// takePiece takes bytes that came in one piece, as many as measure returns, and returns when they came. It
// waits for them, at most for the patience; 0 is no bound.
func (in *inbound) takePiece(ctx context.Context, patience time.Duration, measure func(data []byte) int) ([]byte, record.Instant, error) {
	var late <-chan time.Time
	if patience > 0 {
		t := time.NewTimer(patience)
		defer t.Stop()
		late = t.C
	}
	for {
		in.mu.Lock()
		if len(in.pieces) > 0 {
			p := &in.pieces[0]
			n := measure(p.data)
			data, at := p.data[:n:n], p.at
			p.data = p.data[n:]
			if len(p.data) == 0 {
				in.pieces = in.pieces[1:]
			}
			in.size -= n
			in.signalChange()
			in.mu.Unlock()
			return data, at, nil
		}
		err, news := in.err, in.news
		in.mu.Unlock()
		if err != nil {
			return nil, in.errAt, err
		}
		select {
		case <-news:
		case <-late:
			return nil, in.now(), errTimeout
		case <-ctx.Done():
			return nil, in.now(), context.Cause(ctx)
		}
	}
}

// takeBytes takes up to most bytes.
func (in *inbound) takeBytes(ctx context.Context, most int, patience time.Duration) ([]byte, record.Instant, error) {
	return in.takePiece(ctx, patience, func(data []byte) int { return min(most, len(data)) })
}

// awaitByte waits for the next byte, without a bound, and leaves it to be taken.
func (in *inbound) awaitByte(ctx context.Context) (next byte, at record.Instant, err error) {
	_, at, err = in.takePiece(ctx, 0, func(data []byte) int {
		next = data[0]
		return 0
	})
	return next, at, err
}

// awaitUntil waits for the next byte until a moment, the zero one for no bound, and leaves it to be taken.
func (in *inbound) awaitUntil(ctx context.Context, until time.Time) (at record.Instant, err error) {
	patience := time.Duration(0)
	if !until.IsZero() {
		patience = max(time.Until(until), time.Millisecond)
	}
	_, at, err = in.takePiece(ctx, patience, func([]byte) int { return 0 })
	return at, err
}

// startsWith reports whether what comes begins with a text, which is left to be taken. It waits until that is known, at most
// for the patience.
func (in *inbound) startsWith(ctx context.Context, text string, patience time.Duration) bool {
	t := time.NewTimer(patience)
	defer t.Stop()
	for {
		in.mu.Lock()
		var begun []byte
		for i := 0; i < len(in.pieces) && len(begun) < len(text); i++ {
			begun = append(begun, in.pieces[i].data[:min(len(text)-len(begun), len(in.pieces[i].data))]...)
		}
		err, news := in.err, in.news
		in.mu.Unlock()
		switch {
		case string(begun) != text[:len(begun)]:
			return false
		case len(begun) == len(text):
			return true
		case err != nil:
			return false
		}
		select {
		case <-news:
		case <-t.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// takeLine appends to the text what comes up to the end of a line, most bytes at most.
func (in *inbound) takeLine(ctx context.Context, text []byte, most int, until time.Time) ([]byte, error) {
	for left := most; left > 0; {
		b, _, err := in.takePiece(ctx, max(time.Until(until), time.Millisecond), func(data []byte) int {
			data = data[:min(left, len(data))]
			if i := bytes.IndexByte(data, '\n'); i >= 0 {
				return i + 1
			}
			return len(data)
		})
		if err != nil {
			return text, err
		}
		text, left = append(text, b...), left-len(b)
		if bytes.HasSuffix(b, []byte("\n")) {
			return text, nil
		}
	}
	return text, errLine
}

// isBlankLine reports whether a line has nothing but its end.
func isBlankLine(line []byte) bool { return len(bytes.TrimRight(line, "\r\n")) == 0 }

// isClosedInOrder reports whether an error is the orderly end of what a client sends.
func isClosedInOrder(err error) bool { return errors.Is(err, io.EOF) }
