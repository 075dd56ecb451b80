package suites

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Select returns the ids of the selected requirements in catalogue order. A
// pattern or word that matches nothing is an error: it is a slip, and a run
// that judges nothing must not look green.
func Select(d *schema.Dialect, s operator.Selection) ([]string, error) {
	errs := UnknownSelectors(s, d)
	for _, a := range s.Areas {
		if !slices.Contains(d.Areas(), a) {
			errs = append(errs, fmt.Errorf("%s has no area %q; its areas are %s", d.Name, a, strings.Join(d.Areas(), ", ")))
		}
	}
	for _, l := range s.Levels {
		if !slices.Contains([]string{"MUST", "SHOULD", "MAY"}, strings.ToUpper(l)) {
			errs = append(errs, fmt.Errorf("level %q is not one of MUST, SHOULD, MAY", l))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	again, err := rerunIDsWithPrerequisites(d, s.Rerun)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range d.Requirements {
		switch {
		case s.Rerun != nil && !again[r.ID]:
		case len(s.Run) > 0 && !matchesAny(s.Run, r.ID):
		case matchesAny(s.Skip, r.ID):
		case len(s.Areas) > 0 && !slices.Contains(s.Areas, r.Area):
		case len(s.Sections) > 0 && !isInSections(r.Section, s.Sections):
		case len(s.Levels) > 0 && !slices.ContainsFunc(s.Levels, func(l string) bool { return strings.EqualFold(l, string(r.Level)) }):
		default:
			out = append(out, r.ID)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("the selection is empty: no requirement of %s matches all of the given flags", d.Name)
	}
	return out, nil
}

// UnknownSelectors returns the patterns and sections that fit nothing in any of the catalogues, with
// what may have been meant.
func UnknownSelectors(s operator.Selection, in ...*schema.Dialect) []error {
	var errs []error
	var names, ids, sections []string
	for _, d := range in {
		names = append(names, d.Name)
		for _, r := range d.Requirements {
			ids = append(ids, r.ID)
		}
		sections = append(sections, Sections(d)...)
	}
	of := strings.Join(names, ", ")
	for _, p := range slices.Concat(s.Run, s.Skip) {
		if _, err := path.Match(p, ""); err != nil {
			errs = append(errs, fmt.Errorf("the pattern %q is malformed", p))
		} else if !slices.ContainsFunc(ids, func(id string) bool { return matchesPattern(p, id) }) {
			hint := "ids look like " + exampleID(in[0])
			if near := NearestID(p, ids); near != "" {
				hint = "did you mean " + near + "?"
			}
			errs = append(errs, fmt.Errorf("the pattern %q matches no requirement of %s; %s", p, of, hint))
		}
	}
	for _, section := range s.Sections {
		if !slices.ContainsFunc(sections, func(place string) bool { return isSectionOrBelow(place, section) }) {
			errs = append(errs, newUnknownSectionError(of, section, sections))
		}
	}
	return errs
}

// NarrowSelection returns a selection as it concerns one of several catalogues: patterns, areas and sections that only others
// know are the others'. What none of them knows stays, as a mistake. It is an error if all patterns, areas or sections
// are the others'.
func NarrowSelection(s operator.Selection, d *schema.Dialect, all []*schema.Dialect) (operator.Selection, error) {
	var err error
	keep := func(flag string, words []string, knows func(d *schema.Dialect, word string) bool) (out []string) {
		for _, w := range words {
			if knows(d, w) || !slices.ContainsFunc(all, func(o *schema.Dialect) bool { return knows(o, w) }) {
				out = append(out, w)
			}
		}
		if len(out) == 0 && len(words) > 0 && flag != "--skip" {
			err = fmt.Errorf("%s %s matches no requirement of %s; leave that dialect out, or add a pattern that matches some of its requirements", flag, strings.Join(words, ", "), d.Name)
		}
		return out
	}
	matches := func(d *schema.Dialect, pattern string) bool {
		return slices.ContainsFunc(d.Requirements, func(r schema.Requirement) bool { return matchesPattern(pattern, r.ID) })
	}
	s.Run, s.Skip = keep("--run", s.Run, matches), keep("--skip", s.Skip, matches)
	s.Areas = keep("--area", s.Areas, func(d *schema.Dialect, area string) bool { return slices.Contains(d.Areas(), area) })
	s.Sections = keep("--section", s.Sections, HasSection)
	return s, err
}

// NearestID returns the id that was most likely meant by a mistyped one or, for a pattern, the
// pattern of a group of ids; "" if none is similar.
func NearestID(word string, ids []string) string {
	known := ids
	if strings.ContainsAny(word, "*?[") {
		known = nil
		for _, id := range ids {
			if cut := strings.LastIndexByte(id, '-'); cut > 0 && !slices.Contains(known, id[:cut]+"-*") {
				known = append(known, id[:cut]+"-*")
			}
		}
	}
	if end := "-" + strings.ToUpper(word); known != nil && strings.Contains(word, "-") { // without the prefix of the dialect
		if at := slices.IndexFunc(known, func(id string) bool { return strings.HasSuffix(id, end) }); at >= 0 {
			return known[at]
		}
	}
	return schema.Nearest(word, known)
}

// rerunIDsWithPrerequisites is what an earlier run left open and is still in the catalogue, with
// all that it rests on.
func rerunIDsWithPrerequisites(d *schema.Dialect, r *operator.Rerun) (map[string]bool, error) {
	out := map[string]bool{}
	var visit func(id string)
	visit = func(id string) {
		if req := d.Requirement(id); req != nil && !out[id] {
			out[id] = true
			for _, a := range req.After {
				visit(a)
			}
		}
	}
	if r == nil {
		return out, nil
	}
	for _, id := range r.IDs {
		visit(id)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no broken or undecided requirement of %s", r.File, d.Name)
	}
	return out, nil
}

func exampleID(d *schema.Dialect) string {
	if len(d.Requirements) == 0 {
		return d.Prefix + "-…"
	}
	return d.Requirements[0].ID
}

func matchesAny(patterns []string, id string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matchesPattern(p, id) })
}

func matchesPattern(pattern, id string) bool {
	ok, _ := path.Match(strings.ToUpper(pattern), strings.ToUpper(id))
	return ok
}

// Scenarios lists the scenarios that are needed to judge the given requirements, including their
// prerequisites. base reports whether the base scenarios are among them, because a check reads
// all messages of the run.
func Scenarios(d *schema.Dialect, checks judge.Checks, ids []string) (names []string, base bool, err error) {
	seen := map[string]bool{}
	var visit func(id string) error
	look := func(id string, r *schema.Requirement) error {
		check, ok := checks[r.Check]
		if !ok {
			return fmt.Errorf("%s: %s uses the check %q, which does not exist", r.File, id, r.Check)
		}
		steps, err := check.Needs(r.With)
		if err != nil {
			return fmt.Errorf("%s: %s: the parameters of %s: %w", r.File, id, r.Check, err)
		}
		base = base || len(steps) == 0
		for _, s := range steps {
			scenario, _, _ := strings.Cut(s, "/")
			if !slices.Contains(names, scenario) {
				names = append(names, scenario)
			}
		}
		for _, a := range r.After {
			if err := visit(a); err != nil {
				return err
			}
		}
		return nil
	}
	visit = func(id string) error {
		r := d.Requirement(id)
		if seen[id] || r == nil || r.Check == "" {
			return nil
		}
		seen[id] = true
		if x := r.Crossed(); x != nil {
			if err := look(id, x); err != nil {
				return err
			}
		}
		return look(id, r)
	}
	for _, id := range ids {
		if err := visit(id); err != nil {
			return nil, false, err
		}
	}
	return names, base, nil
}
