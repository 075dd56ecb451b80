package schema

import (
	"slices"
	"strings"
)

// LetterReading returns the letter of a reading by its place in the list: A for the first.
func LetterReading(i int) string { return string(rune('A' + i%26)) }

// NameReading names a reading by its place in the list, as reports do: "Reading A".
func NameReading(i int) string { return "Reading " + LetterReading(i) }

// NameReadings puts the name of each reading in front of it.
func NameReadings(readings []string) (out []string) {
	for i, reading := range readings {
		out = append(out, NameReading(i)+": "+reading)
	}
	return out
}

// DescribeAppliedReadings returns by which of n readings a requirement is judged. Letters of which there is no
// reading are left out, since reports of others name them too; "" if there is no reading.
func DescribeAppliedReadings(n int, letters []string) string {
	if n == 0 {
		return ""
	}
	var known []string
	for i := range min(n, 26) {
		if letter := LetterReading(i); slices.Contains(letters, letter) {
			known = append(known, letter)
		}
	}
	switch len(known) {
	case 0:
		return "we apply the more lenient reading" // of a report by an earlier version
	case 1:
		return "Reading " + known[0] + " is applied"
	default:
		return "Readings " + JoinWithAnd(known) + " are applied: whoever follows one of them passes"
	}
}

// JoinWithAnd lists things as a sentence does.
func JoinWithAnd(all []string) string {
	if n := len(all); n > 1 {
		return strings.Join(all[:n-1], ", ") + " and " + all[n-1]
	}
	return strings.Join(all, "")
}
