package suites_test

import (
	"fmt"
	"testing"
)

// sorted is the data of an event of a kind, about task 7.
func sorted(sort, more string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"t","result":{"number":"7","sort":%q%s}}`, sort, more)
}

func TestStreamKinds(t *testing.T) {
	const s = "p/s stream task=7 context=g"
	busy := sorted("state", `,"now":{"phase":"busy","at":"2024-03-15T14:30:00Z"},"over":false`)
	note := func(key string) string { return `,"note":{"key":"` + key + `","group":"g"}` }
	part := sorted("part", note("k")+`,"over":false`)
	whole := sorted("whole", note("k")+`,"over":true`)
	broke := sorted("state", `,"now":{"phase":"broken"},"over":true`)
	dropped := sorted("state", `,"now":{"phase":"dropped"},"over":true`)
	plain := streamed(s, busy, part, whole)
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
	refusal := told(s, "{}", rpcError(`"t"`, -32602))
	get := func(state string) string { return told("p/get get task=7", "{}", job("7", state)) }
	canceled := func(word string) string {
		return "p/quit quit task=7 beside\n  > {}\n  < 200 application/json {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"number\":\"7\",\"stopped\":" + word + "}}\n"
	}
	const quit = "{stream: p/s, cancel: p/quit, unless: [MethodNotFound], answer: whole}"
	running := streamed(s, busy, dropped) + "  @ 100 9000\n"
	over := streamed(s, busy, whole) + "  @ 100 200\n"
	try(t, "stream-kinds", []trial{
		{"stream/opens", one, map[string]string{
			"pass": plain, "pass: labelled otherwise": s + "\n  < 200 application/json data: {}\n", "fail: one reply": told(s, "{}", okReply),
			"fail: empty": s + "\n  < 200 text/event-stream\n", "fail: status": s + "\n  < 500 text/html no\n",
			"fail: an error": streamed(s, rpcError(`"t"`, -32004)), "pass: an error later": streamed(s, busy, rpcError(`"t"`, -32603)),
			"inconclusive: never accepted": told("quick/send send", "{}", rpcError(`"t"`, -32603)) + streamed(s, rpcError(`"t"`, -32603))}},
		{"stream/uncached", one, map[string]string{
			"pass": with("Cache-Control: private, No-Cache"), "fail": with("Cache-Control: public, max-age=60"), "fail: nothing": plain,
			"finding: stricter": with("Cache-Control: no-store"), "inconclusive": refusal}},
		{"stream/kept-alive", one, map[string]string{
			"pass": with("Connection: keep-alive"), "pass: unsaid": plain, "fail": with("Connection: close")}},
		{"stream/any-origin", "{step: p/s}", map[string]string{
			"pass": with("Access-Control-Allow-Origin: *"), "fail: unsaid": plain, "fail: another": with("Access-Control-Allow-Origin: http://a"),
			"finding: repeated": streamed(s, busy) + "  Origin: http://a\n  + Access-Control-Allow-Origin: http://a\n"}},
		{"stream/unfinished", one, map[string]string{
			"pass": plain, "fail": streamed(s, sorted("state", `,"now":{"phase":"busy"},"over":true`)), "not-applicable": streamed(s, whole)}},
		{"stream/one-answer", answer, map[string]string{
			"pass": plain, "fail: none": streamed(s, busy, part), "fail: two": streamed(s, whole, whole), "inconclusive: failed": streamed(s, busy, broke),
			"inconclusive: an error": streamed(s, busy, rpcError(`"t"`, -32603)), "inconclusive: given up": streamed(s, busy) + "  ! our-close\n"}},
		{"stream/one-message-id", answer, map[string]string{
			"pass": plain, "fail": streamed(s, part, sorted("whole", note("other"))), "not-applicable": streamed(s, busy, whole)}},
		{"stream/event-name", one, map[string]string{
			"pass": named("state", "part", "whole"), "pass: the default": named("message", "part", ""), "fail": named("state", "state", "state"), "not-applicable": plain}},
		{"stream/named", one, map[string]string{"pass": named("state", "part", "whole"), "fail": plain, "fail: the default": named("message", "part", "whole"),
			"inconclusive: refused": streamed(s, rpcError(`"t"`, -32603), rpcError(`"t"`, -32603))}},
		{"stream/work-first", answer, map[string]string{
			"pass": plain, "fail": streamed(s, part, busy, whole), "inconclusive": streamed(s, busy)}},
		{"stream/stored-outcome", "{step: p/s, then: p/get, answer: whole}", map[string]string{
			"pass": plain + get("ready"), "pass: failed": streamed(s, busy, broke) + get("broken"), "fail": plain + get("busy"),
			"fail: unknown": plain + told("p/get get", "{}", rpcError(`"t"`, -32001)), "inconclusive": streamed(s, busy) + get("busy")}},
		{"stream/failure-told", answer, map[string]string{
			"pass": streamed(s, busy, broke), "pass: an error": streamed(s, busy, rpcError(`"t"`, -32603)), "pass: at once": refusal,
			"pass: of the kind error": streamed(s, busy, sorted("error", `,"error":{}`)), "fail: cut": streamed(s, busy), "fail: a word": streamed(s, busy, "ERROR"),
			"fail: another's id": streamed(s, busy, rpcError(`"o"`, -32603)), "inconclusive: it worked": plain}},
		{"stream/context", one, map[string]string{
			"pass": plain, "fail: message": streamed(s, sorted("whole", `,"note":{"group":"h"}`)), "fail: event": streamed(s, sorted("whole", `,"group":"h"`)), "not-applicable": streamed(s, busy)}},
		{"stream/separate", both, map[string]string{
			"fail: another's context": streamed(s, sorted("part", `,"group":"i"`)) + "p/o stream task=8 context=i beside\n  > {\"id\":\"o\"}\n  < 200 text/event-stream data: {\"id\":\"o\",\"result\":{\"number\":\"8\"}}\n  |\n  |\n"}},
		{"stream/drop-harmless", "{plays: [p]}", map[string]string{
			"pass":               streamed(s, busy) + get("busy") + told("p/alive send role=alive", "{}", okReply),
			"fail: get":          streamed(s, busy) + "p/get get\n  < 503 text/plain no\n" + told("p/alive send role=alive", "{}", okReply),
			"fail: dead":         streamed(s, busy) + get("busy") + "p/alive send role=alive\n  ! reset\n",
			"inconclusive: gone": streamed(s, busy) + get("busy") + "p/alive send role=alive\n  ! no-dial\n", "inconclusive": streamed(s, busy)}},
		{"stream/status-time", one, map[string]string{
			"pass": plain, "fail: missing": streamed(s, broke), "fail: words": streamed(s, sorted("state", `,"now":{"phase":"busy","at":"today"}`)), "not-applicable": streamed(s, whole)}},
		{"cancel/confirmed", quit, map[string]string{
			"pass": running + canceled("true"), "fail": running + canceled("false"), "inconclusive: over": over + canceled("false"),
			"not-applicable": running + told("p/quit quit beside", "{}", rpcError(`"t"`, -32601)), "fail: refused": running + told("p/quit quit beside", "{}", rpcError(`"t"`, -32603))}},
		{"cancel/real", quit, map[string]string{
			"pass": running + canceled("true") + get("dropped"), "fail": running + canceled("true") + get("ready"),
			"fail: gone":                  running + canceled("true") + told("p/get get task=7", "{}", rpcError(`"t"`, -32001)),
			"pass: gone later":            running + canceled("true") + get("dropped") + told("p/later get task=7", "{}", rpcError(`"t"`, -32001)),
			"inconclusive: a fault":       running + canceled("true") + told("p/get get task=7", "{}", rpcError(`"t"`, -32603)),
			"inconclusive: not confirmed": running + canceled("false") + get("ready"), "inconclusive: not looked": running + canceled("true")}},
		{"cancel/told", quit, map[string]string{
			"pass": running + canceled("true"), "pass: an error": streamed(s, busy, rpcError(`"t"`, -32603)) + "  @ 100 9000\n" + canceled("true"),
			"pass: of the kind error": streamed(s, busy, sorted("error", `,"error":{}`)) + "  @ 100 9000\n" + canceled("true"),
			"fail":                    streamed(s, busy) + "  @ 100\n" + canceled("true"), "inconclusive: over": over + canceled("true"),
			"inconclusive: went on": streamed(s, busy, whole) + "  @ 100 9000\n" + canceled("true"),
			"inconclusive: open":    streamed(s, busy) + "  ! our-close\n" + canceled("true"), "inconclusive: not confirmed": running + canceled("false"),
			"not-applicable": running + told("p/quit quit beside", "{}", rpcError(`"t"`, -32601))}},
		{"cancel/ends-stream", quit, map[string]string{
			"pass": running + canceled("true"), "fail: answered": over + canceled("true"), "fail: open": streamed(s, busy) + "  ! our-close\n" + canceled("true"),
			"inconclusive": running + canceled("false")}},
	})
}
