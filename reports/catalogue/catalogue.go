// Package catalogue writes the site of the requirements: a page for each of them, one for each dialect and one for gateways,
// and an index with a search. The site needs no server and asks no other host for anything.
package catalogue

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Step is a call on which a requirement is judged, and a sentence about what it sends.
type Step struct {
	Step  string `json:"step"`
	Sends string `json:"sends"`
}

// Defect is a mutant of the bundled server: its name, and what is wrong with it in one sentence.
type Defect struct{ Name, Summary string }

// Source is what pages show that is not in the catalogue itself. The caller provides it, since whatever
// calls servers or judges them is above this package.
type Source struct {
	Steps   func(*schema.Dialect, *schema.Requirement) []Step
	Expects func(check string) string // what a check expects, in words
	Defects func(dialect string) []Defect
	// Gateways are the requirements on gateways, the faults with which they break, and why some of them break as findings.
	Gateways           *schema.Gateways
	Faults             []Defect
	GatewayFindingOnly string
}

// entry is a requirement with what the pages of others must know of it.
type entry struct {
	*schema.Requirement
	in      catalogueName
	dialect *schema.Dialect // nil for a requirement that every dialect shares, or on gateways
	fix     string          // what to change in a server that breaks it; "" if the catalogue does not say
	when    string          // of one that every dialect shares: when a report has it
	meets   string          // of one on gateways: what users meet behind a gateway that breaks it
}

// catalogueName is what the catalogue of a requirement is called: in addresses, and for readers.
type catalogueName struct{ name, title string }

// What every dialect shares, and what is about gateways, is shown as one more dialect each.
var (
	everyDialect = catalogueName{"every-dialect", "Every dialect"}
	gateways     = catalogueName{"gateways", "Gateways"}
)

// pageName returns the name of the page of a requirement.
func (e entry) pageName() string { return pageOf(e.ID) }

// pageOf returns the name of the page of the requirement of an id.
func pageOf(id string) string { return id + ".html" }

// site is all requirements of the site, and how they refer to each other.
type site struct {
	source     Source
	groups     []group // one for each dialect
	byID       map[string]entry
	dependents map[string][]string // the requirements that depend on one
	inSection  map[string][]string // the requirements of the same section of the same text
	worded     map[string][]string // the requirements with the same statement
	defects    map[string]map[string]string
}

// group is the requirements of one dialect.
type group struct {
	catalogueName
	digest, source string
	command        string // part of the command that judges by them; "" if each command does
	entries        []entry
}

// newSite collects the requirements of these dialects and those that every dialect shares.
func newSite(dialects []*schema.Dialect, source Source) *site {
	s := &site{source: source, byID: map[string]entry{}, dependents: map[string][]string{}, inSection: map[string][]string{}, worded: map[string][]string{}, defects: map[string]map[string]string{}}
	for _, d := range dialects {
		g := group{catalogueName: catalogueName{d.Name, d.Title}, digest: d.Digest, source: specTitleAndVersion(d), command: "--dialect " + d.Name}
		s.defects[d.Name] = map[string]string{}
		for _, defect := range source.Defects(d.Name) {
			s.defects[d.Name][defect.Name] = defect.Summary
		}
		for i := range d.Requirements {
			g.entries = append(g.entries, entry{Requirement: &d.Requirements[i], in: g.catalogueName, dialect: d, fix: d.FixText(d.Requirements[i].ID)})
		}
		s.groups = append(s.groups, g)
	}
	shared := group{catalogueName: everyDialect}
	commons := schema.Commons()
	for i := range commons {
		shared.entries = append(shared.entries, entry{Requirement: &commons[i].Requirement, in: everyDialect, fix: schema.CommonFixText(commons[i].ID), when: commons[i].When})
	}
	s.groups = append(s.groups, shared)
	if source.Gateways != nil {
		s.groups = append(s.groups, s.newGatewayGroup())
	}
	for _, g := range s.groups {
		for _, e := range g.entries {
			s.indexEntry(e)
		}
	}
	return s
}

// newGatewayGroup collects the requirements on gateways.
func (s *site) newGatewayGroup() group {
	all := s.source.Gateways
	g := group{catalogueName: gateways, digest: all.Digest, command: "run URL --through GATEWAY-URL"}
	s.defects[g.name] = map[string]string{}
	for _, fault := range s.source.Faults {
		s.defects[g.name][fault.Name] = fault.Summary
	}
	for _, of := range all.Requirements {
		r := schema.Requirement{Rule: of.Rule}
		if len(r.Needs) > 0 {
			r.Needs = []string{"--upstream-listen HOST:PORT, so that what reaches the server is seen"}
		}
		if of.Finding {
			r.FindingOnly = s.source.GatewayFindingOnly
		}
		g.entries = append(g.entries, entry{Requirement: &r, in: gateways, meets: of.Meets})
	}
	return g
}

// specTitleAndVersion returns the title and version of the text that a dialect is about.
func specTitleAndVersion(d *schema.Dialect) string {
	return strings.TrimSpace(d.Source.Title + " " + d.Source.Version)
}

// indexEntry notes a requirement and whatever it has in common with others.
func (s *site) indexEntry(e entry) {
	s.byID[e.ID] = e
	s.worded[e.Statement] = append(s.worded[e.Statement], e.ID)
	for _, before := range e.After {
		if !slices.Contains(s.dependents[before], e.ID) {
			s.dependents[before] = append(s.dependents[before], e.ID)
		}
	}
	if e.in != everyDialect { // whose sections are of several texts
		s.inSection[identifyFirstSection(e)] = append(s.inSection[identifyFirstSection(e)], e.ID)
	}
}

// identifyFirstSection identifies the first section of a text that a requirement cites.
func identifyFirstSection(e entry) string {
	first, _, _ := strings.Cut(e.Section, "; ")
	return e.in.name + " " + first
}

// citedSections returns the sections that a requirement cites, with their addresses.
func citedSections(e entry) []view.Reference {
	if e.in == everyDialect {
		return nil
	}
	return view.References(e.in.name, e.Section)
}
