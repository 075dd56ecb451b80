package suites_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// update is the data of an event about task 7; over is true, false, or empty to
// leave it out.
func update(phase, over string) string {
	if over != "" {
		over = `,"over":` + over
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"t","result":{"number":"7","now":{"phase":%q}%s}}`, phase, over)
}

// piece is the data of an event with a piece of a file.
func piece(say, more string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"t","result":{"number":"7","file":{"parts":[{"say":%q}]%s}}}`, say, more)
}

// streamed is a step that was answered by a stream.
func streamed(step string, events ...string) string {
	out := step + "\n  > {\"jsonrpc\":\"2.0\",\"id\":\"t\",\"method\":\"m\"}\n  < 200 text/event-stream"
	for i, e := range events {
		if i == 0 {
			out += " data: " + e + "\n"
		} else {
			out += "  | data: " + e + "\n"
		}
		out += "  |\n  |\n"
	}
	return out + "\n"
}

// measureDistance is another stream, of a call with the id o about task 8, whose one
// event bears these.
func measureDistance(id, task string) string {
	return fmt.Sprintf("p/o stream task=8 beside\n  > {\"jsonrpc\":\"2.0\",\"id\":\"o\",\"method\":\"m\"}\n  < 200 text/event-stream data: "+
		"{\"jsonrpc\":\"2.0\",\"id\":%q,\"result\":{\"number\":%q,\"now\":{}}}\n  |\n  |\n", id, task)
}

const one, both = "{steps: [p/s]}", "{a: p/s, b: p/o}"

func TestStream(t *testing.T) {
	s := "p/s stream task=7"
	plain := streamed(s, update("busy", ""), update("ready", "true"))
	json := told(s, "{}", okReply)
	refused := told(s, "{}", rpcError(`"t"`, -32602))
	other := `{"jsonrpc":"2.0","id":"t","result":{"number":"8","now":{"phase":"ready"}}}`
	try(t, "stream", []trial{
		{"stream/status", one, map[string]string{
			"pass":                         plain,
			"pass: no event at all":        s + "\n  < 200 text/event-stream : nothing\n  |\n  |\n",
			"fail: 202":                    s + "\n  < 202 text/event-stream data: {}\n",
			"fail: refused":                refused,
			"fail: refused by an event":    streamed(s, rpcError(`"t"`, -32004)),
			"pass: an error later":         streamed(s, update("busy", ""), rpcError(`"t"`, -32603)),
			"inconclusive: never accepted": told("quick/send send", "{}", rpcError(`"t"`, -32603)) + streamed(s, rpcError(`"t"`, -32603)),
		}},
		{"stream/media-type", one, map[string]string{
			"pass": plain, "fail": json, "fail: refused by an event": streamed(s, rpcError(`"t"`, -32004)),
			"inconclusive: never accepted": told("quick/send send", "{}", rpcError(`"t"`, -32603)) + streamed(s, rpcError(`"t"`, -32603)),
		}},
		{"stream/format", one, map[string]string{
			"pass":                  plain,
			"fail: no field":        streamed(s, update("busy", "")) + "  | {\"jsonrpc\":\"2.0\"}\n  |\n  |\n",
			"fail: no event":        s + "\n  < 200 text/event-stream : nothing\n  |\n  |\n",
			"fail: cut off":         s + "\n  < 200 text/event-stream data: {}\n",
			"finding: other fields": streamed(s, update("busy", "")) + "  | colour: blue\n  | data: {}\n  |\n  |\n",
			"inconclusive":          json,
		}},
		{"stream/fields", one, map[string]string{
			"pass":           streamed(s, update("busy", "")) + "  | event: x\n  | data: {}\n  |\n  |\n",
			"not-applicable": plain,
			"fail":           streamed(s, update("busy", "")) + "  | id: a\x00b\n  | data: {}\n  |\n  |\n",
		}},
		{"stream/one-response", one, map[string]string{
			"pass":        plain,
			"fail: split": streamed(s, `{"jsonrpc":"2.0",`, `"id":"t","result":{}}`),
			"fail: bare":  streamed(s, `{"number":"7"}`),
			"fail: empty": streamed(s, update("ready", "true"), `{}`),
		}},
		{"stream/one-response", "{steps: [p/s], every: stream}", map[string]string{
			"pass": plain, "pass: taken up": plain + streamed("q/s resubscribe task=7", update("busy", ""), `{"jsonrpc":"2.0",`),
			"fail: another stream": plain + streamed("q/s stream task=7", update("busy", ""), `{"jsonrpc":"2.0",`),
		}},
		{"stream/echoes-id", one, map[string]string{
			"pass": plain,
			"fail": streamed(s, `{"jsonrpc":"2.0","id":"7","result":{"number":"7","now":{}}}`),
		}},
		{"stream/echoes-id", "{steps: [p/s], every: stream}", map[string]string{
			"pass":                    plain + measureDistance("o", "8"),
			"fail: another stream":    plain + measureDistance("t", "8"),
			"pass: another call":      plain + streamed("p/r resubscribe task=7", `{"jsonrpc":"2.0","id":"old","result":{"number":"7","now":{}}}`),
			"pass: a notification":    plain + "q/n stream\n  > {}\n  < 200 text/event-stream data: {\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}\n  |\n  |\n",
			"inconclusive: no stream": json,
		}},
		{"stream/task-id", "{steps: [p/s], of: status}", map[string]string{
			"pass":            plain,
			"fail":            streamed(s, other),
			"fail: no number": streamed(s, `{"jsonrpc":"2.0","id":"t","result":{"now":{}}}`),
		}},
		{"stream/task-id", "{steps: [p/s], of: artifact}", map[string]string{
			"pass":           streamed(s, piece("a", "")),
			"fail":           streamed(s, `{"jsonrpc":"2.0","id":"t","result":{"number":"f-1","file":{}}}`),
			"not-applicable": plain,
		}},
		{"stream/updates", one, map[string]string{
			"pass":           streamed(s, update("busy", ""), piece("a", "")),
			"fail: both":     streamed(s, `{"jsonrpc":"2.0","id":"t","result":{"number":"7","now":{},"file":{}}}`),
			"fail: snapshot": streamed(s, `{"jsonrpc":"2.0","id":"t","result":{"task":{"number":"7"}}}`),
			"fail: other":    streamed(s, other),
		}},
		{"stream/separate", both, map[string]string{
			"pass":                       plain + measureDistance("o", "8"),
			"fail: task":                 plain + measureDistance("o", "7"),
			"fail: id":                   plain + measureDistance("t", "8"),
			"inconclusive":               plain + told("p/o stream task=8", "{}", okReply),
			"inconclusive: both refused": streamed(s, rpcError(`"t"`, -32603)) + streamed("p/o stream task=8 beside", rpcError(`"o"`, -32603)),
		}},
		{"stream/incremental", one, map[string]string{
			"pass":                           plain + "  @ 10 400\n",
			"fail":                           plain + "  @ 1400 1401\n",
			"inconclusive":                   plain + "  @ 3 4\n",
			"inconclusive: one short stream": plain + "  @ 400 401\n",
			"fail: a look afterwards":        plain + "  @ 1400 1401\n" + told("q/get get task=7", "{}", job("7", "busy")),
			"inconclusive: a slow look":      plain + "  @ 1400 1401\n" + told("q/get get task=7 beside", "{}", job("7", "busy")),
			"fail: our webhook waits":        plain + "  @ 1400 1401\nq/a-1 delivery hook=a beside\n",
			"fail: a look that waits for our webhook": plain + "  @ 1400 1401\n" + told("q/get get task=7 beside", "{}", job("7", "busy")) +
				"q/a-1 delivery hook=a beside\n",
			"fail: a cancellation":   plain + "  @ 1400 1401\n" + told("q/end cancel task=7 beside", "{}", job("7", "dropped")),
			"fail: another stream":   plain + "  @ 1400 1401\n" + streamed("q/s resubscribe task=7 beside", update("busy", "")),
			"fail: a large message":  plain + "  @ 1400 1401\n" + told("q/l list beside", `{"page":"`+strings.Repeat("x", 20000)+`"}`, `{"jobs":[]}`),
			"fail: a malformed look": plain + "  @ 1400 1401\n" + told("q/get get task=7 invalid beside", "{}", job("7", "busy")),
			"fail: a stranger":       plain + "  @ 1400 1401\n" + told("q/get get task=7 as=nobody beside", "{}", job("7", "busy")),
		}},
		{"stream/incremental", "{steps: [p/s, p/o]}", map[string]string{
			"pass": plain + "  @ 400 401\n" + streamed("p/o stream task=7", update("busy", ""), update("ready", "true")) + "  @ 10 400\n",
			"fail": plain + "  @ 400 401\n" + streamed("p/o stream task=7", update("busy", ""), update("ready", "true")) + "  @ 400 401\n",
		}},
	})
}

func TestStreamEnd(t *testing.T) {
	s := "p/s stream task=7"
	plain := streamed(s, update("busy", ""), update("ready", "true"))
	open := streamed(s, update("busy", ""), update("ready", ""))
	look := func(phase string) string { return told("p/get get task=7", "{}", job("7", phase)) }
	fault := `{"jsonrpc":"2.0","id":"t","error":{"code":-32603,"message":"no"}}`
	try(t, "stream_end", []trial{
		{"stream/final-last", one, map[string]string{
			"pass":                 plain,
			"fail":                 open,
			"fail: left open":      open + "  ! our-close\n",
			"fail: no status":      streamed(s, piece("a", "")),
			"inconclusive: broken": streamed(s, update("busy", ""), fault),
			"inconclusive: ours":   streamed(s, update("busy", "")) + "  ! our-close\n",
		}},
		{"stream/final-state", one, map[string]string{
			"pass":           plain,
			"pass: a pause":  streamed(s, update("asking", "true")),
			"fail":           streamed(s, update("busy", "true")),
			"not-applicable": open,
		}},
		{"stream/final-arrives", "{step: p/s}", map[string]string{"pass": plain, "fail": open}},
		{"stream/nothing-after-final", one, map[string]string{
			"pass":         plain,
			"fail":         streamed(s, update("ready", "true"), piece("a", "")),
			"inconclusive": open,
		}},
		{"stream/nothing-after-final", "{steps: [p/s, p/r]}", map[string]string{
			"fail: taken up again": plain + streamed("p/r resubscribe task=7", update("ready", "true"), update("busy", "")),
			"pass: taken up again": plain + streamed("p/r resubscribe task=7", update("ready", "true")),
			"pass: not to the end": plain + streamed("p/r resubscribe task=7", update("busy", "")),
			"pass: refused":        plain + told("p/r resubscribe task=7", "{}", rpcError(`"t"`, -32601)),
			"inconclusive":         open + streamed("p/r resubscribe task=7", update("busy", "")),
		}},
		{"stream/closes", "{steps: [p/s, p/r]}", map[string]string{
			"pass":                          plain,
			"fail":                          plain + "  ! our-close\n  @ 10 20\n",
			"fail: taken up again":          plain + streamed("p/r resubscribe task=7", update("ready", "true")) + "  ! our-close\n  @ 20\n",
			"inconclusive: not final":       open,
			"pass: not taken up to the end": plain + streamed("p/r resubscribe task=7", update("busy", "")) + "  ! our-close\n",
			"inconclusive: left alone":      plain + "  ! our-close\n  @ 10 500\n",
			"pass: final of another's task": streamed("p/s stream task=7", `{"jsonrpc":"2.0","id":"t","result":{"number":"8","now":{"phase":"ready"},"over":true}}`, update("ready", "true")) + measureDistance("o", "8"),
		}},
		{"stream/stored-state", "{step: p/s, then: p/get}", map[string]string{
			"pass":         plain + look("ready"),
			"fail":         plain + look("busy"),
			"inconclusive": streamed(s, update("busy", "")) + look("ready"),
		}},
		{"stream/ends-in", "{step: p/s, state: dropped, if: p/get}", map[string]string{
			"pass":           streamed(s, update("busy", ""), update("dropped", "true")) + look("dropped"),
			"fail: cut":      streamed(s, update("busy", "")) + look("dropped"),
			"fail: open":     streamed(s, update("dropped", "")) + look("dropped"),
			"not-applicable": streamed(s, update("ready", "true")) + look("ready"),
		}},
		{"stream/ends-in", "{step: p/s, state: dropped, if: p/get, or: p/cancel}", map[string]string{
			"fail: gone":          told("p/cancel cancel task=7", "{}", job("7", "dropped")) + streamed(s, update("busy", "")) + told("p/get get task=7", "{}", rpcError(`"t"`, -32001)),
			"pass: gone":          told("p/cancel cancel task=7", "{}", job("7", "dropped")) + streamed(s, update("dropped", "true")) + told("p/get get task=7", "{}", rpcError(`"t"`, -32001)),
			"inconclusive: fault": told("p/cancel cancel task=7", "{}", job("7", "dropped")) + streamed(s, update("busy", "")) + told("p/get get task=7", "{}", rpcError(`"t"`, -32603)),
		}},
		{"stream/continues", "{step: p/s}", map[string]string{
			"pass":          plain,
			"fail: refused": told(s, "{}", rpcError(`"t"`, -32602)),
			"fail: open":    open,
		}},
		{"stream/error-last", one, map[string]string{
			"pass":           streamed(s, update("busy", ""), fault),
			"fail: goes on":  streamed(s, fault, update("ready", "true")),
			"fail: no id":    streamed(s, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"no"}}`),
			"not-applicable": plain,
		}},
		{"stream/no-waiting", "{step: p/s}", map[string]string{
			"pass: refused":  told(s, "{}", rpcError(`"t"`, -32009)),
			"pass: final":    streamed(s, update("ready", "true")) + "  ! our-close\nreached p final s\n",
			"finding: empty": s + "\n  < 200 text/event-stream : nothing\n  |\n  |\n",
			"fail: silent":   s + "\n  < 200 text/event-stream : nothing\n  |\n  |\n  ! our-close\n",
		}},
		{"stream/refused", one, map[string]string{
			"pass":                   told(s, "{}", rpcError(`"t"`, -32602)),
			"pass: page":             s + "\n  < 400 text/html no\n",
			"finding: event":         streamed(s, fault),
			"finding: event and end": streamed(s, fault, `{}`),
			"fail: then a result":    streamed(s, fault, update("busy", "")),
			"fail: result":           plain,
			"fail: as send":          told(s, "{}", okReply),
			"fail: silent":           s + "\n  < 200 text/event-stream : nothing\n  |\n  |\n",
		}},
		{"stream/refused-status", one, map[string]string{
			"pass":                         s + "\n  < 422 text/html no\n",
			"finding: 200":                 told(s, "{}", rpcError(`"t"`, -32602)),
			"inconclusive: served":         plain,
			"inconclusive: served as send": told(s, "{}", okReply),
			"fail":                         s + "\n  < 200 text/event-stream : nothing\n  |\n  |\n",
		}},
		{"stream/refused-body", one, map[string]string{
			"pass":           told(s, `{"id":"t"}`, rpcError(`"t"`, -32602)),
			"fail: detail":   s + "\n  < 422 application/json {\"detail\":\"no\"}\n",
			"fail: other id": told(s, `{"id":"t"}`, rpcError(`"u"`, -32602)),
			"not-applicable": s + "\n  < 422 text/html no\n",
		}},
		{"stream/refused-code", "{steps: [p/s], codes: [InvalidParams]}", map[string]string{
			"pass":           told(s, "{}", rpcError(`"t"`, -32602)),
			"fail":           told(s, "{}", rpcError(`"t"`, -32600)),
			"not-applicable": s + "\n  < 422 text/html no\n",
		}},
	})
}

func TestArtifacts(t *testing.T) {
	s := "p/s stream task=7"
	more, end := `,"more":true`, `,"end":true`
	files := func(say string) string { return `"files":[{"parts":[{"say":"` + say + `","link":"x"}]}]` }
	linked := func(say string) string { return `"files":[{"parts":[{"say":"` + say + `","link":"y"}]}]` }
	get := func(got string) string { return told("p/get get task=7", "{}", got) }
	try(t, "artifacts", []trial{
		{"artifact/stored", "{step: p/send, then: p/get, ignore: [link]}", map[string]string{
			"pass":           told("p/send send", "{}", job("7", "ready", files("a"))) + get(job("7", "ready", linked("a"))),
			"fail: gone":     told("p/send send", "{}", job("7", "ready", files("a"))) + get(job("7", "ready")),
			"fail: changed":  told("p/send send", "{}", job("7", "ready", files("a"))) + get(job("7", "ready", files("b"))),
			"not-applicable": told("p/send send", "{}", job("7", "ready")) + get(job("7", "ready")),
			"inconclusive":   told("p/send send", "{}", job("7", "busy", files("a"))) + get(job("7", "ready")),
		}},
		{"artifact/delivers", "{step: p/send}", map[string]string{
			"pass: file":    told("p/send send", "{}", job("7", "ready", files("a"))),
			"pass: message": told("p/send send", "{}", `{"jsonrpc":"2.0","id":"t","result":{"number":"7","now":{"phase":"ready","note":{"by":"agent"}}}}`),
			"fail":          told("p/send send", "{}", job("7", "ready", `"files":[]`)),
			"inconclusive":  told("p/send send", "{}", job("7", "busy")),
		}},
		{"artifact/first-chunk", one, map[string]string{
			"pass":                     streamed(s, piece("a", ""), piece("b", more)),
			"fail":                     streamed(s, piece("a", more), piece("b", more)),
			"fail: other index":        streamed(s, piece("a", ""), piece("b", more+`,"no":1`)),
			"not-applicable: taken up": streamed(s, job("7", "busy", files("a")), piece("b", more)),
			"not-applicable":           streamed(s, update("ready", "true")),
		}},
		{"artifact/first-chunk", "{steps: [p/s], appended: true}", map[string]string{
			"pass":                     streamed(s, piece("a", ""), piece("b", more)),
			"fail":                     streamed(s, piece("a", more), piece("b", more)),
			"fail: another stream":     streamed(s, piece("a", "")) + streamed("q/s stream task=7", piece("a", more)),
			"not-applicable: taken up": streamed(s, piece("a", "")) + streamed("q/s resubscribe task=7", piece("a", more)),
			"not-applicable: continued": streamed(s, piece("a", "")) +
				strings.Replace(streamed("q/s stream task=7", piece("a", more)), `"method":"m"`, `"method":"m","params":{"message":{"job":"7"}}`, 1),
			"not-applicable: three of one key": streamed(s, piece("a", ""), piece("b", ""), piece("c", "")),
		}},
		{"artifact/after-last", one, map[string]string{
			"pass":              streamed(s, piece("a", ""), piece("b", more+end)),
			"pass: a new one":   streamed(s, piece("a", end), piece("b", end)),
			"fail":              streamed(s, piece("a", end), piece("b", more+end)),
			"pass: other index": streamed(s, piece("a", end), piece("b", `,"no":1`), piece("c", more+end+`,"no":1`)),
		}},
		{"artifact/closed", one, map[string]string{
			"pass":           streamed(s, piece("a", ""), piece("b", more+end)),
			"fail":           streamed(s, piece("a", end), piece("b", more)),
			"not-applicable": streamed(s, piece("a", "")), "not-applicable: replaced": streamed(s, piece("a", ""), piece("b", more), piece("c", "")),
			"fail: since it was replaced": streamed(s, piece("a", end), piece("b", ""), piece("c", more)),
		}},
		{"artifact/assembled", "{step: p/s, then: p/get}", map[string]string{
			"pass":              streamed(s, piece("a", ""), piece("b", more+end)) + get(job("7", "ready", files("ab"))),
			"pass: replaced":    streamed(s, piece("a", ""), piece("b", "")) + get(job("7", "ready", files("b"))),
			"pass: sent anew":   streamed(s, piece("a", ""), piece("b", more), piece("c", end)) + get(job("7", "ready", files("c"))),
			"fail: sent anew":   streamed(s, piece("a", ""), piece("b", more), piece("c", end)) + get(job("7", "ready", files("abc"))),
			"pass: taken up":    streamed(s, job("7", "busy", files("a")), piece("b", more)) + get(job("7", "ready", files("ab"))),
			"fail: taken up":    streamed(s, job("7", "busy", files("a")), piece("b", more)) + get(job("7", "ready", files("b"))),
			"pass: shown again": streamed(s, piece("a", ""), piece("b", more), job("7", "ready", files("ab"))) + get(job("7", "ready", files("ab"))),
			"fail":              streamed(s, piece("a", ""), piece("b", more+end)) + get(job("7", "ready", files("b"))),
			"fail: none":        streamed(s, piece("a", "")) + get(job("7", "ready")),
			"not-applicable":    streamed(s, update("ready", "true")) + get(job("7", "ready")),
		}},
	}, func(d *schema.Dialect) { d.Read["event"]["task.artifacts"] = "/files" })
}
