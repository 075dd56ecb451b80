package hostile

import (
	"regexp"
	"strings"
	"unicode"
)

// Obeyed returns the first line of a log that a CI runner would take for a command, by
// the grammar of the runners themselves; "" if there is none. GitHub's takes ::
// at the beginning of a line after blanks, with another :: after it (ActionCommand,
// TryParseV2), and ##[name] anywhere (TryParse); Azure's agent ##vso[area.action]
// anywhere (Command.TryParse), and TeamCity ##teamcity[ anywhere.
func Obeyed(log string) string {
	for line := range strings.FieldsFuncSeq(log, func(r rune) bool { return r == '\n' || r == '\r' }) {
		trimmed := strings.TrimFunc(line, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b' })
		if rest, ok := strings.CutPrefix(trimmed, "::"); ok && strings.Contains(rest, "::") {
			return line
		}
		if at := strings.Index(line, "##["); at >= 0 && strings.Contains(line[at:], "]") {
			return line
		}
		if azure.MatchString(line) || strings.Contains(strings.ToLower(line), "##teamcity[") {
			return line
		}
	}
	return ""
}

var azure = regexp.MustCompile(`(?i)##vso\[[^\]]*\]`)
