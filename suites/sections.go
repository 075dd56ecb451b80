package suites

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
)

// Sections lists the places in the source that requirements name, in catalogue order.
func Sections(d *schema.Dialect) []string {
	var out []string
	for _, r := range d.Requirements {
		for place := range strings.SplitSeq(r.Section, ";") {
			if place = strings.TrimSpace(place); place != "" && !slices.Contains(out, place) {
				out = append(out, place)
			}
		}
	}
	return out
}

// HasSection reports whether a requirement names a section, or one below it.
func HasSection(d *schema.Dialect, section string) bool {
	return slices.ContainsFunc(Sections(d), func(place string) bool { return isSectionOrBelow(place, section) })
}

// isInSections reports whether a requirement's places, as the catalogue has them, are in
// one of the sections.
func isInSections(places string, sections []string) bool {
	for place := range strings.SplitSeq(places, ";") {
		if slices.ContainsFunc(sections, func(s string) bool { return isSectionOrBelow(place, s) }) {
			return true
		}
	}
	return false
}

// isSectionOrBelow reports whether a place is a section or below it: 8.1.2 is below 8.1,
// topics/extensions below topics, "Transport > HTTP" below Transport. Text after a number, or in
// brackets after a name, is a position in the section.
func isSectionOrBelow(place, section string) bool {
	place, section = normalizeSection(place), normalizeSection(section)
	rest, ok := strings.CutPrefix(place, section)
	switch {
	case !ok || section == "":
		return false
	case rest == "" || rest[0] == '/' || strings.HasPrefix(rest, " > ") || strings.HasPrefix(rest, " ("):
		return true
	}
	return isNumbered(section) && (rest[0] == '.' || rest[0] == ' ')
}

func normalizeSection(section string) string {
	return strings.ToLower(strings.TrimPrefix(strings.TrimSpace(section), "§"))
}

// isNumbered reports whether a section goes by a number, as 8.1 or A.2.1.
func isNumbered(section string) bool {
	first, _, more := strings.Cut(section, ".")
	_, err := strconv.Atoi(first)
	return err == nil || more && len(first) == 1
}

// newUnknownSectionError is the slip of naming a section that no requirement names.
func newUnknownSectionError(of string, section string, known []string) error {
	near := findNearestSections(section, known)
	if len(near) == 0 {
		return fmt.Errorf("no requirement of %s is from section %q or a similar one; `a2a-conform explain ID` shows the section of a requirement", of, section)
	}
	return fmt.Errorf("no requirement of %s is from section %q; the nearest sections are %s", of, section, strings.Join(near, ", "))
}

// findNearestSections are those that may have been meant: of a number its neighbours, of a
// name those that contain it or are spelled like it.
func findNearestSections(section string, known []string) []string {
	const most = 4
	word := normalizeSection(section)
	var out []string
	add := func(s string) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if !isNumbered(word) {
		for _, k := range known {
			if word != "" && strings.Contains(normalizeSection(k), word) {
				add(k)
			}
		}
		if near := schema.Nearest(word, known); near != "" {
			out = slices.Insert(slices.DeleteFunc(out, func(s string) bool { return s == near }), 0, near)
		}
		return out[:min(len(out), most)]
	}
	for _, k := range known {
		if number, _, _ := strings.Cut(k, " "); isNumbered(normalizeSection(number)) {
			add(number)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int {
		x, y := measureSectionDistance(word, normalizeSection(a)), measureSectionDistance(word, normalizeSection(b))
		return slices.Compare(x[:], y[:])
	})
	out = out[:min(len(out), most)]
	slices.SortStableFunc(out, compareSectionNumbers)
	return out
}

// measureSectionDistance returns how far two numbers of sections are apart: how many of the leading
// parts they do not share, by how much the first other one differs, and the depth of the second.
func measureSectionDistance(a, b string) [3]int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	var by int
	if same < min(len(x), len(y)) {
		m, _ := strconv.Atoi(x[same])
		n, _ := strconv.Atoi(y[same])
		by = max(m-n, n-m)
	}
	return [3]int{len(x) - same, by, len(y)}
}

func compareSectionNumbers(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		m, _ := strconv.Atoi(x[i])
		n, _ := strconv.Atoi(y[i])
		if c := cmp.Or(cmp.Compare(m, n), cmp.Compare(x[i], y[i])); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(x), len(y))
}
