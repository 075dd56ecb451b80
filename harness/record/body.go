package record

import "slices"

// AppendBody adds a piece that arrived at an instant, or left at it, to the body of a message that is
// still on its way.
func (m *Message) AppendBody(p []byte, at Instant) {
	if len(p) > cap(m.Body)-len(m.Body) { // append adds a quarter to what is large, and copies it often
		m.Body = slices.Grow(m.Body, max(len(p), len(m.Body)))
	}
	m.Body = append(m.Body, p...)
	m.Framing.Received += int64(len(p))
	if k := len(m.Chunks); k > 0 && (m.Chunks[k-1].At == at || k == MaxChunks) {
		m.Chunks[k-1].N, m.Chunks[k-1].At = m.Chunks[k-1].N+len(p), at
	} else if len(p) > 0 {
		m.Chunks = append(m.Chunks, Chunk{At: at, N: len(p)})
	}
}
