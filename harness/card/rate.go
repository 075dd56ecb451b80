package card

import "github.com/a2a-conform/a2a-conform/harness/operator"

// Rate returns the rate limit that a card states; ok is false if it states none that
// means something.
func (c Card) Rate() (limit operator.RateLimit, ok bool) {
	at := c.dialectOrEmpty().Card.Rate
	requests, seconds, burst := c.placeAt(at.Requests).readNumber(), c.placeAt(at.Seconds).readNumber(), c.placeAt(at.Burst).readNumber()
	return operator.RateLimit{Requests: requests, Seconds: float64(seconds), Burst: max(0, burst)}, requests > 0 && seconds > 0
}
