package suites_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// plainReport is a plain scenario in which a client that reports succeeds.
func plainReport(t *testing.T) string {
	t.Helper()
	return "knows works exits adapter\nrun hello sent=artifact\n" + call("hello/send send", "do", message(""), done) + reportLines("hello", 1, `"task","state":"ready"`, `"artifact","text":"it is word-artifact"`, `"part","kind":"text"`)
}

// reportLines are lines that a program prints in a scenario, one each tenth of a second.
func reportLines(scenario string, from float64, lines ...string) string {
	var out strings.Builder
	for i, l := range lines {
		fmt.Fprintf(&out, "reports %s %.1f {\"saw\":%s}\n", scenario, from+float64(i)/10, l)
	}
	return out.String()
}

// streamed is a call that is answered by a stream of texts that have markers, and when they came.
func streamed(scenario, at string, words ...string) string {
	out := "run " + scenario
	for _, w := range words {
		out += " sent=" + w
	}
	out += "\n" + scenario + "/stream stream\n  > {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"watch\",\"params\":{}}\n  < 200 text/event-stream : begin\n  |\n"
	for _, w := range words {
		out += fmt.Sprintf("  | data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"number\":\"7\",\"note\":\"word-%s\"}}\n  |\n  |\n", w)
	}
	return out + "  @ 0 " + at + "\n"
}

func refused(scenario, details string) string {
	return "run " + scenario + " exit=1 sent=error twin=plain\n" + call(scenario+"/send send", "do", message(""), `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"word-error"`+details+`}}`)
}

func TestReportsOfAClient(t *testing.T) {
	t.Parallel()
	hello := plainReport(t)
	odd := hello + call("odd/send send", "do", message(""), done)
	chunks := hello + streamed("odd", "10 20 30", "chunk-1", "chunk-2", "chunk-3")
	whole := func(text string) string {
		return reportLines("odd", 4, `"artifact","text":"`+text+`","assembled":true`)
	}
	runClientTrials(t, "client_reports", []trial{
		{"client/reports", "{plays: [odd], lines: [{saw: [part], kind: data, times: 2, as: the data}]}", map[string]string{
			"pass": odd + reportLines("odd", 3, `"part","kind":"data"`, `"part","kind":"data"`), "fail": odd + reportLines("odd", 3, `"part","kind":"text"`, `"part","kind":"data"`), "fail: none": odd,
			"inconclusive": "knows works exits adapter\n" + call("hello/send send", "do", message(""), done) + call("odd/send send", "do", message(""), done), "inconclusive: hello failed": odd + "run hello exit=1\n",
			"inconclusive: not over": odd + "run odd unended\n", "inconclusive: no adapter": odd + "knows works exits\n", "inconclusive: not played": hello,
		}},
		{"client/reports", "{plays: [hello], lines: [{word: artifact, as: the text of the artifact}]}", map[string]string{
			"pass": hello, "fail": strings.ReplaceAll(hello, "it is word-artifact", "another text"), "inconclusive": strings.ReplaceAll(hello, `,"text":"it is word-artifact"`, ""),
		}},
		{"client/reports", "{plays: [odd, stream], uses: [stream], lines: [{play: odd, saw: [task, status], state: ready, as: the end}, {play: stream, saw: [message], as: the message}]}", map[string]string{
			"pass": chunks + streamed("stream", "1", "message") + reportLines("odd", 4, `"status","state":"Task_State_READY"`) + reportLines("stream", 6, `"message"`), "fail": chunks + streamed("stream", "1", "message") + reportLines("odd", 4, `"status","state":"ready"`),
			"fail: another state": chunks + streamed("stream", "1", "message") + reportLines("odd", 4, `"status","state":"busy"`) + reportLines("stream", 6, `"message"`), "inconclusive": chunks + reportLines("odd", 4, `"task","state":"ready"`),
			"not-applicable": strings.Replace(odd, "adapter", "adapter never=stream", 1) + call("stream/send send", "do", message(""), done),
		}},
		{"client/reports", "{plays: [odd], uses: [stream], lines: [{saw: [artifact], assembled: true, words: [chunk-1, chunk-3], as: both chunks}]}", map[string]string{
			"pass": chunks + whole("word-chunk-2") + whole("word-chunk-1 and word-chunk-3"), "fail": chunks + whole("word-chunk-3"), "fail: order": chunks + whole("word-chunk-3 word-chunk-1"),
			"fail: twice": chunks + whole("word-chunk-1 word-chunk-1 word-chunk-3"), "fail: none": chunks + whole("nothing"), "inconclusive": chunks + reportLines("odd", 4, `"artifact","text":"word-chunk-1"`),
		}},
	})
}

func TestReportedEventsOfAClient(t *testing.T) {
	t.Parallel()
	hello := plainReport(t)
	in := hello + streamed("odd", "100 200 2000", "event-1", "event-2", "event-3")
	text := func(words ...string) (lines []string) {
		for _, w := range words {
			lines = append(lines, `"artifact","text":"a word-`+w+`"`)
		}
		return lines
	}
	later := call("odd/get get", "look", "{}", done)
	runClientTrials(t, "client_reported_events", []trial{
		{"client/reports-events", "{plays: [odd], uses: [stream], what: order, words: event-*}", map[string]string{
			"pass": in + reportLines("odd", 4, text("event-1", "event-2", "event-2", "event-3")...), "pass: growing": in + reportLines("odd", 4, text("event-1", "event-1 word-event-2", "event-1 word-event-2 word-event-3")...),
			"pass: one is missing": in + reportLines("odd", 4, text("event-1", "event-3")...), "pass: after another call": in + later + reportLines("odd", 4, text("event-1", "event-2")...) + reportLines("odd", 7, text("event-1")...),
			"fail": in + reportLines("odd", 4, text("event-2", "event-1")...), "inconclusive": in + reportLines("odd", 4, `"artifact","text":"word-event-2 word-event-1","assembled":true`), "inconclusive: one": in + reportLines("odd", 4, text("event-2")...),
			"inconclusive: no stream": hello + call("odd/stream stream", "watch", "{}", done),
		}},
		{"client/reports-events", "{plays: [odd], uses: [stream], what: time, words: event-*, seconds: 0.5}", map[string]string{
			"pass": in + reportLines("odd", 3.2, text("event-1", "event-2")...) + reportLines("odd", 5.4, text("event-3")...), "fail": in + reportLines("odd", 5, text("event-1", "event-2", "event-3")...),
			"inconclusive": in + reportLines("odd", 5, `"artifact","text":"word-event-1","assembled":true`), "inconclusive: busy": in + "run odd disturbed\n" + reportLines("odd", 5, text("event-1")...),
		}},
		{"client/reports-events", "{plays: [odd], uses: [stream], what: left, words: event-*, left: event-3, state: ready, event: the last event}", map[string]string{
			"pass": in + reportLines("odd", 4, text("event-1")...), "pass: from another call": in + later + reportLines("odd", 4, text("event-1")...) + reportLines("odd", 6, text("event-3")...),
			"fail": in + reportLines("odd", 4, text("event-1", "event-3")...), "fail: the state": in + reportLines("odd", 4, `"status","state":"ready"`), "inconclusive": in + reportLines("odd", 4, `"end","of":"stream"`),
		}},
	})
}

// giveReasons gives errors reasons, by which they are told apart.
func giveReasons(d *schema.Dialect) {
	for _, name := range []string{"TaskNotFound", "ContentTypeNotSupported"} {
		sign := d.Errors[name]
		sign.Reason = strings.ToUpper(name)
		d.Errors[name] = sign
	}
}

func TestReportedErrorsOfAClient(t *testing.T) {
	t.Parallel()
	hello := plainReport(t)
	plain, odd := hello+refused("plain", ""), refused("odd", `,"data":[1]`)
	both := `"error","code":-32001,"message":"no: word-error"`
	known := plain + reportLines("plain", 3, both)
	runClientTrials(t, "client_reported_errors", []trial{
		{"client/reports-error", "{plays: [odd], shows: [code, text]}", map[string]string{
			"pass": known + odd + reportLines("odd", 5, `"error"`, both), "pass: by name": known + odd + reportLines("odd", 5, `"error","name":"TaskNotFoundError","message":"word-error"`), "pass: in the text": known + odd + reportLines("odd", 5, `"error","message":"-32001: word-error"`),
			"pass: no plain one": hello + odd + reportLines("odd", 5, both), "pass: never a code": plain + reportLines("plain", 3, `"error","message":"word-error"`) + odd + reportLines("odd", 5, `"error","message":"word-error"`),
			"fail": known + odd + reportLines("odd", 5, `"error","code":-32001`), "fail: no code": known + odd + reportLines("odd", 5, `"error","message":"word-error"`), "fail: nothing": known + odd,
			"inconclusive": plain + reportLines("plain", 3, `"error"`) + odd + reportLines("odd", 5, `"error"`), "inconclusive: no error": known + call("odd/send send", "do", message(""), done), "inconclusive: not over": known + odd + "run odd unended\n",
		}},
		{"client/reports-error", "{plays: [odd, more], shows: [code], like: [plain], tolerated: [odd]}", map[string]string{
			"pass": known + odd + refused("more", "") + reportLines("more", 7, both), "fail": known + odd + refused("more", "") + reportLines("odd", 5, both), "inconclusive": plain + reportLines("plain", 3, `"error"`) + odd,
		}},
		{"client/separates-errors", "{plays: [plain, odd], status: 200}", map[string]string{
			"pass": known + strings.ReplaceAll(odd, "-32001", "-32005") + reportLines("odd", 5, strings.ReplaceAll(both, "-32001", "-32005")), "fail": known + strings.ReplaceAll(odd, "-32001", "-32005") + reportLines("odd", 5, both),
			"inconclusive": known, "inconclusive: the same error": known + odd + reportLines("odd", 5, both),
		}},
	}, giveReasons)
}

// A sentence about a binding that the client never uses does not concern it, though the scenarios of that binding were not played, or
// the only interface of a card is one of that binding.
func TestBindingThatAClientLacks(t *testing.T) {
	t.Parallel()
	hello := plainReport(t)
	card := "odd/card card\n  < 200 application/json {}\n"
	for check, c := range map[string]struct{ with, said string }{
		"client/separates-errors": {"{plays: [odd], grpc: NOT_FOUND}", hello},
		"client/survives":         {"{plays: [odd], sends: true}", hello + card},
	} {
		d := judgetest.Dialect(t, fmt.Sprintf("  - {id: ZZ99-X-001, level: MUST, area: task, section: '1', statement: It holds., binding: grpc, check: %s, with: %s}\n", check, c.with))
		r := verdict.NewDecider(d, clientTranscript(t, c.said), suites.Checks(), nil).Result("ZZ99-X-001")
		if r.Verdict != report.NotApplicable || !strings.Contains(r.Reason, "binding (grpc) that the client did not use") {
			t.Errorf("%s: %s (%s)", check, r.Verdict, r.Reason)
		}
	}
}
