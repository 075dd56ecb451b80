package schema

import (
	"slices"
	"testing"
)

// Each entry that has readings names those that are applied. What is tolerated there
// is not judged by the first, strictest one alone.
func TestEachEntryWithReadingsNamesTheAppliedOnes(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, name := range Names() {
		d, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.Requirements {
			r := &d.Requirements[i]
			if (len(r.Readings) == 0) != (len(r.Applied) == 0) || len(r.Applied) > len(r.Readings) || !slices.IsSorted(r.Applied) {
				t.Errorf("%s has %d readings, of which %v are applied", r.ID, len(r.Readings), r.Applied)
			}
			tolerant := r.Tolerant() || r.With["accepted"] == true || r.With["tolerated"] != nil || r.With["either"] == true
			if len(r.Readings) > 0 && tolerant && slices.Equal(r.Applied, []string{"A"}) {
				t.Errorf("%s tolerates something, and is judged by Reading A alone", r.ID)
			}
			seen += len(r.Applied)
		}
	}
	if seen < 80 {
		t.Errorf("only %d readings are applied", seen)
	}
}

func TestAppliedReadingsAreDescribed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n       int
		letters []string
		want    string
	}{
		{0, []string{"A"}, ""},
		{2, []string{"B"}, "Reading B is applied"},
		{2, []string{"B", "A"}, "Readings A and B are applied: whoever follows one of them passes"},
		{3, []string{"A", "B", "C"}, "Readings A, B and C are applied: whoever follows one of them passes"},
		{2, nil, "we apply the more lenient reading"},
		{2, []string{"<b>", "C", ""}, "we apply the more lenient reading"},
	} {
		if got := DescribeAppliedReadings(c.n, c.letters); got != c.want {
			t.Errorf("%d readings, applied %q: got %q, want %q", c.n, c.letters, got, c.want)
		}
	}
}
