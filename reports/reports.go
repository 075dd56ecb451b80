// Package reports writes the outcome of a run: report.json for programs, junit.xml, SARIF and GitHub
// annotations for CI, summary.md, a badge and the last lines on a terminal for people, and with them the
// page, the scripts and the transcript of the packages below.
//
// report.json is canonical, and every other format is rendered from the same value. A server under test
// chose much of the text in a report, so no format trusts it: package safetext shortens it, shows its
// control characters, and escapes it for its place.
package reports

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/html"
	"github.com/a2a-conform/a2a-conform/reports/script"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// WriteOverviewFiles writes the page over several reports, and a summary over theirs, into
// the folder that holds their folders. There is at least one part. server is the name
// of what was judged.
func WriteOverviewFiles(dir, server string, parts []view.Part) error {
	if err := files.MakeDir(dir); err != nil {
		return err
	}
	return files.WriteEachJoiningErrors(dir,
		files.File{Name: files.IndexFile, Render: func(w io.Writer) error { return html.WriteIndex(w, server, parts) }},
		files.File{Name: files.MarkdownFile, Render: func(w io.Writer) error { return writeIndexMarkdown(w, server, parts) }},
		files.File{Name: files.BadgeFile, Render: func(w io.Writer) error { return overAll(server, parts).writeSVG(w) }},
		files.File{Name: files.EndpointFile, Render: func(w io.Writer) error { return overAll(server, parts).writeEndpoint(w) }},
	)
}

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
	if err := files.MakeDir(dir); err != nil {
		return err
	}
	scripts := script.ReplaceScriptsAndNotePaths(dir, r, t, shortest)
	if scripts != nil { // what was judged is written all the same
		scripts = fmt.Errorf("cannot write %s: %w; name another directory with --out", filepath.Join(dir, script.Folder), scripts)
	}
	// The page takes the longest, so that it is begun first. Whatever becomes of the
	// others, each is written: the transcript is what cannot be had again.
	beside := func(f files.File) <-chan error {
		written := make(chan error, 1)
		go func() { written <- files.WriteEachJoiningErrors(dir, f) }()
		return written
	}
	page := beside(files.File{Name: files.HTMLFile, Render: func(w io.Writer) error { return html.WriteReport(w, r, t) }})
	transcript := beside(files.File{Name: files.TranscriptFile, Render: func(w io.Writer) error { return record.WriteHAR(w, t) }})
	rest := files.WriteEachJoiningErrors(dir,
		files.File{Name: files.JSONFile, Render: func(w io.Writer) error { return JSON(w, r) }},
		files.File{Name: files.JUnitFile, Render: func(w io.Writer) error { return JUnit(w, InFolder(r, dir)) }},
		files.File{Name: files.MarkdownFile, Render: func(w io.Writer) error { return Markdown(w, InFolder(r, dir)) }},
		files.File{Name: files.BadgeFile, Render: func(w io.Writer) error { return Badge(w, r) }},
		files.File{Name: files.EndpointFile, Render: func(w io.Writer) error { return BadgeEndpoint(w, r) }},
	)
	return errors.Join(scripts, <-transcript, rest, <-page)
}

// InFolder returns a report whose scripts are named relative to the folder of the command: its files are in
// dir.
func InFolder(r *report.Report, dir string) *report.Report {
	out := *r
	out.Results = slices.Clone(r.Results)
	for i := range out.Results {
		if path := &out.Results[i].Reproduce; *path != "" {
			*path = script.QuoteWithSecretVariables(filepath.ToSlash(filepath.Join(dir, *path)))
		}
	}
	return &out
}
