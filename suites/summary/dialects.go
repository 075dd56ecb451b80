package summary

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// earlierFiles are what an operator brings along from earlier runs, each about one
// dialect or several. A server that offers one of them is judged as that: its maker
// keeps what was agreed on, whatever newer version of the protocol a later suite knows.
type earlierFiles struct {
	what     string   // as in "WHAT A2A 0.3.0, so this protocol is judged"
	dialects []string // names, in the order of schema.Names
}

// DialectsOf returns the names of the dialects that the operator's files of earlier runs are about:
// the baseline and what is run again, or else the waivers. A run prefers them if the dialect is
// left open. Two reports of different dialects are an error (*operator.UsageError), since a run
// judges one.
func DialectsOf(f record.Facts) ([]string, error) {
	old, again := f.Baseline, f.Selection.Rerun
	if old != nil && again != nil && isKnownDialect(old.Dialect) && isKnownDialect(again.Dialect) && old.Dialect != again.Dialect {
		return nil, &operator.UsageError{Text: fmt.Sprintf("--gate: %s is a report on %s, but --rerun-failed: %s is one on %s; a run judges only one protocol, so leave one flag out",
			old.File, titleOf(old.Dialect), again.File, titleOf(again.Dialect))}
	}
	brought, err := broughtAlong(f)
	return brought.dialects, err
}

// broughtAlong reads the files out of what is known of a run. A report can only be
// compared with one of the same dialect; waivers of others do nothing, and so count less.
func broughtAlong(f record.Facts) (earlierFiles, error) {
	if b := f.Baseline; b != nil && isKnownDialect(b.Dialect) {
		return earlierFiles{"the baseline of --gate is a report on", []string{b.Dialect}}, nil
	}
	if r := f.Selection.Rerun; r != nil && isKnownDialect(r.Dialect) {
		return earlierFiles{"--rerun-failed names a report on", []string{r.Dialect}}, nil
	}
	return dialectsOfWaivers(f)
}

// dialectsOfWaivers returns the dialects of the waivers. Without any no dialect is read. Those of a known SDK are about
// all dialects that it has, so that they say nothing of this agent.
func dialectsOfWaivers(f record.Facts) (earlierFiles, error) {
	out := earlierFiles{what: "--waivers has ids of"}
	if len(f.Waivers) == 0 {
		return out, nil
	}
	for _, name := range schema.Names() {
		d, err := schema.Outline(name)
		if err != nil {
			return earlierFiles{}, err
		}
		if slices.ContainsFunc(f.Waivers, func(w operator.Waiver) bool { return w.SDK == "" && d.Owns(w.ID) }) {
			out.dialects = append(out.dialects, name)
		}
	}
	return out, nil
}

// isKnownDialect reports whether a dialect is one of the catalogue: a report on a server that
// was not recognised has none, and that of a later version may have another.
func isKnownDialect(dialect string) bool { return slices.Contains(schema.Names(), dialect) }

// titleOf returns the full name of a dialect, or what it is called if it is unknown.
func titleOf(name string) string {
	if !isKnownDialect(name) {
		return name
	}
	d, err := schema.Outline(name)
	if err != nil {
		return name
	}
	return d.Title
}

func titlesOf(names []string) string {
	var titles []string
	for _, n := range names {
		titles = append(titles, titleOf(n))
	}
	return schema.JoinWithAnd(titles)
}

// otherOffers returns the other dialects that the server's cards tell of.
func otherOffers(f record.Facts) (out []report.Offer) {
	for _, name := range f.Offers {
		if isKnownDialect(name) {
			out = append(out, report.Offer{Dialect: name, Title: titleOf(name)})
		}
	}
	return out
}

// notOffered states that the operator named a dialect which the card does not offer.
func notOffered(d *schema.Dialect, f record.Facts) []string {
	instead := slices.DeleteFunc(slices.Clone(f.Instead), func(name string) bool { return !isKnownDialect(name) })
	if len(instead) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("the card does not offer %s, which --dialect names: it is one of %s; leave --dialect out, or give --dialect %s",
		d.Title, titlesOf(instead), instead[0])}
}

// explainDialectChoice explains why another dialect was judged than a run without files would have
// judged, and what becomes of waivers that are all about others. Both follow from
// the transcript alone: if the operator names a dialect, nothing else is offered.
func explainDialectChoice(d *schema.Dialect, f record.Facts) (out []string) {
	if w, err := dialectsOfWaivers(f); err == nil && len(w.dialects) > 0 && !slices.Contains(w.dialects, d.Name) {
		out = append(out, fmt.Sprintf("%s %s and none of %[3]s, but the server is judged as %[3]s: nothing is waived", w.what, titlesOf(w.dialects), d.Title))
	}
	brought, err := broughtAlong(f)
	if err != nil || !slices.Contains(brought.dialects, d.Name) {
		return out
	}
	for _, o := range otherOffers(f) {
		if slices.Contains(d.Detect.Supersedes, o.Dialect) {
			continue
		}
		judged, other := "this protocol", o.Title
		if len(brought.dialects) > 1 {
			judged = d.Title
		}
		if newer, err := schema.Outline(o.Dialect); err == nil && slices.Contains(newer.Detect.Supersedes, d.Name) {
			other = "the newer protocol"
		}
		out = append(out, fmt.Sprintf("%s %s, so %s is judged; --dialect %s judges %s", brought.what, titlesOf(brought.dialects), judged, o.Dialect, other))
	}
	return out
}
