package card

import (
	"fmt"
	"testing"
)

// What cannot be asked for is an extension of the card all the same.
func TestExtensions(t *testing.T) {
	card := reading(t, "a2a-0.3", `{"capabilities":{"extensions":[{"uri":"u:1"},{"uri":"u:2","required":true},{"uri":"u:3","required":"true"},{"uri":"a,b","required":true},{"uri":"line\nbreak"},{"uri":7},null]}}`)
	all, required := card.Requestable()
	if got, want := fmt.Sprint(len(card.Extensions()), all, required), "7 [u:1 u:2 u:3] [u:2]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPayment(t *testing.T) {
	for card, want := range map[string]Answer{
		`{"capabilities":{"extensions":[{"uri":"https://x/x402/v1","required":true}]}}`:                           Yes,
		`{"capabilities":{"extensions":[{"uri":"https://x/x402/v1"},{"uri":"https://x/other","required":true}]}}`: No,
		`{"capabilities":{"extensions":{"uri":"https://x/x402/v1","required":true}}}`:                             No,
	} {
		if got := reading(t, "a2x-0.3", card).Claims("payment"); got != want {
			t.Errorf("%s demands to be paid: %d, want %d", card, got, want)
		}
	}
}
