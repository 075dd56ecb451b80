package suites_test

import (
	"fmt"
	"testing"
)

// writeTask is a task in the made-up dialect; more are further members, each with a
// comma in front.
func writeTask(number, phase string, more ...string) string {
	rest := ""
	for _, m := range more {
		rest += "," + m
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"t","result":{"number":%q,"now":{"phase":%q}%s}}`, number, phase, rest)
}

// at is a task with a timestamp.
func at(phase, when string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"t","result":{"number":"7","now":{"phase":%q,"at":%q}}}`, phase, when)
}

// writeMessage is a message, and saying a call of ours with one.
func writeMessage(by, text string) string {
	return fmt.Sprintf(`{"by":%q,"parts":[{"say":%q}]}`, by, text)
}

func writeRequest(text string) string {
	return fmt.Sprintf(`{"id":"t","params":{"message":%s}}`, writeMessage("user", text))
}

func writeHistory(messages ...string) string {
	list := ""
	for i, m := range messages {
		if i > 0 {
			list += ","
		}
		list += m
	}
	return `"log":[` + list + `]`
}

func TestTask(t *testing.T) {
	refusal := rpcError(`"t"`, -32001)
	runTrials(t, "task", []trial{
		{"task/own-id", "{steps: [p/send, p/get], owns: [{type: Job, at: /number, rules: [required, type]}]}", map[string]string{
			"pass":                         answerCall("p/send send task=7", "{}", writeTask("7", "ready")) + answerCall("p/get get task=7", "{}", refusal),
			"fail":                         answerCall("p/send send task=7", "{}", writeTask("8", "ready")),
			"fail: elsewhere":              answerCall("p/send send task=7", "{}", writeTask("7", "ready")) + answerCall("q/get get task=7", "{}", `{"jsonrpc":"2.0","id":"t","result":{}}`),
			"inconclusive: always refused": answerCall("p/send send task=7", "{}", refusal),
		}},
		{"task/is-a-task", "{steps: [p/get]}", map[string]string{
			"pass":                  answerCall("p/get get", "{}", writeTask("7", "ready")),
			"fail: no status":       answerCall("p/get get", "{}", `{"jsonrpc":"2.0","id":"t","result":{"number":"7"}}`),
			"fail: refused":         answerCall("p/get get", "{}", rpcError(`"t"`, -32601)),
			"inconclusive: unknown": answerCall("p/get get", "{}", refusal),
		}},
		{"task/found", "{step: p/send, then: p/get}", map[string]string{
			"pass": answerCall("p/send send", "{}", writeTask("7", "ready")) + answerCall("p/get get", "{}", writeTask("7", "ready")),
			"fail": answerCall("p/send send", "{}", writeTask("7", "ready")) + answerCall("p/get get", "{}", refusal),
			"inconclusive: another error": answerCall("p/send send", "{}", writeTask("7", "ready")) +
				answerCall("p/get get", "{}", rpcError(`"t"`, -32601)),
		}},
		{"task/same-state", "{step: p/send, then: p/get}", map[string]string{
			"pass":                       answerCall("p/send send", "{}", writeTask("7", "ready")) + answerCall("p/get get", "{}", writeTask("7", "ready")),
			"fail":                       answerCall("p/send send", "{}", writeTask("7", "ready")) + answerCall("p/get get", "{}", writeTask("7", "busy")),
			"inconclusive: still at it":  answerCall("p/send send", "{}", writeTask("7", "busy")) + answerCall("p/get get", "{}", writeTask("7", "ready")),
			"inconclusive: forgotten it": answerCall("p/send send", "{}", writeTask("7", "ready")) + answerCall("p/get get", "{}", writeTask("7", "lost")),
		}},
		{"task/bad-params", "{steps: [b/p], codes: [InvalidParams]}", map[string]string{
			"pass":                               answerCall("b/twin send role=twin", "{}", refusal) + answerCall(theProbe, "{}", rpcError(`"t"`, -32602)),
			"fail":                               answerCall("b/twin send role=twin", "{}", refusal) + answerCall(theProbe, "{}", refusal),
			"inconclusive: everything refused":   answerCall("b/twin send role=twin", "{}", rpcError(`"t"`, -32602)) + answerCall(theProbe, "{}", rpcError(`"t"`, -32602)),
			"inconclusive: no reply to the twin": "b/twin send role=twin\n  < 500 text/html oops\n" + answerCall(theProbe, "{}", rpcError(`"t"`, -32602)),
		}},
		{"task/good-params", "{steps: [b/p], codes: [InvalidParams]}", map[string]string{
			"pass": answerCall("b/twin send role=twin", "{}", refusal) + answerCall(validProbe, "{}", refusal),
			"fail": answerCall("b/twin send role=twin", "{}", refusal) + answerCall(validProbe, "{}", rpcError(`"t"`, -32602)),
		}},
		{"task/independent", "{a: [p/a], b: [p/b]}", map[string]string{
			"pass": answerCall("p/a send task=7", writeRequest("hi one"), writeTask("7", "ready", writeHistory(writeMessage("user", "hi one")))) +
				answerCall("p/b send task=8", writeRequest("hi two"), writeTask("8", "ready", writeHistory(writeMessage("user", "hi two")))),
			"fail: mixed": answerCall("p/a send task=7", writeRequest("hi one"), writeTask("7", "ready", writeHistory(writeMessage("user", "hi one"), writeMessage("user", "hi two")))) +
				answerCall("p/b send task=8", writeRequest("hi two"), writeTask("8", "ready")),
			"fail: one for both": answerCall("p/a send task=7", writeRequest("hi one"), writeTask("8", "ready")) +
				answerCall("p/b send task=8", writeRequest("hi two"), writeTask("8", "ready")),
		}},
	})
}

func TestStates(t *testing.T) {
	look := func(n int, got string) string { return answerCall(fmt.Sprintf("p/look-%d get task=7", n), "{}", got) }
	sent := func(got string) string { return answerCall("p/send send task=7", writeRequest("hi"), got) }
	files := func(say string) string { return `"files":[{"called":"f","parts":[{"say":"` + say + `"}]}]` }
	whole := `{"jsonrpc":"2.0","id":"t","result":{"number":"7","sort":"task","now":{"phase":"busy"}}}`
	gone, minute := rpcError(`"t"`, -32001), ""
	for i := range 31 { // each takes two seconds
		minute += answerCall(fmt.Sprintf("p/wait-%d wait", i), "{}", okReply)
	}
	canceled := answerCall("p/cancel cancel task=7", "{}", writeTask("7", "dropped"))
	streamedAgain := "{before: p/look-1, by: p/again, after: [p/look-2], also: [{before: p/look-2, by: p/stream, after: [p/look-3]}]}"
	unmovedWith := "{before: p/look-1, by: p/again, after: [p/look-2], ignore: [link]}"
	again := func(got string) string { return answerCall("p/again send task=7", writeRequest("more"), got) }
	runTrials(t, "states", []trial{
		{"task/stays", "{plays: [p], state: ready}", map[string]string{
			"pass":                         sent(writeTask("7", "busy")) + look(1, writeTask("7", "ready")) + look(2, writeTask("7", "ready")),
			"fail":                         sent(writeTask("7", "busy")) + look(1, writeTask("7", "ready")) + look(2, writeTask("7", "broken")),
			"pass: told again":             sent(writeTask("7", "ready")) + answerByStream("p/r resubscribe task=7", writeUpdate("busy", ""), writeUpdate("ready", "true")) + look(1, writeTask("7", "ready")),
			"finding: forgotten":           sent(writeTask("7", "ready")) + look(1, writeTask("7", "lost")),
			"finding: gone":                sent(writeTask("7", "ready")) + look(1, gone),
			"not-applicable: gone at work": sent(writeTask("7", "busy")) + look(1, gone),
			"not-applicable: never seen":   sent(writeTask("7", "busy")) + look(1, writeTask("7", "broken")),
			"not-applicable: a new turn":   sent(writeTask("7", "ready")) + again(writeTask("7", "busy")),
			"not-applicable: unordered":    sent(writeTask("7", "ready")) + answerCall("p/look-1 get task=7 beside", "{}", writeTask("7", "busy")),
		}},
		{"task/no-step-back", "{plays: [p]}", map[string]string{
			"pass": sent(writeTask("7", "queued")) + look(1, writeTask("7", "busy")) + look(2, writeTask("7", "ready")),
			"fail": sent(writeTask("7", "busy")) + look(1, writeTask("7", "queued")),
		}},
		{"task/no-step-back", "{plays: [p], stream: true}", map[string]string{
			"pass":                        answerByStream("p/s stream task=7", writeUpdate("busy", ""), writeUpdate("ready", "")),
			"fail":                        answerByStream("p/s stream task=7", writeUpdate("busy", ""), writeUpdate("queued", ""), writeUpdate("ready", "")),
			"fail: taken up again":        answerByStream("p/r resubscribe task=7", writeUpdate("queued", ""), writeUpdate("busy", ""), writeUpdate("queued", "")),
			"pass: told again":            answerByStream("p/r resubscribe task=7", whole, writeUpdate("queued", ""), writeUpdate("busy", ""), writeUpdate("ready", "")),
			"not-applicable: looks alone": sent(writeTask("7", "busy")) + look(1, writeTask("7", "queued")),
			"inconclusive: not played":    "q/s stream\n  < 204 - \n",
		}},
		{"task/clock", "{plays: [p]}", map[string]string{
			"pass":                           sent(at("busy", "2024-03-15T10:00:05.5Z")) + look(1, at("ready", "2024-03-15T10:00:06Z")),
			"pass: coarser":                  sent(at("busy", "2024-03-15T10:00:05.5Z")) + look(1, at("ready", "2024-03-15T10:00:05Z")),
			"fail":                           sent(at("busy", "2024-03-15T10:00:05Z")) + look(1, at("ready", "2024-03-15T10:00:01Z")),
			"not-applicable: another offset": sent(at("busy", "2024-03-15T10:00:05Z")) + look(1, at("ready", "2024-03-15T10:00:01+02:00")),
		}},
		{"task/clock", "{plays: [p], slack: 60}", map[string]string{
			"pass":                     sent(at("busy", "2024-03-15T10:00:05Z")) + look(1, at("ready", "2024-03-15T10:00:06Z")),
			"finding: seconds":         sent(at("busy", "2024-03-15T10:00:05Z")) + look(1, at("ready", "2024-03-15T10:00:01Z")),
			"fail: years":              sent(at("busy", "2024-03-15T10:00:05Z")) + look(1, at("ready", "2004-03-15T10:00:06Z")),
			"inconclusive: not played": answerCall("q/send send", "{}", okReply),
		}},
		{"task/kept", "{plays: [p]}", map[string]string{
			"pass":                          sent(writeTask("7", "ready")) + look(1, writeTask("7", "ready")) + look(2, writeTask("7", "ready")),
			"fail: completed":               sent(writeTask("7", "ready")) + look(1, writeTask("7", "ready")) + look(2, gone),
			"fail: canceled":                sent(writeTask("7", "busy")) + canceled + look(1, gone),
			"fail: canceled, by a word":     sent(writeTask("7", "busy")) + answerCall("p/quit quit task=7", "{}", `{"jsonrpc":"2.0","id":"t","result":{"number":"7","stopped":true}}`) + look(1, gone),
			"fail: as one that never was":   answerCall("unknown/get get task=0", "{}", rpcError(`"t"`, -32602)) + sent(writeTask("7", "ready")) + look(1, rpcError(`"t"`, -32602)),
			"pass: in a state of its own":   sent(writeTask("7", "ready")) + look(1, writeTask("7", "lost")),
			"finding: later":                sent(writeTask("7", "ready")) + minute + look(1, gone),
			"inconclusive: another refusal": sent(writeTask("7", "ready")) + look(1, rpcError(`"t"`, -32603)),
			"not-applicable: at work":       sent(writeTask("7", "busy")) + look(1, gone),
			"not-applicable: another task":  sent(writeTask("7", "ready")) + answerCall("p/look get task=8", "{}", gone),
		}},
		{"task/ends", "{plays: [p]}", map[string]string{
			"pass":                    sent(writeTask("7", "busy")) + look(1, writeTask("7", "ready")),
			"pass: held":              sent(writeTask("7", "ready")),
			"fail":                    sent(writeTask("7", "busy")) + look(1, writeTask("7", "busy")),
			"pass: forgotten":         sent(writeTask("7", "ready")) + look(1, gone),
			"fail: forgotten":         sent(writeTask("7", "busy")) + look(1, rpcError(`"t"`, -32001)),
			"inconclusive":            sent(rpcError(`"t"`, -32001)),
			"pass: one lost":          sent(writeTask("7", "busy")) + "p/poll-1 get task=7\n < 502 text/html no\n" + look(2, writeTask("7", "ready")),
			"inconclusive: lost":      sent(writeTask("7", "busy")) + "p/poll-1 get task=7\n < 502 text/html no\n",
			"inconclusive: a fault":   sent(writeTask("7", "busy")) + look(1, rpcError(`"t"`, -32603)),
			"inconclusive: stateless": sent(writeTask("7", "busy")) + look(1, `{"jsonrpc":"2.0","id":"t","result":{"number":"7"}}`),
		}},
		{"task/ends", "{plays: [p], outcome: done, like: q}", map[string]string{
			"pass":               sent(writeTask("7", "busy")) + look(1, writeTask("7", "ready")),
			"pass: as otherwise": answerCall("q/send send task=8", writeRequest("hi"), writeTask("8", "broken")) + sent(writeTask("7", "busy")) + look(1, writeTask("7", "broken")),
			"fail":               sent(writeTask("7", "busy")) + look(1, writeTask("7", "dropped")),
		}},
		{"task/reaches", "{plays: [p], state: asking}", map[string]string{
			"pass":               sent(writeTask("7", "busy")) + look(1, writeTask("7", "asking")),
			"fail":               sent(writeTask("7", "ready")),
			"inconclusive":       sent(rpcError(`"t"`, -32001)),
			"inconclusive: lost": sent(writeTask("7", "busy")) + "p/poll-1 get task=7\n < 502 text/html no\n",
		}},
		{"task/status-message", "{plays: [p], state: asking}", map[string]string{
			"pass":           sent(`{"jsonrpc":"2.0","id":"t","result":{"number":"7","now":{"phase":"asking","note":{"by":"agent"}}}}`),
			"fail":           sent(writeTask("7", "asking")),
			"not-applicable": sent(writeTask("7", "ready")),
		}},
		{"task/known", "{steps: [p/send]}", map[string]string{
			"pass": sent(writeTask("7", "busy")),
			"fail": sent(writeTask("7", "lost")),
		}},
		{"task/unmoved", unmovedWith, map[string]string{
			"pass: refused":    sent(writeTask("7", "ready")) + look(1, writeTask("7", "ready", files("a"))) + again(rpcError(`"t"`, -32009)) + look(2, writeTask("7", "ready", files("a"))),
			"fail: reopened":   sent(writeTask("7", "ready")) + look(1, writeTask("7", "ready", files("a"))) + again(writeTask("7", "busy")) + look(2, writeTask("7", "ready", files("a"))),
			"fail: moved":      sent(writeTask("7", "ready")) + look(1, writeTask("7", "ready", files("a"))) + again(rpcError(`"t"`, -32009)) + look(2, writeTask("7", "busy", files("a"))),
			"fail: other file": sent(writeTask("7", "ready")) + look(1, writeTask("7", "ready", files("a"))) + again(writeTask("7", "ready")) + look(2, writeTask("7", "ready", files("b"))),
			"inconclusive":     sent(writeTask("7", "busy")) + look(1, writeTask("7", "busy")) + again(writeTask("7", "busy")) + look(2, writeTask("7", "busy")),
		}},
		{"task/unmoved", streamedAgain, map[string]string{
			"pass: not streamed": sent(writeTask("7", "ready")) + look(1, writeTask("7", "ready")) + again(rpcError(`"t"`, -32009)) + look(2, writeTask("7", "ready")),
			"pass: refused": sent(writeTask("7", "ready")) + look(1, writeTask("7", "ready")) + again(rpcError(`"t"`, -32009)) + look(2, writeTask("7", "ready")) +
				answerCall("p/stream stream task=7", "{}", rpcError(`"t"`, -32009)) + look(3, writeTask("7", "ready")),
			"fail: streamed": sent(writeTask("7", "ready")) + look(1, writeTask("7", "ready")) + again(rpcError(`"t"`, -32009)) + look(2, writeTask("7", "ready")) +
				answerByStream("p/stream stream task=7", writeUpdate("busy", ""), writeUpdate("ready", "true")) + look(3, writeTask("7", "ready")),
			"fail: moved": sent(writeTask("7", "ready")) + look(1, writeTask("7", "ready")) + again(rpcError(`"t"`, -32009)) + look(2, writeTask("7", "ready")) +
				answerCall("p/stream stream task=7", "{}", rpcError(`"t"`, -32009)) + look(3, writeTask("7", "busy")),
		}},
		{"task/continues", "{plays: [p], step: p/again}", map[string]string{
			"pass":               sent(writeTask("7", "asking")) + again(writeTask("7", "ready")),
			"pass: asks more":    sent(at("asking", "2024-03-15T10:00:05Z")) + again(at("asking", "2024-03-15T10:00:06Z")),
			"fail: refused":      sent(writeTask("7", "asking")) + again(rpcError(`"t"`, -32602)),
			"fail: ignored":      sent(writeTask("7", "asking")) + again(writeTask("7", "asking")),
			"inconclusive: lost": sent(writeTask("7", "asking")) + again(writeTask("7", "asking")) + "p/after-1 get task=7\n < 502 text/html no\n",
		}},
		{"task/honest-cancel", "{cancel: p/cancel, get: p/get}", map[string]string{
			"pass":             answerCall("p/cancel cancel task=7", "{}", writeTask("7", "dropped")) + answerCall("p/get get task=7", "{}", writeTask("7", "dropped")),
			"pass: not yet":    answerCall("p/cancel cancel task=7", "{}", writeTask("7", "busy")) + answerCall("p/get get task=7", "{}", writeTask("7", "busy")),
			"finding: refused": answerCall("p/cancel cancel task=7", "{}", rpcError(`"t"`, -32001)),
			"fail":             answerCall("p/cancel cancel task=7", "{}", writeTask("7", "dropped")) + answerCall("p/get get task=7", "{}", writeTask("7", "busy")),
		}},
		{"task/honest-cancel", "{cancel: p/cancel, get: p/later, now: p/get}", map[string]string{
			"pass":                canceled + answerCall("p/get get task=7", "{}", writeTask("7", "dropped")) + answerCall("p/later get task=7", "{}", writeTask("7", "dropped")),
			"fail: gone":          canceled + answerCall("p/get get task=7", "{}", gone) + answerCall("p/later get task=7", "{}", gone),
			"inconclusive: later": canceled + answerCall("p/get get task=7", "{}", writeTask("7", "dropped")) + answerCall("p/later get task=7", "{}", gone),
		}},
		{"cancel/again", "{first: p/cancel, step: p/again, codes: [TaskNotCancelable]}", map[string]string{
			"pass":           canceled + answerCall("p/again cancel task=7", "{}", rpcError(`"t"`, -32002)),
			"pass: shown":    canceled + answerCall("p/again cancel task=7", "{}", writeTask("7", "dropped")),
			"finding: gone":  canceled + answerCall("p/again cancel task=7", "{}", gone),
			"fail":           canceled + answerCall("p/again cancel task=7", "{}", rpcError(`"t"`, -32603)),
			"not-applicable": answerCall("p/cancel cancel task=7", "{}", writeTask("7", "busy")) + answerCall("p/again cancel task=7", "{}", gone),
			"inconclusive":   "p/cancel cancel unsent=send why\n",
		}},
		{"cancel/leads", "{step: p/cancel, looks: [p/get, p/later]}", map[string]string{
			"pass":                canceled + answerCall("p/get get task=7", "{}", writeTask("7", "dropped")) + answerCall("p/later get task=7", "{}", writeTask("7", "dropped")),
			"pass: gone":          canceled + answerCall("p/get get task=7", "{}", gone) + answerCall("p/later get task=7", "{}", gone),
			"fail":                canceled + answerCall("p/get get task=7", "{}", writeTask("7", "busy")) + answerCall("p/later get task=7", "{}", writeTask("7", "ready")),
			"inconclusive: gone":  answerCall("p/cancel cancel task=7", "{}", writeTask("7", "busy")) + answerCall("p/get get task=7", "{}", gone) + answerCall("p/later get task=7", "{}", gone),
			"inconclusive: fault": canceled + answerCall("p/get get task=7", "{}", rpcError(`"t"`, -32603)) + answerCall("p/later get task=7", "{}", gone),
		}},
		{"time/iso-8601", "{type: Now, at: /at}", map[string]string{
			"pass":                    sent(at("busy", "2024-03-15T10:00:05Z")),
			"pass: basic":             sent(at("busy", "20240315T100005,25+0100")),
			"finding: without offset": sent(at("busy", "2024-03-15T10:00:05")),
			"fail: words":             sent(at("busy", "yesterday")),
			"fail: no such day":       sent(at("busy", "2024-02-31T10:00:05Z")),
			"fail: a number":          sent(`{"jsonrpc":"2.0","id":"t","result":{"number":"7","now":{"at":1710496805000}}}`),
			"not-applicable":          sent(writeTask("7", "busy")),
		}},
		{"time/utc", "{type: Now, at: /at}", map[string]string{
			"pass":           sent(at("busy", "2024-03-15T10:00:05+00:00")),
			"fail":           sent(at("busy", "2024-03-15T10:00:05+02:00")),
			"not-applicable": sent(at("busy", "2024-03-15T10:00:05")),
		}},
		{"time/utc", "{type: Now, at: /at, zulu: true}", map[string]string{
			"pass":                sent(at("busy", "2024-03-15T10:00:05Z")),
			"fail:zero":           sent(at("busy", "2024-03-15T10:00:05+00:00")),
			"fail:without offset": sent(at("busy", "2024-03-15T10:00:05")),
		}},
		{"time/milliseconds", "{type: Now, at: /at}", map[string]string{
			"pass":           sent(at("busy", "2024-03-15T10:00:05.120Z")),
			"finding":        sent(at("busy", "2024-03-15T10:00:05Z")),
			"not-applicable": sent(at("busy", "noon")),
		}},
	})
}

func TestHistory(t *testing.T) {
	hi, hello, bye := writeMessage("user", "hi"), writeMessage("agent", "hello"), writeMessage("user", "bye")
	sent := answerCall("p/send send task=7", writeRequest("hi"), writeTask("7", "busy"))
	more := answerCall("p/more send task=7", writeRequest("bye"), writeTask("7", "busy"))
	look := func(name string, messages ...string) string {
		return answerCall("p/"+name+" get task=7", "{}", writeTask("7", "ready", writeHistory(messages...)))
	}
	none := answerCall("p/look get task=7", "{}", writeTask("7", "ready"))
	asked := answerCall("p/waiting get task=7", "{}", `{"result":{"number":"7","now":{"phase":"asking","note":`+hello+`}}}`)
	runTrials(t, "history", []trial{
		{"history/given", "{steps: [p/look], limit: 2}", map[string]string{
			"pass":       look("look", hi, hello),
			"fail: none": none,
			"fail: many": look("look", hi, hello, bye),
		}},
		{"history/limited", "{steps: [p/look], limit: 1}", map[string]string{
			"pass":           look("look", hi),
			"fail":           look("look", hi, hello),
			"not-applicable": none,
		}},
		{"history/latest", "{looks: [{one: p/look, many: p/all}]}", map[string]string{
			"pass":           look("look", hello) + look("all", hi, hello),
			"fail":           look("look", hi) + look("all", hi, hello),
			"not-applicable": look("look", hi) + look("all", hi),
		}},
		{"history/order", "{step: p/look, of: [p/send, p/more]}", map[string]string{
			"pass":           sent + more + look("look", hi, hello, bye),
			"fail":           sent + more + look("look", bye, hello, hi),
			"inconclusive":   sent + more + look("look", hello, bye),
			"not-applicable": sent + more + none,
		}},
		{"history/order", "{step: p/look, of: [p/send, p/more], asked: [p/waiting]}", map[string]string{
			"pass":                  sent + more + asked + look("look", hi, hello, bye),
			"pass: not in it":       sent + more + asked + look("look", hi, bye),
			"pass: asked twice":     sent + more + asked + look("look", hi, hello, bye, hello),
			"fail: after it":        sent + more + asked + look("look", hi, bye, hello),
			"fail: before it":       sent + more + asked + look("look", hello, hi, bye),
			"inconclusive: no look": sent + more + look("look", hi, hello, bye),
		}},
		{"history/holds", "{step: p/look, of: [p/send]}", map[string]string{
			"pass":           sent + look("look", hello, hi),
			"fail":           sent + look("look", writeMessage("agent", "hi")),
			"not-applicable": sent + none,
		}},
		{"history/keeps", "{step: p/was, then: p/look}", map[string]string{
			"pass":           look("was", hi, hello) + look("look", hi, hello, bye),
			"fail":           look("was", hi, hello) + look("look", bye),
			"not-applicable": look("was", hi) + none,
		}},
	})
}

func TestContext(t *testing.T) {
	of := func(step, group string) string {
		if group != "" {
			group = `"group":"` + group + `"`
			return answerCall(step, writeRequest("tell secret-5"), writeTask("7", "ready", group))
		}
		return answerCall(step, writeRequest("tell secret-5"), writeTask("7", "ready"))
	}
	runTrials(t, "context", []trial{
		{"context/same", "{steps: [p/send]}", map[string]string{
			"pass":           of("p/send send context=g", "g"),
			"fail":           of("p/send send context=g", "other"),
			"not-applicable": of("p/send send context=g", ""),
		}},
		{"context/returned", "{steps: [p/send]}", map[string]string{
			"pass": of("p/send send context=g", "other"),
			"fail": of("p/send send context=g", ""),
		}},
		{"context/kept", "{step: p/send, then: p/more}", map[string]string{
			"pass":             of("p/send send", "g") + of("p/more send", "g"),
			"pass: never had":  of("p/send send", "") + of("p/more send", ""),
			"fail":             of("p/send send", "g") + of("p/more send", ""),
			"fail: a new one":  of("p/send send", "g") + of("p/more send", "h"),
			"inconclusive: no": of("p/send send", "g") + answerCall("p/more send", "{}", rpcError(`"t"`, -32001)),
		}},
		{"context/apart", "{made: [p/send], looks: [p/get]}", map[string]string{
			"pass":       of("p/send send task=7", "g") + of("p/get get task=7", "g"),
			"fail: gone": of("p/send send task=7", "g") + answerCall("p/get get task=7", "{}", rpcError(`"t"`, -32001)),
			"fail: else": of("p/send send task=8", "g") + of("p/get get task=8", "g"),
		}},
		{"context/recalled", "{told: p/send, asked: p/second, stranger: p/stranger}", map[string]string{
			"pass": of("p/send send", "g") + answerCall("p/second send", "{}", writeTask("8", "ready", `"note":"it was secret-5"`)) + answerCall("p/stranger send", "{}", writeTask("9", "ready")),
			"not-applicable: forgot": of("p/send send", "g") + answerCall("p/second send", "{}", writeTask("8", "ready")) +
				answerCall("p/stranger send", "{}", writeTask("9", "ready")),
			"fail": of("p/send send", "g") + answerCall("p/second send", "{}", writeTask("8", "ready")) +
				answerCall("p/stranger send", "{}", writeTask("9", "ready", `"files":[{"note":"secret-5"}]`)),
		}},
	})
}
