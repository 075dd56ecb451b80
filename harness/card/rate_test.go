package card

import (
	"fmt"
	"testing"
)

func TestRate(t *testing.T) {
	for _, c := range []struct{ dialect, card, want string }{
		{"jaf-0.3", `{"rateLimit":{"requests":5,"window":60,"burst":3}}`, "5 60 3 true"},
		{"jaf-0.3", `{"rateLimit":{"requests":5,"window":60,"burst":-3}}`, "5 60 0 true"},
		{"jaf-0.3", `{"rateLimit":{"requests":5}}`, "5 0 0 false"},
		{"jaf-0.3", `{"rateLimit":{"requests":0,"window":60}}`, "0 60 0 false"},
		{"jaf-0.3", `{"rateLimit":{"requests":-5,"window":60}}`, "-5 60 0 false"},
		{"jaf-0.3", `{"rateLimit":{"requests":1.5,"window":1e2}}`, "0 0 0 false"},
		{"jaf-0.3", `{"rateLimit":{"requests":"5","window":[60]}}`, "0 0 0 false"},
		{"jaf-0.3", `{"rateLimit":{"requests":99999999999999999999,"window":1}}`, "0 1 0 false"},
		{"jaf-0.3", `{"rateLimit":null}`, "0 0 0 false"},
		{"a2a-0.3", `{"rateLimit":{"requests":5,"window":60}}`, "0 0 0 false"},
	} {
		l, ok := reading(t, c.dialect, c.card).Rate()
		if got := fmt.Sprint(l.Requests, " ", l.Seconds, " ", l.Burst, " ", ok); got != c.want {
			t.Errorf("%s: %s states %s, want %s", c.dialect, c.card, got, c.want)
		}
	}
}
