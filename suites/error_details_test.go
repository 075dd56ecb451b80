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

// detailed is an error with details.
func detailed(code int, message, details string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":%d,"message":%q,"data":%s}}`, code, message, details)
}

func TestErrorDetailChecks(t *testing.T) {
	info := func(more string) string {
		return `[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",` + more + `}]`
	}
	sent := func(code int, details string) string { return told(validProbe, "{}", detailed(code, "no", details)) }
	own := `"reason":"NO_JOB","domain":"zz"`
	bad := func(details string) string { return told(theProbe, "{}", detailed(-32602, "no", details)) }
	request := `[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":`
	try(t, "error_details", []trial{
		{"errors/coded", "", map[string]string{
			"pass": sent(-1, "null"), "pass:a word": told(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"error":{"code":"NO","message":"x"}}`),
			"fail":           told(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"error":{"message":"x"}}`),
			"fail:a text":    told(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"error":"no"}`),
			"not-applicable": told(validProbe, "{}", okReply),
		}},
		{"errors/worded", "", map[string]string{
			"pass": sent(-1, "null"), "fail": told(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"error":{"code":1}}`), "not-applicable": told(validProbe, "{}", okReply),
		}},
		{"errors/details-list", "", map[string]string{
			"pass": sent(-1, `[{"@type":"x"}]`), "pass:none of them": sent(-1, `[]`), "not-applicable:null": sent(-1, "null"),
			"fail:an object": sent(-1, `{"@type":"x"}`), "fail:a text in it": sent(-1, `["x"]`), "fail:untyped": sent(-1, `[{"type":"x"}]`),
			"not-applicable": told(validProbe, "{}", rpcError("1", -1)),
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
			"fail:texts": bad(request + `["a"]}]`), "not-applicable:a valid call": sent(-32602, "null"), "not-applicable:another error": told(theProbe, "{}", rpcError("1", -32600)),
		}},
		{"errors/names-member", "{steps: [b/p]}", map[string]string{
			"pass":                         twinOK + told(theProbe, "{}", detailed(-32602, "someParts is empty", "null")),
			"pass:in the details":          twinOK + bad(request+`[{"field":"note.some_parts"}]}]`),
			"fail":                         twinOK + told(theProbe, "{}", detailed(-32602, "Bad request", "null")),
			"not-applicable:another error": twinOK + told(theProbe, "{}", rpcError("1", -32600)),
			"not-applicable:accepted":      twinOK + told(theProbe, "{}", okReply),
			"inconclusive:refused anyway":  twinNo + told(theProbe, "{}", detailed(-32602, "Bad request", "null")),
		}},
		{"errors/number", "{steps: [b/p], error: TaskNotFound, domain: zz, unless: [InternalError]}", map[string]string{
			"pass":                             sent(-32001, "null"),
			"fail":                             sent(-32602, "null"),
			"fail:by its reason":               sent(-32603, info(own)),
			"fail:elsewhere, by its reason":    told(validProbe, "{}", okReply) + told("q/x get", "{}", detailed(-32602, "no", info(own))),
			"not-applicable:accepted":          told(validProbe, "{}", okReply),
			"not-applicable:another by number": sent(-32002, "null"),
			"not-applicable:another by reason": sent(-32602, info(`"reason":"NO_END","domain":"zz"`)),
			"not-applicable:not read":          sent(-32601, "null"),
			"not-applicable:in the way":        sent(-32603, "null"),
			"not-applicable:none that has a number, by reason": sent(-32602, info(`"reason":"BAD_PARAMS","domain":"zz"`)),
			"fail:by a reason of its own":                      sent(-32602, info(`"reason":"BAD_PARAMS","domain":"app"`)),
			"not-applicable:as always":                         twinOK + told("b/p list role=probe twin=twin", "{}", rpcError("1", -31401)) + told("l/all list", "{}", rpcError("1", -31401)),
			"not-applicable:no number":                         told(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"error":{"message":"x","data":`+info(own)+`}}`),
			"inconclusive:no credentials":                      validProbe + "\n < 401 text/plain no\n",
			"inconclusive:not asked":                           "stop b the run's time was up\n",
		}},
	}, withReasons)
}

func TestVersionChecks(t *testing.T) {
	try(t, "version", []trial{
		{"version/words", "{steps: [b/p], places: [{type: Note, at: /by}], like: ^A_, wants: a word that begins with A_}", map[string]string{
			"pass": told("b/p get", "{}", `{"result":{"number":"7","now":{"note":{"by":"A_US"}}}}`), "pass:none": told("b/p get", "{}", okReply),
			"fail":                 told("b/p get", "{}", `{"result":{"number":"7","now":{"note":{"by":"us"}}}}`),
			"pass:in another call": told("b/p get", "{}", okReply) + told("b/q get", "{}", `{"result":{"number":"7","now":{"note":{"by":"us"}}}}`),
			"inconclusive":         told("b/p get", "{}", rpcError("1", -32001)),
		}},
		{"version/unnamed", "{steps: [b/p]}", map[string]string{
			"pass:refused": twinOK + told(validProbe, "{}", rpcError("1", -32019)), "pass:unknown": twinOK + told(validProbe, "{}", rpcError("1", -32601)),
			"finding": twinOK + told(validProbe, "{}", okReply), "fail": twinOK + validProbe + "\n < 500 text/plain no\n", "fail:internal": twinOK + told(validProbe, "{}", rpcError("1", -32603)),
		}},
		{"version/named", "{steps: [b/p]}", map[string]string{
			"pass":                   told(theProbe, "{}", detailed(-32019, "there is 1.0", "null")),
			"pass:in the details":    told(theProbe, "{}", detailed(-32019, "no", `[{"metadata":{"served":"0.9, 1.0"}}]`)),
			"finding":                told(theProbe, "{}", detailed(-32019, "error", "null")),
			"finding:what was asked": theProbe + "\n  > {}\nX-Version: 99.0\n  < 200 application/json " + detailed(-32019, "99.0 is not served", "null") + "\n",
			"not-applicable":         told(theProbe, "{}", rpcError("1", -32602)),
		}},
		{"version/older", "{step: b/p}", map[string]string{
			"pass": told("b/p document", "{}", `{"jsonrpc":"2.0","id":1,"result":{"kind":"task"}}`), "fail": told("b/p document", "{}", rpcError("1", -32019)),
			"fail:page": "b/p document\n < 404 text/html no\n", "inconclusive:no credentials": "b/p document\n < 401 text/plain no\n",
		}},
		{"version/unmixed", "{step: b/p}", map[string]string{
			"pass": told("b/p document", "{}", `{"result":{"now":{"phase":"COMPLETE"}}}`), "pass:refused": told("b/p document", "{}", rpcError("1", -32019)),
			"fail": told("b/p document", "{}", `{"result":{"kind":"task","now":{"phase":"ready"}}}`), "fail:internal": told("b/p document", "{}", rpcError("1", -32603)),
		}},
	}, withReasons)
	// Where the result is held by a member that is named after its sort, one without is in
	// other words.
	try(t, "version_sorts", []trial{
		{"version/words", "{steps: [b/p], places: [], like: ^A_, wants: a word that begins with A_}", map[string]string{
			"pass": told("b/p send", "{}", `{"result":{"job":{"number":"7"}}}`), "fail": told("b/p send", "{}", `{"result":{"number":"7"}}`),
		}},
	}, func(d *schema.Dialect) { d.Sorts = schema.Sorts{Member: []string{"job", "note"}, Of: []string{"send"}} })
}

func TestTenantChecks(t *testing.T) {
	here := told("t/here get task=7", "{}", okReply)
	try(t, "tenants", []trial{
		{"tenant/apart", "{here: t/here, not: [t/there, t/list]}", map[string]string{
			"pass":         here + told("t/there get task=7", "{}", rpcError("1", -32001)) + told("t/list get", "{}", `{"result":{"found":[]}}`),
			"pass:a page":  here + "t/there get task=7\n < 404 text/html no\n",
			"fail":         here + told("t/there get task=7", "{}", okReply),
			"fail:listed":  here + told("t/there get task=7", "{}", rpcError("1", -32001)) + told("t/list get", "{}", `{"result":{"found":[{"number":"7"}]}}`),
			"inconclusive": told("t/here get task=7", "{}", rpcError("1", -32001)) + told("t/there get task=7", "{}", rpcError("1", -32001)),
		}},
		{"tenant/kept", "{steps: [p/set, p/get]}", map[string]string{
			"pass":            told("p/set push-set", `{"params":{"tenant":"a"}}`, `{"result":{"tell":{"tenant":"a"}}}`),
			"pass:not shown":  told("p/set push-set", `{"params":{"tenant":"a"}}`, `{"result":{"tell":{}}}`),
			"fail:refused":    told("p/set push-set", `{"params":{"tenant":"a"}}`, rpcError("1", -32602)),
			"fail:of another": told("p/set push-set", `{"params":{"tenant":"a"}}`, `{"result":{"tell":{}}}`) + told("p/get push-get", `{"params":{"tenant":"a"}}`, `{"result":{"tell":{"tenant":"b"}}}`),
		}},
	}, func(d *schema.Dialect) { d.Read["webhook"]["tenant"] = "/tenant" })
}

func TestExtensionMarkChecks(t *testing.T) {
	own := card(`{"called":"Z","ext":[{"uri":"urn:a"},{"uri":"urn:b"}]}`)
	marked := func(uri string) string {
		return `{"result":{"number":"7","now":{"note":{"by":"us","with":["` + uri + `"]}}}}`
	}
	asking := func(step, uris, more, got string) string {
		return step + "\n  > {}\nX-Ext: " + uris + "\n  < 200 application/json " + got + "\n" + more
	}
	places := "{plays: [q], places: [{type: Note, at: /with}]}"
	try(t, "extension_marks", []trial{
		{"extension/off", places, map[string]string{
			"pass": own + told("q/a send", "{}", okReply), "pass:asked for": own + asking("q/a send", "urn:a", "", marked("urn:a")),
			"fail":                own + told("q/a send", "{}", marked("urn:a")),
			"fail:another":        own + asking("q/a send", "urn:a", "", marked("urn:b")),
			"pass:made elsewhere": own + told("q/a send", "{}", okReply) + told("q/b get", "{}", marked("urn:a")),
			"pass:in the message": own + told("q/a send", `{"with":["urn:a"]}`, marked("urn:a")),
		}},
		{"extension/declared", places, map[string]string{
			"pass": own + told("q/a send", "{}", marked("urn:a")), "fail": own + told("q/a send", "{}", marked("urn:c")),
			"pass:asked for":   own + told("q/a send", "{}", marked("urn:c")) + asking("q/b get", "urn:c", "", okReply),
			"not-applicable":   own + told("q/a send", "{}", okReply),
			"pass:in its body": own + told("q/a send", `{"with":["urn:c"]}`, marked("urn:c")),
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
