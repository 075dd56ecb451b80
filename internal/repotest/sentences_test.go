package repotest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
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
		return schema.Requirement{ID: id, Section: section, Level: level, Check: "errors/refused", With: with}
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
		{"a finding", []schema.Requirement{refusal("A-1", "5", schema.Must, one), {ID: "B-1", Level: schema.Must, Check: "errors/refused", With: one, FindingOnly: "no sentence asks for it"}}, 1},
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
