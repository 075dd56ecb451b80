package view

import (
	"cmp"
	"maps"
	"slices"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// SchemaVersion is the version of report.json that this package writes and
// reads.
const SchemaVersion = "1"

// The most that is kept of one text. The judge shortens what it quotes; these
// are the bounds that hold whatever it does.
const (
	keptReason  = 16 << 10
	keptExcerpt = 4 << 10
	keptWords   = 1 << 10 // of a text of our own
)

// CopyWithBoundedTexts is a copy of a report in which no list is null, no text is out of
// bounds, and every text is valid UTF-8.
func CopyWithBoundedTexts(r *report.Report) *report.Report {
	c := *r
	if c.SchemaVersion == "" {
		c.SchemaVersion = SchemaVersion
	}
	c.Reason = boundText(c.Reason, keptReason)
	c.Notices = boundAll(c.Notices)
	c.Tried = boundAll(c.Tried)
	c.Advice = boundAll(c.Advice)
	c.Target.URL = boundText(c.Target.URL, keptExcerpt)
	c.Target.RPC = boundText(c.Target.RPC, keptExcerpt)
	c.Target.Through, c.Target.ThroughGRPC = boundText(c.Target.Through, keptExcerpt), boundText(c.Target.ThroughGRPC, keptExcerpt)
	c.Target.Server, c.Target.Variant = boundText(c.Target.Server, keptExcerpt), boundText(c.Target.Variant, keptExcerpt)
	c.Target.Flags = boundAll(c.Target.Flags)
	c.Target.Agent = boundText(c.Target.Agent, keptExcerpt)
	c.Target.Title = boundText(c.Target.Title, keptExcerpt)
	c.Target.Offers = slices.Clone(c.Target.Offers)
	for i := range c.Target.Offers {
		o := &c.Target.Offers[i]
		o.Dialect, o.Title = boundID(o.Dialect), boundText(o.Title, keptExcerpt)
	}
	c.Target.Withheld = slices.Clone(c.Target.Withheld)
	for i := range c.Target.Withheld {
		w := &c.Target.Withheld[i]
		w.Nobody, w.Itself = boundText(w.Nobody, keptExcerpt), boundText(w.Itself, keptExcerpt)
		w.Agent, w.Binding, w.URL, w.Why, w.Remedy = boundText(w.Agent, keptExcerpt), boundID(w.Binding), boundText(w.URL, keptExcerpt), boundText(w.Why, keptExcerpt), boundText(w.Remedy, keptExcerpt)
	}
	c.Run.Selection = boundText(c.Run.Selection, keptExcerpt)
	c.Run.Cut = boundText(c.Run.Cut, keptExcerpt)
	c.Run.StartedAt = c.Run.StartedAt.UTC()
	declares := map[string][]string{}
	for k, v := range c.Target.Declares {
		if declares[k] = boundAll(v); v == nil {
			declares[k] = []string{}
		}
	}
	c.Target.Declares = declares
	c.Waivers = slices.Clone(c.Waivers)
	for i := range c.Waivers {
		boundWaiver(&c.Waivers[i])
	}
	if c.Baseline != nil {
		c.Baseline = &report.Baseline{File: boundText(c.Baseline.File, keptExcerpt), Changes: slices.Clone(c.Baseline.Changes)}
		if c.Baseline.Changes == nil {
			c.Baseline.Changes = []report.Change{}
		}
		for i := range c.Baseline.Changes {
			boundChange(&c.Baseline.Changes[i])
		}
	}
	if c.History != nil {
		h := *c.History
		h.Runs = slices.Clone(h.Runs[max(0, len(h.Runs)-report.MaxHistoryRuns):])
		if h.Runs == nil {
			h.Runs = []report.PastCount{}
		}
		for i := range h.Runs {
			h.Runs[i].StartedAt = h.Runs[i].StartedAt.UTC()
		}
		c.History = &h
	}
	if c.SDK != nil {
		s := *c.SDK
		s.Name, s.Version = boundText(s.Name, keptExcerpt), boundText(s.Version, keptExcerpt)
		s.Declare, s.Waive = boundText(s.Declare, keptExcerpt), boundText(s.Waive, keptExcerpt)
		c.SDK = &s
	}
	c.Summary = maps.Clone(c.Summary)
	if c.Summary == nil {
		c.Summary = report.Summarize(c.Results)
	}
	c.Results = slices.Clone(c.Results)
	if c.Results == nil {
		c.Results = []report.Result{}
	}
	for i := range c.Results {
		boundResult(&c.Results[i])
	}
	return &c
}

func boundResult(r *report.Result) {
	r.Reason = boundText(r.Reason, keptReason)
	r.Remedy = boundText(r.Remedy, keptReason)
	r.Because = boundText(r.Because, keptExcerpt)
	r.Cause = boundText(r.Cause, keptExcerpt)
	r.Statement = boundText(r.Statement, keptReason)
	r.Readings = boundAll(r.Readings)
	r.Applied = boundAll(r.Applied)
	r.FindingOnly = boundText(r.FindingOnly, keptReason)
	r.Section = boundText(r.Section, keptExcerpt)
	r.Subjects = slices.Clone(r.Subjects)
	for i := range r.Subjects {
		s := &r.Subjects[i]
		s.Agent, s.Binding, s.Reason = boundText(s.Agent, keptExcerpt), boundText(s.Binding, keptExcerpt), boundText(s.Reason, keptReason)
	}
	r.Others = boundAll(r.Others)
	r.Fix = boundText(r.Fix, keptExcerpt)
	if r.Known != nil {
		k := *r.Known
		k.SDK = boundText(k.SDK, keptWords)
		k.Fault, k.File, k.Function, k.Upstream, k.Seen = boundText(k.Fault, keptWords), boundText(k.File, keptWords), boundText(k.Function, keptWords), boundText(k.Upstream, keptWords), boundText(k.Seen, keptWords)
		r.Known = &k
	}
	r.Reproduce = boundText(r.Reproduce, keptExcerpt)
	r.Why = slices.Clone(r.Why)
	for i := range r.Why {
		boundWhy(&r.Why[i])
	}
	evidence := make([]report.Evidence, len(r.Evidence))
	for i, e := range r.Evidence {
		evidence[i] = boundEvidence(e)
	}
	findings := make([]report.Finding, len(r.Findings))
	for i, f := range r.Findings {
		f.Text = boundText(f.Text, keptReason)
		if f.Evidence != nil {
			e := boundEvidence(*f.Evidence)
			f.Evidence = &e
		}
		findings[i] = f
	}
	r.Evidence, r.Findings = evidence, findings
}

func boundWhy(w *report.Why) {
	w.Sent, w.Did, w.Got, w.Due = boundText(w.Sent, keptExcerpt), boundText(w.Did, keptReason), boundText(w.Got, keptExcerpt), boundText(w.Due, keptReason)
	boundAt(&w.At)
	if w.Against != nil {
		c := *w.Against
		c.Got = boundText(c.Got, keptExcerpt)
		boundAt(&c.At)
		w.Against = &c
	}
}

func boundAt(a *report.At) {
	a.File, a.Step, a.Pointer, a.Header = boundText(a.File, keptExcerpt), boundText(a.Step, keptExcerpt), boundText(a.Pointer, keptExcerpt), boundText(a.Header, keptExcerpt)
}

func boundWaiver(w *report.Waiver) {
	for i := range w.AlsoAt {
		w.AlsoAt[i] = boundText(w.AlsoAt[i], keptExcerpt)
	}
	w.ID, w.Until, w.File = boundID(w.ID), boundText(w.Until, keptExcerpt), boundText(w.File, keptExcerpt)
	w.At, w.Why, w.Where, w.Advice = boundText(w.At, keptExcerpt), boundText(w.Why, keptExcerpt), boundText(w.Where, keptExcerpt), boundText(w.Advice, keptReason)
}

func boundChange(c *report.Change) {
	c.ID, c.Before, c.After = boundID(c.ID), boundText(c.Before, keptReason), boundText(c.After, keptReason)
	c.Why = boundText(c.Why, keptReason)
}

// boundID: a transcript that somebody wrote by hand may name nothing, and a report
// has to.
func boundID(id string) string { return cmp.Or(boundText(id, keptExcerpt), "(no id)") }

func boundEvidence(e report.Evidence) report.Evidence {
	e.Step = boundText(e.Step, keptExcerpt)
	e.Pointer = boundText(e.Pointer, keptExcerpt)
	e.Excerpt = boundText(e.Excerpt, keptExcerpt)
	return e
}

func boundAll(in []string) []string {
	out := slices.Clone(in)
	for i := range out {
		out[i] = boundText(out[i], keptReason)
	}
	return out
}

// boundText leaves room for the words that clip adds, so that bounding twice
// changes nothing.
func boundText(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return safetext.TruncateStatingRest(s, limit-100)
}
