package repotest

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

var knownFaultsPlace = regexp.MustCompile(`(?s)(<!-- known faults: [^\n]*-->\n)(.*?)(<!-- /known faults -->)`)

// The guide counts the faults that are known of each SDK.
func TestKnownFaultsTable(t *testing.T) {
	const file = "docs/known-faults.md"
	text, table := contents(t, file), knownFaultsTable(t)
	m := knownFaultsPlace.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%s has no place for the table of known faults", file)
	}
	if m[2] == table {
		return
	}
	if !*update {
		t.Fatalf("the table in %s is out of date; -update rewrites it:\n%s", file, table)
	}
	written := knownFaultsPlace.ReplaceAllString(text, "${1}"+strings.ReplaceAll(table, "$", "$$")+"${3}")
	if err := os.WriteFile(file, []byte(written), 0o644); err != nil {
		t.Fatal(err)
	}
}

// knownFaultsTable counts the faults of each version of an SDK by dialect, and the requirements that fail by them.
func knownFaultsTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| SDK | for `--sdk` | judged as | known faults | requirements that fail (MUST) |\n|---|---|---|---|---|\n")
	for _, s := range schema.KnownSDKs() {
		for _, v := range s.Versions {
			for _, name := range v.Dialects {
				d, err := schema.Load(name)
				if err != nil {
					t.Fatal(err)
				}
				faults, failing, must := map[*schema.Fault]bool{}, 0, 0
				for i := range d.Requirements {
					of := s.FaultsOf(d.Requirements[i].ID, v.Version)
					for _, f := range of {
						faults[f] = true
					}
					if len(of) > 0 {
						failing++
						if d.Requirements[i].Level == schema.Must {
							must++
						}
					}
				}
				fmt.Fprintf(&b, "| [`%s` %s](%s) | `%s` | `%s` | %d | %d (%d) |\n", s.Name, v.Version, s.Source, schema.NamedSDK{SDK: s, Version: v.Version}, name, len(faults), failing, must)
			}
		}
	}
	return b.String()
}
