package verdict

import (
	"regexp"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/report"
)

// breaks are the places at which one statement of a failure's text ends and it continues with
// another, or with bytes that the server chose.
var breaks = regexp.MustCompile(`; |: | \(|[{\[…]`)

// The bounds of an excerpt: shorter ones are in too many texts, longer ones in
// too few.
const (
	leastExcerpt = 8
	mostExcerpt  = 80
)

// chooseExcerpt returns a piece that all texts of a failure hold, and that is likely to
// come again in the next run: what the server did, in words, without numbers of
// exchanges, ids and times; else what is asked of it. It is empty if the
// texts have nothing of the kind in common.
func chooseExcerpt(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	var asked string
	did := strings.TrimPrefix(texts[0], "the server ")
	if _, after, ok := strings.Cut(texts[0], ": the server "); ok { // what we sent comes before it
		did = after
	} else if _, after, ok := strings.Cut(texts[0], ": the "); ok {
		did = "the " + after
	}
	for _, clause := range splitStableClauses(did) {
		piece := clausePrefixInAllTexts(clause, texts)
		switch {
		case piece == "":
		case !strings.HasPrefix(piece, "expected "):
			return piece
		case asked == "":
			asked = piece
		}
	}
	return asked
}

// splitStableClauses takes a text apart, and leaves out what passes, together with the rest
// of the words that it is in.
func splitStableClauses(text string) []string {
	var out []string
	for _, part := range breaks.Split(text, -1) {
		from := 0
		for _, at := range report.VaryingParts(part) {
			if end := strings.LastIndexByte(part[:at[0]], ' ') + 1; end > from {
				out = append(out, part[from:end])
			}
			from = len(part)
			if i := strings.IndexByte(part[at[1]:], ' '); i >= 0 {
				from = at[1] + i
			}
		}
		out = append(out, part[from:])
	}
	return out
}

// clausePrefixInAllTexts returns the longest beginning of a clause, in whole words, that every text
// holds; empty if it states too little.
func clausePrefixInAllTexts(clause string, texts []string) string {
	words := strings.Fields(clause)
	for n := len(words); n >= 2; n-- {
		piece := strings.Join(words[:n], " ")
		if len(piece) < leastExcerpt {
			return ""
		}
		held := len(piece) <= mostExcerpt
		for _, t := range texts {
			held = held && strings.Contains(t, piece)
		}
		if held {
			return strings.TrimRight(piece, ",.")
		}
	}
	return ""
}
