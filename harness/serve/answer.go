package serve

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// errStopped is why the connections of a play that is over are read no further.
var errStopped = errors.New("the play is over")

// answerWriter writes what answers one request, and records the bytes as they leave.
type answerWriter struct {
	ctx  context.Context // until the play is over
	conn net.Conn
	raw  net.Conn // beneath TLS
	in   *inbound
	now  func() record.Instant
	q    *request
	// shared are fields next to those of the script, such as those that let a page of another origin read the answer.
	shared []record.Field
	stream *http2Stream // that is answered; nil for HTTP/1.1

	m       record.Message
	whole   bool // all of the message left
	chunked bool
	closes  bool           // the connection is closed after the answer
	left    record.Instant // when the last bytes were handed to the connection
	broken  error          // why a write failed
	cut     string         // why we closed before the answer was complete
}

// formatHead returns the head of an answer.
func formatHead(status int, fields []record.Field) []byte {
	head := fmt.Appendf(nil, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	head = fmt.Appendf(head, "Date: %s\r\n", time.Now().UTC().Format(http.TimeFormat))
	for _, f := range fields {
		head = fmt.Appendf(head, "%s: %s\r\n", f.Name, f.Value)
	}
	return append(head, "\r\n"...)
}

// formatFinalHead returns the head of the answer, in which fields about its framing follow those of the
// script.
func (a *answerWriter) formatFinalHead(status int, fields []record.Field, framing ...record.Field) []byte {
	if a.closes {
		framing = append(framing, record.Field{Name: "Connection", Value: "close"})
	}
	return formatHead(status, slices.Concat(fields, a.shared, framing))
}

// writeWhole answers by one message, whose length is declared.
func (a *answerWriter) writeWhole(status int, fields []record.Field, body []byte) {
	if a.stream != nil {
		a.writeStreamWhole(status, fields, body)
		return
	}
	a.m.Framing.Kind, a.m.Framing.Declared = "length", int64(len(body))
	framing := []record.Field{{Name: "Content-Length", Value: strconv.Itoa(len(body))}}
	if status == http.StatusNotModified { // a length would be that of the body which is not sent
		a.m.Framing.Declared, framing = -1, nil
	}
	head := a.formatFinalHead(status, fields, framing...)
	if a.q.Method == http.MethodHead {
		body = nil
	}
	if len(body) == 0 {
		a.m.Framing.Kind = "none"
	}
	n := a.writeBytes(slices.Concat(head, body))
	a.m.Head = head[:min(n, len(head))]
	if n > len(head) {
		a.m.AppendBody(body[:n-len(head)], a.left)
	}
	a.whole = a.broken == nil
}

// writeCompressed answers by one message in gzip. It is recorded as all compressed bodies are: without
// the coding.
func (a *answerWriter) writeCompressed(status int, fields []record.Field, body []byte) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(body) // to memory
	w.Close()
	a.writeWhole(status, append(fields, record.Field{Name: "Content-Encoding", Value: "gzip"}), packed.Bytes())
	if coding := a.m.ContentCoding(); a.whole && coding != "" {
		a.m.DecodeDelivery(coding)
	}
}

// beginPieces begins an answer whose pieces follow. They are chunks, unless the client has no word for them.
func (a *answerWriter) beginPieces(status int, fields []record.Field) {
	if a.stream != nil {
		a.writeStreamHead(status, fields, false)
		return
	}
	if a.q.proto == "HTTP/1.0" {
		a.beginUntilClose(status, fields)
		return
	}
	a.chunked = true
	a.m.Framing.Kind = "chunked"
	a.writeHead(a.formatFinalHead(status, fields, record.Field{Name: "Transfer-Encoding", Value: "chunked"}))
}

// beginUntilClose begins an answer that ends with the connection.
func (a *answerWriter) beginUntilClose(status int, fields []record.Field) {
	if a.stream != nil {
		a.writeStreamHead(status, fields, false)
		return
	}
	a.closes = true
	a.m.Framing.Kind = "close"
	a.writeHead(a.formatFinalHead(status, fields))
}

// writeHead writes the head of an answer whose pieces follow.
func (a *answerWriter) writeHead(head []byte) { a.m.Head = head[:a.writeBytes(head)] }

// writeInterim writes an answer that comes before the final one.
func (a *answerWriter) writeInterim(status int, fields []record.Field) {
	if a.stream != nil {
		a.writeStreamHead(status, fields, false)
		return
	}
	if a.q.proto != "HTTP/1.0" && a.writeBytes(formatHead(status, fields)) > 0 {
		a.m.Framing.Interim = append(a.m.Framing.Interim, status)
	}
}

// writePiece writes the next piece of the body at once. It reports whether there is a client to write
// another one for.
func (a *answerWriter) writePiece(data []byte) bool {
	if a.stream != nil && len(data) > 0 && a.broken == nil && a.cut == "" {
		a.writeStreamPiece(data, false)
	} else if len(data) > 0 && a.broken == nil && a.cut == "" {
		out := data
		if a.chunked {
			out = fmt.Appendf(nil, "%x\r\n%s\r\n", len(data), data)
		}
		if a.writeBytes(out) == len(out) {
			a.m.AppendBody(data, a.left)
		}
	}
	return a.broken == nil && a.ctx.Err() == nil
}

// waitTime lets time pass. It reports whether the client is still there afterwards, and the play is not over.
func (a *answerWriter) waitTime(d time.Duration) bool { return a.waitUnless(d, nil) }

// waitUnless lets time pass, less of it if a channel is closed. It reports the same as waitTime.
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

// endPieces ends an answer that was begun, with fields that come after its chunks.
func (a *answerWriter) endPieces(trailer ...record.Field) {
	if a.stream != nil {
		a.endStreamPieces(trailer)
	} else if a.broken == nil && a.chunked {
		for _, f := range trailer {
			a.m.Trailer = fmt.Appendf(a.m.Trailer, "%s: %s\r\n", f.Name, f.Value)
		}
		a.writeBytes(fmt.Appendf(nil, "0\r\n%s\r\n", a.m.Trailer))
	}
	a.whole = a.broken == nil
}

// cutConnection closes the connection before the answer is complete: in order, or by a reset.
func (a *answerWriter) cutConnection(reset bool) {
	a.cut = "the scripted server closed the connection before its answer was complete"
	if tcp, ok := a.raw.(interface{ SetLinger(int) error }); ok && reset {
		tcp.SetLinger(0)
		a.cut = "the scripted server reset the connection before its answer was complete"
	}
	a.closes = true
}

// closeAfterwards has the connection closed after the answer.
func (a *answerWriter) closeAfterwards() { a.closes = true }

// writeBytes writes bytes, and returns how many left.
func (a *answerWriter) writeBytes(b []byte) int {
	if a.broken != nil {
		return 0
	}
	a.left = a.now()
	a.conn.SetWriteDeadline(time.Now().Add(a.in.waits.write))
	n, err := a.conn.Write(b)
	a.broken = err
	return n
}

// findEnd returns when the exchange ended: when the last bytes of a whole answer were handed to the connection,
// before which the client cannot have sent its next request.
func (a *answerWriter) findEnd() record.Instant {
	if a.whole && a.left > 0 {
		return a.left
	}
	return a.now()
}

// describeOutcome returns how the exchange came to its end, and in what trouble.
func (a *answerWriter) describeOutcome() (record.Ended, string) {
	at, gone := a.in.readEnd()
	// A client may end its own half, or all, once it has what it asked for.
	early := gone != nil && len(a.m.Chunks) > 1 && at < a.m.Chunks[len(a.m.Chunks)-1].At
	switch {
	case a.q.ended != record.EOF:
		return a.q.ended, a.q.trouble
	case a.stream != nil && !a.whole && a.stream.readCode() != "":
		return record.Reset, "the client reset the stream before the answer was complete: " + a.stream.readCode()
	case a.cut != "":
		return record.OurClose, a.cut
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
