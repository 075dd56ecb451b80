// Package record holds what a run sent and received: exchanges, the transcript they form,
// the readers of their contents (JSON, event streams, gRPC messages), and the HAR file that
// a transcript is kept in. Checks judge these records and never the network.
package record

import (
	"bytes"
	"mime"
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Instant is a moment of a run, as the time since the transcript was begun.
type Instant = time.Duration

// Direction is who opened an exchange.
type Direction string

// The directions: a call of ours, a delivery to our webhook, and a document that
// the operator gave, for which nothing was sent.
const (
	Out   Direction = "out"
	In    Direction = "in"
	Given Direction = "given"
)

// Ended is how the reading of a response came to its end.
type Ended string

// The ways in which an exchange ends.
const (
	EOF      Ended = "eof"       // the message was complete
	Reset    Ended = "reset"     // the peer broke the connection before the message was complete
	Timeout  Ended = "timeout"   // our patience ended first
	OurClose Ended = "our-close" // we closed, having seen enough
	Limit    Ended = "limit"     // the message was larger than we keep
	NoDial   Ended = "no-dial"   // no connection could be made
	Aborted  Ended = "aborted"   // the run ended first; it proves nothing about the server
	Unsent   Ended = "unsent"    // we did not send it, for a reason of ours; it proves nothing about the server
)

// Chunk records that the next N bytes of a body arrived at the instant At.
type Chunk struct {
	At Instant `json:"at"`
	N  int     `json:"n"`
}

// Recipe replaces a body of our own making that is too large to keep.
type Recipe struct {
	Generator string `json:"generator"`
	Size      int    `json:"size"`
	SHA256    string `json:"sha256"`
}

// Framing is what the transfer of a body showed (RFC 9112, section 6).
type Framing struct {
	Kind     string   `json:"kind"`              // none, length, chunked, close; frames over HTTP/2, but none if the head ended the stream
	Declared int64    `json:"declared"`          // Content-Length, or -1
	Received int64    `json:"received"`          // bytes of body that came, before any redaction or cut
	Faults   []string `json:"faults,omitempty"`  // departures from the framing, in words
	Interim  []int    `json:"interim,omitempty"` // status codes of 1xx responses that came first
	Extra    int      `json:"extra,omitempty"`   // bytes that followed the message and belong to none
	Coding   string   `json:"coding,omitempty"`  // content coding that was taken off
	Cut      string   `json:"cut,omitempty"`     // sha256 of the whole body if only a part was kept
}

// Message is one half of an exchange: the head as it was written and the body
// after transfer decoding. Secrets are already redacted in both.
//
// Over HTTP/2 the fields are written as the lines that they are in HTTP/1.1, the
// pseudo-header fields among them. The body of gRPC is the payloads of its messages,
// without their prefixes and decompressed; Prefixes hold the size of each.
type Message struct {
	Head     []byte
	Body     []byte
	Chunks   []Chunk
	Framing  Framing
	Recipe   *Recipe
	Trailer  []byte       // fields that came after the body
	Prefixes []GRPCPrefix // of gRPC
}

// Exchange is the unit of evidence: one HTTP request and its response, one
// delivery to our webhook, or a document of the operator's, which has a body in
// place of a response and nothing else. It is immutable once it was recorded.
type Exchange struct {
	ID         int // position in the transcript, from 1; given by Transcript.Seal
	Dir        Direction
	URL        string
	Conn       int // number of the connection it travelled on; 0 if none was made
	Start, End Instant
	Ended      Ended
	Trouble    string // the error of the network layer, if the exchange did not end well
	// Attempts are the earlier sendings of the same request, in their order.
	Attempts []Attempt
	Request  Message
	Response Message
	TLS      *TLS
	HTTP2    *HTTP2 // nil for HTTP/1.1
	// Closed is how the connection of a client ended, if this was the last exchange on it.
	Closed *Closing
	// Canaries are the credentials of ours that were in the request of a client.
	Canaries []Sighting
	// Gaps are what is not known of an exchange that others recorded; nil if everything was recorded.
	Gaps *Gaps

	observed observed
}

// The sides by which a connection is closed.
const (
	ByClient = "client"
	ByUs     = "us"
)

// Closing is the end of a connection that a client opened to us.
type Closing struct {
	By    string  `json:"by"` // who closed first: ByClient or ByUs
	At    Instant `json:"at"`
	Reset bool    `json:"reset,omitempty"` // it was broken and not closed in order
}

// Beginnings of the trouble of an exchange.
const (
	HandshakeTrouble = "TLS handshake: "           // the TLS handshake failed
	HTTP2Trouble     = "HTTP/2: "                  // the server left the protocol of HTTP/2
	Certificate      = "the server's certificate " // it cannot be verified; after HandshakeTrouble
)

// Answered reports whether a response head arrived.
func (x *Exchange) Answered() bool { return x != nil && x.observeStatusAndMediaType().answered }

// BrokeHTTP2 reports whether a server of HTTP/2 answered a call with what is no response: it
// left the protocol, or ended the stream or the connection with an error. That is an answer, too. A
// server that states that it did not take the call (REFUSED_STREAM, GOAWAY without an error), or sends
// nothing, gave none.
func (x *Exchange) BrokeHTTP2() bool {
	if x == nil || x.HTTP2 == nil || x.Answered() {
		return false
	}
	spoke := false
	for _, f := range x.HTTP2.Frames {
		if !f.Sent && !strings.HasPrefix(f.Type, "0x") { // another protocol's bytes make no frame of a known type
			spoke = true
		}
	}
	if !spoke || x.Ended != Reset && x.Ended != Limit && x.Ended != EOF {
		return false
	}
	return x.Ended == Limit || strings.HasPrefix(x.Trouble, HTTP2Trouble) || slices.ContainsFunc(x.HTTP2.Frames, func(f HTTP2Frame) bool {
		ends := f.Type == "RST_STREAM" || f.Type == "GOAWAY"
		return !f.Sent && f.Type == "HEADERS" || ends && !f.Sent && !slices.Contains([]string{"", "NO_ERROR", "REFUSED_STREAM", "CANCEL"}, f.Code)
	})
}

// ResetForLoad reports whether a server reset the stream of a call before an answer and states by
// the code that it is because of its load: it limits calls, as by HTTP 429. If repeatable, it
// states as well that nothing was done about the call (RFC 9113, section 8.7).
func (x *Exchange) ResetForLoad() (limits, repeatable bool) {
	if x == nil || x.Answered() || x.HTTP2.Ending() == nil {
		return false, false
	}
	code := x.HTTP2.Ending().Code
	return code == "REFUSED_STREAM" || code == "ENHANCE_YOUR_CALM", code == "REFUSED_STREAM"
}

// Refused reports whether no connection came about at all. A handshake that fails
// has found somebody.
func (x *Exchange) Refused() bool {
	return x != nil && x.Ended == NoDial && !strings.HasPrefix(x.Trouble, HandshakeTrouble)
}

// Untrusted reports whether a connection came about, and no handshake of TLS: it is not known
// say who was there.
func (x *Exchange) Untrusted() bool {
	return x != nil && x.Ended == NoDial && strings.HasPrefix(x.Trouble, HandshakeTrouble)
}

// Obtained reports whether there is a document to read: it came with HTTP 200, or
// the operator gave it.
func (x *Exchange) Obtained() bool {
	return x != nil && (x.Dir == Given || x.Status() == http.StatusOK)
}

// Status is the response's status code, or 0 if none was read.
func (x *Exchange) Status() int {
	if x == nil {
		return 0
	}
	return x.observeStatusAndMediaType().status
}

// Status is the code in a response's status line, or 0.
func (m *Message) Status() int {
	n, _ := m.StatusCode()
	return n
}

// StatusCode is the code in a response's status line, if there is one: any three digits,
// as clients take them.
func (m *Message) StatusCode() (n int, ok bool) {
	line, _, _ := bytes.Cut(m.Head, []byte("\n"))
	f := strings.Fields(string(line))
	if len(f) < 2 || !strings.HasPrefix(f[0], "HTTP/") || len(f[1]) != 3 || strings.Trim(f[1], "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(f[1])
	return n, err == nil
}

// Proto is the protocol version in a response's status line, such as HTTP/1.1.
func (m *Message) Proto() string {
	line, _, _ := strings.Cut(string(m.Head), " ")
	return line
}

// Field is one header field as it was written.
type Field struct{ Name, Value string }

// Fields are the message's header fields in their order. A line that begins
// with white space continues the field before it.
func (m *Message) Fields() []Field {
	var out []Field
	var values [][]string // of each field, a piece for each of its lines
	lines := strings.Split(string(m.Head), "\n")
	for _, line := range lines[min(1, len(lines)):] {
		line = strings.TrimSuffix(line, "\r")
		if line == "" {
			break
		}
		if k := len(out); k > 0 && (line[0] == ' ' || line[0] == '\t') {
			values[k-1] = append(values[k-1], strings.Trim(line, " \t"))
			continue
		}
		pseudo := ""
		if line[0] == ':' { // a pseudo-header field of HTTP/2
			pseudo, line = ":", line[1:]
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		out = append(out, Field{Name: pseudo + name})
		values = append(values, []string{strings.Trim(value, " \t")})
	}
	for i := range out {
		out[i].Value = strings.TrimLeft(strings.Join(values[i], " "), " ")
	}
	return out
}

// firstValue is the value of the first field of a name, "" if there is none.
func (m *Message) firstValue(fieldName string) string {
	if !bytes.Contains(m.Head, []byte("\n ")) && !bytes.Contains(m.Head, []byte("\n\t")) { // no field continues on another line
		for line := range bytes.SplitSeq(m.Head, []byte("\n")) {
			if n, v, ok := bytes.Cut(line, []byte(":")); ok && strings.EqualFold(strings.TrimSpace(string(n)), fieldName) {
				return strings.Trim(strings.TrimSuffix(string(v), "\r"), " \t")
			}
			if len(bytes.TrimSuffix(line, []byte("\r"))) == 0 {
				return ""
			}
		}
		return ""
	}
	return m.Header().Get(fieldName)
}

// Header returns the fields by canonical name.
func (m *Message) Header() http.Header {
	h := http.Header{}
	for _, f := range m.Fields() {
		k := textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(f.Name))
		h[k] = append(h[k], f.Value)
	}
	return h
}

// Method returns the HTTP method of a request, as it was written.
func (m *Message) Method() string {
	method, _, _ := strings.Cut(string(m.Head), " ")
	return method
}

// MediaType is the media type of the message's Content-Type in lower case,
// without parameters; "" if there is none.
func (m *Message) MediaType() string { return ParseMediaType(m.firstValue("Content-Type")) }

func ParseMediaType(v string) string {
	if mt, _, err := mime.ParseMediaType(v); err == nil {
		return mt
	}
	v, _, _ = strings.Cut(v, ";")
	return strings.ToLower(strings.TrimSpace(v))
}

// IsStream reports whether the response is an event stream: labelled as one or,
// if a client asked for one, with lines of data although the label is missing or
// names something else.
//
// An answer of gRPC is one if the method streams, unless it is a refusal alone.
func (x *Exchange) IsStream() bool {
	if x != nil && x.HTTP2 != nil {
		if g := x.GRPC(); g != nil {
			return g.Streams
		}
	}
	if x == nil || x.observeStatusAndMediaType().media == "text/event-stream" {
		return x != nil
	}
	x.observed.like.Do(func() { x.observed.likeEvents = x.readsLikeEvents() })
	return x.observed.likeEvents
}

// readsLikeEvents reports whether an answer to a client that takes event streams
// begins with a field of one and has data in it.
func (x *Exchange) readsLikeEvents() bool {
	if x.Response.Status() != 200 || !strings.Contains(x.Request.firstValue("Accept"), "text/event-stream") {
		return false
	}
	begun := false
	for line := range bytes.FieldsFuncSeq(x.Response.Body, func(r rune) bool { return r == '\r' || r == '\n' }) {
		switch name, _, _ := bytes.Cut(line, []byte(":")); string(name) {
		case "data":
			return true
		case "", "event", "id", "retry":
			begun = true
		default:
			if !begun {
				return false
			}
		}
	}
	return false
}

// Before reports whether x is proven to precede y: it had ended when y was sent.
// Arrival order across parallel exchanges proves nothing.
func (x *Exchange) Before(y *Exchange) bool {
	return x != nil && y != nil && x.End <= y.Start
}

// Posted reports whether the request of the exchange is a POST.
func (x *Exchange) Posted() bool { return bytes.HasPrefix(x.Request.Head, []byte("POST ")) }

// ByPeer reports whether it was the peer that ended the exchange.
func (e Ended) ByPeer() bool { return e == EOF || e == Reset }

// Trailers are the fields that came after the body, by canonical name.
func (m *Message) Trailers() http.Header {
	return (&Message{Head: append([]byte("\r\n"), m.Trailer...)}).Header()
}

// Attempt is a sending of a request that came to nothing: the connection had
// carried other calls before, and closed without a byte of an answer. What was
// sent after it is in the exchange.
type Attempt struct {
	Conn    int     `json:"conn"`
	Start   Instant `json:"start"`
	End     Instant `json:"end"`
	Sent    int64   `json:"sent"`            // bytes that were written to the connection
	Reset   bool    `json:"reset,omitempty"` // it was broken, as one is that was closed before what was sent had been read
	Trouble string  `json:"trouble"`
}

func startLine(head []byte) string {
	line, _, _ := strings.Cut(string(head), "\n")
	return strings.TrimRight(line, "\r")
}
