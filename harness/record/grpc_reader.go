package record

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
			out = append(out, r.finishCollectedMessage())
		}
	}
	return out
}

// Over returns why the reader reads no more: bounds of ours, which prove nothing
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

// finishCollectedMessage takes the message out of the reader.
func (r *GRPCReader) finishCollectedMessage() GRPCMessage {
	n := int64(len(r.data))
	m := GRPCMessage{GRPCPrefix{At: r.at, Flag: r.prefix[0], Declared: n, Received: n}, r.data}
	switch {
	case m.Flag > 1:
		m.Fault = fmt.Sprintf("its flag is %d, and there are 0 and 1", m.Flag)
	case m.Flag == 0:
	case r.coding == "" || r.coding == "identity":
		m.Payload, m.Fault = nil, "it is said to be compressed, and no grpc-encoding says how"
	case r.coding != "gzip":
		m.Payload, m.Fault = nil, fmt.Sprintf("it has the coding %s, which was not asked for, and is not kept", QuoteOrDescribeLength(r.coding))
	default:
		m.Payload, m.Fault = r.decompressPayload(r.data)
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

// decompressPayload takes off gzip, but no more than there is room for.
func (r *GRPCReader) decompressPayload(b []byte) (text []byte, fault string) {
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

// ReadGRPC reads a whole body. The chunks are the arrival times of its bytes. The text
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
