package cardtext

import (
	"fmt"
	"strings"
	"unicode"
)

// checkHidden looks for invisible characters, and for those that change the order of a text.
func (f *finder) checkHidden(at, text string) {
	var hidden, turning []rune
	all := []rune(text)
	first := -1
	rightToLeft := strings.ContainsFunc(text, isRightToLeft)
	for i, c := range all {
		switch {
		case c < 0xa0:
			continue
		case isTurning(c), (c == 0x200e || c == 0x200f || c == 0x061c) && !rightToLeft:
			turning = append(turning, c)
		case isHidden(all, i):
			hidden = append(hidden, c)
		default:
			continue
		}
		if first < 0 {
			first = i
		}
	}
	if len(turning) > 0 {
		f.addFindingWithinRuleLimit(Finding{Rule: "bidirectional-text", Pointer: at, Got: describeCharacters(turning) + " in " + showAround(all, first),
			Want: "a text that is read in the order in which it is shown", Fix: "Delete these characters, or find out who put them there."})
	}
	if len(hidden) > 0 {
		f.addFindingWithinRuleLimit(Finding{Rule: "hidden-text", Pointer: at, Got: describeCharacters(hidden) + " in " + showAround(all, first) + spellTags(hidden),
			Want: "a text of which people see all that programs read", Fix: "Delete these characters, or find out who put them there."})
	}
}

func isRightToLeft(c rune) bool {
	return unicode.In(c, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Adlam)
}

// isTurning reports whether a character embeds, overrides or isolates a direction.
func isTurning(c rune) bool { return c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069 }

// isHidden reports whether a character shows nothing. Those that emoji and some scripts are
// written with are not hidden in their place.
func isHidden(all []rune, i int) bool {
	c := all[i]
	before, after := rune(0), rune(0)
	if i > 0 {
		before = all[i-1]
	}
	if i+1 < len(all) {
		after = all[i+1]
	}
	switch {
	case c == 0x200c || c == 0x200d: // which join or part the letters of some scripts, and emoji
		return before < 0x80 || after < 0x80
	case c >= 0xfe00 && c <= 0xfe0f: // which choose how the character before looks
		return before == 0 || before == ' ' || unicode.Is(unicode.Variation_Selector, before)
	case c >= 0xe0100 && c <= 0xe01ef:
		return !unicode.Is(unicode.Han, before)
	case c >= 0xe0000 && c <= 0xe007f: // tags, of which the flags of some regions are made
		j := i
		for j > 0 && all[j] >= 0xe0000 && all[j] <= 0xe007f {
			j--
		}
		return all[j] != 0x1f3f4 || i-j > 8
	}
	switch c {
	case 0xad, 0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180c, 0x180d, 0x180e, 0x200b, 0x2028, 0x2029, 0x3164, 0xfeff, 0xffa0:
		return true
	}
	return c >= 0x2060 && c <= 0x206f || c >= 0xfff0 && c <= 0xfff8 || c >= 0x1d173 && c <= 0x1d17a
}

// describeCharacters counts characters by kind, the first few of them.
func describeCharacters(all []rune) string {
	var names []string
	counts := map[rune]int{}
	for _, c := range all {
		if counts[c]++; counts[c] == 1 && len(names) < 4 {
			names = append(names, fmt.Sprintf("U+%04X", c))
		}
	}
	out := strings.Join(names, ", ")
	if len(counts) > len(names) {
		out += fmt.Sprintf(" and %d more kinds", len(counts)-len(names))
	}
	if len(all) > 1 {
		out = fmt.Sprintf("%d characters (%s)", len(all), out)
	}
	return out
}

// showAround shows what is around a character, with all that is hidden spelled out.
func showAround(all []rune, at int) string {
	from, to := max(0, at-20), min(len(all), at+21)
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range all[from:to] {
		if c < 0x20 || c >= 0x7f && (!unicode.IsPrint(c) || unicode.Is(unicode.Variation_Selector, c)) {
			fmt.Fprintf(&b, "<U+%04X>", c)
			continue
		}
		b.WriteRune(c)
	}
	b.WriteByte('"')
	return b.String()
}

// spellTags returns the message that tag characters spell; "" if there is none.
func spellTags(hidden []rune) string {
	var b strings.Builder
	for _, c := range hidden {
		if c > 0xe001f && c < 0xe007f && b.Len() < 80 {
			b.WriteRune(c - 0xe0000)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return fmt.Sprintf("; they spell %q", b.String())
}
