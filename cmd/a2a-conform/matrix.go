package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reports/compare"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/schema"
)

// matrixCommand compares reports, by a history of the catalogues.
func matrixCommand(history func() *schema.History) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "matrix [NAME=]REPORT...",
		Short: "Compare the reports of several servers, or of one server over time",
		Long: `matrix reads several report.json files, or the folders that hold them, and writes a page and a Markdown file:
servers against areas, the requirements in which servers differ, and what changed from run to run of one server.
The Markdown is printed too. A server is called by its URL; NAME=REPORT gives it another name, so that two versions
of one server can stand side by side.

Exit codes: 0 written, whatever the verdicts are · 2 an error in the command line.`,
		Example: `  a2a-conform matrix js/report.json go/report.json
  a2a-conform matrix before=old/report.json now=a2a-report/report.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var entries []compare.Entry
			for _, arg := range args {
				more, err := matrixEntries(dir, arg)
				if err != nil {
					return err
				}
				entries = append(entries, more...)
			}
			if err := compare.WriteMatrix(dir, entries, history()); err != nil {
				return err
			}
			if err := compare.WriteMatrixMarkdown(cmd.OutOrStdout(), entries, history()); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "matrix: %s and %s\n", filepath.Join(dir, files.MatrixFile), files.MatrixMarkdownFile)
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "out", "a2a-matrix", "folder for "+files.MatrixFile+" and "+files.MatrixMarkdownFile)
	return cmd
}

// matrixEntries reads the reports that an argument names: a file, the folder of a report, or
// one above such folders.
func matrixEntries(dir, arg string) ([]compare.Entry, error) {
	name, path := "", arg
	if _, err := os.Stat(arg); err != nil {
		if before, after, ok := strings.Cut(arg, "="); ok {
			name, path = before, after
			if name == "" || path == "" {
				return nil, fmt.Errorf("%q: write NAME=REPORT with a name and a report", arg)
			}
		}
	}
	paths, err := reportsAt(path)
	if err != nil {
		return nil, err
	}
	var out []compare.Entry
	for _, file := range paths {
		r, err := conform.ReadReport(file)
		if err != nil {
			return nil, err
		}
		out = append(out, compare.Entry{Name: name, Report: r, Page: pageBeside(dir, file)})
	}
	return out, nil
}

func reportsAt(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no file or folder %s; name report.json files, or the folders that hold them", path)
		}
		return nil, fmt.Errorf("%w; name report.json files, or the folders that hold them", err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	if file := filepath.Join(path, files.JSONFile); isFile(file) {
		return []string{file}, nil
	}
	var paths []string
	for _, pattern := range []string{"*", "*/*"} { // reports of several servers, and of several dialects of each
		below, err := fs.Glob(os.DirFS(path), pattern+"/"+files.JSONFile)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, file := range below {
			paths = append(paths, filepath.Join(path, filepath.FromSlash(file)))
		}
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s holds no %s, and no folder up to two levels below it does", path, files.JSONFile)
	}
	return paths, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// pageBeside returns the link from a page in dir to the report.html in addition to a report; empty if
// there is none.
func pageBeside(dir, file string) string {
	page := filepath.Join(filepath.Dir(file), files.HTMLFile)
	if !isFile(page) {
		return ""
	}
	from, err := filepath.Abs(dir)
	to, failed := filepath.Abs(page)
	rel, apart := filepath.Rel(from, to)
	if errors.Join(err, failed, apart) != nil {
		return ""
	}
	return (&url.URL{Path: filepath.ToSlash(rel)}).String()
}
