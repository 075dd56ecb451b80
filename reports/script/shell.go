package script

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

// QuoteWithSecretVariables turns any text into one argument of a shell. A redacted secret becomes a variable of the environment;
// invisible characters are written in the escapes of bash and zsh, so that the command can be copied from a
// page.
func QuoteWithSecretVariables(s string) string {
	if s == "" {
		return "''"
	}
	return safetext.ReplaceSecretMarks(s, quotePlain)
}

func quotePlain(s string) string {
	if s == "" {
		return ""
	}
	if safetext.Visible(s) == s && !strings.ContainsAny(s, "\n\t") {
		return safetext.ShellWord(s)
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r < 0x20 || r == 0x7f || safetext.IsHidden(r) || r == utf8.RuneError:
			// Three octal digits: the digit that follows cannot run into them.
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteRune(r)
		}
		i += n
	}
	b.WriteString("'")
	return b.String()
}

// printfFormat writes bytes as a format of printf that prints them.
func printfFormat(b []byte) string {
	var s strings.Builder
	for i, c := range b {
		switch {
		case c == '-' && i == 0: // or it would be an option
			s.WriteString(`\055`)
		case c == '%':
			s.WriteString("%%")
		case c == '\\':
			s.WriteString(`\\`)
		case c < 0x20 || c >= 0x7f || c == '#': // two of which may begin a command of a CI runner
			fmt.Fprintf(&s, `\%03o`, c)
		default:
			s.WriteByte(c)
		}
	}
	return s.String()
}

// encodedToo ends the name of the variable that has an id with every byte percent-encoded.
const encodedToo = "_encoded"

// percentEncodeEveryByte spells every byte of a text as a URL may: a server has to decode it.
func percentEncodeEveryByte(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// quoteLiteral quotes a text that holds no variable.
func quoteLiteral(s string) string {
	if isVisibleSingleLine(s) {
		return safetext.ShellWord(s)
	}
	return `"$(printf '` + strings.ReplaceAll(printfFormat([]byte(s)), "'", `'\''`) + `')"`
}

// isVisibleSingleLine reports whether a text can stand in a script as it is, and in a log that takes
// commands out of what it is shown.
func isVisibleSingleLine(s string) bool {
	return safetext.Visible(s) == s && !strings.ContainsAny(s, "\n\t") && !strings.Contains(s, "##")
}
