package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/schema"
)

// Must panics for an error that only a slip in our own code can cause, such as a flag that there
// is not.
func Must(err error) {
	if err != nil {
		panic(err)
	}
}

// initCompletion has cobra's command for completion refuse a shell that it does not
// know. It writes where its root writes when it is made.
func initCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// CompleteWords completes one of these words.
func CompleteWords(known ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return known, cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteList completes the last of several words with commas between them.
func CompleteList(known ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return CompleteAfterCommas(typed, known), cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteAfterCommas returns the known words that are not yet in a list that is being typed, each with
// what is typed before it.
func CompleteAfterCommas(typed string, known []string) []cobra.Completion {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	given := strings.Split(before, ",")
	var out []cobra.Completion
	for _, k := range known {
		if !slices.Contains(given, k) {
			out = append(out, before+k)
		}
	}
	return out
}

// CompleteDialects completes auto, or dialects with commas between them.
func CompleteDialects(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	known := schema.Names()
	if !strings.Contains(typed, ",") { // it is given without others
		known = append([]string{"auto"}, known...)
	}
	return CompleteAfterCommas(typed, known), cobra.ShellCompDirectiveNoFileComp
}

// CompleteFlags has a shell complete the flags of a command that have a completion by their
// name, and those that name a folder or a YAML file.
func CompleteFlags(cmd *cobra.Command, byName map[string]cobra.CompletionFunc, folders, files []string) {
	for name, complete := range byName {
		if cmd.Flags().Lookup(name) != nil {
			Must(cmd.RegisterFlagCompletionFunc(name, complete))
		}
	}
	for _, name := range folders {
		if cmd.Flags().Lookup(name) != nil {
			Must(cmd.MarkFlagDirname(name))
		}
	}
	for _, name := range files {
		if cmd.Flags().Lookup(name) != nil {
			Must(cmd.MarkFlagFilename(name, "yaml", "yml"))
		}
	}
}
