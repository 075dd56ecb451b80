package verdict_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// ruleRow is a row of the table of rules: its number, the rule, and the verdicts.
var ruleRow = regexp.MustCompile(`(?m)^\| (\d+) \| ([^|]+) \| ([^|]+) \|$`)

// The rules by which verdicts come about are in docs/verdicts.md in the order in which they are
// asked.
func TestRulesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/verdicts.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "## How a verdict comes about")
	table, _, _ = strings.Cut(table, "\n## ")
	var got, want []string
	for _, m := range ruleRow.FindAllStringSubmatch(table, -1) {
		got = append(got, fmt.Sprintf("%s %s: %s", m[1], m[2], m[3]))
	}
	var stages []string
	for i, r := range verdict.Rules() {
		want = append(want, fmt.Sprintf("%d %s: %s", i+1, r.Name, r.Verdicts))
		if !slices.Contains(stages, r.Stage) {
			stages = append(stages, r.Stage)
		}
	}
	for i := range max(len(got), len(want)) {
		at := func(list []string) string {
			if i < len(list) {
				return list[i]
			}
			return "nothing"
		}
		if at(got) != at(want) {
			t.Errorf("docs/verdicts.md has %s, want %s", at(got), at(want))
		}
	}
	from := 0
	for _, s := range stages {
		i := strings.Index(table[from:], "\n**"+strings.ToUpper(s[:1])+s[1:]+".**")
		if i < 0 {
			t.Fatalf("docs/verdicts.md has no list %q after the others", s)
		}
		from += i + 1
	}
}

// Each verdict is named by a rule, and rules name no other.
func TestRulesNameEachVerdict(t *testing.T) {
	named := map[string]bool{}
	for _, r := range verdict.Rules() {
		for part := range strings.SplitSeq(r.Verdicts, ";") {
			verdict, _, _ := strings.Cut(strings.TrimSpace(part), " if ")
			named[strings.TrimSuffix(verdict, ", vacuous")] = true
		}
	}
	for _, v := range report.Verdicts() {
		if !named[string(v)] {
			t.Errorf("no rule leads to %s", v)
		}
		delete(named, string(v))
	}
	for v := range named {
		if v != "any" && v != "as before" {
			t.Errorf("a rule leads to %q, which is no verdict", v)
		}
	}
}
