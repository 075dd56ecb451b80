package repotest

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// listFiles returns the paths of all files of the project, and of the folders that have them.
func listFiles(t *testing.T) (files, folders []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case name == ".git" || d.Name() == "node_modules":
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
			folders = append(folders, name)
		default:
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, folders
}

// The names in guides that are to exist: paths and Go files, and functions of Go tests.
var (
	quoted       = regexp.MustCompile("`([^`\n]+)`")
	pathOrGoFile = regexp.MustCompile(`^[\w.-]+(/[\w.*-]+)+/?$|^[\w-]+\.go$`)
	testFunction = regexp.MustCompile(`^((?:Test|Fuzz|Benchmark)[A-Z]\w*)(/.*)?$`)
	placeholder  = regexp.MustCompile(`NAME|AREA`)
	declaration  = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
)

// TestNamesInGuidesExist looks for the files, folders and test functions that the guides name.
// A path is looked for if it begins with a folder of the project; it may be relative to a folder.
// NAME and AREA in a path are placeholders.
func TestNamesInGuidesExist(t *testing.T) {
	files, folders := listFiles(t)
	functions := map[string]bool{}
	for _, file := range files {
		if library := !strings.Contains(file, "/"); !strings.HasSuffix(file, ".go") || !library && !strings.HasSuffix(file, "_test.go") {
			continue // the library has functions for tests of others
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declaration.FindAllSubmatch(text, -1) {
			functions[string(m[1])] = true
		}
	}
	exists := func(name string) bool {
		pattern := placeholder.ReplaceAllString(strings.TrimSuffix(name, "/"), "*")
		return slices.ContainsFunc(slices.Concat(files, folders), func(file string) bool {
			matched, err := path.Match(pattern, file)
			return err == nil && matched || strings.HasSuffix(file, "/"+pattern)
		})
	}
	guides, err := filepath.Glob(filepath.Join("docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, guide := range append(guides, "README.md", "CONTRIBUTING.md", "SECURITY.md") {
		text, err := os.ReadFile(guide)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			for _, m := range quoted.FindAllStringSubmatch(line, -1) {
				name := m[1]
				first, _, _ := strings.Cut(name, "/")
				known := true
				if f := testFunction.FindStringSubmatch(name); f != nil {
					known = functions[f[1]]
				} else if pathOrGoFile.MatchString(name) && (first == name || slices.Contains(folders, first)) {
					known = exists(name)
				} else {
					continue
				}
				if seen++; !known {
					t.Errorf("%s:%d names %s, which does not exist", filepath.ToSlash(guide), n+1, name)
				}
			}
		}
	}
	if seen < 200 {
		t.Errorf("got %d names, want at least 200", seen)
	}
}
