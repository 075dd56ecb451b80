package hostile

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"net"
	"strings"
	"time"
)

// lies are the kinds of misbehaviour of which random servers make their answers.
var lies = []func(*wording){
	lieInStatusLine, lieInInterim, lieBefore, lieAfter, lieInField, lieInManyFields, lieInFieldName, lieTwice, lieFolded, lieInLength, lieInLengths,
	lieInChunks, lieInChunkLines, lieInTrailer, lieInTransferCoding, lieInCoding, lieInBody, lieInPieces, lieByClosing, lieBySilence, lieAboutKeeping,
}

func lieInStatusLine(w *wording) {
	switch w.r.IntN(4) {
	case 0:
		w.version = one(w.r, "HTTP/2.0", "HTTP/0.9", "HTTP/1.0", "HTTP/1.9", "HTTP/3", "http/1.1", "HTTP/11", "ICY", "", w.token())
	case 1:
		w.status = one(w.r, "099", "000", "200.5", "20", "2000", "-200", "204", "205", "206", "304", "100", "101", "102", "199", "299", "302", "401", "403", "404", "407", "408",
			"413", "426", "429", "431", "451", "499", "500", "502", "503", "504", "599", "600", "999", "", "0x200", w.token())
	case 2:
		w.reason = one(w.r, "", w.token(), Lines, Unseen, "\x1b[31mred\x07", strings.Repeat("r", 1<<w.r.IntN(20)), "a\x00b", "a\rb", "\xff\xfe")
	default:
		w.version, w.status = w.version+one(w.r, " ", "\t", "  "), w.status+one(w.r, " ", "\t", "")
	}
}

// lieInInterim: some before the answer, with and without sense.
func lieInInterim(w *wording) {
	n := one(w.r, 1, 2, 6, 50, 500)
	piece := one(w.r,
		"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 102 Processing\r\n\r\n", "HTTP/1.1 199 "+w.token()+"\r\n\r\n",
		"HTTP/1.1 103 Early\r\nContent-Length: 5\r\n\r\n", "HTTP/1.1 103 Early\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 100\r\nX-Long: "+strings.Repeat("i", 2000)+"\r\n\r\n")
	w.before += strings.Repeat(piece, n)
}

func lieBefore(w *wording) {
	w.before = one(w.r, "\r\n", "\r\n\r\n\r\n", " ", "\x00", "garbage\r\n", w.token()+"\r\n", "\xef\xbb\xbf", strings.Repeat("\n", 5000), "HTTP/1.1 ",
		switched, "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}") + w.before
}

func lieAfter(w *wording) {
	w.after = one(w.r, "\r\n", "garbage", w.token(), strings.Repeat("a", 1<<w.r.IntN(22)), strings.Repeat(okJSON+"Content-Length: 2\r\n\r\n{}", 1+w.r.IntN(40)),
		okJSON+"Content-Length: 1000\r\n\r\n{", "HTTP/1.1 400 Bad Request\r\n\r\n", "\x15\x03\x01\x00\x02\x02\x28")
	w.keep = w.r.IntN(2) == 0
}

func lieInField(w *wording) {
	name := one(w.r, "X-Anything", "Content-Type", "Location", "Set-Cookie", "Retry-After", "X-RateLimit-Remaining", "RateLimit", "WWW-Authenticate", "Date", "Server",
		"Connection", "Upgrade", "Trailer", "Content-Range", "Age", "Warning", "Link", "Content-Disposition")
	w.add(name, one(w.r, "", w.token(), Lines, Unseen, "a\x00b", "a\rb", "a\x7fb", "\x1b]0;title\x07", "\xff\xfe\xc0", "\u202edesrever", strings.Repeat("v", 1<<w.r.IntN(21)),
		"-1", "0", "1e400", "99999999999999999999", "close, keep-alive, upgrade", "http://169.254.169.254/", `Bearer realm="`+w.token()+`"`, `";=,\`))
}

func lieInManyFields(w *wording) {
	n := one(w.r, 50, 500, 5000, 40_000)
	for i := range n {
		w.head = append(w.head, fmt.Sprintf("X-%d: %d", i, i))
	}
}

func lieInFieldName(w *wording) {
	w.head = append(w.head, one(w.r, "no colon here", ": no name", "X Blank: x", "X-Blank : x", "X-N\x00ul: x", "\x1b[2J: x", "Ünïcode: x", w.token()+": x", w.token(),
		strings.Repeat("n", 1<<w.r.IntN(18))+": x", "X-Hash#: x", "(comment): x", "X-Tab\t: x", ":", "="))
}

func lieTwice(w *wording) {
	name := one(w.r, "Content-Type", "Content-Length", "Transfer-Encoding", "Content-Encoding", "Connection", "Location", "Date", "ETag", "Host")
	for range 1 + w.r.IntN(3) {
		w.add(name, one(w.r, "text/html", "application/json", "text/event-stream", "0", "5", "5, 5", "chunked", "identity", "gzip", "close", "/", w.token()))
	}
}

func lieFolded(w *wording) {
	w.head = append(w.head, one(w.r, "X-Folded: a\r\n b", "X-Folded:\r\n\t"+w.token(), "X-Folded: a\r\n \r\n b", " folded from the status line", "X-LF: a\nX-Hidden: b", "X-CR: a\rX-Hidden: b",
		"X-Folded: "+strings.Repeat("\r\n x", 500)))
}

// byLength frames the body as it should be.
func (w *wording) byLength() ([]string, string) {
	return []string{fmt.Sprintf("Content-Length: %d", len(w.body))}, w.body
}

// length frames the body by what is no length of it.
func (w *wording) length(fields ...string) {
	w.framed = func() (head []string, _ string) {
		for _, f := range fields {
			head = append(head, "Content-Length: "+strings.ReplaceAll(f, "LEN", fmt.Sprint(len(w.body))))
		}
		return head, w.body
	}
}

func lieInLength(w *wording) {
	w.length(one(w.r, "LEN0", "1", "0", "-1", "-LEN", "+LEN", "0xLEN", "00000LEN", "LEN.0", "LEN;", "LEN, LEN", "LEN, 5", "LEN LEN", "", "9223372036854775807", "99999999999999999999999", w.token()))
	w.keep = w.r.IntN(3) == 0
}

func lieInLengths(w *wording) {
	w.length(one(w.r, []string{"LEN", "LEN"}, []string{"LEN", "5"}, []string{"5", "LEN"}, []string{"LEN", ""}, []string{}, []string{"LEN", w.token()}, []string{"0", "LEN"})...)
}

// chunked frames the body in pieces, as it should be, but for what lines and ends are
// made into.
func (w *wording) chunked(line func(size int) string, end, last string) {
	w.framed = func() ([]string, string) {
		var b strings.Builder
		for rest := w.body; rest != ""; {
			n := min(len(rest), 1+w.r.IntN(400))
			b.WriteString(line(n) + "\r\n" + rest[:n] + end)
			rest = rest[n:]
		}
		return []string{"Transfer-Encoding: chunked"}, b.String() + last
	}
}

func hexadecimal(n int) string { return fmt.Sprintf("%x", n) }

func lieInChunks(w *wording) {
	w.chunked(hexadecimal, one(w.r, "\r\n", "\r\n", "\n", "", "\r\n\r\n", "xx\r\n"), one(w.r, "0\r\n\r\n", "", "0\r\n", "0", "00000\r\n\r\n", "-0\r\n\r\n", "0\r\n\r\n0\r\n\r\n", "fffffffffffffff\r\nx"))
	w.keep = w.r.IntN(4) == 0
}

func lieInChunkLines(w *wording) {
	tail := one(w.r, ";ext", ";ext="+w.token(), ";"+strings.Repeat("e", 1<<w.r.IntN(16)), " ", "\t;", ";\x00", ";a=\"b\r\n\"", "")
	size := one(w.r, hexadecimal, hexadecimal, func(n int) string { return "0x" + hexadecimal(n) }, func(n int) string { return "-" + hexadecimal(n) },
		func(n int) string { return strings.ToUpper(hexadecimal(n)) }, func(n int) string { return strings.Repeat("0", 300) + hexadecimal(n) },
		func(n int) string { return hexadecimal(n + 1) }, func(n int) string { return "ffffffffffffffff" + hexadecimal(n) }, func(int) string { return w.token() })
	w.chunked(func(n int) string { return size(n) + tail }, "\r\n", "0\r\n\r\n")
}

func lieInTrailer(w *wording) {
	w.add("Trailer", "X-Sum")
	w.chunked(hexadecimal, "\r\n", "0\r\n"+one(w.r, "X-Sum: 1\r\n\r\n", "X-Sum: "+w.token()+"\r\n\r\n", "Content-Length: 5\r\nTransfer-Encoding: gzip\r\n\r\n", "no colon\r\n\r\n", "X-Sum: ",
		strings.Repeat("X-Sum: 1\r\n", 1<<w.r.IntN(14))+"\r\n", "X-Sum: "+strings.Repeat("t", 1<<w.r.IntN(20))+"\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"))
	w.keep = w.r.IntN(3) == 0
}

func lieInTransferCoding(w *wording) {
	coding := one(w.r, "identity", "gzip", "gzip, chunked", "chunked, gzip", "chunked, chunked", "xchunked", "Chunked ", "chunked;q=1", "", "\x0bchunked", w.token())
	also := one(w.r, "", "Content-Length: 5")
	framed := w.framed
	w.framed = func() ([]string, string) {
		head, body := framed()
		if also != "" {
			head = append(head, also)
		}
		return append(head, "Transfer-Encoding: "+coding), body
	}
}

// lieInCoding: the body is coded by then, so that what is spoiled is spoiled in code.
func lieInCoding(w *wording) {
	w.add("Content-Encoding", one(w.r, "gzip", "gzip", "gzip", "x-gzip", "GZIP", "deflate", "br", "zstd", "gzip, gzip", "identity", "", w.token()))
	var b bytes.Buffer
	switch w.r.IntN(5) {
	case 0: // by name only
		return
	case 1:
		z := zlib.NewWriter(&b)
		fmt.Fprint(z, w.body)
		z.Close()
	default:
		z := gzip.NewWriter(&b)
		z.Comment = one(w.r, "", strings.Repeat("c", 5000))
		fmt.Fprint(z, w.body)
		if w.r.IntN(4) == 0 {
			flood(z, one(w.r, " ", "0,", "\x00"), 20<<20)
		}
		z.Close()
	}
	packed := b.Bytes()
	switch w.r.IntN(4) {
	case 0:
		packed = packed[:w.r.IntN(len(packed)+1)]
	case 1:
		packed[w.r.IntN(len(packed))] ^= 1 << w.r.IntN(8)
	case 2:
		packed = append(packed, w.token()...)
	}
	w.body = string(packed)
}

func lieInBody(w *wording) {
	switch w.r.IntN(6) {
	case 0:
		w.body = one(w.r, "", "{}", "[]", "null", "<html>"+w.token()+"</html>", Lines, Unseen, "\x00", "\xff", w.body+w.body, strings.Repeat("[", 5000), strings.Repeat(" ", 1<<20)+w.body)
	case 1:
		w.body = w.body[:w.r.IntN(len(w.body)+1)]
	case 2:
		w.body = strings.ReplaceAll(w.body, `"jsonrpc"`, `"`+quoted(w.token())+`":1,"jsonrpc"`)
	case 3:
		w.body = strings.Replace(w.body, `"result":{`, `"result":{"x":"`+strings.Repeat(quoted(w.token()), 1+w.r.IntN(2000))+`",`, 1)
	case 4:
		at := w.r.IntN(len(w.body) + 1)
		w.body = w.body[:at] + one(w.r, "\x00", "\n", "\xff", "}", `"`, `\`, "\xef\xbb\xbf", w.token()) + w.body[at:]
	default:
		w.body += one(w.r, "\n", "\x00", w.token(), strings.Repeat("\n", 1<<20))
	}
}

// lieInPieces: with pauses that a client has to bear, and some that it need not.
func lieInPieces(w *wording) {
	pause := one(w.r, 0, time.Millisecond, 5*time.Millisecond, 100*time.Millisecond, time.Second)
	w.deliver = func(c net.Conn, text string) bool {
		for rest := text; rest != ""; {
			n := min(len(rest), 1+w.r.IntN(max(1, len(text)/10)))
			if _, err := c.Write([]byte(rest[:n])); err != nil {
				return false
			}
			rest = rest[n:]
			w.pause(pause)
		}
		return true
	}
}

func lieByClosing(w *wording) {
	how := w.r.IntN(3)
	w.deliver = func(c net.Conn, text string) bool {
		c.Write([]byte(text[:w.r.IntN(len(text)+1)]))
		switch how {
		case 0:
			reset(c)
		case 1:
			if half, ok := c.(*net.TCPConn); ok {
				half.CloseWrite()
				w.hold(c)
			}
		}
		return false
	}
}

func lieBySilence(w *wording) {
	w.deliver = func(c net.Conn, text string) bool {
		c.Write([]byte(text[:w.r.IntN(len(text)+1)]))
		w.hold(c)
		return false
	}
}

func lieAboutKeeping(w *wording) {
	w.add("Connection", one(w.r, "keep-alive", "close", "keep-alive, close", "upgrade", "X-Anything", w.token()))
	w.add("Keep-Alive", one(w.r, "timeout=1000, max=1000", "timeout=0", "timeout=-1", w.token()))
	w.keep = w.r.IntN(2) == 0
}
