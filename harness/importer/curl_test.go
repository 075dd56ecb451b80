package importer

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// pieces makes a message whose body came in pieces of a length, one each second.
func pieces(body string, length int) *record.Message {
	m := &record.Message{Head: []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")}
	for i := 0; i < len(body); i += length {
		m.AppendBody([]byte(body[i:min(len(body), i+length)]), time.Duration(i/length)*time.Second)
	}
	return m
}

// Each byte of a text in chunks came with the piece that it is in.
func TestChunksKeepTheirTimes(t *testing.T) {
	for name, c := range map[string]struct {
		length int
		want   []record.Chunk
	}{
		"whole":          {100, []record.Chunk{{At: 0, N: 8}}},
		"half a chunk":   {6, []record.Chunk{{At: 0, N: 3}, {At: time.Second, N: 2}, {At: 2 * time.Second, N: 3}}},
		"byte by byte":   {1, []record.Chunk{{At: 3 * time.Second, N: 1}, {At: 4 * time.Second, N: 1}, {At: 5 * time.Second, N: 1}, {At: 6 * time.Second, N: 1}, {At: 7 * time.Second, N: 1}, {At: 13 * time.Second, N: 1}, {At: 14 * time.Second, N: 1}, {At: 15 * time.Second, N: 1}}},
		"chunk by chunk": {10, []record.Chunk{{At: 0, N: 5}, {At: time.Second, N: 3}}},
	} {
		m := pieces("5\r\nhello\r\n3\r\nyou\r\n0\r\n\r\n", c.length)
		if removeChunks(m); string(m.Body) != "helloyou" || !slices.Equal(m.Chunks, c.want) {
			t.Errorf("%s: got %q in %v, want %v", name, m.Body, m.Chunks, c.want)
		}
	}
}

// However many pieces a body has, and whatever follows its last chunk, it is read once. Reading it from its beginning for each piece would take
// minutes.
func TestChunksInManyPieces(t *testing.T) {
	text := strings.Repeat("x", 1<<20)
	m := pieces("100000\r\n"+text+"\r\n0\r\n\r\n"+strings.Repeat("y", 1<<20), 64)
	if len(m.Chunks) != record.MaxChunks {
		t.Fatalf("the body has %d pieces", len(m.Chunks))
	}
	removeChunks(m)
	n := 0
	for _, c := range m.Chunks {
		n += c.N
	}
	if !bytes.Equal(m.Body, []byte(text)) || n != len(text) || len(m.Chunks) < 16<<10 {
		t.Errorf("got %d bytes, in %d pieces of %d bytes in all", len(m.Body), len(m.Chunks), n)
	}
}
