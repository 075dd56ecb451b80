package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform/internal/skeletons"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/harness/livepage"
	"github.com/a2a-conform/a2a-conform/harness/serve"
	"github.com/a2a-conform/a2a-conform/reference/client"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/ginkgo"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// clientFlags are the flags of client as they were typed.
type clientFlags struct {
	typed conform.ClientTarget
	judgingFlags
	self, list, open bool
	variant          string // of the bundled client
	adapter          string // the language of the adapter that is printed; "" for none
	out              string
	attached         serve.Attached // Listen is empty if the client is started by its command
	outputFlags
}

// clientCommandName is the command that judges clients. It knows fewer dialects than the other
// commands.
const clientCommandName = "client"

func clientCommand() *cobra.Command {
	var f clientFlags
	cmd := &cobra.Command{
		Use:   clientCommandName + " [flags] -- COMMAND [ARGUMENT...]",
		Short: "Judge a client: start it against scripted servers, and judge what it sends",
		Long: `client starts COMMAND once for each scenario, against a server of this program, and judges what it sent and how it understood the answers.

In the arguments these words are filled in: {url} (the base URL of the agent), {card} (the URL of its card), {rpc} (the URL of its first
interface), {text} (the message to send), {second} (the message after it, in the same conversation; empty if none is due) and {scenario}.
If there is none of them, the URL and the text are appended (not with --keep). The variables A2A_CONFORM_URL, A2A_CONFORM_CARD, A2A_CONFORM_RPC, A2A_CONFORM_TEXT,
A2A_CONFORM_SECOND and A2A_CONFORM_SCENARIO have the same values, what --with grants has words and variables of its own (docs/clients.md), A2A_CONFORM_DIALECT names the protocol, and A2A_CONFORM_CONTEXT has all of them and commands, as JSON: a program that
does these and prints as JSON what its client saw is judged in more (docs/adapters.md). The client should print what the agent says, and exit with 0 only if the agent
answered. Each start has a folder, a home and caches of its own.

With --listen nothing is started: you use the client by hand, and a page says what to do. a2a-conform client next chooses the next scenario.`,
		Example: "  a2a-conform client -- node my-client.js {url} {text}\n  a2a-conform client --scenario stream -- python3 chat.py {url} {text} {second}\n  a2a-conform client --self",
		Args: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); len(args) > 0 && at != 0 {
				if near := cli.FindMeant(args[0], []string{clientNextName}); len(args) < 3 && len(near) > 0 {
					return fmt.Errorf("unknown command %q; did you mean %s %s? (the command of a client comes after --)", safetext.OneLine(args[0]), cmd.Name(), clientNextName)
				}
				return fmt.Errorf("write -- before the command of the client: a2a-conform client -- %s", strings.Join(args, " "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.execute(cmd, args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.typed.Dialect, "dialect", conform.ClientDialects[0], strings.Join(conform.ClientDialects, " or "))
	fl.BoolVar(&f.self, "self", false, "judge the bundled client")
	fl.StringVar(&f.adapter, "adapter", "", "print an adapter to begin with, which reports what your client saw, and start nothing: "+strings.Join(skeletons.Languages(), ", "))
	fl.BoolVar(&f.typed.Keep, "keep", false, "start the command once: it reads what to do from standard input, one JSON line for each scenario (docs/adapters.md)")
	fl.StringSliceVar(&f.typed.With, "with", nil, "what the client is granted beyond its command, so that more scenarios are played: "+serve.ExplainExtras())
	fl.StringSliceVar(&f.typed.Declarations, "declare", nil, "what you state about the client: production, that it is in production, so that plain http is a failure beyond this machine and where https is offered")
	fl.StringVar(&f.typed.Hook, "hook", "", "with --with webhook: address of the client's webhook, if it is always the same; only its host, and this machine, are called")
	fl.StringVar(&f.variant, "variant", "", "with --self: variant of the bundled client; reporting is an adapter (default streaming, or thorough if --with grants everything)")
	fl.BoolVar(&f.list, "list", false, "list the scenarios, or with --scenario, --run and the like those that would be played, and start nothing")
	fl.StringSliceVar(&f.typed.Scenarios, "scenario", nil, "play only these scenarios, and those that they are compared with")
	fl.StringVar(&f.typed.Text, "text", "", fmt.Sprintf("the message that is to be sent (default %q)", serve.DefaultText))
	fl.StringVar(&f.typed.Second, "second", "", fmt.Sprintf("the message after it, in scenarios that take two (default %q)", serve.DefaultSecond))
	fl.IntVar(&f.typed.Jobs, "jobs", serve.DefaultJobs, "how many scenarios to play at the same time")
	fl.DurationVar(&f.typed.Patience, "patience", serve.DefaultPatience, "time limit of one start of the client, after which it is ended")
	fl.StringVar(&f.typed.Dir, "dir", "", "folder in which the client is started (default: an empty one for each start)")
	fl.StringVar(&f.attached.Listen, "listen", "", "serve at this HOST:PORT a client that is used by hand, with a page that says what to do next; port 0 takes a free one")
	fl.StringVar(&f.attached.URL, "url", "", "with --listen: origin by which the client calls that address, if it is another one, as out of a container")
	fl.StringVar(&f.attached.CertFile, "tls-cert", "", "with --listen: PEM file of a certificate, to serve by https")
	fl.StringVar(&f.attached.KeyFile, "tls-key", "", "with --listen: PEM file of that certificate's key")
	fl.BoolVar(&f.attached.OnePort, "one-port", false, "with --listen: use that one port for everything, as through a tunnel")
	f.judgingFlags.registerFlags(fl, &f.typed.Judging, report.NoFailuresGate)
	fl.StringVar(&f.out, "out", "a2a-client-report", "folder for the reports")
	fl.BoolVar(&f.open, "open", false, "open the page of the report in a browser")
	f.outputFlags.registerFlags(cmd)
	cmd.AddCommand(clientNextCommand())
	return cmd
}

// clientNextName is the command below client that chooses a scenario.
const clientNextName = "next"

// clientNextCommand chooses the scenario of a client that is used by hand.
func clientNextCommand() *cobra.Command {
	return &cobra.Command{
		Use:   clientNextName + " [SCENARIO]",
		Short: "Choose the next scenario, or a named one, for a client that is used by hand (client --listen)",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := serve.DefaultNextFile()
			if err != nil {
				return err
			}
			now, err := serve.ChooseScenario(cmd.Context(), file, strings.Join(args, ""))
			if err != nil {
				return err
			}
			printScenarioByHand(cmd.OutOrStdout(), now)
			return nil
		},
	}
}

// printScenarioByHand prints what a scenario is about, and what to do with the client.
func printScenarioByHand(w io.Writer, s *livepage.Scenario) {
	fmt.Fprintf(w, "%s: %s\n", s.Name, s.About)
	for _, a := range s.Do {
		fmt.Fprintf(w, "  %s %s\n", a.Words, a.Text)
	}
}

func (f *clientFlags) execute(cmd *cobra.Command, args []string) error {
	out, errs := cmd.OutOrStdout(), cmd.ErrOrStderr()
	switch {
	case f.list:
		return f.printScenarios(cmd)
	case f.adapter != "":
		return f.printAdapter(out)
	}
	if err := f.resolveFlags(); err != nil {
		return err
	}
	target := f.typed
	switch {
	case f.self && len(args) > 0:
		return errors.New("--self judges the bundled client, but a command is given as well; leave one of them out")
	case f.attached.Listen != "" && (f.self || len(args) > 0):
		return errors.New("--listen serves a client that is used by hand, but a client to start is named as well; leave one of them out")
	case f.attached.Listen == "" && (f.attached.URL+f.attached.CertFile+f.attached.KeyFile != "" || f.attached.OnePort):
		return errors.New("--url, --tls-cert, --tls-key and --one-port are about --listen, which is not given")
	case f.typed.Keep && (f.self || f.attached.Listen != ""):
		return errors.New("--keep is about a command after --, which is started once, and there is none")
	case f.self:
		f.variant = cmp.Or(f.variant, chooseClientVariant(target.With))
		if err := (client.Options{Dialect: target.Dialect, Variant: f.variant}).Validate(); err != nil && slices.Contains(conform.ClientDialects, target.Dialect) {
			return err
		}
		bundleClient(&target, f.variant)
	default:
		target.Command = args
		warnAboutCommand(errs, args)
	}
	if err := f.readFiles(&target.Judging); err != nil {
		return err
	}
	if err := f.readHistory(errs); err != nil {
		return err
	}
	if err := files.EnsureWritableDir(f.out); err != nil { // before anything is started
		return err
	}
	judge := func(c *verdict.Decider, ids []string) []verdict.Result { return ginkgo.Judge(c, ids, nil) }
	if f.attached.Listen != "" {
		outcome, err := conform.AttendClientWith(cmd.Context(), target, f.attend(errs), judge)
		if err != nil {
			return err
		}
		return f.finish(out, errs, outcome)
	}
	progress := newProgress(errs, f.quiet)
	target.Progress = func(e conform.ClientProgress) {
		if s := serve.Find(target.Dialect, e.Scenario); s != nil {
			progress.showClientProgress(e, s.Doc)
		}
	}
	defer progress.printNoticeOnInterrupt(cmd.Context())()
	outcome, err := conform.RunClientWith(cmd.Context(), target, judge)
	progress.clearLine()
	if outcome == nil || err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return f.finish(out, errs, outcome)
}

// finish writes the reports, and shows the page if that is asked for.
func (f *clientFlags) finish(out, errs io.Writer, outcome *conform.Outcome) error {
	return openPageIfRunFinished(f.open, errs, f.out, files.HTMLFile, f.writeReportsAndPrintOutcome(out, errs, f.out, outcome))
}

// attend returns how a client is served that is used by hand, and prints what comes on standard error.
func (f *clientFlags) attend(errs io.Writer) serve.Attached {
	at := f.attached
	at.NextFile, _ = serve.DefaultNextFile() // without a folder for caches there is only the page
	var mu sync.Mutex
	at.Ready = func(a serve.Addresses) {
		fmt.Fprintf(errs, "Point your client at %s (its card is at %s).\nWhat to do, and the verdict so far: %s\n", a.Agent, a.Card, cmp.Or(a.PageOnPort, a.Page))
		if a.NextTrouble != "" {
			fmt.Fprintf(errs, "a2a-conform client next will not find this run: %s\n", a.NextTrouble)
		}
		fmt.Fprintf(errs, "First have it send: %s\nThen choose the next scenario on that page, or by a2a-conform client next. Ctrl-C ends the run and writes the reports.\n",
			safetext.OneLine(cmp.Or(f.typed.Text, serve.DefaultText)))
	}
	at.Came = func(a serve.Arrival) {
		if f.quiet {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(errs, "%s: %s %s %s (%d)\n", a.Scenario, a.Name, safetext.OneLine(a.Method), safetext.OneLine(a.URL), a.Status)
	}
	return at
}

var (
	wordInBraces = regexp.MustCompile(`(^|[^$])\{([a-z]+)\}`)
	scriptName   = regexp.MustCompile(`^[^{}\s-][^{}\s]*\.(js|mjs|cjs|ts|py|rb|go|jar|sh)$`)
)

// warnAboutCommand warns of slips in the command of a client: words in braces that nothing fills in, and
// files that are not there.
func warnAboutCommand(errs io.Writer, command []string) {
	filled := serve.Placeholders()
	for _, word := range command[min(1, len(command)):] {
		for _, m := range wordInBraces.FindAllStringSubmatch(word, -1) {
			if !slices.Contains(filled, m[2]) {
				fmt.Fprintf(errs, "warning: {%s} stays as it is: the words that are filled in are {%s}\n", m[2], strings.Join(filled, "}, {"))
			}
		}
		if _, err := os.Stat(word); err != nil && scriptName.MatchString(word) {
			fmt.Fprintf(errs, "warning: there is no file %s in this folder, and the client is started in another (--dir names it)\n", safetext.OneLine(word))
		}
	}
}

// chooseClientVariant returns the variant of the bundled client that is judged if none is named: with all extras, one that leaves
// nothing undecided.
func chooseClientVariant(with []string) string {
	for _, e := range serve.Extras() {
		if !slices.Contains(with, e.Name) {
			return "streaming"
		}
	}
	return "thorough"
}

// bundleClient makes the bundled client the one that is judged.
func bundleClient(target *conform.ClientTarget, variant string) {
	target.Bundled = true
	target.Command = []string{"a2a-conform", referenceClientName, "--variant", variant, "{url}", "{text}", "{second}"}
	dialect := target.Dialect
	target.Func = func(ctx context.Context, c *conform.ClientRun) error {
		given, err := readGivenFiles(c.CA, c.Keys, c.Cert, c.CertKey)
		if err != nil {
			return err
		}
		code := client.Run(ctx, client.Options{URL: c.URL, Text: c.Text, Second: c.Second, CA: given[0], Keys: given[1], Cert: given[2], CertKey: given[3], Context: c.Context, Dialect: dialect, Variant: variant, Credentials: client.ReadCredentials(c.Credentials), Extensions: c.Extensions, Stdin: strings.NewReader(""), Stdout: c.Out, Stderr: c.Out})
		if code != 0 {
			return fmt.Errorf("exit code %d", code)
		}
		return nil
	}
}

// printAdapter prints the adapter to begin with.
func (f *clientFlags) printAdapter(out io.Writer) error {
	if !slices.Contains(conform.ClientDialects, f.typed.Dialect) {
		return errors.New(schema.Unknown("dialect of clients", f.typed.Dialect, conform.ClientDialects))
	}
	text, err := skeletons.Read(f.adapter, f.typed.Dialect)
	if err == nil {
		_, err = out.Write(text)
	}
	return err
}

// printScenarios lists the scenarios of a dialect, each with what its server does: all, or those that a run with these flags plays.
func (f *clientFlags) printScenarios(cmd *cobra.Command) error {
	if !slices.Contains(conform.ClientDialects, f.typed.Dialect) {
		return errors.New(schema.Unknown("dialect of clients", f.typed.Dialect, conform.ClientDialects))
	}
	target := f.typed
	if err := f.readFiles(&target.Judging); err != nil {
		return err
	}
	scripts := serve.Scripts(target.Dialect)
	if target.Select.String() != view.FullSelection || len(target.Scenarios) > 0 {
		var err error
		if scripts, err = conform.PlanClient(target); err != nil {
			return err
		}
	}
	for _, s := range scripts {
		needs := ""
		if missing := s.ListMissing(target.With); len(missing) > 0 {
			needs = " (needs --with " + strings.Join(missing, ",") + ")"
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%-34s %s%s\n", s.Name, s.Doc, needs)
	}
	return nil
}

// clientScenario is a scenario of a dialect as explain shows it.
type clientScenario struct {
	Name         string        `json:"scenario"`
	Dialect      string        `json:"dialect"`
	Group        string        `json:"group"`
	Does         string        `json:"does"`
	Fault        string        `json:"fault,omitempty"` // what it does that the protocol forbids
	Twin         string        `json:"twin,omitempty"`
	Markers      []string      `json:"markers,omitempty"`
	TwoTexts     bool          `json:"twoTexts,omitempty"`
	ByHand       string        `json:"byHand,omitempty"`
	Needs        []string      `json:"needs,omitempty"` // extras of --with
	Requirements []scenarioUse `json:"requirements"`
}

// scenarioUse is a requirement that looks at a scenario.
type scenarioUse struct {
	ID        string       `json:"id"`
	Level     schema.Level `json:"level"`
	Statement string       `json:"statement"`
}

// clientScenarioNames returns the names of the scenarios of all dialects, each once.
func clientScenarioNames() (names []string) {
	for _, dialect := range conform.ClientDialects {
		for _, s := range serve.Scripts(dialect) {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// findClientScenario returns the scenario of a name in each dialect that has it, with the requirements that look at it.
func findClientScenario(name string) (out []clientScenario) {
	for _, dialect := range conform.ClientDialects {
		script := serve.Find(dialect, strings.ToLower(name))
		d, err := schema.LoadClient(dialect)
		if script == nil || err != nil {
			continue
		}
		s := clientScenario{Name: script.Name, Dialect: dialect, Group: script.Group, Does: script.Doc, Fault: script.Fault, Twin: script.Twin,
			Markers: script.ListMarkers(d), TwoTexts: script.Turns, ByHand: script.ByHand, Needs: script.Needs, Requirements: []scenarioUse{}}
		for _, r := range d.Requirements {
			if slices.ContainsFunc(r.Scenario, func(named string) bool { return script.IsNamedBy(dialect, named) }) {
				s.Requirements = append(s.Requirements, scenarioUse{r.ID, r.Level, r.Statement})
			}
		}
		out = append(out, s)
	}
	return out
}

// printClientScenario explains a scenario, of which each dialect has its own requirements.
func (f *runFlags) printClientScenario(w io.Writer, of []clientScenario) error {
	if f.json {
		return writeJSON(w, of)
	}
	s := of[0]
	fmt.Fprintf(w, "%s  a scenario of clients: %s\n\n  %s\n\n", s.Name, s.Group, s.Does)
	line := func(name, text string) { fmt.Fprintf(w, "%-16s %s\n", name, text) }
	if s.Fault == "" {
		line("legal", "yes, the protocol allows all that the server does")
	} else {
		line("legal", "no, the server does on purpose what the protocol forbids: "+s.Fault)
	}
	if s.Twin == "" {
		line("twin", "none: it is a plain scenario, with which others are compared")
	} else {
		line("twin", s.Twin+": a client fails here only if it succeeds there")
	}
	if len(s.Markers) > 0 {
		line("markers", view.JoinFirstNames(s.Markers, 6)+": the texts with a random word, by which is seen whether the client prints what it is sent")
	}
	if s.TwoTexts {
		line("texts", "two, the second in the same conversation")
	}
	if s.ByHand != "" {
		line("by hand", s.ByHand)
	}
	with := ""
	if len(s.Needs) > 0 {
		line("needs", "the extra "+strings.Join(s.Needs, " and ")+", which --with grants")
		with = " --with " + strings.Join(s.Needs, ",")
	}
	line("to play it", fmt.Sprintf("a2a-conform %s --scenario %s%s -- COMMAND {url} {text}", clientCommandName, s.Name, with))
	for _, s := range of {
		fmt.Fprintf(w, "\nRequirements of %s that look at it, besides those that look at every request\n", s.Dialect)
		if len(s.Requirements) == 0 {
			fmt.Fprintln(w, "none")
		}
		for _, r := range s.Requirements {
			fmt.Fprintf(w, "%-22s %-6s %s\n", r.ID, r.Level, r.Statement)
		}
	}
	return nil
}
