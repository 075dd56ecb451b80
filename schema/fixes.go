package schema

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
)

// fixesFile has the name of the file of fixes in the folder of a dialect, and in the common one.
const fixesFile = "fixes.yaml"

// maxFixWords is how many words a fix has at most: it is read under a failure, in a terminal.
const maxFixWords = 25

// FixText returns what the maker of a server changes if a requirement fails; "" if the catalogue does not
// say. The fixes of a dialect that ships with the program are read when one is first asked for. They
// decide no verdict, so the digest of the catalogue does not cover them.
func (d *Dialect) FixText(id string) string {
	if d.Requirement(id) == nil || d.fixes == nil {
		return CommonFixText(id)
	}
	return d.fixes()[id]
}

// CommonFixText returns the fix of a requirement that every dialect shares; "" if the catalogue does not
// say, or if no such requirement is shared.
func CommonFixText(id string) string {
	if CommonRequirement(id) == nil {
		return ""
	}
	return commonFixes()[id]
}

var commonFixes = sync.OnceValue(func() map[string]string {
	out, err := readFixes(files, commonFolder, func(id string) bool { return CommonRequirement(id) != nil })
	if err != nil {
		panic(err) // a test reads it
	}
	return out
})

// readFixes reads the fixes of the dialect, which are in its folder.
func (d *Dialect) readFixes(fsys fs.FS, dir string) (map[string]string, error) {
	return readFixes(fsys, dir, func(id string) bool { return d.Requirement(id) != nil })
}

// readFixes reads the fixes in a folder, by the id of their requirements. There are none if the folder
// has no such file. known reports whether the catalogue of the folder has a requirement.
func readFixes(fsys fs.FS, dir string, known func(id string) bool) (map[string]string, error) {
	text, err := fs.ReadFile(fsys, path.Join(dir, fixesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseFixes(path.Join("schema", dir, fixesFile), text, known)
}

// parseFixes takes a file of fixes apart; file is what errors call it.
func parseFixes(file string, text []byte, known func(id string) bool) (map[string]string, error) {
	var doc struct {
		Fixes []struct {
			Fix string   `yaml:"fix"`
			IDs []string `yaml:"ids"`
		} `yaml:"fixes"`
	}
	root, err := decodeStrict(file, text, &doc, MaxYAML)
	if err != nil {
		return nil, err
	}
	places := Places{root}
	var mistakes []error
	mistake := func(at []any, format string, args ...any) {
		mistakes = append(mistakes, fmt.Errorf("%s:%d: %s", file, places.Line(append([]any{"fixes"}, at...)...), fmt.Sprintf(format, args...)))
	}
	if len(doc.Fixes) == 0 {
		mistake(nil, "there is no fix; write one, or delete the file")
	}
	out := map[string]string{}
	lines := map[string]int{}
	for i, f := range doc.Fixes {
		fix := strings.Join(strings.Fields(f.Fix), " ")
		switch n := len(strings.Fields(fix)); {
		case n == 0:
			mistake([]any{i, "fix"}, "the fix is empty; write in a sentence what to change in a server")
		case n > maxFixWords:
			mistake([]any{i, "fix"}, "the fix has %d words; at most %d are read at a glance", n, maxFixWords)
		}
		if len(f.IDs) == 0 {
			mistake([]any{i, "ids"}, "the fix is of no requirement; list the ids of those that it mends")
		}
		for j, id := range f.IDs {
			at := []any{i, "ids", j}
			switch line := lines[id]; {
			case line > 0:
				mistake(at, "%s has two fixes; the first is in line %d", id, line)
			case !known(id):
				mistake(at, "%s is no requirement of this catalogue", id)
			}
			out[id], lines[id] = fix, places.Line("fixes", i, "ids", j)
		}
	}
	return out, errors.Join(mistakes...)
}
