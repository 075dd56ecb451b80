package cli

import (
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
)

// The bounds of what is printed of an error, which may quote what others wrote.
const (
	mostErrorLines = 100
	errorLineHead  = 6000 // characters that are kept of a longer line
	errorLineTail  = 2000
)

// boundSentence shortens the lines of an error, and leaves out those beyond a bound.
func boundSentence(text string) string {
	lines := strings.SplitN(text, "\n", mostErrorLines+1)
	if len(lines) > mostErrorLines {
		lines[mostErrorLines] = fmt.Sprintf("%d more lines like these are left out", strings.Count(lines[mostErrorLines], "\n")+1)
	}
	for i, line := range lines {
		lines[i] = shorten.Middle(line, errorLineHead, errorLineTail, " … ")
	}
	return strings.Join(lines, "\n")
}
