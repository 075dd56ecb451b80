package schema

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What the YAML library would compare each with each is bounded before, and equal keys are named once.
func TestYAMLNodesAreChecked(t *testing.T) {
	var keys strings.Builder
	for i := range maxYAMLKeys {
		fmt.Fprintf(&keys, "k%d: 1, ", i)
	}
	for name, c := range map[string]struct{ text, want string }{
		"as many keys as may be":  {"a: {" + keys.String() + "}", ""},
		"one key more":            {"a:\n  {" + keys.String() + "x: 1}", "f:2: the map that begins here has 10001 keys"},
		"a key twice":             {"a: {b: 1,\n c: 1,\n b: 2}", `f:3: the key "b" is given twice; the first is in line 1`},
		"a key many times":        {"a: {" + strings.Repeat("b: 1,\n", 9_000) + "}", `f:11: the key "b" is given twice`},
		"a key twice, in a list":  {"a: [[{b: 1, b: 1}]]", "given twice"},
		"a key twice, in a key":   {"a: {? {b: 1, b: 1} : 2}", "given twice"},
		"two keys alike in value": {"a: {1: x, '1': y}", "given twice"},
		"equal keys of two maps":  {"a: [{b: 1}, {b: 1}]", ""},
		"a tag of a text":         {"a: !!str 5", ""},
		"a tag of another type":   {"a: [!!binary aGVsbG8=]", `f:1: the tag "!!binary" cannot be used here`},
		"a tag of its own":        {"a: !vault x", `the tag "!vault" cannot be used here`},
		"a tag on a key":          {"!x a: 1", `the tag "!x" cannot be used here`},
		"a few directives":        {"%YAML 1.1\n%TAG ! tag:a.example,2000:\n---\na: b", ""},
		"many directives":         {strings.Repeat("%X\n", 101) + "---\na: b", "f:101: more than 100 lines begin with %"},
	} {
		began := processorTime(t)
		var v map[string]any
		err := Strict("f", []byte(c.text), &v)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %.300v, want %q", name, err, c.want)
		} else if err != nil && strings.Count(err.Error(), "\n") >= maxNodeFaults {
			t.Errorf("%s: the error has too many lines: %.300v", name, err)
		}
		if took := processorTime(t) - began; took > 5*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
	}
}

// processorTime returns what this process has used of the processors: other work on the machine does not
// count.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
