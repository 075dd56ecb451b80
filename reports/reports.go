// Package reports renders the outcome of a run for its readers: report.json for
// programs, junit.xml for dashboards, report.html and summary.md for people, a
// HAR file for those who want every byte, a badge, and the last lines on a terminal.
// Matrix and Diff compare several, FleetPage shows what many agents came to each night.
//
// report.json is canonical and everything else is rendered from the same
// value. Much of the text in a report was chosen by the server under test, so
// no format trusts it: it is shortened, its control characters are shown rather
// than obeyed, and it is escaped for the place it goes to.
package reports

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// The names of the files that Write leaves in its directory.
const (
	JSONFile       = "report.json"
	TranscriptFile = "transcript.har"
	JUnitFile      = "junit.xml"
	HTMLFile       = "report.html"
	MarkdownFile   = "summary.md"
)

// Write renders a report and its transcript into dir, which is made if need be,
// with a script for each failure, whose path it notes in the report. The scripts make the
// calls of the excerpts, by the id of the requirement; if it is nil, none were looked for, and a
// script makes all calls of the conversation that shows the failure.
// Each file appears whole or not at all. The error names the file that could
// not be written; those written before it stay.
func Write(dir string, r *report.Report, t *record.Transcript, shortest map[string]record.Excerpt) error {
	if t == nil {
		t = &record.Transcript{}
	}
	if err := makeDir(dir); err != nil {
		return err
	}
	scripts := reproduce(dir, r, t, shortest)
	if scripts != nil { // what was judged is written all the same
		scripts = fmt.Errorf("cannot write %s: %w; name another directory with --out", filepath.Join(dir, ReproduceDir), scripts)
	}
	// The page takes the longest, so that it is begun first. Whatever becomes of the
	// others, each is written: the transcript is what cannot be had again.
	beside := func(f file) <-chan error {
		written := make(chan error, 1)
		go func() { written <- writeFiles(dir, f) }()
		return written
	}
	page := beside(file{HTMLFile, func(w io.Writer) error { return HTML(w, r, t) }})
	transcript := beside(file{TranscriptFile, func(w io.Writer) error { return record.WriteHAR(w, t) }})
	rest := writeFiles(dir,
		file{JSONFile, func(w io.Writer) error { return JSON(w, r) }},
		file{JUnitFile, func(w io.Writer) error { return JUnit(w, InFolder(r, dir)) }},
		file{MarkdownFile, func(w io.Writer) error { return Markdown(w, InFolder(r, dir)) }},
		file{BadgeFile, func(w io.Writer) error { return Badge(w, r) }},
		file{EndpointFile, func(w io.Writer) error { return BadgeEndpoint(w, r) }},
	)
	return errors.Join(scripts, <-transcript, rest, <-page)
}

// Writable makes sure that reports can be written into dir, which is made if
// need be. It is asked before a run, which may cost its operator money.
func Writable(dir string) error {
	if err := makeDir(dir); err != nil {
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

func makeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("cannot make the report directory %s: %w; name another with --out", dir, err)
	}
	return nil
}

// file is one of those that are written into a folder.
type file struct {
	name   string
	render func(io.Writer) error
}

// writeFiles writes files into dir. The error names those that cannot be written; all others are.
func writeFiles(dir string, files ...file) (err error) {
	for _, f := range files {
		if failed := writeFile(dir, f.name, f.render); failed != nil {
			err = errors.Join(err, fmt.Errorf("cannot write %s: %w; name another directory with --out", filepath.Join(dir, f.name), failed))
		}
	}
	return err
}

// writeFile writes beside the file and renames, so that a reader never sees
// half a report, nor a new junit.xml beside an old report.json of half a run.
func writeFile(dir, name string, render func(io.Writer) error) (err error) {
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
		inert := NewInert(w, false)
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

// InFolder is a report whose scripts are named from where the command was run: its files
// are in dir.
func InFolder(r *report.Report, dir string) *report.Report {
	out := *r
	out.Results = slices.Clone(r.Results)
	for i := range out.Results {
		if script := &out.Results[i].Reproduce; *script != "" {
			*script = quote(filepath.ToSlash(filepath.Join(dir, *script)))
		}
	}
	return &out
}
