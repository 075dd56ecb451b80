package commandtest

import (
	"slices"
	"time"
)

// MostWithin returns the largest number of moments in any window of a length.
func MostWithin(at []time.Time, window time.Duration) (most int) {
	slices.SortFunc(at, time.Time.Compare)
	first := 0
	for i := range at {
		for at[i].Sub(at[first]) >= window {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}
