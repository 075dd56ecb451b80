package operator

import "testing"

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
