package serve

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/schema"
)

// ListMarkers returns the names of what carries a random word in a scenario, such as event-1: by these words is seen whether
// the client shows what it is sent.
func (s *Script) ListMarkers(d *schema.Dialect) (names []string) {
	nowhere := []string{"http://127.0.0.1:1", "http://127.0.0.1:2"} // no client calls it
	for _, m := range setStage(s, d, operator.Naming{Seed: "markers"}.IDs(s.Name), nowhere, "http://127.0.0.1:3").markers {
		names = append(names, m.In)
	}
	return names
}

// IsNamedBy reports whether a name is one of the scenario in a dialect: it is its own, or the beginning of the names of several,
// up to a hyphen.
func (s *Script) IsNamedBy(dialect, name string) bool {
	return s.Name == name || strings.HasPrefix(s.Name, name+"-") && Find(dialect, name) == nil
}

// ChooseScripts returns the scenarios that a run plays if those of some names are asked for: they, and what they are compared
// with. Without a name it is all of the dialect. What needs an extra that is not granted is not played.
func ChooseScripts(dialect string, names, granted []string) ([]Script, error) {
	out, err := findScripts(dialect, names)
	return keepGranted(out, granted), err
}
