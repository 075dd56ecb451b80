package reports

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"text/template"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// badge is what both show.
type badge struct {
	Label, Message string
	Title          string // the whole verdict line, for who points at the picture
	Color          badgeColor
}

// badgeColor is a colour as SVG has it and as shields.io calls it.
type badgeColor struct{ SVG, Name string }

// noVerdict is the colour if nothing is known about the server.
var noVerdict = badgeColor{"#5c6672", "lightgrey"}

// colorOf is the colour of a verdict, dark enough for white text.
func colorOf(v report.RunVerdict) badgeColor {
	return cmp.Or(map[report.RunVerdict]badgeColor{
		report.Conformant:    {"#1a7f37", "brightgreen"},
		report.Partial:       {"#8a5a00", "yellow"},
		report.Nonconformant: {"#b3261e", "red"},
	}[v], noVerdict)
}

func newBadge(r *report.Report) badge {
	b := badge{Label: view.DialectName(r.Target), Message: safetext.Line(string(r.Verdict), safetext.MaxName), Title: view.DescribeTargetByKind(r.Target) + ": " + view.ExplainVerdict(r), Color: colorOf(r.Verdict)}
	for _, n := range view.Notices(r) {
		b.Title += "; notice: " + n
	}
	if r.Verdict == report.Conformant {
		b.Message += overSome(r.Target)
	} else if met := view.MetOfApplying(r.Summary[string(schema.Must)]); met != "" && (r.Verdict == report.Nonconformant || r.Verdict == report.Partial) {
		b.Message += ", " + met + " MUST"
	}
	b.Message += kindOfTarget(r.Target)
	return b
}

// kindOfTarget names the kind of target if no server of the user was judged, so that a verdict on the bundled
// server or on a file is not taken for one on it.
func kindOfTarget(t report.Target) string {
	return map[string]string{view.Bundled: " (bundled server)", view.Replayed: " (unsigned transcript)"}[t.Kind]
}

// overSome names the bindings of a run that did not speak every one of its protocol.
func overSome(t report.Target) string {
	d, err := schema.Outline(t.Dialect)
	if err != nil || len(t.Bindings) == 0 || len(t.Bindings) >= len(d.Bindings) {
		return ""
	}
	var names []string
	for _, b := range t.Bindings {
		names = append(names, safetext.Line(b, safetext.MaxName))
	}
	return " over " + strings.Join(names, ", ")
}

// overAll is the badge over the reports of several dialects.
func overAll(server string, parts []view.Part) badge {
	worst := view.Worst(parts)
	b := badge{Label: view.JoinTitles(parts), Message: string(worst), Title: safetext.Line(server, safetext.MaxName) + ": the worst of several verdicts", Color: colorOf(worst)}
	for _, p := range parts {
		if p.Report != nil && kindOfTarget(p.Report.Target) != "" {
			b.Message += kindOfTarget(p.Report.Target)
			break
		}
	}
	return b
}

// Badge writes the verdict as a small picture (SVG), to be shown in a README or on a dashboard.
func Badge(w io.Writer, r *report.Report) error {
	return newBadge(view.CopyWithBoundedTexts(r)).writeSVG(w)
}

// BadgeEndpoint writes the same as JSON, from which shields.io makes a picture in the style of
// the others on a page.
func BadgeEndpoint(w io.Writer, r *report.Report) error {
	return newBadge(view.CopyWithBoundedTexts(r)).writeEndpoint(w)
}

func (b badge) writeEndpoint(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		SchemaVersion int    `json:"schemaVersion"`
		Label         string `json:"label"`
		Message       string `json:"message"`
		Color         string `json:"color"`
		IsError       bool   `json:"isError"`
	}{1, b.Label, b.Message, b.Color.Name, b.Color == noVerdict})
}

//go:embed badge.svg.tmpl
var badgeText string

var badgeTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("badge").Parse(badgeText)) })

// writeSVG draws the badge. The texts are stretched to the widths that are reckoned here, so that
// they fit whatever fonts there are.
func (b badge) writeSVG(w io.Writer) error {
	const pad, perRune, most = 6, 7, 60
	label, message := safetext.Abbreviate(b.Label, most), safetext.Abbreviate(b.Message, most)
	lw, mw := perRune*utf8.RuneCountInString(label), perRune*utf8.RuneCountInString(message)
	return badgeTemplate().Execute(w, map[string]any{
		"Label": label, "Message": message, "Title": b.Title, "Color": b.Color.SVG,
		"LabelText": lw, "MessageText": mw, "LabelBox": lw + 2*pad, "MessageBox": mw + 2*pad, "Width": lw + mw + 4*pad,
		"LabelAt": pad, "MessageAt": lw + 3*pad,
	})
}
