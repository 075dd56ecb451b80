package acts

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	corpus "github.com/a2a-conform/a2a-conform/schema/acts"
)

var update = flag.Bool("update", false, "write the golden files")

// broken are documents that are broken otherwise than by a rule of the grammar alone.
var broken = []struct {
	name, text string
	line       int
}{
	{"empty file", "", 1},
	{"no YAML", "a: [", 1},
	{"a list", "- a", 1},
	{"a text", "hello", 1},
	{"a tab", "acts_version: \"1.0\"\n\tx: y", 2},
	{"two documents", documentOfTest("description: x") + "---\na: b\n", 12},
	{"a key twice", documentOfStep(stepOf("  params: {id: y}")), 14},
	{"an alias within itself", "acts_version: &a\n  x: *a\n", 2},
	{"a merge key", documentOfStep("- id: a\n  operation: get_task\n  params: {<<: {id: x}}"), 13},
	{"a tag", documentOfBody("{a: !!binary aGk=}"), 14},
	{"a key that is a list", documentOfBody("{[a]: x}"), 14},
	{"a misspelt key", documentOfStep("- id: a\n  opertion: get_task\n  params: {}"), 11},
	{"a misspelt operator", documentOfBody("{a: {contians: x}}"), 14},
	{"an operator in capitals", documentOfBody("{a: {Type: string}}"), 14},
	{"an operator and a member", documentOfBody("{a: {exists: true, id: x}}"), 14},
	{"an operator with a dash", documentOfBody("{a: {starts-with: x}}"), 14},
	{"null as a type", documentOfBody("{a: {type: null}}"), 14},
	{"an operand of another type", documentOfBody("{a: {gte: x}}"), 14},
	{"a pattern with an open group", documentOfBody("{a: {matches: 'x(y'}}"), 14},
	{"an id twice", documentOfStep(stepOf("") + stepOf("")), 14},
	{"a step with a dot in its id", documentOfStep("- id: a.b\n  operation: get_task\n  params: {}"), 11},
	{"a step that is a text", documentOfStep("- hello"), 11},
	{"no steps", headOfTests + headOfTest + "        steps: []\n", 10},
	{"steps that are a map", headOfTests + headOfTest + "        steps: {id: a}\n", 10},
	{"a test twice", headOfTests + headOfTest + "        steps: [{id: a, operation: list_tasks, params: {}}]\n" + headOfTest + "        steps: [{id: a, operation: list_tasks, params: {}}]\n", 11},
	{"a suite twice", documentOfTest("description: x") + "  - id: s\n    name: S\n    tests: [{id: T2, name: T, level: may, steps: [{id: a, operation: list_tasks, params: {}}]}]\n", 12},
	{"a later step", documentOfStep("- id: a\n  operation: get_task\n  params: {id: \"{{b.taskId}}\"}\n- id: b\n  operation: get_task\n  params: {id: x}\n  capture: {taskId: id}"), 13},
	{"an unknown step", documentOfStep(stepOf("") + "- id: b\n  operation: get_task\n  params: {id: \"{{aa.taskId}}\"}"), 16},
	{"a value that is not captured", documentOfStep(stepOf("  capture: {taskId: id}\n") + "- id: b\n  operation: get_task\n  params: {id: \"{{a.taskid}}\"}"), 17},
	{"a whole answer in a text", documentOfStep(stepOf("") + "- id: b\n  operation: get_task\n  params: {id: \"{{a.response}}\"}"), 16},
	{"open braces", documentOfBody("{a: \"{{x\"}"), 14},
	{"an unknown generator", documentOfBody("{a: \"{{$uid}}\"}"), 14},
	{"braces without a name", documentOfBody("{a: \"{{}}\"}"), 14},
	{"a variable of the environment without a name", documentOfBody("{a: \"{{env.}}\"}"), 14},
	{"a value of a step in variables", strings.Replace(documentOfTest("description: x"), "suites:", "variables: {x: \"{{a.b}}\"}\nsuites:", 1), 3},
	{"a variable that is a number", strings.Replace(documentOfTest("description: x"), "suites:", "variables: {x: 5}\nsuites:", 1), 3},
	{"a path with a dot at its end", documentOfStep(stepOf("  capture: {a: task.}")), 14},
	{"a path that begins with a dot", documentOfStep(stepOf("  capture: {a: .task}")), 14},
	{"a path with an open bracket", documentOfStep(stepOf("  capture: {a: 'task[0'}")), 14},
	{"a negative index", documentOfStep(stepOf("  capture: {a: 'task[-1]'}")), 14},
	{"a wildcard in a capture", documentOfStep(stepOf("  capture: {a: 'tasks[*].id'}")), 14},
	{"a capture named response", documentOfStep(stepOf("  capture: {response: id}")), 14},
	{"a condition without a value", documentOfStep(stepOf("  repeat: {until: 'a =='}")), 14},
	{"a condition without a path", documentOfStep(stepOf("  repeat: {until: '== a'}")), 14},
	{"a condition with another operator", documentOfStep(stepOf("  repeat: {until: 'a > 3'}")), 14},
	{"a delay of a day", documentOfStep(stepOf("  delay_ms: 86400000")), 14},
	{"a million attempts", documentOfStep(stepOf("  repeat: {until: a == b, max_attempts: 1000000}")), 14},
	{"a raw step with two bodies", documentOfTransport("- id: a\n  raw: {method: POST, path: /, body: {}, body_raw: x}"), 13},
	{"a raw step at another host", documentOfTransport("- id: a\n  raw: {method: POST, path: 'http://example.com/'}"), 13},
	{"a header that HTTP cannot have", documentOfTransport("- id: a\n  raw: {method: POST, path: /, headers: {'a b': c}}"), 13},
	{"a header of two lines", documentOfTransport("- id: a\n  raw: {method: POST, path: /, headers: {a: \"b\\r\\nc\"}}"), 13},
	{"raw steps without a transport", documentOfStep("- id: a\n  raw: {method: GET, path: /}"), 11},
	{"a stream of an operation without one", documentOfStep(stepOf("  expect_stream: {min_count: 1}")), 14},
	{"an event of nothing", documentOfStream("{events: [{description: x}]}"), 14},
	{"an event with two places", documentOfStream("{events: [{index: 1, match: any_position, task: {}}]}"), 14},
	{"an error by its code", documentOfStep(stepOf("  expect_error: {code: -32001}")), 14},
	{"an error that A2A does not have", documentOfStep(stepOf("  expect_error: {error_type: TaskMissingError}")), 14},
	{"an error twice", documentOfStep(stepOf("  expect_error: {error_type: InternalError, code: InternalError}")), 14},
	{"body misspelt", documentOfStep(stepOf("  expect: {boddy: {id: x}}")), 14},
	{"a version of the future", "acts_version: \"2.1\"\nspec_version: \"1.0\"\nsuites: []", 1},
	{"an absolute include", "acts_version: \"1.0\"\nspec_version: \"1.0\"\ninclude: [/etc/passwd]", 3},
	{"an include above the folder", "acts_version: \"1.0\"\nspec_version: \"1.0\"\ninclude: [a.yaml, ../b.yaml]", 3},
	{"an assertion about a text", documentOfStep(stepOf("  assertions: [{source: \"x {{a.response}}\", match: y}]")), 14},
	{"levels in a list", strings.Replace(documentOfTest("description: x"), "level: must", "level: [must]", 1), 9},
	{"a deep value", documentOfBody("{a: " + strings.Repeat("[", 150) + strings.Repeat("]", 150) + "}"), 14},
	{"a client step without a payload", documentOfStep("- id: a\n  client_response: {operation: get_task}\n  expect_parsed: {}"), 12},
	{"a step of a misspelt kind", documentOfStep("- id: a\n  asertion: {source: x}"), 11},
	{"a misspelt key of a step", documentOfStep(stepOf("  expct: {status: 200}")), 14},
	{"min above max", documentOfStream("{min_count: 5, max_count: 1}"), 14},
}

// remedy is what every refusal has: what would be right.
var remedy = regexp.MustCompile(`did you mean|write |must be|must begin|can only be|add |the keys are|choose one|rename|leave |use |correct|remove|name a file|put it|at most|shorten|fill it in|is read|it reads|it must|make two|move that|call the operation|the file must|flatten|give --literal|spaces instead|known name|an id has no|a name has|index is|this is not YAML|is empty|is used inside|given twice|reads version|the only generator`)

// TestBrokenDocuments: each broken document is refused with file, line and what would be right. The golden file has
// the refusals, to be read as a user reads them.
func TestBrokenDocuments(t *testing.T) {
	all := slices.Clone(broken)
	for _, p := range productions {
		for text, line := range p.breaks {
			all = append(all, struct {
				name, text string
				line       int
			}{"rule " + p.rule, text, line})
		}
	}
	if len(broken) < 60 {
		t.Errorf("got %d broken documents, want at least 60", len(broken))
	}
	var lines []string
	for i, c := range all {
		_, err := readText(c.text, Options{Strict: i >= len(broken)})
		if err == nil {
			t.Errorf("%s: the document was accepted:\n%s", c.name, c.text)
			continue
		}
		if place := fmt.Sprintf("f.yaml:%d: ", c.line); !strings.Contains("\n"+err.Error(), "\n"+place) {
			t.Errorf("%s: got %v, want it at %s", c.name, err, place)
		}
		for line := range strings.Lines(err.Error()) {
			if !remedy.MatchString(line) {
				t.Errorf("%s: the refusal has no remedy: %s", c.name, line)
			}
			lines = append(lines, c.name+"\t"+strings.TrimSpace(line))
		}
	}
	slices.Sort(lines)
	compareWithGolden(t, "refusals.txt", strings.Join(lines, "\n")+"\n")
}

// compareWithGolden compares a text with a file of testdata, or writes it.
func compareWithGolden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(file, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; look at it after go test -update. Got:\n%s", file, got)
	}
}

// TestIncludes: included documents are read once, with the variables of whoever includes them.
func TestIncludes(t *testing.T) {
	test := func(id string) string {
		return "suites: [{id: s" + id + ", name: S, tests: [{id: " + id + ", name: T, level: may, steps: [{id: a, operation: get_task, params: {id: \"{{outer}}\"}}]}]}]\n"
	}
	head := "acts_version: \"1.0\"\nspec_version: \"1.0\"\n"
	files := fstest.MapFS{
		"m.yaml":   {Data: []byte(head + "variables: {outer: x}\ninclude: [a.yaml, b/c.yaml, a.yaml]\n")},
		"a.yaml":   {Data: []byte(head + "include: [m.yaml]\n" + test("A"))},
		"b/c.yaml": {Data: []byte(head + "include: [d.yaml]\n" + test("C"))},
		"b/d.yaml": {Data: []byte(head + test("D"))},
		"lost":     {Data: []byte(head + "include: [nowhere.yaml]\n")},
	}
	source := func(name string) ([]byte, error) { return fs.ReadFile(files, name) }
	set, err := Files(source, []string{"m.yaml"}, Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, x := range set.Tests() {
		ids = append(ids, x.ID)
	}
	if got := strings.Join(ids, " "); got != "A C D" {
		t.Errorf("got %s", got)
	}
	if _, err := Files(source, []string{"lost"}, Options{}); err == nil || !strings.HasPrefix(err.Error(), "lost:3: nowhere.yaml cannot be read") {
		t.Errorf("got %v", err)
	}
}

// TestBounds: a document cannot make the reader work without end.
func TestBounds(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for i := range 8 {
		list := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", 'a'+i), 10), ",")
		bomb += fmt.Sprintf("%c: &%[1]c [%s]\n", 'b'+i, list)
	}
	included := func(name string) ([]byte, error) {
		return []byte("acts_version: \"1.0\"\nspec_version: \"1.0\"\ninclude: [x" + name + "]\n"), nil
	}
	for name, c := range map[string]struct {
		source Source
		want   string
	}{
		"aliases":    {func(string) ([]byte, error) { return []byte(bomb), nil }, "MiB"},
		"includes":   {included, "more than 100 documents"},
		"repetition": {func(string) ([]byte, error) { return []byte(documentOfBody(repeatedAliases())), nil }, "values"},
		"steps":      {func(string) ([]byte, error) { return []byte(documentOfStep(manySteps(300))), nil }, "at most 200"},
	} {
		began := time.Now()
		_, err := Files(c.source, []string{"f.yaml"}, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", name, err)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s took %s", name, took)
		}
	}
}

// repeatedAliases returns a value that is small, and with its aliases has more values than are read.
func repeatedAliases() string {
	return "{a: &a [" + strings.Repeat("1,", 700) + "1], b: &b [" + strings.Repeat("*a,", 100) + "*a], c: [" + strings.Repeat("*b,", 2) + "*b]}"
}

func manySteps(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "- {id: a%d, operation: list_tasks, params: {}}\n", i)
	}
	return b.String()
}

// FuzzRead: the reader of documents ends, and reports every fault with file and line.
func FuzzRead(f *testing.F) {
	names, err := fs.Glob(corpus.Corpus(), "*.acts.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		text, err := corpus.ReadCorpusFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, true)
	}
	for _, c := range broken {
		f.Add([]byte(c.text), false)
	}
	place := regexp.MustCompile(`^f\.yaml:[1-9]\d*: .`)
	f.Fuzz(func(t *testing.T, text []byte, strict bool) {
		source := func(name string) ([]byte, error) {
			if name != "f.yaml" {
				return nil, fs.ErrNotExist
			}
			return text, nil
		}
		set, err := Files(source, []string{"f.yaml"}, Options{Strict: strict})
		if err == nil {
			for _, x := range set.Tests() {
				x.AssertsNothing()
			}
			return
		}
		if !place.MatchString(err.Error()) {
			t.Errorf("got %q", err)
		}
	})
}
