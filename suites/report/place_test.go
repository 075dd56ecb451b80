package report

import (
	"testing"
)

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		at      string
		slip    bool
		step    string // of the evidence
		pointer string
		covered bool
	}{
		{"/error/code", false, "envelope/one", "/error/code", true},
		{"/error", false, "envelope/one", "/error/code", true},
		{"/error/code", false, "envelope/one", "/error", false},
		{"/error", false, "envelope/one", "/errors", false},
		{"/", false, "envelope/one", "/", true},
		{"envelope/one", false, "envelope/one", "", true},
		{"envelope/one", false, "envelope/one-then", "", false},
		{"envelope", false, "envelope/one", "/id", true},
		{"enve", false, "envelope/one", "/id", false},
		{"envelope/one /id", false, "envelope/one", "/id", true},
		{"envelope/one /id", false, "envelope/two", "/id", false},
		{"envelope/one /id", false, "envelope/one", "/jsonrpc", false},
		{"/a b/c /d", false, "x/y", "/a b/c /d", true},
		{"/a~1b/~0", false, "x/y", "/a~1b/~0", true},
		{"exchange 14", true, "envelope/one", "", false},
		{"exchange 14, /error/code", true, "envelope/one", "/error/code", false},
		{"Envelope", true, "envelope/one", "", false},
		{"envelope one", true, "envelope/one", "", false},
		{"/a~2", true, "x/y", "/a", false},
		{"/a~", true, "x/y", "/a", false},
		{"", true, "x/y", "", true},
	} {
		if err := CheckPlace(c.at); (err != nil) != c.slip {
			t.Errorf("%q: %v", c.at, err)
		}
		if got := Covers(c.at, Evidence{Pointer: c.pointer}, []string{"other/step", c.step}); got != c.covered {
			t.Errorf("%q covers %s %s: %v", c.at, c.step, c.pointer, got)
		}
	}
}

func TestPlaceOf(t *testing.T) {
	at := func(step, pointer string) Evidence {
		return Evidence{Exchange: 1, Step: step, Pointer: pointer}
	}
	for _, c := range []struct {
		name     string
		evidence []Evidence
		want     string
	}{
		{"nothing", nil, ""},
		{"one", []Evidence{at("quick/send", "/result/id")}, "quick/send /result/id"},
		{"a whole reply", []Evidence{at("quick/send", "")}, "quick/send"},
		{"one step", []Evidence{at("quick/send", "/result/id"), at("quick/send", "/result/status/state")}, "quick/send /result"},
		{"one conversation", []Evidence{at("envelope/one", ""), at("envelope/two", "")}, "envelope"},
		{"one member", []Evidence{at("envelope/one", "/error/code"), at("quick/send", "/error/code")}, "/error/code"},
		{"nothing in common", []Evidence{at("envelope/one", "/error"), at("quick/send", "")}, ""},
		{"names that begin alike", []Evidence{at("envelope/one", "/error"), at("envelope/one-then", "/errors")}, "envelope"},
		{"an element of a list", []Evidence{at("card/well-known", "/skills/3/tags")}, "card/well-known /skills"},
		{"a step named by an address", []Evidence{at("discovery/http://127.0.0.1:4711/x", "/name")}, "discovery /name"},
		{"a report without steps", []Evidence{at("", "/error/code")}, "/error/code"},
		{"a report without steps, a whole reply", []Evidence{at("", "")}, ""},
		{"what is no pointer", []Evidence{at("", "/a~")}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := PlaceOf(c.evidence)
			if got != c.want {
				t.Fatalf("got %q, want %q", got, c.want)
			}
			for _, e := range c.evidence {
				if got != "" && !Covers(got, e, []string{e.Step}) {
					t.Errorf("%q does not cover %+v", got, e)
				}
			}
		})
	}
}

// Conversations with nothing in common have a place each, and a waiver of them all
// covers what lies in any.
func TestPlacesOf(t *testing.T) {
	at := func(step, pointer string) Evidence {
		return Evidence{Exchange: 1, Step: step, Pointer: pointer}
	}
	for _, c := range []struct {
		name     string
		evidence []Evidence
		want     string
	}{
		{"nothing", nil, "[]"},
		{"one", []Evidence{at("quick/send", "/result/id")}, `"quick/send /result/id"`},
		{"two conversations", []Evidence{at("cancel/cancel", ""), at("cancel-stream/get", ""), at("cancel/get", "")}, `["cancel", "cancel-stream/get"]`},
		{"one of them without a step", []Evidence{at("cancel/cancel", ""), at("", "")}, "[]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := WritePlaces(PlacesOf(c.evidence)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
