package card

import (
	"fmt"
	"testing"
)

// Each entry of a list is looked at once, however many there are.
func TestRepeatedEntriesAreFoundInOnePass(t *testing.T) {
	type entry struct{ same, differ string }
	for _, n := range []int{10, 50_000} {
		looks := 0
		var of []entry
		for i := range n {
			of = append(of, entry{fmt.Sprint("x", i), "v1"})
		}
		find := func() (entry, entry, bool) {
			looks = 0
			return findRepeated(of, func(e entry) string { looks++; return e.same }, func(e entry) string { looks++; return e.differ })
		}
		if _, _, ok := find(); ok || looks > 2*n {
			t.Errorf("of %d entries: found %v with %d looks, want none with at most %d", n, ok, looks, 2*n)
		}
		of = append(of, entry{"", "v2"}, entry{"", "v3"}, entry{"x3", "v1"}, entry{"x3", "v2"})
		if a, b, ok := find(); !ok || a != (entry{"x3", "v2"}) || b != of[3] || looks > 2*len(of) {
			t.Errorf("of %d entries: got %v and %v, %v, with %d looks", n, a, b, ok, looks)
		}
	}
}
