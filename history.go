package conform

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// History is what the reports of earlier runs came to.
type History struct {
	Runs     []*report.PastRun
	Warnings []string // the files that were left out, and why
}

// Bounds of a history, since anybody may have written the files.
const (
	maxHistoryFiles = 100      // that are read, the newest first
	maxHistoryBytes = 96 << 20 // of all of them
	maxHistoryNames = 10_000   // entries of a folder that are looked at
	maxWarnings     = 10
)

// ReadHistory reads the reports of earlier runs in a folder, for Outcome.AddHistory: each *.json in it, and
// the report.json of each folder in it. A file that is no report is left out with a warning; the error is
// that the folder cannot be read.
func ReadHistory(dir string) (*History, error) {
	candidates, left, err := listHistoryFiles(dir)
	if err != nil {
		return nil, fmt.Errorf("%w; name a folder with the report.json of earlier runs, which may be empty", err)
	}
	h := &History{}
	omitted, room := 0, int64(maxHistoryBytes)
	warn := func(text string) {
		if len(h.Warnings) < maxWarnings {
			h.Warnings = append(h.Warnings, text)
		} else {
			omitted++
		}
	}
	for i, c := range candidates {
		if i == maxHistoryFiles || c.size > room {
			left += len(candidates) - i
			break
		}
		room -= c.size
		r, err := ReadReport(c.path)
		if err != nil {
			warn(fmt.Sprintf("%s is left out of the history: %s", safetext.Line(c.path, safetext.MaxName), safetext.Line(strings.TrimPrefix(err.Error(), c.path+": "), safetext.MaxExcerpt)))
			continue
		}
		h.Runs = append(h.Runs, report.SummarizePastRun(r))
	}
	if omitted > 0 {
		h.Warnings = append(h.Warnings, fmt.Sprintf("%d more files are left out of the history for such reasons", omitted))
	}
	if left > 0 {
		h.Warnings = append(h.Warnings, fmt.Sprintf("%d more files in %s are left out of the history, which reads the newest %d, of %d MiB in all", left, safetext.Line(dir, safetext.MaxName), maxHistoryFiles, maxHistoryBytes>>20))
	}
	return h, nil
}

// historyFile is a file that may be the report of an earlier run.
type historyFile struct {
	path     string
	size     int64
	modified int64
}

// listHistoryFiles lists the files that may be reports, the newest first; left is 1 for all entries of the folder
// that were not looked at, since counting them may take long.
func listHistoryFiles(dir string) (out []historyFile, left int, err error) {
	info, err := os.Stat(dir) // a pipe would not open
	if err != nil {
		return nil, 0, err
	}
	if !info.IsDir() {
		return nil, 0, fmt.Errorf("%s is no folder", safetext.Line(dir, safetext.MaxName))
	}
	folder, err := os.Open(dir)
	if err != nil {
		return nil, 0, err
	}
	defer folder.Close()
	entries, err := folder.ReadDir(maxHistoryNames + 1)
	if err != nil && len(entries) == 0 && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	if len(entries) > maxHistoryNames {
		entries, left = entries[:maxHistoryNames], 1
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			path = filepath.Join(path, files.JSONFile)
		case filepath.Ext(path) != ".json" || e.Name() == files.EndpointFile:
			continue
		}
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			out = append(out, historyFile{path: path}) // reading it gives the reason
		case info.Mode().IsRegular():
			out = append(out, historyFile{path, info.Size(), info.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(out, func(a, b historyFile) int {
		return cmp.Or(cmp.Compare(b.modified, a.modified), cmp.Compare(a.path, b.path))
	})
	return out, left, nil
}

// AddHistory adds to the report what earlier runs came to, and to each failure since when it fails: for
// report.html, summary.md and report.json. Runs against another target, or judged by another dialect, count
// for nothing.
func (o *Outcome) AddHistory(h *History) { report.AddHistory(o.Report, h.Runs) }
