package schema

import (
	"strings"
	"testing"
)

type shaped struct {
	Name  string            `yaml:"name"`
	Sizes []float64         `yaml:"sizes"`
	Inner map[string]shaped `yaml:"inner"`
	Loud  bool              `yaml:"loud"`
	Any   any               `yaml:"any"`
}

func TestStrict(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"fits", "name: 5\nsizes: [1, 2.5]\ninner: {a: {name: x}}\nloud: true\nany: {b: [c]}", ""},
		{"nothing given", "name:\nsizes:\ninner: {a: }", ""},
		{"an alias", "inner:\n  a: &a {name: x}\n  b: *a\n", ""},
		{"merged", "inner:\n  a: &a {name: x}\n  b: {<<: *a, loud: true}\n", ""},
		{"a fault behind an alias is told once", "inner:\n  a: &a {nmae: x}\n  b: *a\n", `f:2: unknown key "nmae" in inner.a; valid keys: name, sizes, inner, loud, any`},
		{"a fault in what is merged", "inner:\n  a: {<<: {nmae: x}}\n", `f:2: unknown key "nmae" in inner.a`},
		{"deep", "inner:\n  a:\n    inner:\n      b:\n        sizes: [1, x]\n", `f:5: inner.a.inner.b.sizes[1] is the text "x", but must be a number`},
		{"a number where a word is due", "loud: 3", `f:1: loud is the number 3, but must be true or false`},
		{"a word where a list is due", "sizes: true", `f:1: sizes is the word true, but must be a list`},
		{"a list as a key", "? [a]\n: b", `f:1: the key is a list, but must be one of`},
		{"two faults", "nmae: x\nsizez: y", "f:1: unknown key \"nmae\"; valid keys: name, sizes, inner, loud, any\nf:2: unknown key \"sizez\""},
		{"a long text", "sizes: " + strings.Repeat("é", 500), strings.Repeat("é", 60) + "…"},
		{"an alias of nothing", "name: *a", "f:1: this is not YAML: unknown anchor"},
		{"a tab", "name:\n\tx", "f:2: this is not YAML: a tab begins this line; use spaces instead"},
		{"a tab after spaces", "name: y\ninner:\n  \ta: {}\n", "f:3: this is not YAML: a tab begins this line"},
		{"an entry that is indented too little", "sizes:\n  - 1\n  - 2\n - 3\n", "f:4: this is not YAML: did not find expected key; look at the indentation of this line"},
		{"an error behind values over several lines", "name: \"a\n  b\n  c\"\nsizes: [1,\n  2,\n  3]\ninner:\n  a: {name: x}\n  b: {name: [}\nloud: true\n", "f:9: this is not YAML: "},
		{"no tab", "name: @x\n", "f:1: this is not YAML: found character that cannot start any token"},
		{"itself", "inner: &a\n  b: {inner: *a}\n", "f:2: the alias *a is used inside the value that it stands for"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var v shaped
			err := Strict("f", []byte(c.text), &v)
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %s", err, c.want)
			case err != nil && strings.Count(err.Error(), "\n") > 1:
				t.Errorf("it says too much: %v", err)
			}
		})
	}
}

func TestLineOf(t *testing.T) {
	text := []byte("a:\n  b: x\nlist:\n  - one\n  - c: y\n    d: z\n")
	for _, c := range []struct {
		path []any
		line int
	}{
		{[]any{"a", "b"}, 2}, {[]any{"d"}, 6}, {[]any{"list", 1, "d"}, 6}, {[]any{"list", 0}, 4}, {[]any{"list", 1, "none"}, 5},
		{[]any{"list", 9}, 3}, {[]any{"none"}, 1}, {nil, 1},
	} {
		if got := LineOf(text, c.path...); got != c.line {
			t.Errorf("%v is in line %d, want %d", c.path, got, c.line)
		}
	}
	if LineOf([]byte("a: ["), "a") != 1 || LineOf(nil, "a") != 1 {
		t.Error("a text that is not YAML has a line other than 1")
	}
}
