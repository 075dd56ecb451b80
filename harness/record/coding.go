package record

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
)

// ContentCoding is the content coding of a body, if it has one.
func (m *Message) ContentCoding() string {
	coding := strings.ToLower(strings.TrimSpace(m.Header().Get("Content-Encoding")))
	if coding == "identity" || len(m.Body) == 0 {
		return ""
	}
	return coding
}

// Decode takes off a content coding that was not asked for. Every request asks
// for identity; a server that compresses all the same is judged by the decoded
// text, and a secret cannot hide in compressed bytes. What cannot be decoded is
// not kept.
func (m *Message) Decode(coding string, room bool) (trouble string) {
	m.Framing.Coding = coding
	var text []byte
	err := fmt.Errorf("there was no time to decode it beside other large bodies")
	if room {
		text, err = decodeBody(m.Body, coding, MaxBody)
	}
	switch {
	case len(text) > MaxBody:
		text, trouble = nil, fmt.Sprintf("its body has the coding %s and goes beyond %d MiB", QuoteOrDescribeLength(coding), MaxBody>>20)
	case err != nil && len(text) == 0:
		trouble = fmt.Sprintf("its body has the coding %s, which was not asked for, and is not kept: %v", QuoteOrDescribeLength(coding), err)
	}
	m.Framing.Faults = append(m.Framing.Faults, fmt.Sprintf("the body has the coding %s, and none was asked for", QuoteOrDescribeLength(coding)))
	if err != nil && room {
		m.Framing.Faults = append(m.Framing.Faults, fmt.Sprintf("the coding %s is broken after %d bytes of text: %v", QuoteOrDescribeLength(coding), len(text), err))
	}
	m.replaceCoded(text)
	return trouble
}

// DecodeDelivery takes off the content coding of a request to a webhook. A sender may use one
// (RFC 9110 §8.4), so that it is no fault; a coding that is not known here, or that is broken,
// leaves the delivery without a body to judge, since a secret could hide in the coded bytes.
func (m *Message) DecodeDelivery(coding string) (trouble string) {
	return m.decodeWithin(coding, MaxDelivery, "the delivery", decodeBody)
}

// DecodePassed takes off the content coding of a body that others exchanged. It returns why nothing of the body is kept; ""
// if it was decoded.
func (m *Message) DecodePassed(coding string) (trouble string) {
	return m.decodeWithin(coding, MaxBody, "the message", decodePassed)
}

// decodeWithin takes off a coding that is no fault. Of a text with more than most bytes nothing is kept.
func (m *Message) decodeWithin(coding string, most int64, what string, decode func(body []byte, coding string, most int64) ([]byte, error)) (trouble string) {
	m.Framing.Coding = coding
	text, err := decode(m.Body, coding, most)
	switch {
	case int64(len(text)) > most:
		text, trouble = nil, fmt.Sprintf("%s has the coding %s and goes beyond %d MiB", what, QuoteOrDescribeLength(coding), most>>20)
	case err != nil:
		text, trouble = nil, fmt.Sprintf("%s has the coding %s, and its body is not kept: %v", what, QuoteOrDescribeLength(coding), err)
	}
	m.replaceCoded(text)
	return trouble
}

// decodeBody takes off a coding, and stops reading one byte beyond what may be kept.
func decodeBody(body []byte, coding string, most int64) ([]byte, error) {
	if coding != "gzip" && coding != "x-gzip" {
		return nil, fmt.Errorf("the coding is not known")
	}
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, most+1))
}

// decodePassed does what decodeBody does, also for the coding that browsers ask for besides.
func decodePassed(body []byte, coding string, most int64) ([]byte, error) {
	if coding != "br" {
		return decodeBody(body, coding, most)
	}
	return io.ReadAll(io.LimitReader(brotli.NewReader(bytes.NewReader(body)), most+1))
}

// replaceCoded puts the text in the place of a coded body; without a text only the digest of
// the body is kept.
func (m *Message) replaceCoded(text []byte) {
	at := Instant(0)
	if n := len(m.Chunks); n > 0 {
		at = m.Chunks[n-1].At
	}
	m.Framing.Cut = sha256Digest(m.Body)
	m.Body, m.Chunks = text, nil
	if len(text) > 0 {
		m.Framing.Cut = ""
		m.Chunks = []Chunk{{at, len(text)}}
	}
}
