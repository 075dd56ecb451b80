package repotest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/schema"
)

const addingPage = "docs/adding-a-requirement.md"

var (
	patchedFile = regexp.MustCompile(`(?m)^\+\+\+ b/(\S+)$`)
	newMutant   = regexp.MustCompile(`(?m)^\+  - name: (\S+)$`)
	quickTest   = regexp.MustCompile(`(?m)^go (test -run \S+ \S.*)$`)
	quotedGo    = regexp.MustCompile("(?s)\n```go\n(.*?)\n```\n")
)

// The page on adding a requirement is a patch: it applies, what the page has tested
// afterwards holds, and only the mutant is missing where the page says so.
func TestAddingARequirement(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	page, err := os.ReadFile(addingPage)
	if err != nil {
		t.Fatal(err)
	}
	root, patched := patchedTree(t, page)
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": patched})
	if err == nil {
		err = os.WriteFile(overlay, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	mutant := newMutant.FindSubmatch(page)
	if mutant == nil {
		t.Fatalf("%s adds no mutant", addingPage)
	}
	wordsOfThePage(t, root, string(mutant[1]))
	tests := quickTest.FindAllSubmatch(page, -1)
	if len(tests) < 2 {
		t.Fatalf("%s names %d quick tests", addingPage, len(tests))
	}
	for _, q := range tests {
		// Of this package wordsOfThePage has made the test: all rooms would have to be
		// compiled anew for it.
		args := strings.Fields(strings.TrimSuffix(string(q[1]), " ."))
		passed := "--- PASS: "
		if strings.Contains(args[2], "/") { // a test of which there is one for each mutant
			passed += args[2]
		}
		args = append([]string{"test", "-overlay", overlay, "-v"}, args[1:]...)
		out, err := exec.Command("go", args...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), passed) {
			t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// patchedTree applies the page to copies of the files that it changes, and to the rest
// of their dialect. It returns where they are, and the copy of each file of ours.
func patchedTree(t *testing.T, page []byte) (root string, copies map[string]string) {
	root, copies = t.TempDir(), map[string]string{}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	keep := func(name string) {
		text, err := os.ReadFile(name)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(root, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range patchedFile.FindAllSubmatch(page, -1) {
		name := string(m[1])
		copies[filepath.Join(here, name)] = filepath.Join(root, name)
		keep(name)
	}
	for _, pattern := range []string{"schema/*.yaml", "schema/*/*.*", "schema/*/requirements/*.yaml"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range more {
			keep(name)
		}
	}
	apply := exec.Command("git", "apply", filepath.Join(here, addingPage))
	apply.Dir = root
	apply.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(root)) // it is in no repository
	if out, err := apply.CombinedOutput(); err != nil {
		t.Fatalf("git apply %s: %v\n%s", addingPage, err, out)
	}
	return root, copies
}

// wordsOfThePage finds the slips in the catalogues with the new requirement: the mutant,
// as long as nobody made it, and nothing else.
func wordsOfThePage(t *testing.T, root, mutant string) {
	missing := 0
	for _, name := range schema.Names() {
		d, err := schema.LoadFS(os.DirFS(filepath.Join(root, "schema")), name)
		if err != nil {
			t.Fatal(err)
		}
		words, err := vocabularyOf(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, slip := range words.slips(d) {
			if !strings.Contains(slip.Error(), ": unknown mutant "+mutant+";") {
				t.Error(slip)
			}
			missing++
		}
	}
	if missing != 1 {
		t.Errorf("without the mutant %s there are %d slips, want 1", mutant, missing)
	}
}

// The Go that the page quotes stands in the tree.
func TestAddingQuotesTheTree(t *testing.T) {
	page, err := os.ReadFile(addingPage)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, pattern := range []string{"suites/*.go", "suites/*/*.go"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	var tree strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		tree.Write(text)
	}
	quotes := quotedGo.FindAllSubmatch(page, -1)
	if len(quotes) == 0 {
		t.Error("the page quotes nothing")
	}
	for _, q := range quotes {
		if !strings.Contains(tree.String(), string(q[1])) {
			t.Errorf("%s quotes what is not in suites/:\n%s", addingPage, q[1])
		}
	}
}
