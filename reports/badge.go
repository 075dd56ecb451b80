package reports

import (
	_ "embed"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"text/template"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// The files of a badge: a picture, and what shields.io makes one of (its endpoint schema).
const (
	BadgeFile    = "badge.svg"
	EndpointFile = "badge.json"
)

// badge is what both show.
type badge struct {
	Label, Message string
	Title          string // the whole verdict line, for who points at the picture
	Color          badgeColor
}

// badgeColor is a colour as SVG has it and as shields.io calls it.
type badgeColor struct{ SVG, Name string }

// noVerdict is the colour where nothing is known about the server.
var noVerdict = badgeColor{"#5c6672", "lightgrey"}

// colorOf is the colour of a verdict, dark enough for white text.
func colorOf(v report.RunVerdict) badgeColor {
	switch v {
	case report.Conformant:
		return badgeColor{"#1a7f37", "brightgreen"}
	case report.Partial:
		return badgeColor{"#8a5a00", "yellow"}
	case report.Nonconformant:
		return badgeColor{"#b3261e", "red"}
	}
	return noVerdict
}

func newBadge(r *report.Report) badge {
	b := badge{Label: dialect(r.Target), Message: line(string(r.Verdict), maxName), Title: Named(r.Target) + ": " + because(r), Color: colorOf(r.Verdict)}
	for _, n := range noted(r) {
		b.Title += "; notice: " + n
	}
	if r.Verdict == report.Conformant {
		b.Message += overSome(r.Target)
	}
	b.Message += kindOfTarget(r.Target)
	return b
}

// kindOfTarget says what was judged where that was no server of anybody's: nobody takes the
// verdict on the bundled server, or on a file, for one on theirs.
func kindOfTarget(t report.Target) string {
	switch t.Kind {
	case bundled:
		return " (bundled server)"
	case transcript:
		return " (unsigned transcript)"
	}
	return ""
}

// overSome names the bindings of a run that did not speak every one of its protocol.
func overSome(t report.Target) string {
	d, err := schema.Outline(t.Dialect)
	if err != nil || len(t.Bindings) == 0 || len(t.Bindings) >= len(d.Bindings) {
		return ""
	}
	var names []string
	for _, b := range t.Bindings {
		names = append(names, line(b, maxName))
	}
	return " over " + strings.Join(names, ", ")
}

// overAll is the badge over the reports of several dialects.
func overAll(server string, parts []Part) badge {
	worst := Worst(parts)
	b := badge{Label: titles(parts), Message: string(worst), Title: line(server, maxName) + ": the worst of several verdicts", Color: colorOf(worst)}
	for _, p := range parts {
		if p.Report != nil && kindOfTarget(p.Report.Target) != "" {
			b.Message += kindOfTarget(p.Report.Target)
			break
		}
	}
	return b
}

// Badge writes the verdict as a small picture (SVG), to be shown in a README or on a dashboard.
func Badge(w io.Writer, r *report.Report) error { return newBadge(canonical(r)).svg(w) }

// BadgeEndpoint writes the same as JSON, from which shields.io makes a picture in the style of
// the others on a page.
func BadgeEndpoint(w io.Writer, r *report.Report) error { return newBadge(canonical(r)).endpoint(w) }

func (b badge) endpoint(w io.Writer) error {
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

// svg draws the badge. The texts are stretched to the widths that are reckoned here, so that
// they fit whatever fonts there are.
func (b badge) svg(w io.Writer) error {
	const pad, perRune, most = 6, 7, 60
	label, message := short(b.Label, most), short(b.Message, most)
	lw, mw := perRune*utf8.RuneCountInString(label), perRune*utf8.RuneCountInString(message)
	return badgeTemplate().Execute(w, map[string]any{
		"Label": label, "Message": message, "Title": b.Title, "Color": b.Color.SVG,
		"LabelText": lw, "MessageText": mw, "LabelBox": lw + 2*pad, "MessageBox": mw + 2*pad, "Width": lw + mw + 4*pad,
		"LabelAt": pad, "MessageAt": lw + 3*pad,
	})
}

// short is a text of at most so many characters.
func short(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
