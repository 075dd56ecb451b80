// Package files names the files of a report and writes them, each whole or not at all.
package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

// The files of a badge: a picture, and what shields.io makes one of (its endpoint schema).
const (
	BadgeFile    = "badge.svg"
	EndpointFile = "badge.json"
)

// IndexFile is the page over the reports of several dialects, in the folder of its summary.
const IndexFile = "index.html"

// The files of a matrix.
const (
	MatrixFile         = "matrix.html"
	MatrixMarkdownFile = "matrix.md"
)

// The names of the files that Write leaves in its directory.
const (
	JSONFile       = "report.json"
	TranscriptFile = "transcript.har"
	JUnitFile      = "junit.xml"
	HTMLFile       = "report.html"
	MarkdownFile   = "summary.md"
)

// EnsureWritableDir makes sure that reports can be written into dir, which is made if
// need be. It is asked before a run, which may cost its operator money.
func EnsureWritableDir(dir string) error {
	if err := MakeDir(dir); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".writable.*")
	if err == nil {
		_, err = f.WriteString("a2a-conform")
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		return fmt.Errorf("cannot write reports into %s: %w; name another directory with --out", dir, err)
	}
	return nil
}

func MakeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("cannot make the report directory %s: %w; name another with --out", dir, err)
	}
	return nil
}

// File is one of those that are written into a folder.
type File struct {
	Name   string
	Render func(io.Writer) error
}

// WriteEachJoiningErrors writes files into dir. The error names those that cannot be written; all others are.
func WriteEachJoiningErrors(dir string, files ...File) (err error) {
	for _, f := range files {
		if failed := Write(dir, f.Name, f.Render); failed != nil {
			err = errors.Join(err, fmt.Errorf("cannot write %s: %w; name another directory with --out", filepath.Join(dir, f.Name), failed))
		}
	}
	return err
}

// Write writes a temporary file and renames it, so that a reader never sees half a report, nor a new
// junit.xml with an old report.json.
func Write(dir, name string, render func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(dir, "."+name+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriter(f)
	out, flush := io.Writer(w), func() error { return nil }
	if name != HTMLFile && name != TranscriptFile { // which are opened in a browser or a viewer; the others end in logs
		inert := safetext.NewWriter(w, false)
		out, flush = inert, inert.Flush
	}
	if err := render(out); err != nil {
		return err
	}
	if err := flush(); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	// CI jobs collect reports as another user than the one that wrote them.
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(dir, name))
}
