package report

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	stepPlace = regexp.MustCompile(`^[a-z][a-z0-9-]*(/\S+)?$`)
	numbered  = regexp.MustCompile(`(?i)^exchange\s+\d`)
	badEscape = regexp.MustCompile(`~([^01]|$)`)
)

// CheckPlace finds a slip in a place that somebody wrote.
func CheckPlace(at string) error {
	step, pointer := splitPlace(at)
	switch {
	case numbered.MatchString(at):
		return errors.New("the numbers of exchanges change from run to run")
	case step != "" && !stepPlace.MatchString(step), step == "" && pointer == "":
		return errors.New("it is neither a JSON pointer nor a step of a conversation")
	case badEscape.MatchString(pointer):
		return errors.New("in a JSON pointer ~ is written ~0, and / in a name ~1")
	}
	return nil
}

func splitPlace(at string) (step, pointer string) {
	if strings.HasPrefix(at, "/") {
		return "", at
	}
	if i := strings.Index(at, " /"); i >= 0 {
		return at[:i], at[i+1:]
	}
	return at, ""
}

// Covers reports whether a piece of evidence lies at a place, or below it. Its
// exchange may have served several steps.
func Covers(at string, e Evidence, steps []string) bool {
	step, pointer := splitPlace(at)
	within := func(have, want string) bool { return have == want || strings.HasPrefix(have, want+"/") }
	return (step == "" || slices.ContainsFunc(steps, func(s string) bool { return within(s, step) })) &&
		(pointer == "" || within(e.Pointer, pointer))
}

// PlaceOf returns the narrowest place that covers all of the evidence in every run:
// its step or conversation, if there is one, and what its pointers begin with,
// up to the first element of a list, whose number may be another next time.
// It is empty if there is none.
func PlaceOf(evidence []Evidence) string {
	if len(evidence) == 0 {
		return ""
	}
	step, pointer := evidence[0].Step, pointerBeforeIndex(evidence[0].Pointer)
	for _, e := range evidence[1:] {
		step, pointer = commonPath(step, e.Step), commonPath(pointer, pointerBeforeIndex(e.Pointer))
	}
	if conversation, name, _ := strings.Cut(step, "/"); strings.Contains(name, "://") {
		step = conversation // the step is called by the address that it asked
	}
	place := strings.TrimSpace(step + " " + pointer)
	if CheckPlace(place) != nil {
		return ""
	}
	return place
}

// PlacesOf is PlaceOf for evidence of several conversations that have nothing in
// common: a place in each of them. It is empty if one has none.
func PlacesOf(evidence []Evidence) []string {
	if at := PlaceOf(evidence); at != "" {
		return []string{at}
	}
	var order []string
	of := map[string][]Evidence{}
	for _, e := range evidence {
		conversation, _, _ := strings.Cut(e.Step, "/")
		if of[conversation] == nil {
			order = append(order, conversation)
		}
		of[conversation] = append(of[conversation], e)
	}
	var out []string
	for _, conversation := range order {
		at := PlaceOf(of[conversation])
		if at == "" {
			return nil
		}
		out = append(out, at)
	}
	return out
}

// WritePlaces returns how a file of waivers names places: one alone, several as a
// list.
func WritePlaces(places []string) string {
	quoted := make([]string, len(places))
	for i, p := range places {
		quoted[i] = fmt.Sprintf("%q", p)
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// pointerBeforeIndex returns a pointer up to the first number in it.
func pointerBeforeIndex(pointer string) string {
	tokens := strings.Split(pointer, "/")
	for i, t := range tokens {
		if i > 0 && t != "" && strings.Trim(t, "0123456789") == "" {
			return strings.Join(tokens[:i], "/")
		}
	}
	return pointer
}

// commonPath returns what two paths begin with, in whole parts.
func commonPath(a, b string) string {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(as) && n < len(bs) && as[n] == bs[n] {
		n++
	}
	return strings.Join(as[:n], "/")
}
