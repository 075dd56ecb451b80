package acts

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
	corpus "github.com/a2a-conform/a2a-conform/schema/acts"
)

// TestMapIsComplete: the map has each test of the corpus once, in its order, and names requirements that exist.
func TestMapIsComplete(t *testing.T) {
	set := readCorpus(t, Options{})
	mappings, err := Mappings()
	if err != nil {
		t.Fatal(err)
	}
	d, err := schema.Load("a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, m := range mappings {
		got = append(got, m.ID)
		for _, id := range m.Requirements {
			if !slices.ContainsFunc(d.Requirements, func(q schema.Requirement) bool { return q.ID == id }) {
				t.Errorf("%s names %s, which does not exist", m.ID, id)
			}
		}
		switch m.Is {
		case JudgesSame, JudgesStronger, JudgesWeaker:
			if len(m.Requirements) == 0 {
				t.Errorf("%s names no requirement", m.ID)
			}
		case JudgesNone, IsWrong:
		default:
			t.Errorf("%s is %q", m.ID, m.Is)
		}
		if m.Why == "" && m.Is != JudgesSame || m.Why != "" && !strings.HasSuffix(m.Why, ".") {
			t.Errorf("%s is %s, and the sentence is %q", m.ID, m.Is, m.Why)
		}
		if m.Beyond != nil && (m.Is == IsWrong || !strings.HasSuffix(m.Beyond.Why, ".")) {
			t.Errorf("%s is %s, and demands beyond that %+v", m.ID, m.Is, *m.Beyond)
		}
		if m.Is == JudgesNone && len(m.Requirements) > 0 {
			t.Errorf("%s has none, but names %v", m.ID, m.Requirements)
		}
	}
	for _, x := range set.Tests() {
		want = append(want, x.ID)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got the ids %v, want %v", got, want)
	}
	if m, ok := FindMapping("REST-PD-001"); !ok || m.Is != IsWrong || !m.Corrected {
		t.Errorf("got %v", m)
	}
	if _, ok := FindMapping("MY-OWN-001"); ok {
		t.Error("a test of another corpus is mapped")
	}
}

// TestGuideOfCorpus: docs/acts.md ends with the table that is made from the corpus and the map.
func TestGuideOfCorpus(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "acts.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const mark = "<!-- written by go test ./harness/acts -run TestGuideOfCorpus -update -->\n"
	head, _, ok := strings.Cut(string(text), mark)
	if !ok {
		t.Fatalf("%s lacks the line %s", file, mark)
	}
	want := head + mark + describeCorpus(t)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(text) != want {
		t.Errorf("%s is out of date; -update rewrites its end", file)
	}
}

// describeCorpus returns the forms beyond the grammar, and what ours judge in place of each test.
func describeCorpus(t *testing.T) string {
	set := readCorpus(t, Options{})
	mappings, err := Mappings()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	beyond := testsBeyondGrammar(set, func(f Form) bool { return !f.Grammatical })
	fmt.Fprintf(&b, "\n## Forms beyond the grammar\n\n%d of the %d tests of the corpus of %s have forms that the grammar (appendix A of the draft, and the nesting of its section 5.2) does\nnot have. This is the whole table of them: whatever else a document has, it is refused. `--strict` refuses these, too, unless the\nlast column has *yes*.\n\n", beyond, corpus.CorpusTests, corpus.CorpusDate)
	less := testsBeyondGrammar(set, func(f Form) bool {
		return !f.Grammatical && !slices.Contains([]string{formEmptyList, formBodyOperators, formOneOfAssertions, formUndefinedVariable}, f.Name)
	})
	fmt.Fprintf(&b, "Who counts otherwise gets another number: without the lists that are empty (`requires_behaviors: [+ text]` has at least one text),\nthe operators in the place of members (`body: { * text => assertion }` has none), and the variables that nothing defines (which no\ngrammar shows), it is %d.\n\n", less)
	b.WriteString("| form | read | times in the corpus | tests | grammatical |\n|---|---|---|---|---|\n")
	for _, f := range Forms {
		count := 0
		for _, n := range set.Notices {
			if n.Form == f.Name {
				count++
			}
		}
		tests := testsBeyondGrammar(set, func(other Form) bool { return other.Name == f.Name })
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %s |\n", f.Has, f.Read, count, tests, map[bool]string{true: "yes, but its meaning is open"}[f.Grammatical])
	}
	counts := map[string]int{}
	for _, m := range mappings {
		counts[m.Is]++
	}
	fmt.Fprintf(&b, "\n## The corpus of %s, test by test\n\nOf the %d tests, the requirements of `a2a-1.0` judge %d in the same way, %d more strongly, %d more weakly and %d not at all; %d are wrong: they\ndemand what A2A does not demand, or show nothing of what they are about. *Corrected* means that the corpus has been corrected since.\n", corpus.CorpusDate, len(mappings),
		counts[JudgesSame], counts[JudgesStronger], counts[JudgesWeaker], counts[JudgesNone], counts[IsWrong])
	for _, s := range set.Suites {
		fmt.Fprintf(&b, "\n### %s\n\n| test | level | ours | requirements | why |\n|---|---|---|---|---|\n", s.Name)
		for _, x := range s.Tests {
			m, ok := FindMapping(x.ID)
			if !ok {
				t.Fatal(errors.New("no mapping of " + x.ID))
			}
			why := m.Why
			if m.Beyond != nil {
				why = strings.TrimSpace(why + " " + m.Beyond.Why)
			}
			if m.Corrected {
				why = strings.TrimSpace(why + " *Corrected.*")
			}
			fmt.Fprintf(&b, "| %s: %s | %s | %s | %s | %s |\n", x.ID, x.Name, x.Level, m.Is, strings.Join(m.Requirements, ", "), why)
		}
	}
	return b.String()
}
