package importer

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	json "github.com/go-json-experiment/json/v1"
	"golang.org/x/net/http/httpguts"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
)

// errOwnFile is why the reader of HAR files of others ends at a transcript that a run wrote.
var errOwnFile = errors.New("a2a-conform wrote this file")

// creator is which program wrote a HAR file.
type creator struct{ Name, Version string }

// keepsFields lists the programs that write all header fields of an exchange as they were. Others leave credentials and
// cookies out, or have an option to.
var keepsFields = []string{"mitmproxy"}

// entry is what is read of an exchange in a HAR file.
type entry struct {
	Started      string       `json:"startedDateTime"`
	Time         number       `json:"time"` // ms
	Connection   text         `json:"connection"`
	ResourceType text         `json:"_resourceType"`
	Request      harRequest   `json:"request"`
	Response     *harResponse `json:"response"`
}

type harRequest struct {
	Method      text    `json:"method"`
	URL         string  `json:"url"`
	HTTPVersion text    `json:"httpVersion"`
	Headers     []field `json:"headers"`
	PostData    *struct {
		MimeType text    `json:"mimeType"`
		Text     *string `json:"text"`
		Encoding text    `json:"encoding"` // of some exporters
		File     text    `json:"_file"`    // the body is in a file of its own
	} `json:"postData"`
	BodySize number `json:"bodySize"`
}

type harResponse struct {
	Status      number  `json:"status"`
	StatusText  text    `json:"statusText"`
	HTTPVersion text    `json:"httpVersion"`
	Headers     []field `json:"headers"`
	Content     struct {
		Size      number  `json:"size"`
		MimeType  text    `json:"mimeType"`
		Text      *string `json:"text"`
		Encoding  text    `json:"encoding"`
		Truncated any     `json:"_truncated"`
		File      text    `json:"_file"`
	} `json:"content"`
	BodySize number `json:"bodySize"`
	Error    any    `json:"_error"`
}

// field is a header field. Exporters write what is no field as well, so its members can be anything.
type field struct {
	Name  text `json:"name"`
	Value text `json:"value"`
}

// number is a number that may be absent, null, or written as a text; -1 if it is none.
type number float64

func (n *number) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	if err != nil || f != f {
		f = -1
	}
	*n = number(f)
	return nil
}

// text is a text that may be absent, null, or of another type; "" if it is none.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) != nil {
		s = ""
		if len(b) > 0 && b[0] != 'n' && b[0] != '{' && b[0] != '[' {
			s = string(b) // a number, such as that of a connection
		}
	}
	*t = text(s)
	return nil
}

// addHAR reads a HAR file that another program wrote.
func (r *Reader) addHAR(name string, in io.Reader) error {
	var by creator
	var entries []timed
	unread, first := 0, error(nil)
	refused := func(err error) {
		if unread++; first == nil {
			first = err
		}
	}
	err := record.WalkHAR(in, func(member string, value jsontext.Value) error {
		switch member {
		case "creator":
			if json.Unmarshal(value, &by) == nil && by.Name == "a2a-conform" {
				return errOwnFile
			}
		case "_a2aConform":
			return errOwnFile
		}
		return nil
	}, func(i int, value jsontext.Value) error {
		var e entry
		if err := json.Unmarshal(value, &e); err != nil {
			refused(fmt.Errorf("log.entries[%d] cannot be read: %w", i, err))
			return nil
		}
		x, began, err := e.readExchange()
		if err != nil {
			refused(fmt.Errorf("log.entries[%d]%w", i, err))
			return nil
		}
		switch {
		case x == nil:
			return nil
		case len(entries) >= maxExchanges:
			r.rec.Dropped++
			return nil
		}
		entries = append(entries, timed{began, string(e.Connection), x})
		return nil
	})
	if err != nil {
		return err
	}
	if len(entries) == 0 && first != nil {
		return first
	}
	if len(entries) == 0 {
		return errors.New("the HAR file has no exchange over HTTP: log.entries is empty or absent")
	}
	if unread > 0 {
		r.addNote("%d entries of a HAR file cannot be read, the first one because: %v", unread, first)
	}
	program := describeProgram(by)
	r.setSource(program)
	r.addEntries(name, program, slices.Contains(keepsFields, by.Name), entries)
	return nil
}

// timed is an exchange of a HAR file, and the moment at which it began.
type timed struct {
	began      time.Time
	connection string
	x          *record.Exchange
}

// addEntries adds the exchanges of a HAR file in the order of their requests.
func (r *Reader) addEntries(name, program string, keepsFields bool, entries []timed) {
	slices.SortStableFunc(entries, func(a, b timed) int { return a.began.Compare(b.began) })
	began := entries[0].began
	moved := r.alignToStart(began)
	bodies := 0
	for _, e := range entries {
		moveInstants(e.x, moved+e.began.Sub(began))
		e.x.Gaps.Fields = !keepsFields
		if e.x.Gaps.Request || e.x.Gaps.Response {
			bodies++
		}
		r.addExchange(name, e.connection, e.x)
	}
	if bodies > 0 {
		r.addNote("%s left out the body of %d of %d exchanges, or a part of it; nothing is decided by these bodies", program, bodies, len(entries))
	}
	if !keepsFields {
		r.addNote("%s may leave out header fields; that one is absent decides nothing", program)
	}
}

// describeProgram returns the name of the program that wrote a file, for people.
func describeProgram(by creator) string {
	name := shorten.Visible(shorten.Clip(strings.TrimSpace(by.Name+" "+by.Version), 60), 60)
	if name == "" {
		return "the program that wrote the file"
	}
	return name
}

// readExchange returns the exchange of an entry, from the zero point at which it began; nil if it is none over HTTP. The
// error begins with the member that is wrong.
func (e *entry) readExchange() (*record.Exchange, time.Time, error) {
	began, err := time.Parse(time.RFC3339Nano, e.Started)
	if err != nil {
		return nil, began, fmt.Errorf(".startedDateTime is %s and no date", strconv.Quote(shorten.Clip(e.Started, 40)))
	}
	if y := began.Year(); y < 1970 || y > 9000 {
		return nil, began, fmt.Errorf(".startedDateTime is in the year %d", y)
	}
	u, err := url.Parse(e.Request.URL)
	if err != nil || len(e.Request.URL) > record.MaxAddress {
		return nil, began, errors.New(".request.url is no URL that can be read")
	}
	if u.Scheme != "http" && u.Scheme != "https" || e.ResourceType == "websocket" || u.Host == "" {
		return nil, began, nil
	}
	took := min(max(time.Duration(float64(e.Time)*float64(time.Millisecond)), 0), 24*time.Hour)
	u.Fragment, u.User = "", nil
	x := &record.Exchange{Dir: record.Out, URL: u.String(), End: took, Ended: record.EOF, Gaps: &record.Gaps{Bytes: true, Times: true}}
	if err := e.readRequest(x, u); err != nil {
		return nil, began, err
	}
	e.readResponse(x)
	return x, began, nil
}

// readRequest fills in the request of an exchange.
func (e *entry) readRequest(x *record.Exchange, u *url.URL) error {
	q := &e.Request
	if !httpguts.ValidHeaderFieldName(string(q.Method)) { // a token too
		return errors.New(".request.method is no method of HTTP")
	}
	x.Request.Framing = record.Framing{Kind: "none", Declared: -1}
	x.Request.Head = buildHead(string(q.Method)+" "+u.RequestURI()+" "+versionOf(string(q.HTTPVersion)), q.Headers)
	post := q.PostData
	switch {
	case post == nil || post.Text == nil:
		x.Gaps.Request = q.BodySize > 0 || post != nil && post.File != "" || hasBody(&x.Request)
		return nil
	case post.Encoding == "base64":
		body, err := base64.StdEncoding.DecodeString(*post.Text)
		x.Gaps.Request = err != nil
		setBody(&x.Request, body, 0)
	default:
		setBody(&x.Request, []byte(*post.Text), 0)
	}
	if n := int(q.BodySize); n > 0 && n != len(x.Request.Body) && x.Request.Framing.Coding == "" {
		x.Gaps.Request = true
	}
	return nil
}

// readResponse fills in the response of an exchange. Without one nothing is known about the server: the program that sent
// the request may have given up.
func (e *entry) readResponse(x *record.Exchange) {
	p := e.Response
	x.Response.Framing = record.Framing{Kind: "none", Declared: -1}
	if p == nil || p.Status < 100 || p.Status > 999 {
		x.Ended, x.Trouble = record.Aborted, "the recording has no response"
		return
	}
	line := versionOf(string(p.HTTPVersion)) + " " + strconv.Itoa(int(p.Status))
	if reason := strings.Map(keepPrintable, string(p.StatusText)); reason != "" {
		line += " " + reason
	}
	x.Response.Head = buildHead(line, p.Headers)
	c := &p.Content
	switch {
	case p.Error != nil || c.Truncated != nil && c.Truncated != false:
		x.Gaps.Response = true
	case c.Text == nil || *c.Text == "" && c.Size != 0:
		x.Gaps.Response = c.Size > 0 || c.File != "" || p.BodySize > 0 || mayHaveBody(x)
	}
	if c.Text == nil {
		return
	}
	body := []byte(*c.Text)
	if c.Encoding == "base64" {
		decoded, err := base64.StdEncoding.DecodeString(*c.Text)
		if body = decoded; err != nil {
			x.Gaps.Response, body = true, nil
		}
	}
	if c.Size > 0 && int(c.Size) != len(body) || len(body) > record.MaxBody {
		x.Gaps.Response = true
	}
	setBody(&x.Response, body[:min(len(body), record.MaxBody)], x.End)
}

// mayHaveBody reports whether a response without a body in the recording may have had one.
func mayHaveBody(x *record.Exchange) bool {
	status := x.Response.Status()
	if x.Request.Method() == http.MethodHead || status == http.StatusNoContent || status == http.StatusNotModified || status < 200 {
		return false
	}
	return x.Response.Header().Get("Content-Length") != "0"
}

// hasBody reports whether the fields of a request show that it has a body.
func hasBody(m *record.Message) bool {
	h := m.Header()
	n := h.Get("Content-Length")
	return n != "" && n != "0" || h.Get("Transfer-Encoding") != ""
}

// setBody sets the body of a message, which came at an instant. Exporters write bodies without their content coding.
func setBody(m *record.Message, body []byte, at record.Instant) {
	m.Framing.Coding = m.ContentCoding()
	m.Framing.Received = int64(len(body))
	if coding := m.Header().Get("Content-Encoding"); len(body) > 0 && coding != "" {
		m.Framing.Coding = strings.ToLower(coding)
	}
	m.Body = body
	if len(body) > 0 {
		m.Chunks = []record.Chunk{{At: at, N: len(body)}}
	}
}

// buildHead writes the head of a message from its parsed form. Pseudo-header fields of HTTP/2 are left out, since the
// first line has their contents.
func buildHead(line string, fields []field) []byte {
	head := []byte(line + "\r\n")
	for _, f := range fields[:min(len(fields), record.MaxFields)] {
		name := string(f.Name)
		if !httpguts.ValidHeaderFieldName(name) {
			continue
		}
		for value := range strings.SplitSeq(string(f.Value), "\n") { // some write repeated fields so
			head = append(head, name+": "+strings.Map(keepPrintable, value)+"\r\n"...)
		}
		if len(head) > record.MaxHead {
			break
		}
	}
	return append(head, "\r\n"...)
}

// keepPrintable is for strings.Map: it removes what cannot be in a field of HTTP.
func keepPrintable(c rune) rune {
	if c < ' ' && c != '\t' || c == 0x7f {
		return -1
	}
	return c
}

// versionOf returns the version of HTTP as heads have it: exporters also write h2, h3 or nothing.
func versionOf(s string) string {
	switch s = strings.ToUpper(s); {
	case strings.HasPrefix(s, "HTTP/2"), s == "H2":
		return "HTTP/2"
	case strings.HasPrefix(s, "HTTP/3"), s == "H3":
		return "HTTP/3"
	case s == "HTTP/1.0":
		return s
	}
	return "HTTP/1.1"
}
