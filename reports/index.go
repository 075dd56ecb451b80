package reports

import (
	"bufio"
	"cmp"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/report"
)

// IndexFile is the page over the reports of several dialects. A summary like that of
// a single run lies beside it.
const IndexFile = "index.html"

// Part is the outcome of one dialect, of several that a server was judged as.
type Part struct {
	Folder string         // of its reports, below that of the page; it is named after the dialect
	Title  string         // of the dialect
	Report *report.Report // nil where nothing was written
	Slip   string         // why nothing could be judged
}

// Verdict is that of the part: void where nothing could be judged.
func (p Part) Verdict() report.RunVerdict {
	if p.Report == nil || p.Slip != "" {
		return report.Void
	}
	return p.Report.Verdict
}

// because says why the part has its verdict.
func (p Part) because() string {
	if p.Slip != "" || p.Report == nil {
		return line(cmp.Or(p.Slip, "nothing was judged"), maxReason)
	}
	return because(canonical(p.Report))
}

// gravest are the verdicts of a run, the worst first.
var gravest = []report.RunVerdict{report.Void, report.Unreachable, report.NeedsCredentials, report.Nonconformant, report.Partial, report.Conformant}

// Worst is the worst verdict among the parts.
func Worst(parts []Part) report.RunVerdict {
	return slices.MinFunc(parts, func(a, b Part) int {
		return slices.Index(gravest, a.Verdict()) - slices.Index(gravest, b.Verdict())
	}).Verdict()
}

// WriteIndex writes the page over several reports, and a summary over theirs, into
// the folder that holds their folders. There is at least one part. server is the name
// of what was judged.
func WriteIndex(dir, server string, parts []Part) error {
	if err := makeDir(dir); err != nil {
		return err
	}
	return writeFiles(dir,
		file{IndexFile, func(w io.Writer) error { return Index(w, server, parts) }},
		file{MarkdownFile, func(w io.Writer) error { return indexMarkdown(w, server, parts) }},
		file{BadgeFile, func(w io.Writer) error { return overAll(server, parts).svg(w) }},
		file{EndpointFile, func(w io.Writer) error { return overAll(server, parts).endpoint(w) }},
	)
}

// indexPage is what the template shows; every text in it is bounded and visible.
type indexPage struct {
	CSS              template.CSS
	Policy           string
	Verdict, Subject string
	Columns          []kind
	Parts            []partView
}

type partView struct {
	Title, Verdict, Reason string
	Class                  string // of the verdict's badge
	Folder                 string // as a link needs it
	Files                  []string
	Musts                  []cell
	Gate                   []string
}

// Index writes the page over the reports of several dialects: each one's verdict, its
// MUSTs in numbers, and links to its reports. Like a report it needs nothing else.
func Index(w io.Writer, server string, parts []Part) error {
	p := indexPage{CSS: template.CSS(css), Policy: policy(css), Verdict: string(Worst(parts)),
		Subject: line(server, maxName) + ", judged as " + titles(parts)}
	for _, c := range columns {
		p.Columns = append(p.Columns, c.kind)
	}
	for _, part := range parts {
		v := partView{Title: line(part.Title, maxName), Verdict: string(part.Verdict()), Reason: part.because(), Class: verdictKind(part.Verdict()).Class()}
		if r := part.Report; r != nil {
			r = canonical(r)
			v.Folder, v.Files = url.PathEscape(part.Folder), []string{HTMLFile, JSONFile, JUnitFile, MarkdownFile, TranscriptFile}
			v.Gate = Gate(r)
			for _, c := range columns {
				v.Musts = append(v.Musts, cell{c.kind, c.of(r.Summary["MUST"])})
			}
		}
		p.Parts = append(p.Parts, v)
	}
	return htmlTemplate().ExecuteTemplate(w, "index.html.tmpl", p)
}

// verdictKind is the kind of a result whose colour the verdict of a run has.
func verdictKind(v report.RunVerdict) kind {
	switch v {
	case report.Conformant:
		return pass
	case report.Partial, report.NeedsCredentials:
		return inconclusive
	case report.Void:
		return suiteError
	}
	return fail
}

// policy lets a browser use the one style sheet in a page, and nothing more.
func policy(style string) string {
	return "default-src 'none'; style-src '" + digest(style) + "'; base-uri 'none'; form-action 'none'"
}

func titles(parts []Part) string {
	var all []string
	for _, p := range parts {
		all = append(all, line(p.Title, maxName))
	}
	if n := len(all); n > 1 {
		return strings.Join(all[:n-1], ", ") + " and " + all[n-1]
	}
	return strings.Join(all, "")
}

// indexMarkdown writes the heading over the summaries of several dialects.
func indexMarkdown(w io.Writer, server string, parts []Part) error {
	b := bufio.NewWriter(w)
	worst := Worst(parts)
	fmt.Fprintf(b, "## %s a2a-conform: %s, %s\n\n", sign(worst), worst, code(server, maxName))
	for _, p := range parts {
		where := "no report"
		if p.Report != nil {
			where = "more in " + code(p.Folder+"/"+MarkdownFile, maxName)
		}
		fmt.Fprintf(b, "- %s **%s**: %s: %s (%s)\n", sign(p.Verdict()), escape(line(p.Title, maxName)), p.Verdict(), code(p.because(), maxReason), where)
	}
	b.WriteString("\n")
	return b.Flush()
}
