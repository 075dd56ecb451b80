package suites_test

import "testing"

func TestErrorChecks(t *testing.T) {
	ended := "reached f ended before\n" + told("f/before get", "{}", okReply)
	state := func(step, s string) string { return told(step, "{}", `{"result":{"now":{"phase":"`+s+`"}}}`) }
	try(t, "errors", []trial{
		{"errors/refused", "{steps: [b/p], codes: [InvalidParams], tolerated: [InvalidRequest]}", map[string]string{
			"pass":              twinOK + told(theProbe, "{}", rpcError("1", -32602)),
			"pass:by a stream":  twinOK + theProbe + "\n < 200 text/event-stream data: " + rpcError("1", -32602) + "\n |\n |\n",
			"fail:accepted":     twinOK + told(theProbe, "{}", okReply),
			"fail:another code": twinOK + told(theProbe, "{}", rpcError("1", -32603)),
			"fail:page":         twinOK + theProbe + "\n < 400 text/html no\n",
			"fail:broken off":   twinOK + theProbe + "\n < 200 application/json {\n ! reset\n",
			"finding:code":      twinOK + told(theProbe, "{}", rpcError("1", -32600)),
			"fail:other op":     twinOK + told("b/p list role=probe twin=twin invalid", "{}", rpcError("1", -31401)) + told("l/all list", "{}", okReply),
			"inconclusive:so is each of the operation": twinOK + told("b/p list role=probe twin=twin invalid", "{}", rpcError("1", -31401)) + told("l/all list", "{}", rpcError("1", -31401)),
			"inconclusive:twin":                        twinNo + told(theProbe, "{}", rpcError("1", -32603)),
			"inconclusive:none":                        "stop b the run's time was up\n",
			"inconclusive:later":                       "b/q send\n < 200 - \n",
		}},
		{"errors/refused", "{steps: [b/p], http: true}", map[string]string{
			"pass":      twinOK + told(theProbe, "{}", rpcError("1", -5)),
			"pass:page": twinOK + theProbe + "\n < 404 text/html no\n",
			"fail":      twinOK + told(theProbe, "{}", okReply),
		}},
		{"errors/refused", "{steps: [b/p], codes: [InvalidParams], accepted: true}", map[string]string{
			"finding": twinOK + told(theProbe, "{}", okReply), "fail": twinOK + told(theProbe, "{}", rpcError("1", -32603)),
		}},
		{"errors/code", "{steps: [b/p], codes: [TaskNotFound], tolerated: [MethodNotFound]}", map[string]string{
			"pass": twinOK + told(validProbe, "{}", rpcError("1", -32001)), "fail": twinOK + told(validProbe, "{}", rpcError("1", -32602)),
			"finding": twinOK + told(validProbe, "{}", rpcError("1", -32601)), "not-applicable": told(validProbe, "{}", okReply),
		}},
		{"errors/no-internal", "", map[string]string{
			"pass": told(theProbe, "{}", rpcError("1", -32600)), "fail": told(theProbe, "{}", rpcError("1", -32603)),
			"not-applicable:valid": told(validProbe, "{}", rpcError("1", -32603)),
			"fail:twin accepted":   twinOK + told(theProbe, "{}", rpcError("1", -32603)),
			"inconclusive:twin":    told("b/twin send role=twin", "{}", rpcError("1", -32603)) + told(theProbe, "{}", rpcError("1", -32603)),
		}},
		{"errors/unknown-task", "{step: b/p}", map[string]string{
			"pass": told(validProbe, "{}", rpcError("1", -5)), "pass:lost": state(validProbe, "lost"),
			"fail": state(validProbe, "busy"), "fail:page": validProbe + "\n < 404 text/html no\n",
		}},
		{"errors/stays-finished", "{scenario: f, step: cancel, then: get}", map[string]string{
			"pass":                 ended + told("f/cancel cancel", "{}", rpcError("1", -5)) + state("f/get get", "ready"),
			"pass:unchanged":       ended + state("f/cancel cancel", "ready") + state("f/get get", "ready"),
			"fail:reply":           ended + state("f/cancel cancel", "dropped") + state("f/get get", "ready"),
			"fail:look":            ended + told("f/cancel cancel", "{}", rpcError("1", -5)) + state("f/get get", "dropped"),
			"inconclusive:not yet": "f/cancel cancel unsent=before the task did not end\n",
			"inconclusive:purged":  ended + told("f/cancel cancel", "{}", rpcError("1", -5)) + told("f/get get", "{}", rpcError("1", -32001)),
		}},
		{"errors/code-range", "", map[string]string{
			"pass": told(validProbe, "{}", rpcError("1", -32050)), "pass:standard": told(validProbe, "{}", rpcError("1", -32700)),
			"fail": told(validProbe, "{}", rpcError("1", 404)), "not-applicable": told(validProbe, "{}", okReply),
		}},
		{"errors/code-range", "{permitted: true}", map[string]string{
			"pass":           told(validProbe, "{}", rpcError("1", -32050)) + told(validProbe, "{}", rpcError("2", 404)),
			"not-applicable": told(validProbe, "{}", rpcError("1", 404)),
		}},
		{"errors/alive", "{steps: [b/alive]}", map[string]string{
			"pass":                  twinOK + told("b/alive send role=alive", "{}", okReply),
			"fail:refused":          twinOK + told("b/alive send role=alive", "{}", rpcError("1", -32603)),
			"fail:cut off":          twinOK + "b/alive send role=alive\n ! reset\n",
			"inconclusive:gone":     twinOK + "b/alive send role=alive\n ! no-dial\n",
			"pass:its task is gone": twinOK + told("b/alive get role=alive", "{}", rpcError("1", -32001)),
			"fail:a fault":          twinOK + told("b/alive get role=alive", "{}", rpcError("1", -32603)),
			"inconclusive":          twinNo + told("b/alive send role=alive", "{}", rpcError("1", -32603)),
		}},
	})
}
