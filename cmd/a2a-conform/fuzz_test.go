package main

import (
	"regexp"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/config"
)

var atLine = regexp.MustCompile(`^fuzz\.yaml:[1-9][0-9]*: .`)

func FuzzConfig(f *testing.F) {
	for _, s := range []string{
		"target: http://localhost:9999\ndialect: auto\nauth: {bearer: ${A2A_TOKEN}}\ndeclares: {never: [slow], production: true}\nstimuli:\n  quick: {text: x}\n  ask: {text: ask, answer: blue, seconds: 1.5}\n",
		"stimuli: {slow: {text: x, seconds: .nan}}", "stimuli: {slow: {text: x, seconds: -1}}", "declares: {never: slow}", "auth: {bearer: secret-in-the-file}", "stimuli: &a\n  slow: *a\n",
		"a: &a [*a]", "<<: {target: x}", "target: !!binary aGVsbG8=", "\xff", "target: x\n---\n", "? {a: b}\n: c", "- x",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if strings.Contains(string(text), "file:") {
			return // a fuzzer does not choose what is read
		}
		target := conform.Target{}
		if err := config.Parse("fuzz.yaml", text, &target, config.FromOutside); err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !atLine.MatchString(line) {
					t.Errorf("%q names no line", line)
				}
			}
			return
		}
		for name, s := range target.Stimuli {
			if s.Text == "" || !(s.Seconds >= 0) {
				t.Errorf("accepted the stimulus %s: %+v", name, s)
			}
		}
	})
}
