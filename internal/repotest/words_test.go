package repotest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// A limit is how often something may occur in the code. It only falls: a change that brings the
// count below it by more than a tenth lowers the limit too.
type limit int

// check compares a count with its limit, and shows some of the places if there are too many.
func (l limit) check(t *testing.T, what string, places []string) {
	t.Helper()
	got := len(places)
	if got > int(l) {
		t.Errorf("%s: got %d, want at most %d. Some of them:\n\t%s", what, got, l, strings.Join(places[:min(got, 20)], "\n\t"))
	}
	if slack := max(3, int(l)/10); got < int(l)-slack {
		t.Errorf("%s: got %d; lower the limit, which is %d", what, got, l)
	}
}

// The limits of this commit.
const (
	oneWordNames     limit = 265
	wordsOnScreens   limit = 78
	wordsInDocuments limit = 1
)

// wordLimits are words of a private language, which engineers who are new to the code stumble
// over, and how many lines of comments may have each.
var wordLimits = map[string]limit{
	"where": 23, "says": 22, "said": 4, "told": 8, "tells": 3, "stands": 7, "nobody": 1, "beside": 6, "aside": 0, "goes on": 0, "speaks": 7, "word of": 3,
}

// plainNames are one-word names that every Go engineer knows.
var plainNames = []string{"main", "init"}

// source is a Go file that is no test, as the limits count them.
type source struct {
	path   string
	fset   *token.FileSet
	syntax *ast.File
}

// at returns the place of a node.
func (s source) at(pos token.Pos) string {
	return s.path + ":" + strconv.Itoa(s.fset.Position(pos).Line)
}

// parseSources parses the Go files of the project that are no tests.
func parseSources(t *testing.T) (all []source) {
	t.Helper()
	root := "."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := filepath.ToSlash(path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || name == "examples" || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".pb.go"):
			return nil
		}
		fset := token.NewFileSet()
		syntax, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		all = append(all, source{name, fset, syntax})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 300 {
		t.Fatalf("got %d files", len(all))
	}
	return all
}

// isOneWord reports whether a name has no part that begins with an upper-case letter.
var isOneWord = regexp.MustCompile(`^[a-z0-9]+$`).MatchString

// TestFunctionsHaveNamesOfVerbAndObject counts unexported functions whose name is one word, since
// such a name rarely shows what the function does.
func TestFunctionsHaveNamesOfVerbAndObject(t *testing.T) {
	var places []string
	for _, s := range parseSources(t) {
		for _, d := range s.syntax.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && isOneWord(f.Name.Name) && !slices.Contains(plainNames, f.Name.Name) {
				places = append(places, s.at(f.Pos())+" "+f.Name.Name)
			}
		}
	}
	oneWordNames.check(t, "functions named by one word", places)
}

// findWord returns an expression for a whole word in any case.
func findWord(word string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b` + word + `\b`) }

// TestCommentsArePlain counts comment lines with words of a private language.
func TestCommentsArePlain(t *testing.T) {
	sources := parseSources(t)
	for word, limit := range wordLimits {
		expression := findWord(word)
		var places []string
		for _, s := range sources {
			for _, group := range s.syntax.Comments {
				for _, c := range group.List {
					if expression.MatchString(c.Text) {
						places = append(places, s.at(c.Pos())+" "+c.Text)
					}
				}
			}
		}
		limit.check(t, fmt.Sprintf("comment lines with %q", word), places)
	}
}

// hardWords returns the words of a private language that a text has. "says" and "where" are
// ordinary words in documents, so that they are left out if lenient.
func hardWords(text string, lenient bool) (found []string) {
	for _, word := range slices.Sorted(maps.Keys(wordLimits)) {
		if lenient && (word == "says" || word == "where") {
			continue
		}
		if findWord(word).MatchString(text) {
			found = append(found, word)
		}
	}
	return found
}

// TestStatementsArePlain finds words of a private language in the statements of requirements.
func TestStatementsArePlain(t *testing.T) {
	for _, name := range schema.Names() {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range d.Requirements {
			if found := hardWords(q.Statement, false); len(found) > 0 {
				t.Errorf("%s has %q: %s", q.ID, found, q.Statement)
			}
		}
	}
}

// TestScreensArePlain counts the texts for users with words of a private language: string
// literals of several words in the packages that print them.
func TestScreensArePlain(t *testing.T) {
	var places []string
	for _, s := range parseSources(t) {
		if !slices.ContainsFunc([]string{"cmd/", "reports/", "suites/", "harness/"}, func(folder string) bool { return strings.HasPrefix(s.path, folder) }) {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			if found := hardWords(text, true); len(found) > 0 && len(strings.Fields(text)) > 2 {
				places = append(places, fmt.Sprintf("%s %q in %q", s.at(literal.Pos()), found, text))
			}
			return true
		})
	}
	wordsOnScreens.check(t, "texts for users with words of a private language", places)
}

// TestDocumentsArePlain counts the lines of the guides with words of a private language.
func TestDocumentsArePlain(t *testing.T) {
	guides, err := filepath.Glob(filepath.Join("docs", "*.md"))
	if err != nil || len(guides) < 10 {
		t.Fatalf("got %d guides, %v", len(guides), err)
	}
	var places []string
	for _, guide := range append(guides, "README.md") {
		text, err := os.ReadFile(guide)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			if found := hardWords(line, true); len(found) > 0 {
				places = append(places, fmt.Sprintf("%s:%d %q", filepath.Base(guide), n+1, found))
			}
		}
	}
	wordsInDocuments.check(t, "lines of guides with words of a private language", places)
}

// retiredTerms are terms that this project once had for things that the field has a term for, or
// that nobody could guess. They are no part of a name any more.
var retiredTerms = map[string]string{
	"foreword": "the first play",
	"hurry":    "a burst",
	"unlucky":  "a play that suffered from load",
	"farewell": "cleanup",
	"slip":     "a mistake of the operator, or a usage error",
}

// nameParts splits an identifier at its upper-case letters.
func nameParts(name string) []string {
	return strings.Fields(strings.ToLower(regexp.MustCompile(`[A-Z]+`).ReplaceAllString(name, " $0")))
}

// TestNamesHaveNoRetiredTerms finds identifiers with a term that was retired.
func TestNamesHaveNoRetiredTerms(t *testing.T) {
	for _, s := range parseSources(t) {
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				for _, part := range nameParts(id.Name) {
					if plain := retiredTerms[part]; plain != "" {
						t.Errorf("%s %s: the field calls it %s", s.at(id.Pos()), id.Name, plain)
					}
				}
			}
			return true
		})
	}
}

// TestOwnTermsAreExplained: the guides mark a term of the project in bold if they define it, and
// the glossary has it.
func TestGlossaryIsSorted(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("docs", "glossary.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || strings.HasPrefix(cells[1], "---") || strings.TrimSpace(cells[1]) == "term" {
			continue
		}
		term := strings.TrimSpace(cells[1])
		if seen[term] {
			t.Errorf("%s is explained twice", term)
		}
		seen[term] = true
		if found := hardWords(line, true); len(found) > 0 {
			t.Errorf("%s is explained with %q", term, found)
		}
	}
	if len(seen) < 40 {
		t.Errorf("got %d terms", len(seen))
	}
}
