package html

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/excerpt"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/script"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// callView is what shows a violation: the first of the calls that show the same.
type callView struct {
	Text    string // beyond the first, which is the reason
	Due     string
	Against *proofView // the other of two places that contradict each other
	Same    string
	Others  []proofView // the calls that show the same
	Proof   *proofView
	Sent    *paneView
	Got     *paneView
	Curl    string
	Note    string // on the command
}

// Shows reports whether a reader sees what was sent, what came and what was expected.
func (v callView) Shows() bool { return v.Due != "" && v.Got != nil && v.Got.Says != "" }

// paneView is one half of an exchange: what was sent, or what came.
type paneView struct {
	Title string
	Says  string // in words
	Label string // for who does not see the layout
	Line  string // the first line of the head
	Head  []excerpt.Piece
	Open  bool // the marked part is in the head
	Body  []excerpt.Piece
	Note  string
}

// How much of an exchange a card shows. A marked place must be visible without scrolling.
var (
	cardBody   = excerpt.Window{Head: 1400, Tail: 400}
	cardMarked = excerpt.Window{Head: 240, Tail: 120, Around: 440}
	cardHead   = excerpt.Window{Head: 2400, Tail: 200, Around: 300}
)

// fillPanes fills in what was sent and what came, while there is room on the page.
func (b *builder) fillPanes(v *callView, of view.Violation) {
	if of.Evidence == nil || b.panesMade >= b.most.panes || b.paneBytes >= b.most.paneBytes {
		return
	}
	x := b.exchanges[of.Evidence.Exchange]
	if x == nil {
		return
	}
	b.panesMade++
	w := of.Why
	if w == nil {
		w = &report.Why{}
	}
	where := report.At{Exchange: x.ID, Event: of.Evidence.Event, Pointer: of.Evidence.Pointer, Header: w.At.Header}
	if of.Evidence.Said > 0 { // which is no place in the exchange
		where = report.At{}
	}
	switch x.Dir {
	case record.Given:
		v.Got = b.buildPane(x, true, where)
		v.Got.Title = "the document"
	case record.In:
		v.Sent, v.Got = b.buildPane(x, false, where), b.buildPane(x, true, report.At{})
		v.Sent.Title, v.Got.Title = "the "+b.report.Target.Subject()+" sent", "we answered"
	default:
		changed := report.At{}
		if pointer := b.changedPointer(x); pointer != "" {
			changed = report.At{Exchange: x.ID, Pointer: pointer}
		}
		v.Sent, v.Got = b.buildPane(x, false, changed), b.buildPane(x, true, where)
		v.Sent.Title, v.Got.Title = "sent", "got"
		v.Sent.Says = safetext.Line(w.Sent, safetext.MaxExcerpt)
		if w.Did != "" {
			v.Got.Says = safetext.Line(w.Came(), safetext.MaxExcerpt)
		}
		if b.report.Target.IsClient() { // its webhook was open for that start alone
			break
		}
		if x.GRPC() == nil {
			v.Curl, v.Note = script.Curl(x, b.report.Target.Insecure)
		}
		if !b.most.brief && (x.GRPC() != nil || v.Curl == "") { // whose folder has the transcript
			v.Curl, v.Note = a2aConformCallCommand(x), strings.TrimSpace(v.Note+" In the folder of this report:")
		}
	}
	for _, p := range []*paneView{v.Sent, v.Got} {
		if p != nil {
			for _, part := range append(p.Head, p.Body...) {
				b.paneBytes += estimateHTMLLength(part.Text)
			}
		}
	}
	b.paneBytes += estimateHTMLLength(v.Curl)
}

// buildPane is the request or the response of an exchange, with the place marked that evidence
// is about.
func (b *builder) buildPane(x *record.Exchange, response bool, at report.At) *paneView {
	m, label := &x.Request, "what was sent in exchange"
	if response {
		m, label = &x.Response, "what came in exchange"
	}
	p := &paneView{Label: fmt.Sprintf("%s %d", label, x.ID), Line: safetext.Line(view.FirstLine(m.Head), safetext.MaxName)}
	head := strings.TrimRight(strings.ReplaceAll(string(m.Head), "\r\n", "\n"), "\n")
	if len(m.Trailer) > 0 {
		head += "\n\nafter the body\n" + strings.TrimRight(strings.ReplaceAll(string(m.Trailer), "\r\n", "\n"), "\n")
	}
	mark := excerpt.Extent{}
	if at.Header != "" {
		mark = excerpt.LocateHeader(head, at.Header)
		p.Open = mark.To > 0
	}
	if head != "" {
		p.Head = excerpt.Cut(head, mark, cardHead, excerpt.DescribeGap)
	}
	text, _, note := excerpt.ReadMessage(x, response, at.Event)
	p.Note = note
	if p.Line == "" && text == "" && response {
		p.Line = "no answer: " + safetext.Line(cmp.Or(x.Trouble, excerpt.EndingWords[x.Ended]), safetext.MaxExcerpt)
	}
	mark = excerpt.Extent{}
	if at.Header == "" && at.Exchange != 0 {
		var lacks string
		if mark, lacks = excerpt.LocatePointer(text, cmp.Or(at.Pointer, b.errorPointerInWholeAnswer(x, at.Event))); lacks != "" {
			p.Note = strings.TrimSpace(p.Note + " There is no " + safetext.Line(lacks, safetext.MaxName) + " in the marked part.")
		}
	}
	w := cardBody
	if mark.To > 0 {
		w = cardMarked
	}
	p.Body = excerpt.Cut(text, mark, w, excerpt.DescribeGap)
	return p
}

// errorPointerInWholeAnswer returns the place in an answer that identifies the error. It is marked if evidence concerns an
// answer as a whole.
func (b *builder) errorPointerInWholeAnswer(x *record.Exchange, event int) string {
	if event > 0 || x.Dir != record.Out || x.IsStream() {
		return ""
	}
	a := b.summarizer.bindingOf(x).Decode(b.summarizer.operationOf(x), x)
	if a.Code.Exists() {
		return a.Code.At
	}
	if a.Failure.Exists() {
		return a.Failure.At
	}
	return ""
}
