package catalogue

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/layout"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
)

// link is a requirement that a page leads to.
type link struct {
	ID, Level, Page string
	Note            string // which dialect it is of, if that is another
}

// requirementPage is what the template of a requirement shows.
type requirementPage struct {
	Policy        string
	Title         string // of the dialect
	Home          string // the page of the dialect
	ID, Level     string
	Area          string
	Plain         string // the statement
	Statement     []layout.Span
	Source        string
	Sections      []view.Reference
	Own           string // why it is in no text of a protocol
	Readings      []string
	Applied       string // which of them a server is judged by
	Steps         []stepView
	Expects       []layout.Span
	When          [][]layout.Span
	NotJudged     []layout.Span
	Conditions    []condition
	Check, With   string
	Defects       []defectView
	Tolerates     []defectView
	FindingOnly   []layout.Span
	Permission    bool
	Fix           []layout.Span
	ByEdits       bool          // it is broken by edits of recorded answers alone
	Meets         []layout.Span // what users meet behind a gateway that breaks it
	ReproduceWith []string
	Relations     []relation
	File          string
}

type stepView struct {
	ID, Step string
	Sends    []layout.Span
}

type condition struct{ Name, Value string }

type defectView struct {
	Name    string
	Summary []layout.Span
}

// relation is a way in which other requirements have to do with this one.
type relation struct {
	Name  string
	Links []link
}

// viewRequirement returns what the page of a requirement shows.
func (s *site) viewRequirement(e entry) requirementPage {
	p := requirementPage{
		Policy: policy, Title: e.in.title, Home: e.in.name + ".html", ID: e.ID, Level: string(e.Level), Area: e.Area,
		Plain: strings.ReplaceAll(e.Statement, "`", ""), Statement: layout.SplitCode(e.Statement), Sections: citedSections(e), Readings: schema.NameReadings(e.Readings), Applied: schema.DescribeAppliedReadings(len(e.Readings), e.Applied),
		NotJudged: layout.SplitCode(e.Unobservable), FindingOnly: layout.SplitCode(e.FindingOnly), Permission: e.Permission, Check: e.Check, File: e.File,
		Conditions: listConditions(e.Requirement), Relations: s.listRelations(e), ReproduceWith: s.listCommandsShowingFirstDefect(e),
	}
	if e.dialect != nil {
		p.Source = specTitleAndVersion(e.dialect)
		for _, step := range s.source.Steps(e.dialect, e.Requirement) {
			p.Steps = append(p.Steps, stepView{"step-" + anchorOf(step.Step), step.Step, layout.SplitCode(step.Sends)})
		}
	}
	p.Fix = layout.SplitCode(e.fix)
	if schema.IsOwn(e.ID) {
		p.Own = schema.OwnNote
	}
	for paragraph := range strings.Lines(e.when) {
		p.When = append(p.When, layout.SplitCode(strings.TrimSpace(paragraph)))
	}
	if e.in == gateways {
		p.Source, p.Meets = s.source.Gateways.Title, layout.SplitCode(e.meets)
	} else if e.Check != "" {
		p.Expects = layout.SplitCode(s.source.Expects(e.Check))
	}
	if with, err := json.Marshal(e.With); err == nil && len(e.With) > 0 {
		p.With = string(with)
	}
	p.Defects, p.Tolerates = s.listDefects(e, e.Mutants), s.listDefects(e, e.Finding)
	p.ByEdits = e.dialect != nil && e.Check != "" && len(e.Mutants) == 0 && !e.Tolerant()
	return p
}

// listDefects returns what is wrong with each of these mutants.
func (s *site) listDefects(e entry, names []string) (out []defectView) {
	for _, name := range names {
		out = append(out, defectView{name, layout.SplitCode(s.defects[e.in.name][name])})
	}
	return out
}

// listCommandsShowingFirstDefect returns the two commands with which the first defect is seen; nil if that takes
// credentials or settings that are not the same for all requirements.
func (s *site) listCommandsShowingFirstDefect(e entry) []string {
	if e.dialect == nil || len(e.Mutants) == 0 || slices.Contains(e.Claims, "auth") || len(e.Operator) > 0 {
		return nil
	}
	server := []string{"a2a-conform reference --dialect", e.dialect.Name, "--mutant", e.Mutants[0]}
	run := []string{"a2a-conform run URL --dialect", e.dialect.Name, "--run", e.ID, "--stimuli plain"}
	if e.Binding == schema.KindGRPC {
		server = append(server, "--grpc-addr 127.0.0.1:0")
	}
	if e.Risk != "" && e.Risk != schema.Harmless {
		run = append(run, "--allow", string(e.Risk))
	}
	for _, need := range e.Needs {
		switch {
		case need == "task", need == "agent", strings.HasPrefix(need, "stimulus."):
		case need == "webhook":
			run = append(run, "--webhook-listen 127.0.0.1:0")
		default:
			return nil
		}
	}
	return []string{strings.Join(server, " "), strings.Join(run, " ")}
}

// listConditions returns when a requirement is judged, and what judging it takes.
func listConditions(r *schema.Requirement) (out []condition) {
	for _, c := range []condition{
		{"if the card has", strings.Join(r.Claims, ", ")},
		{"if configured", strings.Join(r.Operator, ", ")},
		{"needs", strings.Join(r.Needs, ", ")},
		{"checked on each", r.Every},
		{"risk", string(r.Risk)},
	} {
		if c.Value != "" {
			out = append(out, c)
		}
	}
	return out
}

// listRelations returns the requirements that have to do with one, each kind once.
func (s *site) listRelations(e entry) (out []relation) {
	for _, kind := range []struct {
		name string
		ids  []string
	}{
		{"It depends on", e.After},
		{"These depend on it", s.dependents[e.ID]},
		{"The same rule in other dialects", s.worded[e.Statement]},
		{"Of the same section", s.inSection[identifyFirstSection(e)]},
	} {
		links := s.listLinks(e, kind.ids)
		if len(links) > 0 {
			out = append(out, relation{kind.name, links})
		}
	}
	return out
}

// listLinks returns links to requirements, but for the page that they are on.
func (s *site) listLinks(from entry, ids []string) (out []link) {
	for _, id := range ids {
		to, ok := s.byID[id]
		if !ok || id == from.ID {
			continue
		}
		l := link{ID: id, Level: string(to.Level), Page: to.pageName()}
		if to.in != from.in {
			l.Note = to.in.title
		}
		out = append(out, l)
	}
	return slices.CompactFunc(out, func(a, b link) bool { return a.ID == b.ID })
}

// anchorOf makes of a name what an address can hold.
func anchorOf(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '-'
	}, name)
}
