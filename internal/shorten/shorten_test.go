package shorten

import "testing"

func TestShorten(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{End("", 3), ""},
		{End("äöü", 3), "äöü"},
		{End("äöü€", 3), "äöü…"},
		{Middle("äöü€", 2, 2, "…"), "äöü€"},
		{Middle("äöü€ä", 1, 2, " to "), "ä to €ä"},
		{Bytes("äöü", 6), "äöü"},
		{Bytes("äöü", 5), "äö"},
		{Bytes("€", 2), ""},
		{Bytes("a\x80\x80\x80\x80\x80", 5), "a\x80\x80\x80\x80"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
