package serve

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// Listener accepts the connections of a client at an address of its own. It records each request with the
// answer that its owner gives, which may be that of another server.
type Listener struct {
	r    *recorder
	base string
}

// ListenerConfig is how a Listener records.
type ListenerConfig struct {
	Started time.Time            // zero point of all instants
	Redact  *redact.Redactor     // nil redacts credential headers only
	Budget  *record.MemoryBudget // shared with others; nil for one of its own
}

// NewListener opens a free port of this machine. Connections wait there until Serve is called.
func NewListener(ctx context.Context, cfg ListenerConfig) (*Listener, error) {
	r := newRecorder(ctx, recorderConfig{Started: cfg.Started, Redact: cfg.Redact, Budget: cfg.Budget})
	base, err := r.openOrigin("127.0.0.1", nil)
	if err != nil {
		r.Close()
		return nil, err
	}
	return &Listener{r, base}, nil
}

// Base returns the origin at which clients reach the listener.
func (l *Listener) Base() string { return l.base }

// Serve begins to accept connections. answer is called for each request that came in full, by several goroutines
// at the same time.
func (l *Listener) Serve(answer func(a *Answer, q *Request)) {
	l.r.acceptConnections(func(a *answerWriter, q *request) {
		answer(&Answer{a}, &Request{Method: q.Method, Target: q.Target, Message: &q.record, Start: q.start})
	})
}

// AwaitQuiet waits until the client has closed its connections, at most for the patience.
func (l *Listener) AwaitQuiet(patience time.Duration) { l.r.awaitQuiet(patience) }

// Close accepts no more, and closes what is open.
func (l *Listener) Close() { l.r.Close() }

// ListExchanges returns the exchanges that are complete, in the order of their first byte, and how many requests came
// beyond those that are recorded.
func (l *Listener) ListExchanges() (kept []*record.Exchange, surplus int) {
	return l.r.listExchanges(), l.r.countSurplus()
}

// Request is a request that came in full.
type Request struct {
	Method  string
	Target  string          // as it was written
	Message *record.Message // its body is without codings
	Start   record.Instant
}

// Answer answers one request.
type Answer struct{ a *answerWriter }

// Context ends with the listener.
func (a *Answer) Context() context.Context { return a.a.ctx }

// Gone is closed once the client has closed its connection.
func (a *Answer) Gone() <-chan struct{} { return a.a.in.gone }

// Refuse answers in the name of the listener.
func (a *Answer) Refuse(status int, text string) {
	a.a.writeWhole(status, listTypeFields("text/plain; charset=utf-8"), []byte(text+"\n"))
}

// Pass begins the answer with the head of another server, as that wrote it but for the fields about the connection. The
// body that follows has the length that is given; -1 if its length is not known yet.
func (a *Answer) Pass(head []byte, length int64) {
	w := a.a
	var framing []record.Field
	w.m.Framing.Kind, w.m.Framing.Declared = "length", length
	switch {
	case !a.hasBody(head):
		w.m.Framing.Kind, w.m.Framing.Declared = "none", -1
		framing = declaredLength(head)
	case length >= 0:
		framing = []record.Field{{Name: "Content-Length", Value: strconv.FormatInt(length, 10)}}
	case w.q.proto == "HTTP/1.0":
		w.m.Framing.Kind, w.closes = "close", true
	default:
		w.m.Framing.Kind, w.chunked = "chunked", true
		framing = []record.Field{{Name: "Transfer-Encoding", Value: "chunked"}}
	}
	if w.closes {
		framing = append(framing, record.Field{Name: "Connection", Value: "close"})
	}
	out := removeConnectionFields(head)
	for _, f := range framing {
		out = append(out, f.Name+": "+f.Value+"\r\n"...)
	}
	w.writeHead(append(out, "\r\n"...))
}

// hasBody reports whether a body follows a head.
func (a *Answer) hasBody(head []byte) bool {
	status := (&record.Message{Head: head}).Status()
	return a.a.q.Method != http.MethodHead && status != http.StatusNoContent && status != http.StatusNotModified
}

// declaredLength returns the length that a head declares which no body follows.
func declaredLength(head []byte) (out []record.Field) {
	if n := (&record.Message{Head: head}).Header().Get("Content-Length"); n != "" {
		out = append(out, record.Field{Name: "Content-Length", Value: n})
	}
	return out
}

// Write writes the next piece of the body at once. It reports whether there is a client to write another one for.
func (a *Answer) Write(piece []byte) bool { return a.a.writePiece(piece) }

// End ends the answer.
func (a *Answer) End() {
	a.a.endPieces()
	if coding := a.a.m.ContentCoding(); a.a.whole && coding != "" {
		a.a.m.DecodeDelivery(coding)
	}
}

// Break closes the connection before the answer is complete, as the other server did.
func (a *Answer) Break(why string) {
	a.a.cutConnection(true)
	a.a.cut = why
}

// connectionFields are about one connection, and not about the message (RFC 9110, section 7.6.1).
var connectionFields = []string{"connection", "proxy-connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "content-length"}

// IsOfConnection reports whether a header field is about one connection or about the framing there, so that it is not passed
// on. named are the fields that Connection names.
func IsOfConnection(name string, named []string) bool {
	name = strings.ToLower(name)
	for _, list := range [][]string{connectionFields, named} {
		for _, other := range list {
			if name == strings.ToLower(strings.TrimSpace(other)) {
				return true
			}
		}
	}
	return false
}

// removeConnectionFields returns a head, without the blank line at its end, and without the fields about its connection.
// All other lines stay as they were written.
func removeConnectionFields(head []byte) (out []byte) {
	m := record.Message{Head: head}
	named := strings.Split(strings.Join(m.Header().Values("Connection"), ","), ",")
	left := false
	for line := range bytes.Lines(head) {
		switch {
		case isBlankLine(line):
			return out
		case len(out) > 0 && (line[0] == ' ' || line[0] == '\t'): // it belongs to the field before it
		case len(out) > 0:
			name, _, _ := strings.Cut(string(line), ":")
			left = IsOfConnection(name, named)
		}
		if !left {
			out = append(out, bytes.TrimRight(line, "\r\n")...)
			out = append(out, "\r\n"...)
		}
	}
	return out
}
