package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reference/gateway"
	"github.com/a2a-conform/a2a-conform/reports/catalogue"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	judge "github.com/a2a-conform/a2a-conform/suites/gateway"
)

func docsCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "docs",
		Short: "Write a site with a page for each requirement",
		Long: `docs writes a site of all requirements on servers and on gateways: an index with a search, a page for each dialect and one
for gateways, and a page for each requirement, ID.html, with what ` + "`explain`" + ` shows and the defects on which it fails. The site needs no server: open
index.html, or copy the folder to any host of static files.

A folder is written over only if it is empty or holds such a site.`,
		Example: `  a2a-conform docs --out site`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var dialects []*schema.Dialect
			for _, name := range schema.Names() {
				d, err := schema.Load(name)
				if err != nil {
					return err
				}
				dialects = append(dialects, d)
			}
			pages, err := catalogue.Write(dir, dialects, catalogueSource())
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", filepath.Join(dir, files.IndexFile), safetext.CountWithNoun(pages, "requirement"))
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "out", "a2a-requirements", "folder for the site")
	return cmd
}

// catalogueSource returns what the pages of requirements show of conversations, checks and defects.
func catalogueSource() catalogue.Source {
	return catalogue.Source{
		Steps:   describeSteps,
		Expects: func(check string) string { return suites.Check(check).Doc },
		Defects: func(dialect string) (out []catalogue.Defect) {
			for _, m := range reference.Mutants(dialect) {
				out = append(out, catalogue.Defect{Name: m.Name, Summary: m.Summary})
			}
			return out
		},
		Gateways: schema.LoadGateways(), Faults: listGatewayFaults(), GatewayFindingOnly: judge.FindingOnly,
	}
}

// listGatewayFaults returns the faults of the gateways by which the requirements on gateways are proven.
func listGatewayFaults() (out []catalogue.Defect) {
	for _, f := range gateway.Faults() {
		out = append(out, catalogue.Defect{Name: f.Name, Summary: f.Summary})
	}
	return out
}
