package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

func judgeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "judge ID DIR",
		Short: "Judge one requirement by the answers that a script of reproduce/ recorded, without any network",
		Long: `judge judges one requirement by the calls and answers in a folder. The folder is one that a script of reproduce/ wrote,
for the requirement of that script, or the folder of a run's reports, for any requirement. judge sends nothing.

Exit codes: 0 the fault is gone · 1 the fault is still there · 2 no answer, undecided (the reason is printed), or an error in the command line.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New("judge takes the id of a requirement and a folder, such as: judge A2A01-ERR-001 a2a-report/reproduce/A2A01-ERR-001.d")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch info, err := os.Stat(args[1]); {
			case err != nil:
				return err
			case !info.IsDir():
				return fmt.Errorf("%s is not a folder; name the folder that a script of reproduce/ wrote, or the folder of a run's reports", args[1])
			}
			o, res, err := conform.JudgeOne(args[0], judgedFolder(args[1]), func(name string) string { return os.Getenv(safetext.Variable(name)) })
			if err != nil {
				return fmt.Errorf("%s: %w", args[1], err)
			}
			out := cmd.OutOrStdout()
			if err := reports.Judged(out, o.Report, res, o.Transcript, isColored(out)); err != nil {
				return err
			}
			switch {
			case o.Report.Verdict == report.Unreachable:
				return cli.ExitCode(2)
			case res.Verdict == report.Fail:
				return cli.ExitCode(1)
			case reports.Gone(res, o.Transcript):
				return nil
			}
			return cli.ExitCode(2)
		},
	}
}

// judgedFolder has files opened that no one is waited for with.
type judgedFolder string

func (f judgedFolder) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return schema.OpenFile(filepath.Join(string(f), filepath.FromSlash(name)))
}
