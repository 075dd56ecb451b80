package safetext

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain äöü 漢字 🙂": "plain äöü 漢字 🙂",
		"a\nb\tc":        "a\nb\tc",
		"\x00\x1b\r\x7f": "␀␛␍␡",
		"\u202e\u2028":   `\u202e\u2028`,
		"\u0085\ufeff":   `\u0085\ufeff`,
		"\U000e0041":     `\U000e0041`,
		"\xff\xc3(":      `\xff\xc3(`,
		"\ufffd\ufffe":   "\ufffd" + `\ufffe`,
		"":               "",
	} {
		if got := Visible(in); got != want {
			t.Errorf("visible(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	if got, want := TruncateStatingRest("äöü", 3), "ä … (4 bytes left out)"; got != want {
		t.Errorf("clip cuts to %q, want %q", got, want)
	}
	if got := TruncateStatingRest("äöü", 6); got != "äöü" {
		t.Errorf("clip cuts what fits: %q", got)
	}
	for limit := range 20 {
		if got := TruncateStatingRest(strings.Repeat("€", 20), limit); !utf8.ValidString(got) {
			t.Errorf("clip to %d bytes cuts a character: %q", limit, got)
		}
	}
}

func TestCode(t *testing.T) {
	for in, want := range map[string]string{
		"plain":  "`plain`",
		"a`b":    "``a`b``",
		"`":      "`` ` ``",
		"``a":    "``` ``a ```",
		" x ":    "`  x  `",
		"a\nb":   "`a␊b`",
		"":       "``` ```",
		"a | b":  "`a | b`",
		"\\`":    "`` \\` ``",
		"\x1b[m": "`␛[m`",
	} {
		if got := MarkdownCode(in, 100); got != want {
			t.Errorf("code(%q) = %s, want %s", in, got, want)
		}
	}
}
