package main

import (
	"fmt"
	"io"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
)

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
	for _, name := range schema.Names() {
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
	if r.Judged != "" {
		line("judged", "not yet: no run decides it")
	}
	line("what is expected", suites.Check(r.Check).Doc)
	fmt.Fprintln(w, "\nDetails")
	printReadings(line, r)
	line("binding", r.Binding)
	name := "needs"
	for _, need := range r.Needs {
		line(name, need+": "+schema.ExplainClientNeed(need))
		name = ""
	}
	line("depends on", r.After...)
	line("check", r.Check)
	line("defects", r.Mutants...)
	line("tolerates", r.Finding...)
	line("defined in", r.File)
}
