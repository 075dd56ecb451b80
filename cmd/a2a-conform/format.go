package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform/internal/acts"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/certificate"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// The forms in which the outcome is printed.
const (
	textForm   = "text"
	jsonForm   = "json"
	githubForm = "github"
	sarifForm  = "sarif"
	briefForm  = "brief"
	actsForm   = "acts"
)

// outputForms lists them as the help does.
var outputForms = []string{textForm, jsonForm, githubForm, sarifForm, briefForm}

// runForms are those of run and replay.
var runForms = append(slices.Clone(outputForms), actsForm)

// outputFlags is how the outcome of a run is printed.
type outputFlags struct {
	format        string
	json, quiet   bool
	annotates     bool                    // annotations are printed besides
	since         *report.Report          // the run before, if only what changed since is printed
	reasonFollows bool                    // why the run has its verdict is printed as an error after it
	signer        *certificate.PrivateKey // who vouches for the run; nil if no one does
	historyDir    string                  // with the reports of earlier runs; "" for none
	history       *conform.History        // what they came to; nil for none
}

// registerFlags are those of run and replay alike.
func (p *outputFlags) registerFlags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&p.format, "format", "", "what to print at the end: "+strings.Join(runForms, ", ")+" (default text; in GitHub Actions also the annotations of github)")
	fl.BoolVar(&p.json, "json", false, "print report.json on standard output, like --format json")
	fl.BoolVar(&p.quiet, "quiet", false, "print one line only: the verdict, the server, and the reason")
	fl.StringVar(&p.historyDir, "history", "", "folder with the report.json files of earlier runs, by any name or each in a folder: the reports show the trend, and since when each requirement fails")
}

// resolveFlags finds mistakes in the flags, and what they leave open.
func (p *outputFlags) resolveFlags() error {
	switch {
	case p.format != "" && !slices.Contains(runForms, p.format):
		return fmt.Errorf("--format %q is not one of %s: %s", p.format, strings.Join(runForms, ", "), schema.Unknown("format", safetext.OneLine(p.format), runForms))
	case p.json && p.format != "" && p.format != jsonForm:
		return fmt.Errorf("--json means --format json, but --format %s is given as well; leave one of them out", p.format)
	case p.json:
		p.format = jsonForm
	}
	p.annotates = p.format == "" && os.Getenv("GITHUB_ACTIONS") == "true"
	p.format = cmp.Or(p.format, textForm)
	return nil
}

// readHistory reads the reports of earlier runs, before anything is sent, and prints what was left out.
func (p *outputFlags) readHistory(errs io.Writer) (err error) {
	if p.historyDir == "" {
		return nil
	}
	if p.history, err = conform.ReadHistory(p.historyDir); err != nil {
		return fmt.Errorf("--history: %w", err)
	}
	for _, w := range p.history.Warnings {
		fmt.Fprintf(errs, "warning: %s\n", w)
	}
	return nil
}

// printGitHubOrSARIF prints what became of one dialect or of several, but for text, briefs and an array of
// reports, which are printed part by part.
func (p *outputFlags) printGitHubOrSARIF(out io.Writer, parts []view.Part) error {
	switch p.format {
	case githubForm:
		return reports.GitHub(cli.PassCommands(out), parts)
	case sarifForm:
		return reports.SARIF(out, parts, judgedBy())
	case actsForm:
		for _, part := range parts {
			if part.Report == nil {
				continue
			}
			if err := acts.WriteVerdicts(out, part.Report); err != nil {
				return err
			}
		}
	}
	return nil
}

// printAnnotationsInGitHubActions prints the annotations of a run on a runner that did not ask for a format.
// With --quiet they go to standard error, like progress, since a script may read the one line on
// standard output; a runner reads both.
func (p *outputFlags) printAnnotationsInGitHubActions(out, errs io.Writer, parts []view.Part) error {
	if !p.annotates {
		return nil
	}
	if p.quiet {
		_ = reports.GitHub(cli.PassCommands(errs), parts) // what is lost there is as lost as progress
		return nil
	}
	return reports.GitHub(cli.PassCommands(out), parts)
}

// judgedBy states about a requirement by which check it is judged, and with what, if the
// catalogues know it.
func judgedBy() func(dialect, id string) string {
	known := map[string]map[string]string{}
	return func(dialect, id string) string {
		if known[dialect] == nil {
			known[dialect] = map[string]string{}
			d, err := schema.Load(dialect)
			if err != nil { // one that could not be found out
				return ""
			}
			for _, r := range d.Requirements {
				if r.Check == "" {
					continue
				}
				with, _ := json.Marshal(r.With)
				known[dialect][r.ID] = fmt.Sprintf("%s: %s %s", r.Check, suites.Check(r.Check).Doc, with)
			}
		}
		return known[dialect][id]
	}
}

// suppressErrorsIfOutputFailed returns the error that ends a run if its outcome could not be printed; one of
// writing to the output is reported elsewhere.
func suppressErrorsIfOutputFailed(out io.Writer, errs ...error) error {
	if cli.FailedToWrite(out) != nil {
		return nil
	}
	return errors.Join(errs...)
}
