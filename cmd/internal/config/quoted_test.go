package config

import "testing"

// Variables are quoted in braces only, and a text that is quoted already stays as it is.
func TestQuoted(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"in braces", "auth: {bearer: ${A}}\n", "auth: {bearer: \"${A}\"}\n"},
		{"several in braces", "auth: {bearer: ${A}, basic: ${B} }\n", "auth: {bearer: \"${A}\", basic: \"${B}\" }\n"},
		{"in brackets", "never: [${A}, ${B}]\n", "never: [\"${A}\", \"${B}\"]\n"},
		{"braces in braces", "auth: {second: {bearer: ${A}}}\n", "auth: {second: {bearer: \"${A}\"}}\n"},
		{"over several lines", "auth: {\n  bearer: ${A}, # the first\n  basic:\n    ${B}\n}\n", "auth: {\n  bearer: \"${A}\", # the first\n  basic:\n    \"${B}\"\n}\n"},
		{"on a line of its own", "auth:\n  bearer: ${A}\n", ""},
		{"quoted in braces", "auth: {bearer: \"${A}\", basic: '${B}'}\n", ""},
		{"in a quoted text", "stimuli:\n  quick: {text: \"say: ${A}, {b: ${B}}\"}\n", ""},
		{"in a text with single quotes", "stimuli:\n  quick: {text: 'it''s: ${A} '}\n", ""},
		{"behind an escaped quote", "stimuli:\n  quick: {text: \"a \\\" b: ${A}\"}\n", ""},
		{"in a comment", "# {bearer: ${A}}\ntarget: http://a # {b: ${B}}\n", ""},
		{"in a block", "stimuli:\n  quick:\n    text: |\n      don't {a: ${A}}\n\n      [b: ${B}]\nauth: {bearer: ${C}}\n", "stimuli:\n  quick:\n    text: |\n      don't {a: ${A}}\n\n      [b: ${B}]\nauth: {bearer: \"${C}\"}\n"},
		{"in a plain text", "stimuli:\n  quick:\n    text: don't say {a: ${A}}\nauth: {bearer: ${C}}\n", "stimuli:\n  quick:\n    text: don't say {a: ${A}}\nauth: {bearer: \"${C}\"}\n"},
		{"part of a text", "auth: {bearer: ${A}b}\n", ""},
		{"a quote that does not end", "a: \"${A}", ""},
		{"a block at the end", "a: |", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := c.want
			if want == "" {
				want = c.text
			}
			if got := string(Quoted([]byte(c.text))); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}
