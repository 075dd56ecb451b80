package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// ChangingLine is a line of progress that the next one takes the place of, on a terminal that
// somebody may be watching.
type ChangingLine struct {
	w     io.Writer
	shown bool
	// Live reports whether there is such a terminal.
	Live bool
}

// NewChangingLine returns a line on a writer.
func NewChangingLine(w io.Writer) *ChangingLine {
	_, live := Terminal(w)
	return &ChangingLine{w: w, Live: live && !InCI()}
}

// Show prints a text in place of the one before.
func (l *ChangingLine) Show(format string, values ...any) {
	fmt.Fprintf(l.w, "\r\x1b[K"+format, values...)
	l.shown = true
}

// Clear removes the line.
func (l *ChangingLine) Clear() {
	if l.shown {
		fmt.Fprint(l.w, "\r\x1b[K")
		l.shown = false
	}
}

// InCI reports whether the environment states that no one is watching.
func InCI() bool {
	v := os.Getenv("CI")
	return v != "" && v != "0" && !strings.EqualFold(v, "false")
}
