package excerpt

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

// show writes pieces as a page has them: [marked], {left out}.
func show(all []Piece) string {
	var b strings.Builder
	for _, p := range all {
		switch {
		case p.Gap != "":
			b.WriteString("{}")
		case p.Mark:
			b.WriteString("[" + p.Text + "]")
		default:
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestExcerpts(t *testing.T) {
	w := Window{Head: 4, Tail: 4, Around: 3}
	for name, c := range map[string]struct {
		text string
		mark Extent
		want string
	}{
		"short":                 {"0123456789a", Extent{}, "0123456789a"},
		"short, marked":         {"0123456789a", Extent{2, 4}, "01[23]456789a"},
		"long":                  {"0123456789abcdefghijkl", Extent{}, "0123{}ijkl"},
		"marked in the middle":  {"0123456789abcdefghijkl", Extent{10, 12}, "0123{}789[ab]cde{}ijkl"},
		"marked at the start":   {"0123456789abcdefghijkl", Extent{0, 2}, "[01]234{}ijkl"},
		"marked at the end":     {"0123456789abcdefghijkl", Extent{20, 22}, "0123{}hij[kl]"},
		"all is marked":         {"0123456789abcdefghijkl", Extent{0, 22}, "[0123][45678]{}[ijkl]"},
		"beyond the text":       {"0123456789a", Extent{5, 99}, "0123456789a"},
		"upside down":           {"0123456789a", Extent{5, 2}, "0123456789a"},
		"letters stay together": {"äöüäöüäöüäöüäöü", Extent{}, "äö{}öü"},
		"nothing":               {"", Extent{}, ""},
		"lines stay together":   {"a\nbcdefghijklmnopqr\nst", Extent{}, "a\n{}st"},
	} {
		if got := show(Cut(c.text, c.mark, w, DescribeGap)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestPointed(t *testing.T) {
	const text = `{"a": {"b/c": [1, {"d": "x"}]}, "e": null}`
	for pointer, want := range map[string][2]string{
		"/a/b~1c/1/d": {`"d": "x"`, ""},
		"/a/b~1c/0":   {`1`, ""},
		"/e":          {`"e": null`, ""},
		"/a/f/g":      {`{`, "/f/g"},
		"/h":          {`{`, "/h"},
		"":            {``, ""},
		"x":           {``, ""},
	} {
		at, lacks := LocatePointer(text, pointer)
		if got := text[at.From:at.To]; got != want[0] || lacks != want[1] {
			t.Errorf("%s: %q lacks %q, want %q lacks %q", pointer, got, lacks, want[0], want[1])
		}
	}
	for _, broken := range []string{"", "nothing", `{"a":`, strings.Repeat("[", 9999)} {
		if at, _ := LocatePointer(broken, "/a"); at.To > len(broken) {
			t.Errorf("%.20q: %v", broken, at)
		}
	}
}

func TestField(t *testing.T) {
	const head = "HTTP/1.1 200 OK\nContent-Type: text/plain\nX: 1\n\nafter the body\nGrpc-Status: 5"
	for name, want := range map[string]string{
		"status": "HTTP/1.1 200 OK", "content-type": "Content-Type: text/plain", "Grpc-Status": "Grpc-Status: 5", "Missing": "",
	} {
		if at := LocateHeader(head, name); head[at.From:at.To] != want {
			t.Errorf("%s: %q, want %q", name, head[at.From:at.To], want)
		}
	}
}

func FuzzExcerpts(f *testing.F) {
	f.Add("0123456789abcdefghijkl", 3, 9, 4, 4, 3)
	f.Add("ä\nö\n\xff\x00 ", 1, 2, 0, 0, 0)
	f.Fuzz(func(t *testing.T, text string, from, to, head, tail, around int) {
		if from < 0 || head < 0 || tail < 0 || around < 0 || head|tail|around > 1<<20 {
			return
		}
		left := 0
		shown := ""
		for _, p := range Cut(text, Extent{from, to}, Window{head, tail, around}, func(n int) string { left += n; return "gap" }) {
			shown += p.Text
		}
		if !utf8.ValidString(shown) || left > len(text) || left == 0 && shown != safetext.Visible(text) {
			t.Errorf("%q, %d left out", shown, left)
		}
		LocatePointer(text, "/"+text)
		LocateHeader(text, text)
	})
}
