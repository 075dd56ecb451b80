package testamount

import (
	"slices"
	"testing"
)

func TestWhatIsTried(t *testing.T) {
	for value, want := range map[string]struct{ lead, other, few, all bool }{
		"":     {true, false, true, false},
		"few":  {true, false, true, false},
		"rest": {false, true, false, false},
		"all":  {true, true, false, true},
	} {
		t.Setenv(TestsVariable, value)
		if got := !LeavesOut(true); got != want.lead {
			t.Errorf("%q: a lead is tried: %v", value, got)
		}
		if got := !LeavesOut(false); got != want.other {
			t.Errorf("%q: another is tried: %v", value, got)
		}
		if Few() != want.few || All() != want.all {
			t.Errorf("%q: few %v, all %v", value, Few(), All())
		}
	}
}

// The few of a list and its rest are all of it.
func TestOf(t *testing.T) {
	for value, want := range map[string][]string{"": {"b"}, "rest": {"a", "c"}, "all": {"a", "b", "c"}} {
		t.Setenv(TestsVariable, value)
		if got := Of([]string{"a", "b", "c"}, "b"); !slices.Equal(got, want) {
			t.Errorf("%q: %v are tried, want %v", value, got, want)
		}
	}
}

// A mistake in a variable would run less than was meant.
func TestMistakesAreNoSettings(t *testing.T) {
	for variable, value := range map[string]string{TestsVariable: "whole", RandomVariable: "0"} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv(variable, value)
			defer func() {
				if recover() == nil {
					t.Error("it was taken")
				}
			}()
			LeavesOut(true)
			Random(1)
		})
	}
}

func TestRandom(t *testing.T) {
	t.Setenv(RandomVariable, "")
	if got := Random(3); got != 3 {
		t.Errorf("%d are tried, want 3", got)
	}
	t.Setenv(RandomVariable, "200")
	if got := Random(3); got != 600 {
		t.Errorf("%d are tried, want 600", got)
	}
}
