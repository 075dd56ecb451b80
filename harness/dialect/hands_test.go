package dialect

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/schema"
)

// A run takes one hand by chance and keeps it; one by a seed takes none, and a nonce decides.
func TestHands(t *testing.T) {
	if n := DrawHand(operator.Naming{Seed: "s"}); n >= 0 {
		t.Errorf("a run by a seed takes the hand %d", n)
	}
	nonced := operator.Naming{Nonce: "0123456789abcdef", Salt: "salt"}
	if first, again := DrawHand(nonced), DrawHand(nonced); first != again {
		t.Error("a nonce decides nothing")
	}
	for name, w := range writers {
		if h := w.Hand(schema.KindJSONRPC, -1); h.Order != nil || h.Timed {
			t.Errorf("%s: no hand is %+v", name, h)
		}
		timed := map[bool]int{}
		for range 100 {
			h := w.Hand(schema.KindJSONRPC, DrawHand(operator.Naming{}))
			if h.Order == nil {
				t.Errorf("%s has no hand", name)
			}
			timed[h.Timed]++
		}
		if timed[true] < 10 || timed[false] < 10 {
			t.Errorf("%s: of 100 runs %d take ids with the time", name, timed[true])
		}
	}
	if h := (*Writer)(nil).Hand(schema.KindJSONRPC, 0); h.Order != nil {
		t.Errorf("no writer has the hand %+v", h)
	}
}
