package reports

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// CardSchema is the JSON Schema of what CardJSON writes.
//
//go:embed card.schema.json
var CardSchema []byte

// CardJSON writes what judging cards came to, for programs.
func CardJSON(w io.Writer, r *report.CardReport) error { return WriteDocument(w, r) }

// cardWords are what the kinds of problems are called on a terminal, each with its colour.
var cardWords = map[string][2]string{report.CardFailure: {"FAIL", red}, report.CardWarning: {"WARN", yellow}, report.CardNote: {"NOTE", cyan}, report.CardFinding: {"FINDING", cyan}}

// CardText prints what judging cards came to: each problem with its place in the file, and a line for each card.
func CardText(w io.Writer, r *report.CardReport, color bool) error {
	p := &printer{Writer: bufio.NewWriter(w), color: color}
	for i := range r.Cards {
		c := &r.Cards[i]
		for j := range c.Problems {
			p.printCardProblem(c, &c.Problems[j])
		}
		if c.More > 0 {
			fmt.Fprintf(p, "and %s\n\n", safetext.CountWithNoun(c.More, "more place"))
		}
		for _, n := range c.Notices {
			fmt.Fprintf(p, "%s %s: %s\n", p.colorize(yellow, "NOTICE"), cardName(c), safetext.Line(n, safetext.MaxReason))
		}
		word, tint := "OK", green
		if c.Verdict != report.Conformant {
			word, tint = "FAIL", red
		}
		fmt.Fprintf(p, "%s %s: %s\n", p.colorize(tint, word), cardName(c), summarizeCard(c))
	}
	return p.Flush()
}

func (p *printer) printCardProblem(c *report.JudgedCard, q *report.CardProblem) {
	word := cardWords[q.Kind]
	rule := safetext.Line(q.Rule, safetext.MaxName)
	if q.Level != "" && q.Kind != report.CardFinding {
		rule += " " + string(q.Level)
	}
	if q.Section != "" {
		rule += " " + view.CiteSection(safetext.Line(q.Section, safetext.MaxName))
	}
	fmt.Fprintf(p, "%s:%d:%d: %s %s\n", cardName(c), q.Line, q.Column, p.colorize(word[1], word[0]), rule)
	about := "about"
	if q.Level != "" {
		about = "required"
	}
	for _, part := range [][2]string{{about, q.Statement}, {"member", q.Pointer}, {"got", q.Got}, {"want", q.Want}, {"fix", q.Fix}} {
		if strings.TrimSpace(part[1]) != "" {
			p.printLabeledLine(part[0], safetext.Line(part[1], safetext.MaxExcerpt))
		}
	}
	fmt.Fprintln(p)
}

// cardName is the file or URL of a card, as it was given.
func cardName(c *report.JudgedCard) string {
	name := c.Source
	if isAddress(name) {
		name = redact.StripSecrets(name)
	}
	return safetext.Line(name, safetext.MaxName)
}

func isAddress(source string) bool {
	return strings.HasPrefix(source, "http://") || strings.HasPrefix(source, "https://")
}

// summarizeCard describes in a line what came of a card.
func summarizeCard(c *report.JudgedCard) string {
	count := map[string]int{}
	for i := range c.Problems {
		count[c.Problems[i].Kind]++
	}
	if c.Dialect == "" {
		return "it is no JSON object, so that nothing else was judged"
	}
	must, all := c.Summary["MUST"], 0
	for _, of := range c.Summary {
		all += of.Pass
	}
	out := fmt.Sprintf("judged alone as %s: %s broken, %s kept", cmp.Or(safetext.Line(c.Title, safetext.MaxName), safetext.Line(c.Dialect, safetext.MaxName)), safetext.CountWithNoun(must.Fail, "MUST requirement"), safetext.Thousands(all))
	for _, kind := range []string{report.CardWarning, report.CardNote, report.CardFinding} {
		if n := count[kind]; n > 0 {
			out += ", " + safetext.CountWithNoun(n, kind)
		}
	}
	if n := len(c.Undecided); n > 0 {
		out += fmt.Sprintf("; %s on these and could not be judged", map[bool]string{true: "1 more depends", false: safetext.Thousands(n) + " more depend"}[n == 1])
	}
	if len(c.Offers) > 0 {
		out += "; it declares " + safetext.Line(c.Offers[0].Title, safetext.MaxName) + " too (--dialect " + safetext.Line(c.Offers[0].Dialect, safetext.MaxName) + ")"
	}
	return out
}

// describeCardProblem returns the lines of a message about a problem.
func describeCardProblem(q *report.CardProblem) (lines []string) {
	add := func(label, text string) {
		if strings.TrimSpace(text) != "" {
			lines = append(lines, label+safetext.Line(text, safetext.MaxExcerpt))
		}
	}
	add("", q.Statement)
	add("got: ", q.Got)
	add("want: ", q.Want)
	add("fix: ", q.Fix)
	add("member: ", q.Pointer)
	return lines
}

// CardGitHub writes workflow commands, of which GitHub makes annotations at the lines of the files: an error
// for each broken MUST, a warning for each broken SHOULD, and notices of all else.
func CardGitHub(w io.Writer, r *report.CardReport) error {
	b := bufio.NewWriter(w)
	commands := map[string]string{report.CardFailure: "error", report.CardWarning: "warning"}
	written, left := map[string]int{}, 0
	for i := range r.Cards {
		c := &r.Cards[i]
		for j := range c.Problems {
			q := &c.Problems[j]
			command := cmp.Or(commands[q.Kind], "notice")
			most := maxAnnotations
			if command == "notice" { // the last lines are notices too
				most -= 2
			}
			if written[command]++; written[command] > most {
				left++
				continue
			}
			a := annotation{title: q.Rule, lines: describeCardProblem(q)}
			if !isAddress(c.Source) {
				a.file, a.line, a.column = filepath.ToSlash(c.Source), q.Line, q.Column
			} else {
				a.addLine("%s:%d:%d", cardName(c), q.Line, q.Column)
			}
			a.writeCommand(b, command)
		}
	}
	if len(r.Cards) > 0 {
		a := annotation{title: "a2a-conform card"}
		for i := range r.Cards[:min(len(r.Cards), maxAnnotations)] {
			a.addLine("%s: %s", cardName(&r.Cards[i]), summarizeCard(&r.Cards[i]))
		}
		a.writeCommand(b, "notice")
	}
	if left > 0 {
		a := annotation{title: "a2a-conform card"}
		a.addLine("%s left out, since GitHub shows %d of a kind", safetext.CountWithNoun(left, "annotation"), maxAnnotations)
		a.writeCommand(b, "notice")
	}
	return b.Flush()
}

// CardSARIF writes one SARIF 2.1.0 log with a run for all cards. Each problem is a result at its line of its file.
func CardSARIF(w io.Writer, r *report.CardReport) error {
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "a2a-conform", Version: safetext.Line(r.Tool.Version, safetext.MaxName), Home: sarifHome, Rules: []sarifRule{}}},
		Automation: sarifAutomation{"a2a-conform/card/"}, ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
	}
	call := sarifInvocation{Successful: true, Code: r.ExitCode(), Description: "conformant", Told: []sarifNotification{}}
	if call.Code != 0 {
		call.Description = "nonconformant"
	}
	rules := map[string]int{}
	for i := range r.Cards {
		c := &r.Cards[i]
		level := map[bool]string{true: "note", false: "error"}[c.Verdict == report.Conformant]
		call.Told = append(call.Told, sarifNotification{level, messageWithoutLinks(cardName(c) + ": " + summarizeCard(c))})
		for _, n := range c.Notices {
			call.Told = append(call.Told, sarifNotification{"note", messageWithoutLinks(cardName(c) + ": " + safetext.Line(n, safetext.MaxReason))})
		}
		for j := range c.Problems {
			q := &c.Problems[j]
			n, known := rules[q.Rule]
			if !known {
				n = len(run.Tool.Driver.Rules)
				rules[q.Rule] = n
				run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifCardRule(c, q))
			}
			run.Results = append(run.Results, sarifCardResult(c, q, n))
		}
	}
	run.Invocations = []sarifInvocation{call}
	return WriteDocument(w, sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

// sarifCardLevel is the level of a kind of problem. GitHub lists what has the level none nowhere.
func sarifCardLevel(kind string) string {
	return cmp.Or(map[string]string{report.CardFailure: "error", report.CardWarning: "warning"}[kind], "note")
}

func sarifCardRule(c *report.JudgedCard, q *report.CardProblem) sarifRule {
	about := messageWithoutLinks(safetext.Line(q.Statement, safetext.MaxReason))
	help := about.Text
	if q.Level != "" {
		help = fmt.Sprintf("%s %s, %s: %s", safetext.Line(c.Title, safetext.MaxName), view.CiteSection(safetext.Line(q.Section, safetext.MaxName)), q.Level, about.Text)
	}
	if q.Fix != "" {
		help += "\nFix: " + safetext.Line(q.Fix, safetext.MaxExcerpt)
	}
	tags := []string{"area:card"}
	if q.Level != "" {
		tags = append(tags, "level:"+string(q.Level))
	}
	return sarifRule{ID: safetext.Line(q.Rule, safetext.MaxName), Short: about, Full: about, Help: messageWithoutLinks(help), HelpURI: findPublishedURL(c.Dialect, q.Section),
		Configuration: sarifLevel{sarifCardLevel(q.Kind)}, Properties: map[string]any{"tags": tags}}
}

func sarifCardResult(c *report.JudgedCard, q *report.CardProblem, rule int) sarifResult {
	place := sarifLocation{Physical: sarifPhysical{sarifArtifact{cardURI(c)}, sarifRegion{Line: max(1, q.Line), Column: max(1, q.Column)}}}
	if q.Pointer != "" {
		pointer := safetext.Line(q.Pointer, safetext.MaxName)
		place.Logical = []sarifLogical{{Name: pointer[strings.LastIndexByte(pointer, '/')+1:], Full: pointer, Kind: "value"}}
	}
	text := safetext.Line(q.Got, safetext.MaxExcerpt)
	if q.Want != "" {
		text += "; want " + safetext.Line(q.Want, safetext.MaxExcerpt)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(q.Rule+"\n"+c.Source+"\n"+q.Pointer)))
	out := sarifResult{Rule: safetext.Line(q.Rule, safetext.MaxName), Index: rule, Kind: "fail", Level: sarifCardLevel(q.Kind), Message: messageWithoutLinks(text),
		Locations: []sarifLocation{place}, Fingerprints: map[string]string{"ruleAndMember/v1": sum, "primaryLocationLineHash": sum[:16] + ":1"}, Suppressions: []sarifSuppression{}, Properties: map[string]any{"kind": q.Kind}}
	if q.Because != "" {
		out.Properties["because"] = safetext.Line(q.Because, safetext.MaxName)
	}
	if q.Fix != "" {
		out.Properties["fix"] = safetext.Line(q.Fix, safetext.MaxExcerpt)
	}
	return out
}

// escapeURI escapes what no URI may have (RFC 3986, section 2), such as the ellipsis in the place of a secret.
func escapeURI(address string) string {
	var b strings.Builder
	for i, c := range []byte(address) {
		escape := c == '%' && i+2 < len(address) && isHexDigit(address[i+1]) && isHexDigit(address[i+2])
		if escape || c > ' ' && c < 0x7f && !strings.ContainsRune(`"<>\^%`+"`{|}", rune(c)) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func isHexDigit(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }

// cardURI is the place of a card as SARIF writes it: relative to the folder of the command, if the file is given so.
func cardURI(c *report.JudgedCard) string {
	if isAddress(c.Source) {
		return escapeURI(cardName(c))
	}
	return fileURI(c.Source)
}

// fileURI returns the path of a file as a URI, relative if the path is.
func fileURI(file string) string {
	u := url.URL{Path: filepath.ToSlash(safetext.Line(file, safetext.MaxName))}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
	}
	return u.String()
}
