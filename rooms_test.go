package conform_test

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

const module = "github.com/a2a-conform/a2a-conform"

// imports lists what the packages below a folder import of this project.
func imports(t *testing.T, pattern string) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", pattern).Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		f := strings.Fields(line)
		for _, i := range f[1:] {
			if strings.HasPrefix(i, module) {
				all[f[0]] = append(all[f[0]], strings.TrimPrefix(strings.TrimPrefix(i, module), "/"))
			}
		}
	}
	return all
}

// The rooms may import only what the design allows. Above all the bundled
// server imports nothing of the suite: it is the second reading of the
// protocol, and a slip in one shows up against the other.
func TestWhoMayImportWhom(t *testing.T) {
	for _, c := range []struct{ room, allowed string }{
		{"./schema/...", `^$`},
		{"./reference/...", `^reference/`},
		{"./harness/...", `^(harness/|schema$)`},
		{"./hostile/...", `^reference$`},
		{"./suites/...", `^(harness/wire|harness/dialect|schema|suites/judge.*)$`},
		{"./reports/...", `^(suites/judge|harness/wire|schema)$`},
	} {
		allowed := regexp.MustCompile(c.allowed)
		for pkg, of := range imports(t, c.room) {
			for _, i := range of {
				if !allowed.MatchString(i) {
					t.Errorf("%s imports %s", pkg, i)
				}
			}
		}
	}
}
