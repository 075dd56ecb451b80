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

// answerFaults are the kinds of misbehaviour of which random servers make their answers.
var answerFaults = []func(*answerDraft){
	lieInStatusLine, lieInInterim, lieBefore, lieAfter, lieInField, lieInManyFields, lieInFieldName, lieTwice, lieFolded, lieInLength, lieInLengths,
	lieInChunks, lieInChunkLines, lieInTrailer, lieInTransferCoding, lieInCoding, lieInBody, lieInPieces, lieByClosing, lieBySilence, lieAboutKeeping,
}

func lieInStatusLine(w *answerDraft) {
	switch w.r.IntN(4) {
	case 0:
		w.version = pickOne(w.r, "HTTP/2.0", "HTTP/0.9", "HTTP/1.0", "HTTP/1.9", "HTTP/3", "http/1.1", "HTTP/11", "ICY", "", w.pickCredentialOrCommand())
	case 1:
		w.status = pickOne(w.r, "099", "000", "200.5", "20", "2000", "-200", "204", "205", "206", "304", "100", "101", "102", "199", "299", "302", "401", "403", "404", "407", "408",
			"413", "426", "429", "431", "451", "499", "500", "502", "503", "504", "599", "600", "999", "", "0x200", w.pickCredentialOrCommand())
	case 2:
		w.reason = pickOne(w.r, "", w.pickCredentialOrCommand(), Lines, Unseen, "\x1b[31mred\x07", strings.Repeat("r", 1<<w.r.IntN(20)), "a\x00b", "a\rb", "\xff\xfe")
	default:
		w.version, w.status = w.version+pickOne(w.r, " ", "\t", "  "), w.status+pickOne(w.r, " ", "\t", "")
	}
}

// lieInInterim: some before the answer, with and without sense.
func lieInInterim(w *answerDraft) {
	n := pickOne(w.r, 1, 2, 6, 50, 500)
	piece := pickOne(w.r,
		"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 102 Processing\r\n\r\n", "HTTP/1.1 199 "+w.pickCredentialOrCommand()+"\r\n\r\n",
		"HTTP/1.1 103 Early\r\nContent-Length: 5\r\n\r\n", "HTTP/1.1 103 Early\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 100\r\nX-Long: "+strings.Repeat("i", 2000)+"\r\n\r\n")
	w.before += strings.Repeat(piece, n)
}

func lieBefore(w *answerDraft) {
	w.before = pickOne(w.r, "\r\n", "\r\n\r\n\r\n", " ", "\x00", "garbage\r\n", w.pickCredentialOrCommand()+"\r\n", "\xef\xbb\xbf", strings.Repeat("\n", 5000), "HTTP/1.1 ",
		switched, "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}") + w.before
}

func lieAfter(w *answerDraft) {
	w.after = pickOne(w.r, "\r\n", "garbage", w.pickCredentialOrCommand(), strings.Repeat("a", 1<<w.r.IntN(22)), strings.Repeat(okJSON+"Content-Length: 2\r\n\r\n{}", 1+w.r.IntN(40)),
		okJSON+"Content-Length: 1000\r\n\r\n{", "HTTP/1.1 400 Bad Request\r\n\r\n", "\x15\x03\x01\x00\x02\x02\x28")
	w.keep = w.r.IntN(2) == 0
}

func lieInField(w *answerDraft) {
	name := pickOne(w.r, "X-Anything", "Content-Type", "Location", "Set-Cookie", "Retry-After", "X-RateLimit-Remaining", "RateLimit", "WWW-Authenticate", "Date", "Server",
		"Connection", "Upgrade", "Trailer", "Content-Range", "Age", "Warning", "Link", "Content-Disposition")
	w.addHeader(name, pickOne(w.r, "", w.pickCredentialOrCommand(), Lines, Unseen, "a\x00b", "a\rb", "a\x7fb", "\x1b]0;title\x07", "\xff\xfe\xc0", "\u202edesrever", strings.Repeat("v", 1<<w.r.IntN(21)),
		"-1", "0", "1e400", "99999999999999999999", "close, keep-alive, upgrade", "http://169.254.169.254/", `Bearer realm="`+w.pickCredentialOrCommand()+`"`, `";=,\`))
}

func lieInManyFields(w *answerDraft) {
	n := pickOne(w.r, 50, 500, 5000, 40_000)
	for i := range n {
		w.head = append(w.head, fmt.Sprintf("X-%d: %d", i, i))
	}
}

func lieInFieldName(w *answerDraft) {
	w.head = append(w.head, pickOne(w.r, "no colon here", ": no name", "X Blank: x", "X-Blank : x", "X-N\x00ul: x", "\x1b[2J: x", "Ünïcode: x", w.pickCredentialOrCommand()+": x", w.pickCredentialOrCommand(),
		strings.Repeat("n", 1<<w.r.IntN(18))+": x", "X-Hash#: x", "(comment): x", "X-Tab\t: x", ":", "="))
}

func lieTwice(w *answerDraft) {
	name := pickOne(w.r, "Content-Type", "Content-Length", "Transfer-Encoding", "Content-Encoding", "Connection", "Location", "Date", "ETag", "Host")
	for range 1 + w.r.IntN(3) {
		w.addHeader(name, pickOne(w.r, "text/html", "application/json", "text/event-stream", "0", "5", "5, 5", "chunked", "identity", "gzip", "close", "/", w.pickCredentialOrCommand()))
	}
}

func lieFolded(w *answerDraft) {
	w.head = append(w.head, pickOne(w.r, "X-Folded: a\r\n b", "X-Folded:\r\n\t"+w.pickCredentialOrCommand(), "X-Folded: a\r\n \r\n b", " folded from the status line", "X-LF: a\nX-Hidden: b", "X-CR: a\rX-Hidden: b",
		"X-Folded: "+strings.Repeat("\r\n x", 500)))
}

// byLength frames the body as it should be.
func (w *answerDraft) byLength() ([]string, string) {
	return []string{fmt.Sprintf("Content-Length: %d", len(w.body))}, w.body
}

// setContentLengthFraming frames the body by what is no length of it.
func (w *answerDraft) setContentLengthFraming(fields ...string) {
	w.framed = func() (head []string, _ string) {
		for _, f := range fields {
			head = append(head, "Content-Length: "+strings.ReplaceAll(f, "LEN", fmt.Sprint(len(w.body))))
		}
		return head, w.body
	}
}

func lieInLength(w *answerDraft) {
	w.setContentLengthFraming(pickOne(w.r, "LEN0", "1", "0", "-1", "-LEN", "+LEN", "0xLEN", "00000LEN", "LEN.0", "LEN;", "LEN, LEN", "LEN, 5", "LEN LEN", "", "9223372036854775807", "99999999999999999999999", w.pickCredentialOrCommand()))
	w.keep = w.r.IntN(3) == 0
}

func lieInLengths(w *answerDraft) {
	w.setContentLengthFraming(pickOne(w.r, []string{"LEN", "LEN"}, []string{"LEN", "5"}, []string{"5", "LEN"}, []string{"LEN", ""}, []string{}, []string{"LEN", w.pickCredentialOrCommand()}, []string{"0", "LEN"})...)
}

// setChunkedFraming frames the body in pieces, as it should be, but for what lines and ends are
// made into.
func (w *answerDraft) setChunkedFraming(line func(size int) string, end, last string) {
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

func formatHex(n int) string { return fmt.Sprintf("%x", n) }

func lieInChunks(w *answerDraft) {
	w.setChunkedFraming(formatHex, pickOne(w.r, "\r\n", "\r\n", "\n", "", "\r\n\r\n", "xx\r\n"), pickOne(w.r, "0\r\n\r\n", "", "0\r\n", "0", "00000\r\n\r\n", "-0\r\n\r\n", "0\r\n\r\n0\r\n\r\n", "fffffffffffffff\r\nx"))
	w.keep = w.r.IntN(4) == 0
}

func lieInChunkLines(w *answerDraft) {
	tail := pickOne(w.r, ";ext", ";ext="+w.pickCredentialOrCommand(), ";"+strings.Repeat("e", 1<<w.r.IntN(16)), " ", "\t;", ";\x00", ";a=\"b\r\n\"", "")
	size := pickOne(w.r, formatHex, formatHex, func(n int) string { return "0x" + formatHex(n) }, func(n int) string { return "-" + formatHex(n) },
		func(n int) string { return strings.ToUpper(formatHex(n)) }, func(n int) string { return strings.Repeat("0", 300) + formatHex(n) },
		func(n int) string { return formatHex(n + 1) }, func(n int) string { return "ffffffffffffffff" + formatHex(n) }, func(int) string { return w.pickCredentialOrCommand() })
	w.setChunkedFraming(func(n int) string { return size(n) + tail }, "\r\n", "0\r\n\r\n")
}

func lieInTrailer(w *answerDraft) {
	w.addHeader("Trailer", "X-Sum")
	w.setChunkedFraming(formatHex, "\r\n", "0\r\n"+pickOne(w.r, "X-Sum: 1\r\n\r\n", "X-Sum: "+w.pickCredentialOrCommand()+"\r\n\r\n", "Content-Length: 5\r\nTransfer-Encoding: gzip\r\n\r\n", "no colon\r\n\r\n", "X-Sum: ",
		strings.Repeat("X-Sum: 1\r\n", 1<<w.r.IntN(14))+"\r\n", "X-Sum: "+strings.Repeat("t", 1<<w.r.IntN(20))+"\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"))
	w.keep = w.r.IntN(3) == 0
}

func lieInTransferCoding(w *answerDraft) {
	coding := pickOne(w.r, "identity", "gzip", "gzip, chunked", "chunked, gzip", "chunked, chunked", "xchunked", "Chunked ", "chunked;q=1", "", "\x0bchunked", w.pickCredentialOrCommand())
	also := pickOne(w.r, "", "Content-Length: 5")
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
func lieInCoding(w *answerDraft) {
	w.addHeader("Content-Encoding", pickOne(w.r, "gzip", "gzip", "gzip", "x-gzip", "GZIP", "deflate", "br", "zstd", "gzip, gzip", "identity", "", w.pickCredentialOrCommand()))
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
		z.Comment = pickOne(w.r, "", strings.Repeat("c", 5000))
		fmt.Fprint(z, w.body)
		if w.r.IntN(4) == 0 {
			writeRepeatedly(z, pickOne(w.r, " ", "0,", "\x00"), 20<<20)
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
		packed = append(packed, w.pickCredentialOrCommand()...)
	}
	w.body = string(packed)
}

func lieInBody(w *answerDraft) {
	switch w.r.IntN(6) {
	case 0:
		w.body = pickOne(w.r, "", "{}", "[]", "null", "<html>"+w.pickCredentialOrCommand()+"</html>", Lines, Unseen, "\x00", "\xff", w.body+w.body, strings.Repeat("[", 5000), strings.Repeat(" ", 1<<20)+w.body)
	case 1:
		w.body = w.body[:w.r.IntN(len(w.body)+1)]
	case 2:
		w.body = strings.ReplaceAll(w.body, `"jsonrpc"`, `"`+escapeJSON(w.pickCredentialOrCommand())+`":1,"jsonrpc"`)
	case 3:
		w.body = strings.Replace(w.body, `"result":{`, `"result":{"x":"`+strings.Repeat(escapeJSON(w.pickCredentialOrCommand()), 1+w.r.IntN(2000))+`",`, 1)
	case 4:
		at := w.r.IntN(len(w.body) + 1)
		w.body = w.body[:at] + pickOne(w.r, "\x00", "\n", "\xff", "}", `"`, `\`, "\xef\xbb\xbf", w.pickCredentialOrCommand()) + w.body[at:]
	default:
		w.body += pickOne(w.r, "\n", "\x00", w.pickCredentialOrCommand(), strings.Repeat("\n", 1<<20))
	}
}

// lieInPieces: with pauses that a client has to bear, and some that it need not.
func lieInPieces(w *answerDraft) {
	pause := pickOne(w.r, 0, time.Millisecond, 5*time.Millisecond, 100*time.Millisecond, time.Second)
	w.deliver = func(c net.Conn, text string) bool {
		for rest := text; rest != ""; {
			n := min(len(rest), 1+w.r.IntN(max(1, len(text)/10)))
			if _, err := c.Write([]byte(rest[:n])); err != nil {
				return false
			}
			rest = rest[n:]
			w.sleepUnlessStopped(pause)
		}
		return true
	}
}

func lieByClosing(w *answerDraft) {
	how := w.r.IntN(3)
	w.deliver = func(c net.Conn, text string) bool {
		c.Write([]byte(text[:w.r.IntN(len(text)+1)]))
		switch how {
		case 0:
			resetConnection(c)
		case 1:
			if half, ok := c.(*net.TCPConn); ok {
				half.CloseWrite()
				w.holdOpen(c)
			}
		}
		return false
	}
}

func lieBySilence(w *answerDraft) {
	w.deliver = func(c net.Conn, text string) bool {
		c.Write([]byte(text[:w.r.IntN(len(text)+1)]))
		w.holdOpen(c)
		return false
	}
}

func lieAboutKeeping(w *answerDraft) {
	w.addHeader("Connection", pickOne(w.r, "keep-alive", "close", "keep-alive, close", "upgrade", "X-Anything", w.pickCredentialOrCommand()))
	w.addHeader("Keep-Alive", pickOne(w.r, "timeout=1000, max=1000", "timeout=0", "timeout=-1", w.pickCredentialOrCommand()))
	w.keep = w.r.IntN(2) == 0
}
