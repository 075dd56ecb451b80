package suites_test

import "testing"

func TestErrorChecks(t *testing.T) {
	ended := "reached f ended before\n" + answerCall("f/before get", "{}", okReply)
	state := func(step, s string) string { return answerCall(step, "{}", `{"result":{"now":{"phase":"`+s+`"}}}`) }
	runTrials(t, "errors", []trial{
		{"errors/refused", "{steps: [b/p], codes: [InvalidParams], tolerated: [InvalidRequest]}", map[string]string{
			"pass":              twinOK + answerCall(theProbe, "{}", rpcError("1", -32602)),
			"pass:by a stream":  twinOK + theProbe + "\n < 200 text/event-stream data: " + rpcError("1", -32602) + "\n |\n |\n",
			"fail:accepted":     twinOK + answerCall(theProbe, "{}", okReply),
			"fail:another code": twinOK + answerCall(theProbe, "{}", rpcError("1", -32603)),
			"fail:page":         twinOK + theProbe + "\n < 400 text/html no\n",
			"fail:broken off":   twinOK + theProbe + "\n < 200 application/json {\n ! reset\n",
			"finding:code":      twinOK + answerCall(theProbe, "{}", rpcError("1", -32600)),
			"fail:other op":     twinOK + answerCall("b/p list role=probe twin=twin invalid", "{}", rpcError("1", -31401)) + answerCall("l/all list", "{}", okReply),
			"inconclusive:so is each of the operation": twinOK + answerCall("b/p list role=probe twin=twin invalid", "{}", rpcError("1", -31401)) + answerCall("l/all list", "{}", rpcError("1", -31401)),
			"inconclusive:twin":                        twinNo + answerCall(theProbe, "{}", rpcError("1", -32603)),
			"inconclusive:none":                        "stop b the run's time was up\n",
			"inconclusive:later":                       "b/q send\n < 200 - \n",
		}},
		{"errors/refused", "{steps: [b/p], http: true}", map[string]string{
			"pass":      twinOK + answerCall(theProbe, "{}", rpcError("1", -5)),
			"pass:page": twinOK + theProbe + "\n < 404 text/html no\n",
			"fail":      twinOK + answerCall(theProbe, "{}", okReply),
		}},
		{"errors/refused", "{steps: [b/p], codes: [InvalidParams], accepted: true}", map[string]string{
			"finding": twinOK + answerCall(theProbe, "{}", okReply), "fail": twinOK + answerCall(theProbe, "{}", rpcError("1", -32603)),
		}},
		{"errors/code", "{steps: [b/p], codes: [TaskNotFound], tolerated: [MethodNotFound]}", map[string]string{
			"pass": twinOK + answerCall(validProbe, "{}", rpcError("1", -32001)), "fail": twinOK + answerCall(validProbe, "{}", rpcError("1", -32602)),
			"finding": twinOK + answerCall(validProbe, "{}", rpcError("1", -32601)), "not-applicable": answerCall(validProbe, "{}", okReply),
		}},
		{"errors/no-internal", "", map[string]string{
			"pass": answerCall(theProbe, "{}", rpcError("1", -32600)), "fail": answerCall(theProbe, "{}", rpcError("1", -32603)),
			"not-applicable:valid": answerCall(validProbe, "{}", rpcError("1", -32603)),
			"fail:twin accepted":   twinOK + answerCall(theProbe, "{}", rpcError("1", -32603)),
			"inconclusive:twin":    answerCall("b/twin send role=twin", "{}", rpcError("1", -32603)) + answerCall(theProbe, "{}", rpcError("1", -32603)),
		}},
		{"errors/unknown-task", "{step: b/p}", map[string]string{
			"pass": answerCall(validProbe, "{}", rpcError("1", -5)), "pass:lost": state(validProbe, "lost"),
			"fail": state(validProbe, "busy"), "fail:page": validProbe + "\n < 404 text/html no\n",
		}},
		{"errors/stays-finished", "{scenario: f, step: cancel, then: get}", map[string]string{
			"pass":                 ended + answerCall("f/cancel cancel", "{}", rpcError("1", -5)) + state("f/get get", "ready"),
			"pass:unchanged":       ended + state("f/cancel cancel", "ready") + state("f/get get", "ready"),
			"fail:reply":           ended + state("f/cancel cancel", "dropped") + state("f/get get", "ready"),
			"fail:look":            ended + answerCall("f/cancel cancel", "{}", rpcError("1", -5)) + state("f/get get", "dropped"),
			"inconclusive:not yet": "f/cancel cancel unsent=before the task did not end\n",
			"inconclusive:purged":  ended + answerCall("f/cancel cancel", "{}", rpcError("1", -5)) + answerCall("f/get get", "{}", rpcError("1", -32001)),
		}},
		{"errors/code-range", "", map[string]string{
			"pass": answerCall(validProbe, "{}", rpcError("1", -32050)), "pass:standard": answerCall(validProbe, "{}", rpcError("1", -32700)),
			"fail": answerCall(validProbe, "{}", rpcError("1", 404)), "not-applicable": answerCall(validProbe, "{}", okReply),
		}},
		{"errors/code-range", "{permitted: true}", map[string]string{
			"pass":           answerCall(validProbe, "{}", rpcError("1", -32050)) + answerCall(validProbe, "{}", rpcError("2", 404)),
			"not-applicable": answerCall(validProbe, "{}", rpcError("1", 404)),
		}},
		{"errors/alive", "{steps: [b/alive]}", map[string]string{
			"pass":                  twinOK + answerCall("b/alive send role=alive", "{}", okReply),
			"fail:refused":          twinOK + answerCall("b/alive send role=alive", "{}", rpcError("1", -32603)),
			"fail:cut off":          twinOK + "b/alive send role=alive\n ! reset\n",
			"inconclusive:gone":     twinOK + "b/alive send role=alive\n ! no-dial\n",
			"pass:its task is gone": twinOK + answerCall("b/alive get role=alive", "{}", rpcError("1", -32001)),
			"fail:a fault":          twinOK + answerCall("b/alive get role=alive", "{}", rpcError("1", -32603)),
			"inconclusive":          twinNo + answerCall("b/alive send role=alive", "{}", rpcError("1", -32603)),
		}},
	})
}
