package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/cmd/internal/config"
	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// cardFlags are the flags of card as they were typed: those of run that are about a card.
type cardFlags struct{ runFlags }

func cardCommand() *cobra.Command {
	var f cardFlags
	f.typed.Gate, f.typed.Concurrency, f.typed.Deadline = "conformant", 1, time.Minute // of which a call knows nothing
	cmd := &cobra.Command{
		Use:   "card FILE|URL...",
		Short: "Judge an agent card alone, in a file or at a URL, with the line of each problem",
		Long: `card judges agent cards without calling their agents: by the requirements that the card alone decides, and for what else its
owner should know, which are findings and no failures: addresses that clients cannot call, credentials, invisible
characters, texts that give orders to models. For a file nothing is called; for a URL the card is fetched by one GET. A URL without a
path means the card at its well-known place.

Exit codes: 0 no MUST is broken, whatever was found · 1 a MUST is broken · 2 no result: a mistake in the command line, or no card was there · 4 the URL did not answer.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || slices.ContainsFunc(args, func(a string) bool { return strings.TrimSpace(a) == "" }) {
				return errors.New("no card (is a variable empty?); give a file or the URL of a card, such as: card agent-card.json")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.judgeCards(cmd, args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.typed.Dialect, "dialect", "auto", "auto (the one that the card declares), or one of "+strings.Join(conform.CardDialects(), ", "))
	fl.StringVar(&f.cardKey, "card-key", "", "file with the public key of the card's signer: PEM, a JSON Web Key, or a set of them")
	f.addAuthFlags(fl)
	fl.DurationVar(&f.typed.Timeout, "timeout", 10*time.Second, "time limit of the call for a card at a URL")
	fl.StringVar(&f.format, "format", "", "what to print: "+strings.Join(outputForms, ", ")+" (default text; in GitHub Actions also the annotations of github)")
	fl.BoolVar(&f.json, "json", false, "print the result as JSON, like --format json")
	return cmd
}

// judgeCards judges each card and prints what came of it.
func (f *cardFlags) judgeCards(cmd *cobra.Command, args []string) error {
	if err := f.resolveFlags(); err != nil {
		return err
	}
	if f.format == actsForm {
		return fmt.Errorf("--format %q is about runs; for cards choose one of %s", f.format, strings.Join(outputForms, ", "))
	}
	if d := f.typed.Dialect; d != "auto" && d != "" && !slices.Contains(conform.CardDialects(), d) {
		return fmt.Errorf("--dialect %q is not one of auto, %s", d, strings.Join(conform.CardDialects(), ", "))
	}
	key, err := config.CardKey("--card-key", f.cardKey)
	if err != nil {
		return err
	}
	out := &report.CardReport{SchemaVersion: "1", Tool: conform.CardTool(programVersion()), Cards: []report.JudgedCard{}}
	var broken []error
	for _, source := range args {
		x, err := f.readCard(cmd.Context(), source)
		var judged *report.JudgedCard
		if err == nil {
			judged, err = conform.JudgeCard(source, x, conform.CardBy{Dialect: f.typed.Dialect, CardKey: key})
		}
		if err != nil { // the other cards are judged all the same
			broken = append(broken, err)
			continue
		}
		out.Cards = append(out.Cards, *judged)
	}
	if len(out.Cards) > 0 {
		if err := f.printCards(cmd.OutOrStdout(), out); err != nil {
			return err
		}
	}
	return endOfCards(cmd.ErrOrStderr(), out, broken)
}

// endOfCards returns how the command ends: with what kept a card from being judged, or the exit code.
func endOfCards(errs io.Writer, out *report.CardReport, broken []error) error {
	if len(broken) == 0 {
		if code := out.ExitCode(); code != 0 {
			return cli.ExitCode(code)
		}
		return nil
	}
	if slices.ContainsFunc(broken, func(err error) bool { return !isNoAnswer(err) }) {
		return errors.Join(broken...)
	}
	cli.PrintError(errs, errors.Join(broken...))
	return cli.ExitCode(cli.WorseCode(out.ExitCode(), 4))
}

func isNoAnswer(err error) bool {
	none := (*harness.NoAnswerError)(nil)
	return errors.As(err, &none)
}

// readCard reads a card from a file, or fetches it.
func (f *cardFlags) readCard(ctx context.Context, source string) (*record.Exchange, error) {
	if !strings.HasPrefix(source, "http://") && !strings.HasPrefix(source, "https://") {
		return harness.ReadCardFile(source)
	}
	call := f.runFlags
	call.cardKey = "" // the caller has read it
	target, err := call.buildTarget([]string{source})
	if err != nil {
		return nil, err
	}
	return harness.FetchCard(ctx, target)
}

func (f *cardFlags) printCards(out io.Writer, r *report.CardReport) error {
	var err error
	switch f.format {
	case jsonForm:
		err = reports.CardJSON(out, r)
	case sarifForm:
		err = reports.CardSARIF(out, r)
	case githubForm:
		err = reports.CardGitHub(cli.PassCommands(out), r)
	default:
		err = reports.CardText(out, r, isColored(out))
	}
	if f.annotates {
		err = errors.Join(err, reports.CardGitHub(cli.PassCommands(out), r))
	}
	if err = suppressErrorsIfOutputFailed(out, err); err != nil {
		return err
	}
	if err := cli.FailedToWrite(out); err != nil {
		return fmt.Errorf("the output could not be written: %w", err)
	}
	return nil
}
