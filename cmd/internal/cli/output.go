package cli

import (
	"io"
	"os"
	"sync"

	"golang.org/x/term"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

// Output is all that we print: what others wrote obeys no one there. It remembers
// the first error of writing, so that a full disk or a reader who went away is
// never taken for success.
type Output struct {
	mu    sync.Mutex // a signal is reported of while others print
	w     io.Writer
	inert *safetext.Writer
	err   error
}

// NewOutput returns the output that leads to a writer.
func NewOutput(w io.Writer) *Output {
	_, is := Terminal(w)
	return &Output{w: w, inert: safetext.NewWriter(w, is)}
}

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	var n int
	n, o.err = o.inert.Write(p)
	return n, o.err
}

// Flush writes what was held back.
func (o *Output) Flush() {
	if o.err == nil {
		o.err = o.inert.Flush()
	}
}

// FailedToWrite returns the first error of writing to our output, if there was one.
func FailedToWrite(w io.Writer) error {
	o, ok := w.(*Output)
	if !ok {
		return nil
	}
	return o.err
}

// Underlying returns what an output leads to.
func Underlying(w io.Writer) io.Writer {
	if o, ok := w.(*Output); ok {
		return o.w
	}
	return w
}

// Terminal returns the terminal that a writer leads to, if it does.
func Terminal(w io.Writer) (*os.File, bool) {
	file, ok := Underlying(w).(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}

// PassCommands returns a writer past the one that breaks commands, for those that are ours.
func PassCommands(w io.Writer) io.Writer {
	if o, ok := w.(*Output); ok {
		return (*unbrokenWriter)(o)
	}
	return w
}

// unbrokenWriter is an output whose commands a runner obeys. Nothing but annotations, in which
// all that others wrote is escaped, may be written to it.
type unbrokenWriter Output

func (u *unbrokenWriter) Write(p []byte) (int, error) {
	o := (*Output)(u)
	o.Flush() // what was held back comes first
	if o.err != nil {
		return 0, o.err
	}
	var n int
	n, o.err = o.w.Write(p)
	return n, o.err
}
