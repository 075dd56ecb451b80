package suites_test

import "testing"

func TestMessageChecks(t *testing.T) {
	all, plain := "k/all send role=probe", "k/plain send role=twin"
	no, other := rpcError("1", -32602), rpcError("1", -32005)
	alone := "k/m send role=probe twin=plain bisects=all"
	files := func(f string) string {
		return answerCall("quick/get get", "{}", `{"jsonrpc":"2.0","id":1,"result":{"number":"7","files":[`+f+`]}}`)
	}
	holder := func(job string) string {
		return answerCall("k/send send", `{"params":{"message":{"key":"ours","group":"other"}}}`, okReply) +
			answerCall("k/get get", "{}", `{"jsonrpc":"2.0","id":1,"result":{"number":"7",`+job[1:]+`}`)
	}
	place := func(at, rule string) string { return "{type: File, at: " + at + ", rule: " + rule + "}" }
	runTrials(t, "message", []trial{
		{"message/accepted", "{steps: [b/p], unless: [ContentTypeNotSupported]}", map[string]string{
			"pass": twinOK + answerCall(validProbe, "{}", okReply), "pass:unless": twinOK + answerCall(validProbe, "{}", other),
			"fail": twinOK + answerCall(validProbe, "{}", no), "inconclusive": twinNo + answerCall(validProbe, "{}", no),
			"inconclusive: its task is gone": twinOK + answerCall("b/p get role=probe twin=twin", "{}", rpcError(`"t"`, -32001)),
			"fail: a get":                    twinOK + answerCall("b/p get role=probe twin=twin", "{}", rpcError(`"t"`, -32602)),
		}},
		{"message/accepted", "{steps: [b/p], beside: [b/plain]}", map[string]string{
			"pass":                          answerCall("b/plain send", "{}", no) + answerCall("b/p send", "{}", okReply),
			"fail":                          answerCall("b/plain send", "{}", okReply) + answerCall("b/p send", "{}", no),
			"fail: another refusal":         answerCall("b/plain send", "{}", other) + answerCall("b/p send", "{}", no),
			"inconclusive: the same":        answerCall("b/plain send", "{}", no) + answerCall("b/p send", "{}", no),
			"inconclusive: it was not made": answerCall("b/p send", "{}", no),
			"pass: it was not needed":       answerCall("b/p send", "{}", okReply),
		}},
		{"message/implemented", "{step: quick/send}", map[string]string{
			"pass": answerCall("quick/send send", "{}", okReply), "pass:error": answerCall("quick/send send", "{}", rpcError("1", -32603)),
			"fail": answerCall("quick/send send", "{}", rpcError("1", -32601)), "inconclusive": answerCall("quick/send send", "{}", "hello"), "fail:page": "quick/send send\n < 404 text/html no\n",
		}},
		{"message/implemented", "{step: unknown/cancel, valid: k/cancel}", map[string]string{
			"pass": answerCall("unknown/cancel cancel", "{}", no) + answerCall("k/cancel cancel task=7", "{}", okReply), "pass:not made": answerCall("unknown/cancel cancel", "{}", no),
			"pass:the agent declines": answerCall("unknown/cancel cancel", "{}", no) + answerCall("k/cancel cancel task=7", "{}", rpcError("1", -1)),
			"fail:as malformed":       answerCall("unknown/cancel cancel", "{}", no) + answerCall("k/cancel cancel task=7", "{}", rpcError("1", -32602)),
			"fail:internal":           answerCall("unknown/cancel cancel", "{}", no) + answerCall("k/cancel cancel task=7", "{}", rpcError("1", -32603)),
		}},
		{"message/implemented", "{step: quick/send, valid: quick/send}", map[string]string{
			"pass": answerCall("quick/send send", "{}", okReply), "fail:as malformed": answerCall("quick/send send", "{}", rpcError("1", -32602)),
			"inconclusive:inside the agent": answerCall("quick/send send", "{}", rpcError("1", -32603)),
		}},
		{"message/tolerates", "{scenario: k, member: m}", map[string]string{
			"pass":               answerCall(all, "{}", okReply),
			"pass:alone":         answerCall(all, "{}", no) + answerCall(plain, "{}", okReply) + answerCall(alone, "{}", okReply),
			"fail":               answerCall(all, "{}", no) + answerCall(plain, "{}", okReply) + answerCall(alone, "{}", no),
			"fail:only one":      answerCall(all, "{}", no) + answerCall(plain, "{}", okReply),
			"inconclusive:plain": answerCall(all, "{}", no) + answerCall(plain, "{}", no) + answerCall(alone, "{}", no),
			"inconclusive:left":  "k/m send unsent= the card lists no files\n" + answerCall(all, "{}", okReply),
		}},
		{"message/tolerates", "{scenario: k, member: m, refusals: [InvalidParams]}", map[string]string{
			"finding": answerCall(all, "{}", other) + answerCall(plain, "{}", okReply), "fail": answerCall(all, "{}", no) + answerCall(plain, "{}", okReply),
		}},
		{"message/tolerates", "{scenario: k, refusals: [InvalidParams], reported: [n/odd]}", map[string]string{
			"pass": answerCall(all, "{}", okReply) + answerCall("n/odd send", "{}", okReply), "finding": answerCall(all, "{}", okReply) + answerCall("n/odd send", "{}", no),
			"pass:for another reason": answerCall(all, "{}", okReply) + answerCall("n/odd send", "{}", other),
			"fail":                    answerCall(all, "{}", no) + answerCall(plain, "{}", okReply) + answerCall("n/odd send", "{}", okReply),
		}},
		{"message/tolerates", "{scenario: k}", map[string]string{
			"pass": answerCall(all, "{}", okReply), "fail": answerCall(all, "{}", no) + answerCall(plain, "{}", okReply) + answerCall(alone, "{}", no),
		}},
		{"message/names-holder", "{plays: [k], type: Job, messages: [/log/*], names: [{member: /group, holder: /group}]}", map[string]string{
			"pass":      holder(`{"group":"g","log":[{"key":"m","group":"g"}]}`),
			"fail":      holder(`{"group":"g","log":[{"key":"m","group":"h"}]}`),
			"fail:ours": holder(`{"group":"g","log":[{"key":"ours","group":"h"}]}`),
			// What we said stands in the history as we said it.
			"pass:taken":              holder(`{"group":"other","log":[{"key":"ours","group":"other"}]}`),
			"pass:repeated":           holder(`{"group":"g","log":[{"key":"ours","group":"other"},{"key":"m","group":"g"}]}`),
			"not-applicable:repeated": holder(`{"group":"g","log":[{"key":"ours","group":"other"}]}`),
		}},
		{"message/names-holder", "{plays: [k], type: Job, messages: [/log/*], names: [{member: /job, holder: /number}, {member: /group, holder: /group}], also: [{type: Update, messages: [/note], names: [{member: /group, holder: /group}]}]}", map[string]string{
			"pass":                                holder(`{"number":"7","group":"g","log":[{"key":"m","group":"g","job":"7"}]}`),
			"fail":                                holder(`{"number":"7","group":"g","log":[{"key":"m","group":"h","job":"7"}]}`),
			"fail:in another conversation":        answerCall("q/get get", "{}", `{"jsonrpc":"2.0","id":1,"result":{"number":"7","group":"g","log":[{"key":"m","group":"h"}]}}`),
			"fail:in a list":                      answerCall("q/list list", "{}", `{"jsonrpc":"2.0","id":1,"result":{"jobs":[{"number":"7","group":"g","log":[{"key":"m","group":"h"}]}]}}`),
			"fail:in a stream":                    answerByStream("q/s stream", `{"jsonrpc":"2.0","id":"t","result":{"number":"7","group":"g","note":{"key":"m","group":"h"}}}`),
			"not-applicable:from another context": answerCall("q/send send task=7 context=g", "{}", okReply) + answerCall("q/answer send role=probe task=7 context=h", "{}", `{"jsonrpc":"2.0","id":1,"result":{"number":"7","group":"g","log":[{"key":"m","group":"h"}]}}`),
			"fail:another context was refused":    answerCall("q/send send task=7 context=g", "{}", okReply) + answerCall("q/answer send role=probe task=7 context=h", "{}", no) + answerCall("q/get get task=7", "{}", `{"jsonrpc":"2.0","id":1,"result":{"number":"7","group":"g","log":[{"key":"m","group":"h"}]}}`),
			"not-applicable:another was taken":    answerCall("q/send send task=7 context=g", "{}", okReply) + answerCall("q/answer send role=probe task=7 context=h", "{}", okReply) + answerCall("q/get get task=7", "{}", `{"jsonrpc":"2.0","id":1,"result":{"number":"7","group":"g","log":[{"key":"m","group":"h"}]}}`),
			"fail:from its context":               answerCall("q/send send task=7 context=g", "{}", okReply) + answerCall("q/answer send role=probe task=7 context=g", "{}", `{"jsonrpc":"2.0","id":1,"result":{"number":"7","group":"g","log":[{"key":"m","group":"h"}]}}`),
			"not-applicable:by our own fault":     answerCall("q/get get invalid", "{}", `{"jsonrpc":"2.0","id":1,"result":{"number":"7","group":"g","log":[{"key":"m","group":"h"}]}}`),
		}},
		{"message/context-named", "{plays: [k], types: [{type: Job, messages: [/now/note, /log/*]}], context: /group, role: agent}", map[string]string{
			"pass":                     holder(`{"group":"g","now":{"note":{"by":"agent","group":"g"}},"log":[{"by":"user"}]}`),
			"fail: in the status":      holder(`{"group":"g","now":{"note":{"by":"agent"}}}`),
			"fail: in the history":     holder(`{"group":"g","log":[{"by":"agent"}]}`),
			"finding: none is known":   holder(`{"log":[{"by":"agent"}]}`),
			"not-applicable: no one's": holder(`{"group":"g","log":[{"by":"user"}]}`),
		}},
		{"message/unique-ids", "{plays: [k], type: Job, messages: [/now/note, /log/*], parts: /parts, role: agent}", map[string]string{
			"pass":                        holder(`{"now":{"note":{"by":"agent","key":"b","parts":[{"say":"x"}]}},"log":[{"by":"user","key":"a","parts":[{"say":"x"}]}]}`),
			"pass: the same message":      holder(`{"now":{"note":{"by":"agent","key":"b","parts":[{"say":"x"}]}},"log":[{"by":"agent","key":"b","parts":[{"say":"x"}]}]}`),
			"pass: the client chose both": holder(`{"log":[{"by":"user","key":"a","parts":[{"say":"x"}]},{"by":"user","key":"a","parts":[{"say":"y"}]}]}`),
			"fail: the client's":          holder(`{"now":{"note":{"by":"agent","key":"a","parts":[{"say":"y"}]}},"log":[{"by":"user","key":"a","parts":[{"say":"x"}]}]}`),
			"fail: in the history":        holder(`{"log":[{"by":"agent","key":"a","parts":[{"say":"y"}]},{"by":"agent","key":"a","parts":[{"say":"x"}]}]}`),
			"not-applicable: one message": holder(`{"now":{"note":{"by":"agent","key":"b","parts":[{"say":"x"}]}}}`),
		}},
		{"message/places", "{type: Note, at: /by, is: agent}", map[string]string{
			"pass": answerCall("quick/get get", "{}", `{"jsonrpc":"2.0","id":1,"result":{"number":"7","now":{"note":{"by":"agent"}}}}`),
			"fail": answerCall("quick/get get", "{}", `{"jsonrpc":"2.0","id":1,"result":{"number":"7","now":{"note":{"by":"user"}}}}`),
		}},
		{"message/places", place("/bytes", "base64"), map[string]string{
			"pass": files(`{"bytes":"aGVsbG8="},{"bytes":"aGVsbG8"}`), "fail": files(`{"bytes":"***"}`), "not-applicable": files(`{}`)}},
		{"message/places", place("/link", "uri"), map[string]string{
			"pass": files(`{"link":"a/b"}`), "fail": files(`{"link":"C:\\my files\\a"}`)}},
		{"message/places", place("/link", "absolute-uri"), map[string]string{
			"pass": files(`{"link":"https://a.example/b"}`), "fail": files(`{"link":"a/b"}`)}},
		{"message/places", "{type: File, at: /kind, rule: mime-type, required: true}", map[string]string{
			"pass": files(`{"kind":"text/plain; charset=utf-8"}`), "fail": files(`{"kind":"png"}`), "fail:absent": files(`{}`)}},
		{"message/places", place("/kind", "non-empty"), map[string]string{"pass": files(`{"kind":"x"}`), "fail": files(`{"kind":""}`)}},
		{"shape", "{type: File, at: /bytes, rules: [type], form: base64}", map[string]string{
			"pass": files(`{"bytes":"aGVsbG8="}`), "fail:type": files(`{"bytes":[1]}`), "fail:form": files(`{"bytes":"***"}`), "not-applicable": files(`{}`)}},
		{"shape/unclaimed", "", map[string]string{
			"pass": files(`{}`), "fail": files(`{"kind":5}`),
			"pass: null for an id that was left out": answerCall("q/x send", `{"jsonrpc":"2.0","method":"m"}`, `{"jsonrpc":"2.0","id":null,"result":{"number":"7"}}`),
			"fail: an id for one that was left out":  answerCall("q/x send", `{"jsonrpc":"2.0","method":"m"}`, `{"jsonrpc":"2.0","id":{},"result":{"number":"7"}}`),
			"fail: null for an id":                   answerCall("q/x send", `{"jsonrpc":"2.0","id":"a","method":"m"}`, `{"jsonrpc":"2.0","id":null,"result":{"number":"7"}}`)}},
		{"extension/hint", "{scenario: k, wish: a/b, part: File}", map[string]string{
			"pass":                  answerCall(all, "{}", `{"jsonrpc":"2.0","id":1,"result":{"number":"7","files":[{}]}}`),
			"not-applicable:cannot": answerCall(all, "{}", okReply),
			"not-applicable:could":  serveCard(`{"gives":["a/b"]}`) + answerCall(all, "{}", okReply),
			"fail":                  answerCall(all, "{}", no) + answerCall(plain, "{}", okReply),
			"inconclusive":          answerCall(all, "{}", no) + answerCall(plain, "{}", no),
		}},
	})
}
