package reportstest

import (
	"regexp"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"
)

// oldWords are names of the code and of report.json that no reader of a report has to learn. People read
// undecided, not exercised, counterpart, depends on, setting.
var oldWords = regexp.MustCompile(`(?i)\b(inconclusive|vacuous|twin|rests? on|operator|scenarios?|not-applicable|suite-error|in-force|reworded|stale)\b`)

// CheckNoInternalWords makes sure that a screen uses none of the names that only programs read.
func CheckNoInternalWords(t *testing.T, name, screen string) {
	t.Helper()
	for _, at := range oldWords.FindAllStringIndex(screen, 5) {
		t.Errorf("%s says %q: …%s…", name, screen[at[0]:at[1]], screen[max(0, at[0]-60):min(len(screen), at[1]+60)])
	}
}

// TextAndLabelsOutsidePre is what is read on a page: its text and the labels that are read aloud, without
// styles, scripts and the bytes of exchanges.
func TextAndLabelsOutsidePre(t *testing.T, page string) string {
	t.Helper()
	root, err := nethtml.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	var walk func(n *nethtml.Node)
	walk = func(n *nethtml.Node) {
		switch {
		case n.Type == nethtml.ElementNode && (n.Data == "style" || n.Data == "script" || n.Data == "pre"):
			return
		case n.Type == nethtml.TextNode:
			out.WriteString(n.Data + " ")
		}
		for _, a := range n.Attr {
			if a.Key == "aria-label" || a.Key == "title" {
				out.WriteString(a.Val + " ")
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	return out.String()
}
