package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform/internal/through"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/reports/catalogue"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/gateway"
)

// catalogueEntry is a requirement as list and explain show it in JSON.
type catalogueEntry struct {
	ID           string         `json:"id"`
	Dialect      string         `json:"dialect"`
	Level        schema.Level   `json:"level"`
	Area         string         `json:"area"`
	Section      string         `json:"section"`
	Statement    string         `json:"statement"`
	Own          bool           `json:"own,omitempty"`
	Readings     []string       `json:"readings,omitempty"`
	Applied      []string       `json:"applied,omitempty"`
	Claims       []string       `json:"claims,omitempty"`
	Needs        []string       `json:"needs,omitempty"`
	After        []string       `json:"after,omitempty"`
	Risk         schema.Risk    `json:"risk,omitempty"`
	Check        string         `json:"check,omitempty"`
	CheckDoc     string         `json:"checkDoc,omitempty"`
	With         map[string]any `json:"with,omitempty"`
	Mutants      []string       `json:"mutants,omitempty"`
	Finding      []string       `json:"finding,omitempty"`
	FindingOnly  string         `json:"findingOnly,omitempty"`
	Used         []string       `json:"used,omitempty"`
	Unobservable string         `json:"unobservable,omitempty"`
	File         string         `json:"file"`

	// These members have a value in requirements on clients only.
	Observe  schema.Observation `json:"observe,omitempty"`
	Scenario []string           `json:"scenario,omitempty"`
	Look     string             `json:"look,omitempty"`
	Fair     string             `json:"fair,omitempty"`
	Mutant   string             `json:"mutant,omitempty"`

	// Fix, Links and Steps are in the output of explain only.
	Fix   string           `json:"fix,omitempty"`
	Links []string         `json:"links,omitempty"`
	Steps []catalogue.Step `json:"steps,omitempty"`
}

// describeNotJudged marks what no run decides.
func (e catalogueEntry) describeNotJudged() string {
	if e.Unobservable != "" {
		return "(not judged: unobservable) "
	}
	return ""
}

// notesBeforeStatement returns what a list prints before the statement of a requirement.
func (e catalogueEntry) notesBeforeStatement() string {
	s := e.describeNotJudged()
	if e.Own {
		s += "(" + schema.OwnNote + ") "
	}
	if e.FindingOnly != "" {
		s += "(a finding only) "
	}
	return s
}

// makeEntry returns the entry of a requirement of a dialect.
func makeEntry(d *schema.Dialect, r *schema.Requirement) catalogueEntry {
	return catalogueEntry{ID: r.ID, Dialect: d.Name, Level: r.Level, Area: r.Area, Section: r.Section, Statement: r.Statement, Own: schema.IsOwn(r.ID),
		Readings: r.Readings, Applied: r.Applied, Claims: r.Claims, Needs: r.Needs, After: r.After, Risk: r.Risk, Check: r.Check, CheckDoc: suites.Check(r.Check).Doc,
		With: r.With, Mutants: r.Mutants, Finding: r.Finding, FindingOnly: r.FindingOnly, Used: r.Used, Unobservable: r.Unobservable, File: r.File,
		Observe: r.Observe, Scenario: r.Scenario, Look: r.Look, Fair: r.Fair, Mutant: r.Mutant}
}

// listGatewayEntries returns the entries of the requirements on gateways, which are the same in each dialect.
func listGatewayEntries() (out []catalogueEntry) {
	for _, r := range schema.LoadGateways().Requirements {
		e := catalogueEntry{ID: r.ID, Level: r.Level, Area: r.Area, Section: r.Section, Statement: r.Statement, Needs: r.Needs, Check: r.Check, With: r.With, Mutants: r.Mutants}
		if r.Finding {
			e.FindingOnly = gateway.FindingOnly
		}
		out = append(out, e)
	}
	return out
}

func listCommand() *cobra.Command {
	var f runFlags
	var ofClients, ofGateways bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the requirements of the catalogue",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if ofGateways {
				return f.printEntries(cmd.OutOrStdout(), listGatewayEntries())
			}
			names := listDialectsDefaultFirst()
			if f.typed.Dialect != "" {
				names = []string{f.typed.Dialect}
			}
			selection := f.typed.Select
			var all []catalogueEntry
			var mistakes []error
			var dialects []*schema.Dialect
			for _, n := range names {
				d, err := loadCatalogue(n, ofClients)
				if err != nil {
					return err
				}
				dialects = append(dialects, d)
				ids, err := suites.Select(d, selection)
				if err != nil {
					mistakes = append(mistakes, err)
					continue
				}
				for _, id := range ids {
					all = append(all, makeEntry(d, d.Requirement(id)))
				}
			}
			if len(all) == 0 && len(mistakes) > 0 {
				if unknown := suites.UnknownSelectors(selection, dialects...); len(unknown) > 0 { // to any of them
					return errors.Join(unknown...)
				}
				return mistakes[0]
			}
			return f.printEntries(cmd.OutOrStdout(), all)
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&ofGateways, "gateway", false, "list the requirements on gateways, which are the same in each dialect")
	fl.StringVar(&f.typed.Dialect, "dialect", "", "only this dialect: "+strings.Join(schema.Names(), ", "))
	fl.StringArrayVar(&f.typed.Select.Run, "run", nil, "only ids that match this pattern")
	fl.StringArrayVar(&f.typed.Select.Skip, "skip", nil, "leave out ids that match this pattern")
	fl.StringSliceVar(&f.typed.Select.Areas, "area", nil, "only these areas")
	fl.StringArrayVar(&f.typed.Select.Sections, "section", nil, "only requirements from this section of the specification or its subsections, such as 8.1; may be given several times")
	fl.StringSliceVar(&f.typed.Select.Levels, "level", nil, "only these levels")
	fl.BoolVar(&ofClients, clientFlag, false, "the requirements on clients, not those on servers")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	for _, other := range []string{"dialect", "run", "skip", "area", "section", "level", clientFlag} {
		cmd.MarkFlagsMutuallyExclusive("gateway", other)
	}
	return cmd
}

// writeJSON prints a value as JSON for people and programs, with signs such as < as they are.
func writeJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}

func (f *runFlags) printEntries(w io.Writer, all []catalogueEntry) error {
	if f.json {
		return writeJSON(w, all)
	}
	width := 16
	for _, e := range all {
		if schema.IsClient(e.ID) {
			width = max(width, len(e.ID))
		}
	}
	for _, e := range all {
		fmt.Fprintf(w, "%-*s %-6s %-10s %s%s\n", width, e.ID, e.Level, e.Area, e.notesBeforeStatement(), e.Statement)
	}
	return nil
}

func explainCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "explain ID|SCENARIO",
		Short: "Show what a requirement asks, how it is tested, and what is expected; or what happens in a scenario of clients",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			asked := args[0]
			if found, err := through.Explain(cmd.OutOrStdout(), asked, f.json); found {
				return err
			}
			if full := requirementIDsBySuffix(asked); len(full) == 1 { // only one dialect has it
				asked = full[0]
			}
			d, r, err := schema.Find(strings.ToUpper(asked))
			switch {
			case err != nil:
				return err
			case r != nil && f.json:
				one := makeEntry(d, r)
				one.Fix, one.Links, one.Steps = d.FixText(r.ID), citedSectionURLs(d, r), describeSteps(d, r)
				return f.printEntries(cmd.OutOrStdout(), []catalogueEntry{one})
			case r != nil && d.Role == schema.ClientRole:
				printClientRequirement(cmd.OutOrStdout(), d, r)
				return nil
			case r != nil:
				printRequirement(cmd.OutOrStdout(), d, r)
				return nil
			}
			if c := schema.CommonRequirement(strings.ToUpper(args[0])); c != nil {
				if f.json {
					one := makeSharedEntry(c)
					one.Fix = schema.CommonFixText(c.ID)
					return f.printEntries(cmd.OutOrStdout(), []catalogueEntry{one})
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s  %s  %s\n\n  %s\n\n%s\n", c.ID, c.Level, c.Area, c.Statement, c.When)
				if fix := schema.CommonFixText(c.ID); fix != "" {
					fmt.Fprintf(cmd.OutOrStdout(), "\n%-16s %s\n", fixLine, fix)
				}
				return nil
			}
			if of := findClientScenario(args[0]); len(of) > 0 {
				return f.printClientScenario(cmd.OutOrStdout(), of)
			}
			return errors.New(describeUnknownRequirement(args[0]))
		},
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

// makeSharedEntry returns the entry of a requirement that every dialect shares.
func makeSharedEntry(c *schema.Common) catalogueEntry {
	return catalogueEntry{ID: c.ID, Dialect: c.Section, Level: c.Level, Area: c.Area, Statement: c.Statement}
}

// stepsCheckNeeds returns the steps that a requirement's check looks at, each as scenario/step.
func stepsCheckNeeds(r *schema.Requirement) []string {
	steps, err := suites.Check(r.Check).Needs(r.With)
	if err != nil {
		return nil
	}
	slices.Sort(steps)
	return slices.Compact(steps)
}

// fixLine has the name of the line on what to change in a server.
const fixLine = "how to fix it"

// linePrinter prints a line with a name and values; none if there are no values.
type linePrinter func(name string, values ...string)

// printHead prints the rule of a requirement and its source, and returns what prints the lines below.
func printHead(w io.Writer, d *schema.Dialect, r *schema.Requirement) linePrinter {
	fmt.Fprintf(w, "%s  %s  %s\n\n  %s\n\n", r.ID, r.Level, r.Area, r.Statement)
	line := func(name string, values ...string) {
		values = slices.DeleteFunc(values, func(v string) bool { return v == "" })
		if len(values) > 0 {
			fmt.Fprintf(w, "%-16s %s\n", name, strings.Join(values, ", "))
		}
	}
	line("source", fmt.Sprintf("%s %s, %s", d.Source.Title, d.Source.Version, schema.Sections(r.Section)))
	for _, url := range citedSectionURLs(d, r) {
		line("", url)
	}
	return line
}

// printReadings prints the ways in which the sources of a requirement can be read.
func printReadings(line linePrinter, r *schema.Requirement) {
	for i, reading := range r.Readings {
		line(schema.NameReading(i), reading)
	}
	line("", schema.DescribeAppliedReadings(len(r.Readings), r.Applied))
}

// printRequirement explains a requirement on servers.
func printRequirement(w io.Writer, d *schema.Dialect, r *schema.Requirement) {
	line := printHead(w, d, r)
	if schema.IsOwn(r.ID) {
		line("origin", schema.OwnNote)
	}
	name := "what is sent"
	for _, s := range describeSteps(d, r) {
		line(name, s.Step+": "+s.Sends)
		name = ""
	}
	line("what is expected", suites.Check(r.Check).Doc)
	line(fixLine, d.FixText(r.ID))
	line("a finding only", r.FindingOnly)
	line("unobservable", r.Unobservable)
	printDetails(w, line, r)
}

// printClientRequirement explains a requirement on clients.
func printClientRequirement(w io.Writer, d *schema.Dialect, r *schema.Requirement) {
	line := printHead(w, d, r)
	line("how it is tested", r.Look)
	line("observed", r.Observe.Explain())
	line("scenarios", r.Scenario...)
	line("fairness", r.Fair)
	line("how it is broken", r.Mutant)
	line("a finding only", r.FindingOnly)
	line("unobservable", r.Unobservable)
	line("what is expected", suites.Check(r.Check).Doc)
	printDetails(w, line, r)
}

// printDetails prints what those ask for who work on the catalogue.
func printDetails(w io.Writer, line linePrinter, r *schema.Requirement) {
	fmt.Fprintln(w, "\nDetails")
	printReadings(line, r)
	line("if card has", r.Claims...)
	line("if configured", r.Operator...)
	if schema.IsClient(r.ID) {
		line("binding", r.Binding)
		name := "needs"
		for _, need := range r.Needs {
			line(name, need+": "+schema.ExplainClientNeed(need))
			name = ""
		}
	} else {
		line("needs", r.Needs...)
	}
	line("checked on each", r.Every)
	line("depends on", r.After...)
	if !schema.IsClient(r.ID) {
		line("risk", string(r.Risk))
	}
	line("check", r.Check)
	if with, err := json.Marshal(r.With); err == nil && len(r.With) > 0 {
		line("", string(with))
	}
	line("defects", r.Mutants...)
	line("tolerates", r.Finding...)
	line("made use of by", r.Used...)
	line("defined in", r.File)
}

// describeSteps returns the steps that the check of a requirement looks at.
func describeSteps(d *schema.Dialect, r *schema.Requirement) (out []catalogue.Step) {
	if r.Check == "" {
		return nil
	}
	for _, step := range stepsCheckNeeds(r) {
		if sends := scenario.DescribeStep(d, step); sends != "" {
			out = append(out, catalogue.Step{Step: step, Sends: sends})
		}
	}
	return out
}

// citedSectionURLs returns the addresses of the published sections that a requirement cites.
func citedSectionURLs(d *schema.Dialect, r *schema.Requirement) (out []string) {
	for _, ref := range view.References(d.Name, r.Section) {
		if ref.URL != "" && !slices.Contains(out, ref.URL) {
			out = append(out, ref.URL)
		}
	}
	return out
}

// describeUnknownRequirement states that no requirement has a name, which one may be meant, and what lists them.
func describeUnknownRequirement(name string) string {
	what, near, list := "requirement", likelyIDs(name), "list"
	if schema.IsClient(strings.ToUpper(name)) {
		list += " --" + clientFlag
	}
	if near == "" {
		what = "requirement and no scenario of clients"
		if near = strings.Join(cli.FindMeant(name, clientScenarioNames()), " or "); near != "" {
			list = clientCommandName + " --list"
		}
	}
	if near != "" {
		near = "did you mean " + near + "? "
	}
	return fmt.Sprintf("no %s is called %q; %s`a2a-conform %s` shows them all", what, name, near, list)
}

// likelyIDs returns the requirements that a word may stand for which is no id: those that end with it,
// or else the one that is spelled most like it.
func likelyIDs(word string) string {
	const most = 8
	if ends := requirementIDsBySuffix(word); len(ends) > 0 && len(ends) <= most {
		return strings.Join(ends, " or ")
	}
	if schema.IsClient(strings.ToUpper(word)) {
		return suites.NearestID(word, clientRequirementIDs())
	}
	return suites.NearestID(word, slices.Concat(requirementIDs(), clientRequirementIDs(), schema.LoadGateways().IDs()))
}

// requirementIDsBySuffix returns the requirements that a word names without the prefix of their dialect:
// those on servers or, if there are none, those on clients.
func requirementIDsBySuffix(word string) []string {
	differs := func(id string) bool { return !strings.HasSuffix(id, "-"+strings.ToUpper(word)) }
	if out := slices.DeleteFunc(requirementIDs(), differs); len(out) > 0 {
		return out
	}
	return slices.DeleteFunc(clientRequirementIDs(), differs)
}

// clientFlag is the flag that asks for the requirements on clients.
const clientFlag = "client"

// loadCatalogue loads the catalogue of a dialect: that of its servers, or that of its clients.
func loadCatalogue(dialect string, ofClients bool) (*schema.Dialect, error) {
	if ofClients {
		return schema.LoadClient(dialect)
	}
	return schema.Load(dialect)
}

// loadClientCatalogues returns the catalogues of clients of all dialects.
func loadClientCatalogues() (out []*schema.Dialect) {
	for _, name := range listDialectsDefaultFirst() {
		if d, err := schema.LoadClient(name); err == nil {
			out = append(out, d)
		}
	}
	return out
}

// clientRequirementIDs returns the ids of all requirements on clients.
func clientRequirementIDs() (out []string) {
	for _, r := range listRequirements(loadClientCatalogues()) {
		out = append(out, r.id)
	}
	return out
}
