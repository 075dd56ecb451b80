package suites_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// bare is the data of an event of a kind about a task, without an envelope.
func bare(sort, number, more string) string {
	return fmt.Sprintf(`{"number":%q,"sort":%q%s}`, number, sort, more)
}

// enveloped is the same in an envelope.
func enveloped(data string) string { return `{"jsonrpc":"2.0","id":"t","result":` + data + `}` }

func TestStreamForm(t *testing.T) {
	const s = "p/s stream task=7"
	now := func(phase, more string) string { return bare("state", "7", `,"now":{"phase":"`+phase+`"}`+more) }
	busy, over, ready := now("busy", ""), now("ready", `,"over":true`), now("ready", "")
	message := `{"sort":"message","key":"m"}`
	e := enveloped
	lost := rpcError(`"t"`, -32603)
	refusal := told(s, "{}", rpcError(`"t"`, -32602))
	get := func(phase string) string {
		return told("p/get get task=7", "{}", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"number":"7","now":{"phase":%q}}}`, phase))
	}
	gone := told("p/get get task=7", "{}", rpcError("1", -32001))
	const kind = "{steps: [p/s], kind: state}"
	try(t, "stream_form", []trial{
		{"stream/one-object", one, map[string]string{
			"pass": streamed(s, busy, over), "pass: enveloped": streamed(s, e(busy)), "fail: text": streamed(s, busy, "[DONE]"),
			"fail: no object": streamed(s, "[]"), "inconclusive": refusal}},
		{"stream/one-form", one, map[string]string{
			"pass: bare": streamed(s, busy, message, over), "pass: enveloped": streamed(s, e(busy), e(over)), "pass: an error": streamed(s, busy, lost),
			"fail: first enveloped": streamed(s, e(busy), over), "fail: last enveloped": streamed(s, busy, e(over)), "inconclusive: only an error": streamed(s, lost)}},
		{"stream/echoes-id", one, map[string]string{
			"not-applicable: bare": streamed(s, busy, over)}},
		{"stream/same-task", kind, map[string]string{
			"pass": streamed(s, busy, message, over), "fail": streamed(s, busy, bare("state", "8", `,"now":{"phase":"ready"}`)),
			"pass: another kind": streamed(s, busy, bare("part", "8", "")), "not-applicable": streamed(s, message)}},
		{"stream/final-told", kind, map[string]string{
			"pass": streamed(s, busy, over), "pass: enveloped": streamed(s, e(busy), e(over)), "fail": streamed(s, busy, ready), "pass: a message after it": streamed(s, over, message),
			"fail: given up": streamed(s, busy, ready) + "  ! our-close\n", "inconclusive: given up": streamed(s, busy) + "  ! our-close\n",
			"not-applicable: a message": streamed(s, message), "inconclusive: broke off": streamed(s, busy, lost)}},
		{"stream/ends-itself", "{step: p/s}", map[string]string{
			"pass": streamed(s, busy, over), "pass: a message": streamed(s, message), "fail": streamed(s, busy, ready) + "  ! our-close\n",
			"fail: after a message": streamed(s, busy, message) + "  ! our-close\n", "inconclusive": streamed(s, busy) + "  ! timeout\n"}},
		{"stream/succeeds", one, map[string]string{
			"pass": streamed(s, busy, ready), "pass: a message": streamed(s, busy, message), "fail": streamed(s, busy), "fail: nothing told": streamed(s, bare("part", "7", "")),
			"inconclusive: failed": streamed(s, busy, now("broken", "")), "inconclusive: asks": streamed(s, now("asking", "")), "inconclusive: broke off": streamed(s, busy, lost)}},
		{"stream/stored-state", "{step: p/s, then: p/get, found: true}", map[string]string{
			"pass": streamed(s, busy, over) + get("ready"), "fail: another state": streamed(s, busy, over) + get("busy"), "fail: gone": streamed(s, over) + gone,
			"pass: may have moved on": streamed(s, busy) + get("ready"), "not-applicable": streamed(s, message) + gone}},
		{"stream/nothing-after-final", one, map[string]string{
			"pass": streamed(s, busy, message, over), "fail": streamed(s, over, busy), "not-applicable": streamed(s, message)}},
		{"stream/stored-state", "{step: p/s, then: p/get}", map[string]string{
			"pass": streamed(s, busy, over) + get("ready"), "fail": streamed(s, busy, over) + get("broken")}},
		{"task/no-step-back", "{plays: [p], stream: true}", map[string]string{
			"pass": streamed(s, now("queued", ""), busy, over), "fail": streamed(s, busy, now("queued", ""))}},
		{"shape", "{type: Update, at: /number, rules: [type]}", map[string]string{
			"pass": streamed(s, busy), "fail": streamed(s, strings.Replace(busy, `"7"`, `7`, 1)), "fail: enveloped": streamed(s, e(strings.Replace(busy, `"7"`, `7`, 1)))}},
	}, func(d *schema.Dialect) { d.Stream = schema.Stream{Bare: true, Messages: true} })
}

// Where the dialect has no bare results, what lacks an envelope is none.
func TestStreamFormUnlessAllowed(t *testing.T) {
	const s = "p/s stream task=7"
	try(t, "stream_form_strict", []trial{
		{"stream/one-response", one, map[string]string{"fail": streamed(s, bare("state", "7", ""))}},
		{"stream/echoes-id", one, map[string]string{"fail": streamed(s, bare("state", "7", ""))}},
	})
}
