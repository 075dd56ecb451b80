package html

import (
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/excerpt"
)

// a2aConformCallCommand is the command that sends a recorded call again.
func a2aConformCallCommand(x *record.Exchange) string {
	return fmt.Sprintf("a2a-conform call . %d", x.ID)
}

// estimateHTMLLength estimates the length of a text in a page, in which a quotation mark takes five bytes.
func estimateHTMLLength(s string) int { return len(s) + 4*strings.Count(s, `"`) }

// needsScrolling reports whether a text may be too long to be seen at once: it scrolls then, and
// must be reached by the keyboard.
func needsScrolling(text []excerpt.Piece) bool {
	n, lines := 0, 0
	for _, p := range text {
		n += len(p.Text)
		lines += strings.Count(p.Text, "\n")
	}
	return n > 1500 || lines > 16
}
