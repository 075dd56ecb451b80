package message

import (
	"testing"
)

func TestEscaped(t *testing.T) {
	if got, want := string(escapeNonASCII([]byte(`{"a":"é😀x"}`))), `{"a":"\u00e9\ud83d\ude00x"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
