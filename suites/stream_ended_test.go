package suites_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

func TestStreamOfEndedTask(t *testing.T) {
	s := "p/s stream task=7"
	kind := func(sort, more string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":"t","result":{"sort":%q,"number":"7"%s}}`, sort, more)
	}
	at := func(phase, time string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":"t","result":{"number":"7","now":{"phase":%q,"at":%q}}}`, phase, time)
	}
	busy, ready, asking := writeUpdate("busy", ""), writeUpdate("ready", ""), writeUpdate("asking", "")
	message := kind("message", `,"say":"hello"`)
	fault := `{"jsonrpc":"2.0","id":"t","error":{"code":-32603,"message":"no"}}`
	look := func(step, phase string) string { return answerCall(step+" get task=7", "{}", writeTask("7", phase)) }
	refused := answerCall("p/s resubscribe task=7", "{}", rpcError(`"t"`, -32004))
	plain := answerByStream(s, busy, ready)
	stored := func(text string) string {
		return answerCall("p/get get task=7", "{}", fmt.Sprintf(`{"jsonrpc":"2.0","id":"t","result":{"number":"7","files":[{"no":1,"parts":[{"say":%q}]}],"now":{"phase":"ready"}}}`, text))
	}
	chunk := func(say, more string) string { return writePiece(say, `,"no":1`+more) }
	runTrials(t, "stream_ended", []trial{
		{"stream/closes-ended", one, map[string]string{
			"pass": plain, "fail": plain + "  ! our-close\n  @ 10 20\n", "inconclusive: left alone": plain + "  ! our-close\n  @ 10 500\n",
			"inconclusive: not ended": answerByStream(s, busy), "not-applicable: a message": answerByStream(s, message),
		}},
		{"stream/closes-ended", "{steps: [p/r, p/s], one: true}", map[string]string{
			"pass": plain + answerCall("p/r resubscribe task=7", "{}", rpcError(`"t"`, -32004)), "fail": plain + "  ! our-close\n  @ 10 20\n" + answerCall("p/r resubscribe task=7", "{}", rpcError(`"t"`, -32004)),
		}},
		{"stream/message-closes", one, map[string]string{
			"pass": answerByStream(s, message), "fail": answerByStream(s, message) + "  ! our-close\n  @ 10\n", "inconclusive": answerByStream(s, message) + "  ! our-close\n  @ 900\n",
			"not-applicable": plain,
		}},
		{"stream/not-cut", "{pairs: [{step: p/s, then: p/get}]}", map[string]string{
			"pass": plain, "pass: waits": answerByStream(s, asking), "pass: ended meanwhile": answerByStream(s, busy) + look("p/get", "ready"), "fail": answerByStream(s, busy) + look("p/get", "busy"),
			"inconclusive: ours": answerByStream(s, busy) + "  ! our-close\n" + look("p/get", "busy"), "inconclusive: broken off": answerByStream(s, busy, fault),
		}},
		{"stream/may-pause", one, map[string]string{
			"pass": answerByStream(s, asking), "pass: open": answerByStream(s, asking) + "  ! our-close\n", "not-applicable": plain,
		}},
		{"stream/ends-ended", one, map[string]string{
			"pass": plain, "fail": answerByStream(s, busy), "fail: no state": answerByStream(s, writePiece("a", "")), "inconclusive: waits": answerByStream(s, asking), "inconclusive: broken off": answerByStream(s, busy, fault),
		}},
		{"stream/brings-updates", one, map[string]string{
			"pass": plain, "fail": answerByStream(s, busy), "inconclusive: ended before": answerByStream(s, ready), "inconclusive: broken off": answerByStream(s, busy, fault),
		}},
		{"stream/brings-updates", "{steps: [p/s], beside: p/o}", map[string]string{
			"pass": answerByStream(s, at("busy", "2026-01-01T00:00:01Z"), ready) + answerByStream("p/o stream task=7 beside", at("queued", ""), at("busy", "2026-01-01T00:00:01Z"), ready),
			"fail": answerByStream(s, at("busy", "2026-01-01T00:00:01Z"), ready) + answerByStream("p/o stream task=7 beside", at("queued", ""), at("busy", "2026-01-01T00:00:01Z"), at("busy", "2026-01-01T00:00:02Z"), ready),
		}},
		{"stream/current", "{steps: [p/s], looks: p}", map[string]string{
			"pass": look("p/look-1", "busy") + plain, "pass: moved on": look("p/look-1", "queued") + plain, "fail": look("p/look-1", "busy") + answerByStream(s, writeUpdate("queued", ""), ready),
			"fail: ended": look("p/look-1", "ready") + answerByStream(s, busy), "inconclusive": plain,
		}},
		{"stream/only-updates", "{steps: [p/s], task: task, kinds: [news]}", map[string]string{
			"pass": answerByStream(s, kind("task", ""), kind("news", "")), "pass: at the end": answerByStream(s, kind("task", ""), kind("news", ""), kind("task", "")),
			"fail": answerByStream(s, kind("task", ""), message, kind("news", "")), "fail: a task between": answerByStream(s, kind("task", ""), kind("task", ""), kind("news", "")),
			"inconclusive": answerByStream(s, kind("news", "")),
		}},
		{"stream/in-order", "{steps: [p/s], stored: [{step: p/s, then: p/get}]}", map[string]string{
			"pass": answerByStream(s, busy, chunk("a", ""), chunk("b", `,"more":true`), ready) + stored("ab"), "pass: stored otherwise": answerByStream(s, chunk("a", ""), chunk("b", `,"more":true`), ready) + stored("b"),
			"pass: sent again":    answerByStream(s, chunk("b", ""), chunk("a", ""), chunk("b", `,"more":true`), ready) + stored("ab"),
			"fail: after the end": answerByStream(s, busy, ready, writePiece("a", "")), "fail: back": answerByStream(s, ready, busy), "fail: times": answerByStream(s, at("busy", "2026-01-01T00:00:02Z"), at("busy", "2026-01-01T00:00:01Z")),
			"pass: sent anew":        answerByStream(s, busy, chunk("b", ""), chunk("a", `,"more":true`), chunk("c", ""), ready) + stored("c"),
			"pass: sent anew, twice": answerByStream(s, busy, chunk("ab", ""), chunk("a", ""), chunk("b", `,"more":true`), ready) + stored("ab"),
			"fail: pieces since":     answerByStream(s, busy, chunk("ab", ""), chunk("b", ""), chunk("a", `,"more":true`), ready) + stored("ab"),
			"fail: pieces":           answerByStream(s, chunk("b", ""), chunk("a", `,"more":true`), ready) + stored("ab"),
		}},
		{"stream/opens", "{steps: [p/s, p/o], one: true}", map[string]string{
			"pass": refused + answerByStream("p/o resubscribe task=7", busy), "fail": refused + answerCall("p/o resubscribe task=7", "{}", rpcError(`"t"`, -32004)),
		}},
		{"stream/head", one, map[string]string{
			"pass": plain, "fail: status": s + "\n  < 202 text/event-stream data: {}\n", "fail: type": s + "\n  < 200 application/x-ndjson data: " + busy + "\n  |\n  |\n",
		}},
		{"stream/enveloped", one, map[string]string{
			"pass": plain, "fail: another id": answerByStream(s, `{"jsonrpc":"2.0","id":"7","result":{"number":"7","now":{}}}`), "fail: bare": answerByStream(s, `{"number":"7"}`),
		}},
		{"stream/refused", "{steps: [p/s], either: true}", map[string]string{
			"pass": refused, "pass: an event": answerByStream("p/s resubscribe task=7", rpcError(`"t"`, -32004)), "inconclusive: served": plain,
			"fail": "p/s resubscribe task=7\n  > {}\n  < 200 text/event-stream : nothing\n  |\n  |\n",
		}},
	})
}

func TestConcurrentStreams(t *testing.T) {
	busy, ready := writeUpdate("busy", ""), writeUpdate("ready", "")
	file := func(no int) string { return writePiece("a", fmt.Sprintf(`,"no":%d`, no)) }
	a := func(events ...string) string { return answerByStream("p/a resubscribe task=7", events...) }
	b := func(events ...string) string { return answerByStream("p/b resubscribe task=7 beside", events...) }
	no := answerCall("p/b resubscribe task=7 beside", "{}", rpcError(`"t"`, -32004))
	first := func(s string) string { return strings.Replace(s, " beside", "", 1) }
	with := `{"jsonrpc":"2.0","id":"t","result":{"number":"7","now":{"phase":"busy"},"files":[{"no":1}]}}`
	lost := `{"jsonrpc":"2.0","id":"t","error":{"code":-32603,"message":"no"}}`
	runTrials(t, "stream_together", []trial{
		{"stream/several", "{steps: [p/b]}", map[string]string{"pass": first(b(busy)), "finding": first(no), "finding: by an event": first(b(lost))}},
		{"stream/all-served", "{steps: [p/a, p/b]}", map[string]string{
			"pass": a(busy, ready) + b(busy, ready), "fail": a(busy, busy) + "  ! our-close\n" + b(busy, ready), "inconclusive: ended by the server": a(busy) + b(busy, ready), "not-applicable": a(busy, ready) + no, "inconclusive": a(busy, lost) + b(busy, ready),
		}},
		{"stream/same-events", "{a: p/a, b: p/b}", map[string]string{
			"pass": a(busy, file(1), ready) + b(busy, file(1), ready), "pass: begun later": a(busy, file(1), ready) + b(with, ready),
			"fail: another": a(busy, file(1), ready) + b(busy, file(2), ready), "fail: kept back": a(busy, file(1), ready) + b(busy, ready),
			"not-applicable": a(busy, ready) + no, "inconclusive": a(busy, ready) + b(busy),
		}},
		{"stream/outlives", "{closed: p/b, others: [p/a]}", map[string]string{
			"pass":                         first(b(busy)) + "  ! our-close\n" + a(busy, ready),
			"fail":                         first(b(busy)) + "  ! our-close\n" + a(busy),
			"inconclusive: not closed":     first(b(busy, ready)) + a(busy, ready),
			"inconclusive: closed earlier": a(busy) + b(busy) + "  ! our-close\n", "not-applicable": first(no) + a(busy, ready),
		}},
	}, func(d *schema.Dialect) { d.Read["event"]["task.artifacts"] = "/files" })
}
