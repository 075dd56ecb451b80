package serve

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documentedVariables reads the table of docs/clients.md: the variables that a client is started with, and those of them that
// have the value of a word of the command.
func documentedVariables(t *testing.T) (all []string, ofWords map[string]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash("../../docs/clients.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "| word | variable | value |\n")
	if !found {
		t.Fatal("docs/clients.md has no table of words and variables")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	name, word := regexp.MustCompile("`([A-Za-z0-9_]+)`"), regexp.MustCompile("`{([a-z-]+)}`")
	ofWords = map[string]string{}
	for _, row := range strings.Split(table, "\n")[1:] {
		cells := strings.Split(row, "|")
		for _, m := range name.FindAllStringSubmatch(cells[2], -1) {
			all = append(all, m[1])
			if w := word.FindStringSubmatch(cells[1]); w != nil {
				ofWords[w[1]] = m[1]
			}
		}
	}
	slices.Sort(all)
	return all, ofWords
}

// The guide lists each variable that a client is started with, and no other.
func TestVariablesOfClientsAreDocumented(t *testing.T) {
	own := t.TempDir()
	t.Setenv("HOME", own)
	t.Setenv("USERPROFILE", own)
	for _, f := range toolFolders {
		t.Setenv(f[0], "")
		if err := os.MkdirAll(filepath.Join(own, filepath.FromSlash(f[1])), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	given := os.Environ()
	var set []string
	for _, e := range (&Task{CA: "ca.pem", Cert: "cert.pem", CertKey: "key.pem", Keys: "keys.json", secure: true, Credentials: makeCanaries("a", []string{"bearer", "basic", "key", "client-id", "client-secret"}).values, Extensions: OptionalExtensions}).buildEnvironment(t.TempDir(), nil) {
		if name, _, _ := strings.Cut(e, "="); !slices.Contains(given, e) && !slices.Contains(set, name) {
			set = append(set, name)
		}
	}
	slices.Sort(set)
	documented, ofWords := documentedVariables(t)
	if !slices.Equal(set, documented) {
		t.Errorf("a client gets\n%q, and docs/clients.md has\n%q", set, documented)
	}
	words := Placeholders()
	if len(ofWords) != len(words) {
		t.Errorf("the table has %d words, and a command %d", len(ofWords), len(words))
	}
	for _, word := range words {
		if want := nameVariable(word); ofWords[word] != want {
			t.Errorf("docs/clients.md has %q for {%s}, want %s", ofWords[word], word, want)
		}
	}
}
