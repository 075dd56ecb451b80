package safetext

import "testing"

func TestShellWord(t *testing.T) {
	for text, want := range map[string]string{
		"http://localhost:9999/a?b": "'http://localhost:9999/a?b'",
		"http://localhost:9999/a":   "http://localhost:9999/a",
		"it's $HOME":                `'it'\''s $HOME'`,
		"":                          "''",
	} {
		if got := ShellWord(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
