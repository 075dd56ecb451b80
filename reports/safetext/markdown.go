package safetext

import (
	"strings"
)

// MarkdownCode is a code span, fenced by more backticks than the text has in a row.
func MarkdownCode(s string, limit int) string {
	s = Line(s, limit)
	if s == "" {
		return "``` ```"
	}
	longest, run := 0, 0
	for _, r := range s {
		if r == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence := strings.Repeat("`", longest+1)
	// CommonMark takes one space off either end if both are there.
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || s[0] == ' ' && s[len(s)-1] == ' ' {
		s = " " + s + " "
	}
	return fence + s + fence
}

// EscapeMarkdown makes a text of this program, such as a sentence of the catalogue, safe as Markdown: any
// ASCII punctuation may be escaped. Dots and colons are escaped only if they could make a link of the words
// around them.
func EscapeMarkdown(s string) string {
	var b strings.Builder
	for i, r := range s {
		links := (r == '.' || r == ':') && i+1 < len(s) && s[i+1] != ' '
		number := i > 0 && i+1 < len(s) && isDigit(s[i-1]) && isDigit(s[i+1])
		if links && !number || strings.ContainsRune("\\`*_{}[]<>()#+!|~&@$^=\"", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
