package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// splitHead cuts a message after the blank line that ends its head.
func splitHead(raw []byte) (head, rest []byte, ok bool) {
	for i := 0; i < len(raw); i++ {
		j := bytes.IndexByte(raw[i:], '\n')
		if j < 0 {
			break
		}
		i += j
		after := raw[i+1:]
		switch {
		case bytes.HasPrefix(after, []byte("\r\n")):
			return raw[:i+3], raw[i+3:], true
		case bytes.HasPrefix(after, []byte("\n")):
			return raw[:i+2], raw[i+2:], true
		}
	}
	return raw, nil, false
}

// parseRequest keeps the head of what we sent.
func parseRequest(raw []byte) Message {
	head, _, _ := splitHead(raw)
	return Message{Head: bytes.Clone(head)}
}

// parseResponse takes the bytes of a response apart: interim responses, head,
// and the body without its transfer coding, with the arrival of each piece.
// complete says that the HTTP client had read the message to its end.
func parseResponse(raw []byte, chunks []Chunk, toHead, complete bool) Message {
	var m Message
	m.Framing = Framing{Kind: "none", Declared: -1}
	if len(raw) == 0 {
		return m
	}
	offset := 0
	for {
		head, rest, ok := splitHead(raw[offset:])
		m.Head = bytes.Clone(head)
		if !ok {
			m.Framing.Faults = append(m.Framing.Faults, "the head does not end")
			return m
		}
		offset = len(raw) - len(rest)
		status := m.Status()
		if status < 100 || status >= 200 || status == http.StatusSwitchingProtocols {
			break
		}
		m.Framing.Interim = append(m.Framing.Interim, status)
		if len(rest) == 0 {
			return m
		}
	}
	d := unframer{raw: raw, at: arrivals(chunks), m: &m}
	d.body(offset, toHead, complete)
	return m
}

// arrivals turns chunks into a lookup from an offset to its arrival.
type arrival struct {
	end int
	at  Instant
}

func arrivals(chunks []Chunk) []arrival {
	out := make([]arrival, len(chunks))
	end := 0
	for i, c := range chunks {
		end += c.N
		out[i] = arrival{end, c.At}
	}
	return out
}

type unframer struct {
	raw  []byte
	at   []arrival
	next int // first arrival that may hold the next offset
	m    *Message
}

// take moves raw[from:to] into the body, with its arrivals.
func (u *unframer) take(from, to int) {
	u.m.Body = append(u.m.Body, u.raw[from:to]...)
	u.m.Framing.Received += int64(to - from)
	for from < to {
		for u.next < len(u.at) && u.at[u.next].end <= from {
			u.next++
		}
		n := to - from
		var at Instant
		if u.next < len(u.at) {
			n = min(n, u.at[u.next].end-from)
			at = u.at[u.next].at
		}
		if k := len(u.m.Chunks); k > 0 && u.m.Chunks[k-1].At == at {
			u.m.Chunks[k-1].N += n
		} else {
			u.m.Chunks = append(u.m.Chunks, Chunk{at, n})
		}
		from += n
	}
}

func (u *unframer) body(offset int, toHead, complete bool) {
	f := &u.m.Framing
	h := u.m.Header()
	lengths := h.Values("Content-Length")
	if len(lengths) > 0 {
		n, err := strconv.ParseInt(lengths[0], 10, 64)
		if err != nil || n < 0 {
			f.Faults = append(f.Faults, fmt.Sprintf("Content-Length is %.40q", lengths[0]))
		} else {
			f.Declared = n
		}
	}
	status := u.m.Status()
	switch {
	case toHead || status == http.StatusNoContent || status == http.StatusNotModified:
		f.Extra = len(u.raw) - offset
	case strings.EqualFold(h.Get("Transfer-Encoding"), "chunked"):
		f.Kind = "chunked"
		if len(lengths) > 0 {
			f.Faults = append(f.Faults, "both Content-Length and Transfer-Encoding are given")
		}
		u.chunked(offset)
	case f.Declared >= 0:
		f.Kind = "length"
		end := min(len(u.raw), offset+int(min(f.Declared, int64(len(u.raw)))))
		u.take(offset, end)
		f.Extra = len(u.raw) - end
		if f.Received < f.Declared {
			f.Faults = append(f.Faults, fmt.Sprintf("Content-Length promises %d bytes, %d came", f.Declared, f.Received))
		}
	default:
		f.Kind = "close"
		u.take(offset, len(u.raw))
	}
	if f.Extra > 0 && complete {
		f.Faults = append(f.Faults, fmt.Sprintf("%d bytes follow the end of the message", f.Extra))
	}
}

func (u *unframer) chunked(offset int) {
	f := &u.m.Framing
	for {
		i := bytes.IndexByte(u.raw[offset:], '\n')
		if i < 0 {
			f.Faults = append(f.Faults, "the chunked body does not end")
			return
		}
		line := strings.TrimRight(string(u.raw[offset:offset+i]), "\r")
		line, _, _ = strings.Cut(line, ";")
		size, err := strconv.ParseUint(strings.TrimSpace(line), 16, 31)
		if err != nil {
			f.Faults = append(f.Faults, fmt.Sprintf("%.20q is not a chunk size", line))
			return
		}
		offset += i + 1
		if size == 0 {
			_, rest, ok := splitHead(append([]byte("\n"), u.raw[offset:]...)) // trailers end like a head
			if ok {
				f.Extra = len(rest)
			}
			return
		}
		end := offset + int(size)
		if end > len(u.raw) {
			u.take(offset, len(u.raw))
			f.Faults = append(f.Faults, "the chunked body does not end")
			return
		}
		u.take(offset, end)
		offset = end
		for offset < len(u.raw) && (u.raw[offset] == '\r' || u.raw[offset] == '\n') {
			offset++
			if u.raw[offset-1] == '\n' {
				break
			}
		}
	}
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}
