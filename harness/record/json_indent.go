package record

import "bytes"

// AppendIndented appends a JSON text as json.Indent would. The text must be what
// encoding/json wrote, without blanks: nothing is checked, and texts within it are copied
// whole, so it takes a fraction of the time.
func AppendIndented(out, compact []byte, prefix, indent string) []byte {
	depth := 0
	line := func() {
		out = append(append(out, '\n'), prefix...)
		for range depth {
			out = append(out, indent...)
		}
	}
	for i := 0; i < len(compact); i++ {
		switch c := compact[i]; c {
		case '"':
			n := stringLen(compact[i:])
			out = append(out, compact[i:i+n]...)
			i += n - 1
		case '{', '[':
			out = append(out, c)
			if next := compact[i+1]; next == '}' || next == ']' {
				out = append(out, next)
				i++
				continue
			}
			depth++
			line()
		case '}', ']':
			depth--
			line()
			out = append(out, c)
		case ',':
			out = append(out, c)
			line()
		case ':':
			out = append(out, c, ' ')
		default:
			out = append(out, c)
		}
	}
	return out
}

// stringLen is the length of the string that a JSON text begins with, with its quotes.
func stringLen(text []byte) int {
	n := 1
	for {
		n += bytes.IndexByte(text[n:], '"') + 1
		escapes := 0
		for text[n-2-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return n
		}
	}
}
