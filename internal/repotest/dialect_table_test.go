package repotest

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
)

var update = flag.Bool("update", false, "rewrite what is generated")

var tablePlace = regexp.MustCompile(`(?s)(<!-- dialects: [^\n]*-->\n)(.*?)(<!-- /dialects -->)`)

// The tables of dialects in the README and in the guide say what the catalogue holds.
func TestDialectTables(t *testing.T) {
	for file, table := range map[string]string{"README.md": shortDialectTable(t), "docs/protocols.md": dialectTable(t)} {
		text := contents(t, file)
		m := tablePlace.FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("%s has no place for the table of dialects", file)
		}
		switch {
		case m[2] == table:
		case *update:
			written := tablePlace.ReplaceAllString(text, "${1}"+strings.ReplaceAll(table, "$", "$$")+"${3}")
			if err := os.WriteFile(file, []byte(written), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("the table of dialects in %s is out of date; -update rewrites it:\n%s", file, table)
		}
	}
}

// shortDialectTable tells in a line each what the dialects are, the default first.
func shortDialectTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| dialect | what it is | requirements |\n|---|---|---|\n")
	names := slices.DeleteFunc(schema.Names(), func(name string) bool { return name == schema.DefaultName })
	for _, name := range slices.Insert(names, 0, schema.DefaultName) {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "| `%s` | %s: %s | %d |\n", d.Name, d.Title, d.About, len(d.Requirements))
	}
	return b.String()
}

// dialectTable counts the requirements of every dialect by level, and those that
// nobody can judge from outside.
func dialectTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| dialect | protocol | MUST | SHOULD | MAY | not observable | bindings |\n|---|---|---|---|---|---|---|\n")
	for _, name := range schema.Names() {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		levels, unobservable := map[schema.Level]int{}, 0
		for _, r := range d.Requirements {
			levels[r.Level]++
			if r.Unobservable != "" {
				unobservable++
			}
		}
		bindings := strings.Join(d.Transports, ", ")
		if bindings == "" {
			bindings = "JSON-RPC"
		}
		if d.Detect.Never {
			bindings += "; only by --dialect"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %d | %d | %d | %d | %s |\n", d.Name, d.Title, levels[schema.Must], levels[schema.Should], levels[schema.May], unobservable, bindings)
	}
	return b.String()
}

// The guides count the defects that the bundled server has.
func TestGuidesCountTheDefects(t *testing.T) {
	count := 0
	for _, dialect := range reference.Dialects() {
		count += len(reference.Mutants(dialect))
	}
	want := fmt.Sprintf("%d,%03d defects", count/1000, count%1000)
	for _, guide := range []string{"README.md", "docs/comparison.md"} {
		if !strings.Contains(contents(t, guide), want) {
			t.Errorf("%s does not say that the bundled server has %s", guide, want)
		}
	}
}
