package judge

import (
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/wire"
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
		if got := covered(c.at, Evidence{Pointer: c.pointer}, []string{"other/step", c.step}); got != c.covered {
			t.Errorf("%q covers %s %s: %v", c.at, c.step, c.pointer, got)
		}
	}
}

func TestPlaceOf(t *testing.T) {
	at := func(step, pointer string) Evidence { return Evidence{Exchange: 1, Step: step, Pointer: pointer} }
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
				if got != "" && !covered(got, e, []string{e.Step}) {
					t.Errorf("%q does not cover %+v", got, e)
				}
			}
		})
	}
}

// Conversations with nothing in common have a place each, and a waiver of them all
// covers what lies in any.
func TestPlacesOf(t *testing.T) {
	at := func(step, pointer string) Evidence { return Evidence{Exchange: 1, Step: step, Pointer: pointer} }
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

// An exchange that served two steps is known by either.
func TestSteps(t *testing.T) {
	x := &wire.Exchange{ID: 3}
	k := &Case{Transcript: &wire.Transcript{Plays: []wire.Play{{Scenario: "card", Steps: []wire.Step{{Name: "configured", Exchange: x}, {Name: "well-known", Exchange: x}, {Name: "older"}}}}}}
	if got := strings.Join(k.steps(3), " "); got != "card/configured card/well-known" {
		t.Errorf("got %s", got)
	}
	results := []Result{{Evidence: []Evidence{{Exchange: 3}, {}}, Findings: []Finding{{Evidence: &Evidence{Exchange: 3}}, {}}}}
	k.NameSteps(results)
	if r := results[0]; r.Evidence[0].Step != "card/configured" || r.Evidence[1].Step != "" || r.Findings[0].Evidence.Step != "card/configured" {
		t.Errorf("got %+v", r)
	}
}

func TestExcerpt(t *testing.T) {
	for _, c := range []struct {
		name  string
		texts []string
		want  string
	}{
		{"a code", []string{"the server answered code -32600; expected -32700 (ParseError) (A2A 0.1.0 §8.1) [exchange 14]"}, "answered code -32600"},
		{"codes", []string{"the server answered code -32600; expected -32700 (X) [exchange 14]", "the server answered code -32601; expected -32700 (X) [exchange 15]"}, "answered code"},
		{"bytes of the server", []string{`the server answered with a result: {"artifacts":[{"id":"x"}]}; expected -32602 (X §1) [exchange 183]`}, "answered with a result"},
		{"a member", []string{"the result has no `id`; expected it to be there (X §1) [exchange 117, /result]"}, "the result has no `id`"},
		{"an id", []string{`the server sent "a2a-conform-47b85658-b47c-42ae-9263-c6c70e8eead8"; expected "a2a-conform-74278108-92bc-4056-adab-b8055d7c044a", as contextId of the Task has it (X §6.4) [exchange 94]`}, "as contextId of the Task has it"},
		{"an address", []string{`the server uses "http://127.0.0.1:41101/rpc" twice, first at /urls/0; expected unique values (X) [exchange 1]`}, "twice, first at /urls/0"},
		{"only what is asked", []string{"the server sent {}; expected null (X §6) [exchange 103]"}, "expected null"},
		{"nothing in common", []string{"the server sent no id", "the server was late"}, ""},
		{"too little", []string{"no id"}, ""},
		{"none", nil, ""},
		{"times in a row", []string{"1.5 s2.0 s:8080:9090"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := excerpt(c.texts); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// FuzzExcerpt: whatever a server says, what is proposed fits what it said.
func FuzzExcerpt(f *testing.F) {
	f.Add("the server answered code -32600; expected -32700 (X) [exchange 14]", "the server answered code -32601; expected")
	f.Add("a exchange 1.0 s2.0 s exchange 5:80:90 x", "exchange 5 exchange 6")
	f.Add("\xff{[…", "\x00")
	f.Fuzz(func(t *testing.T, a, b string) {
		got := excerpt([]string{a, b})
		if got != "" && (!strings.Contains(a, got) || !strings.Contains(b, got) || len(got) > mostExcerpt) {
			t.Errorf("%q", got)
		}
	})
}
