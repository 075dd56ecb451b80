package suites_test

import (
	"fmt"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// withReasons has the made-up dialect give reasons for two of its errors, and a probe that
// bends a member.
func withReasons(d *schema.Dialect) {
	d.Errors["TaskNotFound"] = schema.ErrorSign{Code: -32001, Reason: "NO_JOB"}
	d.Errors["TaskNotCancelable"] = schema.ErrorSign{Code: -32002, Reason: "NO_END"}
	d.Errors["VersionNotSupported"] = schema.ErrorSign{Code: -32019, Reason: "NO_VERSION"}
	d.Blocks = []schema.Block{{Name: "b", Op: "send", Probes: []schema.Probe{{Name: "p", Patch: []schema.PatchOp{{Op: "remove", Path: "/note/some_parts/0"}}}}}}
}

// errorWithDetails is an error with details.
func errorWithDetails(code int, message, details string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":%d,"message":%q,"data":%s}}`, code, message, details)
}

func TestErrorDetailChecks(t *testing.T) {
	info := func(more string) string {
		return `[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",` + more + `}]`
	}
	sent := func(code int, details string) string {
		return answerCall(validProbe, "{}", errorWithDetails(code, "no", details))
	}
	own := `"reason":"NO_JOB","domain":"zz"`
	bad := func(details string) string {
		return answerCall(theProbe, "{}", errorWithDetails(-32602, "no", details))
	}
	request := `[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":`
	runTrials(t, "error_details", []trial{
		{"errors/coded", "", map[string]string{
			"pass": sent(-1, "null"), "pass:a word": answerCall(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"error":{"code":"NO","message":"x"}}`),
			"fail":           answerCall(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"error":{"message":"x"}}`),
			"fail:a text":    answerCall(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"error":"no"}`),
			"not-applicable": answerCall(validProbe, "{}", okReply),
		}},
		{"errors/worded", "", map[string]string{
			"pass": sent(-1, "null"), "fail": answerCall(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"error":{"code":1}}`), "not-applicable": answerCall(validProbe, "{}", okReply),
		}},
		{"errors/details-list", "", map[string]string{
			"pass": sent(-1, `[{"@type":"x"}]`), "pass:none of them": sent(-1, `[]`), "not-applicable:null": sent(-1, "null"),
			"fail:an object": sent(-1, `{"@type":"x"}`), "fail:a text in it": sent(-1, `["x"]`), "fail:untyped": sent(-1, `[{"type":"x"}]`),
			"not-applicable": answerCall(validProbe, "{}", rpcError("1", -1)),
		}},
		{"errors/details-typed", "", map[string]string{
			"pass": sent(-1, `[{"@type":"x"}]`), "pass:by itself": sent(-1, `{"@type":"x"}`), "fail": sent(-1, `[{"@type":"x"},{}]`), "fail:by itself": sent(-1, `{"a":1}`),
			"not-applicable:no object": sent(-1, `["x"]`),
		}},
		{"errors/info", "", map[string]string{
			"pass": sent(-32001, info(own)), "finding": sent(-32001, "null"), "finding:an object": sent(-32001, `{"reason":"NO_JOB"}`), "not-applicable:no error of its own": sent(-32602, "null"),
		}},
		{"errors/info-domain", "{domain: zz}", map[string]string{
			"pass": sent(-32001, info(own)), "fail": sent(-32001, info(`"domain":"example.com"`)), "fail:none": sent(-32001, info(`"reason":"NO_JOB"`)),
			"pass:another beside it":             sent(-32001, `[{"@type":"a/google.rpc.ErrorInfo","domain":"b"},{"@type":"a/google.rpc.ErrorInfo","domain":"zz"}]`),
			"not-applicable:no error of its own": sent(-32602, info(`"domain":"example.com"`)),
			"not-applicable:none":                sent(-32001, "null"),
		}},
		{"errors/info-reason", "{domain: zz}", map[string]string{
			"pass": sent(-32001, info(own)), "fail": sent(-32001, info(`"reason":"NotFound","domain":"zz"`)), "fail:another's": sent(-32002, info(own)),
			"fail:none": sent(-32001, info(`"domain":"zz"`)), "not-applicable:none": sent(-32001, "[]"),
		}},
		{"errors/info-metadata", "", map[string]string{
			"pass": sent(-1, info(`"metadata":{"a":"1"}`)), "pass:empty": sent(-1, info(`"metadata":{}`)), "fail": sent(-1, info(`"metadata":{"a":"1","b":2}`)),
			"fail:a list": sent(-1, info(`"metadata":[]`)), "not-applicable": sent(-1, info(`"metadata":null`)),
		}},
		{"errors/violations", "", map[string]string{
			"pass": bad(request + `[{"field":"a","description":"b"}]}]`), "finding": bad("null"), "fail:empty": bad(request + `[]}]`), "fail:a text": bad(request + `"a"}]`),
			"fail:texts": bad(request + `["a"]}]`), "not-applicable:a valid call": sent(-32602, "null"), "not-applicable:another error": answerCall(theProbe, "{}", rpcError("1", -32600)),
		}},
		{"errors/names-member", "{steps: [b/p]}", map[string]string{
			"pass":                         twinOK + answerCall(theProbe, "{}", errorWithDetails(-32602, "someParts is empty", "null")),
			"pass:in the details":          twinOK + bad(request+`[{"field":"note.some_parts"}]}]`),
			"fail":                         twinOK + answerCall(theProbe, "{}", errorWithDetails(-32602, "Bad request", "null")),
			"not-applicable:another error": twinOK + answerCall(theProbe, "{}", rpcError("1", -32600)),
			"not-applicable:accepted":      twinOK + answerCall(theProbe, "{}", okReply),
			"inconclusive:refused anyway":  twinNo + answerCall(theProbe, "{}", errorWithDetails(-32602, "Bad request", "null")),
		}},
		{"errors/number", "{steps: [b/p], error: TaskNotFound, domain: zz, unless: [InternalError]}", map[string]string{
			"pass":                             sent(-32001, "null"),
			"fail":                             sent(-32602, "null"),
			"fail:by its reason":               sent(-32603, info(own)),
			"fail:elsewhere, by its reason":    answerCall(validProbe, "{}", okReply) + answerCall("q/x get", "{}", errorWithDetails(-32602, "no", info(own))),
			"not-applicable:accepted":          answerCall(validProbe, "{}", okReply),
			"not-applicable:another by number": sent(-32002, "null"),
			"not-applicable:another by reason": sent(-32602, info(`"reason":"NO_END","domain":"zz"`)),
			"not-applicable:not read":          sent(-32601, "null"),
			"not-applicable:in the way":        sent(-32603, "null"),
			"not-applicable:none that has a number, by reason": sent(-32602, info(`"reason":"BAD_PARAMS","domain":"zz"`)),
			"fail:by a reason of its own":                      sent(-32602, info(`"reason":"BAD_PARAMS","domain":"app"`)),
			"not-applicable:as always":                         twinOK + answerCall("b/p list role=probe twin=twin", "{}", rpcError("1", -31401)) + answerCall("l/all list", "{}", rpcError("1", -31401)),
			"not-applicable:no number":                         answerCall(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"error":{"message":"x","data":`+info(own)+`}}`),
			"inconclusive:no credentials":                      validProbe + "\n < 401 text/plain no\n",
			"inconclusive:not asked":                           "stop b the run's time was up\n",
		}},
	}, withReasons)
}

func TestVersionChecks(t *testing.T) {
	runTrials(t, "version", []trial{
		{"version/words", "{steps: [b/p], places: [{type: Note, at: /by}], like: ^A_, wants: a word that begins with A_}", map[string]string{
			"pass": answerCall("b/p get", "{}", `{"result":{"number":"7","now":{"note":{"by":"A_US"}}}}`), "pass:none": answerCall("b/p get", "{}", okReply),
			"fail":                 answerCall("b/p get", "{}", `{"result":{"number":"7","now":{"note":{"by":"us"}}}}`),
			"pass:in another call": answerCall("b/p get", "{}", okReply) + answerCall("b/q get", "{}", `{"result":{"number":"7","now":{"note":{"by":"us"}}}}`),
			"inconclusive":         answerCall("b/p get", "{}", rpcError("1", -32001)),
		}},
		{"version/unnamed", "{steps: [b/p]}", map[string]string{
			"pass:refused": twinOK + answerCall(validProbe, "{}", rpcError("1", -32019)), "pass:unknown": twinOK + answerCall(validProbe, "{}", rpcError("1", -32601)),
			"finding": twinOK + answerCall(validProbe, "{}", okReply), "fail": twinOK + validProbe + "\n < 500 text/plain no\n", "fail:internal": twinOK + answerCall(validProbe, "{}", rpcError("1", -32603)),
		}},
		{"version/named", "{steps: [b/p]}", map[string]string{
			"pass":                   answerCall(theProbe, "{}", errorWithDetails(-32019, "there is 1.0", "null")),
			"pass:in the details":    answerCall(theProbe, "{}", errorWithDetails(-32019, "no", `[{"metadata":{"served":"0.9, 1.0"}}]`)),
			"finding":                answerCall(theProbe, "{}", errorWithDetails(-32019, "error", "null")),
			"finding:what was asked": theProbe + "\n  > {}\nX-Version: 99.0\n  < 200 application/json " + errorWithDetails(-32019, "99.0 is not served", "null") + "\n",
			"not-applicable":         answerCall(theProbe, "{}", rpcError("1", -32602)),
		}},
		{"version/older", "{step: b/p}", map[string]string{
			"pass": answerCall("b/p document", "{}", `{"jsonrpc":"2.0","id":1,"result":{"kind":"task"}}`), "fail": answerCall("b/p document", "{}", rpcError("1", -32019)),
			"fail:page": "b/p document\n < 404 text/html no\n", "inconclusive:no credentials": "b/p document\n < 401 text/plain no\n",
		}},
		{"version/unmixed", "{step: b/p}", map[string]string{
			"pass": answerCall("b/p document", "{}", `{"result":{"now":{"phase":"COMPLETE"}}}`), "pass:refused": answerCall("b/p document", "{}", rpcError("1", -32019)),
			"fail": answerCall("b/p document", "{}", `{"result":{"kind":"task","now":{"phase":"ready"}}}`), "fail:internal": answerCall("b/p document", "{}", rpcError("1", -32603)),
		}},
	}, withReasons)
	// Where the result is held by a member that is named after its sort, one without is in
	// other words.
	runTrials(t, "version_sorts", []trial{
		{"version/words", "{steps: [b/p], places: [], like: ^A_, wants: a word that begins with A_}", map[string]string{
			"pass": answerCall("b/p send", "{}", `{"result":{"job":{"number":"7"}}}`), "fail": answerCall("b/p send", "{}", `{"result":{"number":"7"}}`),
		}},
	}, func(d *schema.Dialect) { d.Sorts = schema.Sorts{Member: []string{"job", "note"}, Of: []string{"send"}} })
}

func TestTenantChecks(t *testing.T) {
	here := answerCall("t/here get task=7", "{}", okReply)
	runTrials(t, "tenants", []trial{
		{"tenant/apart", "{here: t/here, not: [t/there, t/list]}", map[string]string{
			"pass":         here + answerCall("t/there get task=7", "{}", rpcError("1", -32001)) + answerCall("t/list get", "{}", `{"result":{"found":[]}}`),
			"pass:a page":  here + "t/there get task=7\n < 404 text/html no\n",
			"fail":         here + answerCall("t/there get task=7", "{}", okReply),
			"fail:listed":  here + answerCall("t/there get task=7", "{}", rpcError("1", -32001)) + answerCall("t/list get", "{}", `{"result":{"found":[{"number":"7"}]}}`),
			"inconclusive": answerCall("t/here get task=7", "{}", rpcError("1", -32001)) + answerCall("t/there get task=7", "{}", rpcError("1", -32001)),
		}},
		{"tenant/kept", "{steps: [p/set, p/get]}", map[string]string{
			"pass":            answerCall("p/set push-set", `{"params":{"tenant":"a"}}`, `{"result":{"tell":{"tenant":"a"}}}`),
			"pass:not shown":  answerCall("p/set push-set", `{"params":{"tenant":"a"}}`, `{"result":{"tell":{}}}`),
			"fail:refused":    answerCall("p/set push-set", `{"params":{"tenant":"a"}}`, rpcError("1", -32602)),
			"fail:of another": answerCall("p/set push-set", `{"params":{"tenant":"a"}}`, `{"result":{"tell":{}}}`) + answerCall("p/get push-get", `{"params":{"tenant":"a"}}`, `{"result":{"tell":{"tenant":"b"}}}`),
		}},
	}, func(d *schema.Dialect) { d.Read["webhook"]["tenant"] = "/tenant" })
}

func TestExtensionMarkChecks(t *testing.T) {
	own := serveCard(`{"called":"Z","ext":[{"uri":"urn:a"},{"uri":"urn:b"}]}`)
	marked := func(uri string) string {
		return `{"result":{"number":"7","now":{"note":{"by":"us","with":["` + uri + `"]}}}}`
	}
	asking := func(step, uris, more, got string) string {
		return step + "\n  > {}\nX-Ext: " + uris + "\n  < 200 application/json " + got + "\n" + more
	}
	places := "{plays: [q], places: [{type: Note, at: /with}]}"
	runTrials(t, "extension_marks", []trial{
		{"extension/off", places, map[string]string{
			"pass": own + answerCall("q/a send", "{}", okReply), "pass:asked for": own + asking("q/a send", "urn:a", "", marked("urn:a")),
			"fail":                own + answerCall("q/a send", "{}", marked("urn:a")),
			"fail:another":        own + asking("q/a send", "urn:a", "", marked("urn:b")),
			"pass:made elsewhere": own + answerCall("q/a send", "{}", okReply) + answerCall("q/b get", "{}", marked("urn:a")),
			"pass:in the message": own + answerCall("q/a send", `{"with":["urn:a"]}`, marked("urn:a")),
		}},
		{"extension/declared", places, map[string]string{
			"pass": own + answerCall("q/a send", "{}", marked("urn:a")), "fail": own + answerCall("q/a send", "{}", marked("urn:c")),
			"pass:asked for":   own + answerCall("q/a send", "{}", marked("urn:c")) + asking("q/b get", "urn:c", "", okReply),
			"not-applicable":   own + answerCall("q/a send", "{}", okReply),
			"pass:in its body": own + answerCall("q/a send", `{"with":["urn:c"]}`, marked("urn:c")),
		}},
		{"extension/lists-active", "{plays: [e], silent: true}", map[string]string{
			"pass":             own + asking("e/one-1 get", "urn:a", "+ X-Ext: urn:a\n", okReply),
			"finding":          own + asking("e/one-1 get", "urn:a", "", okReply),
			"fail:another":     own + asking("e/one-1 get", "urn:a", "+ X-Ext: urn:b\n", okReply),
			"fail:made up":     own + asking("e/one-1 get", "urn:a", "+ X-Ext: urn:a\n", okReply) + asking("e/unknown send", "urn:c", "+ X-Ext: urn:c\n", okReply),
			"inconclusive":     own + asking("e/one-1 get", "urn:a", "", rpcError("1", -32001)),
			"pass:not of this": own + asking("e/one-1 get", "urn:a", "+ X-Ext: urn:a\n", okReply) + asking("e/other-version get", "urn:a2", "+ X-Ext: urn:a\n", okReply),
		}},
		{"extension/other-version", "{plays: [e], step: e/other-version, silent: true}", map[string]string{
			"pass":                own + asking("e/one-1 get", "urn:a", "+ X-Ext: urn:a\n", okReply) + asking("e/other-version get", "urn:a2", "", okReply),
			"fail":                own + asking("e/one-1 get", "urn:a", "+ X-Ext: urn:a\n", okReply) + asking("e/other-version get", "urn:a2", "+ X-Ext: urn:a\n", okReply),
			"not-applicable:mute": own + asking("e/one-1 get", "urn:a", "", okReply) + asking("e/other-version get", "urn:a2", "", okReply),
		}},
	}, func(d *schema.Dialect) { d.Card.Extensions, d.Card.ExtensionHeader = "/ext", "X-Ext" })
}
