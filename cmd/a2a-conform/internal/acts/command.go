// Package acts has the command that reads and runs documents of ACTS, the A2A Conformance Test Specification.
package acts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/harness/acts"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	corpus "github.com/a2a-conform/a2a-conform/schema/acts"
)

// Host is what the command has of the program that it belongs to.
type Host struct {
	AddTargetFlags func(*cobra.Command)                                                  // those of run about the server
	Target         func(cmd *cobra.Command, url []string) (operator.Target, error)       // what the flags and an argument say of the server
	StartBundled   func(ctx context.Context) (url string, close func() error, err error) // the bundled server
}

// corpusWord names the published corpus in place of a file.
const corpusWord = "corpus"

// documentFlags are the flags about how documents are read.
type documentFlags struct {
	strict  bool
	literal []string
	vars    []string
	env     []string
}

func (f *documentFlags) registerFlags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.BoolVar(&f.strict, "strict", false, "accept the grammar of the draft only, and none of the forms that published documents use beyond it")
	fl.StringArrayVar(&f.literal, "literal", nil, "a key that is the name of a member, although it is an operator or like one; may be given several times")
	fl.StringArrayVar(&f.vars, "var", nil, "NAME=VALUE sets a variable of the documents; baseUrl and webhookUrl are ours without it")
}

// Command returns the command that runs tests of ACTS, with its subcommand check.
func Command(h Host) *cobra.Command {
	r := runFlags{host: h}
	cmd := &cobra.Command{
		Use:   "acts FILE... URL | acts FILE... -- COMMAND [ARG]...",
		Short: "Run tests of ACTS, the A2A Conformance Test Specification, against a server",
		Long: `acts runs the tests of the FILEs against the server at URL, or with --self against the bundled server. A FILE is a document of ACTS (YAML or JSON), or
the word corpus: the ` + fmt.Sprint(corpus.CorpusTests) + ` tests that the A2A project published, as of ` + corpus.CorpusDate + `.

Tests about clients need a client: the command after -- starts an adapter around it (docs/adapters.md), which is given the payload
of each test, and its lines are compared with what the test expects. Tests about the other side are skipped.

Each test is recorded as a conversation. For each transport, acts writes a report in the form of ACTS (acts-report-….json) into the
folder of --out, and for all of them report.html, junit.xml and transcript.har. A test that cannot be decided is skipped with a reason, and never passes.

Exit codes: 0 no test of the level must failed (or none of any level, with --gate no-failures) · 1 one failed · 2 an error in the
command line or in a document · 3 nothing passed or failed, or a test could not be performed · 4 the server gave no answer.`,
		Example: "  a2a-conform acts my-agent.acts.yaml http://localhost:9999\n  a2a-conform acts corpus --self --transport all\n  a2a-conform acts corpus -- node adapter.js\n  a2a-conform acts check my-agent.acts.yaml",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.executeRun(cmd, args)
		},
	}
	h.AddTargetFlags(cmd)
	r.registerFlags(cmd)
	cmd.AddCommand(checkCommand())
	return cmd
}

// checkCommand returns the command that only reads documents.
func checkCommand() *cobra.Command {
	var f documentFlags
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Check documents of ACTS, without a server",
		Long: `check reads documents of ACTS and prints what is wrong with them, by file and line. Forms that the grammar does not have, and that published documents
use, are accepted with a notice; --strict refuses them. A test that asserts nothing is named.

Exit codes: 0 the documents can be run · 2 they cannot.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, _, err := f.readDocuments(args)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			for _, n := range set.Notices {
				fmt.Fprintf(out, "%s:%d: %s\n", safetext.OneLine(n.File), n.Line, safetext.OneLine(n.Text))
			}
			nothing := 0
			for _, t := range set.Tests() {
				if t.AssertsNothing() {
					nothing++
					fmt.Fprintf(out, "%s:%d: the test %s asserts nothing, so that no answer could fail it; add expect, expect_error, expect_stream or assertions\n", safetext.OneLine(t.File), t.Line, safetext.OneLine(t.ID))
				}
			}
			_, err = fmt.Fprintf(out, "%s in %s, %s%s%s\n", safetext.CountWithNoun(len(set.Tests()), "test"), safetext.CountWithNoun(len(set.Suites), "suite"), safetext.CountWithNoun(len(set.Notices), "notice"), describeBehaviours(set), describeMapped(set))
			return err
		},
	}
	f.registerFlags(cmd)
	return cmd
}

// describeBehaviours counts the behaviours that documents describe.
func describeBehaviours(set *acts.Set) string {
	if set.Behaviours == 0 {
		return ""
	}
	return ", " + safetext.CountWithNoun(set.Behaviours, "behaviour")
}

// isCorpus reports whether names of documents mean the published corpus.
func isCorpus(names []string) bool { return slices.Contains(names, corpusWord) }

// describeMapped states of how many tests it is known which requirements judge the same.
func describeMapped(set *acts.Set) string {
	mapped := 0
	for _, t := range set.Tests() {
		if _, ok := t.Mapping(); ok {
			mapped++
		}
	}
	switch all := len(set.Tests()); {
	case all == 0:
		return ""
	case mapped == all:
		return ", each mapped to the catalogue (docs/acts.md), as of " + corpus.CorpusDate
	default:
		return fmt.Sprintf(", %d not mapped to the catalogue", all-mapped)
	}
}

// readDocuments reads documents by their names, and the variables of the flags.
func (f *documentFlags) readDocuments(names []string) (*acts.Set, map[string]string, error) {
	vars := map[string]string{}
	for _, v := range f.vars {
		name, value, ok := strings.Cut(v, "=")
		if !ok || name == "" {
			return nil, nil, errors.New("--var: the value is not of the form NAME=VALUE") // it may be a secret
		}
		vars[name] = value
	}
	options := acts.Options{Strict: f.strict, Literal: f.literal, Vars: vars}
	if isCorpus(names) {
		if len(names) > 1 {
			return nil, nil, fmt.Errorf("%s means the whole published corpus; run other documents by themselves", corpusWord)
		}
		options.Published = true
		set, err := acts.Files(corpus.ReadCorpusFile, []string{corpus.CorpusMaster}, options)
		return set, vars, err
	}
	set, err := acts.ReadFiles(names, options)
	return set, vars, err
}

// credentialName is what the names of variables look like that hold credentials.
var credentialName = regexp.MustCompile(`(?i)(TOKEN|KEY|SECRET|PASS|AUTH|CRED|BEARER|JWT)`)

// findSecrets returns the values that documents may use and that records are not to show: variables of the environment
// that are given by name, and others whose names look like those of credentials. What is shorter than can be found in a
// record is none.
func (f *documentFlags) findSecrets(vars map[string]string, environ []string) map[string]string {
	secrets := map[string]string{}
	add := func(name, value string) {
		if len(value) >= redact.MinSecret {
			secrets[name] = value
		}
	}
	for name, value := range vars {
		if credentialName.MatchString(name) {
			add(name, value)
		}
	}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if slices.Contains(f.env, name) || acts.IsGivenToTests(name) && credentialName.MatchString(name) {
			add(name, value)
		}
	}
	return secrets
}

// newEnvironment returns what the documents are given besides their own variables.
func (f *documentFlags) newEnvironment(vars map[string]string) acts.Environment {
	return acts.NewEnvironment(vars, f.env, os.LookupEnv)
}
