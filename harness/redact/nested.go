package redact

import (
	"bytes"
	"slices"
)

// Bounds of the search for secrets that do not stand in a text as they are. It
// goes over the text in windows, so that it takes little memory. A secret that is
// written or spelled out over more than what windows have in common is not found.
const (
	deepWindow  = 512 << 10 // bytes
	deepCommon  = 64 << 10  // bytes, at least
	deepest     = 40        // bytes that one character takes under several layers of escapes
	pieceWindow = 1 << 20   // bytes, of which half are common
	deepLayers  = 2         // of escapes, beyond the one that every reading takes off
	pieceNames  = 4096      // members and fields that are followed in a window
)

// findSecrets finds every secret in a text: as it is, escaped several times over, and
// spelled out in pieces.
func (r *Redactor) findSecrets(b []byte) []span {
	if r.longest == 0 || len(b) == 0 {
		return nil
	}
	out := r.findSecretsUnderAnyReading(b)
	if bytes.ContainsAny(b, `\%&`) {
		common := max(deepCommon, deepest*r.longest)
		eachWindow(b, max(deepWindow, 2*common), common, func(from int, w []byte) {
			for _, s := range r.findEscapedSecrets(w, deepLayers) {
				out = append(out, span{from + s.from, from + s.to, s.mark})
			}
		})
	}
	eachWindow(b, pieceWindow, pieceWindow/2, func(from int, w []byte) {
		for _, p := range groupJSONAndSSEValues(w) {
			for _, s := range r.findSecretsUnderAnyReading(p.join(w)) {
				out = append(out, p.mapSpan(s, from)...)
			}
		}
	})
	return mergeOverlappingSpans(out)
}

// eachWindow cuts a text into parts that overlap.
func eachWindow(b []byte, size, overlap int, each func(from int, w []byte)) {
	for from := 0; ; from += size - overlap {
		end := min(len(b), from+size)
		each(from, b[from:end])
		if end == len(b) {
			return
		}
	}
}

// findEscapedSecrets finds the secrets beneath layers of escapes.
func (r *Redactor) findEscapedSecrets(b []byte, layers int) (out []span) {
	for _, layer := range []struct {
		mark byte
		read reading
	}{{'\\', readJSON}, {'%', readPercent}, {'&', readHTML}} {
		if bytes.IndexByte(b, layer.mark) < 0 {
			continue
		}
		v := unescapeLayer(b, layer.mark, layer.read)
		if len(v.text) == len(b) {
			continue // there was nothing to take off
		}
		found := r.findSecretsUnderAnyReading(v.text)
		if layers > 1 {
			found = append(found, r.findEscapedSecrets(v.text, layers-1)...)
		}
		for _, s := range found {
			out = append(out, span{int(v.at[s.from]), v.sourceEndBefore(s.to), s.mark})
		}
	}
	return out
}

// view is a text made from another one; at has the offset there of each of its bytes
// from.
type view struct {
	text []byte
	at   []int32
	size int // of the other text
}

// sourceEndBefore returns the end in the source of what comes before the i-th byte of the view.
func (v *view) sourceEndBefore(i int) int {
	if i < len(v.at) {
		return int(v.at[i])
	}
	return v.size
}

// unescapeLayer is a text with one layer of escapes taken off.
func unescapeLayer(b []byte, mark byte, read reading) *view {
	v := &view{size: len(b), text: make([]byte, 0, len(b)), at: make([]int32, 0, len(b))}
	for i := 0; i < len(b); {
		plain := bytes.IndexByte(b[i:], mark)
		if plain < 0 {
			plain = len(b) - i
		}
		v.text = append(v.text, b[i:i+plain]...)
		for end := i + plain; i < end; i++ {
			v.at = append(v.at, int32(i))
		}
		if i == len(b) {
			break
		}
		meaning, n := read(b[i:])
		for k := range len(meaning) {
			v.text, v.at = append(v.text, meaning[k]), append(v.at, int32(i))
		}
		i += n
	}
	return v
}

// joinedText is a text that is spelled out in parts of another one.
type joinedText struct{ parts []textPart }

type textPart struct{ from, to int }

// join is what the parts make together.
func (p *joinedText) join(of []byte) []byte {
	var out []byte
	for _, q := range p.parts {
		out = append(out, of[q.from:q.to]...)
	}
	return out
}

// length is the length of the text.
func (p *joinedText) length() (n int) {
	for _, q := range p.parts {
		n += q.to - q.from
	}
	return n
}

// mapSpan maps a span of the text to the parts that it was made of. The first of them
// gets the mark.
func (p *joinedText) mapSpan(s span, offset int) (out []span) {
	begun := 0 // offset of the part in the text
	for _, q := range p.parts {
		from, to := max(s.from-begun, 0), min(s.to-begun, q.to-q.from)
		if from < to {
			out = append(out, span{offset + q.from + from, offset + q.from + to, nil})
		}
		begun += q.to - q.from
	}
	out[0].mark = s.mark
	return out
}

// groupJSONAndSSEValues are the texts that the values of one JSON member make together, those
// of all strings, and those of one field of an event stream. They are found by
// their quotes and line ends alone, so that it does not matter how whole the
// text around them is.
func groupJSONAndSSEValues(b []byte) (out []*joinedText) {
	named := map[string]*joinedText{}
	add := func(name string, from, to int) {
		p := named[name]
		if p == nil {
			if len(named) >= pieceNames {
				return
			}
			p = &joinedText{}
			named[name] = p
			out = append(out, p)
		}
		p.parts = append(p.parts, textPart{from, to})
	}
	for from := 0; from < len(b); {
		to := len(b)
		if i := bytes.IndexByte(b[from:], '\n'); i >= 0 {
			to = from + i + 1
		}
		line := bytes.TrimRight(b[from:to], "\r\n")
		if name, value, ok := bytes.Cut(line, []byte(":")); ok && isSSEField(name) {
			value = bytes.TrimPrefix(value, []byte(" "))
			add(string(name)+":", from+len(line)-len(value), from+len(line))
		}
		eachJSONString(line, func(name string, start, end int) {
			add(`"`+name, from+start, from+end)
			add("*", from+start, from+end)
		})
		from = to
	}
	return slices.DeleteFunc(out, func(p *joinedText) bool { return len(p.parts) < 2 || p.length() < MinSecret })
}

// isSSEField reports whether a line that begins so belongs to an event stream.
func isSSEField(name []byte) bool {
	return slices.Contains([]string{"data", "id", "event", ""}, string(name))
}

// eachJSONString calls with every JSON string of a line that is no name, and the name
// that came before it.
func eachJSONString(line []byte, each func(name string, start, end int)) {
	name := ""
	for i := 0; i < len(line); i++ {
		if line[i] != '"' {
			continue
		}
		start := i + 1
		for i = start; i < len(line) && line[i] != '"'; i++ {
			if line[i] == '\\' {
				i++
			}
		}
		end := min(i, len(line))
		if rest := bytes.TrimLeft(line[min(end+1, len(line)):], " \t"); len(rest) > 0 && rest[0] == ':' {
			name = string(line[start:min(end, start+100)])
			continue
		}
		each(name, start, end)
	}
}
