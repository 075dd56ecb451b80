package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// The transcript is kept as a HAR 1.2 file. HAR's own members are a rendering
// for the many viewers of that format; what the judging reads are the members
// with an underscore, which hold every byte.

type harFile struct {
	Log harLog `json:"log"`
}

type harLog struct {
	Version string     `json:"version"`
	Creator harCreator `json:"creator"`
	Entries []harEntry `json:"entries"`
	Conform harConform `json:"_a2aConform"`
}

type harCreator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// harConform holds what is not an exchange.
type harConform struct {
	Format     int       `json:"format"`
	Started    time.Time `json:"started"`
	DurationNS int64     `json:"durationNs"`
	Facts      Facts     `json:"facts"`
	Plays      []harPlay `json:"plays"`
}

type harPlay struct {
	Play
	Steps []harStep `json:"steps"`
}

type harStep struct {
	Step
	Exchange int `json:"exchange,omitempty"`
}

type harEntry struct {
	Started   time.Time   `json:"startedDateTime"`
	Time      float64     `json:"time"` // ms
	Request   harRequest  `json:"request"`
	Response  harResponse `json:"response"`
	Cache     struct{}    `json:"cache"`
	Timings   harTimings  `json:"timings"`
	Conn      string      `json:"connection,omitempty"`
	ID        int         `json:"_id"`
	Direction Direction   `json:"_direction"`
	Start     Instant     `json:"_start"` // ns since the run began
	End       Instant     `json:"_end"`
	Ended     Ended       `json:"_ended"`
	ConnNo    int         `json:"_conn"`
	Trouble   string      `json:"_trouble,omitempty"`
	TLS       *TLS        `json:"_tls,omitempty"`
	Attempts  []Attempt   `json:"_attempts,omitempty"` // since format 2
	HTTP2     *HTTP2      `json:"_http2,omitempty"`    // since format 3
	Closed    *Closing    `json:"_closed,omitempty"`   // of a client that is tested
	Canaries  []Sighting  `json:"_canaries,omitempty"` // in its request
	Gaps      *Gaps       `json:"_gaps,omitempty"`     // of a recording that others made
}

type harTimings struct {
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

type harPair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// harRaw is one half of an exchange as it was recorded; []byte is base64.
type harRaw struct {
	Head     []byte       `json:"head"`
	Body     []byte       `json:"body"`
	Chunks   []Chunk      `json:"_chunks,omitempty"`
	Framing  Framing      `json:"framing"`
	Recipe   *Recipe      `json:"recipe,omitempty"`
	Trailer  []byte       `json:"trailer,omitempty"` // since format 3
	Prefixes []GRPCPrefix `json:"_prefixes,omitempty"`
}

type harRequest struct {
	Method      string    `json:"method"`
	URL         string    `json:"url"`
	HTTPVersion string    `json:"httpVersion"`
	Cookies     []harPair `json:"cookies"`
	Headers     []harPair `json:"headers"`
	Query       []harPair `json:"queryString"`
	PostData    *harPost  `json:"postData,omitempty"`
	HeadersSize int       `json:"headersSize"`
	BodySize    int       `json:"bodySize"`
	Raw         harRaw    `json:"_raw"`
}

type harPost struct {
	MimeType string    `json:"mimeType"`
	Params   []harPair `json:"params"`
	Text     string    `json:"text"`
}

type harResponse struct {
	Status      int        `json:"status"`
	StatusText  string     `json:"statusText"`
	HTTPVersion string     `json:"httpVersion"`
	Cookies     []harPair  `json:"cookies"`
	Headers     []harPair  `json:"headers"`
	Content     harContent `json:"content"`
	RedirectURL string     `json:"redirectURL"`
	HeadersSize int        `json:"headersSize"`
	BodySize    int        `json:"bodySize"`
	Trailers    []harPair  `json:"_trailers,omitempty"`
	Raw         harRaw     `json:"_raw"`
}

type harContent struct {
	Size     int    `json:"size"`
	MimeType string `json:"mimeType"`
	Text     string `json:"text,omitempty"`
}

// harFormat is the format that is written. Format 1 knew no attempts, and no call
// that was not sent; format 2 no HTTP/2. Both are read as they are.
const harFormat = 3

// WriteHAR writes a sealed transcript. The same transcript always makes the
// same bytes.
func WriteHAR(w io.Writer, t *Transcript) error {
	for i, x := range t.Exchanges {
		if x.ID != i+1 {
			return fmt.Errorf("exchange %d of the transcript bears the number %d: it was not sealed", i+1, x.ID)
		}
	}
	f := harFile{harLog{
		Version: "1.2",
		Creator: harCreator{"a2a-conform", t.Facts.Tool},
		Entries: []harEntry{},
		Conform: harConform{Format: harFormat, Started: t.Started, DurationNS: int64(t.Duration), Facts: t.Facts, Plays: []harPlay{}},
	}}
	for i := range t.Plays {
		f.Log.Conform.Plays = append(f.Log.Conform.Plays, toFilePlay(&t.Plays[i], func(s *Step) int { return s.Exchange.ID }))
	}
	return f.writeHARFile(w, t)
}

// toFilePlay is a play as files have it: its steps name their exchanges by a number.
func toFilePlay(p *Play, number func(s *Step) int) harPlay {
	out := harPlay{Play: *p, Steps: []harStep{}}
	out.Play.Steps = nil
	for i := range p.Steps {
		step := harStep{Step: p.Steps[i]}
		if step.Step.Exchange != nil {
			step.Exchange = number(&p.Steps[i])
		}
		out.Steps = append(out.Steps, step)
	}
	return out
}

// fromFilePlays is the opposite of toFilePlay for all plays. An exchange that is not there is an error, which calls
// it by the word noun.
func fromFilePlays(plays []harPlay, exchanges []*Exchange, noun string) (out []Play, err error) {
	for i, hp := range plays {
		p := hp.Play
		p.Steps = nil
		for j, hs := range hp.Steps {
			s := hs.Step
			if hs.Exchange < 0 || hs.Exchange > len(exchanges) {
				return nil, fmt.Errorf("plays[%d].steps[%d] names %s %d of %d", i, j, noun, hs.Exchange, len(exchanges))
			}
			if hs.Exchange > 0 {
				s.Exchange = exchanges[hs.Exchange-1]
			}
			p.Steps = append(p.Steps, s)
		}
		out = append(out, p)
	}
	return out, nil
}

// writeHARFile encodes the entries one by one: at no time is the whole file in memory,
// which may be as large as all that a run keeps.
func (f *harFile) writeHARFile(w io.Writer, t *Transcript) error {
	var e harEncoder
	frame, err := e.encodeToBuffer(f, "")
	if err != nil {
		return err
	}
	const empty = `"entries": []`
	before, after, ok := bytes.Cut(bytes.Clone(frame), []byte(empty))
	if !ok || len(t.Exchanges) == 0 {
		_, err := w.Write(append(frame, '\n'))
		return err
	}
	if _, err := w.Write(append(before, empty[:len(empty)-1]...)); err != nil {
		return err
	}
	for i, x := range t.Exchanges {
		entry, err := e.encodeToBuffer(toEntry(t.Started, x), "   ")
		if err != nil {
			return err
		}
		between := ",\n   "
		if i == 0 {
			between = between[1:]
		}
		if _, err := io.WriteString(w, between); err != nil {
			return err
		}
		if _, err := w.Write(entry); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "\n  ]%s\n", after)
	return err
}

// harEncoder holds the room in which values are encoded, one after the other: some
// are megabytes large.
type harEncoder struct {
	text bytes.Buffer
	out  []byte
	enc  *json.Encoder
}

// encodeToBuffer is the JSON text of a value, until the next is asked for.
func (e *harEncoder) encodeToBuffer(v any, prefix string) ([]byte, error) {
	if e.enc == nil {
		e.enc = json.NewEncoder(&e.text)
		e.enc.SetEscapeHTML(false)
	}
	e.text.Reset()
	err := e.enc.Encode(v)
	e.out = AppendIndented(e.out[:0], bytes.TrimSuffix(e.text.Bytes(), []byte("\n")), prefix, " ")
	return e.out, err
}

// ReadHAR reads a transcript that WriteHAR wrote. It refuses a HAR file of
// another origin, for which nothing can be judged, and one whose readable half states other
// than the recorded bytes.
func ReadHAR(r io.Reader) (*Transcript, error) { return ReadHARWith(r, func(Facts) {}) }

// ReadHARWith is ReadHAR for who knows the services of gRPC that a run spoke to: ready is
// called once it is known which run it was, and has Translate called for them. What viewers
// show of messages whose service is not known is not compared.
func ReadHARWith(r io.Reader, ready func(Facts)) (*Transcript, error) {
	read, err := readHAR(r)
	if err != nil {
		return nil, err
	}
	c := read.file.Log.Conform
	switch {
	case c.Format == 0:
		return nil, errors.New("not a transcript of a2a-conform: it has no log._a2aConform with the recorded bytes")
	case c.Format < 1 || c.Format > harFormat:
		return nil, fmt.Errorf("this version cannot read the transcript: log._a2aConform.format is %d, but this version reads 1 to %d", c.Format, harFormat)
	}
	if read.broken != nil {
		return nil, read.broken
	}
	if y := c.Started.Year(); y < 1970 || y > 9000 { // instants are counted from it
		return nil, fmt.Errorf("log._a2aConform.started is in the year %d", y)
	}
	if c.DurationNS < 0 {
		return nil, fmt.Errorf("log._a2aConform.durationNs is %d, which is less than nothing", c.DurationNS)
	}
	if read.began != nil && !read.began.Equal(c.Started) {
		return nil, fmt.Errorf("log._a2aConform.started is %s, but by log.entries[0] the run began %s", c.Started.Format(time.RFC3339Nano), read.began.Format(time.RFC3339Nano))
	}
	ready(c.Facts)
	if err := compareBodies(read.shown); err != nil {
		return nil, err
	}
	t := &Transcript{Started: c.Started, Duration: time.Duration(c.DurationNS), Facts: c.Facts, Exchanges: read.exchanges}
	if t.Plays, err = fromFilePlays(c.Plays, t.Exchanges, "exchange"); err != nil {
		return nil, fmt.Errorf("log._a2aConform.%w", err)
	}
	return t, nil
}

func fromRaw(r harRaw, end Instant) (Message, error) {
	left, last := len(r.Body), Instant(0)
	for i, c := range r.Chunks {
		if c.N <= 0 || c.At < last || c.At > end {
			return Message{}, fmt.Errorf("_chunks[%d], %d bytes at %v, does not fit between its neighbours", i, c.N, c.At)
		}
		if c.N > left {
			return Message{}, fmt.Errorf("_chunks count more than the %d bytes of the body", len(r.Body))
		}
		left, last = left-c.N, c.At
	}
	if len(r.Chunks) > 0 && left > 0 {
		return Message{}, fmt.Errorf("_chunks count %d bytes of the body's %d", len(r.Body)-left, len(r.Body))
	}
	if err := prefixesFit(r, end); err != nil {
		return Message{}, err
	}
	return Message(r), nil
}

// prefixesFit reports what is wrong with the recorded messages of a body.
func prefixesFit(r harRaw, end Instant) error {
	if r.Prefixes == nil {
		return nil
	}
	left, last := len(r.Body), Instant(0)
	for i, p := range r.Prefixes {
		if p.Size < 0 || p.Size > left || p.Declared < -1 || p.Received < 0 || p.At < last || p.At > end {
			return fmt.Errorf("_prefixes[%d], %d bytes at %v, does not fit between its neighbours", i, p.Size, p.At)
		}
		left, last = left-p.Size, p.At
	}
	if left > 0 {
		return fmt.Errorf("_prefixes count %d bytes of the body's %d", len(r.Body)-left, len(r.Body))
	}
	return nil
}

func fromEntry(e harEntry) (*Exchange, error) {
	if e.Start < 0 || e.End < e.Start {
		return nil, fmt.Errorf("it begins at %v and ends at %v", e.Start, e.End)
	}
	if known := []Direction{Out, In, Given}; !slices.Contains(known, e.Direction) {
		return nil, fmt.Errorf("_direction is %q, which is none of %q", e.Direction, known)
	}
	if ends := []Ended{EOF, Reset, Timeout, OurClose, Limit, NoDial, Aborted, Unsent}; !slices.Contains(ends, e.Ended) {
		return nil, fmt.Errorf("_ended is %q, which is none of %q", e.Ended, ends)
	}
	x := &Exchange{ID: e.ID, Dir: e.Direction, URL: e.Request.URL, Conn: e.ConnNo, Start: e.Start, End: e.End,
		Ended: e.Ended, Trouble: e.Trouble, TLS: e.TLS, Attempts: e.Attempts, HTTP2: e.HTTP2, Closed: e.Closed, Canaries: e.Canaries, Gaps: e.Gaps}
	if x.HTTP2 != nil {
		for i, f := range x.HTTP2.Frames {
			if f.At < 0 || f.At > e.End {
				return nil, fmt.Errorf("_http2.frames[%d] at %v is not within the exchange", i, f.At)
			}
		}
	}
	last := e.Start
	for i, a := range e.Attempts {
		if a.Start < last || a.End < a.Start || a.End > e.End || a.Sent < 0 {
			return nil, fmt.Errorf("_attempts[%d], %d bytes from %v to %v, does not fit between its neighbours", i, a.Sent, a.Start, a.End)
		}
		last = a.End
	}
	var err error
	if x.Request, err = fromRaw(e.Request.Raw, e.End); err != nil {
		return nil, fmt.Errorf("request._raw: %w", err)
	}
	if x.Response, err = fromRaw(e.Response.Raw, e.End); err != nil {
		return nil, fmt.Errorf("response._raw: %w", err)
	}
	return x, nil
}

func toEntry(started time.Time, x *Exchange) harEntry {
	e := harEntry{
		Started: started.Add(x.Start), Time: toMilliseconds(x.End - x.Start), ID: x.ID, Direction: x.Dir,
		Start: x.Start, End: x.End, Ended: x.Ended, ConnNo: x.Conn, Trouble: x.Trouble, TLS: x.TLS, Attempts: x.Attempts, HTTP2: x.HTTP2, Closed: x.Closed, Canaries: x.Canaries, Gaps: x.Gaps,
		Timings: harTimings{Wait: toMilliseconds(x.End - x.Start)},
	}
	if x.Conn != 0 {
		e.Conn = fmt.Sprint(x.Conn)
	}
	if c := x.Response.Chunks; len(c) > 0 {
		e.Timings.Wait = toMilliseconds(c[0].At - x.Start)
		e.Timings.Receive = toMilliseconds(x.End - c[0].At)
	}
	line := strings.Fields(startLine(x.Request.Head))
	req := harRequest{URL: x.URL, HTTPVersion: "HTTP/1.1", Cookies: []harPair{}, Headers: fieldPairs(&x.Request), Query: []harPair{},
		HeadersSize: len(x.Request.Head), BodySize: len(x.Request.Body), Raw: harRaw(x.Request)}
	if len(line) > 0 {
		req.Method = line[0]
	}
	if u, err := url.Parse(x.URL); err == nil {
		query := u.Query()
		for _, k := range slices.Sorted(maps.Keys(query)) {
			for _, v := range query[k] {
				req.Query = append(req.Query, harPair{k, v})
			}
		}
	}
	if len(x.Request.Body) > 0 {
		req.PostData = &harPost{x.Request.MediaType(), []harPair{}, shortenedTextIfUTF8(x.Request.Body)}
	}
	e.Request = req
	resp := &x.Response
	e.Response = harResponse{Status: resp.Status(), HTTPVersion: "HTTP/1.1", Cookies: []harPair{}, Headers: fieldPairs(resp),
		Content:     harContent{len(resp.Body), resp.Header().Get("Content-Type"), shortenedTextIfUTF8(resp.Body)},
		RedirectURL: resp.Header().Get("Location"), HeadersSize: len(resp.Head), BodySize: len(resp.Body), Raw: harRaw(*resp)}
	if x.Dir == Given {
		e.Request.HTTPVersion, e.Response.HTTPVersion = "", "" // no HTTP was spoken
	}
	if x.HTTP2 != nil {
		x.writeHTTP2FactsIntoHAR(&e)
	}
	if f := strings.SplitN(startLine(resp.Head), " ", 3); len(f) > 0 && strings.HasPrefix(f[0], "HTTP/") {
		e.Response.HTTPVersion = f[0]
		if len(f) == 3 {
			e.Response.StatusText = f[2]
		}
	}
	return e
}

// writeHTTP2FactsIntoHAR shows what is other over HTTP/2: the version, trailers, and messages of
// gRPC as JSON, a line for each.
func (x *Exchange) writeHTTP2FactsIntoHAR(e *harEntry) {
	x = x.copyWithoutObservations() // which keeps nothing of what is read here
	e.Request.HTTPVersion = "HTTP/2"
	if len(x.Response.Trailer) > 0 {
		e.Response.Trailers = fieldPairs(&Message{Head: append([]byte("\r\n"), x.Response.Trailer...)})
	}
	if e.Request.PostData != nil && IsGRPC(x.Request.MediaType()) {
		e.Request.PostData.Text = shortenedTextIfUTF8([]byte(x.formatMessages(true)))
	}
	if x.GRPC() != nil {
		e.Response.Content.Text = shortenedTextIfUTF8([]byte(x.formatMessages(false)))
	}
}

func fieldPairs(m *Message) []harPair {
	out := []harPair{}
	for _, f := range m.Fields() {
		out = append(out, harPair(f))
	}
	return out
}

func toMilliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// shownBody is how much of a body viewers are shown, in bytes; longer ones end with more.
const (
	shownBody = 64 << 10
	more      = "…"
	maxShown  = shownBody + len(more)
)

// shortenedTextIfUTF8 is a body for a viewer's eyes; what is not UTF-8 is in _raw only.
func shortenedTextIfUTF8(b []byte) string {
	if !utf8.Valid(b) {
		return ""
	}
	if len(b) > shownBody {
		return strings.ToValidUTF8(string(b[:shownBody]), "") + more
	}
	return string(b)
}
