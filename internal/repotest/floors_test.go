package repotest

import (
	"cmp"
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

// floors are the packages of this project from the lowest floor up. A package imports only what
// is on floors below its own. A name that ends in /* stands for the packages in that folder.
var floors = [][]string{
	{"internal/shorten", "internal/testamount", "internal/testconn", "internal/testprocess", "internal/e2e", "internal/repotest", "examples/echo"},
	{"schema/shape", "schema/acts", "reports/safetext", "harness/livepage"},
	{"schema", "reference/engine", "reference/client", "reference/gateway", "reports/files"},
	{"harness/operator", "reference/front"},
	{"harness/record"},
	{"harness/redact"},
	{"harness/client", "harness/adapter"},
	{"harness/binding", "harness/signature", "harness/dialect", "internal/forge", "internal/recognition", "reference/mutants", "suites/judge/judgetest", "suites/report"},
	{"harness/card", "reference/a2a01", "reference/a2a03", "reference/jaf03", "reports/view", "suites/known"},
	{"harness/traffic", "suites/judge", "reference/a2a10", "reference/a2x03", "reference/core", "reference/directory01", "reports/layout", "reports/script", "reports/excerpt"},
	{"reports/brief"},
	{"suites/match", "suites/verdict", "suites/transport", "reports/html", "reports/catalogue", "reports/compare", "reports/fleetpage", "reports/reportstest", "reference"},
	{"suites/observe", "suites/ginkgo", "reports", "reference/hostile"},
	{"suites/*"}, // the areas, which do not know each other
	{"suites", "reports/certificate", "reports/crosspage"},
	{"suites/summary", "harness/conversation", "harness/serve", "harness/gateway"},
	{"harness/scenario/limits", "harness/relay", "harness/acts", "harness/proxy", "harness/importer", "harness/privacy"},
	{"harness/scenario/malformed"},
	{"harness/scenario/*"}, // the areas of scenarios
	{"harness/scenario"},
	{"harness/schedule"},
	{"harness"},
	{".", "cmd/a2a-conform/internal/prove"},
	{"cmd/internal/cli", "cmd/internal/cifile", "cmd/internal/config", "cmd/a2a-conform/internal/proveclient", "cmd/a2a-conform/internal/provegateway", "cmd/a2a-conform/internal/skeletons", "cmd/a2a-conform-fleet/internal/broker", "cmd/a2a-conform-fleet/internal/supervisor"},
	{"cmd/internal/fileschema", "cmd/a2a-conform-fleet/internal/agentlist", "cmd/a2a-conform/internal/cross", "cmd/a2a-conform/internal/through", "cmd/a2a-conform/internal/proxycmd", "cmd/a2a-conform/internal/acts"},
	{"cmd/a2a-conform-fleet/internal/allowance"},
	{"cmd/a2a-conform-fleet/internal/fleet"},
	{"cmd/internal/commandtest"},
	{"cmd/a2a-conform", "cmd/a2a-conform-fleet"},
}

// sideways are imports between packages of one floor, each with its reason.
var sideways = map[string]string{}

// walls separate packages that have to stay independent although one is above the other: what
// the pattern matches does not import what the second one matches.
var walls = []struct{ why, of, from string }{
	{"the bundled server is a second reading of the protocol", `^reference(/|$)`, `^(harness|schema|suites|reports|internal)?(/|$)`},
	{"conversations and calls know nothing of how they are judged", `^harness(/|$)`, `^(suites|reports|reference)(/|$)`},
	{"a report is written without a network", `^reports(/|$)`, `^(harness|harness/client|harness/schedule|harness/conversation|harness/scenario(/.*)?|suites|reference)$`},
	{"a report is data that somebody else filled in", `^reports(/|$)`, `^suites(/(judge|verdict|summary|transport|match|observe|ginkgo))?$`},
	{"what a run came to is known without a network and without the way there", `^suites/report$`, `^(harness|suites|reports|reference)(/|$)`},
	{"judging is pure", `^suites(/|$)`, `^(harness|harness/client|harness/schedule|harness/conversation|harness/scenario(/.*)?|reference.*)$`},
	{"a check sees what was sent, and no verdicts", `^suites/(judge|match|observe|transport|card|rpc|shape|message|extension|task|stream|push|auth|limits|interfaces|directory|client)$`, `^suites/verdict$`},
	{"the catalogue knows nobody who reads it", `^schema$`, `^(harness|suites|reports|reference)(/|$)`},
	{"a fleet is a command of its own", `^cmd/(a2a-conform|internal)(/|$)`, `^cmd/a2a-conform-fleet(/|$)`},
	{"recordings are read without the catalogue", `^harness/(record|redact)$`, `^schema$`},
}

// floorOf is the number of the floor of a package, -1 if it has none.
func floorOf(pkg string) int {
	if floor := slices.IndexFunc(floors, func(all []string) bool { return slices.Contains(all, pkg) }); floor >= 0 {
		return floor
	}
	return slices.IndexFunc(floors, func(all []string) bool { return slices.Contains(all, path.Dir(pkg)+"/*") })
}

// Imports go down, floor by floor, so that the way of what happens can be followed from folder
// to folder.
func TestImportsGoDown(t *testing.T) {
	for pkg, of := range imports(t, "./...") {
		pkg = cmp.Or(strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/"), ".")
		floor := floorOf(pkg)
		if floor < 0 {
			t.Errorf("%s is on no floor: add it to the table", pkg)
		}
		for _, i := range of {
			i = cmp.Or(i, ".")
			if below := floorOf(i); below >= floor && sideways[pkg+" "+i] == "" {
				t.Errorf("%s (floor %d) imports %s (floor %d), which is not below it", pkg, floor, i, below)
			}
			for _, w := range walls {
				if regexp.MustCompile(w.of).MatchString(pkg) && regexp.MustCompile(w.from).MatchString(i) {
					t.Errorf("%s imports %s: %s", pkg, i, w.why)
				}
			}
		}
	}
	if len(sideways) > 6 {
		t.Errorf("%d imports go sideways", len(sideways))
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

// compiledFor are modules of others that are large, and the folder for whose packages alone they are
// compiled, tests included.
var compiledFor = []struct{ why, of, folder string }{
	{"whoever judges one server never needs a broker", "github.com/nats-io/", "cmd/a2a-conform-fleet"},
}

func TestLargeModulesAreCompiledForOneFolder(t *testing.T) {
	out, err := exec.Command("go", "list", "-tags", "browser,brokers", "-test", "-f", "{{.ImportPath}}\t{{join .Deps \"\\t\"}}", "./...", "./.ci/peers").Output()
	if err != nil {
		t.Fatal(err)
	}
	needed := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		deps := strings.Split(strings.TrimSpace(line), "\t")
		pkg, _, _ := strings.Cut(strings.TrimPrefix(deps[0], module+"/"), " ") // which is followed by the test it is compiled for
		for _, m := range compiledFor {
			if !slices.ContainsFunc(deps[1:], func(dep string) bool { return strings.HasPrefix(dep, m.of) }) {
				continue
			}
			needed[m.of] = true
			if pkg = strings.TrimSuffix(pkg, ".test"); pkg != m.folder && !strings.HasPrefix(pkg, m.folder+"/") && pkg != m.folder+"_test" {
				t.Errorf("%s is compiled for %s: %s", m.of, deps[0], m.why)
			}
		}
	}
	for _, m := range compiledFor {
		if !needed[m.of] {
			t.Errorf("nothing is compiled of %s", m.of)
		}
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
		for _, room := range []string{"harness/binding/", "harness/serve/", "reference/", "reference/hostile/", "examples/", ".ci/", "suites/judge/judgetest/", "reports/reportstest/", "harness/scenario/scenariotest/"} {
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
