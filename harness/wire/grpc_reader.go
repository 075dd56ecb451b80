package wire

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// Bounds of what a GRPCReader keeps, so that a prefix which lies costs no more than
// the bytes that came.
const (
	maxGRPCMessages = 1 << 14 // of one body
	maxGRPCBytes    = MaxBody // of all their payloads, decompressed
)

const grpcPrefix = 5 // bytes: a flag, and the length of the payload

// GRPCPrefix is what is told of a message beside its payload: how it was announced,
// and what came of it.
type GRPCPrefix struct {
	At       Instant `json:"at"`       // arrival of its last byte
	Flag     uint8   `json:"flag"`     // 0 for a payload as it is, 1 for a compressed one; there are no others
	Declared int64   `json:"declared"` // bytes of payload, or -1 where the prefix itself was cut short
	Received int64   `json:"received"` // bytes of payload that came, as they came
	Size     int     `json:"size"`     // bytes of payload in the record, decompressed
	Fault    string  `json:"fault,omitempty"`
}

// Whole reports whether the message came in full.
func (p GRPCPrefix) Whole() bool { return p.Declared == p.Received }

// Compressed reports whether the payload was announced as a compressed one.
func (p GRPCPrefix) Compressed() bool { return p.Flag == 1 }

// Sound reports whether the payload is what the sender meant.
func (p GRPCPrefix) Sound() bool { return p.Whole() && p.Fault == "" }

// GRPCMessage is a message of a gRPC call. Its payload is decompressed; it is empty
// where it could not be, and then there is a fault.
type GRPCMessage struct {
	GRPCPrefix
	Payload []byte
}

// FrameGRPC puts the prefix before a payload.
func FrameGRPC(payload []byte) []byte {
	out := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(payload)))
	return append(out, payload...)
}

// GRPCReader reads the messages of a body as they arrive (gRPC over HTTP/2,
// "Length-Prefixed-Message"). They do not depend on how the body was split.
type GRPCReader struct {
	coding string
	prefix []byte
	data   []byte // payload so far
	left   int64  // of the payload
	open   bool   // the prefix is complete
	at     Instant
	room   int    // bytes of payloads that may still be kept
	count  int    // of messages
	over   string // why no more is read
}

// NewGRPCReader returns a reader of a body whose compressed messages have the coding
// of that name (grpc-encoding). Of codings it knows gzip.
func NewGRPCReader(coding string) *GRPCReader {
	return &GRPCReader{coding: strings.ToLower(strings.TrimSpace(coding)), room: maxGRPCBytes}
}

// Feed takes the next bytes and returns the messages that they completed.
func (r *GRPCReader) Feed(p []byte, at Instant) (out []GRPCMessage) {
	for len(p) > 0 && r.over == "" {
		r.at = at
		if !r.open {
			n := min(grpcPrefix-len(r.prefix), len(p))
			r.prefix = append(r.prefix, p[:n]...)
			p = p[n:]
			if len(r.prefix) < grpcPrefix {
				return out
			}
			r.open, r.left = true, int64(binary.BigEndian.Uint32(r.prefix[1:]))
		}
		n := int(min(r.left, int64(len(p))))
		r.left -= int64(n)
		if len(r.data)+n > maxGRPCBytes {
			r.over = fmt.Sprintf("a message goes beyond %d MiB", maxGRPCBytes>>20)
			n = maxGRPCBytes - len(r.data)
		}
		r.data = append(r.data, p[:n]...)
		p = p[n:]
		if r.left == 0 && r.over == "" {
			out = append(out, r.message())
		}
	}
	return out
}

// Over says why the reader reads no more: bounds of ours, which prove nothing
// against the sender; "" as long as it does.
func (r *GRPCReader) Over() string { return r.over }

// Close ends the body. It returns the message that was begun and did not come in
// full, if there is one.
func (r *GRPCReader) Close() *GRPCMessage {
	if len(r.prefix) == 0 {
		return nil
	}
	m := GRPCMessage{GRPCPrefix: GRPCPrefix{At: r.at, Flag: r.prefix[0], Declared: -1}}
	if r.open {
		m.Declared, m.Received = int64(binary.BigEndian.Uint32(r.prefix[1:])), int64(len(r.data))
		m.Fault = fmt.Sprintf("its prefix promises %d bytes, %d came", m.Declared, m.Received)
	} else {
		m.Fault = fmt.Sprintf("its prefix has %d bytes instead of %d", len(r.prefix), grpcPrefix)
	}
	if m.Flag == 0 && len(r.data) <= r.room {
		m.Payload = r.data
		m.Size = len(r.data)
	}
	r.prefix, r.data, r.open = nil, nil, false
	return &m
}

// message takes the message out of the reader.
func (r *GRPCReader) message() GRPCMessage {
	n := int64(len(r.data))
	m := GRPCMessage{GRPCPrefix{At: r.at, Flag: r.prefix[0], Declared: n, Received: n}, r.data}
	switch {
	case m.Flag > 1:
		m.Fault = fmt.Sprintf("its flag is %d, and there are 0 and 1", m.Flag)
	case m.Flag == 0:
	case r.coding == "" || r.coding == "identity":
		m.Payload, m.Fault = nil, "it is said to be compressed, and no grpc-encoding says how"
	case r.coding != "gzip":
		m.Payload, m.Fault = nil, fmt.Sprintf("it has the coding %s, which was not asked for, and is not kept", quoted(r.coding))
	default:
		m.Payload, m.Fault = r.unzip(r.data)
	}
	if r.count++; r.count == maxGRPCMessages {
		r.over = fmt.Sprintf("the body has more than %d messages", maxGRPCMessages)
	}
	if len(m.Payload) > r.room && r.over == "" {
		r.over = fmt.Sprintf("its messages go beyond %d MiB", maxGRPCBytes>>20)
	}
	if len(m.Payload) > r.room {
		m.Payload, m.Fault = nil, r.over
	}
	m.Size = len(m.Payload)
	r.room -= m.Size
	r.prefix, r.data, r.open = r.prefix[:0], nil, false
	return m
}

// unzip takes off gzip, but no more than there is room for.
func (r *GRPCReader) unzip(b []byte) (text []byte, fault string) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(z, int64(r.room)+1))
	}
	switch {
	case len(text) > r.room:
		r.over = fmt.Sprintf("its messages go beyond %d MiB when they are decompressed", maxGRPCBytes>>20)
		return nil, r.over
	case err != nil:
		return nil, fmt.Sprintf("its gzip is broken: %v", err)
	}
	return text, ""
}

// ReadGRPC reads a whole body. The chunks tell when its bytes arrived. What is said
// of over is why the end of it was not read: a bound of ours.
func ReadGRPC(body []byte, chunks []Chunk, coding string) (messages []GRPCMessage, over string) {
	r := NewGRPCReader(coding)
	var at Instant
	for _, c := range chunks {
		n := min(max(c.N, 0), len(body))
		messages = append(messages, r.Feed(body[:n], c.At)...)
		body, at = body[n:], c.At
	}
	messages = append(messages, r.Feed(body, at)...)
	if rest := r.Close(); rest != nil {
		messages = append(messages, *rest)
	}
	return messages, r.over
}

// takeGRPC makes the body of a message of the payloads that it holds.
func (m *Message) takeGRPC(coding string) (over string) {
	messages, over := ReadGRPC(m.Body, m.Chunks, coding)
	m.Body, m.Chunks = nil, nil
	for _, one := range messages {
		m.Prefixes = append(m.Prefixes, one.GRPCPrefix)
		m.Body = append(m.Body, one.Payload...)
		if one.Size > 0 {
			m.Chunks = append(m.Chunks, Chunk{one.At, one.Size})
		}
	}
	return over
}

// GRPCMessages are the messages that a body of gRPC is made of; the last one may
// have been cut short.
func (m *Message) GRPCMessages() []GRPCMessage {
	var out []GRPCMessage
	left := m.Body
	for _, p := range m.Prefixes {
		n := min(max(p.Size, 0), len(left))
		out = append(out, GRPCMessage{p, left[:n:n]})
		left = left[n:]
	}
	return out
}

// keepMessages drops the messages that do not fit into so many bytes, and those
// after them.
func (m *Message) keepMessages(most int) {
	size := 0
	for i, p := range m.Prefixes {
		if size+p.Size > most || (i+1)*perPrefix > most {
			m.Prefixes = append([]GRPCPrefix(nil), m.Prefixes[:i]...)
			break
		}
		size += p.Size
	}
	m.Body = bytes.Clone(m.Body[:size])
	m.Chunks = nil
}

// perPrefix is about how many bytes a prefix takes in memory.
const perPrefix = 64

// takeMessages makes the bodies of an exchange of gRPC of the payloads that they hold.
// What it returns is why that was not done to the end: a bound of ours.
func (x *Exchange) takeMessages(room *room) (over string) {
	if isGRPC(x.Request.MediaType()) && len(x.Request.Body) > 0 {
		x.Request.Chunks = []Chunk{{x.Start, len(x.Request.Body)}}
		x.Request.takeGRPC(x.Request.first("Grpc-Encoding"))
		x.Request.Chunks = nil // it was ours to send at once
	}
	if !x.speaksGRPC() {
		return ""
	}
	coding := x.Response.first("Grpc-Encoding")
	if coding != "" && coding != "identity" && !room.enter() {
		x.Response.Framing.Cut = digest(x.Response.Body)
		x.Response.Body, x.Response.Chunks = nil, nil
		return "there was no time to decode its messages beside other large bodies"
	}
	return x.Response.takeGRPC(coding)
}
