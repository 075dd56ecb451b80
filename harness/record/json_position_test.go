package record

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLocatePointer(t *testing.T) {
	const bomText = "\ufeff"
	for _, c := range []struct {
		name, text, pointer string
		want                Position
	}{
		{"the root", `{"a":1}`, "", Position{1, 1}},
		{"white space before the root", "\n\n  {}", "", Position{3, 3}},
		{"a member, by its name", "{\n  \"a\": 1\n}", "/a", Position{2, 3}},
		{"a member of a member", "{\n \"a\": {\n  \"b\": 1 } }", "/a/b", Position{3, 3}},
		{"an element", "{\"a\": [\n1,\n  2]}", "/a/1", Position{3, 3}},
		{"a member of an element", "[{\"x\": 0}, {\n\"x\": 1}]", "/1/x", Position{2, 1}},
		{"what is missing is at what should hold it", "{\n \"a\": {\n } }", "/a/b/c", Position{2, 2}},
		{"a missing element", "{\n \"a\": []}", "/a/0", Position{2, 2}},
		{"another spelling of an index", "[1,\n2]", "/01", Position{1, 1}},
		{"of duplicates the last", "{\"a\": 1,\n \"a\": 2}", "/a", Position{2, 2}},
		{"below the last of duplicates", "{\"a\": {\"b\": 1},\n \"a\": {}}", "/a/b", Position{2, 2}},
		{"escapes of pointers", "{\"x\": 0,\n\"a/b~c\": 1}", "/a~1b~0c", Position{2, 1}},
		{"an escape that is none", "{\n\"~\": 1}", "/~", Position{1, 1}},
		{"escapes of JSON", "{\n\"\\u0061\": 1}", "/a", Position{2, 1}},
		{"no pointer", "{\n\"a\": 1}", "a", Position{1, 1}},
		{"an empty name", "{\n\"\": 1}", "/", Position{2, 1}},
		{"CRLF", "{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}", "/b", Position{3, 3}},
		{"CR alone", "{\r\"a\": 1}", "/a", Position{2, 1}},
		{"columns are characters", `{"ä": "ö€😀", "b": 1}`, "/b", Position{1, 14}},
		{"a byte that is not UTF-8", "{\"x\": \"\xff\xfe\", \"b\": 1}", "/b", Position{1, 13}},
		{"a byte order mark is no character", bomText + `{"a": 1}`, "/a", Position{1, 2}},
		{"a byte order mark, second line", bomText + "{\n \"a\": 1}", "/a", Position{2, 2}},
		{"no JSON", "hello", "/a", Position{1, 1}},
		{"nothing", "", "/a", Position{1, 1}},
	} {
		root, _ := ObserveJSON([]byte(c.text))
		if got := SplitLines([]byte(c.text)).LocatePointer(root, c.pointer); got != c.want {
			t.Errorf("%s: %q at %q: got %v, want %v", c.name, c.text, c.pointer, got, c.want)
		}
	}
}

func TestLocateOffset(t *testing.T) {
	l := SplitLines([]byte("ab\ncd\n"))
	for offset, want := range map[int]Position{-5: {1, 1}, 0: {1, 1}, 2: {1, 3}, 3: {2, 1}, 6: {3, 1}, 99: {3, 1}} {
		if got := l.LocateOffset(offset); got != want {
			t.Errorf("offset %d: got %v, want %v", offset, got, want)
		}
	}
}

// countPosition counts lines and columns character by character.
func countPosition(text []byte, offset int) Position {
	p := Position{1, 1}
	text, offset = bytes.TrimPrefix(text, bom), offset-(len(text)-len(bytes.TrimPrefix(text, bom)))
	for at := 0; at < offset; {
		_, size := utf8.DecodeRune(text[at:])
		switch {
		case text[at] == '\n', text[at] == '\r' && (at+1 == len(text) || text[at+1] != '\n'):
			p = Position{p.Line + 1, 1}
		default:
			p.Column++
		}
		at += size
	}
	return p
}

// FuzzLocatePointer holds the positions of all values against positions that are counted character by
// character, and asks for pointers of which the text knows nothing.
func FuzzLocatePointer(f *testing.F) {
	for _, seed := range []string{
		`{"a":{"b":[1,{"c":2}]}}`, "{\"a\":1,\n\"a\":{\"b\":2},\r\n\"a\":{\"c\":3}}", "\ufeff{\"a\":\t[\r\r\n[]]}", "{\"\xff\":\"\xfe\",\n\"b\":1}",
		strings.Repeat("[", 300) + "1" + strings.Repeat("]", 300), strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200),
		"[" + strings.Repeat("1,\n", 3000) + "1]", `{"~1":1,"/":2,"":3,"~":4}`, "{\"a\u2028b\":\"\u2029\",\"c\":0}", `{"\ud800":1,"a":2}`, "[01]", "", "\xef\xbb\xbf", strings.Repeat("[", 1100),
	} {
		f.Add([]byte(seed), "/a/b/1/c")
	}
	f.Fuzz(func(t *testing.T, text []byte, pointer string) {
		root, _ := ObserveJSON(text)
		l := SplitLines(text)
		if p := l.LocatePointer(root, pointer); p.Line < 1 || p.Column < 1 || p.Line > len(l.starts) || p.Column > len(text)+1 {
			t.Fatalf("%q is at %v", pointer, p)
		}
		if root == nil {
			return
		}
		left := 300
		var visit func(at string, n *Node, start int)
		visit = func(at string, n *Node, start int) {
			if left--; left < 0 || len(at) > 2000 {
				return
			}
			if got, want := l.LocatePointer(root, at), countPosition(text, start); got != want {
				t.Fatalf("%q in %q: got %v, want %v", at, text, got, want)
			}
			for i, e := range n.Elems {
				visit(at+"/"+strconv.Itoa(i), e, e.Start)
			}
			last := map[string]int{}
			for i, m := range n.Members {
				last[m.Name] = i
			}
			for i, m := range n.Members {
				if last[m.Name] == i {
					visit(at+Pointer(m.Name), m.Value, m.NameStart)
				}
			}
		}
		visit("", root, root.Start)
	})
}
