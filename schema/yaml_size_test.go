package schema

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// doubled is a YAML map in which each value repeats the one before it twice.
func doubled(times int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [lorem, ipsum]\n")
	for i := 1; i <= times; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
	}
	return b.String()
}

// A document is counted with its aliases expanded, in time that depends on what is written.
func TestYAMLIsCountedAfterExpansion(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"few aliases":        {"base: &b {x: 1}\none: *b\ntwo: *b\n", ""},
		"merged":             {"base: &b {x: 1}\none: {<<: *b, y: 2}\n", ""},
		"doubled":            {doubled(60), "f:2"},
		"a long text":        {"a: &a " + strings.Repeat("x", 1<<20) + "\nb: [" + strings.Repeat("*a, ", 20) + "]\n", "f:2: with its aliases expanded the document has more than 8 MiB"},
		"itself":             {"a: &a [*a]\n", "f:1: the alias *a is used inside the value that it stands for"},
		"itself, at a depth": {"a: &a {b: {c: [1, *a]}}\n", "used inside"},
	} {
		began := time.Now()
		var v map[string]any
		err := Strict("f", []byte(c.text), &v)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), strings.Split(c.want, "f:2")[0])) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
	}
}
