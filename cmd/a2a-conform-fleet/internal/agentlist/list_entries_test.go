package agentlist

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/internal/testamount"
)

// A list is read entry by entry if it is large, and says the same of each entry and of each
// fault as if it is read as a whole.
func TestListIsSplitAtItsEntries(t *testing.T) {
	const good = "# agents\n---\nagents: # all\n  # the first\n  - target: http://a.test\n    name: one\n\n  -\n    target: http://b.test\n    stimuli:\n      quick:\n        text: |\n          - not an entry\n  - {target: http://c.test}\n"
	for _, c := range []struct{ name, text string }{
		{"good", good},
		{"at the margin", "agents:\n- target: http://a.test\n- target: http://b.test\n"},
		{"twice", good + "  - target: http://a.test\n    name: one\n    dialect: a2a-1.0\n"},
		{"no target", good + "  - name: x\n"},
		{"a text", good + "  - x\n"},
		{"a key twice", good + "  - target: http://d.test\n    target: http://e.test\n"},
		{"no YAML", good + "  - target: @x\n"},
		{"a tab", good + "  - target: x\n\tname: y\n"},
		{"a credential", good + "  - target: http://d.test\n    auth: {bearer: abc}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			whole, _, err := parseList("f", []byte(c.text))
			filler := strings.Repeat("# "+strings.Repeat("x", 1<<10)+"\n", maxWholeList>>10+1)
			split, _, splitErr := parseList("f", []byte(c.text+filler))
			if fmt.Sprint(err) != fmt.Sprint(splitErr) || !slices.EqualFunc(whole, split, func(a, b Target) bool { return a.ID == b.ID && a.line == b.line }) {
				t.Errorf("as a whole %v, %v\nby entries %v, %v", whole, err, split, splitErr)
			}
		})
	}
}

// A list in another form is read as a whole.
func TestListInAnotherForm(t *testing.T) {
	for _, text := range []string{"", "agents: [{target: http://a.test}]", "agents:\n  {}\n", "agents:\n  - a\n b: c\n", "agents:\n  - a\nother: 1\n", "x: 1\nagents:\n- a\n", "agents:\n"} {
		if parts, ok := splitList([]byte(text)); ok {
			t.Errorf("%q was split into %d parts", text, len(parts))
		}
	}
}

// A list has as many agents as are queued, and its nodes are not in memory together.
func TestLargeListIsReadEntryByEntry(t *testing.T) {
	testamount.SkipInShort(t)
	for name, c := range map[string]struct{ before, entry, after string }{
		"YAML": {"agents:\n", "- {target: \"http://h%d.test\"}\n", ""},
		"JSON": {"{\"agents\": [\n", "{\"target\": \"http://h%d.test\"},\n", "{}]}"},
	} {
		t.Run(name, func(t *testing.T) {
			list := func(entries int) []byte {
				var text strings.Builder
				text.WriteString(c.before)
				for i := range entries {
					fmt.Fprintf(&text, c.entry, i)
				}
				text.WriteString(c.after)
				return []byte(text.String())
			}
			whole := MaxEntries - strings.Count(c.after, "{}")
			text := list(whole)
			runtime.GC()
			var before, during runtime.MemStats
			runtime.ReadMemStats(&before)
			count, line := 0, 0
			for n, err := range listNodes("f", text) {
				if err != nil {
					t.Fatal(err)
				}
				if count++; count == whole {
					line = n.Line
					runtime.GC()
					runtime.ReadMemStats(&during)
				}
			}
			if held := int64(during.HeapAlloc) - int64(before.HeapAlloc); count != MaxEntries || line != whole+1 || held > 64<<20 {
				t.Errorf("%d entries, the last but one in line %d, which hold %d MiB", count, line, held>>20)
			}
			for _, err := range listNodes("f", list(MaxEntries+1)) { // before any of them is parsed
				if want := "f:200002: the list has more than 200000 agents"; err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %s", err, want)
				}
			}
		})
	}
}

// A large list in JSON says of each fault what a small one says.
func TestListInJSON(t *testing.T) {
	for _, entry := range []string{`{"target": "x"}`, `{"target": "http://d.test", "dialekt": 1}`, `{"target": "http://a.test", "name": "other"}`, `5`, `{"name": "x"}`} {
		text := "{\"agents\": [\n  {\"target\": \"http://a.test\"},\n\n  " + entry + "\n]}"
		whole, _, err := parseList("f", []byte(text))
		split, _, splitErr := parseList("f", []byte(text+strings.Repeat("\n", maxWholeList)))
		if fmt.Sprint(err) != fmt.Sprint(splitErr) || len(whole) != len(split) {
			t.Errorf("%s: as a whole %d, %v\nby entries %d, %v", entry, len(whole), err, len(split), splitErr)
		}
	}
	for _, text := range []string{`{"agents": {}}`, `{"agents": []} x`, `{"agents": [], "other": 1}`, `{"agents": [{]}`, `[]`, ``, `{"agents": [`} {
		if parts, ok := splitJSON([]byte(text)); ok {
			t.Errorf("%q was split into %d parts", text, len(parts))
		}
	}
}
