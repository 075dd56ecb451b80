package acts

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/acts"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/serve"
	"github.com/a2a-conform/a2a-conform/schema"
)

// checkClientArgs refuses what has no meaning next to the command of a client.
func (f *runFlags) checkClientArgs(names, command []string, self bool) error {
	switch {
	case len(command) == 0:
		return errors.New("no command follows --; give that of an adapter (docs/adapters.md), such as: acts corpus -- node adapter.js")
	case self, f.replay != "", slices.ContainsFunc(names, isURL):
		return errors.New("the command after -- is a client, but --self, --replay or a URL is given as well; leave one of them out")
	}
	return nil
}

// runClient has a client read the payloads of the tests about clients, writes the reports and prints what came of them.
func (f *runFlags) runClient(cmd *cobra.Command, set *acts.Set, vars map[string]string, command []string) error {
	if !slices.ContainsFunc(set.Tests(), (*acts.Test).IsClientTest) {
		return errors.New("the documents hold no test about a client: none has a step with client_response")
	}
	d, err := schema.LoadClient(dialectName)
	if err != nil {
		return err
	}
	run := acts.NewRun(set, f.newEnvironment(vars))
	t, err := serve.Run(cmd.Context(), serve.Config{Dialect: d, Command: command, Own: run.ClientScripts(), Facts: record.Facts{Tool: conform.Version(), Catalogue: d.Digest, Gate: f.gate}})
	if err != nil {
		return fmt.Errorf("the client could not be run: %w", err)
	}
	if err := run.JudgeClient(t); err != nil {
		return err
	}
	return f.reportResults(cmd, set, run, &harness.Recording{Transcript: t, Clean: func(text string) string { return text }}, conform.Version())
}
