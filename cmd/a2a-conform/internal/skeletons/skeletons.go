// Package skeletons has programs to begin an adapter with: each does with one client what the suite
// asks for, and reports what that saw.
package skeletons

import (
	"embed"
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
)

//go:embed adapter.py adapter-1.0.js adapter-0.3.js adapter-1.0.go.txt adapter-0.3.go.txt
var programs embed.FS

// files are the names of the programs by language, with a place for the version of the protocol.
var files = map[string]string{"python": "adapter.py", "js": "adapter-%s.js", "go": "adapter-%s.go.txt"}

// Languages lists the languages for which there is a program.
func Languages() []string { return []string{"js", "python", "go"} }

// Read returns the program for a language and a dialect.
func Read(language, dialect string) ([]byte, error) {
	name, known := files[language]
	if !known {
		return nil, fmt.Errorf("%s for adapters", schema.Unknown("language", language, Languages()))
	}
	if strings.Contains(name, "%s") {
		name = fmt.Sprintf(name, strings.TrimPrefix(dialect, "a2a-"))
	}
	return programs.ReadFile(name)
}
