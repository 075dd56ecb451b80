package safetext

import (
	"regexp"
	"strings"
)

// plainWord is what a shell takes as it is.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,-]+$`)

// ShellWord returns a text as one argument of a POSIX shell, in quotes if it needs them. Invisible
// characters stay as they are.
func ShellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
