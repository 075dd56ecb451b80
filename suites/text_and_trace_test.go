package suites_test

import "testing"

func TestTextAndTraceChecks(t *testing.T) {
	const sent = `{"id":"ü"}`
	back := func(id, group string) string {
		return `{"jsonrpc":"2.0","id":"` + id + `","result":{"number":"7","group":"` + group + `"}}`
	}
	traced := func(name, mine, got string) string {
		return "b/" + name + " get role=probe\n  > {\"id\":\"" + name + "\"}\n  X-Trace: " + mine + "\n  < 200 application/json {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":\"no\",\"data\":{\"trace\":" + got + "}}}\n"
	}
	withID := func(id, got string) string {
		return "p/a get\n  > {\"id\":" + id + "}\n  < 200 application/json {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":\"no\",\"data\":{\"call\":" + got + "}}}\n"
	}
	runTrials(t, "letters", []trial{
		{"transport/utf-8", "", map[string]string{
			"pass": answerCall("p/a send", sent, back("ü", "é")), "fail": answerCall("p/a send", sent, back("\xfc", "é")),
			"pass: not labelled as JSON": "p/a send\n  < 200 application/json {}\np/b send\n  < 500 text/html \xfc\n",
		}},
		{"transport/letters-kept", "{steps: [p/a]}", map[string]string{
			"pass": answerCall("p/a send context=é", sent, back("ü", "é")), "fail: id": answerCall("p/a send context=é", sent, back("u", "é")),
			"fail: context": answerCall("p/a send context=é", sent, back("ü", "Ã©")), "inconclusive": answerCall("p/a send context=é", sent, rpcError(`"ü"`, -32603)),
		}},
		{"transport/charset", "", map[string]string{
			"pass":           "p/a send\n  < 200 application/json;charset=\"UTF-8\" {}\n",
			"fail":           "p/a send\n  < 200 application/json;charset=iso-8859-1 {}\n",
			"not-applicable": "p/a send\n  < 200 application/json {}\n",
		}},
		{"transport/media-type", "{}", map[string]string{
			"pass": answerCall("p/a get", "{}", okReply), "fail: result": "p/a get\n  < 200 text/plain " + okReply + "\n",
			"fail: error": "p/a get\n  < 200 text/plain " + rpcError("1", -32601) + "\n",
		}},
		{"extension/header-value", "{header: X-Version, value: '9.9'}", map[string]string{
			"pass": answerCall("p/a get", "{}", okReply) + "  + X-Version: 9.9\n", "fail": answerCall("p/a get", "{}", okReply) + "  + X-Version: 1.0\n",
			"not-applicable": answerCall("p/a get", "{}", okReply),
		}},
		{"extension/trace", "{steps: [b/a, b/b], header: X-Trace, at: /data/trace}", map[string]string{
			"pass": traced("a", "t1", `"t1"`) + traced("b", "t2", `"t2"`), "finding: its own": traced("a", "t1", `"s1"`) + traced("b", "t2", `"s2"`),
			"fail: another's": traced("a", "t1", `"t1"`) + traced("b", "t2", `"t1"`), "not-applicable": traced("a", "t1", "null") + traced("b", "t2", "null"),
		}},
		{"errors/request-id", "{at: /data/call}", map[string]string{
			"pass": withID(`"x"`, `"x"`), "pass: a number as text": withID(`7`, `"7"`), "pass: a number": withID(`7`, `7`),
			"fail": withID(`"x"`, `"c-1"`), "not-applicable: not sent": withID(`"x"`, "null"), "not-applicable: no id": withID("null", `"c-1"`),
		}},
		{"errors/refused", "{steps: [b/p], codes: [InvalidParams], unless: [MethodNotFound]}", map[string]string{
			"not-applicable": answerCall("b/p cancel", "{}", rpcError(`"t"`, -32601)), "pass": answerCall("b/p cancel", "{}", rpcError(`"t"`, -32602)),
			"fail": answerCall("b/p cancel", "{}", rpcError(`"t"`, -32603)),
		}},
	})
}
