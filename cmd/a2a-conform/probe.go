package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform/internal/acts"
	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/harness/scenario/probe"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

func probeCommand() *cobra.Command {
	var f runFlags
	f.typed.Gate, f.typed.Concurrency = "conformant", harness.DefaultConcurrency
	var with conform.Probing
	var unseen, force bool
	var write string
	cmd := &cobra.Command{
		Use:   "probe URL",
		Short: "Ask an agent once for each behaviour, and print a configuration that fits it",
		Long: `probe sends an agent one message for each behaviour that requirements need (it asks a question, fails, takes long, …) and
prints a configuration for run --config: the messages that made the agent show a behaviour, and the behaviours that it did not show.
An answer counts for every behaviour that it shows. For behaviours still missing, probe tries the texts of --try and then
the examples of the skills on the agent's card. It judges nothing.`,
		Args: func(_ *cobra.Command, args []string) error { return refuseSecondServerArg("probe", args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if write != "" {
				if err := checkVacant(write, force); err != nil {
					return err
				}
			}
			if err := f.useUsualConfigIfMatching(cmd, args); err != nil {
				return err
			}
			target, probed, err := f.probeTarget(cmd, args, with)
			if err != nil {
				return err
			}
			if write == "" {
				return f.writeProbedConfig(cmd.OutOrStdout(), target, probed, unseen, false)
			}
			var config bytes.Buffer
			if err := f.writeProbedConfig(&config, target, probed, unseen, true); err != nil {
				return err
			}
			if err := writeVacant(write, config.Bytes(), force); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\nnext: %s\n", write, describeProbed(probed, unseen), runCommandLine(write))
			return nil
		},
	}
	f.addTargetFlags(cmd)
	f.addStimuliFlag(cmd)
	addProbingFlags(cmd, &with, &unseen)
	cmd.Flags().StringVar(&write, "write", "", "write the configuration to this file instead of printing it")
	cmd.Flags().BoolVar(&force, "force", false, "overwrite the file if it is there")
	return cmd
}

// addProbingFlags adds the flags about what else is tried, and what follows from it.
func addProbingFlags(cmd *cobra.Command, with *conform.Probing, unseenAreNever *bool) {
	fl := cmd.Flags()
	fl.StringArrayVar(&with.Texts, "try", nil, "a text to try as a message; may be given several times, and they are tried in order")
	fl.IntVar(&with.Examples, "examples", probe.DefaultExamples, "try at most this many of the examples on the agent's card; 0: none")
	fl.BoolVar(unseenAreNever, "never-unseen", false, "declare that the agent never does what it did not show")
}

// probeTarget asks the agent that a command line names.
func (f *runFlags) probeTarget(cmd *cobra.Command, args []string, with conform.Probing) (conform.Target, *conform.Probed, error) {
	target, err := f.buildTarget(args)
	switch {
	case errors.Is(err, errNoTarget):
		return target, nil, errors.New("no target URL (is a variable empty?); give the URL of the agent")
	case err != nil:
		return target, nil, err
	case strings.Contains(target.Dialect, ","):
		return target, nil, fmt.Errorf("--dialect %q: %s uses one dialect; name only one", target.Dialect, cmd.Name())
	}
	f.printConfigDestinations(cmd.ErrOrStderr(), target)
	probed, err := conform.Probe(cmd.Context(), target, with)
	if err != nil && strings.Contains(err.Error(), "nothing answered") {
		if hint := describeUnusedProxy(target); hint != "" {
			err = fmt.Errorf("%w; %s", err, hint)
		}
	}
	return target, probed, err
}

// writeProbedConfig writes the configuration. What the server reported is in comments, on
// one line each and without a control character, or is escaped as YAML. A file that is kept has
// comments for whoever edits it.
func (f *runFlags) writeProbedConfig(w io.Writer, t conform.Target, p *conform.Probed, unseenAreNever, forEditing bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# yaml-language-server: $schema=./a2a-conform.schema.json\n# (for completion in an editor: a2a-conform schema config > a2a-conform.schema.json)\n# What the agent showed on %s, in answer to %d messages.\n",
		time.Now().UTC().Format(time.DateOnly), p.Messages)
	for _, n := range p.Notices {
		fmt.Fprintf(&b, "# %s\n", safetext.OneLine(n))
	}
	for _, line := range [][2]string{{"target", t.URL}, {"dialect", p.Dialect.Name}, {"card", t.Card}, {"rpc", t.RPC}, {"agent", t.Agent}} {
		if line[1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", line[0], yamlScalar(redact.StripSecrets(line[1]))) // a query may be a secret
		}
	}
	printInterfaces(&b, t)
	f.printAuth(&b)
	printWebhook(&b, t, p)
	if forEditing && len(f.credentialVariables()) == 0 {
		b.WriteString("# If the agent needs a credential, name the variable that holds it; the credential itself is never written here:\n# auth:\n#   bearer: ${A2A_TOKEN}\n")
	}
	b.WriteString("\n")
	if forEditing {
		b.WriteString("# Each message makes the agent show a behaviour. A run sends it to judge the requirements about that behaviour.\n")
	}
	b.WriteString("stimuli:\n")
	var open []conform.ProbedBehaviour
	never := make([][2]string, 0, len(t.Never))
	for _, name := range t.Never { // which is not asked for
		never = append(never, [2]string{name, "set by you"})
	}
	for _, one := range p.Behaviours {
		switch {
		case one.Shown:
			line, err := marshalStimulusYAML(one.Stimulus)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "  %s: %s%s\n", one.Name, line, shownBy(one.For))
		case one.Cannot != "":
			never = append(never, [2]string{one.Name, one.Cannot})
		case unseenAreNever:
			never = append(never, [2]string{one.Name, "not seen, and declared because of --never-unseen; " + describeAttempt(one)})
		default:
			open = append(open, one)
		}
	}
	if len(open) > 0 {
		fmt.Fprintf(&b, "\n# None of the %d messages made the agent do these. Requirements that need one of them stay undecided until you add a message that makes the agent do it\n"+
			"# (stimuli: {NAME: {text: …}}) or, if the agent never does it, add its name below never.\n", p.Messages)
		for _, one := range open {
			fmt.Fprintf(&b, "#   %s (%s); %s\n", one.Name, behaviourMeanings[one.Name], describeAttempt(one))
		}
	}
	if forEditing {
		b.WriteString("\n# What never lists, the agent cannot do: requirements about it are not applicable. Do not list what it can do, or its faults stay hidden.\n")
	}
	if len(never) > 0 || len(open) > 0 || forEditing {
		b.WriteString("declares:\n")
		if len(never) > 0 {
			b.WriteString("  never:\n")
		} else {
			b.WriteString("  never: []\n")
		}
		for _, one := range never {
			fmt.Fprintf(&b, "    - %s # %s\n", one[0], safetext.OneLine(one[1]))
		}
	}
	if forEditing {
		b.WriteString("#  production: true        # if this is a production deployment\n#  rateLimit: {requests: 5, seconds: 1}   # what the agent allows one client, if it limits calls\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// behaviourMeanings say in a few words what an agent does that shows a behaviour.
var behaviourMeanings = map[string]string{
	"slow":     "works for a while",
	"ask":      "asks a question, and continues after the answer",
	"fail":     "lets the task fail",
	"chunks":   "streams one artifact in several pieces",
	"data":     "answers with structured data",
	"message":  "answers with a message, without a task",
	"crash":    "breaks its stream off in the middle",
	"remember": "remembers the word that follows",
	"recall":   "repeats the word that it remembers",
	"needauth": "first needs credentials of another system",
}

// describeAttempt reports what came of the message that was meant for a behaviour.
func describeAttempt(one conform.ProbedBehaviour) string {
	return fmt.Sprintf("tried: %s: %s", safetext.OneLine(quoteText(one.Stimulus.Text)), safetext.OneLine(one.Instead))
}

// shownBy returns a comment on a message that was sent for something else.
func shownBy(play string) string {
	kind, _, _ := strings.Cut(play, "-")
	switch kind {
	case "":
		return ""
	case "example":
		return " # an example on the card"
	case "text":
		return " # a text from --try"
	case "task":
		return " # the message that makes a task"
	}
	return " # seen in the answer to the message for " + kind
}

// marshalStimulusYAML returns a message as it is on a line of YAML. Its text may be the
// card's, and so anybody's.
func marshalStimulusYAML(s conform.Stimulus) (string, error) {
	line := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	add := func(name, value string, style yaml.Style) {
		line.Content = append(line.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, &yaml.Node{Kind: yaml.ScalarNode, Value: value, Style: style})
	}
	add("text", s.Text, yaml.DoubleQuotedStyle)
	if s.Answer != "" {
		add("answer", s.Answer, yaml.DoubleQuotedStyle)
	}
	if s.Seconds > 0 {
		add("seconds", fmt.Sprint(s.Seconds), 0)
	}
	if s.MessageID != "" {
		add("messageId", s.MessageID, yaml.DoubleQuotedStyle)
	}
	text, err := yaml.Marshal(line)
	return strings.TrimSpace(string(text)), err
}

// printWebhook lets the next run receive push notifications if the card claims
// them and nothing but a free port is needed for it.
func printWebhook(b *strings.Builder, t conform.Target, p *conform.Probed) {
	switch {
	case t.Webhook.Listen != "":
		fmt.Fprintf(b, "webhook:\n  listen: %s\n", yamlScalar(t.Webhook.Listen))
		for _, line := range [][2]string{{"url", t.Webhook.URL}, {"cert", t.Webhook.Cert}, {"key", t.Webhook.Key}} {
			if line[1] != "" {
				fmt.Fprintf(b, "  %s: %s\n", line[0], yamlScalar(line[1]))
			}
		}
	case !p.Pushes:
	case isLoopback(t.URL):
		b.WriteString("webhook: # the card declares push notifications\n  listen: 127.0.0.1:0\n")
	default:
		b.WriteString("# The card declares push notifications. To receive them: webhook: {listen: HOST:PORT, url: the URL under which the agent reaches it}\n")
	}
}

// isLoopback reports whether a URL is on this machine.
func isLoopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// printAuth repeats the names of the variables or files of credentials, and never their values.
func (f *runFlags) printAuth(b *strings.Builder) {
	given := false
	for _, c := range [][2]string{{"bearer", f.bearerEnv}, {"basic", f.basicEnv}, {"apiKey", f.apiKeyEnv}} {
		if c[1] != "" {
			if !given {
				b.WriteString("auth:\n")
			}
			given = true
			fmt.Fprintf(b, "  %s: ${%s}\n", c[0], c[1])
		}
	}
	if given && f.typed.KeyHeader != "" {
		fmt.Fprintf(b, "  apiKeyHeader: %s\n", yamlScalar(f.typed.KeyHeader))
	}
}

// quoteText returns a text as it can stand between the braces of YAML.
func quoteText(s string) string { return fmt.Sprintf("%q", s) }

// actsCommand returns the command that runs tests of ACTS. It reaches a server as run does.
func actsCommand() *cobra.Command {
	var f runFlags
	f.typed.Gate, f.typed.Concurrency = "conformant", harness.DefaultConcurrency
	return acts.Command(acts.Host{
		AddTargetFlags: func(cmd *cobra.Command) {
			f.addServerFlags(cmd)
			f.addWebhookFlags(cmd.Flags())
			cmd.Flags().BoolVar(&f.self, "self", false, "test the bundled server")
		},
		Target: func(cmd *cobra.Command, url []string) (conform.Target, error) {
			if err := f.useUsualConfigIfMatching(cmd, url); err != nil {
				return conform.Target{}, err
			}
			target, err := f.buildTarget(url)
			if err == nil {
				f.printConfigDestinations(cmd.ErrOrStderr(), target)
			}
			return target, err
		},
		StartBundled: func(ctx context.Context) (string, func() error, error) {
			server, err := startBundledServer(ctx, "a2a-1.0")
			if err != nil {
				return "", nil, err
			}
			return server.URL(), server.Close, nil
		},
	})
}
