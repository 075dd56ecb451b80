package shorten

import "testing"

func TestVisible(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Clip("one, two, three", 6), "one…"},
		{Clip("one", 6), "one"},
		{Visible("a\nb\x7f", 10), "a␊b\uFFFD"},
		{Visible("abcdefghijklmnop", 12), "abcdefgh… (16 characters) …nop"},
		{Visible("a\xff", 10), "a\uFFFD"},
		{ShowControls("\u202e"), "\uFFFD"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
