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
	busy, ready, asking := update("busy", ""), update("ready", ""), update("asking", "")
	message := kind("message", `,"say":"hello"`)
	fault := `{"jsonrpc":"2.0","id":"t","error":{"code":-32603,"message":"no"}}`
	look := func(step, phase string) string { return told(step+" get task=7", "{}", job("7", phase)) }
	refused := told("p/s resubscribe task=7", "{}", rpcError(`"t"`, -32004))
	plain := streamed(s, busy, ready)
	stored := func(text string) string {
		return told("p/get get task=7", "{}", fmt.Sprintf(`{"jsonrpc":"2.0","id":"t","result":{"number":"7","files":[{"no":1,"parts":[{"say":%q}]}],"now":{"phase":"ready"}}}`, text))
	}
	chunk := func(say, more string) string { return piece(say, `,"no":1`+more) }
	try(t, "stream_ended", []trial{
		{"stream/closes-ended", one, map[string]string{
			"pass": plain, "fail": plain + "  ! our-close\n  @ 10 20\n", "inconclusive: left alone": plain + "  ! our-close\n  @ 10 500\n",
			"inconclusive: not ended": streamed(s, busy), "not-applicable: a message": streamed(s, message),
		}},
		{"stream/closes-ended", "{steps: [p/r, p/s], one: true}", map[string]string{
			"pass": plain + told("p/r resubscribe task=7", "{}", rpcError(`"t"`, -32004)), "fail": plain + "  ! our-close\n  @ 10 20\n" + told("p/r resubscribe task=7", "{}", rpcError(`"t"`, -32004)),
		}},
		{"stream/message-closes", one, map[string]string{
			"pass": streamed(s, message), "fail": streamed(s, message) + "  ! our-close\n  @ 10\n", "inconclusive": streamed(s, message) + "  ! our-close\n  @ 900\n",
			"not-applicable": plain,
		}},
		{"stream/not-cut", "{pairs: [{step: p/s, then: p/get}]}", map[string]string{
			"pass": plain, "pass: waits": streamed(s, asking), "pass: ended meanwhile": streamed(s, busy) + look("p/get", "ready"), "fail": streamed(s, busy) + look("p/get", "busy"),
			"inconclusive: ours": streamed(s, busy) + "  ! our-close\n" + look("p/get", "busy"), "inconclusive: broken off": streamed(s, busy, fault),
		}},
		{"stream/may-pause", one, map[string]string{
			"pass": streamed(s, asking), "pass: open": streamed(s, asking) + "  ! our-close\n", "not-applicable": plain,
		}},
		{"stream/ends-ended", one, map[string]string{
			"pass": plain, "fail": streamed(s, busy), "fail: no state": streamed(s, piece("a", "")), "inconclusive: waits": streamed(s, asking), "inconclusive: broken off": streamed(s, busy, fault),
		}},
		{"stream/brings-updates", one, map[string]string{
			"pass": plain, "fail": streamed(s, busy), "inconclusive: ended before": streamed(s, ready), "inconclusive: broken off": streamed(s, busy, fault),
		}},
		{"stream/brings-updates", "{steps: [p/s], beside: p/o}", map[string]string{
			"pass": streamed(s, at("busy", "2026-01-01T00:00:01Z"), ready) + streamed("p/o stream task=7 beside", at("queued", ""), at("busy", "2026-01-01T00:00:01Z"), ready),
			"fail": streamed(s, at("busy", "2026-01-01T00:00:01Z"), ready) + streamed("p/o stream task=7 beside", at("queued", ""), at("busy", "2026-01-01T00:00:01Z"), at("busy", "2026-01-01T00:00:02Z"), ready),
		}},
		{"stream/current", "{steps: [p/s], looks: p}", map[string]string{
			"pass": look("p/look-1", "busy") + plain, "pass: moved on": look("p/look-1", "queued") + plain, "fail": look("p/look-1", "busy") + streamed(s, update("queued", ""), ready),
			"fail: ended": look("p/look-1", "ready") + streamed(s, busy), "inconclusive": plain,
		}},
		{"stream/only-updates", "{steps: [p/s], task: task, kinds: [news]}", map[string]string{
			"pass": streamed(s, kind("task", ""), kind("news", "")), "pass: at the end": streamed(s, kind("task", ""), kind("news", ""), kind("task", "")),
			"fail": streamed(s, kind("task", ""), message, kind("news", "")), "fail: a task between": streamed(s, kind("task", ""), kind("task", ""), kind("news", "")),
			"inconclusive": streamed(s, kind("news", "")),
		}},
		{"stream/in-order", "{steps: [p/s], stored: [{step: p/s, then: p/get}]}", map[string]string{
			"pass": streamed(s, busy, chunk("a", ""), chunk("b", `,"more":true`), ready) + stored("ab"), "pass: stored otherwise": streamed(s, chunk("a", ""), chunk("b", `,"more":true`), ready) + stored("b"),
			"pass: sent again":    streamed(s, chunk("b", ""), chunk("a", ""), chunk("b", `,"more":true`), ready) + stored("ab"),
			"fail: after the end": streamed(s, busy, ready, piece("a", "")), "fail: back": streamed(s, ready, busy), "fail: times": streamed(s, at("busy", "2026-01-01T00:00:02Z"), at("busy", "2026-01-01T00:00:01Z")),
			"pass: sent anew":        streamed(s, busy, chunk("b", ""), chunk("a", `,"more":true`), chunk("c", ""), ready) + stored("c"),
			"pass: sent anew, twice": streamed(s, busy, chunk("ab", ""), chunk("a", ""), chunk("b", `,"more":true`), ready) + stored("ab"),
			"fail: pieces since":     streamed(s, busy, chunk("ab", ""), chunk("b", ""), chunk("a", `,"more":true`), ready) + stored("ab"),
			"fail: pieces":           streamed(s, chunk("b", ""), chunk("a", `,"more":true`), ready) + stored("ab"),
		}},
		{"stream/opens", "{steps: [p/s, p/o], one: true}", map[string]string{
			"pass": refused + streamed("p/o resubscribe task=7", busy), "fail": refused + told("p/o resubscribe task=7", "{}", rpcError(`"t"`, -32004)),
		}},
		{"stream/head", one, map[string]string{
			"pass": plain, "fail: status": s + "\n  < 202 text/event-stream data: {}\n", "fail: type": s + "\n  < 200 application/x-ndjson data: " + busy + "\n  |\n  |\n",
		}},
		{"stream/enveloped", one, map[string]string{
			"pass": plain, "fail: another id": streamed(s, `{"jsonrpc":"2.0","id":"7","result":{"number":"7","now":{}}}`), "fail: bare": streamed(s, `{"number":"7"}`),
		}},
		{"stream/refused", "{steps: [p/s], either: true}", map[string]string{
			"pass": refused, "pass: an event": streamed("p/s resubscribe task=7", rpcError(`"t"`, -32004)), "inconclusive: served": plain,
			"fail": "p/s resubscribe task=7\n  > {}\n  < 200 text/event-stream : nothing\n  |\n  |\n",
		}},
	})
}

func TestStreamsTogether(t *testing.T) {
	busy, ready := update("busy", ""), update("ready", "")
	file := func(no int) string { return piece("a", fmt.Sprintf(`,"no":%d`, no)) }
	a := func(events ...string) string { return streamed("p/a resubscribe task=7", events...) }
	b := func(events ...string) string { return streamed("p/b resubscribe task=7 beside", events...) }
	no := told("p/b resubscribe task=7 beside", "{}", rpcError(`"t"`, -32004))
	first := func(s string) string { return strings.Replace(s, " beside", "", 1) }
	with := `{"jsonrpc":"2.0","id":"t","result":{"number":"7","now":{"phase":"busy"},"files":[{"no":1}]}}`
	lost := `{"jsonrpc":"2.0","id":"t","error":{"code":-32603,"message":"no"}}`
	try(t, "stream_together", []trial{
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
