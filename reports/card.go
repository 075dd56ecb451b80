package reports

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// card is one requirement that is not kept, with what was sent, what came and what is due.
type card struct {
	ID, Level, Area, Statement string
	Sections                   []reference
	Remarks                    []string
	Cells                      []cellView
	Kind                       kind
	Cause                      string // what is wrong in general
	Told                       string // why it fails, unless the calls show all of it
	Calls                      []callView
	More                       int
	Reproduce                  string // the script that repeats it, beside the page
	Follow                     []card // the failures of the same cause
	Brief                      bool   // without what was sent and what came
}

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
	Head  []piece
	Open  bool // what is marked stands in the head
	Body  []piece
	Note  string
}

// How much of an exchange is in a card. Where a place is marked, it is to be seen at once.
var (
	cardBody   = window{head: 1400, tail: 400}
	cardMarked = window{head: 240, tail: 120, around: 440}
	cardHead   = window{head: 2400, tail: 200, around: 300}
)

const (
	maxCards  = 60     // on the page; the others have a line
	maxPanes  = 40     // calls with what was sent and what came
	maxGroups = 4      // different violations of a card that are shown with their bytes
	maxSame   = 12     // calls named that show the same
	paneBytes = 80_000 // of all cards, about
)

func (b *builder) section(title, id, intro string, k kind) section {
	s := section{Title: title, ID: id, Intro: intro}
	follow := following(b.report)
	for _, r := range roots(b.report, k) {
		s.Total += 1 + len(follow[r.ID])
		if len(b.carded) >= b.most.cards {
			for _, f := range append([]*report.Result{r}, follow[r.ID]...) {
				c := cause{ID: line(f.ID, maxName), Text: line(f.Statement, maxExcerpt)}
				if b.most.brief { // its row says it
					c.Text = ""
				}
				s.Rest = append(s.Rest, c)
			}
			continue
		}
		c := b.card(r, true)
		for _, f := range follow[r.ID] {
			c.Follow = append(c.Follow, b.card(f, false))
		}
		s.Items = append(s.Items, c)
	}
	return s
}

// card is the view of a result that is no pass. What follows from another is shown without
// bytes: they are those of the other.
func (b *builder) card(r *report.Result, bytes bool) card {
	c := card{
		ID: line(r.ID, maxName), Level: line(string(r.Level), maxName), Kind: kindOf(r), Area: line(r.Area, maxName),
		Sections: references(b.report.Target.Dialect, r.Section), Statement: line(r.Statement, maxReason), Remarks: lines(remarks(r)),
		Cause: line(r.Cause, maxExcerpt), Told: shown(r.Reason, b.most.reason), Reproduce: scriptLink(r.Reproduce), Cells: b.cells(r),
	}
	if b.most.brief { // it lies beside no script
		c.Reproduce = ""
	}
	b.carded[r.ID] = true
	all, more := violations(r)
	c.More = more
	for i, group := range alike(r, all) {
		v := callView{Proof: b.proof(group[0].Evidence)}
		if i > 0 {
			v.Text = line(group[0].Text, b.most.reason)
		}
		if group[0].Why != nil {
			v.Due = line(group[0].Why.Due, b.most.reason)
			if c := group[0].Why.Against; c != nil {
				if v.Against = b.proof(&report.Evidence{Exchange: c.At.Exchange, File: c.At.File, Event: c.At.Event, Pointer: c.At.Pointer, Excerpt: c.Got}); v.Against != nil && c.Words {
					v.Against.Says, v.Against.Excerpt = v.Against.Excerpt, ""
				} else if v.Against != nil && fragment(c.Got) {
					v.Against.Excerpt += " …"
				}
			}
		}
		if n := len(group); n > 1 {
			v.Same = plural(n-1, "more call") + " with the same answer"
			for _, o := range group[1:min(n, 1+maxSame)] {
				if p := b.proof(o.Evidence); p != nil {
					p.Excerpt = ""
					if o.Why != nil {
						p.Says = line(o.Why.Sent, maxName)
					}
					v.Others = append(v.Others, *p)
				}
			}
		}
		if bytes && i < maxGroups {
			b.panes(&v, group[0])
		}
		if v.Proof != nil || v.Text != "" || v.Due != "" {
			c.Calls = append(c.Calls, v)
		}
	}
	if len(c.Calls) > 0 && c.Calls[0].Shows() {
		c.Told = ""
	}
	c.Brief = !bytes
	return c
}

// numbered is the place in the text of a violation, by which equal ones differ.
var numbered = regexp.MustCompile(`exchange \d+(, event \d+)?`)

// alike puts the violations together that say the same of different calls.
func alike(r *report.Result, all []violation) [][]violation {
	var out [][]violation
	at := map[string]int{}
	for _, v := range all {
		key := numbered.ReplaceAllString(v.Text, "")
		if w := v.Why; w != nil {
			key = strings.Join([]string{w.By, w.Did, w.Due, w.At.Pointer, w.At.Header}, "\x00")
		}
		if v.Text == "" && v.Evidence != nil {
			key = v.Evidence.Pointer
		}
		i, known := at[key]
		if !known {
			i = len(out)
			at[key] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], v)
	}
	return out
}

// panes fills in what was sent and what came, while there is room on the page.
func (b *builder) panes(v *callView, of violation) {
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
	switch x.Dir {
	case record.Given:
		v.Got = b.half(x, true, where)
		v.Got.Title = "the document"
	case record.In:
		v.Sent, v.Got = b.half(x, false, where), b.half(x, true, report.At{})
		v.Sent.Title, v.Got.Title = "the server sent", "we answered"
	default:
		v.Sent, v.Got = b.half(x, false, report.At{}), b.half(x, true, where)
		v.Sent.Title, v.Got.Title = "sent", "got"
		v.Sent.Says = line(w.Sent, maxExcerpt)
		if w.Did != "" {
			v.Got.Says = line(w.Came(), maxExcerpt)
		}
		if x.GRPC() == nil {
			v.Curl, v.Note = curl(x, b.report.Target.Insecure)
		}
		if !b.most.brief && (x.GRPC() != nil || v.Curl == "") { // beside which the transcript lies
			v.Curl, v.Note = callAgain(x), strings.TrimSpace(v.Note+" In the folder of this report:")
		}
	}
	for _, p := range []*paneView{v.Sent, v.Got} {
		if p != nil {
			for _, part := range append(p.Head, p.Body...) {
				b.paneBytes += inPage(part.Text)
			}
		}
	}
	b.paneBytes += inPage(v.Curl)
}

// callAgain is the command that sends a recorded call again.
func callAgain(x *record.Exchange) string { return fmt.Sprintf("a2a-conform call . %d", x.ID) }

// half is the request or the response of an exchange, with the place marked that evidence
// is about.
func (b *builder) half(x *record.Exchange, response bool, at report.At) *paneView {
	m, label := &x.Request, "what was sent in exchange"
	if response {
		m, label = &x.Response, "what came in exchange"
	}
	p := &paneView{Label: fmt.Sprintf("%s %d", label, x.ID), Line: line(firstLine(m.Head), maxName)}
	head := strings.TrimRight(strings.ReplaceAll(string(m.Head), "\r\n", "\n"), "\n")
	if len(m.Trailer) > 0 {
		head += "\n\nafter the body\n" + strings.TrimRight(strings.ReplaceAll(string(m.Trailer), "\r\n", "\n"), "\n")
	}
	mark := extent{}
	if at.Header != "" {
		mark = field(head, at.Header)
		p.Open = mark.To > 0
	}
	if head != "" {
		p.Head = excerpts(head, mark, cardHead, leftOut)
	}
	text, _, note := readable(x, response, at.Event)
	p.Note = note
	if p.Line == "" && text == "" && response {
		p.Line = "no answer: " + line(cmp.Or(x.Trouble, endings[x.Ended]), maxExcerpt)
	}
	mark = extent{}
	if at.Header == "" && at.Exchange != 0 {
		var lacks string
		if mark, lacks = pointed(text, cmp.Or(at.Pointer, b.refusalAt(x, at.Event))); lacks != "" {
			p.Note = strings.TrimSpace(p.Note + " There is no " + line(lacks, maxName) + " in the marked part.")
		}
	}
	w := cardBody
	if mark.To > 0 {
		w = cardMarked
	}
	p.Body = excerpts(text, mark, w, leftOut)
	return p
}

// refusalAt is where an answer says which error it is: what is marked where evidence is about
// an answer as a whole.
func (b *builder) refusalAt(x *record.Exchange, event int) string {
	if event > 0 || x.Dir != record.Out || x.IsStream() {
		return ""
	}
	a := b.reader.by(x).Decode(b.reader.op(x), x)
	if a.Code.Exists() {
		return a.Code.At
	}
	if a.Failure.Exists() {
		return a.Failure.At
	}
	return ""
}

// readable is the text of one half of an exchange for people: of gRPC the message as JSON, of
// a stream the event that is meant, or all of it.
func readable(x *record.Exchange, response bool, event int) (text string, recorded []byte, note string) {
	if !response {
		if r := x.Request.Recipe; r != nil {
			return "", nil, fmt.Sprintf("%s made by %s, sha256 %s", plural(r.Size, "byte"), line(r.Generator, maxName), line(r.SHA256, maxName))
		}
		if all := x.Request.GRPCMessages(); x.GRPC() != nil && len(all) > 0 {
			t := x.CallText()
			return laidOut(t), t, "The message, read as JSON."
		}
		return laidOut(x.Request.Body), x.Request.Body, ""
	}
	if events := x.Events(); event > 0 && event <= len(events) {
		e := events[event-1]
		note = fmt.Sprintf("Event %d of %d, %s.", event, len(events), after(e.At-x.Start))
		if e.HasData {
			return laidOut([]byte(e.Data)), []byte(e.Data), note
		}
		raw := x.Response.Body[min(e.Start, len(x.Response.Body)):min(e.End, len(x.Response.Body))]
		return laidOut(raw), raw, note
	}
	if x.GRPC() != nil {
		t := x.ReplyText()
		return laidOut(t), t, "The message, read as JSON."
	}
	return laidOut(x.Response.Body), x.Response.Body, ""
}

// fragment reports whether a text begins like JSON and is not whole: as a value, or as members
// of an object.
func fragment(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, "{["), `"`) && !json.Valid([]byte(text)) && !json.Valid([]byte("{"+text+"}"))
}
