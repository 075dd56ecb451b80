package suites_test

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// A client with few rights is asked for unless nothing takes a right.
func TestFewRights(t *testing.T) {
	d := judgetest.Dialect(t, "  - {id: ZZ99-X-001, level: MUST, area: auth, section: '1', statement: It holds., needs: [credential.low], check: transport/answers, with: {step: b/p}}\n")
	for _, c := range []struct {
		never []string
		want  report.Verdict
	}{{nil, report.Inconclusive}, {[]string{"crash"}, report.Inconclusive}, {[]string{"forbidden"}, report.NotApplicable}} {
		talk := judgetest.Transcript(t, told(validProbe, "{}", okReply))
		talk.Facts.Never = c.never
		if r := verdict.NewDecider(d, talk, suites.Checks(), nil).Result("ZZ99-X-001"); r.Verdict != c.want {
			t.Errorf("never %s: %s (%s)", c.never, r.Verdict, r.Reason)
		}
	}
}

func TestForeignTaskChecks(t *testing.T) {
	no := func(step string) string { return told(step, "{}", rpcError("1", -32001)) }
	known := no("g/known get as=second task=none")
	barred := "g/known get as=second\n < 401 text/html no\n"
	task := told("g/task send role=twin", "{}", okReply)
	state := func(step, s string) string { return told(step, "{}", `{"result":{"now":{"phase":"`+s+`"}}}`) }
	explained := func(step, why string) string {
		return told(step, "{}", `{"jsonrpc":"2.0","id":"1","error":{"code":-32001,"message":"`+why+`"}}`)
	}
	call := "g/p get role=probe twin=task as=second task=7"
	unknown := func(step, id string) string {
		return told(step, `{"params":{"number":"`+id+`"}}`, rpcError("1", -32001))
	}
	ownRuns, ownWaits := unknown("g/own-runs resubscribe role=twin task=7", "7"), unknown("g/own-waits resubscribe role=twin task=8", "8")
	runs, waiting := "g/runs resubscribe role=probe twin=own-runs as=second task=7", "g/waits resubscribe role=probe twin=own-waits as=second task=8"
	served, waits := streamed("g/own-runs resubscribe role=twin task=7", update("busy", "")), streamed("g/own-waits resubscribe role=twin task=8", update("asking", ""))
	try(t, "foreign", []trial{
		{"auth/foreign-refused", "{steps: [g/p], known: g/known}", map[string]string{
			"pass":                     known + task + no(call),
			"pass:by HTTP":             known + task + call + "\n < 403 - \n",
			"fail":                     known + task + told(call, "{}", okReply),
			"fail:streamed":            known + task + streamed("g/p stream twin=task as=second", update("busy", "")),
			"inconclusive:barred":      barred + task + no(call),
			"inconclusive:its state":   known + task + told("g/p resubscribe role=probe twin=task as=second task=7", "{}", rpcError("1", -32009)),
			"inconclusive:its content": known + task + told("g/p send role=probe twin=task as=second task=7", "{}", rpcError("1", -32602)),
			"inconclusive:twin":        known + told("g/task send role=twin", "{}", rpcError("1", -32603)) + no(call),
		}},
		{"auth/foreign-follow", "{steps: [g/runs, g/waits], known: g/known}", map[string]string{
			"pass":                       known + served + unknown(runs, "7") + waits + unknown(waiting, "8"),
			"pass:the owner served once": known + served + unknown(runs, "7") + ownWaits + unknown(waiting, "8"),
			"pass:the owner told more":   known + told("g/own-runs resubscribe role=twin task=7", "{}", rpcError("1", -32009)) + unknown(runs, "7"),
			"fail":                       known + served + streamed(runs, update("busy", "")) + waits + unknown(waiting, "8"),
			"fail:one that waits":        known + served + unknown(runs, "7") + waits + streamed(waiting, update("asking", "")),
			"fail:and not its owner":     known + ownRuns + streamed(runs, update("busy", "")),
			"inconclusive:as its owner":  known + ownRuns + unknown(runs, "7"),
			"inconclusive:barred":        barred + served + unknown(runs, "7"),
			"inconclusive:too late":      known + served + told(runs+" late", "{}", rpcError("1", -32001)),
			"inconclusive:both":          known + ownRuns + unknown(runs, "7") + ownWaits + unknown(waiting, "8"),
		}},
		{"auth/foreign-cancel", "{known: g/known, calls: [{step: g/p, then: g/look}, {step: g/waiting, then: g/look-waiting}]}", map[string]string{
			"pass":                known + task + no(call) + state("g/look get", "busy"),
			"fail:result":         known + task + state(call, "dropped") + state("g/look get", "busy"),
			"fail:canceled":       known + task + no(call) + state("g/look get", "dropped"),
			"inconclusive:barred": barred + task + no(call) + state("g/look get", "busy"),
			"inconclusive:ended":  known + task + told("g/p cancel twin=task as=second task=7", "{}", rpcError("1", -32002)) + state("g/look get", "ready"),
			"pass:the other":      known + task + told("g/p cancel twin=task as=second task=7", "{}", rpcError("1", -32002)) + state("g/look get", "ready") + no("g/waiting cancel twin=task as=second task=8") + state("g/look-waiting get", "asking"),
			"fail:the other":      known + task + no(call) + state("g/look get", "busy") + state("g/waiting cancel twin=task as=second task=8", "dropped") + state("g/look-waiting get", "dropped"),
		}},
		{"auth/foreign-code", "{step: g/p, known: g/known, calls: [{step: g/c, then: u/cancel}, {step: g/r, then: u/resubscribe}]}", map[string]string{
			"pass":                    known + no(call) + told("g/c cancel as=second", "{}", rpcError("1", -32001)) + no("u/cancel cancel"),
			"pass:as it refuses all":  known + no(call) + told("g/c cancel as=second", "{}", rpcError("1", -32602)) + told("u/cancel cancel", "{}", rpcError("1", -32602)),
			"pass:the others served":  known + no(call) + told("g/c cancel as=second", "{}", okReply) + streamed("g/r resubscribe as=second", update("busy", "")) + no("u/cancel cancel"),
			"fail:by its state":       known + no(call) + told("g/c cancel as=second", "{}", rpcError("1", -32002)) + no("u/cancel cancel"),
			"fail:a subscription":     known + no(call) + told("g/r resubscribe as=second", "{}", rpcError("1", -32009)) + no("u/resubscribe resubscribe"),
			"fail:though it is shown": known + told(call, "{}", okReply) + told("g/c cancel as=second", "{}", rpcError("1", -32002)) + no("u/cancel cancel"),
			"inconclusive":            known + told(call, "{}", okReply),
		}},
		{"auth/foreign-code", "{step: g/p, known: g/known}", map[string]string{
			"pass":                known + no(call),
			"fail":                known + told(call, "{}", rpcError("1", -32008)),
			"fail:by HTTP":        known + call + "\n < 403 - \n",
			"inconclusive:shown":  known + told(call, "{}", okReply),
			"inconclusive:barred": barred + no(call),
		}},
		{"auth/foreign-words", "{step: g/p, known: g/known}", map[string]string{
			"pass":               explained("g/known get as=second task=none", "no task none") + explained(call, "no task 7"),
			"finding":            explained("g/known get as=second task=none", "no task none") + explained(call, "not your task 7"),
			"inconclusive:shown": known + told(call, "{}", okReply),
		}},
		{"auth/says-why", "{steps: [g/p], own: g/look}", map[string]string{
			"pass":                explained("g/p send as=low", "you lack the right to do this"),
			"pass:a page":         "g/p send as=low\n < 403 text/html not for you\n",
			"finding:no word":     explained("g/p send as=low", ""),
			"finding:no body":     "g/p send as=low\n < 403 - \n",
			"finding:leaks":       told("g/look get", "{}", `{"result":{"now":{"note":{"parts":[{"say":"a secret plan"}]}}}}`) + explained("g/p send as=low", "Ann has a secret plan"),
			"finding:credential":  explained("g/p send as=low", "use ⟦secret:bearer⟧"),
			"inconclusive:served": told("g/p send as=low", "{}", okReply),
		}},
		{"auth/keeps-secrets", "{plays: [g]}", map[string]string{
			"pass":                     "secret bearer\n" + no("g/p get"),
			"pass:another's":           "secret bearer\n" + explained("g/p get", "⟦secret:webhook⟧"),
			"fail:body":                "secret bearer\n" + explained("g/p get", "no such task for ⟦secret:bearer⟧"),
			"fail:head":                "secret bearer\n" + no("g/p get") + " + X-You: ⟦secret:bearer⟧\n",
			"not-applicable:sent it":   "secret bearer\n" + told("g/p get", `{"params":"⟦secret:bearer⟧"}`, `{"result":"⟦secret:bearer⟧"}`),
			"not-applicable:no answer": "secret bearer\ng/p get\n ! reset\n",
		}},
	})
}

func TestExtendedCardChecks(t *testing.T) {
	const none = "InvalidTaskState" // stands for the error that there is no such card
	full := func(text string) string { return told("e/get extended-card role=twin", "{}", `{"result":`+text+`}`) }
	absent := told("e/get extended-card role=twin", "{}", rpcError("1", -32009))
	refused := told("e/get extended-card role=twin", "{}", rpcError("1", -32007))
	plain := card(`{"called":"Z","defined":{"b":{}}}`)
	bare := "e/p extended-card role=probe twin=get as=nobody"
	low := "e/p extended-card role=probe twin=get as=low"
	denied := told("g/no send as=low", "{}", rpcError("1", -32008))
	allowed := told("g/no send as=low", "{}", okReply)
	headed := func(value string) string { return full(`{"called":"Z"}`) + " + Cache-Control: " + value + "\n" }
	with := "{step: e/p, full: [e/get], unless: [" + none + "]}"
	rights := "{step: e/p, full: [e/get], unless: [" + none + "], denied: g/no}"
	try(t, "extended_cards", []trial{
		{"card/extended-announced", "{step: e/p}", map[string]string{
			"pass": plain + told("e/p extended-card role=probe", "{}", rpcError("1", -32009)),
			"fail": plain + told("e/p extended-card role=probe", "{}", `{"result":{}}`),
		}},
		{"card/extended-refusal", "{steps: [e/get], codes: [" + none + "]}", map[string]string{
			"pass": absent, "fail": told("e/get extended-card", "{}", rpcError("1", -32603)),
			"not-applicable":          full(`{}`),
			"inconclusive:refused":    "e/get extended-card\n < 401 text/html no\n",
			"inconclusive:not theirs": "secret bearer\ne/get extended-card\n < 403 text/html no\n",
		}},
		{"card/extended-caching", "{steps: [e/get]}", map[string]string{
			"pass": headed("private, max-age=60"), "pass:no store": headed("no-store"),
			"fail": headed("public, max-age=300"), "fail:shared": headed("max-age=1, s-maxage=60"),
			"not-applicable:nothing said": full(`{}`), "not-applicable": absent,
		}},
		{"card/extended-secrets", "{steps: [e/get]}", map[string]string{
			"pass":               full(`{"called":"Z","link":"https://a.example/b:c@d"}`),
			"finding:password":   full(`{"link":"https://admin:hunter2@10.0.0.7/"}`),
			"finding:key":        full(`{"hint":"use api_key=sk-live-4242424242424242"}`),
			"finding:credential": full(`{"hint":"⟦secret:bearer⟧"}`),
			"not-applicable":     absent,
		}},
		{"auth/extended", with, map[string]string{
			"pass":                    "secret bearer\n" + plain + full(`{}`) + told(bare, "{}", rpcError("1", -32007)),
			"fail":                    "secret bearer\n" + plain + full(`{}`) + told(bare, "{}", `{"result":{}}`),
			"fail:to all":             plain + full(`{}`),
			"inconclusive:no secret":  plain + refused,
			"inconclusive:no scheme":  card(`{"called":"Z"}`) + refused,
			"finding:no scheme":       card(`{"called":"Z"}`) + full(`{}`),
			"not-applicable:none":     plain + absent,
			"inconclusive:not for us": "secret bearer\n" + plain + refused + told(bare, "{}", rpcError("1", -32007)),
		}},
		{"auth/extended-rights", rights, map[string]string{
			"pass:less":              plain + full(`{"called":"Z","more":1}`) + told(low, "{}", `{"result":{"called":"Z"}}`) + denied,
			"pass:refused":           plain + full(`{"called":"Z","more":1}`) + told(low, "{}", rpcError("1", -32008)) + denied,
			"fail":                   plain + full(`{"called":"Z","more":1,"signed":[1]}`) + told(low, "{}", `{"result":{"called":"Z","more":1,"signed":[2]}}`) + denied,
			"finding:no other sign":  plain + full(`{"called":"Z","more":1}`) + told(low, "{}", `{"result":{"called":"Z","more":1}}`) + allowed,
			"not-applicable:no more": plain + full(`{"called":"Z","defined":{"b":{}}}`) + told(low, "{}", `{"result":{"called":"Z","defined":{"b":{}}}}`) + denied,
			"not-applicable:none":    plain + absent,
			"inconclusive":           plain + refused,
		}},
	})
}

func TestSecureTransportChecks(t *testing.T) {
	over := func(scheme, header string) string {
		return "q/send send url=" + scheme + "://server.invalid/\n < 200 application/json " + okReply + "\n" + header
	}
	modern := func(version string) string { return "t/new get\n < 200 application/json {}\n tls " + version + "\n" }
	try(t, "secure_transport", []trial{
		{"transport/strict", "{plays: [q]}", map[string]string{
			"pass": over("https", " + Strict-Transport-Security: max-age=1\n"), "fail": over("https", ""), "inconclusive": over("http", ""),
		}},
		{"transport/tls-versions", "{offered: t/new, refused: t/old}", map[string]string{
			"pass":              modern("TLS 1.3") + "t/old get\n ! reset\n",
			"finding":           modern("TLS 1.2") + "t/old get\n ! reset\n",
			"fail:old":          modern("TLS 1.3") + "t/old get\n < 200 - \n tls TLS 1.0\n",
			"fail:no handshake": "t/new get\n ! no-dial\nt/old get\n ! reset\n",
		}},
	})
}
