package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/reports"
)

func probeCommand() *cobra.Command {
	f := runFlags{gate: "conformant", concurrency: harness.DefaultConcurrency}
	cmd := &cobra.Command{
		Use:   "probe URL",
		Short: "Ask an agent once for each behaviour, and print a configuration that fits it",
		Long: `probe talks to an agent once for each behaviour that requirements are about, and prints what it showed as a configuration
for run --config: the messages that worked, and the behaviours to declare as absent. It judges nothing.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := f.target(args)
			if errors.Is(err, errNoTarget) {
				return errors.New("no target: did a variable expand to nothing? name the URL of the agent")
			}
			if err != nil {
				return err
			}
			f.announce(cmd.ErrOrStderr(), target)
			probed, err := conform.Probe(cmd.Context(), target)
			if err != nil {
				return err
			}
			return f.fitting(cmd.OutOrStdout(), target, probed)
		},
	}
	f.reaching(cmd)
	f.texting(cmd)
	return cmd
}

// fitting writes the configuration. What the server said stands in comments, on
// one line each and without a control character.
func (f *runFlags) fitting(w io.Writer, t conform.Target, p *conform.Probed) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# yaml-language-server: $schema=./a2a-conform.schema.json\n# What the agent showed when it was asked once for each behaviour, on %s.\n",
		time.Now().UTC().Format(time.DateOnly))
	for _, n := range p.Notices {
		fmt.Fprintf(&b, "# %s\n", reports.OneLine(n))
	}
	for _, line := range [][2]string{{"target", t.URL}, {"dialect", p.Dialect.Name}, {"card", t.Card}, {"rpc", t.RPC}, {"agent", t.Agent}} {
		if line[1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", line[0], scalar(harness.Shown(line[1]))) // a query may be a secret
		}
	}
	f.printAuth(&b)
	b.WriteString("\nstimuli:\n")
	never := slices.Clone(t.Never) // which is not asked for
	asked := len(never)
	for _, one := range p.Behaviours {
		if !one.Shown {
			never = append(never, one.Name)
			continue
		}
		fmt.Fprintf(&b, "  %s: {text: %s", one.Name, quoted(one.Stimulus.Text))
		if one.Stimulus.Answer != "" {
			fmt.Fprintf(&b, ", answer: %s", quoted(one.Stimulus.Answer))
		}
		if one.Stimulus.Seconds > 0 {
			fmt.Fprintf(&b, ", seconds: %v", one.Stimulus.Seconds)
		}
		if one.Stimulus.MessageID != "" {
			fmt.Fprintf(&b, ", messageId: %s", quoted(one.Stimulus.MessageID))
		}
		b.WriteString("}\n")
	}
	if len(never) > asked {
		b.WriteString("\n# The agent did otherwise. Where it can do one of these, give the message that makes it: stimuli: {NAME: {text: …}}\n")
		for _, one := range p.Behaviours {
			if !one.Shown {
				fmt.Fprintf(&b, "#   %s: to %s: %s\n", one.Name, reports.OneLine(quoted(one.Stimulus.Text)), reports.OneLine(one.Instead))
			}
		}
	}
	if len(never) > 0 {
		fmt.Fprintf(&b, "declares:\n  never: [%s]\n", strings.Join(never, ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printAuth repeats where the credentials are, and never what they are.
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
	if given && f.apiKeyHeader != "" {
		fmt.Fprintf(b, "  apiKeyHeader: %s\n", scalar(f.apiKeyHeader))
	}
}

// quoted is a text as it can stand between the braces of YAML.
func quoted(s string) string { return fmt.Sprintf("%q", s) }
