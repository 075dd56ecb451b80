package gateway

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// half is what one side of a call shows: fields of its request and of its answer, and how that ended.
type half struct {
	asks, status, head, body string
	ended                    record.Ended
	http2                    bool // it is called over HTTP/2
}

// makeExchange makes an exchange of a half; an answer has the status 200 if none is named.
func makeExchange(h half) *record.Exchange {
	x := &record.Exchange{Dir: record.Out, URL: "http://gateway/", Start: time.Second, End: 2 * time.Second, Ended: h.ended}
	if x.Ended == "" {
		x.Ended = record.EOF
	}
	x.Request.Head = []byte("POST / HTTP/1.1\r\nHost: gateway\r\n" + h.asks + "\r\n")
	if h.status == "" {
		h.status = "200 OK"
	}
	if h.http2 {
		x.HTTP2 = &record.HTTP2{}
	}
	if h.status != "none" {
		x.Response.Head = fmt.Appendf(nil, "HTTP/1.1 %s\r\n%s\r\n", strings.TrimPrefix(h.status, "HTTP/2 "), h.head)
		if strings.HasPrefix(h.status, "HTTP/2 ") {
			x.Response.Head = fmt.Appendf(nil, "%s\r\n%s\r\n", h.status, h.head)
		}
		x.Response.Body = []byte(h.body)
		x.Response.Framing = record.Framing{Kind: "length", Declared: int64(len(h.body)), Received: int64(len(h.body))}
		if h.http2 { // the head is all of it
			x.Response.Framing.Kind = "none"
		}
	}
	return x
}

// call is a call of a conversation on both ways, and what arrived of it.
type call struct {
	play, binding, step string
	direct, through     half
	arrived             *half
	again               bool // in the second attempt
}

// makeTranscript makes the record of calls.
func makeTranscript(calls []call) *record.Transcript {
	t := &record.Transcript{Facts: record.Facts{Dialect: "a2a-1.0", Target: "http://server/", Through: "http://gateway/", Upstream: true}}
	for _, c := range calls {
		if c.step == "" {
			c.step = "call"
		}
		play := record.Play{Scenario: c.play, Attempt: 1, Subject: record.Subject{Binding: c.binding}}
		play.Steps = append(play.Steps, record.Step{Name: c.step + "-direct", Side: record.DirectSide, Exchange: makeExchange(c.direct)},
			record.Step{Name: c.step + "-through", Side: record.ThroughSide, Exchange: makeExchange(c.through)})
		if c.again {
			play.Attempt = 2
		}
		if c.arrived != nil {
			c.arrived.status = "none"
			play.Steps = append(play.Steps, record.Step{Name: c.step + "-arrived", Side: record.ArrivedSide, Exchange: makeExchange(*c.arrived)})
		}
		t.Plays = append(t.Plays, play)
	}
	t.Seal()
	return t
}

// Each line is a requirement, what the record shows, and what comes of that. The reasons are in a file.
func TestChecks(t *testing.T) {
	d, err := schema.Load("a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	arrived := func(came string) *half { return &half{asks: came} }
	asks := half{asks: "A2A-Version: 0.3\r\n"}
	fields := func(binding, came string) call {
		return call{play: "fields", binding: binding, direct: asks, through: asks, arrived: arrived(came)}
	}
	via := func(came string) call {
		return call{play: "fields", binding: "JSONRPC", arrived: arrived(came)}
	}
	serial := func(n int) half { return half{body: fmt.Sprintf(`{"serial":%d}`, n), head: "Vary: A2A-Version\r\n"} }
	twice := func(play string, a, b int) []call {
		return []call{{play: play, step: "first", direct: serial(1), through: serial(a)}, {play: play, step: "second", direct: serial(2), through: serial(b)}}
	}
	events := func(order ...int) half {
		h := half{head: "Content-Type: text/event-stream\r\n"}
		for _, n := range order {
			h.body += fmt.Sprintf("data: {\"n\":%d}\n\n", n)
		}
		return h
	}
	card := func(name, signature string) half {
		return half{body: fmt.Sprintf(`{"name":%q,"signatures":[{"protected":"e30","signature":%q}]}`, name, signature)}
	}
	cards := func(through half, repeated ...half) []call {
		all := []call{{play: "card", step: "get", direct: card("clerk", "aaaa"), through: through}}
		for _, again := range repeated {
			all = append(all, call{play: "card", step: "repeat", direct: again, through: through})
		}
		return all
	}
	grpc := half{http2: true, status: "HTTP/2 200", head: "content-type: application/grpc\r\ngrpc-status: 0\r\n"}
	bare := half{http2: true, status: "HTTP/2 200", head: "content-type: application/grpc\r\n"}
	older := half{http2: true, status: "400 Bad Request", head: "Connection: close\r\n"} // at an address for HTTP/1.1
	rpc := func(play, step string, through half) []call {
		return []call{{play: play, binding: "GRPC", step: step, direct: grpc, through: through}}
	}
	task := half{body: `{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t"}}}`}
	unknown := half{body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no such task"}}`}
	version := half{body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32009,"message":"no such version"}}`}
	errorsOf := func(control, through half) []call {
		return []call{{play: "task", step: "send", binding: "JSONRPC", direct: task, through: control}, {play: "error", step: "get", binding: "JSONRPC", direct: unknown, through: through},
			{play: "version", step: "send", binding: "JSONRPC", direct: version, through: through}}
	}
	refusal := func(status string) half { return half{status: status, body: "<html>"} }
	large := strings.Repeat("a", 100)
	var golden strings.Builder
	for _, c := range []struct {
		id    string
		name  string
		calls []call
		want  string // a verdict, or finding
	}{
		{"GW-ERR-001", "kept", errorsOf(task, unknown), "pass"},
		{"GW-ERR-001", "another error", errorsOf(task, version), "fail"},
		{"GW-ERR-001", "a page", errorsOf(task, refusal("500 Internal Server Error")), "fail"},
		{"GW-ERR-001", "a server that is gone", errorsOf(refusal("502 Bad Gateway"), refusal("502 Bad Gateway")), "inconclusive"},
		{"GW-ERR-001", "credentials are asked for", errorsOf(refusal("401 Unauthorized"), refusal("401 Unauthorized")), "inconclusive"},
		{"GW-ERR-001", "the valid call fails as well", errorsOf(version, version), "inconclusive"},
		{"GW-ERR-001", "too many calls", errorsOf(task, refusal("429 Too Many Requests")), "inconclusive"},
		{"GW-VER-002", "kept", errorsOf(task, version), "pass"},
		{"GW-VER-002", "answered", errorsOf(task, task), "fail"},
		{"GW-VER-002", "a server that is gone", errorsOf(refusal("502 Bad Gateway"), refusal("502 Bad Gateway")), "inconclusive"},
		{"GW-VER-002", "too many calls", errorsOf(task, refusal("429 Too Many Requests")), "inconclusive"},
		{"GW-VER-003", "answered in each version", []call{{play: "versions", step: "send-1.0", binding: "JSONRPC", direct: task, through: task}}, "pass"},
		{"GW-VER-003", "answered in another version", []call{{play: "versions", step: "send-1.0", binding: "JSONRPC", direct: task, through: unknown}}, "fail"},
		{"GW-VER-003", "a server that is gone", []call{{play: "versions", step: "send-1.0", binding: "JSONRPC", direct: task, through: refusal("502 Bad Gateway")}}, "inconclusive"},
		{"GW-CARD-002", "a server that is gone", []call{{play: "card", step: "get", direct: half{body: `{"name":"a"}`}, through: refusal("502 Bad Gateway")}}, "inconclusive"},
		{"GW-CARD-002", "not passed on", []call{{play: "card", step: "get", direct: half{body: `{"name":"a"}`}, through: refusal("404 Not Found")}}, "fail"},
		{"GW-VER-001", "kept", []call{fields("JSONRPC", "A2A-Version: 0.3\r\n")}, "pass"},
		{"GW-VER-001", "other case, other line", []call{fields("JSONRPC", "a2a-version:0.3\r\n")}, "pass"},
		{"GW-VER-001", "removed", []call{fields("JSONRPC", "")}, "fail"},
		{"GW-VER-001", "changed", []call{fields("JSONRPC", "A2A-Version: 1.0\r\n")}, "fail"},
		{"GW-VER-001", "removed in one binding", []call{fields("JSONRPC", "A2A-Version: 0.3\r\n"), fields("HTTP+JSON", "")}, "fail"},
		{"GW-VER-001", "seen in one binding", []call{fields("JSONRPC", "A2A-Version: 0.3\r\n"), {play: "fields", binding: "HTTP+JSON", direct: asks, through: asks}}, "pass"},
		{"GW-VER-001", "did not arrive", []call{{play: "fields", binding: "JSONRPC", direct: asks, through: asks}}, "inconclusive"},
		{"GW-VER-001", "not held", nil, "inconclusive"},
		{"GW-VIA-001", "named", []call{via("Via: 1.1 gateway\r\n")}, "pass"},
		{"GW-VIA-001", "not named", []call{via("")}, "fail"},
		{"GW-VIA-003", "with a protocol, a port and a comment", []call{via("Via: HTTP/1.1 gateway:80 (nginx, 1.22)\r\n")}, "pass"},
		{"GW-VIA-003", "with a quoted parenthesis", []call{via("Via: 1.1 a (\\) b, c), 1.0 b\r\n")}, "pass"},
		{"GW-VIA-003", "with a comment that has no end", []call{via("Via: 1.1 a (b, 1.0 c\r\n")}, "fail"},
		{"GW-VIA-003", "without a version", []call{via("Via: gateway\r\n")}, "fail"},
		{"GW-CACHE-004", "asked again", twice("cache-vary", 3, 4), "pass"},
		{"GW-CACHE-004", "given again", twice("cache-vary", 3, 3), "fail"},
		{"GW-CACHE-004", "the first is refused", []call{{play: "cache-vary", step: "first", direct: serial(1), through: half{status: "502 Bad Gateway"}}, {play: "cache-vary", step: "second", direct: serial(2), through: serial(3)}}, "inconclusive"},
		{"GW-CARD-001", "unchanged", cards(card("clerk", "aaaa")), "pass"},
		{"GW-CARD-001", "changed", cards(card("our clerk", "aaaa")), "fail"},
		{"GW-CARD-001", "changed and signed anew", cards(card("our clerk", "bbbb"), card("clerk", "cccc")), "fail"},
		{"GW-CARD-001", "signed anew for each caller", cards(card("clerk", "bbbb"), card("clerk", "cccc")), "pass"},
		{"GW-CARD-001", "the signature alone is changed", cards(card("clerk", "bbbb"), card("clerk", "aaaa")), "fail"},
		{"GW-CARD-001", "the signature is cut", cards(card("clerk", "bb"), card("clerk", "cccc")), "fail"},
		{"GW-CARD-001", "another signature, and no second look", cards(card("clerk", "bbbb")), "inconclusive"},
		{"GW-CARD-001", "another signature, and the second look is refused", cards(card("clerk", "bbbb"), half{status: "429 Too Many Requests"}), "inconclusive"},
		{"GW-CARD-001", "another signature, and another card at the second look", cards(card("clerk", "bbbb"), card("clerk 2", "cccc")), "inconclusive"},
		{"GW-CARD-001", "the server itself changes its card", cards(card("clerk 2", "bbbb"), card("clerk 3", "cccc")), "inconclusive"},
		{"GW-CARD-003", "the server itself changes its card", cards(card("clerk 2", "bbbb"), card("clerk 3", "cccc")), "inconclusive"},
		{"GW-CARD-003", "signed anew for each caller", cards(card("clerk", "bbbb")), "pass"},
		{"GW-CARD-003", "another name", cards(card("our clerk", "aaaa")), "finding"},
		{"GW-STR-001", "in order", []call{{play: "events", binding: "JSONRPC", direct: events(1, 2, 3), through: events(1, 2, 3)}}, "pass"},
		{"GW-STR-001", "exchanged", []call{{play: "events", binding: "JSONRPC", direct: events(1, 2, 3), through: events(2, 1, 3)}}, "fail"},
		{"GW-STR-002", "lost", []call{{play: "events", binding: "JSONRPC", direct: events(1, 2, 3), through: events(1, 2)}}, "fail"},
		{"GW-STR-005", "kept open", []call{{play: "quiet", binding: "JSONRPC", direct: events(1, 2), through: events(1, 2)}}, "pass"},
		{"GW-STR-005", "broken off once", []call{{play: "quiet", binding: "JSONRPC", direct: events(1, 2), through: half{status: "none", ended: record.Reset}},
			{play: "quiet", binding: "JSONRPC", direct: events(1, 2), through: events(1, 2), again: true}}, "pass"},
		{"GW-STR-005", "broken off twice", []call{{play: "quiet", binding: "JSONRPC", direct: events(1, 2), through: half{status: "none", ended: record.Reset}},
			{play: "quiet", binding: "JSONRPC", direct: events(1, 2), through: half{status: "none", ended: record.Reset}, again: true}}, "finding"},
		{"GW-STR-005", "answered in its place", []call{{play: "quiet", binding: "JSONRPC", direct: events(1, 2), through: half{status: "504 Gateway Timeout"}}}, "finding"},
		{"GW-STR-005", "beyond our bounds", []call{{play: "quiet", binding: "JSONRPC", direct: events(1, 2), through: half{ended: record.Limit}}}, "inconclusive"},
		{"GW-STR-005", "the server itself does not answer", []call{{play: "quiet", binding: "JSONRPC", direct: half{status: "none", ended: record.Timeout}, through: events(1)}}, "inconclusive"},
		{"GW-LIM-002", "whole", []call{{play: "large-answer", direct: half{body: large}, through: half{body: large}}}, "pass"},
		{"GW-LIM-002", "cut", []call{{play: "large-answer", direct: half{body: large}, through: half{body: large[:50], ended: record.Reset}}}, "finding"},
		{"GW-LIM-002", "beyond our bounds", []call{{play: "large-answer", direct: half{body: large}, through: half{body: large[:50], ended: record.Limit}}}, "inconclusive"},
		{"GW-ERR-005", "with a challenge", []call{{play: "unauthorized", direct: half{status: "401 Unauthorized", head: "WWW-Authenticate: Bearer\r\n"}, through: half{status: "401 Unauthorized", head: "Www-Authenticate: Basic\r\n"}}}, "pass"},
		{"GW-ERR-005", "without", []call{{play: "unauthorized", direct: half{status: "401 Unauthorized", head: "WWW-Authenticate: Bearer\r\n"}, through: half{status: "401 Unauthorized"}}}, "fail"},
		{"GW-FRM-011", "broken off", []call{{play: "cut", binding: "JSONRPC", direct: half{ended: record.Reset}, through: half{ended: record.Reset}}}, "pass"},
		{"GW-FRM-011", "looks complete", []call{{play: "cut", binding: "JSONRPC", direct: half{ended: record.Reset}, through: half{}}}, "finding"},
		{"GW-GRPC-001", "with a status", rpc("task", "send", grpc), "pass"},
		{"GW-GRPC-001", "without a status", rpc("task", "send", bare), "fail"},
		{"GW-GRPC-001", "answered by HTTP/1.1", rpc("task", "send", older), "inconclusive"},
		{"GW-GRPC-002", "answered by HTTP/1.1", rpc("error", "get", older), "inconclusive"},
		{"GW-GRPC-004", "answered by HTTP/1.1", rpc("task", "send", older), "not-applicable"},
		{"GW-GRPC-005", "answered by HTTP/1.1", rpc("task", "send", older), "not-applicable"},
		{"GW-LIM-001", "answered by HTTP/1.1", rpc("large-request", "call", older), "inconclusive"},
		{"GW-LIM-002", "answered by HTTP/1.1", rpc("large-answer", "call", older), "inconclusive"},
		{"GW-LIM-003", "answered by HTTP/1.1", rpc("slow", "call", older), "inconclusive"},
		{"GW-MSG-005", "once", []call{{play: "drop", binding: "JSONRPC", arrived: &half{}}}, "pass"},
	} {
		results, err := Judge(d, makeTranscript(c.calls))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if r.ID != c.id {
				continue
			}
			got, text := string(r.Verdict), r.Reason
			if len(r.Findings) > 0 {
				got, text = "finding", r.Findings[0].Text
			}
			if got != c.want {
				t.Errorf("%s, %s: got %s, want %s: %s", c.id, c.name, got, c.want, text)
			}
			if r.Verdict == report.Fail && len(r.Evidence) == 0 {
				t.Errorf("%s, %s: it fails without evidence", c.id, c.name)
			}
			fmt.Fprintf(&golden, "%s %s, %s\n\t%s\n", c.id, c.name, got, text)
		}
	}
	judgetest.Golden(t, "testdata/reasons.golden", golden.String())
}
