package reports

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/report"
)

// maxListed bounds each list of the summary: GitHub drops a job summary beyond
// 1 MiB as a whole, and nobody reads that far.
const maxListed = 50

// Markdown writes a summary for people in a hurry, such as a GitHub job
// summary. Text of the server stands in code spans, where nothing is markup,
// no name is a mention and no number a reference.
func Markdown(w io.Writer, r *report.Report) error {
	r = canonical(r)
	b := bufio.NewWriter(w)
	for _, n := range noted(r) {
		fmt.Fprintf(b, "- notice: %s\n", code(n, maxReason))
	}
	if len(noted(r)) > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "## %s a2a-conform: %s, %s\n\n", sign(r.Verdict), verdictHeadline(r.Verdict), code(Named(r.Target), maxName))
	fmt.Fprintf(b, "**%s**\n\n", escape(meaning(r)))
	if r.Reason != "" {
		fmt.Fprintf(b, "%s\n\n", code(r.Reason, maxReason))
	}
	server := code(r.Target.URL, maxName)
	switch r.Target.Kind {
	case bundled:
		server = "the **" + escape(Named(r.Target)) + "**, " + server
	case transcript:
		server = "an **unsigned transcript** that names " + server
	}
	if r.Target.Agent != "" {
		server += ", agent " + code(r.Target.Agent, maxName)
	}
	fmt.Fprintf(b, "Judged %s as %s: %s. Gate: %s.", server, escape(dialect(r.Target)), effort(r.Run), code(r.Run.Gate, maxName))
	if r.Run.Selection != fullSelection {
		fmt.Fprintf(b, " Selection: %s.", code(r.Run.Selection, maxName))
	}
	b.WriteString("\n\n")
	for _, o := range offered(r.Target) {
		fmt.Fprintf(b, "- %s: %s\n", escape(o[0]), code(o[1], maxName))
	}
	if len(r.Target.Offers) > 0 {
		b.WriteString("\n")
	}
	for _, d := range declared(r) {
		fmt.Fprintf(b, "- %s\n", code(d, maxReason))
	}
	if len(declared(r)) > 0 {
		b.WriteString("\n")
	}
	for _, g := range Gate(r) {
		fmt.Fprintf(b, "- %s\n", code(g, maxReason))
	}
	if len(Gate(r)) > 0 {
		b.WriteString("\n")
	}
	for _, t := range tried(r) {
		fmt.Fprintf(b, "- tried %s\n", code(t, maxReason))
	}
	if len(r.Tried) > 0 {
		b.WriteString("\n")
	}
	mdCounts(b, r)
	mdBindings(b, r)
	mdList(b, "Suite errors", pick(r, suiteError), nil)
	follow := following(r)
	mdList(b, "Failures", roots(r, fail), follow)
	mdUndecided(b, r)
	mdList(b, "Warnings", roots(r, warning), follow)
	mdList(b, "Notes", roots(r, note), follow)
	mdList(b, "Waived", pick(r, waived), nil)
	mdWaivers(b, r)
	mdFindings(b, r)
	fmt.Fprintf(b, "<sub>%s %s, catalogue %s, %s. The bytes that prove each line are in report.html and transcript.har.</sub>\n",
		escape(line(r.Tool.Name, maxName)), escape(line(r.Tool.Version, maxName)), escape(catalogueVersion(r)), code(r.Tool.Catalogue, maxName))
	return b.Flush()
}

// sign is a picture for the verdict; the word stands beside it.
func sign(v report.RunVerdict) string {
	switch v {
	case report.Conformant:
		return "✅"
	case report.Partial:
		return "🟡"
	case report.Nonconformant:
		return "❌"
	}
	return "⛔"
}

func mdCounts(b *bufio.Writer, r *report.Report) {
	b.WriteString("| |")
	for _, c := range columns {
		fmt.Fprintf(b, " %s |", c.kind.Word())
	}
	b.WriteString("\n|:--|" + strings.Repeat("--:|", len(columns)) + "\n")
	for _, l := range levels {
		fmt.Fprintf(b, "| %s |", l)
		for _, c := range columns {
			fmt.Fprintf(b, " %d |", c.of(r.Summary[string(l)]))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

// mdBindings writes what the requirements came to in each of several bindings.
func mdBindings(b *bufio.Writer, r *report.Report) {
	rows := byBinding(r)
	if len(rows) == 0 {
		return
	}
	b.WriteString("| binding |")
	for _, k := range kindsIn(rows) {
		fmt.Fprintf(b, " %s |", k.Word())
	}
	b.WriteString("\n|:--|" + strings.Repeat("--:|", len(kindsIn(rows))) + "\n")
	for _, row := range rows {
		fmt.Fprintf(b, "| %s |", escape(row.Who))
		for _, k := range kindsIn(rows) {
			fmt.Fprintf(b, " %d |", row.Count[k])
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	says := untried(r, rows)
	for _, s := range says {
		fmt.Fprintf(b, "- %s\n", code(s, maxReason))
	}
	if len(says) > 0 {
		b.WriteString("\n")
	}
}

func mdList(b *bufio.Writer, title string, results []*report.Result, follow map[string][]*report.Result) {
	if len(results) == 0 {
		return
	}
	n := len(results)
	for _, r := range results {
		n += len(follow[r.ID])
	}
	heading := fmt.Sprint(n)
	if n > len(results) {
		heading = fmt.Sprintf("%s of %d", plural(len(results), "cause"), n)
	}
	fmt.Fprintf(b, "### %s (%s)\n\n", title, heading)
	for i, r := range results {
		if i == maxListed {
			fmt.Fprintf(b, "- and %d more, in report.html\n", len(results)-i)
			break
		}
		fmt.Fprintf(b, "- **%s** %s %s: %s\n", escape(line(r.ID, maxName)), r.Level, escape(cite(r.Section)), escape(line(r.Statement, maxExcerpt)))
		for _, remark := range remarks(r) {
			fmt.Fprintf(b, "  - %s\n", escape(line(remark, maxExcerpt)))
		}
		if r.Cause != "" {
			fmt.Fprintf(b, "  - in general: %s\n", escape(line(r.Cause, maxExcerpt)))
		}
		fmt.Fprintf(b, "  - %s\n", code(r.Reason, maxReason))
		if each := cells(r); each != "" {
			fmt.Fprintf(b, "  - %s\n", escape(each))
		}
		const most = 3
		for j, e := range r.Evidence {
			if j == most {
				fmt.Fprintf(b, "  - and %s more\n", plural(len(r.Evidence)-j+r.More, "place"))
				break
			}
			fmt.Fprintf(b, "  - %s", code(place(e), maxExcerpt))
			if e.Excerpt != "" {
				fmt.Fprintf(b, " is %s", code(e.Excerpt, maxExcerpt))
			}
			b.WriteString("\n")
		}
		if r.Reproduce != "" {
			fmt.Fprintf(b, "  - reproduce: %s\n", code("sh "+r.Reproduce, maxName))
		}
		if of := follow[r.ID]; len(of) > 0 {
			fmt.Fprintf(b, "  - %s the same cause: %s\n", moreFailures(len(of)), escape(ids(of, 40)))
		}
	}
	b.WriteString("\n")
}

func mdWaivers(b *bufio.Writer, r *report.Report) {
	if len(r.Waivers) == 0 {
		return
	}
	fmt.Fprintf(b, "### Waivers (%d)\n\n", len(r.Waivers))
	for i := range r.Waivers {
		if i == maxListed {
			fmt.Fprintf(b, "- and %d more, in report.html\n", len(r.Waivers)-i)
			break
		}
		fmt.Fprintf(b, "- %s\n", code(waivedLine(&r.Waivers[i]), maxReason))
	}
	b.WriteString("\n")
}

func mdUndecided(b *bufio.Writer, r *report.Report) {
	groups := undecided(r)
	more := advice(r)
	if len(groups)+len(more) == 0 {
		return
	}
	fmt.Fprintf(b, "### Undecided (%d)\n\n", len(pick(r, inconclusive)))
	for i, o := range groups {
		if i == maxListed {
			fmt.Fprintf(b, "- and %s more, in report.html\n", plural(len(groups)-i, "group"))
			break
		}
		n := len(o.Results)
		switch {
		case o.Remedy != "":
			fmt.Fprintf(b, "- add %s to decide %d: ", code(o.Remedy, maxExcerpt), n)
		case o.Because != "":
			fmt.Fprintf(b, "- blocked by %s, %d: ", code(o.Because, maxName), n)
		default:
			fmt.Fprintf(b, "- %s, %d: ", code(o.Reason, maxReason), n)
		}
		b.WriteString(escape(o.ids(12)) + "\n")
	}
	for i, a := range more {
		if i == maxListed {
			break
		}
		fmt.Fprintf(b, "- %s\n", code(a, maxExcerpt))
	}
	b.WriteString("\n")
}

func mdFindings(b *bufio.Writer, r *report.Report) {
	n := 0
	for i := range r.Results {
		n += len(r.Results[i].Findings)
	}
	if n == 0 {
		return
	}
	fmt.Fprintf(b, "### Findings (%d)\n\nTolerated, but worth knowing.\n\n", n)
	listed := 0
	for i := range r.Results {
		for _, f := range r.Results[i].Findings {
			if listed++; listed > maxListed {
				continue
			}
			fmt.Fprintf(b, "- **%s**: %s", escape(line(r.Results[i].ID, maxName)), code(f.Text, maxReason))
			if f.Evidence != nil {
				fmt.Fprintf(b, " (%s)", code(place(*f.Evidence), maxExcerpt))
			}
			b.WriteString("\n")
		}
	}
	if n > maxListed {
		fmt.Fprintf(b, "- and %d more, in report.html\n", n-maxListed)
	}
	b.WriteString("\n")
}

// code is a code span, fenced by more backticks than the text has in a row.
func code(s string, limit int) string {
	s = line(s, limit)
	if s == "" {
		return "``` ```"
	}
	longest, run := 0, 0
	for _, r := range s {
		if r == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence := strings.Repeat("`", longest+1)
	// CommonMark takes one space off either end if both are there.
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || s[0] == ' ' && s[len(s)-1] == ' ' {
		s = " " + s + " "
	}
	return fence + s + fence
}

// escape makes a text of ours, such as a sentence of the catalogue, safe as
// Markdown: any ASCII punctuation may be escaped. Dots and colons are only where
// they could make a link of the words around them.
func escape(s string) string {
	var b strings.Builder
	for i, r := range s {
		links := (r == '.' || r == ':') && i+1 < len(s) && s[i+1] != ' '
		number := i > 0 && i+1 < len(s) && digit(s[i-1]) && digit(s[i+1])
		if links && !number || strings.ContainsRune("\\`*_{}[]<>()#+!|~&@$^=\"", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func digit(c byte) bool { return '0' <= c && c <= '9' }
