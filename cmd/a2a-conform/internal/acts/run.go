package acts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/acts"
	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/html"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	corpus "github.com/a2a-conform/a2a-conform/schema/acts"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/summary"
)

// dialectName is the protocol that ACTS tests.
const dialectName = "a2a-1.0"

// allTransports is the word for every binding that the card offers.
const allTransports = "all"

// What can be printed.
const (
	textForm   = "text"
	githubForm = "github"
	sarifForm  = "sarif"
)

var forms = []string{textForm, githubForm, sarifForm}

// notPlayed is why a test has no result.
const notPlayed = "the run's time was up; give --deadline more time"

// runFlags are the flags of a run.
type runFlags struct {
	host Host
	documentFlags
	transport, out, gate, sdk string
	replay                    string // a transcript in place of a server
	format                    string // of what is printed
	quiet                     bool
	names                     []string // of the documents
}

func (f *runFlags) registerFlags(cmd *cobra.Command) {
	f.documentFlags.registerFlags(cmd)
	fl := cmd.Flags()
	fl.StringArrayVar(&f.env, "env", nil, "a variable of the environment that the documents may use as {{env.NAME}}; those that begin with A2A_, ACTS_ or SUT_ need no flag")
	fl.StringVar(&f.transport, "transport", allTransports, "jsonrpc, rest, grpc, or all that the card offers")
	fl.StringVar(&f.out, "out", "a2a-acts", "folder for the reports and the transcript")
	fl.StringVar(&f.gate, "gate", "conformant", "what exit code 0 needs: conformant (no test of the level must fails), or no-failures")
	fl.StringVar(&f.sdk, "sdk", "", "the SDK that the reports name, as NAME@VERSION (default: the name and the version on the agent card)")
	fl.StringVar(&f.replay, "replay", "", "judge the tests again by the transcript.har of an earlier run of them, without a server")
	fl.StringVar(&f.format, "format", textForm, "what is printed: text, github (annotations at the lines of the documents), or sarif")
	fl.BoolVar(&f.quiet, "quiet", false, "print the counts only")
}

// executeRun runs the tests of a command line.
func (f *runFlags) executeRun(cmd *cobra.Command, args []string) error {
	binding, known := acts.BindingNames[f.transport]
	if f.transport == allTransports {
		binding, known = harness.EachBinding, true
	}
	if !known {
		return fmt.Errorf("--transport %s: choose jsonrpc, rest, grpc or all", safetext.OneLine(f.transport))
	}
	if !slices.Contains(forms, f.format) {
		return fmt.Errorf("--format %s: choose %s", safetext.OneLine(f.format), strings.Join(forms, ", "))
	}
	if f.gate != "conformant" && f.gate != "no-failures" {
		return fmt.Errorf("--gate %s: choose conformant or no-failures", safetext.OneLine(f.gate))
	}
	self := cmd.Flags().Changed("self")
	names, url := args, []string(nil)
	var command []string
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		names, command = args[:dash], args[dash:]
		if err := f.checkClientArgs(names, command, self); err != nil {
			return err
		}
	}
	if self && f.replay != "" {
		return errors.New("--replay judges a transcript, but --self is given as well; leave one of them out")
	}
	if i := slices.IndexFunc(args, isURL); i >= 0 && (self || f.replay != "") {
		flag := map[bool]string{true: "--self tests the bundled server", false: "--replay judges a transcript"}[self]
		return fmt.Errorf("%s, but %s is given as well; leave one of them out", flag, safetext.OneLine(redact.StripSecrets(args[i])))
	}
	if !self && f.replay == "" && command == nil {
		if len(args) < 2 {
			return errors.New("acts takes documents and then the URL of the server, such as: acts my-agent.acts.yaml http://localhost:9999; --self tests the bundled server")
		}
		names, url = args[:len(args)-1], args[len(args)-1:]
	}
	if len(names) == 0 {
		return fmt.Errorf("acts needs at least one document, or the word %s for the published tests", corpusWord)
	}
	f.names = names
	set, vars, err := f.readDocuments(names)
	if err != nil {
		return err
	}
	if len(set.Tests()) == 0 {
		return errors.New("the documents describe behaviours, and hold no tests to run")
	}
	for _, t := range set.Tests() {
		if !strings.HasPrefix(t.SpecVersion, "1.0") {
			return fmt.Errorf("%s:%d: the test %s is about version %s of A2A; this program runs tests of version 1.0", t.File, t.Line, t.ID, t.SpecVersion)
		}
	}
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	switch {
	case command != nil:
		return f.runClient(cmd, set, vars, command)
	case f.replay != "":
		return f.replayAndReport(cmd, set, vars)
	}
	target, err := f.host.Target(cmd, url)
	if err != nil {
		return err
	}
	if self {
		at, stop, err := f.host.StartBundled(cmd.Context())
		if err != nil {
			return err
		}
		defer stop()
		target.URL = at
		if target.Webhook.Listen == "" {
			target.Webhook.Listen = "127.0.0.1:0"
		}
	}
	target.FurtherSecrets = f.findSecrets(vars, os.Environ())
	target.Dialect, target.Binding = dialectName, binding
	return f.runAndReport(cmd, set, vars, target)
}

// isURL reports whether an argument is an address and no file.
func isURL(arg string) bool { return strings.Contains(arg, "://") }

// runAndReport runs the tests, writes the reports and prints what came of them.
func (f *runFlags) runAndReport(cmd *cobra.Command, set *acts.Set, vars map[string]string, target operator.Target) error {
	run := acts.NewRun(set, f.newEnvironment(vars))
	recording, err := harness.PlayOwn(cmd.Context(), target, run.Scenarios)
	if err != nil {
		return err
	}
	if recording.Dialect == nil || !slices.ContainsFunc(recording.Transcript.Exchanges, (*record.Exchange).Answered) {
		unrecognised := summary.ReportUnrecognised(recording.Transcript)
		fmt.Fprintf(cmd.ErrOrStderr(), "a2a-conform: %s\n", safetext.OneLine(unrecognised.Reason))
		return cli.ExitCode(report.ExitCode(unrecognised))
	}
	err = f.reportResults(cmd, set, run, recording, target.Version)
	if cause := context.Cause(cmd.Context()); cause != nil {
		return fmt.Errorf("the run was interrupted: %w", cause)
	}
	return err
}

// replayAndReport judges the tests by a transcript, and writes and prints what a run does.
func (f *runFlags) replayAndReport(cmd *cobra.Command, set *acts.Set, vars map[string]string) error {
	in, err := schema.OpenFile(f.replay)
	if err != nil {
		return fmt.Errorf("--replay: %w", err)
	}
	defer in.Close()
	t, err := binding.ReadTranscript(in)
	if err != nil {
		return fmt.Errorf("--replay: %s: %w", f.replay, err)
	}
	run := acts.NewRun(set, f.newEnvironment(vars))
	if err := run.Replay(t); err != nil {
		return fmt.Errorf("--replay: %s: %w", f.replay, err)
	}
	return f.reportResults(cmd, set, run, &harness.Recording{Transcript: t, Clean: func(text string) string { return text }}, t.Facts.Tool)
}

// reportResults writes a report for each transport and the transcript, and prints what came of the tests.
func (f *runFlags) reportResults(cmd *cobra.Command, set *acts.Set, run *acts.Run, recording *harness.Recording, version string) error {
	transports := run.Transports()
	if len(transports) == 0 {
		return errors.New("no test was performed: the run's time was up before one began (give --deadline more time), or the transcript is of other tests")
	}
	out := cmd.OutOrStdout()
	code := 0
	var written []files.File
	for i, transport := range transports {
		results := run.Results(transport, notPlayed)
		r := acts.NewReport(set, results, transport, f.describeSDK(recording), recording.Transcript.Started, recording.Clean)
		r.Environment = map[string]string{"runner": "a2a-conform " + version}
		if isCorpus(f.names) {
			r.Environment["corpus"] = describePublished()
		}
		written = append(written, files.File{Name: r.FileName(), Render: func(w io.Writer) error { return writeJSON(w, r) }})
		if i > 0 && f.format == textForm {
			fmt.Fprintln(out)
		}
		if f.format == textForm {
			f.printResults(out, r, results, recording.Clean)
		}
		code = cli.WorseCode(code, f.exitCode(r))
	}
	judged := (&judgedSet{set: set, run: run, recording: recording, names: f.names, code: code, gate: f.gate, version: version, replayed: f.replay != ""}).newReport()
	written = append(written, files.File{Name: files.HTMLFile, Render: func(w io.Writer) error { return html.WriteReport(w, judged, recording.Transcript) }},
		files.File{Name: files.JUnitFile, Render: func(w io.Writer) error { return reports.JUnit(w, judged) }})
	written = append(written, files.File{Name: files.TranscriptFile, Render: func(w io.Writer) error { return record.WriteHAR(w, recording.Transcript) }})
	if err := files.WriteEachJoiningErrors(f.out, written...); err != nil {
		return err
	}
	if err := f.printForMachines(cmd, judged); err != nil {
		return err
	}
	for _, w := range written {
		fmt.Fprintf(cmd.ErrOrStderr(), "acts: %s\n", filepath.Join(f.out, w.Name))
	}
	if code != 0 {
		return cli.ExitCode(code)
	}
	return nil
}

// describePublished names the corpus that comes with this program.
func describePublished() string { return corpus.CorpusDate + ", commit " + corpus.CorpusCommit }

// printForMachines prints what the format asks for, and annotations to a runner of GitHub Actions that was asked for none. With
// --quiet these go to standard error; a runner reads both.
func (f *runFlags) printForMachines(cmd *cobra.Command, judged *report.Report) error {
	parts := []view.Part{{Report: judged}}
	switch out := cmd.OutOrStdout(); {
	case f.format == sarifForm:
		return reports.SARIF(out, parts, nil)
	case f.format == githubForm:
		return reports.GitHub(cli.PassCommands(out), parts)
	case os.Getenv("GITHUB_ACTIONS") != "true":
	case f.quiet:
		return reports.GitHub(cli.PassCommands(cmd.ErrOrStderr()), parts)
	default:
		return reports.GitHub(cli.PassCommands(out), parts)
	}
	return nil
}

// writeJSON writes a report.
func writeJSON(w io.Writer, r *acts.Report) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// describeSDK returns what the reports say was tested: the SDK of the flag, or the agent by its card.
func (f *runFlags) describeSDK(r *harness.Recording) acts.SDKInfo {
	info := acts.SDKInfo{Name: "unknown", Version: "unknown", Language: "unknown"}
	if name, version, ok := strings.Cut(f.sdk, "@"); ok && name != "" && version != "" {
		info.Name, info.Version = name, version
		return info
	} else if f.sdk != "" {
		info.Name = f.sdk
		return info
	}
	if r.Transcript.Facts.Role == record.ClientRole {
		return info // the cards on the record are ours
	}
	name, version := acts.DescribeCard(r.Transcript)
	if name != "" {
		info.Name = safetext.Line(r.Clean(name), 100)
	}
	if version != "" {
		info.Version = safetext.Line(r.Clean(version), 100)
	}
	return info
}

// exitCode returns the exit code for the results over one transport.
func (f *runFlags) exitCode(r *acts.Report) int {
	s := r.Summary
	switch {
	case s.ByLevel["must"].Failed > 0, f.gate == "no-failures" && s.Failed > 0:
		return 1
	case s.Passed+s.Failed == 0, s.Errors > 0:
		return 3
	}
	return 0
}

// printResults prints what did not pass, why tests were skipped, and the counts.
func (f *runFlags) printResults(w io.Writer, r *acts.Report, results []*acts.TestResult, clean func(string) string) {
	reasons := map[string]int{}
	var order []string
	for _, result := range results {
		for _, note := range result.Notes {
			if !f.quiet {
				fmt.Fprintf(w, "NOTE  %s (%s): %s\n", safetext.OneLine(result.Test.ID), r.Transport, safetext.OneLine(clean(note)))
			}
		}
		switch {
		case result.Result == acts.Skipped:
			why := clean(result.SkipReason)
			if reasons[why]++; reasons[why] == 1 {
				order = append(order, why)
			}
		case result.Failure != nil && !f.quiet:
			printFailure(w, r.Transport, result, clean)
		}
	}
	if !f.quiet {
		for _, why := range order {
			fmt.Fprintf(w, "SKIP  %d: %s\n", reasons[why], safetext.OneLine(why))
		}
	}
	for _, level := range acts.Levels {
		s := r.Summary.ByLevel[level]
		fmt.Fprintf(w, "%-7s %s: %d/%d passed (%d failed, %d skipped, %d errors)\n", strings.ToUpper(level)+":", r.Transport, s.Passed, s.Total, s.Failed, s.Skipped, s.Errors)
	}
}

// printFailure prints one test that did not pass, and why A2A does not demand it if it is such a test of the corpus.
func printFailure(w io.Writer, transport string, result *acts.TestResult, clean func(string) string) {
	t := result.Test
	word := map[string]string{acts.Failed: "FAIL", acts.Broken: "ERROR"}[result.Result]
	fmt.Fprintf(w, "%-5s %s (%s, %s): %s\n    %s\n", word, safetext.OneLine(t.ID), t.Level, transport, safetext.OneLine(t.Name), safetext.OneLine(clean(result.Describe())))
	_, sameID := acts.FindMapping(t.ID)
	switch why := result.Excuse(); {
	case why != "":
		fmt.Fprintf(w, "    A2A   %s\n", why)
	case sameID && !t.Published:
		fmt.Fprintf(w, "    A2A   not mapped: docs/acts.md is about the test of this id in the corpus of %s, and this may be another one\n", corpus.CorpusDate)
	}
}
