package suites_test

import "testing"

func TestEnvelopeChecks(t *testing.T) {
	steps := "{steps: [b/p]}"
	both := `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":-1,"message":"x"}}`
	message := func(m string) string {
		return told(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"`+m+`"}}`)
	}
	own := told(validProbe, `{"id":"t"}`, okReply)
	beside := func(id, more, got string) string { return told("q/x get", `{"id":`+id+","+more+"}", got) }
	long := ""
	for range 21 {
		long += "ten chars "
	}
	try(t, "envelope", []trial{
		{"envelope/echoes-id", "{steps: [b/p], tolerated: [InvalidRequest]}", map[string]string{
			"pass":                 told(validProbe, `{"id":"t"}`, okReply),
			"pass:value":           told(validProbe, `{"id":1.50}`, rpcError("1.5", -32001)),
			"fail:number for text": told(validProbe, `{"id":"1"}`, rpcError("1", -32001)),
			"fail:cut":             told(validProbe, `{"id":1.5}`, rpcError("1", -32001)),
			"fail:none":            told(validProbe, `{"id":1.5}`, `{"jsonrpc":"2.0","result":{}}`),
			"finding":              told(validProbe, `{"id":1.5}`, rpcError("null", -32600)),
		}},
		{"envelope/echoes-id", "{steps: [b/p], every: reply}", map[string]string{
			"pass":                       own + beside(`"u"`, `"jsonrpc":"2.0","method":"m"`, rpcError(`"u"`, -32001)),
			"fail: elsewhere":            own + beside(`"u"`, `"jsonrpc":"2.0","method":"m"`, `{"jsonrpc":"2.0","id":"v","result":{}}`),
			"fail: null":                 own + beside(`"u"`, `"jsonrpc":"2.0","method":"m"`, rpcError("null", -32001)),
			"fail: neither own nor null": own + beside(`"u"`, `"jsonrpc":"2.0","method":"m"`, rpcError(`"v"`, -32600)),
			"pass: no version":           own + beside(`"u"`, `"method":"m"`, rpcError(`"v"`, -32001)),
			"pass: called invalid":       own + beside(`"u"`, `"jsonrpc":"2.0","method":"m"`, rpcError("null", -32600)),
			"pass: no string":            own + beside(`{}`, `"jsonrpc":"2.0","method":"m"`, rpcError(`"v"`, -32600)),
			"pass: without id":           own + "q/x get\n  > {\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n  < 200 application/json " + okReply + "\n",
			"pass: a batch":              own + told("q/x get", `[{"jsonrpc":"2.0","id":"u","method":"m"}]`, "["+rpcError(`"v"`, -1)+"]"),
			"pass: at the gate":          own + "q/x get\n  > {\"jsonrpc\":\"2.0\",\"id\":\"u\",\"method\":\"m\"}\n  < 429 application/json " + rpcError("null", -32010) + "\n",
			"fail: refused stream":       own + streamed("q/s stream", rpcError(`"v"`, -32001)),
			"pass: opened stream":        own + streamed("q/s stream", update("busy", ""), rpcError(`"v"`, -32603)),
			"inconclusive: not asked":    "b/p get unsent=twin why\n" + beside(`"u"`, `"jsonrpc":"2.0","method":"m"`, rpcError(`"u"`, -32001)),
		}},
		{"envelope/echoes-id", "{steps: [b/p], every: error}", map[string]string{
			"pass: a result": own + beside(`"u"`, `"jsonrpc":"2.0","method":"m"`, `{"jsonrpc":"2.0","id":"v","result":{}}`),
			"fail":           own + beside(`"u"`, `"jsonrpc":"2.0","method":"m"`, rpcError(`"v"`, -32001)),
		}},
		{"envelope/echoes-id", "{steps: [b/p], every: result}", map[string]string{
			"pass: an error": own + beside(`"u"`, `"jsonrpc":"2.0","method":"m"`, rpcError(`"v"`, -32001)),
			"fail":           own + beside(`"u"`, `"jsonrpc":"2.0","method":"m"`, `{"jsonrpc":"2.0","id":"v","result":{}}`),
		}},
		{"envelope/null-id", steps, map[string]string{
			"pass":         twinOK + told(theProbe, `{"id":`, rpcError("null", -32700)),
			"fail":         twinOK + told(theProbe, `{"id":"p1"`, rpcError(`"p1"`, -32700)),
			"fail:none":    twinOK + told(theProbe, `{`, `{"error":{"code":-32700,"message":"no"}}`),
			"inconclusive": twinOK + theProbe + "\n < 400 text/html bad request\n",
			// JSON of a framework is no JSON-RPC response, whatever its members are called.
			"inconclusive:own JSON":           twinOK + told(theProbe, `{`, `{"statusCode":400,"error":"Bad Request"}`),
			"inconclusive:an object as error": twinOK + told(theProbe, `{`, `{"error":{"message":"Bad Request"}}`),
			"inconclusive:an error beside id": twinOK + told(theProbe, `{`, `{"id":"p1","error":"Bad Request"}`),
		}},
		{"envelope/null-id", "{steps: [b/p], codes: [InvalidRequest]}", map[string]string{
			"pass":       twinOK + told(theProbe, `[]`, rpcError("null", -32600)),
			"fail:empty": twinOK + theProbe + "\n < 200 - \n",
			"fail:code":  twinOK + told(theProbe, `[]`, rpcError("null", -32700)),
		}},
		{"envelope/own-or-null-id", steps, map[string]string{
			"pass":                  told(theProbe, `{"id":"i"}`, rpcError(`"i"`, -32600)),
			"pass:null":             told(theProbe, `{"id":"i"}`, rpcError("null", -32600)),
			"fail":                  told(theProbe, `{"id":"i"}`, rpcError("0", -32600)),
			"inconclusive":          theProbe + "\n < 400 text/html bad request\n",
			"inconclusive:own JSON": told(theProbe, `{"id":"i"}`, `{"statusCode":400,"error":"Bad Request"}`),
		}},
		{"envelope/null-call", "{step: b/p}", map[string]string{
			"pass":         told(validProbe, `{"id":null}`, rpcError("null", -32600)),
			"pass:no body": validProbe + "\n < 204 - \n",
			"fail":         told(validProbe, `{"id":null}`, rpcError(`"null"`, -32600)),
		}},
		{"envelope/no-error-beside-result", "", map[string]string{
			"pass": told(validProbe, "{}", okReply), "fail": told(validProbe, "{}", both),
			"fail:null":                  told(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"result":{},"error":null}`),
			"not-applicable:null result": told(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":"x"}}`),
		}},
		{"envelope/no-result-beside-error", "", map[string]string{
			"pass": told(validProbe, "{}", rpcError("1", -1)), "fail": told(validProbe, "{}", both),
			"fail:null":      told(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":"x"}}`),
			"not-applicable": told(validProbe, "{}", okReply),
		}},
		{"envelope/integer-code", "", map[string]string{
			"pass": told(validProbe, "{}", rpcError("1", -32600)), "fail": told(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"error":{"code":"NOPE","message":"x"}}`),
			"finding": told(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"error":{"code":-32600.0,"message":"x"}}`),
		}},
		{"envelope/concise-message", "", map[string]string{
			"pass": message("It is not found."), "fail:lines": message(`at a\nat b`), "fail:long": message(long),
			"not-applicable": told(validProbe, "{}", okReply),
		}},
		{"envelope/error-data", "", map[string]string{
			"pass":                    told(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x","data":7}}`),
			"fail":                    told(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x","data":NaN}}`),
			"not-applicable":          told(validProbe, "{}", okReply),
			"not-applicable: no data": message("x"),
		}},
		{"envelope/notification", "{steps: [b/p]}", map[string]string{
			"pass":         twinOK + validProbe + "\n < 204 - \n",
			"pass:page":    twinOK + validProbe + "\n < 200 text/html ok\n",
			"finding":      twinOK + told(validProbe, "{}", rpcError("null", -32600)),
			"fail":         twinOK + told(validProbe, "{}", `{"jsonrpc":"2.0","result":{}}`),
			"fail:silent":  twinOK + validProbe + "\n ! timeout\n",
			"fail:stream":  twinOK + streamed("b/p stream role=probe twin=twin", update("busy", ""), update("ready", "true")),
			"pass:nothing": twinOK + "b/p stream role=probe twin=twin\n < 200 text/event-stream : nothing\n  |\n  |\n",
			"inconclusive": twinNo + told(validProbe, "{}", `{"jsonrpc":"2.0","result":{}}`),
		}},
		{"envelope/notification", "{steps: [b/p, b/s]}", map[string]string{
			"pass":           twinOK + validProbe + "\n < 204 - \n" + streamed("b/t stream role=twin", update("busy", "")) + "b/s stream twin=t\n < 204 - \n",
			"fail":           twinOK + validProbe + "\n < 204 - \n" + streamed("b/t stream role=twin", update("busy", "")) + streamed("b/s stream twin=t", update("busy", "")),
			"pass:refused":   twinOK + validProbe + "\n < 204 - \n" + told("b/t stream role=twin", "{}", rpcError("1", -32603)) + told("b/s stream twin=t", "{}", rpcError("1", -32603)),
			"pass:no stream": twinOK + validProbe + "\n < 204 - \n",
		}},
		{"envelope/batch", "{step: b/p}", map[string]string{
			"pass":        told(validProbe, `[{"id":1},{"id":2}]`, "["+rpcError("2", -32001)+","+rpcError("1", -32001)+"]"),
			"pass:none":   told(validProbe, `[{"id":1},{"id":2}]`, rpcError("null", -32600)),
			"fail:first":  told(validProbe, `[{"id":1},{"id":2}]`, `{"jsonrpc":"2.0","id":1,"result":{}}`),
			"fail:twice":  told(validProbe, `[{"id":1},{"id":2}]`, "["+rpcError("1", -32001)+","+rpcError("1", -32001)+"]"),
			"fail:other":  told(validProbe, `[{"id":1},{"id":2}]`, rpcError("null", -32603)),
			"fail:an id":  told(validProbe, `[{"id":1},{"id":2}]`, rpcError("1", -32600)),
			"fail:silent": validProbe + "\n ! timeout\n",
		}},
	})
}
