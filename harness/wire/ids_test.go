package wire

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestIDs(t *testing.T) {
	chance, seeded := Naming{}, Naming{Seed: "s"}
	seen := map[string]bool{}
	for _, ids := range []*IDs{chance.IDs("a"), chance.IDs("a"), nil, seeded.IDs("a"), seeded.IDs("b"), Naming{Seed: "t"}.IDs("a")} {
		for range 3 {
			id := ids.New()
			if seen[id] || len(id) != 36 {
				t.Errorf("%q is no new id", id)
			}
			seen[id] = true
		}
	}
	a, b := seeded.IDs("a", "b"), seeded.IDs("a", "b")
	for range 2 {
		if a.New() != b.New() {
			t.Error("the same seed and purpose make other ids")
		}
	}
}

// A timed id begins with the time, and ends as the random one in its place does, by which a
// nonce is checked.
func TestTimedIDs(t *testing.T) {
	naming := Naming{Nonce: "0123456789abcdef", Salt: "salt"}
	random, timed := naming.IDs("a"), naming.IDs("a")
	for range 3 {
		before := time.Now().UnixMilli()
		want, id := random.New(), timed.NewTimed()
		if chanceIn(id) != chanceIn(want) || id[14] != '7' || !anUUID.MatchString(id) {
			t.Errorf("the timed form of %s is %s", want, id)
		}
		at, err := strconv.ParseInt(strings.ReplaceAll(id[:13], "-", ""), 16, 64)
		if err != nil || at < before || at > time.Now().UnixMilli() {
			t.Errorf("%s begins with the time %d, not %d (%v)", id, at, before, err)
		}
	}
}
