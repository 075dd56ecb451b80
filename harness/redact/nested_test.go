package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

const awkward = `tok/+"<&\~%41-é`

func jsonText(s string) string {
	text, _ := json.Marshal(s)
	return string(text[1 : len(text)-1])
}

// Layers of escapes are taken off, whatever they are and in whatever order.
func TestRedactLayers(t *testing.T) {
	escapes := map[string]func(string) string{
		"json": jsonText, "percent": url.QueryEscape, "html": html.EscapeString,
		"plain":  func(s string) string { return s },
		"base64": func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"hex":    func(s string) string { return hex.EncodeToString([]byte(s)) },
	}
	r := NewRedactor([]Secret{{"bearer", awkward}})
	for inner, in := range escapes {
		for outer, out := range escapes {
			if outer == "base64" || outer == "hex" { // a text within them is another text: see the limits
				continue
			}
			for third, again := range map[string]func(string) string{"plain": escapes["plain"], "json": jsonText, "percent": url.QueryEscape} {
				text := "x " + again("<"+out(in(awkward))+">") + " y"
				if got := r.String(text); strings.Count(got, mark) != 1 || len(got) > len(mark)+30 {
					t.Errorf("%s in %s in %s: %q became %q", inner, outer, third, text, got)
				}
			}
		}
	}
}

// A secret that is spelled out in pieces is found by what the pieces make
// together: the values of one member, all strings, or one field of a stream.
func TestRedactPieces(t *testing.T) {
	const secret = "tok-12345678"
	per := func(format string) string {
		var b strings.Builder
		for _, c := range secret {
			fmt.Fprintf(&b, format, c)
		}
		return b.String()
	}
	r := NewRedactor([]Secret{{"bearer", secret}})
	for _, c := range []struct{ name, text, want string }{
		{"frames", per("data: %c\n\n"), "data: " + mark + "\n\n" + strings.Repeat("data: \n\n", len(secret)-1)},
		{"frames, as CRLF", per("data:%c\r\n\r\n"), "data:" + mark + "\r\n\r\n" + strings.Repeat("data:\r\n\r\n", len(secret)-1)},
		{"ids", per("id: %c\ndata: {}\n\n"), "id: " + mark + "\ndata: {}\n\n" + strings.Repeat("id: \ndata: {}\n\n", len(secret)-1)},
		{"a member of events", per(`data: {"state":"working","text":"%c"}` + "\n\n"),
			`data: {"state":"working","text":"` + mark + `"}` + "\n\n" + strings.Repeat(`data: {"state":"working","text":""}`+"\n\n", len(secret)-1)},
		{"two pieces that are not all secret", `{"a":"x tok-12","b":1,"a":"345678 y"}`, `{"a":"x ` + mark + `","b":1,"a":" y"}`},
		{"a list", `["t","o","k","-","1234","5678"]`, `["` + mark + `","","","","",""]`},
		{"a list of other things", `["t","o","k","-","1234","5679"]`, `["t","o","k","-","1234","5679"]`},
		{"names are no values", `{"tok-":"12345678"}`, `{"tok-":"12345678"}`},
		{"strings that do not end", "{\"a\": \"tok-\n12345678", "{\"a\": \"tok-\n12345678"},
	} {
		t.Run(c.name, func(t *testing.T) {
			chunks := []record.Chunk{{At: 1, N: len(c.text) / 2}, {At: 2, N: len(c.text) - len(c.text)/2}}
			got, moved := r.Bytes([]byte(c.text), chunks)
			if string(got) != c.want {
				t.Errorf("%q became %q, want %q", c.text, got, c.want)
			}
			sum := 0
			for _, m := range moved {
				sum += m.N
			}
			if sum != len(got) {
				t.Errorf("the chunks %v count %d of %d bytes", moved, sum, len(got))
			}
		})
	}
}

// The search goes over long texts in windows and finds what lies across their
// borders.
func TestRedactWindows(t *testing.T) {
	t.Parallel()
	const secret = "tok-12345678"
	r := NewRedactor([]Secret{{"bearer", secret}})
	for _, at := range []int{0, deepWindow/2 - 5, deepWindow - 5, pieceWindow - 9, 3 * pieceWindow} {
		text := bytes.Repeat([]byte("-"), 4*pieceWindow)
		hidden := jsonText(jsonText(`\` + secret))
		copy(text[at:], `"`+hidden+`"%25\`)
		if got, _ := r.Bytes(text, nil); bytes.Contains(got, []byte(secret)) {
			t.Errorf("at %d it is still there", at)
		}
	}
}
