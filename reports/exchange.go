package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// How much of an exchange is on the page.
const (
	maxHead  = 4 << 10
	maxBody  = 4 << 10
	maxEvent = 1 << 10

	maxCiting = 12 // requirements named as citing it
)

// exchangeView is one exchange on the page.
type exchangeView struct {
	ID       int
	In       bool // the server called us
	Given    bool // a document of the operator's: nothing was sent
	Step     string
	Line     string // of the request
	Status   string // of the response
	Bad      bool   // it did not end well
	Took     string
	Facts    []fact
	CitedBy  []string
	Others   int // that cite it too
	Request  messageView
	Response messageView
	Curl     string
	CurlNote string
}

type messageView struct {
	Head   string
	Kind   string // what the body is, in words
	Body   string
	Events []eventView
	Note   string // on what is not shown
	Faults []string
}

type eventView struct {
	ID   string // anchor, where evidence points at it
	Name string
	At   string
	Text string
	Gap  string // stands for events that are not shown
}

// endings says what a way of ending means.
var endings = map[wire.Ended]string{
	wire.EOF:      "the message was complete",
	wire.Reset:    "the peer broke the connection before the message was complete",
	wire.Timeout:  "our patience ended first",
	wire.OurClose: "we closed, having seen enough",
	wire.Limit:    "the message was larger than we keep",
	wire.NoDial:   "no connection could be made",
}

func exchangeViews(r *judge.Report, xs []*wire.Exchange, steps map[int]string) []exchangeView {
	by := citations(r)
	var out []exchangeView
	for _, x := range xs {
		c := by[x.ID]
		v := exchangeView{
			ID: x.ID, In: x.Dir == wire.In, Given: x.Dir == wire.Given, Step: steps[x.ID], Took: span(x.End - x.Start),
			Bad:    x.Ended != wire.EOF && x.Ended != wire.OurClose,
			Line:   line(firstLine(x.Request.Head), maxName),
			Status: line(firstLine(x.Response.Head), maxName),
			Facts:  exchangeFacts(x),
		}
		if c != nil {
			v.CitedBy = c.ids[:min(len(c.ids), maxCiting)]
			v.Others = len(c.ids) - len(v.CitedBy)
		}
		if v.Line == "" {
			v.Line = line(x.URL, maxName)
		}
		switch {
		case v.Given:
			v.Status, v.Took = "given by the operator", ""
		case v.Status == "":
			v.Status = "no response"
		}
		v.Request = message(&x.Request)
		v.Response = message(&x.Response)
		if x.IsStream() {
			var events map[int]bool
			if c != nil {
				events = c.events
			}
			v.Response.Kind = "event stream, " + v.Response.Kind
			v.Response.Body, v.Response.Note = "", ""
			v.Response.Events = eventViews(x, events)
		}
		if x.Dir == wire.Out {
			v.Curl, v.CurlNote = curl(x, r.Target.Insecure)
		}
		out = append(out, v)
	}
	return out
}

// citation is what cites an exchange and which of its events.
type citation struct {
	ids    []string
	events map[int]bool
}

func citations(r *judge.Report) map[int]*citation {
	out := map[int]*citation{}
	cite := func(id string, e judge.Evidence) {
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

func exchangeFacts(x *wire.Exchange) []fact {
	if x.Dir == wire.Given {
		return []fact{{"URL", line(x.URL, maxExcerpt), true}}
	}
	out := []fact{
		{"URL", line(x.URL, maxExcerpt), true},
		{"sent", fmt.Sprintf("%.3f s into the run", x.Start.Seconds()), false},
	}
	if x.Dir == wire.In {
		out[1].Name = "received"
	}
	if c := x.Response.Chunks; len(c) > 0 {
		out = append(out, fact{"first byte of the body after", span(c[0].At - x.Start), false})
	}
	took := span(x.End - x.Start)
	if n := len(x.Response.Chunks); n > 1 {
		took += fmt.Sprintf(", in %d pieces", n)
	}
	out = append(out, fact{"took", took, false})
	if x.Conn > 0 {
		out = append(out, fact{"connection", fmt.Sprint(x.Conn), false})
	}
	ended := line(string(x.Ended), maxName)
	if says := endings[x.Ended]; says != "" {
		ended += ": " + says
	}
	out = append(out, fact{"ended", ended, false})
	for _, a := range x.Attempts {
		out = append(out, fact{"sent before", line(fmt.Sprintf("%.3f s into the run on connection %d, %s: %s", a.Start.Seconds(), a.Conn, plural(int(a.Sent), "byte"), a.Trouble), maxExcerpt), false})
	}
	if x.Trouble != "" {
		out = append(out, fact{"trouble", line(x.Trouble, maxExcerpt), true})
	}
	if t := x.TLS; t != nil {
		s := fmt.Sprintf("%s %s, %s issued by %s until %s", t.Version, t.CipherSuite, t.Subject, t.Issuer, t.NotAfter)
		if !t.Verified {
			s += ", not verified"
		}
		out = append(out, fact{"TLS", line(s, maxExcerpt), false})
	}
	return out
}

func firstLine(head []byte) string {
	l, _, _ := bytes.Cut(head, []byte("\n"))
	return strings.TrimRight(string(l), "\r")
}

func message(m *wire.Message) messageView {
	v := messageView{Head: strings.TrimRight(shown(strings.ReplaceAll(string(m.Head), "\r\n", "\n"), maxHead), "\n")}
	for _, f := range m.Framing.Faults {
		v.Faults = append(v.Faults, line(f, maxExcerpt))
	}
	switch {
	case m.Recipe != nil:
		v.Kind = fmt.Sprintf("%s made by %s, sha256 %s", plural(m.Recipe.Size, "byte"), line(m.Recipe.Generator, maxName), line(m.Recipe.SHA256, maxName))
		return v
	case len(m.Body) == 0:
		v.Kind = "no body"
		return v
	}
	v.Kind = plural(len(m.Body), "byte")
	if m.Framing.Cut != "" {
		v.Kind += fmt.Sprintf(" kept of %s", plural(int(m.Framing.Received), "byte"))
	}
	text, pretty := m.Body, false
	if p, ok := prettyJSON(m.Body); ok {
		text, pretty = p, true
		v.Kind += " of JSON, laid out"
	}
	head := shorten.Bytes(string(text[:min(len(text), maxBody+1)]), maxBody)
	v.Body = visible(head)
	if left := len(text) - len(head); left > 0 {
		v.Note = plural(left, "byte") + " left out"
		if pretty {
			v.Note = plural(left, "byte") + " of the layout left out"
		}
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
func eventViews(x *wire.Exchange, cited map[int]bool) []eventView {
	const mostCited = 20
	body := x.Response.Body
	budget := maxBody
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
		isCited := cited[i+1] && shownCited < mostCited
		if !isCited && budget <= 0 {
			gap++
			gapBytes += len(raw)
			continue
		}
		flush()
		v := eventView{Name: fmt.Sprintf("event %d", i+1), At: after(e.At - x.Start), Text: eventText(raw, &e)}
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
		out = append(out, eventView{Name: "incomplete, which a client drops", Text: strings.TrimSpace(shown(string(raw), maxEvent))})
	}
	return out
}

func after(d time.Duration) string { return "after " + span(d) }

// eventText is an event as it was sent; JSON on a single data line is laid out.
func eventText(raw []byte, e *wire.Event) string {
	text := strings.TrimRight(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\n")
	if p, ok := prettyJSON([]byte(e.Data)); ok && e.HasData && strings.Count(e.Data, "\n") == 0 && len(e.Data) < maxEvent {
		if before, after, found := strings.Cut(text, e.Data); found {
			text = before + string(p) + after
		}
		return shown(text, 2*maxEvent)
	}
	return shown(text, maxEvent)
}
