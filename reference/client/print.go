package client

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// A style is how much a variant prints.
type style int

const (
	plainStyle  style = iota // states and texts
	terseStyle               // the result alone
	chattyStyle              // everything, with decoration
	reportStyle              // lines of JSON
)

// A printer writes what the agent answered.
type printer struct {
	out   io.Writer
	style style
	state state
	text  string   // of the status that was printed last
	late  []update // those that a mutant reports after the next one
	swaps bool

	questionIsEnd bool // a task that asks back is reported as ended
}

// printLine prints one thing that the client knows. What it is decorates it in the
// chatty style.
func (p *printer) printLine(what, text string) {
	if p.style == chattyStyle {
		text = fmt.Sprintf("*** %s | %s", what, text)
	}
	fmt.Fprintln(p.out, cleanText(text))
}

// printUpdate prints an update as it comes.
func (p *printer) printUpdate(u update) {
	switch p.style {
	case terseStyle:
		return
	case reportStyle:
		if p.swaps && u.kind == artifactUpdate && len(p.late) == 0 {
			p.late = []update{u}
			return
		}
		for _, now := range append([]update{u}, p.late...) {
			p.reportUpdate(now)
		}
		p.late = nil
		return
	}
	switch u.kind {
	case messageUpdate:
		p.printLine("message", u.text)
	case taskUpdate, statusUpdate:
		if u.state != p.state && u.state != "" {
			p.printLine("state", "state: "+string(u.state))
		}
		if u.text != "" && (u.text != p.text || u.state != p.state) {
			p.printLine("status", u.text)
		}
		p.state, p.text = u.state, u.text
	case artifactUpdate:
		if p.style == chattyStyle {
			p.printLine("piece of "+u.artifacts[0].id, u.artifacts[0].text)
		}
	}
}

// printResult prints what a turn came to: the artifacts. In the terse style it is also
// the last text, if there are none.
func (p *printer) printResult(t *taskView) {
	for _, a := range t.artifacts {
		if p.style == reportStyle {
			p.printReport(reportLine{Saw: "artifact", ID: a.id, Task: t.id, Text: a.text, Assembled: true})
			continue
		}
		p.printLine("result "+a.id, a.text)
	}
	if p.style == terseStyle && len(t.artifacts) == 0 {
		switch {
		case len(t.messages) > 0:
			p.printLine("", t.messages[len(t.messages)-1])
		case t.status != "":
			p.printLine("", t.status)
		}
	}
	t.artifacts = nil
}

// cleanText replaces the characters by which a text could control a terminal.
func cleanText(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
}
