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

// SecretMark matches the mark that redaction leaves of a secret, and the name in it.
var SecretMark = regexp.MustCompile(`⟦secret:([^⟦⟧]{1,64})⟧`)

// ReplaceSecretMarks returns a text as one word for a shell, in which a variable of the environment is in place of each redacted
// secret. quote quotes what is between them, which is not empty.
func ReplaceSecretMarks(s string, quote func(string) string) string {
	var b strings.Builder
	plain := func(text string) {
		if text != "" {
			b.WriteString(quote(text))
		}
	}
	last := 0
	for _, at := range SecretMark.FindAllStringSubmatchIndex(s, -1) {
		plain(s[last:at[0]])
		b.WriteString(`"$` + Variable(s[at[2]:at[3]]) + `"`)
		last = at[1]
	}
	plain(s[last:])
	return b.String()
}

// Variable returns the environment variable that holds a secret.
func Variable(name string) string {
	if name == "bearer" {
		return "A2A_TOKEN"
	}
	return "A2A_" + strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, name)
}
