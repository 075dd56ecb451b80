package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A few calls may be made again by a shell script, which keeps what it sent and what
// came in a folder. What the calls were for is in KeptFile; the two
// together are a transcript, which is judged like any other.

// KeptFile is the name of the file with the purpose of the calls of a folder.
const KeptFile = "conversation.json"

// keptFormat is the format of that file.
const keptFormat = 1

// Bounds of a folder. No script makes as many calls, or has as much to say of them.
const (
	maxKept      = 2 << 20 // bytes of KeptFile
	maxKeptCalls = 200
	maxKeptSmall = 64 << 10 // bytes of what is neither an answer nor a request
)

// KeptCalls is what a script knows of the calls that it makes: all of a transcript but
// the bodies.
type KeptCalls struct {
	Format      int        `json:"format"`
	Requirement string     `json:"requirement"` // that is judged by them
	Started     time.Time  `json:"started"`
	Origin      string     `json:"origin"` // of the server that was judged, such as http://localhost:9999
	Facts       Facts      `json:"facts"`
	Plays       []harPlay  `json:"plays"`
	Calls       []KeptCall `json:"calls"`
	Carried     []string   `json:"carried,omitempty"` // ids that the server chose then; what it chose now is in the files carried-1, carried-2, …
}

// KeptCall is a call as it was recorded, without its body and the answer.
type KeptCall struct {
	Direction Direction `json:"direction"`
	URL       string    `json:"url"`
	Head      []byte    `json:"head,omitempty"`
	Document  []byte    `json:"document,omitempty"` // that the operator gave
	Cut       bool      `json:"cut,omitempty"`      // we ended it, having seen enough
	Gap       Instant   `json:"gap,omitempty"`      // how long after the one before it was sent
	Beside    bool      `json:"beside,omitempty"`   // while the one before it was still being answered,
	After     Instant   `json:"after,omitempty"`    // so long after that was sent
}

// MadeCall is what came of a call.
type MadeCall struct {
	URL     string  // its URL; "" for the recorded one
	Request []byte  // the body that was sent
	Answer  []byte  // head and body
	Code    int     // exit code of curl
	Trouble string  // error text of curl
	Took    Instant // from beginning to end
	Evenly  bool    // the lines of the answer are taken to have come one after the other, and not at its end
}

// Keep takes down what the calls of a transcript are for. The calls are those of its
// steps, in the order of plays and steps; they are returned with it.
func Keep(t *Transcript, requirement, origin string) (*KeptCalls, []*Exchange) {
	k := &KeptCalls{Format: keptFormat, Requirement: requirement, Started: t.Started, Origin: origin, Facts: t.Facts}
	var calls []*Exchange
	for i := range t.Plays {
		var before *Step
		k.Plays = append(k.Plays, toFilePlay(&t.Plays[i], func(s *Step) int {
			at := slices.Index(calls, s.Exchange)
			if at < 0 {
				at, calls = len(calls), append(calls, s.Exchange)
				k.Calls = append(k.Calls, keptCall(s, before))
				before = s
			}
			return at + 1
		}))
	}
	return k, calls
}

func keptCall(s, before *Step) KeptCall {
	x := s.Exchange
	c := KeptCall{Direction: x.Dir, URL: x.URL, Head: x.Request.Head, Gap: s.Wait, Cut: x.Ended == OurClose || x.Ended == Aborted}
	if x.Dir == Given {
		c.Document = x.Response.Body
	}
	if before == nil || x.Start >= before.Exchange.End {
		return c
	}
	// Odd calls go side by side only to save time.
	if moves := s.Role == Main && before.Role == Main; moves || before.Exchange.IsStream() {
		c.Beside, c.After = true, max(0, x.Start-before.Exchange.Start)
	}
	return c
}

// Made is a recorded call as it would be kept by a script that got the same answer. It
// returns why a script cannot make it, or could not keep what matters; "" if it can.
func (x *Exchange) Made() (m MadeCall, why string) {
	switch {
	case x.Dir == In:
		return m, "the server calls a webhook, and a shell script has none"
	case x.Dir == Given:
		return m, ""
	case x.Request.Recipe != nil:
		return m, "its request is too large to be written out"
	case x.GRPC() != nil || IsGRPC(x.Request.MediaType()):
		return m, "it goes over gRPC, which curl does not speak"
	case x.HTTP2 != nil:
		return m, "it goes over HTTP/2 frames that curl does not make"
	case x.Ended == Unsent || len(x.Request.Head) == 0:
		return m, "it was not sent"
	}
	m = MadeCall{URL: x.URL, Request: x.Request.Body, Answer: slices.Concat(x.Response.Head, x.Response.Body), Took: x.End - x.Start}
	switch x.Ended {
	case Reset:
		m.Code = 56
		if !x.Answered() {
			m.Code = 52
		}
	case Timeout, OurClose, Aborted:
		m.Code = 28
	case NoDial:
		m.Code = 7
		if !x.Refused() {
			m.Code = 35
		}
	case Limit:
		return m, "its answer is larger than is kept"
	}
	return m, ""
}

// Transcript is what the calls and what came of them make together. If a server gave
// other ids than then, renamed returns the new text for an old one.
func (k *KeptCalls) Transcript(made []MadeCall, renamed func(string) string) (*Transcript, error) {
	t := &Transcript{Started: k.Started, Facts: k.Facts}
	if len(made) != len(k.Calls) {
		return nil, fmt.Errorf("there are %d calls, and what came of %d", len(k.Calls), len(made))
	}
	now := Instant(0)
	for i, c := range k.Calls {
		at := now + c.Gap
		if c.Beside && i > 0 {
			at = t.Exchanges[i-1].Start + min(c.After, t.Exchanges[i-1].End-t.Exchanges[i-1].Start)
		}
		x, err := c.toExchange(made[i], at, renamed)
		if err != nil {
			return nil, fmt.Errorf("call %d: %w", i+1, err)
		}
		x.ID, now = i+1, max(now, x.End)
		t.Exchanges = append(t.Exchanges, x)
	}
	t.Duration = now
	var err error
	if t.Plays, err = fromFilePlays(k.Plays, t.Exchanges, "call"); err != nil {
		return nil, err
	}
	for i := range t.Plays {
		for j := range t.Plays[i].Steps {
			s := &t.Plays[i].Steps[j]
			s.Task, s.Context, s.Agent = renamed(s.Task), renamed(s.Context), renamed(s.Agent)
		}
	}
	return t, nil
}

func (c *KeptCall) toExchange(m MadeCall, at Instant, renamed func(string) string) (*Exchange, error) {
	x := &Exchange{Dir: c.Direction, URL: c.URL, Start: at, End: at + m.Took, Ended: EOF, Trouble: m.Trouble}
	x.Request.Framing, x.Response.Framing = Framing{Kind: "none", Declared: -1}, Framing{Kind: "none", Declared: -1}
	switch c.Direction {
	case Given:
		x.End, x.Response.Body = at, c.Document
		return x, nil
	case Out:
	default:
		return nil, fmt.Errorf("its direction is %q, and a script makes calls of its own only", c.Direction)
	}
	if m.URL != "" {
		x.URL = m.URL
	}
	x.Request.Head, x.Request.Body = c.rewriteRequestHead(x.URL, renamed), m.Request
	if len(m.Request) > 0 {
		x.Request.Framing = Framing{Kind: "length", Declared: int64(len(m.Request)), Received: int64(len(m.Request))}
	}
	switch m.Code {
	case 0, 8: // 8: curl does not like the head, and what it got of it is judged
	case 28:
		if x.Ended = Timeout; c.Cut {
			x.Ended = OurClose
		}
	case 5, 6, 7:
		x.Ended = NoDial
	case 35, 60, 77, 83, 90, 91:
		x.Ended, x.Trouble = NoDial, HandshakeTrouble+m.Trouble
	default:
		x.Ended = Reset
	}
	x.Response.readCurlAnswer(m.Answer, x.End)
	if m.Evenly {
		x.Response.setEvenlyTimedLineChunks(x.Start, x.End)
	}
	return x, nil
}

// rewriteRequestHead is the recorded head of a request, for the address and the ids of now.
func (c *KeptCall) rewriteRequestHead(address string, renamed func(string) string) []byte {
	first, rest, _ := strings.Cut(string(c.Head), "\n")
	method, _, _ := strings.Cut(first, " ")
	u, err := url.Parse(address)
	if err != nil {
		return []byte(renamed(string(c.Head)))
	}
	return []byte(method + " " + u.RequestURI() + " HTTP/1.1\r\n" + renamed(rest))
}

// readCurlAnswer takes apart what curl wrote of a response: heads as they came, and the body
// without its transfer coding.
func (m *Message) readCurlAnswer(text []byte, at Instant) {
	for {
		n := headEnd(text)
		m.Head, m.Body = text[:n], text[n:]
		if code := m.Status(); n == len(text) || code < 100 || code > 199 {
			break
		}
		m.Framing.Interim, text = append(m.Framing.Interim, m.Status()), m.Body
	}
	h := m.Header()
	switch declared, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64); {
	case len(m.Head) == 0:
		return
	case strings.Contains(strings.ToLower(h.Get("Transfer-Encoding")), "chunked"):
		m.Framing.Kind = "chunked"
	case err == nil && declared >= 0:
		m.Framing.Kind, m.Framing.Declared = "length", declared
	case len(m.Body) > 0:
		m.Framing.Kind = "close"
	}
	if m.Framing.Received = int64(len(m.Body)); len(m.Body) > 0 {
		m.Chunks = []Chunk{{At: at, N: len(m.Body)}}
	}
}

// setEvenlyTimedLineChunks has the lines of a body come one after the other. When they came is not known.
func (m *Message) setEvenlyTimedLineChunks(from, to Instant) {
	lines := bytes.SplitAfter(m.Body, []byte("\n"))
	m.Chunks = nil
	for i, l := range lines {
		if len(l) > 0 {
			m.Chunks = append(m.Chunks, Chunk{At: from + (to-from)*Instant(i+1)/Instant(len(lines)), N: len(l)})
		}
	}
}

// headEnd returns the offset of the body after a head: behind its first blank line.
func headEnd(text []byte) int {
	for at := 0; ; {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			return len(text)
		}
		at += n + 1
		if rest := bytes.TrimPrefix(text[at:], []byte("\r")); bytes.HasPrefix(rest, []byte("\n")) {
			return len(text) - len(rest) + 1
		}
	}
}

// ReadKept reads the transcript that a script left in a folder, and the requirement
// that it is about.
func ReadKept(dir fs.FS) (t *Transcript, requirement string, err error) {
	text, err := readSmall(dir, KeptFile, maxKept)
	if err != nil {
		return nil, "", err
	}
	var k KeptCalls
	if err := json.Unmarshal(text, &k); err != nil {
		return nil, "", fmt.Errorf("%s: it is not what a script writes: %w; run the script again", KeptFile, err)
	}
	switch {
	case k.Format != keptFormat:
		return nil, "", fmt.Errorf("%s: its format is %d, and this version reads %d; write the scripts anew with run or replay", KeptFile, k.Format, keptFormat)
	case len(k.Calls) > maxKeptCalls:
		return nil, "", fmt.Errorf("%s: it has %d calls, and a script makes at most %d", KeptFile, len(k.Calls), maxKeptCalls)
	case k.Started.Year() < 1970 || k.Started.Year() > 9000:
		return nil, "", fmt.Errorf("%s: started is in the year %d", KeptFile, k.Started.Year())
	}
	renamed, err := k.readIDReplacer(dir)
	if err != nil {
		return nil, "", err
	}
	var made []MadeCall
	kept := 0
	for i, c := range k.Calls {
		if c.Gap < 0 || c.Gap > time.Hour || c.After < 0 || c.After > time.Hour {
			return nil, "", fmt.Errorf("%s: calls[%d] is sent %v after the one before it", KeptFile, i, c.Gap)
		}
		var m MadeCall
		if c.Direction == Out {
			if m, err = readMade(dir, i+1); err != nil {
				return nil, "", err
			}
		}
		if kept += len(m.Request) + len(m.Answer); kept > MaxKept {
			return nil, "", fmt.Errorf("%d.answer: the answers have more than %d MiB together, which is more than is judged", i+1, MaxKept>>20)
		}
		made = append(made, m)
	}
	if t, err = k.Transcript(made, renamed); err != nil {
		return nil, "", fmt.Errorf("%s: %w", KeptFile, err)
	}
	if was, now := k.Origin, firstOrigin(made); was != "" && now != "" && was != now {
		t.Facts.replaceOrigin(was, now)
	}
	return t, k.Requirement, nil
}

// replaceOrigin has the facts speak of another server, at which the calls were made.
func (f *Facts) replaceOrigin(was, now string) {
	moved := func(address string) string {
		if rest, ok := strings.CutPrefix(address, was); ok && (rest == "" || strings.ContainsAny(rest[:1], "/?#")) {
			return now + rest
		}
		return address
	}
	f.Target, f.RPC = moved(f.Target), moved(f.RPC)
	for name, at := range f.Endpoints {
		f.Endpoints[name] = moved(at)
	}
}

// firstOrigin is the origin of the first call with a URL.
func firstOrigin(made []MadeCall) string {
	for _, m := range made {
		if u, err := url.Parse(m.URL); err == nil && u.Host != "" {
			return u.Scheme + "://" + u.Host
		}
	}
	return ""
}

// readIDReplacer returns a function from an id of the recording to the id of now: those of ours end in the
// digits of the repetition, and those that the server chose were read out of its
// answers.
func (k *KeptCalls) readIDReplacer(dir fs.FS) (func(string) string, error) {
	var pairs []string
	for i, old := range k.Carried {
		text, err := readSmall(dir, fmt.Sprintf("carried-%d", i+1), maxKeptSmall)
		if err != nil {
			return nil, err
		}
		if len(text) > 0 && old != "" {
			pairs = append(pairs, old, string(text))
		}
	}
	theirs := strings.NewReplacer(pairs...)
	run, err := readSmall(dir, "ids", maxKeptSmall)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return theirs.Replace, nil
	case err != nil:
		return nil, err
	case !madeNew.Match(run):
		return nil, errors.New("ids: it does not hold twelve digits; run the script again")
	}
	return func(s string) string {
		if out := theirs.Replace(s); out != s {
			return out
		}
		return ourIDs.ReplaceAllString(s, "${1}"+string(run))
	}, nil
}

var (
	madeNew = regexp.MustCompile(`^[0-9a-f]{12}$`)
	ourIDs  = regexp.MustCompile(`([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-)[0-9a-f]{12}`)
)

// readMade reads what came of a call.
func readMade(dir fs.FS, n int) (m MadeCall, err error) {
	name := strconv.Itoa(n)
	if m.Answer, err = readSmall(dir, name+".answer", MaxBody+MaxHead); err != nil {
		return m, err
	}
	if m.Request, err = readSmall(dir, name+".request", maxKeptSmall); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return m, err
	}
	end, err := readSmall(dir, name+".end", maxKeptSmall)
	if err != nil {
		return m, err
	}
	over := false
	for line := range strings.Lines(string(end)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "url":
			m.URL = rest
		case "time":
			seconds, _ := strconv.ParseFloat(strings.ReplaceAll(rest, ",", "."), 64) // some places write a comma
			m.Took = min(max(0, Instant(seconds*float64(time.Second))), time.Hour)
		case "code":
			m.Code, err = strconv.Atoi(rest)
			over = err == nil
		default:
			if m.Trouble == "" {
				m.Trouble = strings.TrimSpace(line)
			}
		}
	}
	if !over {
		return m, fmt.Errorf("%s.end: it does not say how the call ended; run the script again", name)
	}
	return m, nil
}

// readSmall reads a file of so many bytes at most.
func readSmall(dir fs.FS, name string, most int) ([]byte, error) {
	f, err := dir.Open(path.Clean(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing: %w; run the script again", name, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file; name the folder that a script wrote", name)
	}
	text, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case len(text) > most:
		return nil, fmt.Errorf("%s is larger than %d KiB, and scripts do not write such a file; run the script again", name, most>>10)
	}
	return text, nil
}
