package layout

import (
	"strings"
	"testing"
)

func TestSplitCode(t *testing.T) {
	for sentence, want := range map[string]string{
		"":                                 "",
		"no name":                          "no name",
		"`GetTask` returns `status.state`": "<GetTask> returns <status.state>",
		"one ` alone":                      "one ` alone",
		"`a`, then ` alone":                "<a>, then ` alone",
		"nothing `` between":               "nothing `` between",
		"``` three":                        "``` three",
		"`<b>`":                            "<<b>>",
	} {
		var got strings.Builder
		for _, w := range SplitCode(sentence) {
			if w.Code {
				got.WriteString("<" + w.Text + ">")
			} else {
				got.WriteString(w.Text)
			}
		}
		if got.String() != want {
			t.Errorf("%q: got %q, want %q", sentence, got.String(), want)
		}
	}
}

// FuzzSplitCode checks that no byte of a sentence is lost but the backticks around names.
func FuzzSplitCode(f *testing.F) {
	for _, seed := range []string{"", "`", "``", "```", "a `b` c", "`a``b`"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, sentence string) {
		var again strings.Builder
		for _, w := range SplitCode(sentence) {
			switch {
			case w.Text == "":
				t.Errorf("%q: a part is empty", sentence)
			case w.Code && strings.Contains(w.Text, "`"):
				t.Errorf("%q: the name %q has a backtick", sentence, w.Text)
			case w.Code:
				again.WriteString("`" + w.Text + "`")
			default:
				again.WriteString(w.Text)
			}
		}
		if again.String() != sentence {
			t.Errorf("got %q, want %q", again.String(), sentence)
		}
	})
}
