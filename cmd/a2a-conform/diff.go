package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/reports/compare"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// diffCommand compares reports by a history of the catalogues.
func diffCommand(history func() *schema.History) *cobra.Command {
	var markdown, asJSON bool
	var page string
	cmd := &cobra.Command{
		Use:   "diff OLD.json NEW.json",
		Short: "Show what changed between two reports; exit 1 on a regression",
		Long: `diff compares two report.json files. A regression is a MUST that is newly broken and
not waived, or that was kept before and is undecided now. What a newer version of
this program judges differently is listed with the reason, but is not a regression.

Exit codes: 0 no regression · 1 a regression · 2 an error in the command line.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			for i, arg := range args { // a folder means the report in it
				var err error
				if args[i], err = resolveReportPath(arg); err != nil {
					return err
				}
			}
			old, err := conform.ReadReport(args[0])
			if err != nil {
				return err
			}
			now, err := conform.ReadReport(args[1])
			if err != nil {
				return err
			}
			if err := checkPageFileNotInput(page, args); err != nil {
				return err
			}
			if old.Target.Dialect != now.Target.Dialect {
				return fmt.Errorf("%s is a report on %s and %s on %s: they have no requirement in common", args[0], old.Target.Dialect, args[1], now.Target.Dialect)
			}
			changes := report.CompareReports(old, now, history())
			if page != "" {
				if err := compare.WriteDiff(filepath.Dir(page), filepath.Base(page), old, now, changes); err != nil {
					return fmt.Errorf("cannot write %s: %w; name another file with --html", page, err)
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "page: %s\n", page)
			}
			out := cmd.OutOrStdout()
			switch {
			case asJSON:
				if changes == nil {
					changes = []report.Change{}
				}
				enc := json.NewEncoder(out)
				enc.SetIndent("", "  ")
				err = enc.Encode(changes)
			case markdown:
				err = compare.WriteDiffMarkdown(out, old, now, changes)
			default:
				err = compare.WriteDiffText(out, old, now, changes)
			}
			if err == nil && len(report.Regressions(changes)) > 0 {
				return cli.ExitCode(1)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print Markdown, for a job summary or a comment")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list of changes as JSON")
	cmd.Flags().StringVar(&page, "html", "", "also write a page to this file")
	cmd.MarkFlagsMutuallyExclusive("markdown", "json")
	return cmd
}

// resolveReportPath returns the report.json that a path means: the only one in a folder or below it, or
// the file itself.
func resolveReportPath(path string) (string, error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return path, nil
	}
	switch found, err := reportsAt(path); {
	case err == nil && len(found) == 1:
		return found[0], nil
	case err == nil:
		return "", fmt.Errorf("the folder %s holds several reports: %s; name one of them", path, strings.Join(found, ", "))
	}
	return path, nil
}

// checkPageFileNotInput explains why a page cannot take the place of what is at a path: it is one of the
// reports that are compared, or no file at all.
func checkPageFileNotInput(page string, inputs []string) error {
	info, err := os.Stat(page)
	if page == "" || errors.Is(err, fs.ErrNotExist) && page != "-" {
		return nil
	}
	if page == "-" || err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("--html %s: the page is written to a file; name one", page)
	}
	for _, input := range inputs {
		if other, err := os.Stat(input); err == nil && os.SameFile(info, other) {
			return fmt.Errorf("--html %s is one of the reports that are compared; name another file", page)
		}
	}
	return nil
}
