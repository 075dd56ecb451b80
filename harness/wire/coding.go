package wire

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
)

// coding is the content coding of a body, if it has one.
func (m *Message) coding() string {
	coding := strings.ToLower(strings.TrimSpace(m.Header().Get("Content-Encoding")))
	if coding == "identity" || len(m.Body) == 0 {
		return ""
	}
	return coding
}

// decode takes off a content coding that was not asked for. Every request asks
// for identity; a server that compresses all the same is judged by what it
// said, and a secret cannot hide in compressed bytes. What cannot be decoded is
// not kept.
func (m *Message) decode(coding string, room bool) (trouble string) {
	m.Framing.Coding = coding
	var text []byte
	err := fmt.Errorf("the coding is not known")
	if !room {
		err = fmt.Errorf("there was no time to decode it beside other large bodies")
	} else if coding == "gzip" || coding == "x-gzip" {
		var r *gzip.Reader
		if r, err = gzip.NewReader(bytes.NewReader(m.Body)); err == nil {
			text, err = io.ReadAll(io.LimitReader(r, MaxBody+1))
		}
	}
	at := Instant(0)
	if n := len(m.Chunks); n > 0 {
		at = m.Chunks[n-1].At
	}
	switch {
	case len(text) > MaxBody:
		text, trouble = nil, fmt.Sprintf("its body has the coding %s and goes beyond %d MiB", quoted(coding), MaxBody>>20)
	case err != nil && len(text) == 0:
		trouble = fmt.Sprintf("its body has the coding %s, which was not asked for, and is not kept: %v", quoted(coding), err)
	}
	m.Framing.Faults = append(m.Framing.Faults, fmt.Sprintf("the body has the coding %s, and none was asked for", quoted(coding)))
	if err != nil && room {
		m.Framing.Faults = append(m.Framing.Faults, fmt.Sprintf("the coding %s is broken after %d bytes of text: %v", quoted(coding), len(text), err))
	}
	m.Framing.Cut = digest(m.Body)
	m.Body, m.Chunks = text, nil
	if len(text) > 0 {
		m.Framing.Cut = ""
		m.Chunks = []Chunk{{at, len(text)}}
	}
	return trouble
}
