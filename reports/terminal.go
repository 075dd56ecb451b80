package reports

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Terminal prints what someone wants to see at the end of a run: what has to be
// known before all else, what is broken and where, what could not be decided and what would decide it, the
// counts, and on the last line the verdict. Lines are not wrapped. What could
// not be written to w is lost, as with any print to a terminal.
func Terminal(w io.Writer, r *report.Report, color bool) {
	r = canonical(r)
	p := &printer{Writer: bufio.NewWriter(w), color: color}
	defer p.Flush()
	for _, n := range noted(r) {
		fmt.Fprintf(p, "%s %s\n\n", p.paint(yellow, "NOTICE"), n)
	}
	p.results(pick(r, suiteError), "ERROR", magenta, nil)
	follow := following(r)
	p.results(roots(r, fail), "FAIL", red, follow)
	p.results(roots(r, warning), "WARN", yellow, follow)
	p.results(roots(r, note), "NOTE", cyan, follow)
	p.results(pick(r, waived), "WAIVED", yellow, nil)
	if !nothingJudged(r) { // the verdict says why
		p.undecided(r)
	}
	p.printFindings(r)
	if !nothingJudged(r) {
		p.counts(r)
	}
	p.bindings(r)
	for _, d := range declared(r) {
		fmt.Fprintln(p, d)
	}
	for _, w := range idle(r) {
		fmt.Fprintln(p, w)
	}
	p.verdict(r)
}

// nothingJudged reports whether nothing of a protocol was judged: what the server speaks is not
// known, or nobody answered. The reason of the verdict says all that there is to say.
func nothingJudged(r *report.Report) bool {
	return len(r.Results) == 1 && r.Results[0].Verdict == report.Inconclusive && (r.Verdict == report.Void || r.Verdict == report.Unreachable) && r.Target.Dialect == "auto"
}

// Quiet prints one line: the verdict, what was judged, and why. Above it stands
// only what a reader has to do something about.
func Quiet(w io.Writer, r *report.Report) {
	r = canonical(r)
	b := bufio.NewWriter(w)
	defer b.Flush()
	for _, n := range noted(r) {
		fmt.Fprintf(b, "notice: %s\n", n)
	}
	for _, g := range Gate(r) {
		fmt.Fprintln(b, g)
	}
	fmt.Fprintf(b, "%s: %s: %s\n", r.Verdict, Named(r.Target), because(r))
}

// because says why a run has its verdict.
func because(r *report.Report) string {
	if why := line(r.Reason, maxReason); why != "" {
		return why
	}
	return meaning(r)
}

type printer struct {
	*bufio.Writer
	color bool
}

// Colors of the sixteen that every terminal has and its user may have chosen.
const (
	red     = "31;1"
	green   = "32;1"
	yellow  = "33"
	magenta = "35;1"
	cyan    = "36"
	bold    = "1"
	faint   = "2"
)

func (p *printer) paint(code, s string) string {
	if !p.color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// maxPrinted bounds what is printed of each kind; beyond it the HTML report is
// the better place to read.
const maxPrinted = 40

func (p *printer) results(results []*report.Result, word, color string, follow map[string][]*report.Result) {
	for i, r := range results {
		if i == maxPrinted {
			fmt.Fprintf(p, "%s %d more: see %s\n\n", p.paint(color, word), len(results)-i, HTMLFile)
			break
		}
		fmt.Fprintf(p, "%s %s %s %s\n", p.paint(color, word), p.paint(bold, line(r.ID, maxName)), r.Level, p.paint(faint, line(r.Area, maxName)+" "+cite(r.Section)))
		if r.Cause != "" {
			p.indented("in general: " + line(r.Cause, maxExcerpt))
		}
		p.explained(r)
		if each := cells(r); each != "" {
			fmt.Fprintf(p, "    %s\n", each)
		}
		if r.Reproduce != "" {
			p.part("reproduce", p.paint(faint, "sh "+line(r.Reproduce, maxName)))
		}
		p.followers(follow[r.ID])
		p.WriteString("\n")
	}
}

// explained prints what is required, and what was sent, what came back and what was
// expected in its place, each on a line.
func (p *printer) explained(r *report.Result) {
	if r.Statement != "" {
		p.part("required", line(r.Statement, maxExcerpt))
		for _, remark := range remarks(r) {
			fmt.Fprintf(p, "    %s\n", p.paint(faint, line(remark, maxExcerpt)))
		}
	}
	const most = 3
	all, more := violations(r)
	if r.Verdict != report.Fail || all[0].Why == nil {
		p.indented(r.Reason)
	}
	for j, v := range all {
		if j == most {
			fmt.Fprintf(p, "    %s\n", p.paint(faint, "and "+plural(len(all)-j+more, "more place")))
			break
		}
		switch {
		case r.Verdict == report.Fail && v.Why != nil:
			p.parts(v.Why)
		case j > 0 && v.Text != "":
			p.indented("also: " + v.Text)
		}
		if v.Evidence != nil {
			p.proof(v)
		}
	}
}

// part prints one line of an explanation with its name.
func (p *printer) part(name, text string) {
	fmt.Fprintf(p, "    %-9s %s\n", name, text)
}

// followers prints the failures that follow from the one above.
func (p *printer) followers(of []*report.Result) {
	const most = 8
	if len(of) == 0 {
		return
	}
	fmt.Fprintf(p, "    %s the same cause:\n", moreFailures(len(of)))
	for i, r := range of {
		if i == most && len(of) > most+1 {
			fmt.Fprintf(p, "        %s\n", p.paint(faint, "and "+ids(of[i:], 12)))
			break
		}
		fmt.Fprintf(p, "        %s %s %s\n", p.paint(bold, line(r.ID, maxName)), r.Level, p.paint(faint, line(r.Statement, maxExcerpt)))
	}
}

// proof prints what the text of a violation does not say already: mostly it
// names the place, and often the value.
func (p *printer) proof(v violation) {
	where, what := place(*v.Evidence), line(v.Evidence.Excerpt, maxExcerpt)
	text := line(v.Text, maxReason)
	named := v.Why != nil || strings.Contains(text, "["+where)
	switch {
	case named && (what == "" || strings.Contains(text, what)):
	case named:
		p.part("value", what)
	default:
		fmt.Fprintf(p, "    %s %s\n", p.paint(faint, "see"), proof(*v.Evidence))
	}
}

// indented prints a text below its heading, every line of it: no line that a
// server chose begins where a line of ours does.
func (p *printer) indented(s string) {
	for l := range strings.Lines(shown(s, maxReason)) {
		fmt.Fprintf(p, "    %s\n", strings.TrimRight(l, "\n"))
	}
}

func (p *printer) undecided(r *report.Report) {
	groups, more := undecided(r), advice(r)
	if len(groups) > 0 {
		fmt.Fprintf(p, "%s %s\n", p.paint(yellow, "UNDECIDED"), plural(len(pick(r, inconclusive)), "requirement"))
		for i, o := range groups {
			if i == maxPrinted {
				fmt.Fprintf(p, "    and %s more: see %s\n", plural(len(groups)-i, "group"), HTMLFile)
				break
			}
			switch {
			case o.Remedy != "":
				fmt.Fprintf(p, "    add %s\n        to decide %s\n", p.paint(bold, line(o.Remedy, maxExcerpt)), o.ids(8))
			case o.Because != "":
				fmt.Fprintf(p, "    blocked by %s\n        %s\n", p.paint(bold, line(o.Because, maxName)), o.ids(8))
			default:
				fmt.Fprintf(p, "    %s\n        %s\n", line(o.Reason, maxReason), o.ids(8))
			}
		}
		p.WriteString("\n")
	}
	if len(more) > 0 {
		p.WriteString("to settle the undecided ones:\n")
		for i, a := range more {
			if i == maxPrinted {
				break
			}
			fmt.Fprintf(p, "    %s\n", p.paint(bold, line(a, maxExcerpt)))
		}
		p.WriteString("\n")
	}
}

// printFindings prints one finding each of the first requirements that have some.
func (p *printer) printFindings(r *report.Report) {
	const most = 3
	all := countFindings(r)
	if all == 0 {
		return
	}
	fmt.Fprintf(p, "%s, tolerated but worth knowing:\n", plural(all, "finding"))
	count := 0
	for i := range r.Results {
		if res := &r.Results[i]; len(res.Findings) > 0 && count < most {
			fmt.Fprintf(p, "    %s %s\n", p.paint(bold, line(res.ID, maxName)), line(res.Findings[0].Text, maxExcerpt))
			count++
		}
	}
	if all > count {
		fmt.Fprintf(p, "    and %d more: see %s\n", all-count, HTMLFile)
	}
	p.WriteString("\n")
}

func countFindings(r *report.Report) int {
	n := 0
	for i := range r.Results {
		n += len(r.Results[i].Findings)
	}
	return n
}

// counts prints the table, leaving out the columns that hold only zeros.
func (p *printer) counts(r *report.Report) {
	head, rows := fmt.Sprintf("%-6s", ""), make([]string, len(levels))
	for i, l := range levels {
		rows[i] = fmt.Sprintf("%-6s", l)
	}
	for _, c := range columns {
		any := c.kind == pass || c.kind == fail
		for _, l := range levels {
			any = any || c.of(r.Summary[string(l)]) > 0
		}
		if !any {
			continue
		}
		width := max(len(c.kind.Word()), 4)
		head += fmt.Sprintf("  %*s", width, c.kind.Word())
		for i, l := range levels {
			cell := fmt.Sprintf("  %*d", width, c.of(r.Summary[string(l)]))
			if c.kind == fail && i == 0 && c.of(r.Summary[string(l)]) > 0 {
				cell = p.paint(red, cell)
			}
			rows[i] += cell
		}
	}
	fmt.Fprintf(p, "%s\n%s\n\n", p.paint(faint, head), strings.Join(rows, "\n"))
}

// bindings prints what the requirements came to in each of several. It stands apart from the
// margin, where no name that others chose begins a line.
func (p *printer) bindings(r *report.Report) {
	rows := byBinding(r)
	if len(rows) == 0 {
		return
	}
	const name = "binding"
	wide := len(name)
	for _, row := range rows {
		wide = max(wide, utf8.RuneCountInString(row.Who))
	}
	head := fmt.Sprintf("%-*s", wide, name)
	for _, k := range kindsIn(rows) {
		head += fmt.Sprintf("  %*s", max(len(k.Word()), 4), k.Word())
	}
	fmt.Fprintf(p, "    %s\n", p.paint(faint, head))
	for _, row := range rows {
		fmt.Fprintf(p, "    %-*s", wide, row.Who)
		for _, k := range kindsIn(rows) {
			cell := fmt.Sprintf("  %*d", max(len(k.Word()), 4), row.Count[k])
			if k == fail && row.Count[k] > 0 {
				cell = p.paint(red, cell)
			}
			p.WriteString(cell)
		}
		p.WriteString("\n")
	}
	for _, says := range untried(r, rows) {
		fmt.Fprintf(p, "    %s\n", p.paint(faint, says))
	}
	p.WriteString("\n")
}

func (p *printer) verdict(r *report.Report) {
	for _, t := range tried(r) {
		fmt.Fprintf(p, "tried %s\n", line(t, maxReason))
	}
	if w := waits(r.Run.Waited); len(w) > 0 {
		fmt.Fprintf(p, "%s\n", p.paint(faint, "spent waiting: "+strings.Join(w, ", ")))
	}
	if r.Target.Insecure {
		fmt.Fprintf(p, "%s\n", p.paint(yellow, "the server's certificate was not verified"))
	}
	if nothingJudged(r) {
		fmt.Fprintf(p, "judged nothing at %s: %s\n", subject(r.Target), effort(r.Run))
	} else {
		fmt.Fprintf(p, "judged %s as %s: %s\n", subject(r.Target), dialect(r.Target), effort(r.Run))
	}
	for _, o := range offered(r.Target) {
		fmt.Fprintf(p, "%s: %s\n", o[0], o[1])
	}
	for _, g := range Gate(r) {
		tint := red
		if report.ExitCode(r) == 0 {
			tint = green
		}
		fmt.Fprintf(p, "%s %s\n", p.paint(tint, "GATE"), g)
	}
	color := map[report.RunVerdict]string{report.Conformant: green, report.Partial: yellow}[r.Verdict]
	if color == "" {
		color = red
	}
	fmt.Fprintf(p, "%s %s\n", p.paint(color, strings.ToUpper(verdictHeadline(r.Verdict))), because(r))
}
