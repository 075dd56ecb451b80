package scenario

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/scenario/endpoint"
	"github.com/a2a-conform/a2a-conform/harness/scenario/limits"
	"github.com/a2a-conform/a2a-conform/schema"
)

// files holds what each area declares about its scenarios: what they do, what they need, and
// what each of their steps sends.
//
//go:embed */scenarios.yaml
var files embed.FS

// declared returns all scenarios by name, each with its declaration and its code.
var declared = sync.OnceValue(func() map[string]conversation.Scenario {
	all, err := readDeclarations(files, slices.Concat(inOrder, []conversation.Scenario{limits.Nested, endpoint.Disguise}))
	if err != nil {
		panic(err) // the files are part of the program
	}
	return all
})

// UserAgentComparisonScenario returns the scenario that compares how clients are answered, which is played only if
// the operator asks for it.
func UserAgentComparisonScenario() conversation.Scenario { return declared()[endpoint.Disguise.Name] }

// readDeclarations reads the scenarios.yaml of each area and joins what it declares with the
// code. Each scenario that is declared twice, or lacks its code or its declaration, is an error.
func readDeclarations(files fs.FS, code []conversation.Scenario) (map[string]conversation.Scenario, error) {
	names, err := fs.Glob(files, "*/scenarios.yaml")
	all, errs := map[string]conversation.Scenario{}, []error{err}
	for _, file := range names {
		text, err := fs.ReadFile(files, file)
		var inFile []conversation.Scenario
		if err == nil {
			err = schema.Strict(file, text, &inFile)
		}
		errs = append(errs, err)
		for i, s := range inFile {
			fault := ""
			if at := slices.IndexFunc(code, func(c conversation.Scenario) bool { return c.Name == s.Name }); at < 0 {
				fault = "has no code"
			} else if _, twice := all[s.Name]; twice {
				fault = "is declared twice"
			} else {
				s.Prepare, s.Play, s.Finish = code[at].Prepare, code[at].Play, code[at].Finish
				all[s.Name] = s
			}
			if fault != "" {
				errs = append(errs, fmt.Errorf("%s:%d: the scenario %q %s", file, schema.LineOf(text, i, "id"), s.Name, fault))
			}
		}
	}
	for _, c := range code {
		if _, ok := all[c.Name]; !ok {
			errs = append(errs, fmt.Errorf("the scenario %q is declared in no scenarios.yaml", c.Name))
		}
	}
	return all, errors.Join(errs...)
}
