package schema

import (
	"slices"
	"strings"
)

// LetterReading returns the letter of a reading by its place in the list: A for the first.
func LetterReading(i int) string { return string(rune('A' + i%26)) }

// NameReading names a reading by its place in the list, as reports do: "Reading A".
func NameReading(i int) string { return "Reading " + LetterReading(i) }

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
	switch last := len(known) - 1; last {
	case -1:
		return "we apply the more lenient reading" // of a report by an earlier version
	case 0:
		return "Reading " + known[0] + " is applied"
	default:
		return "Readings " + strings.Join(known[:last], ", ") + " and " + known[last] + " are applied: whoever follows one of them passes"
	}
}
