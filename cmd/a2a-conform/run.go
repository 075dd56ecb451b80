package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform/internal/acts"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform/internal/through"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/brief"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/ginkgo"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// runFlags are the flags of run as they were typed.
type runFlags struct {
	typed conform.Target // what flags say of it as it is; it counts before the configuration file

	self                           bool
	config, out                    string
	rpc, headers                   []string
	bearerEnv, basicEnv, apiKeyEnv string
	cardKey                        string
	stimuli, schemaFile            string
	judgingFlags
	allow           []string
	allowDisruptive bool
	sign            string
	plan, verbose   bool
	watch, open     bool
	through         through.Flags
	outputFlags
	found bool     // the configuration file was not named, but is in the working directory
	sends []string // the variables and files from which the configuration takes credentials
}

// flagNaming is how the ids of runs are made; only tests set it.
var flagNaming operator.Naming

func runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [URL] [--watch PATH...]",
		Short: "Judge a server, or the bundled one with --self",
		Long: `run judges the server at URL, or the server that the configuration file names as its target, or with --self the bundled server.
With none of these it stops with exit code 2, so that an empty variable is never mistaken for a conformant server.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.watch { // the others are files and folders
				return nil
			}
			return refuseSecondServerArg("run", args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.executeRun(cmd, args)
		},
	}
	fl := cmd.Flags()
	f.addTargetFlags(cmd)
	f.addStimuliFlag(cmd)
	fl.Lookup("dialect").Usage += "; run accepts several, separated by commas, and judges one after the other"
	fl.BoolVar(&f.self, "self", false, "judge the bundled server")
	fl.StringVar(&f.out, "out", "a2a-report", "folder for the reports")
	f.judgingFlags.registerFlags(fl, &f.typed.Judging, "conformant")
	fl.StringVar(&f.typed.SDK, "sdk", "", "the SDK on which the agent is built, such as js@1.3.0: its known faults are named in the reports")
	fl.StringVar(&f.schemaFile, "schema", "", "validate objects against this a2a.json (JSON Schema draft-07 or 2020-12) instead of the dialect's own schema")
	fl.StringSliceVar(&f.allow, "allow", nil, "risk classes to allow: heavy, outbound, residue, disruptive")
	fl.BoolVar(&f.allowDisruptive, "allow-disruptive", false, "allow every risk class")
	f.addWebhookFlags(fl)
	fl.BoolVar(&f.typed.CompareUserAgents, "disguise", false, "repeat calls that reach no agent, in the way another client makes them, and compare the answers")
	fl.IntVar(&f.typed.Concurrency, "concurrency", harness.DefaultConcurrency, "how many conversations to hold at the same time")
	fl.IntVar(&f.typed.MaxMessages, "max-messages", 0, "send the agent at most so many messages, those that decide most; what they do not decide is undecided, such as with 3 after each change (default: as many as it takes)")
	fl.BoolVar(&f.plan, "plan", false, "print which conversations would be held and what they cost, counted with the bundled server, and send nothing to yours")
	fl.Var(flagSwitch{&f.watch, "it takes no value; the paths are arguments: --watch src"}, "watch", "judge again when you press Enter or a file changes below one of the PATHs, and print what changed")
	fl.Lookup("watch").NoOptDefVal = "true"
	fl.StringVar(&f.sign, "sign", "", "write certificate.zip to the folder of the reports, signed with the private key in this file")
	fl.StringVar(&f.typed.Nonce, "nonce", "", "derive the ids of all calls from this text of whoever will verify the certificate")
	f.through.Register(fl)
	fl.BoolVar(&f.open, "open", false, "open the page of the report in a browser")
	f.outputFlags.registerFlags(cmd)
	fl.BoolVar(&f.verbose, "verbose", false, "print each check as it runs, on standard error")
	return cmd
}

// addTargetFlags are the flags that say if the server is and who calls it.
func (f *runFlags) addTargetFlags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.typed.Dialect, "dialect", "auto", "auto (the newest that the server offers), or one of "+strings.Join(schema.Names(), ", "))
	fl.StringVar(&f.typed.Binding, "binding", "", "which bindings to judge: all (the card's preferred binding in full; in its others only the conversations that every run begins with), each (every binding in full), or one by name, such as JSONRPC")
	fl.StringVar(&f.typed.Agent, "agent", "", "which of the server's agents to judge: first (the one at the server's own endpoint), all, or one by name")
	f.addServerFlags(cmd)
}

// addServerFlags are the flags about how any server is reached, whatever is asked of it.
func (f *runFlags) addServerFlags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.typed.Card, "card", "", "URL of the agent card, or a file that holds it, if it is not at the well-known path")
	fl.StringVar(&f.cardKey, "card-key", "", cardKeyUsage)
	fl.StringArrayVar(&f.rpc, "rpc", nil, "URL of the endpoint, if it is not the one on the card; BINDING=URL sets the endpoint of one binding, and may be given for each")
	fl.StringArrayVar(&f.typed.TrustHosts, "trust-host", nil, "another host that belongs to the server: endpoints that the card lists there are called, and receive the credentials")
	fl.StringVar(&f.config, "config", "", "configuration file (default ./a2a-conform.yaml, if it is there and about this server; \"\" for none)")
	cli.AllowEmpty(fl, "config")
	f.addAuthFlags(fl)
	fl.DurationVar(&f.typed.Wait, "wait", 0, "before the run, wait at most this long for the server to answer")
	fl.DurationVar(&f.typed.Timeout, "timeout", 30*time.Second, "time limit of one call")
	fl.DurationVar(&f.typed.Deadline, "deadline", 2*time.Minute, "time limit of the whole run")
}

// addWebhookFlags are the flags about the address at which push notifications are received.
func (f *runFlags) addWebhookFlags(fl *pflag.FlagSet) {
	fl.StringVar(&f.typed.Webhook.Listen, "webhook-listen", "", "HOST:PORT at which this program receives push notifications; port 0 takes a free port")
	fl.StringVar(&f.typed.Webhook.URL, "webhook-url", "", "URL under which the server reaches that address, if it is a different one")
	fl.StringVar(&f.typed.Webhook.Cert, "webhook-cert", "", "PEM file of a certificate, to receive push notifications over https")
	fl.StringVar(&f.typed.Webhook.Key, "webhook-key", "", "PEM file of that certificate's key")
}

// addAuthFlags are the flags that say who calls, and who has to answer.
func (f *runFlags) addAuthFlags(fl *pflag.FlagSet) {
	fl.StringArrayVar(&f.headers, "header", nil, "send this header with every request: 'Name: value'")
	fl.StringVar(&f.bearerEnv, "bearer-env", "", "environment variable with the token for Authorization: Bearer")
	fl.StringVar(&f.basicEnv, "basic-env", "", "environment variable with user:password for Authorization: Basic")
	fl.StringVar(&f.apiKeyEnv, "api-key-env", "", "environment variable with the key for X-API-Key")
	fl.StringVar(&f.typed.KeyHeader, "api-key-header", "", "header that carries the API key (default X-API-Key)")
	fl.StringVar(&f.typed.Cert, "client-cert", "", "PEM file of the client certificate to present")
	fl.StringVar(&f.typed.Key, "client-key", "", "PEM file of the client certificate's key")
	fl.StringVar(&f.typed.CA, "ca", "", "PEM file of further certificate authorities")
	fl.StringVar(&f.typed.Proxy, "proxy", "", "http or socks5 URL of the proxy that leads to the server, or env: the one that HTTP_PROXY, HTTPS_PROXY and NO_PROXY name")
	fl.BoolVar(&f.typed.Trace, "trace", false, "send a traceparent header with each call, so that it is found in the server's traces")
	fl.BoolVar(&f.typed.InsecureSkipVerify, "insecure", false, "do not verify the server's certificate (shown in the report)")
}

// addStimuliFlag is the flag that describes what the agent is reported.
func (f *runFlags) addStimuliFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.stimuli, "stimuli", "", "plain for the default texts of every behaviour, tck for the message ids of the official kit, acts for the prefixes of ACTS, or a YAML file of texts")
}

// errNoTarget is the hint for a run that was given nothing to judge.
var errNoTarget = errors.New("no target URL (is a variable empty?); --self tests the bundled server")

func (f *runFlags) executeRun(cmd *cobra.Command, args []string) error {
	if f.quiet && f.verbose {
		return errors.New("--quiet prints one line, and --verbose every requirement; leave one of them out")
	}
	if err := f.resolveFlags(); err != nil {
		return err
	}
	if err := f.through.Check(cmd.Flags()); err != nil {
		return err
	}
	args, paths, err := f.watchedArgs(args)
	if err != nil {
		return err
	}
	if err := f.useUsualConfigIfMatching(cmd, args); err != nil {
		return err
	}
	if len(paths) > 0 && len(args) == 0 && !f.self && f.config == "" && len(f.rpc) == 0 {
		return fmt.Errorf("no target: %s is what --watch watches; name the server's URL too", strings.Join(paths, ", "))
	}
	if err := f.loadSigner(); err != nil {
		return err
	}
	if err := f.readHistory(cmd.ErrOrStderr()); err != nil {
		return err
	}
	if f.watch {
		return f.watchOver(cmd, args, paths)
	}
	target, err := f.buildTarget(args)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if f.through.Used() {
		return f.judgeGateway(cmd, target)
	}
	names, err := f.splitAndCheckDialectList(target.Dialect)
	if err != nil {
		return err
	}
	if f.format == actsForm { // before anything is sent
		if target.Dialect, err = acts.ChooseDialect(names...); err != nil {
			return err
		}
	}
	if len(names) > 1 {
		return openPageIfRunFinished(f.open, cmd.ErrOrStderr(), f.out, files.IndexFile, f.judgeDialects(cmd, target, names))
	}
	if f.plan {
		if target.Bundled && target.Dialect == "auto" {
			target.Dialect = reference.DefaultDialect
		}
		return printPlan(cmd.Context(), out, target)
	}
	f.printConfigDestinations(cmd.ErrOrStderr(), target)
	if err := files.EnsureWritableDir(f.out); err != nil { // before anything is sent
		return err
	}
	outcome, err := f.judgeTarget(cmd, target)
	if err != nil && outcome != nil { // what the server reported leads to the error
		var code cli.ExitCode
		f.reasonFollows = true
		if failed := f.writeReportsAndPrintOutcome(out, cmd.ErrOrStderr(), f.out, outcome); failed != nil && !errors.As(failed, &code) {
			return failed
		}
	}
	if err != nil {
		return err
	}
	err = f.writeReportsAndPrintOutcome(out, cmd.ErrOrStderr(), f.out, outcome)
	printProxyHintIfUnreachable(cmd.ErrOrStderr(), target, outcome)
	return openPageIfRunFinished(f.open, cmd.ErrOrStderr(), f.out, files.HTMLFile, err)
}

// judgeGateway judges the gateway before a target.
func (f *runFlags) judgeGateway(cmd *cobra.Command, target conform.Target) error {
	if err := files.EnsureWritableDir(f.out); err != nil { // before anything is sent
		return err
	}
	outcome, err := f.through.Judge(cmd.Context(), target)
	if err != nil {
		return err
	}
	err = f.writeReportsAndPrintOutcome(cmd.OutOrStdout(), cmd.ErrOrStderr(), f.out, outcome)
	return openPageIfRunFinished(f.open, cmd.ErrOrStderr(), f.out, files.HTMLFile, err)
}

// judgeTarget holds a run and judges it. If there is an outcome next to the error, what
// the server reported leads to the error.
func (f *runFlags) judgeTarget(cmd *cobra.Command, target conform.Target) (*conform.Outcome, error) {
	errs := cmd.ErrOrStderr()
	if target.Bundled {
		name, err := bundledDialect(target)
		if err != nil {
			return nil, err
		}
		if target.Dialect == "auto" && name == reference.DefaultDialect && !f.quiet {
			printDialectDefaultNotice(errs)
		}
		server, err := startBundledServer(cmd.Context(), name)
		if err != nil {
			return nil, err
		}
		defer server.Close()
		target.URL, target.Dialect = server.URL(), name
	}
	progress := newProgress(errs, f.quiet || f.since != nil)
	target.Progress, target.Awaits = progress.showProgress, progress.showAwaited
	defer progress.startLineUpdates()()
	defer progress.printNoticeOnInterrupt(cmd.Context())()
	defer progress.awaitAnswer(redact.StripSecrets(target.URL), f.typed.Timeout, silentWait)()
	outcome, err := conform.RunWith(cmd.Context(), target, func(c *verdict.Decider, ids []string) []verdict.Result {
		progress.clearLine()
		if f.verbose {
			return ginkgo.Judge(c, ids, errs)
		}
		return ginkgo.Judge(c, ids, nil)
	})
	progress.clearLine()
	if outcome != nil && errors.Is(err, context.Canceled) { // its report reports it
		err = nil
	}
	return outcome, err
}

// bundledDialect returns the dialect of the bundled server: the one that is named, or that
// the operator's files are about, or else the current version of A2A. It can speak them all.
func bundledDialect(target conform.Target) (string, error) {
	if target.Dialect != "auto" && target.Dialect != "" {
		return target.Dialect, nil
	}
	about, err := conform.DialectsOf(target)
	if err != nil {
		return "", err
	}
	for _, name := range reference.Dialects() {
		if slices.Contains(about, name) {
			return name, nil
		}
	}
	return reference.DefaultDialect, nil
}

// writeReportsAndPrintOutcome writes the reports, prints the outcome, and ends with its exit code.
func (p *outputFlags) writeReportsAndPrintOutcome(out, errs io.Writer, dir string, o *conform.Outcome) error {
	parts := []view.Part{{Report: o.Report}}
	return p.finishAs(out, dir, o, func() error {
		parts[0].Report = reports.InFolder(o.Report, dir) // whose scripts are written by now
		return errors.Join(p.printGitHubOrSARIF(out, parts), p.printAnnotationsInGitHubActions(out, errs, parts))
	})
}

// finishAs is finish if something else may be printed after the outcome, or in its place. Without a folder nothing is
// written.
func (p *outputFlags) finishAs(out io.Writer, dir string, o *conform.Outcome, besides func() error) error {
	if p.history != nil {
		o.AddHistory(p.history)
	}
	// If a report cannot be written, what was judged is printed all the same.
	var broken, err error
	var signed bytes.Buffer
	if dir != "" {
		broken = o.Write(dir)
	}
	if dir != "" && broken == nil {
		broken = p.attestOrWarnOfStale(&signed, dir, o)
	}
	switch {
	case p.format == jsonForm:
		err = reports.JSON(out, o.Report)
	case p.format == briefForm:
		err = brief.Write(out, reports.InFolder(o.Report, dir), o.Transcript)
	case p.format != textForm:
	case p.since != nil:
		err = p.printChanges(out, o.Report)
	case p.quiet:
		reports.Quiet(out, p.copyWithoutReasonPrintedLater(o.Report))
	default:
		rest := reports.RestInPage
		if dir == "" {
			rest = reports.RestUnwritten
		}
		reports.TerminalWithRest(out, reports.InFolder(p.copyWithoutReasonPrintedLater(o.Report), dir), isColored(out), rest)
		if dir != "" && broken == nil {
			fmt.Fprintf(out, "reports: %s/report.html, junit.xml, report.json, summary.md, transcript.har%s\n%s", dir, reproduceScriptsSuffix(o), &signed)
		}
	}
	if err := suppressErrorsIfOutputFailed(out, err, besides()); err != nil {
		return err
	}
	if broken != nil {
		return broken
	}
	if err := cli.FailedToWrite(out); err != nil {
		return fmt.Errorf("the output could not be written: %w; the reports are in %s", err, dir)
	}
	if code := o.ExitCode(); code != 0 {
		return cli.ExitCode(code)
	}
	return nil
}

// copyWithoutReasonPrintedLater returns the report as it is printed. If the reason of its verdict follows as an error, the
// verdict is printed without it. Only what no call was let in for comes first all the same,
// since whoever reads one line must read that one.
func (p *outputFlags) copyWithoutReasonPrintedLater(r *report.Report) *report.Report {
	if !p.reasonFollows {
		return r
	}
	short := *r
	if r.NeedsCredentials {
		short.Notices = append([]string{r.Reason}, r.Notices...)
	}
	short.Reason = ""
	return &short
}

func isColored(w io.Writer) bool {
	_, ok := cli.Terminal(w)
	return ok && os.Getenv("NO_COLOR") == ""
}

// loadSigner reads the key to sign with, before anything is sent.
func (f *runFlags) loadSigner() (err error) {
	switch {
	case f.sign == "":
		return nil
	case f.watch:
		return errors.New("--watch judges a server while somebody works on it; leave --sign out, and sign a run of its own")
	case f.historyDir != "":
		return errors.New("--history adds what cannot be verified from the transcript; leave --sign out, or sign a run without it")
	case f.rerunFailed != "":
		return errors.New("--rerun-failed judges only a part; leave --sign out, and sign a whole run")
	}
	f.signer, err = readSigner("--sign", f.sign)
	return err
}
