package verdict

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// waiverFile is a file of waivers as it is written.
type waiverFile struct {
	Waivers []struct {
		ID        string `yaml:"id"`
		Why       string `yaml:"why"`
		Until     string `yaml:"until"`
		At        any    `yaml:"at"` // a place, or a list of them
		Where     string `yaml:"where"`
		Sometimes bool   `yaml:"sometimes"`
	} `yaml:"waivers"`
}

// maxWaivers bounds a file of them; all protocols together have fewer requirements.
const maxWaivers = 4000

// maxWaiverMistakes is the number of mistakes after which the rest of a file is not read.
const maxWaiverMistakes = 1000

// ReadWaivers reads a file of waivers for Target.Waivers. The error has a line
// for each mistake in it, with the file and the line. In place of a file, a name such as
// sdk:js@1.3.0 means the known faults of an SDK.
func ReadWaivers(file string) ([]operator.Waiver, error) {
	if word, is := strings.CutPrefix(file, sdkPrefix); is {
		sdk, err := schema.FindSDK(word)
		if err != nil {
			return nil, fmt.Errorf("--waivers: %w", err)
		}
		return WaiversOf(sdk), nil
	}
	text, err := schema.ReadFile(file, schema.MaxFile)
	if err != nil {
		return nil, fmt.Errorf("--waivers: %w", err)
	}
	return ParseWaivers(file, text)
}

// ParseWaivers reads waivers from a text; file is what errors call it.
func ParseWaivers(file string, text []byte) ([]operator.Waiver, error) {
	var doc waiverFile
	if err := schema.Strict(file, text, &doc); err != nil {
		return nil, err
	}
	var out []operator.Waiver
	var slips []error
	if len(doc.Waivers) > maxWaivers {
		return nil, fmt.Errorf("%s: %d waivers are more than there are requirements; write one for each known failure", file, len(doc.Waivers))
	}
	places := schema.PlacesOf(text)
	for i, w := range doc.Waivers {
		one := operator.Waiver{ID: w.ID, Why: strings.TrimSpace(w.Why), Until: w.Until, Where: w.Where, Sometimes: w.Sometimes, File: file, Line: places.Line("waivers", i)}
		mistake := func(key, format string, args ...any) {
			slips = append(slips, fmt.Errorf("%s:%d: %s", file, places.Line("waivers", i, key), fmt.Sprintf(format, args...)))
		}
		first := slices.IndexFunc(out, func(o operator.Waiver) bool { return o.ID == w.ID })
		switch known, err := knownRequirement(w.ID); {
		case err != nil:
			return nil, err
		case w.ID == "":
			mistake("id", "the waiver has no id; write id: with the requirement that is known to fail")
		case !known:
			mistake("id", "no requirement is called %q; `a2a-conform list` shows them all", clip(w.ID))
		case first >= 0:
			mistake("id", "%s has two waivers; the first is in line %d", w.ID, out[first].Line)
		}
		if one.Why == "" {
			mistake("why", "the waiver of %s has no why; write the reason why the failure is tolerated", clip(w.ID))
		}
		if w.Until == "" {
			mistake("until", "the waiver of %s has no until; write the last day on which it counts, like %s", clip(w.ID), exampleDay)
		} else if _, err := time.Parse(time.DateOnly, w.Until); err != nil {
			mistake("until", "until is %q, which is not a date; write it like %s", clip(w.Until), exampleDay)
		}
		given := func(key string) bool { return places.Holds("waivers", i, key) }
		at := readPlaces(w.At)
		for i, place := range at {
			if len(slips) >= maxWaiverMistakes {
				return nil, errors.Join(append(slips, fmt.Errorf("%s: has so many mistakes that the rest of it was not read", file))...)
			}
			if err := report.CheckPlace(place); err != nil {
				mistake("at", "at is %q: %v; write a JSON pointer (/error/code), a step as the report names it (quick/send), or both with a space between them", clip(place), err)
			}
			if i == 0 {
				one.At = place
			} else {
				one.AlsoAt = append(one.AlsoAt, place)
			}
		}
		if given("at") && len(at) == 0 {
			mistake("at", "at is empty: write a place, or a list of places ([cancel, quick/send]), or leave at out to waive the failure in every place")
		}
		if given("where") && strings.TrimSpace(one.Where) == "" {
			mistake("where", "where is empty: write a part of the failure's text, or leave where out to waive the failure with any text")
		}
		out = append(out, one)
	}
	return out, errors.Join(slips...)
}

// readPlaces returns the places of a key at. What is no text is read as it is, and
// found to be no place.
func readPlaces(at any) (places []string) {
	switch at := at.(type) {
	case nil:
	case []any:
		for _, one := range at {
			places = append(places, strings.TrimSpace(fmt.Sprint(one)))
		}
	default:
		if text := strings.TrimSpace(fmt.Sprint(at)); text != "" {
			places = append(places, text)
		}
	}
	return places
}

const exampleDay = "2026-12-31"

// clip returns the beginning of what somebody wrote, in one line.
func clip(s string) string {
	return shorten.End(strings.Map(func(r rune) rune {
		if r < ' ' {
			return 0x2400 + r // the picture of it
		}
		return r
	}, s), 60)
}

// knownRequirement looks an id up in whatever dialect has it, so that one file serves
// servers of several.
func knownRequirement(id string) (bool, error) {
	_, r, err := schema.Find(id)
	return r != nil, err
}
