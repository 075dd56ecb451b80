package suites_test

import "testing"

func TestEnvelopeChecks(t *testing.T) {
	steps := "{steps: [b/p]}"
	both := `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":-1,"message":"x"}}`
	message := func(m string) string {
		return answerCall(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"`+m+`"}}`)
	}
	own := answerCall(validProbe, `{"id":"t"}`, okReply)
	beside := func(id, more, got string) string { return answerCall("q/x get", `{"id":`+id+","+more+"}", got) }
	long := ""
	for range 21 {
		long += "ten chars "
	}
	runTrials(t, "envelope", []trial{
		{"envelope/echoes-id", "{steps: [b/p], tolerated: [InvalidRequest]}", map[string]string{
			"pass":                 answerCall(validProbe, `{"id":"t"}`, okReply),
			"pass:value":           answerCall(validProbe, `{"id":1.50}`, rpcError("1.5", -32001)),
			"fail:number for text": answerCall(validProbe, `{"id":"1"}`, rpcError("1", -32001)),
			"fail:cut":             answerCall(validProbe, `{"id":1.5}`, rpcError("1", -32001)),
			"fail:none":            answerCall(validProbe, `{"id":1.5}`, `{"jsonrpc":"2.0","result":{}}`),
			"finding":              answerCall(validProbe, `{"id":1.5}`, rpcError("null", -32600)),
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
			"pass: a batch":              own + answerCall("q/x get", `[{"jsonrpc":"2.0","id":"u","method":"m"}]`, "["+rpcError(`"v"`, -1)+"]"),
			"pass: at the gate":          own + "q/x get\n  > {\"jsonrpc\":\"2.0\",\"id\":\"u\",\"method\":\"m\"}\n  < 429 application/json " + rpcError("null", -32010) + "\n",
			"fail: refused stream":       own + answerByStream("q/s stream", rpcError(`"v"`, -32001)),
			"pass: opened stream":        own + answerByStream("q/s stream", writeUpdate("busy", ""), rpcError(`"v"`, -32603)),
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
			"pass":         twinOK + answerCall(theProbe, `{"id":`, rpcError("null", -32700)),
			"fail":         twinOK + answerCall(theProbe, `{"id":"p1"`, rpcError(`"p1"`, -32700)),
			"fail:none":    twinOK + answerCall(theProbe, `{`, `{"error":{"code":-32700,"message":"no"}}`),
			"inconclusive": twinOK + theProbe + "\n < 400 text/html bad request\n",
			// JSON of a framework is no JSON-RPC response, whatever its members are called.
			"inconclusive:own JSON":           twinOK + answerCall(theProbe, `{`, `{"statusCode":400,"error":"Bad Request"}`),
			"inconclusive:an object as error": twinOK + answerCall(theProbe, `{`, `{"error":{"message":"Bad Request"}}`),
			"inconclusive:an error beside id": twinOK + answerCall(theProbe, `{`, `{"id":"p1","error":"Bad Request"}`),
		}},
		{"envelope/null-id", "{steps: [b/p], codes: [InvalidRequest]}", map[string]string{
			"pass":       twinOK + answerCall(theProbe, `[]`, rpcError("null", -32600)),
			"fail:empty": twinOK + theProbe + "\n < 200 - \n",
			"fail:code":  twinOK + answerCall(theProbe, `[]`, rpcError("null", -32700)),
		}},
		{"envelope/own-or-null-id", steps, map[string]string{
			"pass":                  answerCall(theProbe, `{"id":"i"}`, rpcError(`"i"`, -32600)),
			"pass:null":             answerCall(theProbe, `{"id":"i"}`, rpcError("null", -32600)),
			"fail":                  answerCall(theProbe, `{"id":"i"}`, rpcError("0", -32600)),
			"inconclusive":          theProbe + "\n < 400 text/html bad request\n",
			"inconclusive:own JSON": answerCall(theProbe, `{"id":"i"}`, `{"statusCode":400,"error":"Bad Request"}`),
		}},
		{"envelope/null-call", "{step: b/p}", map[string]string{
			"pass":         answerCall(validProbe, `{"id":null}`, rpcError("null", -32600)),
			"pass:no body": validProbe + "\n < 204 - \n",
			"fail":         answerCall(validProbe, `{"id":null}`, rpcError(`"null"`, -32600)),
		}},
		{"envelope/no-error-beside-result", "", map[string]string{
			"pass": answerCall(validProbe, "{}", okReply), "fail": answerCall(validProbe, "{}", both),
			"fail:null":                  answerCall(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"result":{},"error":null}`),
			"not-applicable:null result": answerCall(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":"x"}}`),
		}},
		{"envelope/no-result-beside-error", "", map[string]string{
			"pass": answerCall(validProbe, "{}", rpcError("1", -1)), "fail": answerCall(validProbe, "{}", both),
			"fail:null":      answerCall(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":"x"}}`),
			"not-applicable": answerCall(validProbe, "{}", okReply),
		}},
		{"envelope/integer-code", "", map[string]string{
			"pass": answerCall(validProbe, "{}", rpcError("1", -32600)), "fail": answerCall(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"error":{"code":"NOPE","message":"x"}}`),
			"finding": answerCall(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"error":{"code":-32600.0,"message":"x"}}`),
		}},
		{"envelope/concise-message", "", map[string]string{
			"pass": message("It is not found."), "fail:lines": message(`at a\nat b`), "fail:long": message(long),
			"not-applicable": answerCall(validProbe, "{}", okReply),
		}},
		{"envelope/error-data", "", map[string]string{
			"pass":                    answerCall(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x","data":7}}`),
			"fail":                    answerCall(validProbe, "{}", `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x","data":NaN}}`),
			"not-applicable":          answerCall(validProbe, "{}", okReply),
			"not-applicable: no data": message("x"),
		}},
		{"envelope/notification", "{steps: [b/p]}", map[string]string{
			"pass":         twinOK + validProbe + "\n < 204 - \n",
			"pass:page":    twinOK + validProbe + "\n < 200 text/html ok\n",
			"finding":      twinOK + answerCall(validProbe, "{}", rpcError("null", -32600)),
			"fail":         twinOK + answerCall(validProbe, "{}", `{"jsonrpc":"2.0","result":{}}`),
			"fail:silent":  twinOK + validProbe + "\n ! timeout\n",
			"fail:stream":  twinOK + answerByStream("b/p stream role=probe twin=twin", writeUpdate("busy", ""), writeUpdate("ready", "true")),
			"pass:nothing": twinOK + "b/p stream role=probe twin=twin\n < 200 text/event-stream : nothing\n  |\n  |\n",
			"inconclusive": twinNo + answerCall(validProbe, "{}", `{"jsonrpc":"2.0","result":{}}`),
		}},
		{"envelope/notification", "{steps: [b/p, b/s]}", map[string]string{
			"pass":           twinOK + validProbe + "\n < 204 - \n" + answerByStream("b/t stream role=twin", writeUpdate("busy", "")) + "b/s stream twin=t\n < 204 - \n",
			"fail":           twinOK + validProbe + "\n < 204 - \n" + answerByStream("b/t stream role=twin", writeUpdate("busy", "")) + answerByStream("b/s stream twin=t", writeUpdate("busy", "")),
			"pass:refused":   twinOK + validProbe + "\n < 204 - \n" + answerCall("b/t stream role=twin", "{}", rpcError("1", -32603)) + answerCall("b/s stream twin=t", "{}", rpcError("1", -32603)),
			"pass:no stream": twinOK + validProbe + "\n < 204 - \n",
		}},
		{"envelope/batch", "{step: b/p}", map[string]string{
			"pass":        answerCall(validProbe, `[{"id":1},{"id":2}]`, "["+rpcError("2", -32001)+","+rpcError("1", -32001)+"]"),
			"pass:none":   answerCall(validProbe, `[{"id":1},{"id":2}]`, rpcError("null", -32600)),
			"fail:first":  answerCall(validProbe, `[{"id":1},{"id":2}]`, `{"jsonrpc":"2.0","id":1,"result":{}}`),
			"fail:twice":  answerCall(validProbe, `[{"id":1},{"id":2}]`, "["+rpcError("1", -32001)+","+rpcError("1", -32001)+"]"),
			"fail:other":  answerCall(validProbe, `[{"id":1},{"id":2}]`, rpcError("null", -32603)),
			"fail:an id":  answerCall(validProbe, `[{"id":1},{"id":2}]`, rpcError("1", -32600)),
			"fail:silent": validProbe + "\n ! timeout\n",
		}},
	})
}
