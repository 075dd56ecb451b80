package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/excerpt"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// How much of an exchange is on the page.
const (
	maxHead   = 2 << 10
	maxBody   = 16 << 10
	maxEvents = 4 << 10 // of a stream, without those that are cited

	maxCiting = 12 // requirements named as citing it

	// The bounds of all bodies on a page, of the shortest body that is shown, and of the markup around an
	// exchange.
	allBytes  = 500_000
	leastBody = 300
	frame     = 900

	maxSaid     = 8 // lines that a client reported, of an exchange; those that evidence points at come besides
	maxSaidLine = 200
)

// exchangeView is one exchange on the page.
type exchangeView struct {
	ID       int
	In       bool // the server called us
	Given    bool // a document of the operator's: nothing was sent
	Step     string
	Says     exchangeSummary
	Took     string
	Facts    []string
	CitedBy  []string
	Others   int // that cite it too
	Request  messageView
	Response messageView
	Again    string     // the command that sends it again
	Said     []saidView // what the client reported after it, before the next one began
	SaidMore int        // lines that are not shown
}

// saidView is a line that a client reported.
type saidView struct {
	Line  int
	At    string
	Text  string
	Cited bool // evidence points at it
}

type messageView struct {
	Head   string
	Kind   string // what the body is, in words
	Label  string // for who does not see the layout
	Body   []excerpt.Piece
	Events []eventView
	Faults []string
}

type eventView struct {
	ID    string // anchor, if evidence points at it
	Name  string
	Label string
	At    string
	Text  string
	Gap   string // describes events that are not shown
}

// exchangeViews returns the exchanges of the page by their number. They share the room of the page; exchanges
// that prove a failure are first and get more of it. When no room is left, only names remain.
func (b *builder) exchangeViews(room int) map[int]exchangeView {
	by := indexCitations(b.report)
	out := map[int]exchangeView{}
	xs := b.cited
	room, left := min(max(room, 0), allBytes), len(xs)
	for _, weighty := range []bool{true, false} {
		for _, x := range xs {
			if b.weighty[x.ID] != weighty {
				continue
			}
			share := (room/left - frame) * 2 / 3 // as it is recorded: in the page it takes more
			if weighty {
				share *= 2
			}
			v := b.buildExchange(x, by[x.ID], min(share, maxBody))
			if v.Response.Kind != "" {
				room = max(0, room-v.Request.estimatePageBytes()-v.Response.estimatePageBytes()-frame)
				for _, s := range v.Said {
					room = max(0, room-estimateHTMLLength(s.Text))
				}
			}
			left--
			out[x.ID] = v
		}
	}
	return out
}

func (b *builder) buildExchange(x *record.Exchange, c *citation, most int) exchangeView {
	v := exchangeView{
		ID: x.ID, In: x.Dir == record.In, Given: x.Dir == record.Given, Step: b.steps[x.ID], Took: view.FormatShortDuration(x.End - x.Start),
		Says: b.summarizer.summarizeExchange(x), Facts: exchangeFacts(x),
	}
	var events map[int]bool
	if c != nil {
		v.CitedBy = c.ids[:min(len(c.ids), maxCiting)]
		v.Others = len(c.ids) - len(v.CitedBy)
		events = c.events
	}
	if v.Given {
		v.Took = ""
	}
	if most < leastBody {
		v.CitedBy, v.Others = nil, 0
		v.Request.Kind = "its bytes are in " + files.TranscriptFile
		return v
	}
	body := excerpt.Window{Head: most * 3 / 4, Tail: most / 4}
	v.Request = buildMessage(x, false, body)
	v.Response = buildMessage(x, true, body)
	if x.IsStream() {
		v.Response.Kind = "event stream, " + v.Response.Kind
		v.Response.Body = nil
		v.Response.Events = eventViews(x, events, min(maxEvents, most))
	}
	if x.Dir == record.Out {
		v.Again = a2aConformCallCommand(x)
	}
	b.addSaid(&v, x, c)
	return v
}

// addSaid adds what the client reported near an exchange: the first lines, and those that evidence points at.
func (b *builder) addSaid(v *exchangeView, x *record.Exchange, c *citation) {
	for _, s := range b.said[x] {
		cited := c != nil && c.said[s.Line]
		if len(v.Said) >= maxSaid && !cited {
			v.SaidMore++
			continue
		}
		v.Said = append(v.Said, saidView{s.Line, view.FormatShortDuration(s.At - x.Start), safetext.Line(s.FormatLine(), maxSaidLine), cited})
	}
}

// indexSaid returns the lines that a client reported, by the exchange that began last before each.
func indexSaid(t *record.Transcript) map[*record.Exchange][]record.Said {
	out := map[*record.Exchange][]record.Said{}
	for i := range t.Plays {
		p := &t.Plays[i]
		if p.Client == nil {
			continue
		}
		for _, s := range p.Client.Said {
			if step := p.StepBefore(s.At); step != nil {
				out[step.Exchange] = append(out[step.Exchange], s)
			}
		}
	}
	return out
}

// estimatePageBytes is about how much of the page a message takes.
func (m *messageView) estimatePageBytes() int {
	n := estimateHTMLLength(m.Head)
	for _, p := range m.Body {
		n += estimateHTMLLength(p.Text) + len(p.Gap)
	}
	for _, e := range m.Events {
		n += estimateHTMLLength(e.Text)
	}
	return n
}

// citation is what cites an exchange and which of its events.
type citation struct {
	ids    []string
	events map[int]bool
	said   map[int]bool // lines that the client reported
}

func indexCitations(r *report.Report) map[int]*citation {
	out := map[int]*citation{}
	cite := func(id string, e report.Evidence) {
		c := out[e.Exchange]
		if c == nil {
			c = &citation{events: map[int]bool{}, said: map[int]bool{}}
			out[e.Exchange] = c
		}
		if id = safetext.Line(id, safetext.MaxName); !slices.Contains(c.ids, id) {
			c.ids = append(c.ids, id)
		}
		if e.Event > 0 {
			c.events[e.Event] = true
		}
		if e.Said > 0 {
			c.said[e.Said] = true
		}
	}
	for i := range r.Results {
		for _, e := range r.Results[i].Evidence {
			cite(r.Results[i].ID, e)
		}
		for _, f := range r.Results[i].Findings {
			if f.Evidence != nil {
				cite(r.Results[i].ID, *f.Evidence)
			}
		}
	}
	return out
}

// exchangeFacts lists what is known of an exchange besides its bytes.
func exchangeFacts(x *record.Exchange) []string {
	if x.Dir == record.Given {
		return []string{safetext.Line(x.URL, safetext.MaxExcerpt)}
	}
	when := "sent"
	if x.Dir == record.In {
		when = "received"
	}
	out := []string{safetext.Line(x.URL, safetext.MaxExcerpt), fmt.Sprintf("%s %.3f s into the run", when, x.Start.Seconds())}
	if c := x.Response.Chunks; len(c) > 0 {
		out = append(out, "first byte of the body after "+view.FormatShortDuration(c[0].At-x.Start))
	}
	if n := len(x.Response.Chunks); n > 1 {
		out = append(out, fmt.Sprintf("in %d pieces", n))
	}
	if x.Conn > 0 {
		out = append(out, fmt.Sprintf("connection %d", x.Conn))
	}
	if x.Ended != record.EOF {
		out = append(out, cmp.Or(excerpt.EndingWords[x.Ended], safetext.Line(string(x.Ended), safetext.MaxName)))
	}
	for _, a := range x.Attempts {
		out = append(out, safetext.Line(fmt.Sprintf("sent earlier, %.3f s into the run, on connection %d, %s: %s", a.Start.Seconds(), a.Conn, safetext.CountWithNoun(int(a.Sent), "byte"), a.Trouble), safetext.MaxExcerpt))
	}
	if x.Trouble != "" {
		out = append(out, "trouble: "+safetext.Line(x.Trouble, safetext.MaxExcerpt))
	}
	if t := x.TLS; t != nil && t.Hello != nil {
		out = append(out, safetext.Line(describeHello(t), safetext.MaxExcerpt))
	} else if t != nil {
		s := fmt.Sprintf("%s %s, %s issued by %s until %s", t.Version, t.CipherSuite, t.Subject, t.Issuer, t.NotAfter)
		if !t.Verified {
			s += ", not verified"
		}
		out = append(out, safetext.Line(s, safetext.MaxExcerpt))
	}
	return out
}

// describeHello returns what a client offered in a handshake with us, and what came of it.
func describeHello(t *record.TLS) string {
	s := "the client offered " + strings.Join(t.Hello.Versions, ", ")
	if t.Hello.ServerName != "" {
		s += " for " + t.Hello.ServerName
	}
	if len(t.Hello.Protocols) > 0 {
		s += " with " + strings.Join(t.Hello.Protocols, ", ")
	}
	if t.Version != "" {
		s += ", and got " + t.Version + " " + t.CipherSuite
	}
	return s
}

// buildMessage is one half of an exchange: what was recorded or, of gRPC, the message as JSON.
func buildMessage(x *record.Exchange, response bool, most excerpt.Window) messageView {
	m, label := &x.Request, "request"
	if response {
		m, label = &x.Response, "response"
	}
	v := messageView{Label: fmt.Sprintf("%s of exchange %d", label, x.ID)}
	head := strings.ReplaceAll(string(m.Head), "\r\n", "\n")
	if len(m.Trailer) > 0 {
		head += "after the body\n" + strings.ReplaceAll(string(m.Trailer), "\r\n", "\n")
	}
	v.Head = strings.TrimRight(safetext.Text(head, maxHead), "\n")
	for _, f := range m.Framing.Faults {
		v.Faults = append(v.Faults, safetext.Line(f, safetext.MaxExcerpt))
	}
	switch {
	case m.Recipe != nil:
		v.Kind = fmt.Sprintf("%s made by %s, sha256 %s", safetext.CountWithNoun(m.Recipe.Size, "byte"), safetext.Line(m.Recipe.Generator, safetext.MaxName), safetext.Line(m.Recipe.SHA256, safetext.MaxName))
		return v
	case len(m.Body) == 0 && len(m.Prefixes) == 0 && x.GRPC() == nil:
		v.Kind = "no body"
		return v
	}
	v.Kind = safetext.CountWithNoun(len(m.Body), "byte")
	if m.Framing.Cut != "" {
		v.Kind += fmt.Sprintf(" kept of %s", safetext.CountWithNoun(int(m.Framing.Received), "byte"))
	}
	text, recorded, _ := excerpt.ReadMessage(x, response, 0)
	switch {
	case x.GRPC() != nil:
		v.Kind += " of protobuf, read as JSON"
	case text != "" && len(text) != len(recorded):
		v.Kind += " of JSON, indented"
	}
	if !response || !x.IsStream() {
		v.Body = excerpt.Cut(text, excerpt.Extent{}, most, excerpt.DescribeGapsWithDigest(text, recorded))
	}
	return v
}

// eventViews shows the first events of a stream and every one that is cited,
// within bounds.
func eventViews(x *record.Exchange, cited map[int]bool, budget int) []eventView {
	const mostCited = 20
	body := x.Response.Body
	var out []eventView
	gap, gapBytes := 0, 0
	flush := func() {
		if gap > 0 {
			out = append(out, eventView{Gap: fmt.Sprintf("%s left out, %s", safetext.CountWithNoun(gap, "event"), safetext.CountWithNoun(gapBytes, "byte"))})
			gap, gapBytes = 0, 0
		}
	}
	shownCited := 0
	for i, e := range x.Events() {
		raw := body[min(e.Start, len(body)):min(e.End, len(body))]
		if x.GRPC() != nil {
			raw = []byte(e.Data)
		}
		isCited := cited[i+1] && shownCited < mostCited
		if !isCited && budget <= 0 {
			gap++
			gapBytes += len(raw)
			continue
		}
		flush()
		v := eventView{Name: fmt.Sprintf("event %d", i+1), Label: fmt.Sprintf("event %d of exchange %d", i+1, x.ID), At: view.FormatDelay(e.At - x.Start), Text: view.IndentEventData(raw, &e)}
		if isCited {
			shownCited++
			v.ID = fmt.Sprintf("x%d-e%d", x.ID, i+1)
		}
		budget -= len(v.Text)
		out = append(out, v)
	}
	flush()
	if rest := x.Rest(); rest != nil {
		raw := body[min(rest.Start, len(body)):]
		out = append(out, eventView{Name: "incomplete event, which clients drop", Label: fmt.Sprintf("the end of exchange %d", x.ID), Text: strings.TrimSpace(safetext.Text(string(raw), view.MaxEvent))})
	}
	return out
}
