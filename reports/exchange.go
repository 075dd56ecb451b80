package reports

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// How much of an exchange is on the page.
const (
	maxHead   = 2 << 10
	maxBody   = 16 << 10
	maxEvent  = 1 << 10
	maxEvents = 4 << 10 // of a stream, beside those that are cited

	maxCiting = 12 // requirements named as citing it

	// The most of a page for all of them, the least of a body that is shown, and what stands
	// around the two of an exchange.
	allBytes  = 500_000
	leastBody = 300
	frame     = 900
)

// exchangeView is one exchange on the page.
type exchangeView struct {
	ID       int
	In       bool // the server called us
	Given    bool // a document of the operator's: nothing was sent
	Step     string
	Says     saying
	Took     string
	Facts    []string
	CitedBy  []string
	Others   int // that cite it too
	Request  messageView
	Response messageView
	Again    string // the command that sends it again
}

type messageView struct {
	Head   string
	Kind   string // what the body is, in words
	Label  string // for who does not see the layout
	Body   []piece
	Events []eventView
	Faults []string
}

type eventView struct {
	ID    string // anchor, where evidence points at it
	Name  string
	Label string
	At    string
	Text  string
	Gap   string // stands for events that are not shown
}

// endings says what a way of ending means.
var endings = map[record.Ended]string{
	record.EOF:      "the message was complete",
	record.Reset:    "the peer broke the connection before the message was complete",
	record.Timeout:  "our time limit was reached first",
	record.OurClose: "we closed the connection, having seen enough",
	record.Limit:    "the message was too large to keep in full",
	record.NoDial:   "no connection could be made",
}

// exchangeViews are the exchanges of the page by their number. Each has its share of the room
// of the page, and those on which a failure
// rests have it first, and more of it. Where nothing is left, the rest are named only.
func (b *builder) exchangeViews(room int) map[int]exchangeView {
	by := citations(b.report)
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
			v := b.exchange(x, by[x.ID], min(share, maxBody))
			if v.Response.Kind != "" {
				room = max(0, room-v.Request.size()-v.Response.size()-frame)
			}
			left--
			out[x.ID] = v
		}
	}
	return out
}

func (b *builder) exchange(x *record.Exchange, c *citation, most int) exchangeView {
	v := exchangeView{
		ID: x.ID, In: x.Dir == record.In, Given: x.Dir == record.Given, Step: b.steps[x.ID], Took: span(x.End - x.Start),
		Says: b.reader.say(x), Facts: exchangeFacts(x),
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
		v.Request.Kind = "its bytes are in " + TranscriptFile
		return v
	}
	body := window{head: most * 3 / 4, tail: most / 4}
	v.Request = message(x, false, body)
	v.Response = message(x, true, body)
	if x.IsStream() {
		v.Response.Kind = "event stream, " + v.Response.Kind
		v.Response.Body = nil
		v.Response.Events = eventViews(x, events, min(maxEvents, most))
	}
	if x.Dir == record.Out {
		v.Again = callAgain(x)
	}
	return v
}

// size is about how much of the page a message takes.
func (m *messageView) size() int {
	n := inPage(m.Head)
	for _, p := range m.Body {
		n += inPage(p.Text) + len(p.Gap)
	}
	for _, e := range m.Events {
		n += inPage(e.Text)
	}
	return n
}

// inPage is about how long a text is in a page, where a quotation mark takes five bytes.
func inPage(s string) int { return len(s) + 4*strings.Count(s, `"`) }

// citation is what cites an exchange and which of its events.
type citation struct {
	ids    []string
	events map[int]bool
}

func citations(r *report.Report) map[int]*citation {
	out := map[int]*citation{}
	cite := func(id string, e report.Evidence) {
		c := out[e.Exchange]
		if c == nil {
			c = &citation{events: map[int]bool{}}
			out[e.Exchange] = c
		}
		if id = line(id, maxName); !slices.Contains(c.ids, id) {
			c.ids = append(c.ids, id)
		}
		if e.Event > 0 {
			c.events[e.Event] = true
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

// exchangeFacts are what is to be known of an exchange beside its bytes.
func exchangeFacts(x *record.Exchange) []string {
	if x.Dir == record.Given {
		return []string{line(x.URL, maxExcerpt)}
	}
	when := "sent"
	if x.Dir == record.In {
		when = "received"
	}
	out := []string{line(x.URL, maxExcerpt), fmt.Sprintf("%s %.3f s into the run", when, x.Start.Seconds())}
	if c := x.Response.Chunks; len(c) > 0 {
		out = append(out, "first byte of the body after "+span(c[0].At-x.Start))
	}
	if n := len(x.Response.Chunks); n > 1 {
		out = append(out, fmt.Sprintf("in %d pieces", n))
	}
	if x.Conn > 0 {
		out = append(out, fmt.Sprintf("connection %d", x.Conn))
	}
	if x.Ended != record.EOF {
		out = append(out, cmp.Or(endings[x.Ended], line(string(x.Ended), maxName)))
	}
	for _, a := range x.Attempts {
		out = append(out, line(fmt.Sprintf("sent earlier, %.3f s into the run, on connection %d, %s: %s", a.Start.Seconds(), a.Conn, plural(int(a.Sent), "byte"), a.Trouble), maxExcerpt))
	}
	if x.Trouble != "" {
		out = append(out, "trouble: "+line(x.Trouble, maxExcerpt))
	}
	if t := x.TLS; t != nil {
		s := fmt.Sprintf("%s %s, %s issued by %s until %s", t.Version, t.CipherSuite, t.Subject, t.Issuer, t.NotAfter)
		if !t.Verified {
			s += ", not verified"
		}
		out = append(out, line(s, maxExcerpt))
	}
	return out
}

func firstLine(head []byte) string {
	l, _, _ := bytes.Cut(head, []byte("\n"))
	return strings.TrimRight(string(l), "\r")
}

// message is one half of an exchange: what was recorded or, of gRPC, the message as JSON.
func message(x *record.Exchange, response bool, most window) messageView {
	m, label := &x.Request, "request"
	if response {
		m, label = &x.Response, "response"
	}
	v := messageView{Label: fmt.Sprintf("%s of exchange %d", label, x.ID)}
	head := strings.ReplaceAll(string(m.Head), "\r\n", "\n")
	if len(m.Trailer) > 0 {
		head += "after the body\n" + strings.ReplaceAll(string(m.Trailer), "\r\n", "\n")
	}
	v.Head = strings.TrimRight(shown(head, maxHead), "\n")
	for _, f := range m.Framing.Faults {
		v.Faults = append(v.Faults, line(f, maxExcerpt))
	}
	switch {
	case m.Recipe != nil:
		v.Kind = fmt.Sprintf("%s made by %s, sha256 %s", plural(m.Recipe.Size, "byte"), line(m.Recipe.Generator, maxName), line(m.Recipe.SHA256, maxName))
		return v
	case len(m.Body) == 0 && len(m.Prefixes) == 0 && x.GRPC() == nil:
		v.Kind = "no body"
		return v
	}
	v.Kind = plural(len(m.Body), "byte")
	if m.Framing.Cut != "" {
		v.Kind += fmt.Sprintf(" kept of %s", plural(int(m.Framing.Received), "byte"))
	}
	text, recorded, _ := readable(x, response, 0)
	switch {
	case x.GRPC() != nil:
		v.Kind += " of protobuf, read as JSON"
	case text != "" && len(text) != len(recorded):
		v.Kind += " of JSON, indented"
	}
	if !response || !x.IsStream() {
		v.Body = excerpts(text, extent{}, most, leftOutOf(text, recorded))
	}
	return v
}

// prettyJSON lays out a JSON text. It leaves alone what is not JSON, and what
// would grow out of proportion: the layout of deep nesting is quadratic.
func prettyJSON(b []byte) ([]byte, bool) {
	const most, deepest = 256 << 10, 64
	if len(b) > most {
		return nil, false
	}
	depth := 0
	for _, c := range b {
		switch c {
		case '[', '{':
			if depth++; depth > deepest {
				return nil, false
			}
		case ']', '}':
			depth--
		}
	}
	var out bytes.Buffer
	if json.Indent(&out, bytes.TrimSpace(b), "", "  ") != nil {
		return nil, false
	}
	return out.Bytes(), true
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
			out = append(out, eventView{Gap: fmt.Sprintf("%s left out, %s", plural(gap, "event"), plural(gapBytes, "byte"))})
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
		v := eventView{Name: fmt.Sprintf("event %d", i+1), Label: fmt.Sprintf("event %d of exchange %d", i+1, x.ID), At: after(e.At - x.Start), Text: eventText(raw, &e)}
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
		out = append(out, eventView{Name: "incomplete event, which clients drop", Label: fmt.Sprintf("the end of exchange %d", x.ID), Text: strings.TrimSpace(shown(string(raw), maxEvent))})
	}
	return out
}

func after(d time.Duration) string { return "after " + span(d) }

// eventText is an event as it was sent; JSON on a single data line is laid out.
func eventText(raw []byte, e *record.Event) string {
	text := strings.TrimRight(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\n")
	if p, ok := prettyJSON([]byte(e.Data)); ok && e.HasData && strings.Count(e.Data, "\n") == 0 && len(e.Data) < maxEvent {
		if before, after, found := strings.Cut(text, e.Data); found {
			text = before + string(p) + after
		}
		return shown(text, 2*maxEvent)
	}
	return shown(text, maxEvent)
}
