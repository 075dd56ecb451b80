package certificate

import (
	"bytes"
	"fmt"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"io"
	"strings"
	"text/tabwriter"
)

// Text prints what came of checking a certificate: a line with the outcome, and a table of
// what was checked, what that proves and what it does not.
func (v *Verification) Text(w io.Writer) error {
	if v.Refused != nil {
		_, err := fmt.Fprintf(w, "refused: %s\n", safetext.Visible(v.Refused.Error()))
		return err
	}
	fmt.Fprintf(w, "%s\n\n", safetext.Visible(v.formatHeadline()))
	var table bytes.Buffer
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "checked\tproves\tdoes not prove\n")
	for _, row := range v.Checks {
		cells := [][]string{wrapLines(row.Checked), wrapLines(row.Proves), wrapLines(row.Not)}
		for i := range max(len(cells[0]), len(cells[1]), len(cells[2])) {
			for n, cell := range cells {
				text := ""
				if i < len(cell) {
					text = safetext.Visible(cell[i])
				}
				fmt.Fprint(t, text, []string{"\t", "\t", "\n"}[n])
			}
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(table.String()) {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
	for _, n := range v.Notes {
		fmt.Fprintf(w, "\nnote: %s\n", safetext.Visible(n))
	}
	return nil
}

// formatHeadline is the first line: the verdict that counts, that the signature is valid, and what the certificate is about.
func (v *Verification) formatHeadline() string {
	r := v.Report
	name := ""
	if r.Target.Agent != "" {
		name = fmt.Sprintf(" %q", r.Target.Agent)
	}
	selection := r.Run.Selection
	if selection == "full" {
		selection = "full selection"
	}
	what := fmt.Sprintf("%s%s, %s, %s by %s", r.Target.URL, name, selection, r.Target.Title, describeBindings(r))
	by := fmt.Sprintf("by %s on %s", v.Signer, v.SignedAt.Format("2006-01-02"))
	if o := v.Otherwise; o != nil {
		return fmt.Sprintf("%s as judged otherwise by version %s, signature valid: %s; signed as %s, as judged by version %s, %s", describeVerdict(r.Verdict), o.By, what, describeVerdict(o.Signed), o.Maker, by)
	}
	return fmt.Sprintf("%s, signature valid: %s, signed %s", describeVerdict(r.Verdict), what, by)
}

// describeBindings names the bindings by which a server was judged, and how much was tried in each if there
// are several.
func describeBindings(r *report.Report) string {
	if len(r.Target.Bindings) == 1 {
		return r.Target.Bindings[0]
	}
	var out []string
	for _, b := range r.Target.Bindings {
		out = append(out, fmt.Sprintf("%s (%d requirements tried)", b, countDecided(r, b)))
	}
	return strings.Join(out, " and ")
}

// column is how wide a column of the table is, in characters; a longer word makes it wider.
const column = 44

// wrapLines breaks a text into lines.
func wrapLines(text string) (lines []string) {
	for word := range strings.FieldsSeq(text) {
		if n := len(lines) - 1; n >= 0 && len([]rune(lines[n]))+1+len([]rune(word)) <= column {
			lines[n] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
