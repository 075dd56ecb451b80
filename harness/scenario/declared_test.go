package scenario

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/scenario/endpoint"
	"github.com/a2a-conform/a2a-conform/harness/scenario/limits"
)

func TestReadDeclarations(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"- id: one\n  steps:\n    send: Calls {send}.\n", ""},
		{"- id: one\n  sendz: 2\n", `area/scenarios.yaml:2: unknown key "sendz"`},
		{"- id: one\n  sends: many\n", "area/scenarios.yaml:2: "},
		{"- id: one\n- doc: without code\n  id: two\n", `area/scenarios.yaml:3: the scenario "two" has no code`},
		{"- id: one\n\n- id: one\n", `area/scenarios.yaml:3: the scenario "one" is declared twice`},
		{"[]\n", `the scenario "one" is declared in no scenarios.yaml`},
	} {
		files := fstest.MapFS{"area/scenarios.yaml": {Data: []byte(c.text)}}
		_, err := readDeclarations(files, []conversation.Scenario{{Name: "one"}})
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%q: %v", c.text, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%q: got the error %v, want %q", c.text, err, c.want)
		}
	}
}

func BenchmarkReadDeclarations(b *testing.B) {
	code := slices.Concat(inOrder, []conversation.Scenario{limits.Nested, endpoint.Disguise})
	for b.Loop() {
		if _, err := readDeclarations(files, code); err != nil {
			b.Fatal(err)
		}
	}
}
