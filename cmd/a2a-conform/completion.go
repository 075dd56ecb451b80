package main

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform/internal/proxycmd"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform/internal/skeletons"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/cmd/internal/fileschema"
	"github.com/a2a-conform/a2a-conform/harness/serve"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reference/client"
	"github.com/a2a-conform/a2a-conform/reports/certificate"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/script"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// completionFunc returns what can stand at a place of the command line.
type completionFunc = cobra.CompletionFunc

// registerFlagAndArgCompletions has a shell complete the flags and arguments of a command that name what we
// know: the words of catalogues, and the reports that lie about.
func registerFlagAndArgCompletions(cmd *cobra.Command) {
	var folders []string
	if cmd.Name() != "attest" { // which writes a file
		folders = []string{"out", "history"}
	}
	cli.CompleteFlags(cmd, map[string]completionFunc{
		"dialect": dialectNames, "area": areaNames, "section": sectionNames, "level": cli.CompleteList("MUST", "SHOULD", "MAY"), "run": completeRequirementIDs, "skip": completeRequirementIDs,
		"gate": completeGates, "allow": cli.CompleteList(cli.RiskNames()...), "binding": bindingNames, "stimuli": orFile("plain", "tck", "acts"), "card-key": orFile("jku"),
		"agent": cli.CompleteWords("first", "all"), "sdk": cli.CompleteWords(knownSDKs("")...), "waivers": orFile(knownSDKs("sdk:")...), "rerun-failed": reportFiles(files.JSONFile), "from": reportFiles(files.JSONFile),
		"kind": cli.CompleteWords(certificate.Kinds()...), "mutant": mutantNames, "variant": variantNames, "sabotage": checkNames,
		"host": cli.CompleteWords(proxycmd.HostWords...), "rewrite": cli.CompleteWords(proxycmd.RewriteWords...), "side": cli.CompleteWords(proxycmd.SideWords...),
		"adapter": cli.CompleteWords(skeletons.Languages()...), "with": cli.CompleteList(extraNames()...), "declare": cli.CompleteList(conform.ClientDeclarations...),
	}, folders, []string{"config", "profile"})
	switch cmd.Name() {
	case "explain":
		cmd.ValidArgsFunction = upTo(1, completeExplained)
	case "call":
		cmd.ValidArgsFunction = upTo(1, reportFiles(""))
	case "judge":
		cmd.ValidArgsFunction = judgedFolders
	case "replay":
		cmd.ValidArgsFunction = upTo(1, reportFiles(files.TranscriptFile))
	case "attest":
		cmd.ValidArgsFunction = upTo(1, reportFiles(""))
	case "verify":
		cmd.ValidArgsFunction = upTo(1, reportFiles(certificate.File))
	case "diff":
		cmd.ValidArgsFunction = upTo(2, reportFiles(files.JSONFile))
	case "matrix":
		cmd.ValidArgsFunction = reportFiles(files.JSONFile)
	case "schema":
		cmd.ValidArgsFunction = upTo(1, cli.CompleteWords(slices.Sorted(maps.Keys(fileschema.All()))...))
	case "help", fleetName:
	default:
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
}

// extraNames returns the names of what clients can be granted.
func extraNames() []string {
	var names []string
	for _, e := range serve.Extras() {
		names = append(names, e.Name)
	}
	return names
}

func checkNames(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return suites.Checks().Names(), cobra.ShellCompDirectiveNoFileComp
}

// orFile completes a word or the name of a file.
func orFile(known ...string) completionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		for _, k := range known {
			if strings.HasPrefix(k, typed) {
				return known, cobra.ShellCompDirectiveDefault
			}
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}

// upTo completes so many arguments and no more.
func upTo(most int, by completionFunc) completionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return by(cmd, args, typed)
	}
}

// judgedFolders completes an id, and then the folders that the script for it left, or those
// of runs.
func judgedFolders(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return completeRequirementIDs(cmd, args, typed)
	case 1:
		kept, _ := filepath.Glob("*/" + script.Folder + "/" + args[0] + ".d")
		var out []cobra.Completion
		for _, dir := range kept {
			if dir = filepath.ToSlash(dir); strings.HasPrefix(dir, typed) {
				out = append(out, dir)
			}
		}
		if len(out) > 0 {
			return out, cobra.ShellCompDirectiveNoFileComp
		}
		return reportFiles("")(cmd, args, typed)
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// loadFlaggedOrAllCatalogues returns those of the dialects that --dialect names, or all; with --client, those of
// clients.
func loadFlaggedOrAllCatalogues(cmd *cobra.Command) (out []*schema.Dialect) {
	given := ""
	ofClients, _ := cmd.Flags().GetBool(clientFlag)
	if f := cmd.Flags().Lookup("dialect"); f != nil {
		given = f.Value.String()
	}
	for _, name := range schema.Names() {
		if given != "" && given != "auto" && !slices.Contains(strings.Split(given, ","), name) {
			continue
		}
		if d, err := loadCatalogue(name, ofClients); err == nil {
			out = append(out, d)
		}
	}
	return out
}

func dialectNames(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	known := schema.Names()
	switch cmd.Name() {
	case "run":
		return cli.CompleteDialects(cmd, args, typed)
	case "probe":
		known = append([]string{"auto"}, known...)
	case "reference":
		known = reference.Dialects()
	case referenceClientName:
		known = client.Dialects()
	}
	return known, cobra.ShellCompDirectiveNoFileComp
}

func areaNames(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var known []string
	for _, d := range loadFlaggedOrAllCatalogues(cmd) {
		known = append(known, d.Areas()...)
	}
	slices.Sort(known)
	return cli.CompleteAfterCommas(typed, slices.Compact(known)), cobra.ShellCompDirectiveNoFileComp
}

func sectionNames(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var known []string
	for _, d := range loadFlaggedOrAllCatalogues(cmd) {
		known = append(known, suites.Sections(d)...)
	}
	slices.Sort(known)
	return slices.Compact(known), cobra.ShellCompDirectiveNoFileComp
}

func bindingNames(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var known []string
	for _, d := range loadFlaggedOrAllCatalogues(cmd) {
		known = slices.AppendSeq(known, maps.Keys(d.Bindings))
	}
	slices.Sort(known)
	known = slices.Compact(known)
	if cmd.Name() != "call" {
		known = append([]string{"all", "each"}, known...)
	}
	return known, cobra.ShellCompDirectiveNoFileComp
}

func mutantNames(cmd *cobra.Command, _ []string, _ string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
	if cmd.Name() == referenceClientName {
		return describeClients(client.Mutants(cmd.Flags().Lookup("dialect").Value.String())), cobra.ShellCompDirectiveNoFileComp
	}
	for _, m := range reference.Mutants(cmd.Flags().Lookup("dialect").Value.String()) {
		out = append(out, cobra.CompletionWithDesc(m.Name, m.Summary))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// variantNames completes the variants of the bundled client or server.
func variantNames(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	dialect := cmd.Flags().Lookup("dialect").Value.String()
	if cmd.Name() == referenceClientName || cmd.Name() == clientCommandName {
		return describeClients(client.Variants(dialect)), cobra.ShellCompDirectiveNoFileComp
	}
	return reference.Variants(dialect), cobra.ShellCompDirectiveNoFileComp
}

func describeClients(all []client.Info) (out []cobra.Completion) {
	for _, i := range all {
		out = append(out, cobra.CompletionWithDesc(i.Name, i.Summary))
	}
	return out
}

// requirementName is an id and what it represents.
type requirementName struct{ id, statement string }

func listRequirements(of []*schema.Dialect) (out []requirementName) {
	for _, d := range of {
		for _, r := range d.Requirements {
			out = append(out, requirementName{r.ID, r.Statement})
		}
	}
	return out
}

// requirementIDs returns the ids of all requirements, with those that every dialect shares.
func requirementIDs() (out []string) {
	for _, name := range schema.Names() {
		if d, err := schema.Load(name); err == nil {
			for _, r := range listRequirements([]*schema.Dialect{d}) {
				out = append(out, r.id)
			}
		}
	}
	for _, c := range schema.Commons() {
		out = append(out, c.ID)
	}
	return out
}

func completeRequirementIDs(cmd *cobra.Command, _ []string, typed string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
	all := listRequirements(loadFlaggedOrAllCatalogues(cmd))
	if cmd.Name() == "explain" {
		for _, c := range schema.Commons() {
			all = append(all, requirementName{c.ID, c.Statement})
		}
		all = append(all, listRequirements(loadClientCatalogues())...)
		for _, r := range schema.LoadGateways().Requirements {
			all = append(all, requirementName{r.ID, r.Statement})
		}
	}
	for _, r := range all {
		if strings.HasPrefix(r.id, strings.ToUpper(typed)) {
			out = append(out, cobra.CompletionWithDesc(r.id, safetext.OneLine(r.statement)))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeExplained completes the ids of requirements, and the scenarios of clients.
func completeExplained(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	out, directive := completeRequirementIDs(cmd, args, typed)
	for _, name := range clientScenarioNames() {
		if strings.HasPrefix(name, typed) {
			out = append(out, name)
		}
	}
	return out, directive
}

// completeGates completes the gates, and the report that follows the one about a baseline.
func completeGates(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	file, is := strings.CutPrefix(typed, report.BaselineGate)
	if !is {
		var out []cobra.Completion
		for _, g := range report.Gates() {
			if strings.HasPrefix(g, report.BaselineGate) {
				g = report.BaselineGate
			}
			out = append(out, g)
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	found, directive := reportFiles(files.JSONFile)(cmd, args, file)
	for i := range found {
		found[i] = report.BaselineGate + found[i]
	}
	return found, directive
}

// reportFiles completes the folders of runs, or a file of each of them. If there are
// none, any file will do.
func reportFiles(file string) completionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		dir, begun := filepath.Split(typed) // kept as it is typed: a shell compares
		var out []cobra.Completion
		add := func(folder string) {
			if _, err := os.Stat(filepath.Join(folder, files.TranscriptFile)); err == nil {
				if path := strings.TrimSuffix(folder+"/"+file, "/"); strings.HasPrefix(path, typed) {
					out = append(out, path)
				}
			}
		}
		if dir != "" {
			add(strings.TrimSuffix(dir, "/"))
		}
		for _, name := range listSubfoldersWithPrefix(dir, begun) {
			add(dir + name)
			for _, below := range listSubfoldersWithPrefix(dir+name, "") { // of several dialects each has one of its own
				add(dir + name + "/" + below)
			}
		}
		if len(out) == 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

func listSubfoldersWithPrefix(dir, prefix string) (out []string) {
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), prefix) {
			out = append(out, e.Name())
		}
	}
	return out
}

// knownSDKs lists the SDKs whose faults are known, after a prefix.
func knownSDKs(prefix string) (out []string) {
	for _, s := range schema.KnownSDKs() {
		for _, v := range s.Versions {
			out = append(out, prefix+schema.NamedSDK{SDK: s, Version: v.Version}.String())
		}
	}
	return out
}
