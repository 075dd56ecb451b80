package schema

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// madeUp is a history of three versions.
const madeUp = `versions:
  - version: 2
    changes:
      - {id: ZZ99-A-001, why: a SHOULD now}
      - {id: ZZ99-A-002, why: "asks for the code, too"}
  - version: 3
    changes: []
  - version: 4
    changes:
      - {id: ZZ99-A-001, why: a MAY now}
      - {id: ZZ99-A-003, why: a part of ZZ99-A-001, gone: true}
`

func TestHistoryBetween(t *testing.T) {
	h, err := ParseHistory("changes.yaml", []byte(madeUp))
	if err != nil {
		t.Fatal(err)
	}
	if h.Latest() != "4" {
		t.Errorf("the latest version is %s", h.Latest())
	}
	for _, c := range []struct{ earlier, later, want string }{
		{"", "2", "ZZ99-A-001 a SHOULD now, ZZ99-A-002 asks for the code, too"},
		{"1", "3", "ZZ99-A-001 a SHOULD now, ZZ99-A-002 asks for the code, too"},
		{"1", "4", "ZZ99-A-001 a MAY now, ZZ99-A-002 asks for the code, too, ZZ99-A-003 a part of ZZ99-A-001"},
		{"2", "4", "ZZ99-A-001 a MAY now, ZZ99-A-003 a part of ZZ99-A-001"},
		{"2", "3", ""},
		{"2", "2", ""},
		{"4", "4", ""},
		{"4", "9", ""},
		{"4", "1", ""},
		{"", "", ""},
		{"none", "2", "ZZ99-A-001 a SHOULD now, ZZ99-A-002 asks for the code, too"},
	} {
		got := h.Between(c.earlier, c.later)
		var all []string
		for _, id := range slices.Sorted(maps.Keys(got)) {
			all = append(all, id+" "+got[id].Why)
		}
		if s := strings.Join(all, ", "); s != c.want {
			t.Errorf("from %q to %q: %q, want %q", c.earlier, c.later, s, c.want)
		}
	}
	if got := h.Between("1", "4"); got["ZZ99-A-001"].Since != 4 || got["ZZ99-A-002"].Since != 2 || !got["ZZ99-A-003"].Gone {
		t.Errorf("got %+v", got)
	}
}

func TestHistoryMistakes(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "versions: []\n", "changes.yaml:1: there is no version"},
		{"an unknown key", "versions:\n  - version: 2\n    changed: []\n", "changes.yaml:3: unknown key"},
		{"a version left out", "versions:\n  - {version: 2, changes: []}\n  - {version: 4, changes: []}\n", "changes.yaml:3: version is 4; expected 3"},
		{"a version that goes back", "versions:\n  - {version: 1, changes: []}\n", "changes.yaml:2: version is 1; expected 2"},
		{"no id", "versions:\n  - version: 2\n    changes:\n      - why: x\n", `changes.yaml:4: id is ""`},
		{"a sentence for an id", "versions:\n  - version: 2\n    changes:\n      - {id: all of errors, why: x}\n", `changes.yaml:4: id is "all of errors"`},
		{"no why", "versions:\n  - version: 2\n    changes:\n      - id: ZZ99-A-001\n        why: ' '\n", "changes.yaml:5: ZZ99-A-001 needs a why"},
		{"a why of two lines", "versions:\n  - version: 2\n    changes:\n      - {id: ZZ99-A-001, why: \"a\\nb\"}\n", "changes.yaml:4: ZZ99-A-001 needs a why, in one line"},
		{"an id twice", "versions:\n  - version: 2\n    changes:\n      - {id: ZZ99-A-001, why: x}\n      - {id: ZZ99-A-001, why: y}\n", "changes.yaml:5: ZZ99-A-001 stands twice in version 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := ParseHistory("changes.yaml", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// misnamed are the ids of a history that are in no catalogue, or in one though
// they are said to be gone.
func misnamed(h *History, known func(id string) bool) (out []string) {
	last := h.Between("1", h.Latest())
	for _, id := range slices.Sorted(maps.Keys(last)) {
		if known(id) == last[id].Gone {
			out = append(out, id)
		}
	}
	return out
}

// Every id that ships is in a catalogue, or is not, as it says.
func TestShippedHistory(t *testing.T) {
	ids := map[string]bool{}
	for _, name := range Names() {
		d, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range d.Requirements {
			ids[r.ID] = true
		}
	}
	if got := misnamed(Changes(), func(id string) bool { return ids[id] }); len(got) > 0 {
		t.Errorf("schema/changes.yaml is wrong about %v", got)
	}
	h, err := ParseHistory("changes.yaml", []byte(madeUp))
	if err != nil {
		t.Fatal(err)
	}
	if got := misnamed(h, func(id string) bool { return id != "ZZ99-A-002" }); !slices.Equal(got, []string{"ZZ99-A-002", "ZZ99-A-003"}) {
		t.Errorf("of the made-up history it is wrong about %v", got)
	}
}
