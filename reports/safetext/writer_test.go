package safetext

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	gallery "github.com/a2a-conform/a2a-conform/reference/hostile"
)

// through is a text as it comes out of a Writer, written in pieces of a size.
func through(t *testing.T, text string, piece int, terminal bool) string {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out, terminal)
	for rest := text; rest != ""; {
		n := min(piece, len(rest))
		if m, err := w.Write([]byte(rest[:n])); m != n || err != nil {
			t.Fatalf("%d of %d written: %v", m, n, err)
		}
		rest = rest[n:]
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestWorkflowCommandsAreBroken(t *testing.T) {
	for text, want := range map[string]string{
		"::error::x":                  `\u003a:error::x`,
		"a\n \t::add-mask::x\n":       "a\n \t\\u003a:add-mask::x\n",
		"a ::error::x":                "a ::error::x",
		":":                           ":",
		": :error::":                  ": :error::",
		"\u3000::error::":             "\u3000\\u003a:error::",
		"\u00a0\u2003::error::":       "\u00a0\u2003\\u003a:error::",
		"\u200b::error::":             `\u200b::error::`,
		"\ufeff\u2060 ::error::":      `\ufeff\u2060 ::error::`,
		"x\r::error::":                "x␍::error::",
		"x\u2028::error::x\u0085::e":  `x\u2028::error::x\u0085::e`,
		"it says ##[error]no":         `it says \u0023#[error]no`,
		"##vso[task.complete]":        `\u0023#vso[task.complete]`,
		"###[error]":                  `#\u0023#[error]`,
		"##VSO[a.b]##teamcity[x]":     `\u0023#VSO[a.b]\u0023#teamcity[x]`,
		"## a heading [x]":            "## a heading [x]",
		"##":                          "##",
		"# [x] #":                     "# [x] #",
		"##\u200bvso[task.complete]x": `##\u200bvso[task.complete]x`,
		gallery.Unseen:                `a\u3164b\u115fc\u1160d\uffa0e\u180ef\u200bg\u2060h\u034fi\u17b4j\u2800k\ufe0fl\udb40\udc41m\udb40\udd00n\u202eo\u2066p\u00adq\ufeffr`,
		"\x1b[31m\x7f\x00\xff":        `␛[31m␡␀\xff`,
		"naïve 漢字 😀 é\t→\n":           "naïve 漢字 😀 é\t→\n",
	} {
		for _, piece := range []int{1, 2, 3, 5, 1000} {
			if got := through(t, text, piece, false); got != want {
				t.Errorf("%q in pieces of %d: %q, want %q", text, piece, got, want)
			}
		}
	}
	if got := through(t, "\r\x1b[K3/4 \x1b[31mFAIL\x1b[0m ##[error]x\r::error::y", 1, true); got != "\r\x1b[K3/4 \x1b[31mFAIL\x1b[0m \\u0023#[error]x\r\\u003a:error::y" {
		t.Errorf("on a terminal: %q", got)
	}
}

// JSON remains JSON with the same value.
func TestWriterJSON(t *testing.T) {
	want := gallery.Commands + gallery.Lines + gallery.Unseen + `\##[error] "##[x]`
	text, err := json.Marshal(map[string]string{"a": want})
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]string
	out := through(t, string(text), 7, false)
	if err := json.Unmarshal([]byte(out), &got); err != nil || got["a"] != want {
		t.Errorf("%v\n got %q\nwant %q", err, got["a"], want)
	}
	if line := gallery.Obeyed(out); line != "" {
		t.Errorf("a runner takes a command from %q", line)
	}
}

func TestObeyed(t *testing.T) {
	for _, log := range []string{"a\n ::error::x", "a ##[error]b", "##vso[a.b c=d]", "x ##teamcity[y", "\r::a::"} {
		if gallery.Obeyed(log) == "" {
			t.Errorf("%q holds no command", log)
		}
	}
	for _, log := range []string{"a ::error::x", "::", "## [x]", "# vso[", `\u0023#[error]`, `\u003a:error::`} {
		if line := gallery.Obeyed(log); line != "" {
			t.Errorf("%q is taken for a command", line)
		}
	}
}

func FuzzWriter(f *testing.F) {
	for _, text := range []string{gallery.Commands, gallery.Lines, gallery.Unseen, "::", "##", "#\xf0\x9f", strings.Repeat("#", 99)} {
		f.Add(text, uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, piece uint8) {
		out := through(t, text, 1+int(piece), false)
		if line := gallery.Obeyed(out); line != "" {
			t.Errorf("a runner takes a command from %q", line)
		}
		if out != through(t, text, len(text)+1, false) {
			t.Errorf("pieces change what is written of %q", text)
		}
		if out != through(t, out, 4, false) {
			t.Errorf("%q is changed again", out)
		}
	})
}
