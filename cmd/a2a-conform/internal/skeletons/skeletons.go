// Package skeletons has programs to begin an adapter with: each does with one client what the suite
// asks for, and reports what that saw.
package skeletons

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
)

//go:embed adapter.py adapter-1.0.js adapter-0.3.js adapter-1.0.go.txt adapter-0.3.go.txt
var programs embed.FS

// files are the names of the programs by language, with a place for the version of the protocol.
var files = map[string]string{"python": "adapter.py", "js": "adapter-%s.js", "go": "adapter-%s.go.txt"}

// dialects are those whose clients there are programs for.
var dialects = []string{"a2a-1.0", "a2a-0.3"}

// Languages lists the languages for which there is a program.
func Languages() []string { return []string{"js", "python", "go"} }

// Read returns the program for a language and a dialect.
func Read(language, dialect string) ([]byte, error) {
	name, known := files[language]
	if !known {
		return nil, fmt.Errorf("%s for adapters", schema.Unknown("language", language, Languages()))
	}
	if dialect != "" && !slices.Contains(dialects, dialect) {
		return nil, fmt.Errorf("there is no adapter to begin with for clients of %s, but one for those of %s (docs/adapters.md describes what it does)", dialect, strings.Join(dialects, " and "))
	}
	if strings.Contains(name, "%s") {
		name = fmt.Sprintf(name, strings.TrimPrefix(dialect, "a2a-"))
	}
	return programs.ReadFile(name)
}
