package acts

import (
	"io/fs"
	"maps"
	"strings"
	"testing"

	corpus "github.com/a2a-conform/a2a-conform/schema/acts"
)

func readCorpus(t *testing.T, options Options) *Set {
	t.Helper()
	set, err := Files(corpus.ReadCorpusFile, []string{corpus.CorpusMaster}, options)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// corpusForms is how often the corpus has each form.
var corpusForms = map[string]int{formBareEvent: 6, formBareExpect: 4, formBodyOperators: 9, formEmptyList: 10, formErrorCode: 13, formErrorData: 1, formErrorUntyped: 5,
	formExtendedCard: 2, formItems: 5, formMessageIDs: 13, formOneOfAssertions: 1, formOperationName: 18, formRawStream: 1, formStatusError: 1, formUndefinedVariable: 4, formWebhook: 1}

func TestCorpusIsRead(t *testing.T) {
	set := readCorpus(t, Options{})
	if got := len(set.Tests()); got != corpus.CorpusTests {
		t.Errorf("got %d tests, want %d", got, corpus.CorpusTests)
	}
	forms := map[string]int{}
	for _, n := range set.Notices {
		forms[n.Form]++
	}
	if !maps.Equal(forms, corpusForms) {
		t.Errorf("got the forms %v, want %v", forms, corpusForms)
	}
	for _, x := range set.Tests() {
		if x.AssertsNothing() {
			t.Errorf("%s asserts nothing", x.ID)
		}
	}
	if got := testsBeyondGrammar(set, func(f Form) bool { return !f.Grammatical }); got != 51 {
		t.Errorf("got %d tests beyond the grammar", got)
	}
}

// testsBeyondGrammar counts the tests that have one of some forms.
func testsBeyondGrammar(set *Set, counts func(Form) bool) int {
	tests := map[string]bool{}
	for _, n := range set.Notices {
		if n.Test != "" && counts(findForm(n.Form)) {
			tests[n.Test] = true
		}
	}
	return len(tests)
}

// TestCorpusInStrictMode: the strict mode refuses nothing but the forms beyond the grammar, each in its line.
func TestCorpusInStrictMode(t *testing.T) {
	names, err := fs.Glob(corpus.Corpus(), "*.acts.yaml")
	if err != nil || len(names) != 15 {
		t.Fatalf("got %v, %v", names, err)
	}
	for _, name := range names {
		if name == corpus.CorpusMaster {
			continue
		}
		_, err := Files(corpus.ReadCorpusFile, []string{name}, Options{Strict: true})
		if err == nil {
			continue
		}
		for line := range strings.Lines(err.Error()) {
			if !strings.Contains(line, "the grammar has no such form: ") || !strings.HasPrefix(line, name+":") {
				t.Errorf("got %s", line)
			}
		}
	}
}
