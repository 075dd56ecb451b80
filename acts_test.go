package conform_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/acts"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// yamlBlock is an example in a guide.
var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// TestExamplesOfOwnTests: each document of the guide follows the grammar, and asserts something.
func TestExamplesOfOwnTests(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("docs", "own-tests.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := yamlBlock.FindAllSubmatch(text, -1)
	if len(blocks) != 3 {
		t.Fatalf("got %d examples", len(blocks))
	}
	for _, b := range blocks {
		set, err := acts.Files(func(string) ([]byte, error) { return b[1], nil }, []string{"own-tests.md"}, acts.Options{Strict: true})
		if err != nil {
			t.Errorf("%v\n%s", err, b[1])
			continue
		}
		for _, x := range set.Tests() {
			if x.AssertsNothing() {
				t.Errorf("%s asserts nothing", x.ID)
			}
		}
	}
}

// TestACTS: tests that are written as data are subtests of a Go test.
func TestACTS(t *testing.T) {
	file := filepath.Join(t.TempDir(), "own.acts.yaml")
	const document = `acts_version: "1.0"
spec_version: "1.0"
suites:
  - id: own
    name: Own
    tests:
      - id: OWN-001
        name: The agent completes a task
        level: must
        steps:
          - id: ask
            operation: send_message
            params: {message: {role: ROLE_USER, parts: [{text: echo hello}]}}
            expect: {body: {task: {status: {state: TASK_STATE_COMPLETED}}}}
`
	if err := os.WriteFile(file, []byte(document), 0o644); err != nil {
		t.Fatal(err)
	}
	server, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-1.0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	conform.ACTS(t, server.URL(), file)
}

// TestPrefixStimuli: the bundled server is judged by the prefixes of ACTS alone, and breaks nothing.
func TestPrefixStimuli(t *testing.T) {
	server, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-1.0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	target := conform.Target{URL: server.URL(), Behaviour: conform.Behaviour{Stimuli: operator.PrefixStimuli()}}
	if err := operator.CheckStimuli(target.Stimuli, nil); err != nil {
		t.Fatal(err)
	}
	outcome, err := conform.Run(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	passed := 0
	for _, r := range outcome.Report.Results {
		switch r.Verdict {
		case report.Pass:
			passed++
		case report.Fail, report.SuiteError:
			t.Errorf("%s: %s", r.ID, r.Reason)
		}
	}
	if passed < 250 {
		t.Errorf("only %d requirements passed", passed)
	}
}
