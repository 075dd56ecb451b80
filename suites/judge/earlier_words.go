package judge

import (
	"regexp"
	"strings"
)

// A waiver may quote the text of a failure. So that no waiver stops to hold because this
// program describes the same failure in other words, what it quotes is also looked for in
// the words of earlier versions.

// rewordings are the phrases that changed: what a text says now, and what it said before.
var rewordings = []struct {
	now *regexp.Regexp
	was string
}{
	{regexp.MustCompile(`; expected (.+) \(([^()]+)\)(: [^\[]*)?( \[.*\])?$`), "; $2 asks for $1$3$4"},
	{regexp.MustCompile(`asks for a JSON-RPC error (-\d+)`), "asks for $1"},
	{regexp.MustCompile(` \[([^\[\]]*)\]$`), " ($1)"},
	{regexp.MustCompile(`answered with error (-?\d+)( \(\w+\))?: "`), `answered code $1$2 "`},
	{regexp.MustCompile(`(answered|refused it) with error (-?\d+)`), "$1 code $2"},
	{regexp.MustCompile(`(?:refused the call with|failed with|answered) HTTP (\d+)(?: and|with) its own JSON`), "answered HTTP $1 with JSON that is no JSON-RPC response"},
	{regexp.MustCompile(`(?:refused the call with|failed with) HTTP (\d+)(?: and)? (without a body)`), "answered HTTP $1 $2"},
	{regexp.MustCompile(`(?:refused the call with|failed with) HTTP (\d+) and (\S+/\S+)`), "answered HTTP $1 with $2 that is not JSON"},
	{regexp.MustCompile("has no `([^`]+)`; it has ([^;]+); "), "left out $1, and has only $2; "},
	{regexp.MustCompile("has no `([^`]+)`"), "left out $1"},
}

// earlier is the text of a failure in the words of earlier versions.
func earlier(text string) string {
	for _, r := range rewordings {
		text = r.now.ReplaceAllString(text, r.was)
	}
	return text
}

// owner is the name of a type before the name of a member that is missing, which texts do
// not show any more.
var owner = regexp.MustCompile(`left out [A-Za-z0-9.]*\.(\w+)`)

// heldEarlier reports whether all texts of a failure contain what a waiver quotes, in the
// words of earlier versions.
func heldEarlier(where string, f failure) bool {
	where = owner.ReplaceAllString(where, "left out $1")
	for _, text := range f.texts {
		if !strings.Contains(earlier(text), where) {
			return false
		}
	}
	return len(f.texts) > 0
}
