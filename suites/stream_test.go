package suites_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// writeUpdate is the data of an event about task 7; over is true, false, or empty to
// leave it out.
func writeUpdate(phase, over string) string {
	if over != "" {
		over = `,"over":` + over
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"t","result":{"number":"7","now":{"phase":%q}%s}}`, phase, over)
}

// writePiece is the data of an event with a piece of a file.
func writePiece(say, more string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"t","result":{"number":"7","file":{"parts":[{"say":%q}]%s}}}`, say, more)
}

// answerByStream is a step that was answered by a stream.
func answerByStream(step string, events ...string) string {
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

// measureSectionDistance is another stream, of a call with the id o about task 8, whose one
// event bears these.
func measureSectionDistance(id, task string) string {
	return fmt.Sprintf("p/o stream task=8 beside\n  > {\"jsonrpc\":\"2.0\",\"id\":\"o\",\"method\":\"m\"}\n  < 200 text/event-stream data: "+
		"{\"jsonrpc\":\"2.0\",\"id\":%q,\"result\":{\"number\":%q,\"now\":{}}}\n  |\n  |\n", id, task)
}

const one, both = "{steps: [p/s]}", "{a: p/s, b: p/o}"

func TestStream(t *testing.T) {
	s := "p/s stream task=7"
	plain := answerByStream(s, writeUpdate("busy", ""), writeUpdate("ready", "true"))
	json := answerCall(s, "{}", okReply)
	refused := answerCall(s, "{}", rpcError(`"t"`, -32602))
	other := `{"jsonrpc":"2.0","id":"t","result":{"number":"8","now":{"phase":"ready"}}}`
	runTrials(t, "stream", []trial{
		{"stream/status", one, map[string]string{
			"pass":                         plain,
			"pass: no event at all":        s + "\n  < 200 text/event-stream : nothing\n  |\n  |\n",
			"fail: 202":                    s + "\n  < 202 text/event-stream data: {}\n",
			"fail: refused":                refused,
			"fail: refused by an event":    answerByStream(s, rpcError(`"t"`, -32004)),
			"pass: an error later":         answerByStream(s, writeUpdate("busy", ""), rpcError(`"t"`, -32603)),
			"inconclusive: never accepted": answerCall("quick/send send", "{}", rpcError(`"t"`, -32603)) + answerByStream(s, rpcError(`"t"`, -32603)),
		}},
		{"stream/media-type", one, map[string]string{
			"pass": plain, "fail": json, "fail: refused by an event": answerByStream(s, rpcError(`"t"`, -32004)),
			"inconclusive: never accepted": answerCall("quick/send send", "{}", rpcError(`"t"`, -32603)) + answerByStream(s, rpcError(`"t"`, -32603)),
		}},
		{"stream/format", one, map[string]string{
			"pass":                  plain,
			"fail: no field":        answerByStream(s, writeUpdate("busy", "")) + "  | {\"jsonrpc\":\"2.0\"}\n  |\n  |\n",
			"fail: no event":        s + "\n  < 200 text/event-stream : nothing\n  |\n  |\n",
			"fail: cut off":         s + "\n  < 200 text/event-stream data: {}\n",
			"finding: other fields": answerByStream(s, writeUpdate("busy", "")) + "  | colour: blue\n  | data: {}\n  |\n  |\n",
			"inconclusive":          json,
		}},
		{"stream/fields", one, map[string]string{
			"pass":           answerByStream(s, writeUpdate("busy", "")) + "  | event: x\n  | data: {}\n  |\n  |\n",
			"not-applicable": plain,
			"fail":           answerByStream(s, writeUpdate("busy", "")) + "  | id: a\x00b\n  | data: {}\n  |\n  |\n",
		}},
		{"stream/one-response", one, map[string]string{
			"pass":        plain,
			"fail: split": answerByStream(s, `{"jsonrpc":"2.0",`, `"id":"t","result":{}}`),
			"fail: bare":  answerByStream(s, `{"number":"7"}`),
			"fail: empty": answerByStream(s, writeUpdate("ready", "true"), `{}`),
		}},
		{"stream/one-response", "{steps: [p/s], every: stream}", map[string]string{
			"pass": plain, "pass: taken up": plain + answerByStream("q/s resubscribe task=7", writeUpdate("busy", ""), `{"jsonrpc":"2.0",`),
			"fail: another stream": plain + answerByStream("q/s stream task=7", writeUpdate("busy", ""), `{"jsonrpc":"2.0",`),
		}},
		{"stream/echoes-id", one, map[string]string{
			"pass": plain,
			"fail": answerByStream(s, `{"jsonrpc":"2.0","id":"7","result":{"number":"7","now":{}}}`),
		}},
		{"stream/echoes-id", "{steps: [p/s], every: stream}", map[string]string{
			"pass":                    plain + measureSectionDistance("o", "8"),
			"fail: another stream":    plain + measureSectionDistance("t", "8"),
			"pass: another call":      plain + answerByStream("p/r resubscribe task=7", `{"jsonrpc":"2.0","id":"old","result":{"number":"7","now":{}}}`),
			"pass: a notification":    plain + "q/n stream\n  > {}\n  < 200 text/event-stream data: {\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}\n  |\n  |\n",
			"inconclusive: no stream": json,
		}},
		{"stream/task-id", "{steps: [p/s], of: status}", map[string]string{
			"pass":            plain,
			"fail":            answerByStream(s, other),
			"fail: no number": answerByStream(s, `{"jsonrpc":"2.0","id":"t","result":{"now":{}}}`),
		}},
		{"stream/task-id", "{steps: [p/s], of: artifact}", map[string]string{
			"pass":           answerByStream(s, writePiece("a", "")),
			"fail":           answerByStream(s, `{"jsonrpc":"2.0","id":"t","result":{"number":"f-1","file":{}}}`),
			"not-applicable": plain,
		}},
		{"stream/updates", one, map[string]string{
			"pass":           answerByStream(s, writeUpdate("busy", ""), writePiece("a", "")),
			"fail: both":     answerByStream(s, `{"jsonrpc":"2.0","id":"t","result":{"number":"7","now":{},"file":{}}}`),
			"fail: snapshot": answerByStream(s, `{"jsonrpc":"2.0","id":"t","result":{"task":{"number":"7"}}}`),
			"fail: other":    answerByStream(s, other),
		}},
		{"stream/separate", both, map[string]string{
			"pass":                       plain + measureSectionDistance("o", "8"),
			"fail: task":                 plain + measureSectionDistance("o", "7"),
			"fail: id":                   plain + measureSectionDistance("t", "8"),
			"inconclusive":               plain + answerCall("p/o stream task=8", "{}", okReply),
			"inconclusive: both refused": answerByStream(s, rpcError(`"t"`, -32603)) + answerByStream("p/o stream task=8 beside", rpcError(`"o"`, -32603)),
		}},
		{"stream/incremental", one, map[string]string{
			"pass":                           plain + "  @ 10 400\n",
			"fail":                           plain + "  @ 1400 1401\n",
			"inconclusive":                   plain + "  @ 3 4\n",
			"inconclusive: one short stream": plain + "  @ 400 401\n",
			"fail: a look afterwards":        plain + "  @ 1400 1401\n" + answerCall("q/get get task=7", "{}", writeTask("7", "busy")),
			"inconclusive: a slow look":      plain + "  @ 1400 1401\n" + answerCall("q/get get task=7 beside", "{}", writeTask("7", "busy")),
			"fail: our webhook waits":        plain + "  @ 1400 1401\nq/a-1 delivery hook=a beside\n",
			"fail: a look that waits for our webhook": plain + "  @ 1400 1401\n" + answerCall("q/get get task=7 beside", "{}", writeTask("7", "busy")) +
				"q/a-1 delivery hook=a beside\n",
			"fail: a cancellation":   plain + "  @ 1400 1401\n" + answerCall("q/end cancel task=7 beside", "{}", writeTask("7", "dropped")),
			"fail: another stream":   plain + "  @ 1400 1401\n" + answerByStream("q/s resubscribe task=7 beside", writeUpdate("busy", "")),
			"fail: a large message":  plain + "  @ 1400 1401\n" + answerCall("q/l list beside", `{"page":"`+strings.Repeat("x", 20000)+`"}`, `{"jobs":[]}`),
			"fail: a malformed look": plain + "  @ 1400 1401\n" + answerCall("q/get get task=7 invalid beside", "{}", writeTask("7", "busy")),
			"fail: a stranger":       plain + "  @ 1400 1401\n" + answerCall("q/get get task=7 as=nobody beside", "{}", writeTask("7", "busy")),
		}},
		{"stream/incremental", "{steps: [p/s, p/o]}", map[string]string{
			"pass": plain + "  @ 400 401\n" + answerByStream("p/o stream task=7", writeUpdate("busy", ""), writeUpdate("ready", "true")) + "  @ 10 400\n",
			"fail": plain + "  @ 400 401\n" + answerByStream("p/o stream task=7", writeUpdate("busy", ""), writeUpdate("ready", "true")) + "  @ 400 401\n",
		}},
	})
}

func TestStreamEnd(t *testing.T) {
	s := "p/s stream task=7"
	plain := answerByStream(s, writeUpdate("busy", ""), writeUpdate("ready", "true"))
	open := answerByStream(s, writeUpdate("busy", ""), writeUpdate("ready", ""))
	look := func(phase string) string { return answerCall("p/get get task=7", "{}", writeTask("7", phase)) }
	fault := `{"jsonrpc":"2.0","id":"t","error":{"code":-32603,"message":"no"}}`
	runTrials(t, "stream_end", []trial{
		{"stream/final-last", one, map[string]string{
			"pass":                 plain,
			"fail":                 open,
			"fail: left open":      open + "  ! our-close\n",
			"fail: no status":      answerByStream(s, writePiece("a", "")),
			"inconclusive: broken": answerByStream(s, writeUpdate("busy", ""), fault),
			"inconclusive: ours":   answerByStream(s, writeUpdate("busy", "")) + "  ! our-close\n",
		}},
		{"stream/final-state", one, map[string]string{
			"pass":           plain,
			"pass: a pause":  answerByStream(s, writeUpdate("asking", "true")),
			"fail":           answerByStream(s, writeUpdate("busy", "true")),
			"not-applicable": open,
		}},
		{"stream/final-arrives", "{step: p/s}", map[string]string{"pass": plain, "fail": open}},
		{"stream/nothing-after-final", one, map[string]string{
			"pass":         plain,
			"fail":         answerByStream(s, writeUpdate("ready", "true"), writePiece("a", "")),
			"inconclusive": open,
		}},
		{"stream/nothing-after-final", "{steps: [p/s, p/r]}", map[string]string{
			"fail: taken up again": plain + answerByStream("p/r resubscribe task=7", writeUpdate("ready", "true"), writeUpdate("busy", "")),
			"pass: taken up again": plain + answerByStream("p/r resubscribe task=7", writeUpdate("ready", "true")),
			"pass: not to the end": plain + answerByStream("p/r resubscribe task=7", writeUpdate("busy", "")),
			"pass: refused":        plain + answerCall("p/r resubscribe task=7", "{}", rpcError(`"t"`, -32601)),
			"inconclusive":         open + answerByStream("p/r resubscribe task=7", writeUpdate("busy", "")),
		}},
		{"stream/closes", "{steps: [p/s, p/r]}", map[string]string{
			"pass":                          plain,
			"fail":                          plain + "  ! our-close\n  @ 10 20\n",
			"fail: taken up again":          plain + answerByStream("p/r resubscribe task=7", writeUpdate("ready", "true")) + "  ! our-close\n  @ 20\n",
			"inconclusive: not final":       open,
			"pass: not taken up to the end": plain + answerByStream("p/r resubscribe task=7", writeUpdate("busy", "")) + "  ! our-close\n",
			"inconclusive: left alone":      plain + "  ! our-close\n  @ 10 500\n",
			"pass: final of another's task": answerByStream("p/s stream task=7", `{"jsonrpc":"2.0","id":"t","result":{"number":"8","now":{"phase":"ready"},"over":true}}`, writeUpdate("ready", "true")) + measureSectionDistance("o", "8"),
		}},
		{"stream/stored-state", "{step: p/s, then: p/get}", map[string]string{
			"pass":         plain + look("ready"),
			"fail":         plain + look("busy"),
			"inconclusive": answerByStream(s, writeUpdate("busy", "")) + look("ready"),
		}},
		{"stream/ends-in", "{step: p/s, state: dropped, if: p/get}", map[string]string{
			"pass":           answerByStream(s, writeUpdate("busy", ""), writeUpdate("dropped", "true")) + look("dropped"),
			"fail: cut":      answerByStream(s, writeUpdate("busy", "")) + look("dropped"),
			"fail: open":     answerByStream(s, writeUpdate("dropped", "")) + look("dropped"),
			"not-applicable": answerByStream(s, writeUpdate("ready", "true")) + look("ready"),
		}},
		{"stream/ends-in", "{step: p/s, state: dropped, if: p/get, or: p/cancel}", map[string]string{
			"fail: gone":          answerCall("p/cancel cancel task=7", "{}", writeTask("7", "dropped")) + answerByStream(s, writeUpdate("busy", "")) + answerCall("p/get get task=7", "{}", rpcError(`"t"`, -32001)),
			"pass: gone":          answerCall("p/cancel cancel task=7", "{}", writeTask("7", "dropped")) + answerByStream(s, writeUpdate("dropped", "true")) + answerCall("p/get get task=7", "{}", rpcError(`"t"`, -32001)),
			"inconclusive: fault": answerCall("p/cancel cancel task=7", "{}", writeTask("7", "dropped")) + answerByStream(s, writeUpdate("busy", "")) + answerCall("p/get get task=7", "{}", rpcError(`"t"`, -32603)),
		}},
		{"stream/continues", "{step: p/s}", map[string]string{
			"pass":          plain,
			"fail: refused": answerCall(s, "{}", rpcError(`"t"`, -32602)),
			"fail: open":    open,
		}},
		{"stream/error-last", one, map[string]string{
			"pass":           answerByStream(s, writeUpdate("busy", ""), fault),
			"fail: goes on":  answerByStream(s, fault, writeUpdate("ready", "true")),
			"fail: no id":    answerByStream(s, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"no"}}`),
			"not-applicable": plain,
		}},
		{"stream/no-waiting", "{step: p/s}", map[string]string{
			"pass: refused":  answerCall(s, "{}", rpcError(`"t"`, -32009)),
			"pass: final":    answerByStream(s, writeUpdate("ready", "true")) + "  ! our-close\nreached p final s\n",
			"finding: empty": s + "\n  < 200 text/event-stream : nothing\n  |\n  |\n",
			"fail: silent":   s + "\n  < 200 text/event-stream : nothing\n  |\n  |\n  ! our-close\n",
		}},
		{"stream/refused", one, map[string]string{
			"pass":                   answerCall(s, "{}", rpcError(`"t"`, -32602)),
			"pass: page":             s + "\n  < 400 text/html no\n",
			"finding: event":         answerByStream(s, fault),
			"finding: event and end": answerByStream(s, fault, `{}`),
			"fail: then a result":    answerByStream(s, fault, writeUpdate("busy", "")),
			"fail: result":           plain,
			"fail: as send":          answerCall(s, "{}", okReply),
			"fail: silent":           s + "\n  < 200 text/event-stream : nothing\n  |\n  |\n",
		}},
		{"stream/refused-status", one, map[string]string{
			"pass":                         s + "\n  < 422 text/html no\n",
			"finding: 200":                 answerCall(s, "{}", rpcError(`"t"`, -32602)),
			"inconclusive: served":         plain,
			"inconclusive: served as send": answerCall(s, "{}", okReply),
			"fail":                         s + "\n  < 200 text/event-stream : nothing\n  |\n  |\n",
		}},
		{"stream/refused-body", one, map[string]string{
			"pass":           answerCall(s, `{"id":"t"}`, rpcError(`"t"`, -32602)),
			"fail: detail":   s + "\n  < 422 application/json {\"detail\":\"no\"}\n",
			"fail: other id": answerCall(s, `{"id":"t"}`, rpcError(`"u"`, -32602)),
			"not-applicable": s + "\n  < 422 text/html no\n",
		}},
		{"stream/refused-code", "{steps: [p/s], codes: [InvalidParams]}", map[string]string{
			"pass":           answerCall(s, "{}", rpcError(`"t"`, -32602)),
			"fail":           answerCall(s, "{}", rpcError(`"t"`, -32600)),
			"not-applicable": s + "\n  < 422 text/html no\n",
		}},
	})
}

func TestArtifacts(t *testing.T) {
	s := "p/s stream task=7"
	more, end := `,"more":true`, `,"end":true`
	files := func(say string) string { return `"files":[{"parts":[{"say":"` + say + `","link":"x"}]}]` }
	linked := func(say string) string { return `"files":[{"parts":[{"say":"` + say + `","link":"y"}]}]` }
	get := func(got string) string { return answerCall("p/get get task=7", "{}", got) }
	runTrials(t, "artifacts", []trial{
		{"artifact/stored", "{step: p/send, then: p/get, ignore: [link]}", map[string]string{
			"pass":           answerCall("p/send send", "{}", writeTask("7", "ready", files("a"))) + get(writeTask("7", "ready", linked("a"))),
			"fail: gone":     answerCall("p/send send", "{}", writeTask("7", "ready", files("a"))) + get(writeTask("7", "ready")),
			"fail: changed":  answerCall("p/send send", "{}", writeTask("7", "ready", files("a"))) + get(writeTask("7", "ready", files("b"))),
			"not-applicable": answerCall("p/send send", "{}", writeTask("7", "ready")) + get(writeTask("7", "ready")),
			"inconclusive":   answerCall("p/send send", "{}", writeTask("7", "busy", files("a"))) + get(writeTask("7", "ready")),
		}},
		{"artifact/delivers", "{step: p/send}", map[string]string{
			"pass: file":    answerCall("p/send send", "{}", writeTask("7", "ready", files("a"))),
			"pass: message": answerCall("p/send send", "{}", `{"jsonrpc":"2.0","id":"t","result":{"number":"7","now":{"phase":"ready","note":{"by":"agent"}}}}`),
			"fail":          answerCall("p/send send", "{}", writeTask("7", "ready", `"files":[]`)),
			"inconclusive":  answerCall("p/send send", "{}", writeTask("7", "busy")),
		}},
		{"artifact/first-chunk", one, map[string]string{
			"pass":                     answerByStream(s, writePiece("a", ""), writePiece("b", more)),
			"fail":                     answerByStream(s, writePiece("a", more), writePiece("b", more)),
			"fail: other index":        answerByStream(s, writePiece("a", ""), writePiece("b", more+`,"no":1`)),
			"not-applicable: taken up": answerByStream(s, writeTask("7", "busy", files("a")), writePiece("b", more)),
			"not-applicable":           answerByStream(s, writeUpdate("ready", "true")),
		}},
		{"artifact/first-chunk", "{steps: [p/s], appended: true}", map[string]string{
			"pass":                     answerByStream(s, writePiece("a", ""), writePiece("b", more)),
			"fail":                     answerByStream(s, writePiece("a", more), writePiece("b", more)),
			"fail: another stream":     answerByStream(s, writePiece("a", "")) + answerByStream("q/s stream task=7", writePiece("a", more)),
			"not-applicable: taken up": answerByStream(s, writePiece("a", "")) + answerByStream("q/s resubscribe task=7", writePiece("a", more)),
			"not-applicable: continued": answerByStream(s, writePiece("a", "")) +
				strings.Replace(answerByStream("q/s stream task=7", writePiece("a", more)), `"method":"m"`, `"method":"m","params":{"message":{"job":"7"}}`, 1),
			"not-applicable: three of one key": answerByStream(s, writePiece("a", ""), writePiece("b", ""), writePiece("c", "")),
		}},
		{"artifact/after-last", one, map[string]string{
			"pass":              answerByStream(s, writePiece("a", ""), writePiece("b", more+end)),
			"pass: a new one":   answerByStream(s, writePiece("a", end), writePiece("b", end)),
			"fail":              answerByStream(s, writePiece("a", end), writePiece("b", more+end)),
			"pass: other index": answerByStream(s, writePiece("a", end), writePiece("b", `,"no":1`), writePiece("c", more+end+`,"no":1`)),
		}},
		{"artifact/closed", one, map[string]string{
			"pass":           answerByStream(s, writePiece("a", ""), writePiece("b", more+end)),
			"fail":           answerByStream(s, writePiece("a", end), writePiece("b", more)),
			"not-applicable": answerByStream(s, writePiece("a", "")), "not-applicable: replaced": answerByStream(s, writePiece("a", ""), writePiece("b", more), writePiece("c", "")),
			"fail: since it was replaced": answerByStream(s, writePiece("a", end), writePiece("b", ""), writePiece("c", more)),
		}},
		{"artifact/assembled", "{step: p/s, then: p/get}", map[string]string{
			"pass":              answerByStream(s, writePiece("a", ""), writePiece("b", more+end)) + get(writeTask("7", "ready", files("ab"))),
			"pass: replaced":    answerByStream(s, writePiece("a", ""), writePiece("b", "")) + get(writeTask("7", "ready", files("b"))),
			"pass: sent anew":   answerByStream(s, writePiece("a", ""), writePiece("b", more), writePiece("c", end)) + get(writeTask("7", "ready", files("c"))),
			"fail: sent anew":   answerByStream(s, writePiece("a", ""), writePiece("b", more), writePiece("c", end)) + get(writeTask("7", "ready", files("abc"))),
			"pass: taken up":    answerByStream(s, writeTask("7", "busy", files("a")), writePiece("b", more)) + get(writeTask("7", "ready", files("ab"))),
			"fail: taken up":    answerByStream(s, writeTask("7", "busy", files("a")), writePiece("b", more)) + get(writeTask("7", "ready", files("b"))),
			"pass: shown again": answerByStream(s, writePiece("a", ""), writePiece("b", more), writeTask("7", "ready", files("ab"))) + get(writeTask("7", "ready", files("ab"))),
			"fail":              answerByStream(s, writePiece("a", ""), writePiece("b", more+end)) + get(writeTask("7", "ready", files("b"))),
			"fail: none":        answerByStream(s, writePiece("a", "")) + get(writeTask("7", "ready")),
			"not-applicable":    answerByStream(s, writeUpdate("ready", "true")) + get(writeTask("7", "ready")),
		}},
	}, func(d *schema.Dialect) { d.Read["event"]["task.artifacts"] = "/files" })
}
