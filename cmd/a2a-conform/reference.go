package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reference/client"
	"github.com/a2a-conform/a2a-conform/schema"
)

func referenceCommand() *cobra.Command {
	var o reference.Options
	var mutants bool
	var caFile string
	cmd := &cobra.Command{
		Use:   "reference",
		Short: "Run the bundled server, healthy or with one named defect",
		Long: "Run the bundled server, healthy or with one named defect. It prints its URL. The first word of a message selects what its agent does:\n" +
			"echo, slow SECONDS, ask TIMES, needauth, reject, fail, crash, artifact, remember, recall; it repeats any other text.\n\n" +
			"The variant guarded accepts these credentials: the bearer tokens\n" +
			reference.Token + ", " + reference.SecondToken + " (of a second client) and " + reference.LowToken + " (which is refused the message \"forbidden\"),\n" +
			"the API key " + reference.Key + ", and the user and password " + reference.SecondBasic + " (of the second client).",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if mutants {
				for _, m := range reference.Mutants(o.Dialect) {
					fmt.Fprintf(cmd.OutOrStdout(), "%-32s %-10s %-10s %s\n", m.Name, m.Area, m.Variant, m.Summary)
				}
				return nil
			}
			if !cmd.Flags().Changed("dialect") {
				printDialectDefaultNotice(cmd.ErrOrStderr())
			}
			s, err := reference.Start(cmd.Context(), o)
			if err != nil {
				return err
			}
			if ca := s.CA(); ca != nil && caFile != "" {
				if err := os.WriteFile(caFile, ca, 0o644); err != nil {
					s.Close()
					return fmt.Errorf("--ca-out: %w", err)
				}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n", s.URL())
			if at := s.GRPCAddr(); at != "" {
				fmt.Fprintf(cmd.OutOrStdout(), "%s\n", at)
			}
			<-cmd.Context().Done()
			return s.Close()
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&o.Dialect, "dialect", reference.DefaultDialect, strings.Join(reference.Dialects(), " or "))
	fl.StringVar(&o.Addr, "addr", "127.0.0.1:0", "address to listen on; port 0 takes a free one, which is printed")
	fl.StringVar(&o.GRPCAddr, "grpc-addr", "", "address to serve gRPC at as well, for a dialect that has gRPC (default: none); printed on a separate line")
	fl.StringVar(&o.Variant, "variant", "", "variant of the server (default: the one that the mutant belongs to, or full)")
	fl.Var((*rateFlag)(&o.Rate), "rate", "rate limit of a variant that has one: requests per time, like 400/2s (default: that of the dialect)")
	fl.StringVar(&caFile, "ca-out", "", "the variant tls writes its certificate to this file, for use with --ca")
	fl.StringVar(&o.Mutant, "mutant", "", "defect to show")
	fl.BoolVar(&mutants, "list-mutants", false, "list the defects")
	fl.DurationVar(&o.Latency, "latency", time.Duration(0), "time added to the agent's work on each message")
	fl.BoolVar(&o.Serial, "serial", false, "the agent works on one message at a time")
	fl.DurationVar(&o.RTT, "rtt", time.Duration(0), "time added to each HTTP exchange")
	return cmd
}

// rateFlag is a rate in the form 400/2s.
type rateFlag reference.Rate

func (f *rateFlag) Type() string { return "RATE" }

func (f *rateFlag) String() string {
	if *f == (rateFlag{}) {
		return ""
	}
	return reference.Rate(*f).String()
}

func (f *rateFlag) Set(text string) error {
	requests, window, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(requests)
	d, fault := time.ParseDuration(window)
	if err != nil || fault != nil {
		return errors.New("write it as a number of requests and a time, like 400/2s")
	}
	*f = rateFlag{n, d}
	return nil
}

// referenceClientName is the command that runs the bundled client. It knows fewer dialects
// than the other commands.
const referenceClientName = "reference-client"

func referenceClientCommand() *cobra.Command {
	var o client.Options
	var list bool
	cmd := &cobra.Command{
		Use:   referenceClientName + " URL TEXT [SECOND]",
		Short: "Run the bundled client, healthy or with one named defect",
		Long: "Run the bundled client, healthy or with one named defect. It fetches the card below URL, sends TEXT over JSON-RPC, follows the task, and\n" +
			"prints what the agent answered. SECOND answers a question of the agent, or is a second message; without it, an answer is read from stdin.\n\n" +
			"Credentials are read from the environment: A2A_CONFORM_BEARER (a token), A2A_CONFORM_BASIC (USER:PASSWORD), A2A_CONFORM_API_KEY,\n" +
			"A2A_CONFORM_CLIENT_ID and A2A_CONFORM_CLIENT_SECRET.\n" +
			"A2A_CONFORM_CA names the file of a certificate authority to trust besides those of the system,\n" +
			"A2A_CONFORM_JWKS that of the keys by which cards are verified, and A2A_CONFORM_CERT and A2A_CONFORM_CERT_KEY\n" +
			"those of a certificate of the client and of its key.\n\n" +
			"Exit codes: 0 the agent answered · 1 that failed, or the task was not completed · 2 an error in the command line.",
		Args: func(cmd *cobra.Command, args []string) error {
			if list {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.RangeArgs(2, 3)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			if list {
				printClients(cmd.OutOrStdout(), cmp.Or(o.Dialect, client.DefaultDialect))
				return nil
			}
			o.URL, o.Text = addLoopbackScheme(args[0]), args[1]
			if len(args) > 2 {
				o.Second = args[2]
			}
			o.Credentials = client.Credentials{Bearer: os.Getenv("A2A_CONFORM_BEARER"), Basic: os.Getenv("A2A_CONFORM_BASIC"), Key: os.Getenv("A2A_CONFORM_API_KEY"),
				ClientID: os.Getenv("A2A_CONFORM_CLIENT_ID"), ClientSecret: os.Getenv("A2A_CONFORM_CLIENT_SECRET")}
			given, err := readGivenFiles(os.Getenv("A2A_CONFORM_CA"), os.Getenv("A2A_CONFORM_JWKS"), os.Getenv("A2A_CONFORM_CERT"), os.Getenv("A2A_CONFORM_CERT_KEY"))
			if err != nil {
				return err
			}
			o.CA, o.Keys, o.Cert, o.CertKey = given[0], given[1], given[2], given[3]
			o.Context = os.Getenv("A2A_CONFORM_CONTEXT")
			o.Stdin, o.Stdout, o.Stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			if code := client.Run(cmd.Context(), o); code != 0 {
				return cli.ExitCode(code)
			}
			return nil
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&o.Dialect, "dialect", client.DefaultDialect, strings.Join(client.Dialects(), " or "))
	fl.StringVar(&o.Variant, "variant", "", "variant of the client (default: the one that the mutant belongs to, or plain)")
	fl.StringVar(&o.Mutant, "mutant", "", "defect to show")
	fl.BoolVar(&list, "list", false, "list the variants and the defects")
	fl.StringSliceVar(&o.Extensions, "extension", nil, "URI of an extension that the client knows (repeatable)")
	fl.StringVar(&o.Hook, "hook", "", "URL that the variant webhook registers")
	fl.DurationVar(&o.Timeout, "timeout", client.DefaultTimeout, "time limit of everything")
	return cmd
}

// maxGivenFile bounds a file that the bundled client is given.
const maxGivenFile = 1 << 20

// readGivenFiles returns what a client is given as files; "" for one that has no name.
func readGivenFiles(names ...string) ([]string, error) {
	texts := make([]string, len(names))
	for i, name := range names {
		if name == "" {
			continue
		}
		text, err := schema.ReadFile(name, maxGivenFile)
		if err != nil {
			return nil, err
		}
		texts[i] = string(text)
	}
	return texts, nil
}

// printClients prints the variants of the bundled client, and then its defects, each with the
// variant that shows it and the step at which it differs.
func printClients(w io.Writer, dialect string) {
	for _, v := range client.Variants(dialect) {
		fmt.Fprintf(w, "%-34s %s\n", v.Name, v.Summary)
	}
	fmt.Fprintln(w)
	for _, m := range client.Mutants(dialect) {
		fmt.Fprintf(w, "%-34s %-14s %-32s %s\n", m.Name, m.Variant, m.Place, m.Summary)
	}
}
