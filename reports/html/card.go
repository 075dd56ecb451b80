package html

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/script"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// card is one requirement that is not kept, with what was sent, what came and what is due.
type card struct {
	ID, Level, Area, Statement string
	Sections                   []view.Reference
	Remarks                    []string
	Cells                      []cellView
	Kind                       view.Kind
	Cause                      string // what is wrong in general
	Told                       string // why it fails, unless the calls show all of it
	Known                      string // by which known fault of an SDK it fails
	Failing                    string // for how long
	Fix                        string // what to change in the server; "" if a card above has the same
	Calls                      []callView
	More                       int
	Reproduce                  string // the script that repeats it, in the folder of the page
	Follow                     []card // the failures of the same cause
	Brief                      bool   // without what was sent and what came
}

func (b *builder) buildSection(title, id, intro string, k view.Kind) section {
	s := section{Title: title, ID: id, Intro: intro, Counted: view.CountFailures(b.report, k), Own: len(view.ResultsOfKind(b.report, k))}
	follow := view.DependentFailures(b.report)
	for _, r := range view.RootFailures(b.report, k) {
		s.Total += 1 + len(follow[r.ID])
		if len(b.carded) >= b.most.cards {
			for _, f := range append([]*report.Result{r}, follow[r.ID]...) {
				c := cause{ID: safetext.Line(f.ID, safetext.MaxName), Text: safetext.Line(f.Statement, safetext.MaxExcerpt)}
				if b.most.brief { // its row has the statement
					c.Text = ""
				}
				s.Rest = append(s.Rest, c)
			}
			continue
		}
		c := b.buildCard(r, true)
		for _, f := range follow[r.ID] {
			c.Follow = append(c.Follow, b.buildCard(f, false))
		}
		c.dropRepeatedDependentFixes()
		for i, f := range follow[r.ID] {
			b.followers = append(b.followers, follower{&c.Follow[i], f, r})
		}
		s.Items = append(s.Items, c)
	}
	return s
}

// follower is the card of a failure that follows from another one.
type follower struct {
	card      *card
	of, cause *report.Result
}

// fillFollowerCardPanes fills in what was sent and what came on the cards of failures that follow from others, if that is not
// on the card of the cause already. The causes have theirs by then: what is left of the page's room is shared.
func (b *builder) fillFollowerCardPanes() {
	for _, f := range b.followers {
		all, _ := view.Violations(f.of)
		causes, _ := view.Violations(f.cause)
		if len(f.card.Calls) == 0 || all[0].Evidence == nil || slices.ContainsFunc(causes, func(v view.Violation) bool {
			e := v.Evidence
			return e != nil && e.Exchange == all[0].Evidence.Exchange && e.Event == all[0].Evidence.Event && e.Pointer == all[0].Evidence.Pointer
		}) {
			continue
		}
		b.fillPanes(&f.card.Calls[0], all[0])
		f.card.dropShownText()
	}
}

// dropShownText leaves out the sentence on a failure if what was sent, what came and what was expected say the same.
func (c *card) dropShownText() {
	if len(c.Calls) > 0 && c.Calls[0].Shows() {
		c.Told = ""
		if c.Calls[0].Proof != nil && c.Brief {
			c.Calls[0].Proof.Excerpt = ""
		}
	}
}

// buildCard is the view of a result that is no pass. What follows from another has no bytes yet: see
// fillFollowerCardPanes.
func (b *builder) buildCard(r *report.Result, bytes bool) card {
	c := card{
		ID: safetext.Line(r.ID, safetext.MaxName), Level: safetext.Line(string(r.Level), safetext.MaxName), Kind: view.KindOf(r), Area: safetext.Line(r.Area, safetext.MaxName),
		Sections: view.References(b.report.Target.Dialect, r.Section), Statement: safetext.Line(r.Statement, safetext.MaxReason), Remarks: view.ShortenEachLine(view.RequirementRemarks(r)),
		Cause: safetext.Line(r.Cause, safetext.MaxExcerpt), Told: safetext.Text(r.Reason, b.most.reason), Known: view.DescribeKnown(r), Failing: r.Failing.Describe(), Fix: safetext.Line(r.Fix, safetext.MaxExcerpt), Reproduce: script.ScriptPathIfLinkable(r.Reproduce), Cells: b.subjectCells(r),
	}
	if b.most.brief { // a brief page has no scripts in its folder
		c.Reproduce = ""
	}
	b.carded[r.ID] = true
	all, more := view.Violations(r)
	c.More = more
	for i, group := range groupEqualViolations(r, all) {
		v := callView{Proof: b.buildProof(group[0].Evidence)}
		if i > 0 {
			v.Text = safetext.Line(group[0].Text, b.most.reason)
		}
		if group[0].Why != nil {
			v.Due = safetext.Line(group[0].Why.Due, b.most.reason)
			if c := group[0].Why.Against; c != nil {
				if v.Against = b.buildProof(&report.Evidence{Exchange: c.At.Exchange, File: c.At.File, Event: c.At.Event, Pointer: c.At.Pointer, Excerpt: c.Got}); v.Against != nil && c.Words {
					v.Against.Says, v.Against.Excerpt = v.Against.Excerpt, ""
				} else if v.Against != nil && isCutJSON(c.Got) {
					v.Against.Excerpt += " …"
				}
			}
		}
		if n := len(group); n > 1 {
			v.Same = safetext.CountWithNoun(n-1, "more call") + " with the same answer"
			for _, o := range group[1:min(n, 1+maxSame)] {
				if p := b.buildProof(o.Evidence); p != nil {
					p.Excerpt = ""
					if o.Why != nil {
						p.Says = safetext.Line(o.Why.Sent, safetext.MaxName)
					}
					v.Others = append(v.Others, *p)
				}
			}
		}
		if bytes && i < maxGroups {
			b.fillPanes(&v, group[0])
		}
		if v.Proof != nil || v.Text != "" || v.Due != "" {
			c.Calls = append(c.Calls, v)
		}
	}
	c.Brief = !bytes
	c.dropShownText()
	return c
}

// dropRepeatedDependentFixes leaves out what to change in the server if a card of the same cause shows it already.
func (c *card) dropRepeatedDependentFixes() {
	shown := []string{c.Fix}
	for i := range c.Follow {
		if f := &c.Follow[i]; slices.Contains(shown, f.Fix) {
			f.Fix = ""
		} else {
			shown = append(shown, f.Fix)
		}
	}
}

// numbered is the place in the text of a violation, by which equal ones differ.
var numbered = regexp.MustCompile(`exchange \d+(, event \d+)?`)

// groupEqualViolations puts the violations together that say the same of different calls.
func groupEqualViolations(r *report.Result, all []view.Violation) [][]view.Violation {
	var out [][]view.Violation
	at := map[string]int{}
	for _, v := range all {
		key := numbered.ReplaceAllString(v.Text, "")
		if w := v.Why; w != nil {
			key = strings.Join([]string{w.By, w.Did, w.Due, w.At.Pointer, w.At.Header}, "\x00")
		}
		if v.Text == "" && v.Evidence != nil {
			key = v.Evidence.Pointer
		}
		i, known := at[key]
		if !known {
			i = len(out)
			at[key] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], v)
	}
	return out
}

// isCutJSON reports whether a text begins like JSON and is not whole: as a value, or as members
// of an object.
func isCutJSON(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, "{["), `"`) && !json.Valid([]byte(text)) && !json.Valid([]byte("{"+text+"}"))
}

type section struct {
	Title, ID, Intro string
	Items            []card
	Rest             []cause // those without a card
	Total            int
	Own              int    // of the kind, wherever they stand
	Counted          string // how many there are, by level and by cause
}
