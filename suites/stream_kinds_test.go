package suites_test

import (
	"fmt"
	"testing"
)

// writeKind is the data of an event of a kind, about task 7.
func writeKind(sort, more string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"t","result":{"number":"7","sort":%q%s}}`, sort, more)
}

func TestStreamKinds(t *testing.T) {
	const s = "p/s stream task=7 context=g"
	busy := writeKind("state", `,"now":{"phase":"busy","at":"2024-03-15T14:30:00Z"},"over":false`)
	note := func(key string) string { return `,"note":{"key":"` + key + `","group":"g"}` }
	part := writeKind("part", note("k")+`,"over":false`)
	whole := writeKind("whole", note("k")+`,"over":true`)
	broke := writeKind("state", `,"now":{"phase":"broken"},"over":true`)
	dropped := writeKind("state", `,"now":{"phase":"dropped"},"over":true`)
	plain := answerByStream(s, busy, part, whole)
	with := func(header string) string { return plain + "  + " + header + "\n" }
	named := func(names ...string) string {
		out := s + "\n  > {\"id\":\"t\"}\n  < 200 text/event-stream : begin\n"
		for i, e := range []string{busy, part, whole} {
			if names[i] != "" {
				out += "  | event: " + names[i] + "\n"
			}
			out += "  | data: " + e + "\n  |\n  |\n"
		}
		return out
	}
	const answer = "{steps: [p/s], answer: whole, piece: part}"
	refusal := answerCall(s, "{}", rpcError(`"t"`, -32602))
	get := func(state string) string { return answerCall("p/get get task=7", "{}", writeTask("7", state)) }
	canceled := func(word string) string {
		return "p/quit quit task=7 beside\n  > {}\n  < 200 application/json {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"number\":\"7\",\"stopped\":" + word + "}}\n"
	}
	const quit = "{stream: p/s, cancel: p/quit, unless: [MethodNotFound], answer: whole}"
	running := answerByStream(s, busy, dropped) + "  @ 100 9000\n"
	over := answerByStream(s, busy, whole) + "  @ 100 200\n"
	runTrials(t, "stream-kinds", []trial{
		{"stream/opens", one, map[string]string{
			"pass": plain, "pass: labelled otherwise": s + "\n  < 200 application/json data: {}\n", "fail: one reply": answerCall(s, "{}", okReply),
			"fail: empty": s + "\n  < 200 text/event-stream\n", "fail: status": s + "\n  < 500 text/html no\n",
			"fail: an error": answerByStream(s, rpcError(`"t"`, -32004)), "pass: an error later": answerByStream(s, busy, rpcError(`"t"`, -32603)),
			"inconclusive: never accepted": answerCall("quick/send send", "{}", rpcError(`"t"`, -32603)) + answerByStream(s, rpcError(`"t"`, -32603))}},
		{"stream/uncached", one, map[string]string{
			"pass": with("Cache-Control: private, No-Cache"), "fail": with("Cache-Control: public, max-age=60"), "fail: nothing": plain,
			"finding: stricter": with("Cache-Control: no-store"), "inconclusive": refusal}},
		{"stream/kept-alive", one, map[string]string{
			"pass": with("Connection: keep-alive"), "pass: unsaid": plain, "fail": with("Connection: close")}},
		{"stream/any-origin", "{step: p/s}", map[string]string{
			"pass": with("Access-Control-Allow-Origin: *"), "fail: unsaid": plain, "fail: another": with("Access-Control-Allow-Origin: http://a"),
			"finding: repeated": answerByStream(s, busy) + "  Origin: http://a\n  + Access-Control-Allow-Origin: http://a\n"}},
		{"stream/unfinished", one, map[string]string{
			"pass": plain, "fail": answerByStream(s, writeKind("state", `,"now":{"phase":"busy"},"over":true`)), "not-applicable": answerByStream(s, whole)}},
		{"stream/one-answer", answer, map[string]string{
			"pass": plain, "fail: none": answerByStream(s, busy, part), "fail: two": answerByStream(s, whole, whole), "inconclusive: failed": answerByStream(s, busy, broke),
			"inconclusive: an error": answerByStream(s, busy, rpcError(`"t"`, -32603)), "inconclusive: given up": answerByStream(s, busy) + "  ! our-close\n"}},
		{"stream/one-message-id", answer, map[string]string{
			"pass": plain, "fail": answerByStream(s, part, writeKind("whole", note("other"))), "not-applicable": answerByStream(s, busy, whole)}},
		{"stream/event-name", one, map[string]string{
			"pass": named("state", "part", "whole"), "pass: the default": named("message", "part", ""), "fail": named("state", "state", "state"), "not-applicable": plain}},
		{"stream/named", one, map[string]string{"pass": named("state", "part", "whole"), "fail": plain, "fail: the default": named("message", "part", "whole"),
			"inconclusive: refused": answerByStream(s, rpcError(`"t"`, -32603), rpcError(`"t"`, -32603))}},
		{"stream/work-first", answer, map[string]string{
			"pass": plain, "fail": answerByStream(s, part, busy, whole), "inconclusive": answerByStream(s, busy)}},
		{"stream/stored-outcome", "{step: p/s, then: p/get, answer: whole}", map[string]string{
			"pass": plain + get("ready"), "pass: failed": answerByStream(s, busy, broke) + get("broken"), "fail": plain + get("busy"),
			"fail: unknown": plain + answerCall("p/get get", "{}", rpcError(`"t"`, -32001)), "inconclusive": answerByStream(s, busy) + get("busy")}},
		{"stream/failure-told", answer, map[string]string{
			"pass": answerByStream(s, busy, broke), "pass: an error": answerByStream(s, busy, rpcError(`"t"`, -32603)), "pass: at once": refusal,
			"pass: of the kind error": answerByStream(s, busy, writeKind("error", `,"error":{}`)), "fail: cut": answerByStream(s, busy), "fail: a word": answerByStream(s, busy, "ERROR"),
			"fail: another's id": answerByStream(s, busy, rpcError(`"o"`, -32603)), "inconclusive: it worked": plain}},
		{"stream/context", one, map[string]string{
			"pass": plain, "fail: message": answerByStream(s, writeKind("whole", `,"note":{"group":"h"}`)), "fail: event": answerByStream(s, writeKind("whole", `,"group":"h"`)), "not-applicable": answerByStream(s, busy)}},
		{"stream/separate", both, map[string]string{
			"fail: another's context": answerByStream(s, writeKind("part", `,"group":"i"`)) + "p/o stream task=8 context=i beside\n  > {\"id\":\"o\"}\n  < 200 text/event-stream data: {\"id\":\"o\",\"result\":{\"number\":\"8\"}}\n  |\n  |\n"}},
		{"stream/drop-harmless", "{plays: [p]}", map[string]string{
			"pass":               answerByStream(s, busy) + get("busy") + answerCall("p/alive send role=alive", "{}", okReply),
			"fail: get":          answerByStream(s, busy) + "p/get get\n  < 503 text/plain no\n" + answerCall("p/alive send role=alive", "{}", okReply),
			"fail: dead":         answerByStream(s, busy) + get("busy") + "p/alive send role=alive\n  ! reset\n",
			"inconclusive: gone": answerByStream(s, busy) + get("busy") + "p/alive send role=alive\n  ! no-dial\n", "inconclusive": answerByStream(s, busy)}},
		{"stream/status-time", one, map[string]string{
			"pass": plain, "fail: missing": answerByStream(s, broke), "fail: words": answerByStream(s, writeKind("state", `,"now":{"phase":"busy","at":"today"}`)), "not-applicable": answerByStream(s, whole)}},
		{"cancel/confirmed", quit, map[string]string{
			"pass": running + canceled("true"), "fail": running + canceled("false"), "inconclusive: over": over + canceled("false"),
			"not-applicable": running + answerCall("p/quit quit beside", "{}", rpcError(`"t"`, -32601)), "fail: refused": running + answerCall("p/quit quit beside", "{}", rpcError(`"t"`, -32603))}},
		{"cancel/real", quit, map[string]string{
			"pass": running + canceled("true") + get("dropped"), "fail": running + canceled("true") + get("ready"),
			"fail: gone":                  running + canceled("true") + answerCall("p/get get task=7", "{}", rpcError(`"t"`, -32001)),
			"pass: gone later":            running + canceled("true") + get("dropped") + answerCall("p/later get task=7", "{}", rpcError(`"t"`, -32001)),
			"inconclusive: a fault":       running + canceled("true") + answerCall("p/get get task=7", "{}", rpcError(`"t"`, -32603)),
			"inconclusive: not confirmed": running + canceled("false") + get("ready"), "inconclusive: not looked": running + canceled("true")}},
		{"cancel/told", quit, map[string]string{
			"pass": running + canceled("true"), "pass: an error": answerByStream(s, busy, rpcError(`"t"`, -32603)) + "  @ 100 9000\n" + canceled("true"),
			"pass: of the kind error": answerByStream(s, busy, writeKind("error", `,"error":{}`)) + "  @ 100 9000\n" + canceled("true"),
			"fail":                    answerByStream(s, busy) + "  @ 100\n" + canceled("true"), "inconclusive: over": over + canceled("true"),
			"inconclusive: went on": answerByStream(s, busy, whole) + "  @ 100 9000\n" + canceled("true"),
			"inconclusive: open":    answerByStream(s, busy) + "  ! our-close\n" + canceled("true"), "inconclusive: not confirmed": running + canceled("false"),
			"not-applicable": running + answerCall("p/quit quit beside", "{}", rpcError(`"t"`, -32601))}},
		{"cancel/ends-stream", quit, map[string]string{
			"pass": running + canceled("true"), "fail: answered": over + canceled("true"), "fail: open": answerByStream(s, busy) + "  ! our-close\n" + canceled("true"),
			"inconclusive": running + canceled("false")}},
	})
}
