package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
)

// entry is a requirement as list and explain show it in JSON.
type entry struct {
	ID           string         `json:"id"`
	Dialect      string         `json:"dialect"`
	Level        schema.Level   `json:"level"`
	Area         string         `json:"area"`
	Section      string         `json:"section"`
	Statement    string         `json:"statement"`
	Readings     []string       `json:"readings,omitempty"`
	Claims       []string       `json:"claims,omitempty"`
	Needs        []string       `json:"needs,omitempty"`
	After        []string       `json:"after,omitempty"`
	Risk         schema.Risk    `json:"risk,omitempty"`
	Check        string         `json:"check,omitempty"`
	CheckDoc     string         `json:"checkDoc,omitempty"`
	With         map[string]any `json:"with,omitempty"`
	Mutants      []string       `json:"mutants,omitempty"`
	Finding      []string       `json:"finding,omitempty"`
	Unobservable string         `json:"unobservable,omitempty"`
	Judged       string         `json:"judged,omitempty"`
	File         string         `json:"file"`
}

// notJudged marks what no run decides.
func (e entry) notJudged() string {
	switch {
	case e.Unobservable != "":
		return "(not judged: unobservable) "
	case e.Judged != "":
		return "(not judged: " + e.Judged + ") "
	}
	return ""
}

func entryOf(d *schema.Dialect, r *schema.Requirement) entry {
	return entry{r.ID, d.Name, r.Level, r.Area, r.Section, r.Statement, r.Readings, r.Claims, r.Needs, r.After, r.Risk,
		r.Check, suites.Checks()[r.Check].Doc, r.With, r.Mutants, r.Finding, r.Unobservable, r.Judged, r.File}
}

func listCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the requirements of the catalogue",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			names := schema.Names()
			if f.dialect != "" {
				names = []string{f.dialect}
			}
			selection := conform.Selection{Run: f.run, Skip: f.skip, Areas: f.areas, Sections: f.sections, Levels: f.levels}
			var all []entry
			var slips []error
			var dialects []*schema.Dialect
			for _, n := range names {
				d, err := schema.Load(n)
				if err != nil {
					return err
				}
				dialects = append(dialects, d)
				ids, err := suites.Select(d, selection)
				if err != nil {
					slips = append(slips, err)
					continue
				}
				for _, id := range ids {
					all = append(all, entryOf(d, d.Requirement(id)))
				}
			}
			if len(all) == 0 && len(slips) > 0 {
				if unknown := suites.Slips(selection, dialects...); len(unknown) > 0 { // to any of them
					return errors.Join(unknown...)
				}
				return slips[0]
			}
			return f.print(cmd.OutOrStdout(), all)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.dialect, "dialect", "", "only this dialect: "+strings.Join(schema.Names(), ", "))
	fl.StringArrayVar(&f.run, "run", nil, "only ids that match this pattern")
	fl.StringArrayVar(&f.skip, "skip", nil, "no ids that match this pattern")
	fl.StringSliceVar(&f.areas, "area", nil, "only these areas")
	fl.StringArrayVar(&f.sections, "section", nil, "only what stands in this section of the source, or below it, such as 8.1; may be given several times")
	fl.StringSliceVar(&f.levels, "level", nil, "only these levels")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

func (f *runFlags) print(w io.Writer, all []entry) error {
	if f.json {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(all)
	}
	for _, e := range all {
		fmt.Fprintf(w, "%-16s %-6s %-10s %s%s\n", e.ID, e.Level, e.Area, e.notJudged(), e.Statement)
	}
	return nil
}

func explainCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "explain ID",
		Short: "Say what a requirement asks, how it is judged, and what would break it",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, n := range schema.Names() {
				d, err := schema.Load(n)
				if err != nil {
					return err
				}
				if r := d.Requirement(strings.ToUpper(args[0])); r != nil {
					if f.json {
						return f.print(cmd.OutOrStdout(), []entry{entryOf(d, r)})
					}
					explain(cmd.OutOrStdout(), d, r)
					return nil
				}
			}
			for _, one := range shared {
				if !strings.EqualFold(args[0], one.ID) {
					continue
				}
				if f.json {
					return f.print(cmd.OutOrStdout(), []entry{one.entry})
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s  %s  %s\n\n  %s\n\n%s\n", one.ID, one.Level, one.Area, one.Statement, one.when)
				return nil
			}
			hint := ""
			if near := suites.NearestID(args[0], requirementIDs()); near != "" {
				hint = "did you mean " + near + "? "
			}
			return fmt.Errorf("no requirement is called %q; %s`a2a-conform list` shows them all", args[0], hint)
		},
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

// shared are the requirements of every dialect, which stand only in the reports
// that they concern.
var shared = []struct {
	entry
	when string
}{
	{entry{ID: conform.Unrecognised, Dialect: "every dialect", Level: schema.Must, Area: "discovery", Statement: conform.UnrecognisedStatement},
		"It is judged only where neither a card nor an answer to a JSON-RPC call was found; the report then lists what was tried.\n" +
			"If there is such a server, --dialect, --card or --rpc say where and what it is."},
	{entry{ID: conform.Dropped, Dialect: "every dialect", Level: schema.May, Area: "transport", Statement: conform.DroppedStatement},
		"It stands in a report only where calls were answered by nothing and had to be made again, and is a finding: no protocol has a sentence on it."},
	{entry{ID: conform.Outward, Dialect: "every dialect", Level: schema.May, Area: "transport", Statement: conform.OutwardStatement},
		"It stands in a report only where something of the kind was seen, and is a finding. Where the protocol has a sentence on it, that fails besides."},
	{entry{ID: conform.TwoFaced, Dialect: "every dialect", Level: schema.May, Area: "transport", Statement: conform.TwoFacedStatement},
		"It stands in the reports of runs with --disguise, which make calls that reach no agent once more as another client makes them. HTTP status class, error code and the\n" +
			"shape of the body are compared; a difference that shows twice is a finding, and the run is partial at most: no protocol has a sentence on it."},
}

func explain(w io.Writer, d *schema.Dialect, r *schema.Requirement) {
	fmt.Fprintf(w, "%s  %s  %s\n\n  %s\n\n", r.ID, r.Level, r.Area, r.Statement)
	line := func(name string, values ...string) {
		values = slices.DeleteFunc(values, func(v string) bool { return v == "" })
		if len(values) > 0 {
			fmt.Fprintf(w, "%-14s %s\n", name, strings.Join(values, ", "))
		}
	}
	line("source", fmt.Sprintf("%s %s, %s", d.Source.Title, d.Source.Version, schema.Sections(r.Section)))
	for _, reading := range r.Readings {
		line("a reading", reading)
	}
	if len(r.Readings) > 0 {
		line("", "the weaker one is judged")
	}
	line("only if", r.Claims...)
	line("operator says", r.Operator...)
	line("needs", r.Needs...)
	line("about every", r.Every)
	line("rests on", r.After...)
	line("risk", string(r.Risk))
	if r.Check != "" {
		with, _ := json.Marshal(r.With)
		line("judged by", r.Check+": "+suites.Checks()[r.Check].Doc)
		line("", string(with))
	}
	line("unobservable", r.Unobservable)
	line("judged", r.Judged)
	line("defects", r.Mutants...)
	line("tolerates", r.Finding...)
	line("stands in", r.File)
}
