package commandtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var flagWord = regexp.MustCompile(`(?:^|\s)--([a-z][a-z-]*)`)

// CheckFlags checks that a subcommand exists and knows every flag of a text.
func CheckFlags(t *testing.T, root *cobra.Command, source, subcommand, args string) {
	t.Helper()
	cmd, _, err := root.Find(append([]string{subcommand}, strings.Fields(args)...)) // and what is below it
	if err != nil {
		t.Errorf("%s: %v", source, err)
		return
	}
	for _, m := range flagWord.FindAllStringSubmatch(args, -1) {
		if cmd.Flag(m[1]) == nil && cmd.InheritedFlags().Lookup(m[1]) == nil && m[1] != "help" {
			t.Errorf("%s: %s has no flag --%s", source, subcommand, m[1])
		}
	}
}

// CheckCommands checks that every subcommand and flag of a program in pipelines and guides
// exists. It counts the command lines.
func CheckCommands(t *testing.T, root *cobra.Command, program string, files ...string) (seen int) {
	t.Helper()
	invocation := regexp.MustCompile(`(?m)(?:^|[ "/])` + program + `(?:@latest)?"? +([a-z]+)\b(.*)$`)
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join("../..", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range invocation.FindAllStringSubmatch(strings.ReplaceAll(string(text), "\\\n", " "), -1) {
			if m[1] == "is" || m[1] == "run" && strings.TrimSpace(m[2]) == "" || strings.HasPrefix(m[1], "build") {
				continue
			}
			args, _, _ := strings.Cut(m[2], " | ")
			CheckFlags(t, root, file, m[1], args)
			seen++
		}
	}
	return seen
}
