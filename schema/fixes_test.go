package schema

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const madeFixes = `fixes:
  # both of one cause
  - fix: |-
      Check the token
      before the handler.
    ids: [ZZ99-ERR-001, ZZ99-TASK-001]
  - fix: Store the task first.
    ids:
      - ZZ99-TASK-002
`

// A requirement has the fix that lists it, and the digest of the catalogue is the same without any.
func TestFixes(t *testing.T) {
	files := mistakeFiles()
	without, err := loadTexts(files)
	if err != nil {
		t.Fatal(err)
	}
	files["fixes.yaml"] = madeFixes
	d, err := loadTexts(files)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"ZZ99-ERR-001": "Check the token before the handler.", "ZZ99-TASK-001": "Check the token before the handler.",
		"ZZ99-TASK-002": "Store the task first.", "ZZ99-TASK-003": "", "A2A-DROP-000": CommonFixText("A2A-DROP-000")} {
		if got := d.FixText(id); got != want {
			t.Errorf("the fix of %s is %q, want %q", id, got, want)
		}
	}
	if got := without.FixText("ZZ99-ERR-001"); got != "" {
		t.Errorf("without a file of fixes there is the fix %q", got)
	}
	if d.Digest != without.Digest {
		t.Error("the fixes change the digest of the catalogue, and decide no verdict")
	}
	outline, err := Outline(DefaultName)
	if err != nil {
		t.Fatal(err)
	}
	if got := outline.FixText("A2A10-ERR-007"); got != "" {
		t.Errorf("an outline, which has no requirement, has the fix %q", got)
	}
}

// A mistake in a file of fixes is an error with its line.
func TestFixMistakes(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"an unknown key", "    ids: [ZZ", "    id: [ZZ", `6: unknown key "id" in fixes[0]; valid keys: fix, ids`},
		{"an unknown key at the top", "fixes:\n", "texts: []\nfixes:\n", `1: unknown key "texts"; valid key: fixes`},
		{"an unknown id", "- ZZ99-TASK-002", "- ZZ99-TASK-009", "9: ZZ99-TASK-009 is no requirement of this catalogue"},
		{"an id of every dialect", "- ZZ99-TASK-002", "- A2A-DROP-000", "9: A2A-DROP-000 is no requirement of this catalogue"},
		{"an id twice", "- ZZ99-TASK-002", "- ZZ99-TASK-001", "9: ZZ99-TASK-001 has two fixes; the first is in line 6"},
		{"an id twice in one list", "ZZ99-ERR-001, ZZ99-TASK-001", "ZZ99-ERR-001, ZZ99-ERR-001", "6: ZZ99-ERR-001 has two fixes; the first is in line 6"},
		{"an empty text", "fix: Store the task first.", "fix: ' '", "7: the fix is empty; write in a sentence what to change in a server"},
		{"no text", "fix: Store the task first.\n    ids", "ids", "7: the fix is empty; write in a sentence what to change in a server"},
		{"a long text", "Store the task first.", strings.Repeat("word ", maxFixWords+1), "7: the fix has 26 words; at most 25 are read at a glance"},
		{"no id", "ids:\n      - ZZ99-TASK-002", "ids: []", "8: the fix is of no requirement; list the ids of those that it mends"},
		{"nothing", madeFixes, "fixes: []\n", "1: there is no fix; write one, or delete the file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(madeFixes, c.old) {
				t.Fatalf("the file does not hold %q", c.old)
			}
			files := mistakeFiles()
			files["fixes.yaml"] = strings.Replace(madeFixes, c.old, c.new, 1)
			if _, err := loadTexts(files); err == nil || !strings.HasPrefix(err.Error(), "schema/zz-9.9/fixes.yaml:"+c.want) {
				t.Errorf("got %v, want schema/zz-9.9/fixes.yaml:%s", err, c.want)
			}
		})
	}
}

// Requirements that can fail have a fix, and none of them only says the requirement again.
func TestShippedFixes(t *testing.T) {
	all := map[string]*Requirement{}
	fixOf := map[string]string{}
	for _, name := range Names() {
		d, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.Requirements {
			r := &d.Requirements[i]
			all[r.ID], fixOf[r.ID] = r, d.FixText(r.ID)
			if fixOf[r.ID] == "" && canFail(r) {
				t.Errorf("%s has no fix in schema/%s/%s", r.ID, name, fixesFile)
			}
		}
	}
	for i := range Commons() {
		r := &Commons()[i].Requirement
		if all[r.ID], fixOf[r.ID] = r, CommonFixText(r.ID); fixOf[r.ID] == "" {
			t.Errorf("%s has no fix in schema/%s/%s", r.ID, commonFolder, fixesFile)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if share := shareRepeated(fixOf[id], all[id].Statement); share > maxRepeated {
			t.Errorf("%s: %.0f %% of the words of its fix are in its statement, want at most %.0f %%: say what to change in a server\nfix: %s\nstatement: %s",
				id, 100*share, 100*maxRepeated, fixOf[id], all[id].Statement)
		}
	}
}

// A text that says the statement again is noticed, and one that says what to do is not.
func TestRepeatedStatementsAreNoticed(t *testing.T) {
	const statement = "A `TaskNotFoundError` must have the JSON-RPC error code `-32001`."
	for fix, repeats := range map[string]bool{
		statement: true,
		"Make each `TaskNotFoundError` have the error code `-32001`.":                                                   true,
		"When the task store has no task of that id, return `-32001` instead of letting the exception become `-32603`.": false,
		"": false,
	} {
		if got := shareRepeated(fix, statement) > maxRepeated; got != repeats {
			t.Errorf("%q repeats the statement: %v, want %v", fix, got, repeats)
		}
	}
}

// canFail reports whether a server can break a requirement so that a run says so.
func canFail(r *Requirement) bool {
	return r.Check != "" && r.Unobservable == "" && !r.Tolerant()
}

// maxRepeated is the share of the words of a fix that its requirement may have as well.
const maxRepeated = 0.6

// contentWord is a word as it is compared: names and numbers as a whole.
var contentWord = regexp.MustCompile(`[a-z0-9_/.-]{2,}`)

// functionWords say nothing on their own.
var functionWords = strings.Fields(`a an the of to in on at by for with and or if is are be it its as that this each must
	should may not no from which when such has have than then only any all one`)

// contentWords lists the words of a text that say something.
func contentWords(text string) (out []string) {
	for _, word := range contentWord.FindAllString(strings.ToLower(strings.ReplaceAll(text, "`", "")), -1) {
		if word = strings.Trim(word, "."); !slices.Contains(functionWords, word) {
			out = append(out, word)
		}
	}
	return out
}

// shareRepeated returns which share of the words of a fix is in the statement of its requirement.
func shareRepeated(fix, statement string) float64 {
	words, known := contentWords(fix), contentWords(statement)
	if len(words) == 0 {
		return 0
	}
	repeated := 0
	for _, word := range words {
		if slices.Contains(known, word) {
			repeated++
		}
	}
	return float64(repeated) / float64(len(words))
}
