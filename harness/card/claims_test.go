package card

import "testing"

// A claim whose place is taken by something else is neither made nor denied.
func TestStatedClaims(t *testing.T) {
	for _, c := range []struct {
		dialect, card, word string
		want                Answer
	}{
		{"a2a-0.1", `{"capabilities":{"streaming":true}}`, "streaming", Yes},
		{"a2a-0.1", `{"capabilities":{"streaming":false}}`, "streaming", No},
		{"a2a-0.1", `{"capabilities":{"streaming":null}}`, "streaming", No},
		{"a2a-0.1", `{"capabilities":{}}`, "streaming", No},
		{"a2a-0.1", `{"capabilities":{"streaming":"true"}}`, "streaming", Unclear},
		{"a2a-0.1", `{"capabilities":{"streaming":1}}`, "streaming", Unclear},
		{"a2a-0.1", `{"capabilities":["streaming"]}`, "streaming", Unclear},
		{"a2a-0.1", `{"capabilities":null}`, "streaming", Unclear},
		{"a2a-0.1", `{}`, "streaming", Unclear}, // every card has capabilities
		{"a2a-0.3", `{}`, "extended-card", No},  // which stands at the root
		{"a2a-0.3", `{"supportsAuthenticatedExtendedCard":"yes"}`, "extended-card", Unclear},
		{"jaf-0.3", `{"authentication":{}}`, "auth", No},
		{"a2x-0.3", `{"capabilities":{"pushNotifications":true}}`, "push", No}, // which the dialect does not have
		{"a2a-0.1", `{"capabilities":{"streaming":true}}`, "no such word", No},
	} {
		if got := reading(t, c.dialect, c.card).Claims(c.word); got != c.want {
			t.Errorf("%s: %s claims %s: %d, want %d", c.dialect, c.card, c.word, got, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, w := range Words() {
		if what, ok := DescribeClaim(w); !ok || what == "" {
			t.Errorf("nothing says what %s claims", w)
		}
	}
	if _, ok := DescribeClaim("no-streaming"); ok {
		t.Error("an opposite is no word of its own")
	}
}
