package repotest

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var matrixParts = regexp.MustCompile(`part: \[([^\]]*)\]`)

// Each folder of CI is described in .ci/README.md, which names no other.
func TestFoldersOfCI(t *testing.T) {
	_, about, _ := strings.Cut(contents(t, ".ci/README.md"), "## Folders")
	var named []string
	for _, m := range regexp.MustCompile("`([a-z]+)/`").FindAllStringSubmatch(about, -1) {
		named = append(named, m[1])
	}
	out, err := exec.Command("git", "ls-files", ".ci").Output()
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for file := range strings.FieldsSeq(string(out)) {
		if parts := strings.Split(file, "/"); len(parts) > 2 {
			folders = append(folders, parts[1])
		}
	}
	slices.Sort(named)
	if folders = slices.Compact(folders); !slices.Equal(named, folders) {
		t.Errorf(".ci/README.md describes the folders %v, and there are %v", named, folders)
	}
}

// The workflow runs each part of .ci/run as a job, and .ci/README.md says what each part is for.
func TestPartsOfCI(t *testing.T) {
	readme := contents(t, ".ci/README.md")
	for _, script := range []string{".ci/run", ".ci/full"} {
		out, err := exec.Command("bash", script, "--list").Output()
		if err != nil {
			t.Fatalf("%s --list: %v", script, err)
		}
		parts := strings.Fields(string(out))
		if len(parts) < 9 {
			t.Errorf("%s has only the parts %v", script, parts)
		}
		_, about, _ := strings.Cut(readme, "## `"+script+"`")
		about, _, _ = strings.Cut(about, "\n## ")
		for _, part := range parts {
			if !strings.Contains(about, "`"+part+"`") {
				t.Errorf(".ci/README.md does not say what the part %s of %s is for", part, script)
			}
		}
		if script == ".ci/run" {
			matrix := matrixParts.FindStringSubmatch(contents(t, ".github/workflows/ci.yml"))
			if matrix == nil || !slices.Equal(strings.Split(matrix[1], ", "), parts) {
				t.Errorf("the workflow does not run the parts %v", parts)
			}
		}
	}
}
