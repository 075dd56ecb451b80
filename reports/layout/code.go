package layout

import "strings"

// Span is a piece of a sentence: plain text, or a name or value that is set as code.
type Span struct {
	Text string
	Code bool
}

// SplitCode takes a sentence apart at its backticks, between which the catalogue writes names. A backtick
// that has no other, or has nothing between itself and the other, stays as it is.
func SplitCode(sentence string) (out []Span) {
	plain := ""
	for {
		before, rest, opens := strings.Cut(sentence, "`")
		code, after, closes := strings.Cut(rest, "`")
		switch {
		case !opens || !closes:
			if plain += sentence; plain != "" {
				out = append(out, Span{Text: plain})
			}
			return out
		case code == "":
			plain, sentence = plain+before+"``", after
			continue
		}
		if plain += before; plain != "" {
			out = append(out, Span{Text: plain})
		}
		out = append(out, Span{Text: code, Code: true})
		plain, sentence = "", after
	}
}
