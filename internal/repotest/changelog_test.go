package repotest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

var (
	catalogueHeading = regexp.MustCompile(`(?m)^## .*\bcatalogue (\d+)\b.*$`)
	idInText         = regexp.MustCompile(`\b[A-Z0-9]*[A-Z][A-Z0-9]*(?:-[A-Z]+)+-\d{3}\b`)
)

// outOfStep is where a changelog and a history of the catalogues differ: every
// version has a section, and both name the same requirements for it.
func outOfStep(changelog string, h *schema.History) (out []string) {
	listed := map[string]map[string]bool{} // by version
	headings := catalogueHeading.FindAllStringSubmatchIndex(changelog, -1)
	before := changelog
	for i, at := range headings {
		end := len(changelog)
		if i+1 < len(headings) {
			end = headings[i+1][0]
		}
		if i == 0 {
			before = changelog[:at[0]]
		}
		ids := map[string]bool{}
		for _, id := range idInText.FindAllString(changelog[at[1]:end], -1) {
			ids[id] = true
		}
		listed[changelog[at[2]:at[3]]] = ids
	}
	for _, id := range idInText.FindAllString(before, -1) {
		out = append(out, id+" stands above every version")
	}
	for _, v := range h.Versions {
		version := fmt.Sprint(v.Version)
		section, ok := listed[version]
		delete(listed, version)
		if !ok {
			out = append(out, "version "+version+" has no section")
			continue
		}
		for _, c := range v.Changes {
			if !section[c.ID] {
				out = append(out, c.ID+" is not in the section of version "+version)
			}
			delete(section, c.ID)
		}
		for _, id := range slices.Sorted(maps.Keys(section)) {
			out = append(out, id+" is not in the changes of version "+version)
		}
	}
	for _, version := range slices.Sorted(maps.Keys(listed)) {
		out = append(out, "there is no version "+version)
	}
	return out
}

// CHANGELOG.md and schema/changes.yaml name the same requirements.
func TestChangelogAndHistoryAgree(t *testing.T) {
	for _, fault := range outOfStep(contents(t, "CHANGELOG.md"), schema.Changes()) {
		t.Error(fault)
	}
}

// That they do is not because nothing is compared.
func TestOutOfStep(t *testing.T) {
	h, err := schema.ParseHistory("changes.yaml", []byte("versions:\n  - version: 2\n    changes:\n      - {id: ZZ99-A-001, why: x}\n  - {version: 3, changes: []}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, changelog, want string }{
		{"in step", "# Changes\n## Catalogue 1 was not counted\n## 1.0.0, catalogue 3\n## 0.9.0, catalogue 2\n- ZZ99-A-001: x\n", ""},
		{"an id left out", "## catalogue 3\n## catalogue 2\n", "ZZ99-A-001 is not in the section of version 2"},
		{"an id too many", "## catalogue 3\n- ZZ99-A-002: y\n## catalogue 2\n- ZZ99-A-001\n", "ZZ99-A-002 is not in the changes of version 3"},
		{"an id in the wrong section", "## catalogue 3\n- ZZ99-A-001\n## catalogue 2\n", "ZZ99-A-001 is not in the section of version 2; ZZ99-A-001 is not in the changes of version 3"},
		{"an id in none", "ZZ99-A-001\n## catalogue 3\n## catalogue 2\nZZ99-A-001\n", "ZZ99-A-001 stands above every version"},
		{"no section", "## catalogue 2\nZZ99-A-001\n", "version 3 has no section"},
		{"a section too many", "## catalogue 4\n## catalogue 3\n## catalogue 2\nZZ99-A-001\n", "there is no version 4"},
		{"nothing", "", "version 2 has no section; version 3 has no section"},
	} {
		if got := strings.Join(outOfStep(c.changelog, h), "; "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
