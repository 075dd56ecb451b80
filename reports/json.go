package reports

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf16"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Schema is the JSON Schema of report.json.
//
//go:embed report.schema.json
var Schema []byte

// SchemaVersion is the version of report.json that this package writes and
// reads.
const SchemaVersion = "1"

// JSON writes the canonical form of a report: indented, in catalogue order,
// with every list present, and ending in a newline.
func JSON(w io.Writer, r *report.Report) error {
	return writeJSON(w, canonical(r))
}

// writeJSON writes a value indented, with what acts or hides escaped. It passes an Inert here
// already, so that the same bytes are printed and lie in a file.
func writeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	text := record.AppendIndented(nil, bytes.TrimSuffix(b.Bytes(), []byte("\n")), "", "  ")
	i := NewInert(w, false)
	if _, err := i.Write(escapeHidden(append(text, '\n'))); err != nil {
		return err
	}
	return i.Flush()
}

// escapeHidden escapes the characters that JSON allows in strings and that
// would act on the terminal or the diff in which a report is read. They occur
// nowhere but in strings.
func escapeHidden(text []byte) []byte {
	if !bytes.ContainsFunc(text, func(r rune) bool { return r >= 0x7f && (r == 0x7f || hidden(r)) }) {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		if r != 0x7f && !hidden(r) {
			b.WriteRune(r)
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, u)
		}
	}
	return b.Bytes()
}

// The most that is kept of one text. The judge shortens what it quotes; these
// are the bounds that hold whatever it does.
const (
	keptReason  = 16 << 10
	keptExcerpt = 4 << 10
)

// canonical is a copy of a report in which no list is null, no text is out of
// bounds, and every text is valid UTF-8.
func canonical(r *report.Report) *report.Report {
	c := *r
	if c.SchemaVersion == "" {
		c.SchemaVersion = SchemaVersion
	}
	c.Reason = bound(c.Reason, keptReason)
	c.Notices = boundAll(c.Notices)
	c.Tried = boundAll(c.Tried)
	c.Advice = boundAll(c.Advice)
	c.Target.URL = bound(c.Target.URL, keptExcerpt)
	c.Target.RPC = bound(c.Target.RPC, keptExcerpt)
	c.Target.Agent = bound(c.Target.Agent, keptExcerpt)
	c.Target.Title = bound(c.Target.Title, keptExcerpt)
	c.Target.Offers = slices.Clone(c.Target.Offers)
	for i := range c.Target.Offers {
		o := &c.Target.Offers[i]
		o.Dialect, o.Title = boundID(o.Dialect), bound(o.Title, keptExcerpt)
	}
	c.Target.Withheld = slices.Clone(c.Target.Withheld)
	for i := range c.Target.Withheld {
		w := &c.Target.Withheld[i]
		w.Nobody, w.Itself = bound(w.Nobody, keptExcerpt), bound(w.Itself, keptExcerpt)
		w.Agent, w.Binding, w.URL, w.Why, w.Remedy = bound(w.Agent, keptExcerpt), boundID(w.Binding), bound(w.URL, keptExcerpt), bound(w.Why, keptExcerpt), bound(w.Remedy, keptExcerpt)
	}
	c.Run.Selection = bound(c.Run.Selection, keptExcerpt)
	c.Run.Cut = bound(c.Run.Cut, keptExcerpt)
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
		c.Baseline = &report.Baseline{File: bound(c.Baseline.File, keptExcerpt), Changes: slices.Clone(c.Baseline.Changes)}
		if c.Baseline.Changes == nil {
			c.Baseline.Changes = []report.Change{}
		}
		for i := range c.Baseline.Changes {
			boundChange(&c.Baseline.Changes[i])
		}
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
	r.Reason = bound(r.Reason, keptReason)
	r.Remedy = bound(r.Remedy, keptReason)
	r.Because = bound(r.Because, keptExcerpt)
	r.Cause = bound(r.Cause, keptExcerpt)
	r.Statement = bound(r.Statement, keptReason)
	r.Readings = boundAll(r.Readings)
	r.FindingOnly = bound(r.FindingOnly, keptReason)
	r.Section = bound(r.Section, keptExcerpt)
	r.Subjects = slices.Clone(r.Subjects)
	for i := range r.Subjects {
		s := &r.Subjects[i]
		s.Agent, s.Binding, s.Reason = bound(s.Agent, keptExcerpt), bound(s.Binding, keptExcerpt), bound(s.Reason, keptReason)
	}
	r.Others = boundAll(r.Others)
	r.Reproduce = bound(r.Reproduce, keptExcerpt)
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
		f.Text = bound(f.Text, keptReason)
		if f.Evidence != nil {
			e := boundEvidence(*f.Evidence)
			f.Evidence = &e
		}
		findings[i] = f
	}
	r.Evidence, r.Findings = evidence, findings
}

func boundWhy(w *report.Why) {
	w.Sent, w.Did, w.Got, w.Due = bound(w.Sent, keptExcerpt), bound(w.Did, keptReason), bound(w.Got, keptExcerpt), bound(w.Due, keptReason)
	boundAt(&w.At)
	if w.Against != nil {
		c := *w.Against
		c.Got = bound(c.Got, keptExcerpt)
		boundAt(&c.At)
		w.Against = &c
	}
}

func boundAt(a *report.At) {
	a.File, a.Step, a.Pointer, a.Header = bound(a.File, keptExcerpt), bound(a.Step, keptExcerpt), bound(a.Pointer, keptExcerpt), bound(a.Header, keptExcerpt)
}

func boundWaiver(w *report.Waiver) {
	for i := range w.AlsoAt {
		w.AlsoAt[i] = bound(w.AlsoAt[i], keptExcerpt)
	}
	w.ID, w.Until, w.File = boundID(w.ID), bound(w.Until, keptExcerpt), bound(w.File, keptExcerpt)
	w.At, w.Why, w.Where, w.Advice = bound(w.At, keptExcerpt), bound(w.Why, keptExcerpt), bound(w.Where, keptExcerpt), bound(w.Advice, keptReason)
}

func boundChange(c *report.Change) {
	c.ID, c.Before, c.After = boundID(c.ID), bound(c.Before, keptReason), bound(c.After, keptReason)
	c.Why = bound(c.Why, keptReason)
}

// boundID: a transcript that somebody wrote by hand may name nothing, and a report
// has to.
func boundID(id string) string { return cmp.Or(bound(id, keptExcerpt), "(no id)") }

func boundEvidence(e report.Evidence) report.Evidence {
	e.Step = bound(e.Step, keptExcerpt)
	e.Pointer = bound(e.Pointer, keptExcerpt)
	e.Excerpt = bound(e.Excerpt, keptExcerpt)
	return e
}

func boundAll(in []string) []string {
	out := slices.Clone(in)
	for i := range out {
		out[i] = bound(out[i], keptReason)
	}
	return out
}

// bound leaves room for the words that clip adds, so that bounding twice
// changes nothing.
func bound(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return clip(s, limit-100)
}

// ReadJSON reads a report that JSON wrote. It refuses what the schema does not
// describe, and a report that contradicts itself: one whose counts are not
// those of its results, or whose verdict is better than they allow.
func ReadJSON(rd io.Reader) (*report.Report, error) {
	b, err := io.ReadAll(io.LimitReader(rd, maxReport+1))
	if err != nil {
		return nil, fmt.Errorf("not a report: %w", err)
	}
	if len(b) > maxReport {
		return nil, fmt.Errorf("not a report: it is larger than %d MiB, which no report of a run is; name the report.json of a run", maxReport>>20)
	}
	if n := record.CountValues(b); n > maxReportValues {
		return nil, fmt.Errorf("not a report: it has about %d values, and no report of a run has more than %d; name the report.json of a run", n, maxReportValues)
	}
	if err := validate(b); err != nil {
		return nil, err
	}
	var r report.Report
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return nil, fmt.Errorf("not a report: %w", err)
	}
	return &r, consistent(&r)
}

// Bounds of a report that is read. One that a run wrote is far below: it has some
// hundred results, each with texts and places that are bounded.
const (
	maxReport       = 24 << 20
	maxReportValues = 200_000
)

func consistent(r *report.Report) error {
	seen := map[string]int{}
	for i, res := range r.Results {
		if j, twice := seen[res.ID]; twice {
			return fmt.Errorf("results[%d] and results[%d] are both about %s: a requirement has one result", j, i, line(res.ID, maxName))
		}
		seen[res.ID] = i
	}
	for level, want := range report.Summarize(r.Results) {
		if got := r.Summary[level]; got != want {
			return fmt.Errorf("summary.%s does not count the results: it is %+v, the results give %+v", level, got, want)
		}
	}
	// A stated verdict may be graver than the results alone would give, for a
	// run can go wrong or be narrow in ways that no result shows.
	cut := report.Whole
	if r.Run.Cut != "" {
		cut = report.OutOfTime
	}
	best := report.Decide(r.Results, true, true, cut)
	if slices.Index(gravest, r.Verdict) > slices.Index(gravest, best) {
		return fmt.Errorf("verdict is %q, but the results allow no better than %q", r.Verdict, best)
	}
	return nil
}

// oneValue reads exactly one JSON value, numbers as they are written.
func oneValue(b []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("not JSON: %w at byte %d", err, syntax.Offset)
		}
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("not one JSON value: something follows at byte %d", dec.InputOffset())
	}
	return v, nil
}
