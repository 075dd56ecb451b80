package repotest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// weight is the level of a requirement and, of a refusal that it asks for, what is tolerated.
func weight(r *schema.Requirement) string {
	out := string(r.Level)
	if r.Tolerant() {
		out = "a finding"
	}
	if r.Check == "errors/refused" && !r.Tolerant() {
		if r.With["accepted"] == true {
			out += ", to accept it is a finding"
		}
		if r.With["usual"] != nil {
			out += ", any error will do"
		}
	}
	return out
}

// duty is what a requirement asks for beside its section, as far as the catalogue says it in
// the same words: its check and what the check is given. In A2A 1.0, the refusal of what lacks
// a member is a duty of one sentence, whichever the member.
func duty(r *schema.Requirement) string {
	if r.Check == "" || r.Check == "shape" || r.Permission {
		return ""
	}
	if r.Check == "errors/refused" && refusesLack(r) {
		return "what lacks a member of a message is refused as invalid"
	}
	with := maps.Clone(r.With)
	for _, leeway := range []string{"accepted", "usual", "codes"} {
		if r.Check == "errors/refused" {
			delete(with, leeway)
		}
	}
	text, err := json.Marshal(with)
	if err != nil {
		panic(err)
	}
	return r.Check + " " + string(text)
}

// refusesLack reports whether a requirement is about §5.7 of A2A 1.0 alone: what lacks a member
// that it must have, of a request that can be carried out all the same.
func refusesLack(r *schema.Requirement) bool {
	return slices.Contains(strings.Split(r.Section, "; "), "5.7") && slices.ContainsFunc(strings.Split(r.Section, "; "), func(s string) bool { return strings.HasPrefix(s, "4.") })
}

// twoLevels lists the duties of the dialects that have several weights, each with its
// requirements in order.
func twoLevels(dialects []*schema.Dialect) map[string]string {
	type place struct{ id, weight string }
	by := map[string][]place{}
	for _, d := range dialects {
		for i := range d.Requirements {
			if r := &d.Requirements[i]; duty(r) != "" {
				by[duty(r)] = append(by[duty(r)], place{r.ID, weight(r)})
			}
		}
	}
	out := map[string]string{}
	for _, places := range by {
		if !slices.ContainsFunc(places, func(p place) bool { return p.weight != places[0].weight }) {
			continue
		}
		var ids, all []string
		for _, p := range places {
			ids, all = append(ids, p.id), append(all, p.id+" "+p.weight)
		}
		out[strings.Join(ids, " ")] = strings.Join(all, "; ")
	}
	return out
}

// One sentence has one level. Duties that several dialects have at several levels are listed in
// a file, each with the reason: mostly that the texts of these versions differ.
func TestOneSentenceHasOneLevel(t *testing.T) {
	var dialects []*schema.Dialect
	for _, name := range schema.Names() {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		dialects = append(dialects, d)
	}
	text, err := os.ReadFile("testdata/two-levels.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var known struct{ Levels map[string]string }
	if err := schema.Strict("testdata/two-levels.yaml", text, &known); err != nil {
		t.Fatal(err)
	}
	found := twoLevels(dialects)
	for ids, levels := range found {
		if known.Levels[ids] == "" {
			t.Errorf("one sentence at several levels: %s", levels)
		}
	}
	for ids := range known.Levels {
		if found[ids] == "" {
			t.Errorf("testdata/two-levels.yaml has %q, which is at one level by now", ids)
		}
	}
}

// That no sentence has two levels is not because none is compared.
func TestTwoLevelsAreFound(t *testing.T) {
	refusal := func(id, section string, level schema.Level, with map[string]any) schema.Requirement {
		return schema.Requirement{Rule: schema.Rule{ID: id, Section: section, Level: level, Check: "errors/refused", With: with}}
	}
	one := map[string]any{"steps": []any{"a/b"}, "codes": []any{"InvalidParams"}}
	for _, c := range []struct {
		name string
		all  []schema.Requirement
		want int
	}{
		{"the same", []schema.Requirement{refusal("A-1", "5", schema.Must, one), refusal("B-1", "6", schema.Must, one)}, 0},
		{"another level", []schema.Requirement{refusal("A-1", "5", schema.Must, one), refusal("B-1", "6", schema.Should, one)}, 1},
		{"accepted by one", []schema.Requirement{refusal("A-1", "5", schema.Must, one), refusal("B-1", "6", schema.Must, map[string]any{"steps": []any{"a/b"}, "codes": []any{"InvalidParams"}, "accepted": true})}, 1},
		{"any error for one", []schema.Requirement{refusal("A-1", "5", schema.Must, one), refusal("B-1", "6", schema.Must, map[string]any{"steps": []any{"a/b"}, "usual": []any{"InvalidParams"}})}, 1},
		{"members that are missing", []schema.Requirement{refusal("A-1", "5.7; 4.1", schema.Must, one), refusal("A-2", "4.2; 5.7", schema.Should, map[string]any{"steps": []any{"a/c"}})}, 1},
		{"a finding", []schema.Requirement{refusal("A-1", "5", schema.Must, one), {Rule: schema.Rule{ID: "B-1", Level: schema.Must, Check: "errors/refused", With: one}, FindingOnly: "no sentence asks for it"}}, 1},
		{"other steps", []schema.Requirement{refusal("A-1", "5", schema.Must, one), refusal("B-1", "5", schema.Should, map[string]any{"steps": []any{"a/c"}})}, 0},
	} {
		if got := twoLevels([]*schema.Dialect{{Requirements: c.all}}); len(got) != c.want {
			t.Errorf("%s: %v, want %d", c.name, got, c.want)
		}
	}
}

// levelsFile has the weight of each requirement before the latest version of the catalogues.
const levelsFile = "testdata/levels-before.txt"

// Whose level is another than before the latest version is named in schema/changes.yaml.
func TestChangedLevelsAreNamed(t *testing.T) {
	text, err := os.ReadFile(levelsFile)
	if err != nil {
		t.Fatal(err)
	}
	before := map[string]string{}
	for line := range strings.Lines(string(text)) {
		id, level, _ := strings.Cut(strings.TrimSpace(line), " ")
		before[id] = level
	}
	if len(before) < 1000 {
		t.Fatalf("%s has %d requirements", levelsFile, len(before))
	}
	for _, fault := range unnamedLevels(t, before, schema.Changes()) {
		t.Error(fault)
	}
	before["A2A10-CARD-001"] = "MAY"
	if got := fmt.Sprint(unnamedLevels(t, before, schema.Changes())); !strings.Contains(got, "A2A10-CARD-001") {
		t.Errorf("a changed level is not noticed: %s", got)
	}
}

func unnamedLevels(t *testing.T, before map[string]string, h *schema.History) (out []string) {
	t.Helper()
	for _, name := range schema.Names() {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.Requirements {
			r := &d.Requirements[i]
			was, is := before[r.ID], string(r.Level)
			if r.Tolerant() {
				is = "finding"
			}
			if was != "" && was != is && !h.Has(r.ID) {
				out = append(out, fmt.Sprintf("%s was %s and is %s: name it in schema/changes.yaml and CHANGELOG.md", r.ID, was, is))
			}
		}
	}
	return out
}

// §5.7 of A2A 1.0 says that what lacks a member should be refused: no requirement that rests on
// it is a MUST that a server fails by taking such a call.
func TestShouldRejectIsNoMust(t *testing.T) {
	d, err := schema.Load("a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for i := range d.Requirements {
		r := &d.Requirements[i]
		if r.Check != "errors/refused" || !slices.Contains(strings.Split(r.Section, "; "), "5.7") {
			continue
		}
		seen++
		if r.Level == schema.Must && r.With["accepted"] != true && !r.Tolerant() {
			t.Errorf("%s is a MUST, and rests on §5.7: %s", r.ID, r.Statement)
		}
	}
	if seen == 0 {
		t.Error("no requirement rests on §5.7")
	}
}

// maxWords is how many words a statement can have. A code span counts as one word.
const maxWords = 20

// withoutCode lists the statements that need no code span, each with the reason. At most 3 % of
// all statements can be listed.
var withoutCode = map[string]string{}

var (
	codeSpan  = regexp.MustCompile("`[^`]+`")
	levelWord = regexp.MustCompile(`\b(must|should|may)\b`)
	whereWord = regexp.MustCompile(`(?i)\bwhere\b`)
)

// describeStatementFaults lists what is wrong with the form of a requirement's statement. The
// strictest word of a statement must be the word of the requirement's level.
func describeStatementFaults(r *schema.Requirement) (out []string) {
	add := func(format string, args ...any) {
		out = append(out, fmt.Sprintf("%s: %s: %s", r.ID, fmt.Sprintf(format, args...), r.Statement))
	}
	prose := codeSpan.ReplaceAllString(r.Statement, "CODE")
	if n := len(strings.Fields(prose)); n > maxWords {
		add("the statement has %d words, want at most %d", n, maxWords)
	}
	words := levelWord.FindAllString(prose, -1)
	want, stricter := strings.ToLower(string(r.Level)), []string{"must", "should"}
	if i := slices.Index(stricter, want); i >= 0 {
		stricter = stricter[:i]
	}
	if !slices.Contains(words, want) {
		add("the statement lacks the word %q of its level", want)
	}
	for _, word := range stricter {
		if slices.Contains(words, word) {
			add("the statement has the word %q, but its level is %s", word, r.Level)
		}
	}
	if hasCode := codeSpan.MatchString(r.Statement); !hasCode && withoutCode[r.ID] == "" {
		add("the statement names no member, method, header or code in backticks")
	} else if hasCode && withoutCode[r.ID] != "" {
		add("the statement has a code span, so remove it from withoutCode")
	}
	if strings.Contains(prose, "`") {
		add("a backtick of the statement is unpaired")
	}
	if whereWord.MatchString(prose) {
		add("the statement has the word \"where\", want \"if\" or \"when\"")
	}
	if !strings.HasSuffix(r.Statement, ".") {
		add("the statement does not end with a full stop")
	}
	return out
}

// describeCatalogueFaults lists what is wrong with the statements of several requirements. Two
// requirements must not have the same statement.
func describeCatalogueFaults(all []*schema.Requirement) (out []string) {
	owner := map[string]string{}
	for _, r := range all {
		out = append(out, describeStatementFaults(r)...)
		if other := owner[r.Statement]; other != "" {
			out = append(out, fmt.Sprintf("%s and %s have the same statement: %s", other, r.ID, r.Statement))
		}
		owner[r.Statement] = r.ID
	}
	return out
}

// A statement is the first thing that the maker of a server reads about a failure. So each
// statement names what to change and how binding it is, in one short sentence.
func TestStatementsNameMembersAndLevels(t *testing.T) {
	catalogues := map[string][]*schema.Requirement{}
	for _, name := range schema.Names() {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.Requirements {
			catalogues[name] = append(catalogues[name], &d.Requirements[i])
		}
	}
	commons := schema.Commons()
	for i := range commons {
		catalogues["common"] = append(catalogues["common"], &commons[i].Requirement)
	}
	total, known := 0, map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(catalogues)) {
		for _, r := range catalogues[name] {
			known[r.ID] = true
		}
		total += len(catalogues[name])
		for _, fault := range describeCatalogueFaults(catalogues[name]) {
			t.Error(fault)
		}
	}
	for id, why := range withoutCode {
		if !known[id] || why == "" {
			t.Errorf("withoutCode has %s, with the reason %q: want a known requirement and a reason", id, why)
		}
	}
	if got := len(withoutCode); got*100 > total*3 {
		t.Errorf("%d of %d statements have no code span, want at most 3 %%", got, total)
	}
}

// TestStatementFaultsAreFound shows that each kind of fault is noticed.
func TestStatementFaultsAreFound(t *testing.T) {
	const long = "The server must answer `GetTask` a b c d e f g h i j k l m n o."
	for _, c := range []struct {
		level     schema.Level
		statement string
		want      int
	}{
		{schema.Must, "The card must have a `name`.", 0},
		{schema.Must, "The agent, which may refuse `CancelTask`, must answer.", 0},
		{schema.May, "The agent may refuse `CancelTask`.", 0},
		{schema.Must, "The card has a `name`.", 1},
		{schema.Must, "The card has a `must`.", 1},
		{schema.Must, "The card should have a `name`.", 1},
		{schema.Should, "The card must have a `name`.", 2},
		{schema.Should, "The card should have a `name` that must be a string.", 1},
		{schema.May, "The agent may refuse `CancelTask`, and must answer.", 1},
		{schema.Must, "The card must have a name.", 1},
		{schema.Must, "The card must have a `name.", 2},
		{schema.Must, "The card must have a `name`, where there is one.", 1},
		{schema.Must, "The card must have a `name`", 1},
		{schema.Must, long, 0},
		{schema.Must, strings.Replace(long, "o.", "o p.", 1), 1},
	} {
		if got := describeStatementFaults(&schema.Requirement{Rule: schema.Rule{ID: "A-1", Level: c.level, Statement: c.statement}}); len(got) != c.want {
			t.Errorf("%s %s has the faults %q, want %d", c.level, c.statement, got, c.want)
		}
	}
	same := &schema.Requirement{Rule: schema.Rule{ID: "A-1", Level: schema.Must, Statement: "The card must have a `name`."}}
	if got := describeCatalogueFaults([]*schema.Requirement{same, same}); len(got) != 1 {
		t.Errorf("two equal statements have the faults %q, want one", got)
	}
}
