package provegateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/a2a-conform/a2a-conform/harness"
	suite "github.com/a2a-conform/a2a-conform/harness/gateway"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/internal/testconn"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// few are the gateways that are judged with each change: one of each kind. The command prove --gateway judges all.
var few = []string{"below-a-path", "stores", "compresses", "hop-passed", "via-missing", "two-lengths", "vary-ignored", "version-dropped", "card-rewritten", "details-dropped",
	"events-reordered", "stream-buffered", "short-timeout", "trailer-dropped", "http2-connection"}

// Each requirement breaks on the gateways that are made for it, on no other, and on none that is right.
func TestProve(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	names := few
	if !testamount.Few() {
		names = nil
	}
	o, err := Prove(context.Background(), names...)
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	o.Table(&table)
	if !o.OK() {
		t.Errorf("%s", table.Bytes())
	}
	if len(o.Rows) < 40 || names == nil && (len(o.Faults) < 20 || len(o.Habits) < 10) {
		t.Errorf("%d requirements, %d faulty gateways, %d right ones", len(o.Rows), len(o.Faults), len(o.Habits))
	}
}

// A server that is called in two ways with nothing between them shows no difference, however often, in each dialect and binding.
func TestNoGatewayMakesNoDifference(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	runs := 1
	if !testamount.Few() {
		runs = 20
	}
	servers := [][2]string{{"a2a-1.0", "two-versions"}, {"a2a-1.0", "minimal"}}
	for _, dialect := range reference.Dialects() {
		if dialect == "directory-0.1" || dialect == "jaf-0.3" { // no card of theirs has an address of calls
			continue
		}
		servers = append(servers, [2]string{dialect, "full"})
	}
	var work errgroup.Group
	work.SetLimit(parallel) // most of their time they wait
	for range runs {
		for _, server := range servers {
			work.Go(func() error {
				results, err := Judge(context.Background(), direct, server[0], server[1])
				decided := 0
				for _, r := range results {
					if isBroken(&r) {
						t.Errorf("%s: %s: %s", server, r.ID, describeBreak(&r))
					}
					if r.Verdict == report.Pass {
						decided++
					}
				}
				if err == nil && decided < 40 {
					t.Errorf("%s: only %d requirements were decided", server, decided)
				}
				return err
			})
		}
	}
	if err := work.Wait(); err != nil {
		t.Fatal(err)
	}
}

// A gateway that does its worst ends within the deadline, is sent nothing elsewhere, and is no failure of this program.
func TestHostileGateways(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	server, err := reference.Start(context.Background(), reference.Options{Dialect: reference.DefaultDialect, Variant: "full", GRPCAddr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(other.Close)
	for name, answer := range map[string]func(c net.Conn){
		"another host": func(c net.Conn) {
			fmt.Fprintf(c, "HTTP/1.1 307 Temporary Redirect\r\nLocation: %s/\r\nContent-Length: 0\r\n\r\n", other.URL)
		},
		"endless head": func(c net.Conn) { writeEndless(c, "HTTP/1.1 200 OK\r\n", "X-A: "+strings.Repeat("a", 1000)+"\r\n") },
		"endless body": func(c net.Conn) {
			writeEndless(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", "data: {\"n\":1}\n\n")
		},
		"endless chunks": func(c net.Conn) {
			writeEndless(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n")
		},
		"endless 1xx":    func(c net.Conn) { writeEndless(c, "", "HTTP/1.1 103 Early Hints\r\n\r\n") },
		"silence":        func(c net.Conn) { io.Copy(io.Discard, c) },
		"a wrong length": func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\nx") },
		"HTTP/2 unasked": func(c net.Conn) {
			io.WriteString(c, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gateway := testconn.StartServer(t, func(c net.Conn) {
				if _, err := c.Read(make([]byte, 64<<10)); err == nil {
					answer(c)
				}
			})
			began := time.Now()
			up, err := suite.OpenUpstream(suite.UpstreamConfig{Server: server.URL(), GRPC: server.GRPCAddr(), Started: began})
			if err != nil {
				t.Fatal(err)
			}
			defer up.Close()
			record, err := suite.Play(context.Background(), suite.Config{Direct: up.URL(), Through: gateway, Upstream: up, Detect: harness.DetectDialects, Started: began,
				Header: http.Header{"Authorization": {"Bearer a"}}, Deadline: 1500 * time.Millisecond})
			var mistake *operator.UsageError
			if errors.As(err, &mistake) && strings.Contains(mistake.Text, "--upstream-listen") {
				return // it answers itself, and passes nothing on
			}
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
			if _, err := judgeRecord(record); err != nil {
				t.Error(err)
			}
			size := int64(0)
			for _, s := range record.Steps() {
				if s.Exchange != nil {
					size += int64(len(s.Exchange.Response.Head) + len(s.Exchange.Response.Body))
				}
			}
			if size > 64<<20 {
				t.Errorf("%d bytes of answers were kept", size)
			}
		})
	}
	t.Cleanup(func() {
		if n := elsewhere.Load(); n > 0 {
			t.Errorf("%d calls followed a redirect", n)
		}
	})
}

// A call that is broken off once on its way is made again, and only the second attempt is judged.
func TestBrokenOffOnce(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	var broken atomic.Bool
	record, err := recordThrough(context.Background(), "a2a-1.0", "minimal", func(server string) (string, func(), error) {
		to, err := url.Parse(server)
		if err != nil {
			return "", nil, err
		}
		pass := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0)}
		gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			text, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(text))
			if bytes.Contains(text, []byte(`"SendMessage"`)) && !broken.Swap(true) {
				panic(http.ErrAbortHandler)
			}
			pass.ServeHTTP(w, r)
		}))
		return gateway.URL, gateway.Close, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var again []string
	for _, p := range record.Plays {
		if p.Attempt == 2 {
			again = append(again, p.Scenario)
		}
	}
	if len(again) != 1 {
		t.Errorf("the conversations %q were held again", again)
	}
	results, err := judgeRecord(record)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Verdict == report.Fail && !strings.HasPrefix(r.ID, "GW-VIA-") {
			t.Errorf("%s: %s", r.ID, describeBreak(&r))
		}
	}
}

// writeEndless writes a text, and another one until the connection ends.
func writeEndless(c net.Conn, first, more string) {
	if _, err := io.WriteString(c, first); err != nil {
		return
	}
	for more := strings.Repeat(more, 50); ; {
		if _, err := io.WriteString(c, more); err != nil {
			return
		}
	}
}
