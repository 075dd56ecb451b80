package serve

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// writeWait is how long a client may take to read a piece of an answer.
const writeWait = 10 * time.Second

// errStopped is why the connections of a play that is over are read no further.
var errStopped = errors.New("the play is over")

// answerWriter writes what answers one request, and records the bytes as they leave.
type answerWriter struct {
	ctx  context.Context // until the play is over
	conn net.Conn
	in   *inbound
	now  func() record.Instant
	q    *request

	m       record.Message
	begun   bool // the head left
	whole   bool // all of the message left
	chunked bool
	closes  bool   // the connection is closed after the answer
	broken  error  // why a write failed
	ours    string // why we closed before the answer was complete
}

// formatHead writes the head of an answer.
func formatHead(status int, fields []record.Field) []byte {
	var head bytes.Buffer
	text := http.StatusText(status)
	fmt.Fprintf(&head, "HTTP/1.1 %d %s\r\n", status, text)
	fmt.Fprintf(&head, "Date: %s\r\n", time.Now().UTC().Format(http.TimeFormat))
	for _, f := range fields {
		fmt.Fprintf(&head, "%s: %s\r\n", f.Name, f.Value)
	}
	return head.Bytes()
}

// Whole answers by one message, whose length is declared.
func (a *answerWriter) writeWhole(status int, fields []record.Field, body []byte) {
	head := formatHead(status, fields)
	head = fmt.Appendf(head, "Content-Length: %d\r\n", len(body))
	if a.closes = a.closes || a.q.wantsClose(); a.closes {
		head = append(head, "Connection: close\r\n"...)
	}
	head = append(head, "\r\n"...)
	a.m.Framing = record.Framing{Kind: "length", Declared: int64(len(body))}
	if a.q.Method == http.MethodHead {
		a.m.Framing.Kind, body = "none", nil
	} else if len(body) == 0 {
		a.m.Framing.Kind = "none"
	}
	a.begun = true
	n := a.writeBytes(append(head, body...))
	a.m.Head = bytes.Clone(head[:min(n, len(head))])
	if n > len(head) {
		a.addBody(body[:n-len(head)])
	}
	a.whole = a.broken == nil
}

// Compressed answers by one message in gzip. It is recorded as all compressed bodies are: without
// the coding.
func (a *answerWriter) writeCompressed(status int, fields []record.Field, body []byte) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(body) // to memory
	w.Close()
	a.writeWhole(status, append(fields, record.Field{Name: "Content-Encoding", Value: "gzip"}), packed.Bytes())
	if a.whole && len(a.m.Body) > 0 {
		a.m.Body, a.m.Framing.Coding = body, "gzip"
		a.m.Chunks = []record.Chunk{{At: a.m.Chunks[0].At, N: len(body)}}
	}
}

// Begin begins an answer whose pieces follow.
func (a *answerWriter) beginPieces(status int, fields []record.Field) {
	a.beginWith(status, fields, a.q.proto != "HTTP/1.0")
}

// beginUntilClose begins an answer that ends with the connection.
func (a *answerWriter) beginUntilClose(status int, fields []record.Field) {
	a.beginWith(status, fields, false)
}

// Interim writes an answer that comes before the one.
func (a *answerWriter) writeInterim(status int, fields []record.Field) {
	if a.q.proto != "HTTP/1.0" && a.writeBytes(append(formatHead(status, fields), "\r\n"...)) > 0 {
		a.q.interim = append(a.q.interim, status)
	}
}

// beginWith begins an answer with chunks, or one that ends with the connection.
func (a *answerWriter) beginWith(status int, fields []record.Field, chunked bool) {
	head := formatHead(status, fields)
	a.chunked = chunked
	a.closes = a.closes || a.q.wantsClose() || !a.chunked
	a.m.Framing = record.Framing{Kind: "close", Declared: -1}
	if a.chunked {
		a.m.Framing.Kind = "chunked"
		head = append(head, "Transfer-Encoding: chunked\r\n"...)
	}
	if a.closes {
		head = append(head, "Connection: close\r\n"...)
	}
	head = append(head, "\r\n"...)
	a.begun = true
	a.m.Head = head[:a.writeBytes(head)]
}

// Piece writes the next piece of the body at once. It reports whether there is a client to write
// another one for.
func (a *answerWriter) writePiece(data []byte) bool {
	if len(data) > 0 && a.broken == nil && a.ours == "" {
		out := data
		if a.chunked {
			out = fmt.Appendf(nil, "%x\r\n%s\r\n", len(data), data)
		}
		if a.writeBytes(out) == len(out) {
			a.addBody(data)
		}
	}
	return a.broken == nil && a.ctx.Err() == nil
}

// Wait lets time pass. It reports whether the client is still there afterwards, and the play is not over.
func (a *answerWriter) waitTime(d time.Duration) bool { return a.waitUnless(d, nil) }

// WaitUnless is Wait that ends as well when a channel is closed.
func (a *answerWriter) waitUnless(d time.Duration, over <-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return a.broken == nil
	case <-over:
		return a.broken == nil
	case <-a.in.gone:
	case <-a.ctx.Done():
	}
	return false
}

// End ends an answer that was begun, with fields that come after its chunks.
func (a *answerWriter) endPieces(trailer ...record.Field) {
	if a.broken == nil && a.chunked {
		for _, f := range trailer {
			a.m.Trailer = fmt.Appendf(a.m.Trailer, "%s: %s\r\n", f.Name, f.Value)
		}
		a.writeBytes(fmt.Appendf(nil, "0\r\n%s\r\n", a.m.Trailer))
	}
	a.whole = a.broken == nil
}

// Cut closes the connection before the answer is complete: in order, or by a reset.
func (a *answerWriter) cutConnection(reset bool) {
	a.ours = "the scripted server closed the connection before its answer was complete"
	conn := a.conn
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	if tcp, ok := conn.(interface{ SetLinger(int) error }); ok && reset {
		tcp.SetLinger(0)
		a.ours = "the scripted server reset the connection before its answer was complete"
	}
	a.closes = true
}

// Close has the connection closed after the answer.
func (a *answerWriter) closeAfterwards() { a.closes = true }

// writeBytes writes bytes, and returns how many left.
func (a *answerWriter) writeBytes(b []byte) int {
	if a.broken != nil {
		return 0
	}
	a.conn.SetWriteDeadline(time.Now().Add(writeWait))
	n, err := a.conn.Write(b)
	a.broken = err
	return n
}

func (a *answerWriter) addBody(b []byte) {
	a.m.Body = append(a.m.Body, b...)
	a.m.Framing.Received += int64(len(b))
	a.m.Chunks = appendChunk(a.m.Chunks, a.now(), len(b))
}

// describeOutcome is how the exchange came to its end.
func (a *answerWriter) describeOutcome() (record.Ended, string) {
	at, gone := a.in.readEnd()
	// A client may end its own half, or all, once it has what it asked for.
	early := gone != nil && len(a.m.Chunks) > 1 && at < a.m.Chunks[len(a.m.Chunks)-1].At
	switch {
	case a.q.ended != record.EOF:
		return a.q.ended, a.q.trouble
	case a.ours != "":
		return record.OurClose, a.ours
	case a.broken != nil && a.ctx.Err() == nil:
		return record.Reset, "the client closed the connection before the answer was complete: " + strconv.QuoteToASCII(a.broken.Error())
	case a.whole && !early:
		return record.EOF, a.q.trouble
	case gone != nil && !errors.Is(gone, errStopped) && !errors.Is(gone, net.ErrClosed):
		return record.Reset, "the client closed the connection before the answer was complete"
	case a.ctx.Err() != nil:
		return record.Aborted, "the play ended before the answer was complete"
	}
	return record.OurClose, "the scripted server gave no answer"
}
