package redact

import (
	"cmp"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// span is a part of a text that is replaced by a mark; a part that belongs to a
// secret whose mark is elsewhere has none.
type span struct {
	from, to int
	mark     []byte
}

// Span is a part of a text, in bytes, and what is written in its place.
type Span struct {
	From, To int
	By       []byte
}

// Replace returns b with parts of it replaced, and the chunks that now cover it. Parts that overlap count as one.
func Replace(b []byte, chunks []record.Chunk, parts []Span) ([]byte, []record.Chunk) {
	spans := make([]span, len(parts))
	for i, p := range parts {
		spans[i] = span{p.From, p.To, p.By}
	}
	return replaceSpans(b, chunks, mergeOverlappingSpans(spans))
}

// mergeOverlappingSpans puts spans in order and makes one of those that overlap.
func mergeOverlappingSpans(in []span) []span {
	slices.SortStableFunc(in, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	out := in[:0]
	for _, s := range in {
		if k := len(out) - 1; k >= 0 && s.from < out[k].to {
			out[k].to = max(out[k].to, s.to)
			if len(out[k].mark) == 0 {
				out[k].mark = s.mark
			}
			continue
		}
		out = append(out, s)
	}
	return out
}

// replaceSpans replaces spans by their marks. A mark is booked to the chunk that
// completed what it replaces.
func replaceSpans(b []byte, chunks []record.Chunk, spans []span) ([]byte, []record.Chunk) {
	if len(spans) == 0 {
		return b, chunks
	}
	var out []byte
	sizes := make([]int, len(chunks))
	for k, c := range chunks {
		sizes[k] = c.N
	}
	last := 0            // end of what has been copied
	chunk, begun := 0, 0 // the chunk that holds the last span, and its offset in b
	for _, s := range spans {
		out = append(append(out, b[last:s.from]...), s.mark...)
		last = s.to
		for ; chunk < len(chunks); chunk++ {
			until := begun + chunks[chunk].N
			sizes[chunk] -= max(0, min(s.to, until)-max(s.from, begun))
			if s.to <= until {
				sizes[chunk] += len(s.mark)
				break
			}
			begun = until
		}
	}
	var moved []record.Chunk
	for k, n := range sizes {
		if n > 0 {
			moved = append(moved, record.Chunk{At: chunks[k].At, N: n})
		}
	}
	return append(out, b[last:]...), moved
}
