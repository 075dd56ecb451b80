package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httputil"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// A trace of curl has a block for each piece that was sent or received: a line that describes it, and lines with the
// bytes. --trace writes all bytes in hexadecimal, --trace-ascii only the printable ones, and a dot for each other.
// --trace-time adds the time of day, and --trace-ids numbers of the transfer and the connection.
var (
	blockLine = regexp.MustCompile(`^(?:(\d\d):(\d\d):(\d\d)\.(\d{6}) )?(?:\[(\d+)(?:-(\d+|x))?\] )?(== Info: |=> Send header|<= Recv header|=> Send data|<= Recv data|=> Send SSL data|<= Recv SSL data)(?:, (\d+) bytes \(0x[0-9a-f]+\))?(.*)$`)
	bytesLine = regexp.MustCompile(`^([0-9a-f]{4,8}):(?: (.*))?$`)
)

// maxTraceLine is how long a line of a trace may be, in bytes. Lines with bytes have less than 100.
const maxTraceLine = 64 << 10

// looksLikeTrace reports whether a text begins like a trace of curl.
func looksLikeTrace(begin []byte) bool {
	line, _, _ := bytes.Cut(begin, []byte("\n"))
	return blockLine.Match(bytes.TrimRight(line, "\r"))
}

// trace reads the blocks of one file.
type trace struct {
	timed bool          // the blocks have times
	last  time.Duration // time of the block that was read last, since midnight
	days  time.Duration // that passed since the first block
	lossy bool          // bytes that cannot be printed were replaced by dots

	open   map[string]*transfer // under way, by their ids; "" without --trace-ids
	secure map[string]bool      // connections with TLS, by their names
	ended  []*transfer          // in the order in which they ended
}

// transfer is an exchange that is being put together.
type transfer struct {
	x          *record.Exchange
	connection string
	encrypted  bool
	answered   bool // a final response head came
	complete   bool // curl reports that the answer ended in order
	lossy      bool
}

// block is one piece of a trace.
type block struct {
	at   time.Duration
	id   string // of the transfer
	conn string // of the connection; "" without --trace-ids
	kind string
	text string // of an information
	size int
	data []line
}

// line is a line with bytes.
type line struct {
	offset int
	text   string
}

// addTrace reads a trace of curl.
func (r *Reader) addTrace(name string, in io.Reader) error {
	t := &trace{open: map[string]*transfer{}, secure: map[string]bool{}}
	sc := bufio.NewScanner(in)
	sc.Buffer(make([]byte, 4096), maxTraceLine)
	var b *block
	for number := 1; sc.Scan(); number++ {
		text := strings.TrimRight(sc.Text(), "\r")
		if m := blockLine.FindStringSubmatch(text); m != nil {
			t.takeBlock(b)
			b = t.beginBlock(m)
			continue
		}
		m := bytesLine.FindStringSubmatch(text)
		if m == nil || b == nil {
			if text == "" || b != nil && b.kind == "== Info: " {
				continue // an information of several lines
			}
			return fmt.Errorf("line %d is no line of a trace of curl", number)
		}
		offset, _ := strconv.ParseInt(m[1], 16, 64)
		b.data = append(b.data, line{int(offset), m[2]})
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("it cannot be read as a trace of curl: %w", err)
	}
	t.takeBlock(b)
	for _, id := range slices.Sorted(maps.Keys(t.open)) {
		t.endTransfer(id)
	}
	if len(t.ended) == 0 {
		return errors.New("the trace of curl has no request")
	}
	r.setSource("curl")
	first := t.ended[0].x.Start
	moved := r.alignToStart(t.findDate(first)) - first
	for _, now := range t.ended {
		moveInstants(now.x, moved)
		r.addExchange(name, now.connection, now.x)
	}
	if t.lossy {
		r.addNote("curl --trace-ascii leaves out bytes that cannot be printed; --trace keeps them")
	}
	if !t.timed {
		r.addNote("the trace of curl has no times; --trace-time adds them")
	}
	return nil
}

// beginBlock begins a block with the parts of its first line.
func (t *trace) beginBlock(m []string) *block {
	b := &block{id: m[5], conn: m[6], kind: m[7], text: m[9]}
	b.size, _ = strconv.Atoi(m[8])
	if m[1] != "" {
		t.timed = true
		var at time.Duration
		for i, unit := range []time.Duration{time.Hour, time.Minute, time.Second, time.Microsecond} {
			n, _ := strconv.Atoi(m[i+1])
			at += time.Duration(n) * unit
		}
		if at+t.days < t.last-12*time.Hour {
			t.days += 24 * time.Hour // midnight passed
		}
		t.last = at + t.days
	}
	b.at = t.last
	return b
}

// takeBlock adds a block to the transfer that it belongs to.
func (t *trace) takeBlock(b *block) {
	if b == nil {
		return
	}
	now := t.open[b.id]
	switch b.kind {
	case "== Info: ":
		t.takeInformation(now, b)
	case "=> Send header":
		if now != nil && len(now.x.Response.Head) > 0 {
			t.endTransfer(b.id)
			now = nil
		}
		if now == nil {
			now = t.beginTransfer(b)
		}
		now.x.Request.Head = append(now.x.Request.Head, now.readBlock(b)...)
	case "=> Send data":
		if now != nil {
			appendPiece(&now.x.Request, now.readBlock(b), b.at)
			now.x.End = b.at
		}
	case "<= Recv header":
		if now != nil {
			now.takeResponseHead(now.readBlock(b), b.at)
		}
	case "<= Recv data":
		if now != nil {
			appendPiece(&now.x.Response, now.readBlock(b), b.at)
			now.x.End = b.at
		}
	}
}

// takeInformation learns from what curl reports about a connection.
func (t *trace) takeInformation(now *transfer, b *block) {
	switch text := b.text; {
	case strings.Contains(text, "SSL connection using"):
		t.secure[b.id] = true
	case strings.HasPrefix(strings.TrimSpace(text), "Trying "):
		t.secure[b.id] = false
	case now == nil:
	case strings.HasPrefix(text, "Connection #") && strings.Contains(text, "left intact"):
		now.complete = true
	case strings.HasPrefix(text, "Closing connection"), strings.HasPrefix(text, "shutting down connection"):
		now.complete = now.complete || now.x.Ended == record.EOF
	case strings.Contains(text, "with outstanding read data remaining"), strings.Contains(text, "was not closed cleanly"),
		strings.Contains(text, "Recv failure"), strings.Contains(text, "Empty reply from server"):
		now.x.Ended, now.x.Trouble = record.Reset, text
	case strings.Contains(text, "timed out"), strings.Contains(text, "Callback aborted"):
		now.x.Ended, now.x.Trouble = record.Aborted, text
	}
}

// beginTransfer begins an exchange with the head of its request.
func (t *trace) beginTransfer(b *block) *transfer {
	now := &transfer{encrypted: t.secure[b.id], connection: b.conn, x: &record.Exchange{Dir: record.Out, Start: b.at, End: b.at, Ended: record.EOF,
		Gaps: &record.Gaps{Bytes: true}}}
	for _, m := range []*record.Message{&now.x.Request, &now.x.Response} {
		m.Framing = record.Framing{Kind: "none", Declared: -1}
	}
	t.open[b.id] = now
	return now
}

// takeResponseHead adds a line of a response's head. The head of an interim response is replaced by the one that follows.
func (now *transfer) takeResponseHead(text []byte, at record.Instant) {
	m := &now.x.Response
	if bytes.HasPrefix(text, []byte("HTTP/")) {
		if status := m.Status(); status >= 100 && status < 200 {
			m.Framing.Interim = append(m.Framing.Interim, status)
		}
		m.Head = nil
	}
	if len(m.Body) > 0 {
		m.Trailer = append(m.Trailer, text...)
		return
	}
	m.Head = append(m.Head, text...)
	now.answered = m.Status() >= 200
	now.x.End = at
}

// appendPiece appends a piece of a body, as it came.
func appendPiece(m *record.Message, piece []byte, at record.Instant) {
	if room := record.MaxBody - len(m.Body); len(piece) > room {
		m.Framing.Cut, piece = "too large", piece[:max(room, 0)]
	}
	if len(piece) > 0 {
		m.AppendBody(piece, at)
	}
}

// readBlock returns the bytes of a block.
func (now *transfer) readBlock(b *block) []byte {
	if out, ok := readHex(b); ok {
		return out
	}
	now.lossy = true
	return readPrintable(b)
}

// readHex reads lines of --trace: 16 bytes in hexadecimal, and the same as text.
func readHex(b *block) ([]byte, bool) {
	const perLine = 16
	out := make([]byte, 0, min(b.size, record.MaxBody))
	for _, l := range b.data {
		n := min(perLine, b.size-len(out))
		if l.offset != len(out) || n <= 0 || len(l.text) < 3*n-1 {
			return nil, false
		}
		for i := range n {
			v, err := strconv.ParseUint(l.text[3*i:3*i+2], 16, 8)
			if err != nil || len(l.text) > 3*i+2 && l.text[3*i+2] != ' ' {
				return nil, false
			}
			out = append(out, byte(v))
		}
	}
	return out, len(out) == b.size
}

// readPrintable reads lines of --trace-ascii. A line ends at a CR LF in the bytes, which shows by the offset of the next
// line, or after 64 bytes.
func readPrintable(b *block) []byte {
	var out []byte
	for i, l := range b.data {
		end := b.size
		if i+1 < len(b.data) {
			end = b.data[i+1].offset
		}
		out = append(out, l.text...)
		if end-l.offset-len(l.text) == 2 {
			out = append(out, "\r\n"...)
		}
	}
	return out
}

// endTransfer completes an exchange, and adds it to what was read.
func (t *trace) endTransfer(id string) {
	now := t.open[id]
	delete(t.open, id)
	x := now.x
	first, _, _ := bytes.Cut(x.Request.Head, []byte("\n"))
	line := strings.Fields(string(first))
	host := x.Request.Header().Get("Host")
	if len(line) < 2 || host == "" {
		return
	}
	x.URL = "http://" + host + line[1]
	if now.encrypted {
		x.URL = "https://" + host + line[1]
	}
	if strings.Contains(line[1], "://") {
		x.URL = line[1]
	}
	x.Gaps.Times = !t.timed
	for _, m := range []*record.Message{&x.Request, &x.Response} {
		removeChunks(m)
	}
	if n, err := strconv.Atoi(x.Request.Header().Get("Content-Length")); err == nil && n != len(x.Request.Body) {
		x.Gaps.Request = true
	}
	now.judgeEnd()
	if now.lossy {
		t.lossy = true
		x.Gaps.Request = restoreLineEnds(&x.Request) || x.Gaps.Request
		x.Gaps.Response = restoreLineEnds(&x.Response) || x.Gaps.Response
	}
	t.ended = append(t.ended, now)
}

// findDate returns the moment of an instant, by the first response with a date: a trace has times of day only. It is the
// beginning of 1970 if none has one.
func (t *trace) findDate(at record.Instant) time.Time {
	for _, now := range t.ended {
		if date, err := http.ParseTime(now.x.Response.Header().Get("Date")); err == nil && date.Year() >= 1970 {
			return date.Add(at - now.x.End)
		}
	}
	return time.Unix(0, 0).UTC()
}

// judgeEnd finds out how an exchange ended. A trace that ends before the response does, shows nothing: somebody may have
// stopped curl.
func (now *transfer) judgeEnd() {
	x := now.x
	m := &x.Response
	switch {
	case !now.answered && x.Ended == record.EOF:
		x.Ended, x.Trouble = record.Aborted, "the trace has no response"
	case x.Ended != record.EOF:
	default:
		declared, err := strconv.Atoi(m.Header().Get("Content-Length"))
		if !now.complete || err == nil && declared != len(m.Body) && m.Framing.Coding == "" && x.Request.Method() != http.MethodHead {
			x.Gaps.Response = len(m.Body) > 0 || err == nil && declared > 0
			if !now.complete {
				x.Ended, x.Trouble = record.Aborted, "the trace ends before the response"
			}
		}
	}
	if m.Framing.Cut != "" {
		x.Gaps.Response = true
	}
	if coding := m.ContentCoding(); coding != "" {
		x.Gaps.Response = m.DecodeDelivery(coding) != "" || x.Gaps.Response
	}
}

// removeChunks takes the chunked transfer coding off a body. Some versions of curl write it into their traces, and others
// write the text that was in it.
func removeChunks(m *record.Message) {
	if !strings.EqualFold(m.Header().Get("Transfer-Encoding"), "chunked") || len(m.Body) == 0 {
		return
	}
	in := &pieceReader{rest: m.Body, pieces: slices.Clone(m.Chunks)}
	text, pieces, err := in.readChunked()
	if err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) || len(text) == 0 && len(m.Body) > 5 {
		return
	}
	m.Body, m.Chunks = text, pieces
}

// pieceReader gives a body piece by piece, and knows when the last one came.
type pieceReader struct {
	rest   []byte
	pieces []record.Chunk // of the rest
	at     record.Instant // of the piece that was given last
}

// Read gives bytes of one piece. What is behind the last piece came with it.
func (r *pieceReader) Read(b []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	if len(r.pieces) > 0 {
		r.at = r.pieces[0].At
		b = b[:min(len(b), r.pieces[0].N)]
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	if len(r.pieces) > 0 {
		if r.pieces[0].N -= n; r.pieces[0].N == 0 {
			r.pieces = r.pieces[1:]
		}
	}
	return n, nil
}

// readChunked returns the text that is in the chunks of a body, and its pieces: each byte came with the piece that it is in. It reads
// one byte at a time, because a longer read would go on into later pieces. The error is io.EOF after the last chunk.
func (r *pieceReader) readChunked() (text []byte, pieces []record.Chunk, err error) {
	in := httputil.NewChunkedReader(r)
	for one := make([]byte, 1); err == nil; {
		var n int
		if n, err = in.Read(one); n == 0 {
			continue
		}
		text = append(text, one[0])
		if last := len(pieces) - 1; last >= 0 && pieces[last].At == r.at {
			pieces[last].N++
		} else {
			pieces = append(pieces, record.Chunk{At: r.at, N: 1})
		}
	}
	return text, pieces, err
}

// restoreLineEnds puts line ends in the place of the dots that stand for them in a body of --trace-ascii: outside of strings
// and numbers, JSON and event streams have no dots. It reports true if it cannot find out what the body was.
func restoreLineEnds(m *record.Message) (unknown bool) {
	if !bytes.Contains(m.Body, []byte(".")) {
		return false
	}
	if m.MediaType() == "text/event-stream" {
		m.Body = restoreStream(bytes.Clone(m.Body))
		return false
	}
	body := bytes.Clone(m.Body)
	for end := restoreJSON(body); end < len(body); end++ {
		if body[end] == '.' {
			body[end] = '\n'
		}
	}
	if _, faults := record.ObserveJSON(body); len(faults) > 0 {
		return true
	}
	m.Body = body
	return false
}

// restoreJSON restores the line ends in a text of JSON, and returns how many bytes of it are one value: what follows may
// be something else.
func restoreJSON(b []byte) int {
	depth, inString := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			if inString = !inString; !inString && depth == 0 {
				return i + 1
			}
		case inString:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case c == '.' && !(i > 0 && isDigit(b[i-1]) && i+1 < len(b) && isDigit(b[i+1])):
			b[i] = '\n'
		}
	}
	return len(b)
}

// restoreStream restores the line ends of an event stream: after each value of data, and after each other line as far as
// it is known.
func restoreStream(b []byte) []byte {
	for i := 0; i < len(b); {
		if b[i] == '.' {
			b[i] = '\n'
			i++
			continue
		}
		if value, is := bytes.CutPrefix(b[i:], []byte("data:")); is {
			value = bytes.TrimLeft(value, " ")
			i = len(b) - len(value)
			if len(value) > 0 && (value[0] == '{' || value[0] == '[') {
				i += restoreJSON(value)
				continue
			}
		}
		next := bytes.IndexAny(b[i:], ".\r\n")
		if next < 0 {
			break
		}
		if i += next; b[i] != '.' {
			i++
		}
	}
	return b
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
