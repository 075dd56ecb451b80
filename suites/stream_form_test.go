package suites_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// bareEvent is the data of an event of a kind about a task, without an envelope.
func bareEvent(sort, number, more string) string {
	return fmt.Sprintf(`{"number":%q,"sort":%q%s}`, number, sort, more)
}

// envelopedEvent is the same in an envelope.
func envelopedEvent(data string) string { return `{"jsonrpc":"2.0","id":"t","result":` + data + `}` }

func TestStreamForm(t *testing.T) {
	const s = "p/s stream task=7"
	now := func(phase, more string) string { return bareEvent("state", "7", `,"now":{"phase":"`+phase+`"}`+more) }
	busy, over, ready := now("busy", ""), now("ready", `,"over":true`), now("ready", "")
	message := `{"sort":"message","key":"m"}`
	e := envelopedEvent
	lost := rpcError(`"t"`, -32603)
	refusal := answerCall(s, "{}", rpcError(`"t"`, -32602))
	get := func(phase string) string {
		return answerCall("p/get get task=7", "{}", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"number":"7","now":{"phase":%q}}}`, phase))
	}
	gone := answerCall("p/get get task=7", "{}", rpcError("1", -32001))
	const kind = "{steps: [p/s], kind: state}"
	runTrials(t, "stream_form", []trial{
		{"stream/one-object", one, map[string]string{
			"pass": answerByStream(s, busy, over), "pass: enveloped": answerByStream(s, e(busy)), "fail: text": answerByStream(s, busy, "[DONE]"),
			"fail: no object": answerByStream(s, "[]"), "inconclusive": refusal}},
		{"stream/one-form", one, map[string]string{
			"pass: bare": answerByStream(s, busy, message, over), "pass: enveloped": answerByStream(s, e(busy), e(over)), "pass: an error": answerByStream(s, busy, lost),
			"fail: first enveloped": answerByStream(s, e(busy), over), "fail: last enveloped": answerByStream(s, busy, e(over)), "inconclusive: only an error": answerByStream(s, lost)}},
		{"stream/echoes-id", one, map[string]string{
			"not-applicable: bare": answerByStream(s, busy, over)}},
		{"stream/same-task", kind, map[string]string{
			"pass": answerByStream(s, busy, message, over), "fail": answerByStream(s, busy, bareEvent("state", "8", `,"now":{"phase":"ready"}`)),
			"pass: another kind": answerByStream(s, busy, bareEvent("part", "8", "")), "not-applicable": answerByStream(s, message)}},
		{"stream/final-told", kind, map[string]string{
			"pass": answerByStream(s, busy, over), "pass: enveloped": answerByStream(s, e(busy), e(over)), "fail": answerByStream(s, busy, ready), "pass: a message after it": answerByStream(s, over, message),
			"fail: given up": answerByStream(s, busy, ready) + "  ! our-close\n", "inconclusive: given up": answerByStream(s, busy) + "  ! our-close\n",
			"not-applicable: a message": answerByStream(s, message), "inconclusive: broke off": answerByStream(s, busy, lost)}},
		{"stream/ends-itself", "{step: p/s}", map[string]string{
			"pass": answerByStream(s, busy, over), "pass: a message": answerByStream(s, message), "fail": answerByStream(s, busy, ready) + "  ! our-close\n",
			"fail: after a message": answerByStream(s, busy, message) + "  ! our-close\n", "inconclusive": answerByStream(s, busy) + "  ! timeout\n"}},
		{"stream/succeeds", one, map[string]string{
			"pass": answerByStream(s, busy, ready), "pass: a message": answerByStream(s, busy, message), "fail": answerByStream(s, busy), "fail: nothing told": answerByStream(s, bareEvent("part", "7", "")),
			"inconclusive: failed": answerByStream(s, busy, now("broken", "")), "inconclusive: asks": answerByStream(s, now("asking", "")), "inconclusive: broke off": answerByStream(s, busy, lost)}},
		{"stream/stored-state", "{step: p/s, then: p/get, found: true}", map[string]string{
			"pass": answerByStream(s, busy, over) + get("ready"), "fail: another state": answerByStream(s, busy, over) + get("busy"), "fail: gone": answerByStream(s, over) + gone,
			"pass: may have moved on": answerByStream(s, busy) + get("ready"), "not-applicable": answerByStream(s, message) + gone}},
		{"stream/nothing-after-final", one, map[string]string{
			"pass": answerByStream(s, busy, message, over), "fail": answerByStream(s, over, busy), "not-applicable": answerByStream(s, message)}},
		{"stream/stored-state", "{step: p/s, then: p/get}", map[string]string{
			"pass": answerByStream(s, busy, over) + get("ready"), "fail": answerByStream(s, busy, over) + get("broken")}},
		{"task/no-step-back", "{plays: [p], stream: true}", map[string]string{
			"pass": answerByStream(s, now("queued", ""), busy, over), "fail": answerByStream(s, busy, now("queued", ""))}},
		{"shape", "{type: Update, at: /number, rules: [type]}", map[string]string{
			"pass": answerByStream(s, busy), "fail": answerByStream(s, strings.Replace(busy, `"7"`, `7`, 1)), "fail: enveloped": answerByStream(s, e(strings.Replace(busy, `"7"`, `7`, 1)))}},
	}, func(d *schema.Dialect) { d.Stream = schema.Stream{Bare: true, Messages: true} })
}

// Where the dialect has no bare results, what lacks an envelope is none.
func TestStreamFormUnlessAllowed(t *testing.T) {
	const s = "p/s stream task=7"
	runTrials(t, "stream_form_strict", []trial{
		{"stream/one-response", one, map[string]string{"fail": answerByStream(s, bareEvent("state", "7", ""))}},
		{"stream/echoes-id", one, map[string]string{"fail": answerByStream(s, bareEvent("state", "7", ""))}},
	})
}
