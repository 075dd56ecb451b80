package harness

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

func onCard(t *testing.T, dialect, text string) card.Card {
	t.Helper()
	d, err := schema.Load(dialect)
	if err != nil {
		t.Fatal(err)
	}
	root, _ := record.ObserveJSON([]byte(text))
	return card.Of(d, root)
}

// What a card claims is tried, and what it leaves open.
func TestWhatIsTried(t *testing.T) {
	for _, c := range []struct {
		card, rpc, word string
		want            bool
	}{
		{`{"capabilities":{"streaming":true}}`, "", "streaming", true},
		{`{"capabilities":{"streaming":false}}`, "", "streaming", false},
		{`{"capabilities":[]}`, "", "streaming", true},
		{`{"capabilities":{}}`, "", "no such word", false},
		{`{"security":[{"b":[]}]}`, "", "auth", true},
		{`{"security":[null]}`, "", "auth", true},
		{`{"security":[{}]}`, "", "auth", false},
		{`{"url":"https://a.example/"}`, "http://a.example/", "https", false},
		{`{"url":"http://a.example/"}`, "https://a.example/", "https", true},
		{``, "https://a.example/", "https", true},
		{``, "https://a.example/", "streaming", false},
	} {
		if got := newNoClaimDeniedPredicate(onCard(t, "a2a-0.3", c.card), c.rpc)(c.word); got != c.want {
			t.Errorf("%s of %s, called at %q: %v, want %v", c.word, c.card, c.rpc, got, c.want)
		}
	}
}

// A limit that no run comes near is none to go by.
func TestCardLimit(t *testing.T) {
	for text, want := range map[string]operator.RateLimit{
		`{"rateLimit":{"requests":5,"window":60,"burst":2}}`:          {Requests: 5, Seconds: 60, Burst: 2},
		`{"rateLimit":{"requests":5,"window":60,"burst":1000000000}}`: {Requests: 5, Seconds: 60},
		`{"rateLimit":{"requests":1000000000,"window":60}}`:           {},
		`{"rateLimit":{"requests":5,"window":1000000000}}`:            {},
		`{"rateLimit":{"requests":5}}`:                                {},
		``:                                                            {},
	} {
		got := rateLimitOfCard(onCard(t, "jaf-0.3", text))
		if got == nil {
			got = &operator.RateLimit{}
		}
		if *got != want {
			t.Errorf("%s: %+v, want %+v", text, *got, want)
		}
	}
}
