package suites_test

import (
	"testing"
)

// vouched: the operator says that the configured credentials are valid.
const vouched = "declared credentials\n"

func TestAuthChecks(t *testing.T) {
	secret := "secret bearer\n"
	task := answerCall("g/task send role=twin", "{}", okReply)
	noTask := answerCall("g/task send role=twin", "{}", rpcError("1", -32603))
	bare := "g/p send role=probe twin=task as=nobody"
	no := " < 401 application/json " + rpcError("1", -32007) + "\n"
	gone := answerCall("g/p-then get", "{}", rpcError("1", -32001))
	state := func(step, s string) string { return answerCall(step, "{}", `{"result":{"now":{"phase":"`+s+`"}}}`) }
	one := "{steps: [g/p]}"
	runTrials(t, "auth", []trial{
		{"auth/refused", one, map[string]string{
			"pass":                   secret + task + bare + "\n" + no + gone,
			"pass:a page":            secret + task + bare + "\n < 401 text/html no\n",
			"pass:to a login":        secret + task + bare + "\n < 302 - \n",
			"pass:hung up":           secret + task + bare + "\n ! reset\n",
			"pass:lost":              secret + task + bare + "\n" + no + state("g/p-then get", "lost"),
			"pass:empty stream":      secret + task + "g/p stream twin=task as=nobody\n < 200 text/event-stream : none\n",
			"fail:served":            secret + task + answerCall(bare, "{}", okReply),
			"fail:served to all":     answerCall("g/p send as=nobody", "{}", okReply),
			"fail:streamed":          secret + task + answerByStream("g/p stream twin=task as=nobody", writeUpdate("busy", "")),
			"fail:carried out":       secret + task + bare + "\n" + no + state("g/p-then get", "ready"),
			"inconclusive:twin":      secret + noTask + bare + "\n" + no,
			"inconclusive:no secret": "g/p send as=nobody\n" + no,
			"inconclusive:silent":    secret + task + bare + "\n ! timeout\n",
			"inconclusive:stopped":   secret + "stop g the call with the configured credentials was not accepted\n",
			"inconclusive:limited":   secret + task + bare + " limited\n < 429 - \n",
		}},
		{"auth/accepted", "{step: g/task}", map[string]string{
			"pass": task, "fail": noTask, "fail:vouched for": vouched + "g/task send\n < 401 text/html no\n",
			"inconclusive:not known to be valid":   "g/task send\n < 401 text/html no\n",
			"fail:vouched for, another call taken": vouched + answerCall("q/get get", "{}", okReply) + "g/task send\n < 401 text/html no\n",
			"fail:taken before":                    answerCall("q/send send", "{}", okReply) + "g/task send\n < 401 text/html no\n",
			"inconclusive:another call taken":      answerCall("q/get get", "{}", okReply) + "g/task send\n < 401 text/html no\n",
			"inconclusive:another caller's":        answerCall("q/send send as=nobody", "{}", okReply) + "g/task send\n < 401 text/html no\n",
			"inconclusive":                         "stop g the run's time was up\n",
		}},
		{"auth/not-canceled", "{step: g/p, then: g/look}", map[string]string{
			"pass":                   secret + task + bare + "\n" + no + state("g/look get", "busy"),
			"inconclusive:had ended": secret + task + answerCall("g/p cancel role=probe twin=task as=nobody task=7", "{}", rpcError("1", -32002)) + state("g/look get", "ready"),
			"fail:canceled":          secret + task + bare + "\n" + no + state("g/look get", "dropped"),
			"fail:result":            secret + task + state(bare, "dropped") + state("g/look get", "busy"),
			"inconclusive":           secret + task + bare + "\n" + no + answerCall("g/look get", "{}", rpcError("1", -32001)),
		}},
		{"auth/config-kept", "{steps: [g/p], set: g/set, then: g/get}", map[string]string{
			"pass":                 setWebhook("own", true) + "g/p push-set as=nobody\n" + no + hooked("own"),
			"fail:shown":           setWebhook("own", true) + answerCall("g/p push-get as=nobody", "{}", okReply) + hooked("own"),
			"fail:changed":         setWebhook("own", true) + "g/p push-set as=nobody\n" + no + hooked("other"),
			"pass:none taken":      setWebhook("own", false) + "g/p push-set as=nobody\n" + no,
			"inconclusive:neither": setWebhook("own", false) + answerCall("g/p push-set as=nobody", "{}", rpcError("1", -32602)),
		}},
		{"auth/each-request", "{with: g/with, bare: g/p}", map[string]string{
			"pass":                  answerCall("g/with get conn=3", "{}", okReply) + "g/p get as=nobody conn=3\n" + no,
			"fail":                  answerCall("g/with get conn=3", "{}", okReply) + answerCall("g/p get as=nobody conn=3", "{}", okReply),
			"inconclusive:closed":   answerCall("g/with get conn=3", "{}", okReply) + "g/p get as=nobody conn=4\n" + no,
			"not-applicable:closes": answerCall("g/with get conn=3", "{}", okReply) + " + Connection: close\ng/p get as=nobody conn=4\n" + no,
			"inconclusive:refused":  answerCall("g/with get conn=3", "{}", rpcError("1", -32001)) + "g/p get as=nobody conn=3\n" + no,
		}},
		{"auth/open", "{steps: [a/send, q/send]}", map[string]string{
			"pass":              answerCall("q/send send", "{}", okReply),
			"pass:own step":     secret + answerCall("a/send send as=nobody", "{}", okReply) + answerCall("q/send send", "{}", rpcError("1", -32603)),
			"fail:401":          "q/send send\n < 401 text/html no\n",
			"fail:code":         secret + answerCall("a/send send as=nobody", "{}", rpcError("1", -32007)) + answerCall("q/send send", "{}", okReply),
			"inconclusive:else": answerCall("q/send send", "{}", rpcError("1", -32603)),
			"inconclusive:none": secret + answerCall("q/send send", "{}", okReply),
		}},
		{"auth/foreign-task", "{own: g/look, step: g/p, known: g/known}", map[string]string{
			"pass":                   state("g/look get", "ready") + answerCall("g/known get", "{}", rpcError("1", -32001)) + answerCall("g/p get as=second", "{}", rpcError("1", -32001)),
			"pass:lost":              state("g/look get", "ready") + answerCall("g/known get", "{}", rpcError("1", -32001)) + state("g/p get as=second", "lost"),
			"fail":                   state("g/look get", "ready") + answerCall("g/known get", "{}", rpcError("1", -32001)) + state("g/p get as=second", "ready"),
			"inconclusive:its state": state("g/look get", "ready") + answerCall("g/known get", "{}", rpcError("1", -32001)) + answerCall("g/p get as=second", "{}", rpcError("1", -32009)),
			"inconclusive:unknown":   state("g/look get", "ready") + "g/known get\n" + no + "g/p get as=second\n" + no,
			"inconclusive:not ours":  answerCall("g/look get", "{}", rpcError("1", -32001)) + answerCall("g/known get", "{}", rpcError("1", -32001)) + answerCall("g/p get", "{}", rpcError("1", -32001)),
		}},
		{"auth/foreign-task", "{own: g/look, step: g/p, known: g/known, follows: [g/follow, g/follow-waiting]}", map[string]string{
			"pass": state("g/look get", "ready") + answerCall("g/known get", "{}", rpcError("1", -32001)) + answerCall("g/p get as=second", "{}", rpcError("1", -32001)) +
				answerCall("g/follow resubscribe as=second", "{}", rpcError("1", -32001)),
			"fail": state("g/look get", "ready") + answerCall("g/known get", "{}", rpcError("1", -32001)) + answerCall("g/p get as=second", "{}", rpcError("1", -32001)) +
				answerByStream("g/follow resubscribe as=second", writeUpdate("busy", "")),
			"fail:one that waits": state("g/look get", "ready") + answerCall("g/known get", "{}", rpcError("1", -32001)) + answerCall("g/p get as=second", "{}", rpcError("1", -32001)) +
				answerCall("g/follow resubscribe as=second", "{}", rpcError("1", -32001)) + answerByStream("g/follow-waiting resubscribe as=second", writeUpdate("asking", "")),
		}},
		{"auth/says-what-is-needed", "{plays: [n], state: asking}", map[string]string{
			"pass":           answerCall("n/send send task=7", "{}", `{"result":{"number":"7","now":{"phase":"asking","note":{"by":"agent","parts":[{"data":{"schemes":["OAuth2"]}}]}}}}`),
			"finding":        answerCall("n/send send task=7", "{}", `{"result":{"number":"7","now":{"phase":"asking","note":{"by":"agent","parts":[{"say":"log in"}]}}}}`),
			"fail":           answerCall("n/send send task=7", "{}", `{"result":{"number":"7","now":{"phase":"asking"}}}`),
			"not-applicable": answerCall("n/send send task=7", "{}", okReply),
		}},
	})
}

// setWebhook is the owner's configuration, taken or not.
func setWebhook(name string, taken bool) string {
	reply := rpcError("1", -32602)
	if taken {
		reply = okReply
	}
	return answerCall("g/set push-set role=twin", `{"params":{"tell":{"to":"https://`+name+`.invalid"}}}`, reply)
}

func hooked(name string) string {
	return answerCall("g/get push-get", "{}", `{"result":{"tell":{"to":"https://`+name+`.invalid"}}}`)
}

func TestChallengeChecks(t *testing.T) {
	task := answerCall("g/task send role=twin", "{}", okReply)
	bare := "g/p send role=probe twin=task as=nobody\n"
	bearer := serveCard(`{"schemes":["Bearer"]}`)
	says := func(challenge string) string {
		return bare + " < 401 application/json " + rpcError("1", -32007) + "\n + WWW-Authenticate: " + challenge + "\n"
	}
	runTrials(t, "challenge", []trial{
		{"auth/status", "{step: g/p, status: 401, tolerated: [403]}", map[string]string{
			"pass":             task + bare + " < 401 text/html no\n",
			"finding:403":      task + bare + " < 403 - \n",
			"finding:200":      task + bare + " < 200 application/json " + rpcError("1", -32007) + "\n",
			"fail:500":         task + bare + " < 500 application/json " + rpcError("1", -32007) + "\n",
			"fail:served":      task + bare + " < 200 application/json " + okReply + "\n",
			"inconclusive:cut": task + bare + " ! reset\n",
		}},
		{"auth/challenge", "{plays: [g]}", map[string]string{
			"pass":           task + says("Bearer"),
			"fail":           task + bare + " < 401 text/html no\n",
			"fail:the card":  serveCard("{}") + "card/other document\n < 401 - \n",
			"not-applicable": task + bare + " < 403 - \n",
		}},
		{"auth/challenge-scheme", "{plays: [g]}", map[string]string{
			"pass":                     bearer + task + says(`bearer realm="x", error="invalid_token"`),
			"pass:one of two":          bearer + task + says(`Basic realm="a, b", Bearer realm="x"`),
			"pass:oauth":               serveCard(`{"schemes":["OAuth2"]}`) + task + says("Bearer"),
			"pass:one can be read":     serveCard(`{"schemes":[null,"Bearer"]}`) + task + says("Bearer"),
			"inconclusive:none can be": serveCard(`{"schemes":[null,7,[]]}`) + task + says("Bearer"),
			"pass:key":                 serveCard(`{"schemes":["ApiKey"]}`) + task + says("Key"),
			"fail":                     bearer + task + says(`Basic realm="x"`),
			"fail:in quotes":           bearer + task + says(`Basic realm="x, Bearer"`),
			"not-applicable":           bearer + task + bare + " < 401 - \n",
			"inconclusive:nil":         task + says("Bearer"),
		}},
	})
}
