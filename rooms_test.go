package conform_test

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/a2a-conform/a2a-conform"

// imported lists what each package imports of this project.
var imported = sync.OnceValues(func() (map[string][]string, error) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...").Output()
	all := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		all[f[0]] = nil
		for _, i := range f[1:] {
			if strings.HasPrefix(i, module) {
				all[f[0]] = append(all[f[0]], strings.TrimPrefix(strings.TrimPrefix(i, module), "/"))
			}
		}
	}
	return all, err
})

// imports lists what a package, or the packages below a folder, import of this project.
func imports(t *testing.T, pattern string) map[string][]string {
	t.Helper()
	all, err := imported()
	if err != nil {
		t.Fatal(err)
	}
	folder, below := strings.CutSuffix(pattern, "/...")
	room := path.Join(module, folder)
	of := map[string][]string{}
	for pkg, list := range all {
		if pkg == room || below && strings.HasPrefix(pkg, room+"/") {
			of[pkg] = list
		}
	}
	if len(of) == 0 {
		t.Errorf("there is no package %s", pattern)
	}
	return of
}

// The rooms may import only what the design allows. Above all the bundled
// server imports nothing of the suite: it is the second reading of the
// protocol, and a slip in one shows up against the other.
func TestWhoMayImportWhom(t *testing.T) {
	for _, c := range []struct{ room, allowed string }{
		{"./internal/shorten", `^$`},
		{"./reference/hostile/...", `^reference$`},
		{"./reports/certificate", `^(harness/wire|schema|suites/judge|reports)$`},
		{"./internal/forge", `^harness/wire$`},
		{"./internal/recognition", `^harness/wire$`},
		{"./internal/config", `^(|harness/wire|schema|reports)$`},
		{"./internal/fleet", `^(|internal/config|harness|harness/(wire|binding)|schema|suites/judge|reports)$`},
		{"./harness/scenario", `^(harness/(wire|operator|binding|card|dialect)|schema|internal/shorten)$`},
		{"./schema/...", `^internal/shorten$`},
		{"./reference/...", `^reference/`},
		{"./reference/engine", `^$`},
		{"./reference/front", `^reference/engine$`},
		{"./reference/mutants", `^reference/(engine|front)$`},
		{"./harness/...", `^(harness/|schema$|internal/(shorten|scenario)$)`},
		{"./harness/operator", `^$`},
		{"./harness/wire", `^harness/operator$`},
		{"./harness/binding", `^(harness/wire|schema)$`},
		{"./harness/signature", `^(harness/wire|schema)$`},
		{"./harness/card", `^(harness/(wire|binding|signature)|schema)$`},
		{"./suites", `^(harness/(wire|operator)|schema|suites/(judge|shape|card|message|task|stream|push|auth|limits|directory|extension|interfaces|rpc))$`},
		{"./suites/judge", `^(harness/(wire|operator|binding|card|dialect)|schema|internal/shorten)$`},
		{"./suites/transport", `^(harness/(wire|binding)|schema|suites/judge)$`},
		{"./suites/summary", `^(harness/(wire|operator|binding)|schema|suites|suites/(judge|transport))$`},
		{"./suites/match", `^(harness/wire|schema|suites/judge|internal/shorten)$`},
		{"./suites/observe", `^(harness/(wire|binding|card)|schema|suites/(judge|match))$`},
		{"./suites/ginkgo", `^(schema|suites/judge)$`},
		{"./reports/...", `^(suites/judge|harness/(wire|operator|binding)|schema|internal/shorten)$`},
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

// No area of the suite rests on another: what several look at is observed in one
// place. A format of the bundled server may extend another, as its protocol does.
func TestAreasDoNotKnowEachOther(t *testing.T) {
	shared := regexp.MustCompile(`^(harness/(wire|operator|binding|card|dialect|signature)|schema|suites/(judge|match|observe)|internal/shorten)$`)
	for pkg, of := range imports(t, "./suites/...") {
		area := strings.TrimPrefix(pkg, module+"/suites")
		if area == "" || regexp.MustCompile(`^/(judge|match|observe|ginkgo|transport|summary)`).MatchString(area) {
			continue
		}
		for _, i := range of {
			if !shared.MatchString(i) {
				t.Errorf("%s imports %s", pkg, i)
			}
		}
	}
}

// Ginkgo puts flags into every program that imports it: only the command may.
func TestOnlyTheCommandImportsGinkgo(t *testing.T) {
	for pkg, of := range imports(t, "./...") {
		if slices.Contains(of, "suites/ginkgo") && pkg != module+"/cmd/a2a-conform" {
			t.Errorf("%s imports suites/ginkgo", pkg)
		}
	}
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "/onsi/ginkgo/") {
		t.Errorf("the library depends on Ginkgo:\n%s", out)
	}
}

// Only the package about bindings knows where the envelope of JSON-RPC holds what:
// a sentence that holds in any binding must not depend on one.
func TestOnlyTheBindingKnowsTheEnvelope(t *testing.T) {
	files, err := exec.Command("git", "ls-files", "*.go", "schema/*/requirements/*.yaml", "schema/*/dialect.yaml", "schema/*/probes.yaml").Output()
	if err != nil {
		t.Fatal(err)
	}
	// What a call of JSON-RPC is made of stands in no text of ours either.
	inCode := regexp.MustCompile(`"jsonrpc":|"/(result|error|params|jsonrpc)["/]|Member\("(result|error|params|jsonrpc)"\)|\["(result|error|params|jsonrpc)"\]`)
	inData := regexp.MustCompile(`[ \[]/(params|error|result)/`)
	for file := range strings.FieldsSeq(string(files)) {
		known, ok := inCode, !strings.HasSuffix(file, "_test.go")
		if strings.HasSuffix(file, ".yaml") {
			known = inData
		}
		for _, room := range []string{"harness/binding/", "reference/", "reference/hostile/", "examples/", ".ci/", "suites/judge/judgetest/"} {
			ok = ok && !strings.HasPrefix(file, room) // servers have a reading of their own
		}
		if !ok {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if found := known.FindString(line); found != "" {
				t.Errorf("%s:%d knows where an envelope holds %s", file, i+1, found)
			}
		}
	}
}
