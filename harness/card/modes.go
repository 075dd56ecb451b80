package card

import (
	"slices"
	"strings"
)

// InputModes returns the media types that the agent takes, those of its skills
// included, in lower case and without parameters.
func (c Card) InputModes() (out []string) {
	at := c.placeAt(c.dialectOrEmpty().Card.Modes)
	if at.pointer == "" {
		return nil
	}
	lists := []place{at}
	for _, skill := range c.listSkills() {
		lists = append(lists, skill.placeBelow("/inputModes"))
	}
	for _, l := range lists {
		for _, text := range l.listTexts() {
			m, _, _ := strings.Cut(strings.ToLower(text), ";")
			out = append(out, strings.TrimSpace(m))
		}
	}
	return out
}

// OutputModes returns the media types that the agent gives, as the card writes them.
func (c Card) OutputModes() []string { return c.placeAt(c.dialectOrEmpty().Card.Outputs).listTexts() }

// Takes reports whether a media type is among the input modes, or covered by one
// that represents many.
func (c Card) Takes(mode string) bool {
	return slices.ContainsFunc(c.InputModes(), func(m string) bool { return m == mode || isWildcard(m) })
}

// FileMode returns the first of the input modes that is a concrete type of files; "" if
// none is.
func (c Card) FileMode() string {
	for _, m := range c.InputModes() {
		kind, _, ok := strings.Cut(m, "/")
		if ok && !isWildcard(m) && kind != "text" && m != "application/json" {
			return m
		}
	}
	return ""
}

func isWildcard(mode string) bool { return strings.Contains(mode, "*") }

func isTextMode(mode string) bool {
	return mode == "text" || strings.HasPrefix(mode, "text/") || mode == "*/*"
}

func anyInputMode(is func(string) bool) func(Card) Answer {
	return func(c Card) Answer { return known(slices.ContainsFunc(c.InputModes(), is)) }
}
