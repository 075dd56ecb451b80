package suites_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// entry is a task of a list, with further members, each with a comma in front.
func entry(number, phase, when string, more ...string) string {
	return fmt.Sprintf(`{"number":%q,"now":{"phase":%q,"at":%q}%s}`, number, phase, when, strings.Join(more, ""))
}

// pageOf is the answer to a list.
func pageOf(next, size, total string, entries ...string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"t","result":{"jobs":[%s],"more":%s,"page":%s,"all":%s}}`, strings.Join(entries, ","), next, size, total)
}

func listTasks(step, asked, got string) string {
	return answerCall("l/"+step+" list context=c", `{"id":"t","params":`+asked+`}`, got)
}

const (
	noon      = "2026-01-31T12:00:00.000Z"
	afternoon = "2026-01-31T12:00:01.000Z"
	evening   = "2026-01-31T12:00:02.000Z"
)

func TestPages(t *testing.T) {
	made := answerCall("t/a send", "{}", writeTask("1", "ready")) + answerCall("t/b send", "{}", writeTask("2", "ready")) + answerCall("t/c send", "{}", writeTask("3", "ready"))
	one, two, three := entry("1", "ready", noon), entry("2", "ready", afternoon), entry("3", "ready", evening)
	page := func(n int, got string) string { return listTasks(fmt.Sprintf("page-%d", n), `{"page":2}`, got) }
	again := func(n int, got string) string { return listTasks(fmt.Sprintf("again-%d", n), `{"page":2}`, got) }
	first, last := page(1, pageOf(`"x"`, "2", "3", three, two)), page(2, pageOf(`""`, "2", "3", one))
	with := "{pages: l/page-1, made: [t/a, t/b, t/c]}"
	refused := rpcError(`"t"`, -32602)
	runTrials(t, "pages", []trial{
		{"list/last", "{steps: [l/none], pages: l/page-1}", map[string]string{
			"pass":               listTasks("none", "{}", pageOf(`""`, "50", "0")) + first + last,
			"fail: null":         listTasks("none", "{}", pageOf("null", "50", "0")),
			"fail: the last":     listTasks("none", "{}", pageOf(`""`, "50", "0")) + first + page(2, pageOf("null", "2", "3", one)),
			"inconclusive: more": listTasks("none", "{}", pageOf(`""`, "50", "0")) + first + page(2, pageOf(`"y"`, "2", "3", one)),
		}},
		{"list/whole", with, map[string]string{
			"pass":                      made + first + last,
			"fail: twice":               made + first + page(2, pageOf(`""`, "2", "3", two)),
			"fail: one missing":         made + first + page(2, pageOf(`""`, "2", "3")),
			"inconclusive: not the end": made + first + page(2, pageOf(`"y"`, "2", "3")),
			"inconclusive: elsewhere":   answerCall("t/a send", "{}", writeTask("1", "ready", `"group":"c"`)) + answerCall("t/b send", "{}", writeTask("2", "ready", `"group":"d"`)) + first + last,
			"inconclusive: no tasks":    answerCall("t/a send", "{}", refused) + answerCall("t/b send", "{}", refused) + first + last,
		}},
		{"list/bounded", with, map[string]string{
			"pass": first + last,
			"fail": page(1, pageOf(`""`, "2", "3", three, two, one)),
		}},
		{"list/default-size", "{step: l/all, most: 2}", map[string]string{
			"pass":       listTasks("all", "{}", pageOf(`""`, "2", "3", three, two)),
			"fail":       listTasks("all", "{}", pageOf(`""`, "2", "3", three, two, one)),
			"fail: told": listTasks("all", "{}", pageOf(`""`, "200", "3", three)),
		}},
		{"list/size-limits", "{steps: [l/odd], least: 1, most: 2, usual: [InvalidParams]}", map[string]string{
			"pass":             listTasks("odd", "{}", pageOf(`"x"`, "2", "3", three, two)),
			"pass: refused":    listTasks("odd", "{}", refused),
			"finding: another": listTasks("odd", "{}", rpcError(`"t"`, -32600)),
			"fail: internal":   listTasks("odd", "{}", rpcError(`"t"`, -32603)),
			"fail: told":       listTasks("odd", "{}", pageOf(`"x"`, "150", "3", three, two)),
			"fail: too many":   listTasks("odd", "{}", pageOf(`"x"`, "2", "3", three, two, one)),
		}},
		{"list/size-told", with, map[string]string{
			"pass":                   first + last,
			"pass: less":             first + page(2, pageOf(`""`, "1", "3", one)),
			"fail":                   page(1, pageOf(`"x"`, "0", "3", three, two)),
			"fail: more than asked":  page(1, pageOf(`"x"`, "50", "3", three, two)),
			"inconclusive: too many": page(1, pageOf(`"x"`, "2", "3", three, two, one)),
		}},
		{"list/total", with, map[string]string{
			"pass":                  made + first + last,
			"fail":                  made + page(1, pageOf(`"x"`, "2", "2", three, two)) + page(2, pageOf(`""`, "2", "1", one)),
			"inconclusive: missing": made + first + page(2, pageOf(`""`, "2", "3")),
		}},
		{"list/stable", "{pages: l/page-1, again: l/again-1}", map[string]string{
			"pass": first + last + again(1, pageOf(`"x"`, "2", "3", three, two)) + again(2, pageOf(`""`, "2", "3", one)),
			"pass: of one time": page(1, pageOf(`""`, "2", "2", entry("1", "ready", noon), entry("2", "ready", noon))) +
				again(1, pageOf(`""`, "2", "2", entry("2", "ready", noon), entry("1", "ready", noon))),
			"fail":                      first + last + again(1, pageOf(`"x"`, "2", "3", two, three)) + again(2, pageOf(`""`, "2", "3", one)),
			"fail: fewer":               first + last + again(1, pageOf(`""`, "2", "3", three, two)),
			"pass: more pages":          first + last + again(1, pageOf(`"x"`, "2", "3", three, two)),
			"inconclusive: one of them": page(1, pageOf(`"x"`, "2", "3", three, two)) + again(1, pageOf(`"x"`, "1", "3", three)),
			"inconclusive: one":         page(1, pageOf(`""`, "2", "1", one)) + again(1, pageOf(`""`, "2", "1", one)),
		}},
	})
}

func TestFilters(t *testing.T) {
	made := answerCall("t/a send", "{}", writeTask("1", "ready", `"group":"c"`)) + answerCall("t/b send", "{}", writeTask("2", "ready", `"group":"c"`))
	other := answerCall("t/other send", "{}", writeTask("9", "ready"))
	one, two := entry("1", "ready", noon), entry("2", "broken", afternoon)
	strange := entry("9", "ready", evening, `,"group":"d"`)
	whole := listTasks("whole", "{}", pageOf(`""`, "50", "2", two, one))
	ended := answerCall("m/a get", "{}", writeTask("1", "ready")) + answerCall("m/b get", "{}", writeTask("2", "broken"))
	files := func(say string) string { return `,"files":[{"no":0,"parts":[{"say":"` + say + `"}]}]` }
	look := func(say string) string { return answerCall("a/get get", "{}", writeTask("1", "ready", files(say)[1:])) }
	front := func(phase string, entries ...string) string {
		return answerCall("f/a send", "{}", writeTask("1", "asking")) + answerCall("f/b send", "{}", writeTask("2", "ready")) + answerCall("f/cancel cancel", "{}", writeTask("1", phase)) +
			answerCall("f/list list", "{}", pageOf(`""`, "50", "2", entries...))
	}
	mine, known, stranger := listTasks("own", "{}", pageOf(`""`, "50", "1", one)), answerCall("g/known get as=second", "{}", rpcError(`"t"`, -32001)), "l/second list as=second context=c"
	theirs := "{own: l/own, made: t/a, known: g/known, steps: [l/second]}"
	runTrials(t, "filters", []trial{
		{"list/sorted", "{steps: [l/whole]}", map[string]string{
			"pass":                   whole,
			"pass: same time":        listTasks("whole", "{}", pageOf(`""`, "50", "2", entry("1", "ready", noon), entry("2", "ready", noon))),
			"pass: some untimed":     listTasks("whole", "{}", pageOf(`""`, "50", "3", two, entry("3", "ready", ""), one)),
			"fail":                   listTasks("whole", "{}", pageOf(`""`, "50", "2", one, two)),
			"fail: another list":     whole + ended + answerCall("m/all list", "{}", pageOf(`""`, "50", "2", one, two)),
			"pass: changed together": whole + ended + answerCall("m/all list", "{}", pageOf(`""`, "50", "2", entry("1", "ready", "2026-01-31T12:00:00.000Z"), entry("2", "ready", "2026-01-31T12:00:00.150Z"))),
			"fail: not neighbours":   whole + ended + answerCall("m/c get", "{}", writeTask("3", "ready")) + answerCall("m/all list", "{}", pageOf(`""`, "50", "3", entry("1", "ready", "2026-01-31T12:00:00.000Z"), entry("2", "ready", "2026-01-31T12:00:00.150Z"), entry("3", "ready", "2026-01-31T12:00:00.300Z"))),
			"pass: not ended yet":    whole + answerCall("m/all list", "{}", pageOf(`""`, "50", "2", entry("5", "busy", noon), entry("6", "busy", evening))),
			"not-applicable: none":   listTasks("whole", "{}", pageOf(`""`, "50", "1", one)),
		}},
		{"list/moves", "{step: f/list, first: f/a, beside: f/b, change: f/cancel}", map[string]string{
			"pass":                       front("dropped", entry("1", "dropped", evening), two),
			"fail":                       front("dropped", two, entry("1", "dropped", evening)),
			"inconclusive: unchanged":    front("asking", two, one),
			"inconclusive: the same":     front("dropped", two, entry("1", "dropped", afternoon)),
			"not-applicable: by seconds": front("dropped", entry("2", "ready", "2026-01-31T12:00:01Z"), entry("1", "dropped", "2026-01-31T12:00:01Z")),
			"inconclusive: one of them":  front("dropped", two),
			"inconclusive: not canceled": front("ready", two, one),
		}},
		{"list/of-context", "{step: l/whole, made: [t/a, t/b], other: t/other}", map[string]string{
			"pass":                made + other + whole,
			"fail":                made + other + listTasks("whole", "{}", pageOf(`""`, "50", "3", strange, two, one)),
			"inconclusive: alone": made + answerCall("t/other send", "{}", rpcError(`"t"`, -32602)) + whole,
			"inconclusive: empty": made + other + listTasks("whole", "{}", pageOf(`""`, "50", "0")),
		}},
		{"list/of-state", "{steps: [l/done]}", map[string]string{
			"pass":                 listTasks("done", `{"phase":"ready"}`, pageOf(`""`, "50", "1", one)),
			"fail":                 listTasks("done", `{"phase":"ready"}`, pageOf(`""`, "50", "2", two, one)),
			"not-applicable: none": listTasks("done", `{"phase":"ready"}`, pageOf(`""`, "50", "0")),
		}},
		{"list/combined", "{steps: [l/both], whole: l/whole, other: t/other}", map[string]string{
			"pass":                other + whole + listTasks("both", `{"phase":"ready"}`, pageOf(`""`, "50", "1", one)),
			"fail: too many":      other + whole + listTasks("both", `{"phase":"ready"}`, pageOf(`""`, "50", "2", strange, one)),
			"fail: too few":       other + whole + listTasks("both", `{"phase":"ready"}`, pageOf(`""`, "50", "0")),
			"inconclusive: empty": other + listTasks("whole", "{}", pageOf(`""`, "50", "0")) + listTasks("both", `{"phase":"ready"}`, pageOf(`""`, "50", "0")),
		}},
		{"list/combined", "{steps: [l/both], whole: l/whole, other: t/other}", map[string]string{
			"pass: in pages":         other + listTasks("whole", "{}", pageOf(`"x"`, "1", "2", two)) + listTasks("whole-2", "{}", pageOf(`""`, "1", "2", one)) + listTasks("both", `{"phase":"ready"}`, pageOf(`""`, "50", "1", one)),
			"inconclusive: too many": other + listTasks("whole", "{}", pageOf(`"x"`, "1", "2", two)) + listTasks("both", `{"phase":"ready"}`, pageOf(`""`, "50", "1", one)),
		}},
		{"list/since", "{step: l/since, whole: l/whole}", map[string]string{
			"pass: in pages":            whole + listTasks("since", `{"since":"`+noon+`"}`, pageOf(`"x"`, "1", "2", two)) + listTasks("since-2", `{"since":"`+noon+`"}`, pageOf(`""`, "1", "2", one)),
			"inconclusive: not the end": whole + listTasks("since", `{"since":"`+noon+`"}`, pageOf(`"x"`, "1", "2", two)),
			"pass":                      whole + listTasks("since", `{"since":"`+afternoon+`"}`, pageOf(`""`, "50", "1", two)),
			"pass: the time of one has fewer digits": listTasks("whole", "{}", pageOf(`""`, "50", "2", two, entry("1", "ready", "2026-01-31T12:00:01Z"))) +
				listTasks("since", `{"since":"2026-01-31T12:00:01.001Z"}`, pageOf(`""`, "50", "0")),
			"fail: the equal one":     whole + listTasks("since", `{"since":"`+afternoon+`"}`, pageOf(`""`, "50", "0")),
			"fail: an earlier one":    whole + listTasks("since", `{"since":"`+afternoon+`"}`, pageOf(`""`, "50", "2", two, one)),
			"not-applicable: no time": listTasks("whole", "{}", pageOf(`""`, "50", "1", entry("1", "ready", ""))) + "l/since list unsent=whole there is no time\n",
		}},
		{"list/bare", "{steps: [l/bare], look: a/get}", map[string]string{
			"pass":                 look("hi") + listTasks("bare", "{}", pageOf(`""`, "50", "1", one)),
			"fail":                 look("hi") + listTasks("bare", "{}", pageOf(`""`, "50", "1", entry("1", "ready", noon, files("hi")))),
			"fail: empty":          look("hi") + listTasks("bare", "{}", pageOf(`""`, "50", "1", entry("1", "ready", noon, `,"files":[]`))),
			"fail: another list":   look("hi") + listTasks("bare", "{}", pageOf(`""`, "50", "1", one)) + answerCall("m/all list", "{}", pageOf(`""`, "50", "1", entry("1", "ready", noon, `,"files":[]`))),
			"pass: asked for":      look("hi") + listTasks("bare", "{}", pageOf(`""`, "50", "1", one)) + answerCall("m/all list", `{"params":{"files":true}}`, pageOf(`""`, "50", "1", entry("1", "ready", noon, `,"files":[]`))),
			"fail: null":           look("hi") + listTasks("bare", "{}", pageOf(`""`, "50", "1", entry("1", "ready", noon, `,"files":null`))),
			"not-applicable: none": answerCall("a/get get", "{}", writeTask("1", "ready")) + listTasks("bare", "{}", pageOf(`""`, "50", "1", one)),
		}},
		{"list/artifacts", "{step: l/with, look: a/get}", map[string]string{
			"pass":                  look("hi") + listTasks("with", "{}", pageOf(`""`, "50", "1", entry("1", "ready", noon, files("hi")))),
			"fail":                  look("hi") + listTasks("with", "{}", pageOf(`""`, "50", "1", one)),
			"fail: others":          look("hi") + listTasks("with", "{}", pageOf(`""`, "50", "1", entry("1", "ready", noon, files("ho")))),
			"inconclusive: another": look("hi") + listTasks("with", "{}", pageOf(`""`, "50", "1", two)),
			"not-applicable: none":  answerCall("a/get get", "{}", writeTask("1", "ready")) + listTasks("with", "{}", pageOf(`""`, "50", "1", one)),
		}},
		{"list/history", "{steps: [l/none, l/one]}", map[string]string{
			"pass": listTasks("none", `{"log":0}`, pageOf(`""`, "50", "1", one)) + listTasks("one", `{"log":1}`, pageOf(`""`, "50", "1", entry("1", "ready", noon, ","+writeHistory(writeMessage("user", "hi"))))),
			"fail": listTasks("none", `{"log":0}`, pageOf(`""`, "50", "1", entry("1", "ready", noon, ","+writeHistory(writeMessage("user", "hi"))))),
		}},
		{"list/empty", "{step: l/none}", map[string]string{
			"pass":           listTasks("none", "{}", pageOf(`""`, "50", "0")),
			"pass: null":     listTasks("none", "{}", `{"jsonrpc":"2.0","id":"t","result":{"jobs":null,"total":0}}`),
			"fail: refused":  listTasks("none", "{}", rpcError(`"t"`, -32001)),
			"fail: a task":   listTasks("none", "{}", pageOf(`""`, "50", "0", one)),
			"fail: counted":  listTasks("none", "{}", pageOf(`""`, "50", "7")),
			"fail: leads on": listTasks("none", "{}", pageOf(`"x"`, "50", "0")),
		}},
		{"list/private", theirs, map[string]string{
			"pass":                 made + mine + known + answerCall(stranger, "{}", pageOf(`""`, "50", "0")),
			"pass: refused":        made + mine + known + answerCall(stranger, "{}", rpcError(`"t"`, -32001)),
			"fail":                 made + mine + known + answerCall(stranger, "{}", pageOf(`""`, "50", "1", one)),
			"inconclusive: hidden": made + listTasks("own", "{}", pageOf(`""`, "50", "0")) + known + answerCall(stranger, "{}", pageOf(`""`, "50", "0")),
			"inconclusive: locked": made + mine + "g/known get as=second\n  < 401 text/html no\n" + answerCall(stranger, "{}", pageOf(`""`, "50", "0")),
		}},
		{"list/private-total", theirs, map[string]string{
			"pass":                made + mine + known + answerCall(stranger, "{}", pageOf(`""`, "50", "0")),
			"pass: refused":       made + mine + known + answerCall(stranger, "{}", rpcError(`"t"`, -32001)),
			"fail":                made + mine + known + answerCall(stranger, "{}", pageOf(`""`, "50", "1")),
			"inconclusive: shown": made + mine + known + answerCall(stranger, "{}", pageOf(`""`, "50", "1", one)),
		}},
	})
}

func TestWaiting(t *testing.T) {
	files := func(says ...string) string {
		out := ""
		for i, say := range says {
			out += fmt.Sprintf(`,{"no":%d,"parts":[{"say":%q}]}`, i, say)
		}
		return `"files":[` + strings.TrimPrefix(out, ",") + `]`
	}
	sent, get := func(got string) string { return answerCall("p/send send", "{}", got) }, func(got string) string { return answerCall("p/get get", "{}", got) }
	message := `{"jsonrpc":"2.0","id":"t","result":{"sort":"message","number":"7"}}`
	logs := func(n int) string {
		return writeHistory(strings.Split(strings.Repeat(writeMessage("user", "hi")+";", n), ";")[:n]...)
	}
	limited := func(most int, got string) string {
		return answerCall("p/send send", fmt.Sprintf(`{"id":"t","params":{"most":%d}}`, most), got)
	}
	mine := func(key, text string) string {
		return fmt.Sprintf(`{"key":%q,"by":"user","parts":[{"say":%q}]}`, key, text)
	}
	wrote := func(got string) string {
		return answerCall("p/send send", `{"id":"t","params":{"message":`+mine("m1", "hi token-1")+`}}`, okReply) + get(writeTask("7", "ready", writeHistory(got)))
	}
	follow := func(events ...string) string { return answerByStream("p/follow resubscribe", events...) }
	fault := `{"jsonrpc":"2.0","id":"t","error":{"code":-32603,"message":"no"}}`
	until := answerCall("p/more send", "{}", okReply)
	canceled := answerCall("p/cancel cancel task=7", "{}", writeTask("7", "dropped"))
	looked := func(n int, got string) string { return answerCall(fmt.Sprintf("p/look-%d get task=7", n), "{}", got) }
	runTrials(t, "waiting", []trial{
		{"task/waits", "{steps: [p/send]}", map[string]string{
			"pass":                  sent(writeTask("7", "ready")),
			"pass: it asks":         sent(writeTask("7", "asking")),
			"fail":                  sent(writeTask("7", "busy")),
			"inconclusive: gave up": sent(rpcError(`"t"`, -32603)),
			"inconclusive: mute":    "p/send send\n  > {}\n  ! timeout\n",
			"inconclusive: odd":     sent(writeTask("7", "lazy")),
		}},
		{"task/waits", "{steps: [p/send], asks: true}", map[string]string{
			"pass":                    sent(writeTask("7", "asking")),
			"fail: mute":              "p/send send\n  > {}\n  ! timeout\n",
			"inconclusive: not asked": sent(writeTask("7", "ready")),
		}},
		{"task/latest", "{step: p/send, then: p/get}", map[string]string{
			"pass":                    sent(writeTask("7", "ready", files("a"))) + get(writeTask("7", "ready", files("a"))),
			"fail: one missing":       sent(writeTask("7", "ready", files("a"))) + get(writeTask("7", "ready", files("a", "b"))),
			"fail: another content":   sent(writeTask("7", "ready", files("a"))) + get(writeTask("7", "ready", files("b"))),
			"fail: another state":     sent(writeTask("7", "asking")) + get(writeTask("7", "ready")),
			"inconclusive: too early": sent(writeTask("7", "busy")) + get(writeTask("7", "ready")),
		}},
		{"task/new-ids", "{steps: [p/send, p/b]}", map[string]string{
			"pass":              sent(writeTask("7", "ready")) + answerCall("p/b send", "{}", writeTask("8", "ready")),
			"fail":              sent(writeTask("7", "ready")) + answerCall("p/b send", "{}", writeTask("7", "ready")),
			"pass: repeated":    sent(writeTask("7", "ready")) + answerCall("p/b send", `{"params":{"message":{"key":"k"}}}`, writeTask("8", "ready")) + answerCall("q/b send", `{"params":{"message":{"key":"k"}}}`, writeTask("8", "ready")),
			"fail: elsewhere":   sent(writeTask("7", "ready")) + answerCall("p/b send", "{}", writeTask("8", "ready")) + answerCall("q/c send", "{}", writeTask("8", "ready")),
			"fail: in a stream": sent(writeTask("7", "ready")) + answerCall("p/b send", "{}", writeTask("8", "ready")) + answerByStream("q/s stream", writeUpdate("busy", ""), writeUpdate("ready", "")),
			"fail: given":       answerCall("p/send send context=7", "{}", writeTask("7", "ready")) + answerCall("p/b send", "{}", writeTask("8", "ready")),
		}},
		{"task/unchanged", "{steps: [p/look-1, p/look-2], by: p/by}", map[string]string{
			"pass":                     looked(1, writeTask("7", "asking")) + answerCall("p/by send", "{}", rpcError(`"t"`, -32602)) + looked(2, writeTask("7", "asking")),
			"fail":                     looked(1, writeTask("7", "asking", logs(1))) + answerCall("p/by send", "{}", rpcError(`"t"`, -32602)) + looked(2, writeTask("7", "asking", logs(2))),
			"not-applicable: accepted": looked(1, writeTask("7", "asking")) + answerCall("p/by send", "{}", okReply) + looked(2, writeTask("7", "ready")),
		}},
		{"history/sent", "{steps: [p/send], at: /most}", map[string]string{
			"pass":                 limited(1, writeTask("7", "ready", logs(1))),
			"fail":                 limited(1, writeTask("7", "ready", logs(2))),
			"fail: none wanted":    limited(0, writeTask("7", "ready", logs(1))),
			"not-applicable: none": limited(0, writeTask("7", "ready")),
		}},
		{"history/none", "{steps: [p/get]}", map[string]string{
			"pass":       get(writeTask("7", "ready")),
			"pass: null": get(writeTask("7", "ready", `"log":null`)),
			"fail":       get(writeTask("7", "ready", logs(1))),
		}},
		{"history/none", "{steps: [p/get], member: true}", map[string]string{
			"pass":        get(writeTask("7", "ready")),
			"pass: empty": get(writeTask("7", "ready", `"log":[]`)),
			"fail: null":  get(writeTask("7", "ready", `"log":null`)),
			"fail":        get(writeTask("7", "ready", logs(1))),
		}},
		{"history/letters", "{step: p/get, of: [p/send], id: true}", map[string]string{
			"pass":                      wrote(mine("m1", "hi token-1")),
			"fail":                      wrote(mine("m1", "HI TOKEN-1")),
			"not-applicable: not there": wrote(mine("m2", "hi")),
		}},
		{"context/in-reply", "{step: p/send, then: p/get}", map[string]string{
			"pass":                 sent(writeTask("7", "ready", `"group":"c"`)) + get(writeTask("7", "ready", `"group":"c"`)),
			"fail":                 sent(writeTask("7", "ready")) + get(writeTask("7", "ready", `"group":"c"`)),
			"not-applicable: none": sent(writeTask("7", "ready")) + get(writeTask("7", "ready")),
			"inconclusive: odd":    sent(`{"jsonrpc":"2.0","id":"t","result":{"number":7}}`) + get(writeTask("7", "ready", `"group":"c"`)),
		}},
		{"context/kept-or-refused", "{step: p/send, look: p/get}", map[string]string{
			"pass":                answerCall("p/send send context=c", "{}", writeTask("7", "ready", `"group":"c"`)) + get(writeTask("7", "ready", `"group":"c"`)),
			"pass: refused":       answerCall("p/send send context=c", "{}", rpcError(`"t"`, -32602)),
			"pass: unnamed":       answerCall("p/send send context=c", "{}", writeTask("7", "ready")),
			"fail":                answerCall("p/send send context=c", "{}", writeTask("7", "ready", `"group":"d"`)),
			"fail: looked up":     answerCall("p/send send context=c", "{}", writeTask("7", "ready")) + get(writeTask("7", "ready", `"group":"d"`)),
			"inconclusive: fault": answerCall("p/send send context=c", "{}", rpcError(`"t"`, -32603)),
		}},
		{"context/apart", "{made: [p/send, p/b], looks: [p/get], distinct: true}", map[string]string{
			"pass":       sent(writeTask("7", "ready")) + answerCall("p/b send", "{}", writeTask("8", "ready")) + answerCall("p/get get task=7", "{}", writeTask("7", "ready")),
			"fail: one":  sent(writeTask("7", "ready")) + answerCall("p/b send", "{}", writeTask("7", "ready")) + answerCall("p/get get task=7", "{}", writeTask("7", "ready")),
			"fail: gone": sent(writeTask("7", "ready")) + answerCall("p/b send", "{}", writeTask("8", "ready")) + answerCall("p/get get task=7", "{}", rpcError(`"t"`, -32001)),
		}},
		{"message/answered", "{steps: [p/send]}", map[string]string{
			"pass":          sent(writeTask("7", "busy")),
			"pass: refused": sent(rpcError(`"t"`, -32602)),
			"fail":          "p/send send\n  > {}\n  ! timeout\n",
		}},
		{"cancel/final", "{plays: [p], state: dropped}", map[string]string{
			"pass":              canceled + looked(1, writeTask("7", "dropped")) + looked(2, writeTask("7", "dropped")),
			"fail: undone":      canceled + looked(1, writeTask("7", "dropped")) + looked(2, writeTask("7", "ready")),
			"fail: an artifact": canceled + looked(1, writeTask("7", "dropped")) + looked(2, writeTask("7", "dropped", files("a"))),
		}},
		{"cancel/closes-stream", "{stream: p/s, cancel: p/cancel}", map[string]string{
			"pass":                  answerByStream("p/s stream task=7", writeUpdate("busy", ""), writeUpdate("dropped", "")) + canceled,
			"fail: untold":          answerByStream("p/s stream task=7", writeUpdate("busy", "")) + canceled,
			"fail: open":            answerByStream("p/s stream task=7", writeUpdate("busy", ""), writeUpdate("dropped", "")) + "  ! our-close\n" + canceled,
			"not-applicable: ended": answerByStream("p/s stream task=7", writeUpdate("busy", ""), writeUpdate("ready", "")) + canceled,
			"inconclusive: broken":  answerByStream("p/s stream task=7", writeUpdate("busy", "")) + "  ! reset\n" + canceled,
		}},
		{"stream/stays-open", "{step: p/follow, until: p/more}", map[string]string{
			"pass":                      follow(writeUpdate("asking", "")) + "  ! our-close\n" + until,
			"finding: ended in order":   follow(writeUpdate("asking", "")) + until,
			"fail":                      follow(writeUpdate("asking", ""), fault) + until,
			"inconclusive: not waiting": follow(writeUpdate("busy", "")) + until,
			"inconclusive: refused":     follow(fault) + until,
		}},
		{"stream/flows", "{step: p/s, cancel: p/cancel}", map[string]string{
			"pass":                   answerByStream("p/s stream task=7", writeUpdate("queued", ""), writeUpdate("busy", "")),
			"pass: ended at once":    answerByStream("p/s stream task=7", writeUpdate("ready", "")),
			"fail":                   answerByStream("p/s stream task=7", writeUpdate("queued", "")) + "p/cancel cancel unsent=s the stream had ended\n",
			"inconclusive: canceled": answerByStream("p/s stream task=7", writeUpdate("queued", "")) + strings.Replace(canceled, "task=7", "task=7 beside", 1),
			"inconclusive: broken":   answerByStream("p/s stream task=7", fault),
			"inconclusive: left":     answerByStream("p/s stream task=7", writeUpdate("queued", "")) + "  ! our-close\np/cancel cancel unsent=s there was no time\n",
		}},
	})
	runTrials(t, "waiting-talk", []trial{
		{"message/stays-message", "{step: p/send, like: p/stream}", map[string]string{
			"pass":                       sent(message),
			"fail":                       sent(writeTask("7", "ready")) + answerByStream("p/stream stream", message),
			"not-applicable: a task":     sent(writeTask("7", "ready")) + answerByStream("p/stream stream", writeUpdate("busy", "")),
			"inconclusive: not streamed": sent(writeTask("7", "ready")),
		}},
	}, func(d *schema.Dialect) { d.Sorts.By = "/sort" })
}
