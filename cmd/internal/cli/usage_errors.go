package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a2a-conform/a2a-conform/schema"
)

// FindMeant returns the known words that a mistyped one may stand for: the one that is spelled
// most like it, and those that it begins or that begin it.
func FindMeant(word string, known []string) []string {
	const short, most = 3, 4
	var out []string
	if near := schema.Nearest(word, known); near != "" {
		out = append(out, near)
	}
	for _, k := range known {
		begins := len(word) >= short && strings.HasPrefix(k, word) || len(k) >= short && strings.HasPrefix(word, k)
		if begins && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out[:min(len(out), most)]
}

// didYouMean returns the question about a mistyped word, or what to do if no other word
// is like it.
func didYouMean(word, before string, known []string, otherwise string) string {
	near := FindMeant(word, known)
	if len(near) == 0 {
		return otherwise
	}
	for i := range near {
		near[i] = before + near[i]
	}
	return "did you mean " + strings.Join(near, " or ") + "?"
}

// curlFlags are the flags that hands which know curl type, and what they are here.
var curlFlags = map[string]string{
	"k": "--insecure", "o": "--out", "v": "--verbose", "H": "--header", "q": "--quiet", "s": "--quiet", "m": "--timeout", "x": "--proxy", "E": "--client-cert",
	"u": "--basic-env NAME, with user:password in the variable NAME", "L": "no flag: redirects are not followed, so give the URL to which it leads",
	"output": "--out", "silent": "--quiet", "max-time": "--timeout", "cacert": "--ca", "cert": "--client-cert", "user": "--basic-env NAME, with user:password in the variable NAME",
	"location": "no flag: redirects are not followed, so give the URL to which it leads",
}

// describeCurlFlag returns what a flag of curl is here, if the command has it. Of letters that are given
// together, and of a value after a letter, it names only the letter: the value may be a secret.
func describeCurlFlag(cmd *cobra.Command, word, dashes string) string {
	if dashes == "-" {
		word = word[:1]
	}
	here := curlFlags[word]
	if name, is := strings.CutPrefix(here, "--"); here == "" || is && cmd.Flags().Lookup(strings.Fields(name)[0]) == nil {
		return ""
	}
	return fmt.Sprintf("unknown flag %s%s, which curl has; here it is %s", dashes, word, here)
}

// explainFlagError states about an unknown flag which one may have been meant.
func explainFlagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) && strings.Contains(err.Error(), "missing unit in duration") {
		return fmt.Errorf("--%s %s has no unit; write %[2]ss for seconds", invalid.GetFlag().Name, invalid.GetValue())
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	word, dashes := unknown.GetSpecifiedName(), "--"
	if letters := unknown.GetSpecifiedShortnames(); letters != "" { // as -self
		word, dashes = letters, "-"
	}
	var known []string
	for _, f := range OwnFlags(cmd) {
		known = append(known, f.Name)
	}
	if of := describeCurlFlag(cmd, word, dashes); of != "" && (len(word) == 1 || len(FindMeant(word, known)) == 0) {
		return errors.New(of)
	}
	return fmt.Errorf("unknown flag %s%s; %s", dashes, word,
		didYouMean(word, "--", known, "`"+cmd.CommandPath()+" --help` shows all of them"))
}

// explainCommandError states about an unknown command which one may have been meant.
func explainCommandError(of *cobra.Command, err error) error {
	word, path := "", "" // cobra has no types for these
	want, most, got := 0, 0, 0
	text := err.Error()
	wrongCount := func() error {
		return fmt.Errorf("%s was given %s; it is called like `%s %s`", of.Name(), formatArgumentCount(got), of.Parent().CommandPath(), of.Use)
	}
	if _, bad := fmt.Sscanf(text, "accepts between %d and %d arg(s), received %d", &want, &most, &got); bad == nil {
		return wrongCount()
	}
	for _, form := range []string{"accepts %d arg(s), received %d", "accepts at most %d arg(s), received %d", "requires at least %d arg(s), only received %d"} {
		if _, bad := fmt.Sscanf(text, form, &want, &got); bad == nil {
			return wrongCount()
		}
	}
	if _, bad := fmt.Sscanf(text, "unknown command %q for %q", &word, &path); bad != nil {
		return err
	}
	if !of.HasAvailableSubCommands() {
		return fmt.Errorf("%s takes no argument, but was given %q", of.Name(), word)
	}
	return unknownCommand(of, word)
}

func formatArgumentCount(n int) string {
	switch n {
	case 0:
		return "no argument"
	case 1:
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

func unknownCommand(of *cobra.Command, word string) error {
	var known []string
	for _, c := range of.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, c.Name())
		}
	}
	otherwise := "`" + of.CommandPath() + " --help` shows all of them"
	if !of.HasParent() && strings.ContainsAny(word, ":.") {
		otherwise = "to judge a server there: `" + of.CommandPath() + " run http://" + word + "`"
	}
	return fmt.Errorf("unknown command %q; %s", word, didYouMean(word, "", known, otherwise))
}

// newHelpCommand is cobra's, but for the end with exit code 2 if there is no such
// command.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
			if of, _, err := cmd.Root().Find(args); err == nil {
				for _, c := range of.Commands() {
					if c.IsAvailableCommand() {
						out = append(out, cobra.CompletionWithDesc(c.Name(), c.Short))
					}
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			switch {
			case err != nil:
				return unknownCommand(cmd.Root(), args[0])
			case of.HasAvailableSubCommands() && len(rest) > 0:
				return unknownCommand(of, rest[0])
			}
			of.InitDefaultHelpFlag()
			of.InitDefaultVersionFlag()
			return of.Help()
		},
	}
}
