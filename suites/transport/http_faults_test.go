package transport

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// judgeCommon judges the requirements that every dialect shares.
func judgeCommon(t *testing.T, recorded *record.Transcript) []verdict.Result {
	t.Helper()
	d := judgetest.Dialect(t, "  - {id: ZZ99-X-001, level: MUST, area: task, section: '1', statement: It holds., every: thing, check: x/y, with: {}}\n")
	return verdict.NewDecider(d, recorded, judge.Register(Checks()), nil).JudgeCommon(schema.Commons(), recorded)
}

// What clients take without a word, and is no answer that HTTP/1.1 has, is a finding
// that says what it is; what is sound is none.
func TestLegalButBrokenIsNotSilent(t *testing.T) {
	const (
		result = `{"jsonrpc":"2.0","id":1,"result":{}}`
		kind   = "Content-Type: application/json\r\n"
	)
	answer := func(line, more, body string) string {
		return fmt.Sprintf("%s\r\n%s%sContent-Length: %d\r\n\r\n%s", line, kind, more, len(body), body)
	}
	packed := func(cut int) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		fmt.Fprint(z, result)
		z.Close()
		return b.String()[:b.Len()-cut]
	}
	for _, c := range []struct{ name, answer, want string }{
		{"sound", answer("HTTP/1.1 200 OK", "", result), ""},
		{"sound, in HTTP/1.0", answer("HTTP/1.0 200 OK", "", result), ""},
		{"sound, accepted", answer("HTTP/1.1 202 Accepted", "", result), ""},
		{"refused", answer("HTTP/1.1 503 Later", "", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"later"}}`), ""},
		{"HTTP/2.0", answer("HTTP/2.0 200 OK", "", result), `"HTTP/2.0", on a connection of HTTP/1.1`},
		{"HTTP/0.9", answer("HTTP/0.9 200 OK", "", result), `"HTTP/0.9", on a connection of HTTP/1.1`},
		{"099", answer("HTTP/1.1 099 Low", "", result), "the status is 099"},
		{"000", answer("HTTP/1.1 000 None", "", result), "the status is 000"},
		{"999", answer("HTTP/1.1 999 High", "", result), "the status is 999"},
		{"101", "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n", "the status is 101"},
		{"a result at 503", answer("HTTP/1.1 503 Later", "", result), "with a result, and with HTTP 503"},
		{"a result at 302", answer("HTTP/1.1 302 Found", "", result), "with a result, and with HTTP 302"},
		{"a part of a result", answer("HTTP/1.1 206 Partial Content", "", result), "with a result, and with HTTP 206"},
		{"results at 500", answer("HTTP/1.1 500 Oops", "", "["+result+"]"), "with a result, and with HTTP 500"},
		{"gzip", answer("HTTP/1.1 200 OK", "Content-Encoding: gzip\r\n", packed(0)), `coding "gzip", and none was asked for`},
		{"gzip without its end", answer("HTTP/1.1 200 OK", "Content-Encoding: gzip\r\n", packed(8)), `coding "gzip" is broken after 36 bytes of text: unexpected EOF`},
		{"a folded field", answer("HTTP/1.1 200 OK", "X-Folded: a\r\n b\r\n", result), "goes on over several lines"},
		{"LF", answer("HTTP/1.1 200 OK", "X-Short: a\n", result), "end with LF alone"},
		{"a length twice", answer("HTTP/1.1 200 OK", "Content-Length: 36\r\n", result), "Content-Length is given 2 times"},
		{"two types", answer("HTTP/1.1 200 OK", "Content-Type: text/plain\r\n", result), `Content-Type is given as "application/json" and as "text/plain"`},
		{"more than was said", answer("HTTP/1.1 200 OK", "", result) + "more", "4 bytes follow the end of the message"},
		{"two framings", "HTTP/1.1 200 OK\r\n" + kind + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n24\r\n" + result + "\r\n0\r\n\r\n", "both Content-Length and Transfer-Encoding"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := answered(t, c.answer)
			got := judgeCommon(t, &record.Transcript{Exchanges: []*record.Exchange{x, x}})
			if c.want == "" {
				if len(got) != 0 {
					t.Errorf("%+v", got)
				}
				return
			}
			if len(got) != 1 || got[0].Verdict != report.Pass || !slices.ContainsFunc(got[0].Findings, func(f report.Finding) bool { return strings.Contains(f.Text, c.want) }) {
				t.Errorf("%+v, want a finding that says %s\n%+v", got, c.want, x.Response.Framing)
			}
		})
	}
}

// Whatever a server varies, what is said of it stays short.
func TestLegalButBrokenIsBounded(t *testing.T) {
	var all []*record.Exchange
	for i := range 500 {
		all = append(all, &record.Exchange{ID: i + 1, Dir: record.Out, Response: record.Message{Framing: record.Framing{Faults: []string{fmt.Sprint("fault ", i), "fault of all"}}}})
	}
	r := judgeCommon(t, &record.Transcript{Exchanges: all})[0]
	if len(r.Findings) != maxFaults || len(r.Evidence) > maxFaults*maxExchanges || !strings.Contains(r.Findings[1].Text, "500 times, in the exchanges 1, 2, 3, 4, 5)") ||
		!strings.Contains(r.Findings[maxFaults-1].Text, "481 more") {
		t.Errorf("%d findings, %d places: %+v", len(r.Findings), len(r.Evidence), r.Findings)
	}
}

// answered is a call that a server answers with a text, as it is.
func answered(t *testing.T, text string) *record.Exchange {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		buf := make([]byte, 4096)
		for got := ""; !strings.HasSuffix(got, "{}"); {
			n, err := c.Read(buf)
			if err != nil {
				return
			}
			got += string(buf[:n])
		}
		fmt.Fprint(c, text)
	}()
	defer func() { l.Close(); <-done }()
	httpClient := client.NewClient(client.Config{Started: time.Now()})
	defer httpClient.Close()
	x := httpClient.Do(t.Context(), client.Call{Method: http.MethodPost, URL: "http://" + l.Addr().String(), Body: []byte("{}"), Once: true}, nil)
	x.ID = 1
	return x
}
