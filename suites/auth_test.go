package suites_test

import (
	"testing"
)

// vouched: the operator says that the configured credentials are valid.
const vouched = "declared credentials\n"

func TestAuthChecks(t *testing.T) {
	secret := "secret bearer\n"
	task := told("g/task send role=twin", "{}", okReply)
	noTask := told("g/task send role=twin", "{}", rpcError("1", -32603))
	bare := "g/p send role=probe twin=task as=nobody"
	no := " < 401 application/json " + rpcError("1", -32007) + "\n"
	gone := told("g/p-then get", "{}", rpcError("1", -32001))
	state := func(step, s string) string { return told(step, "{}", `{"result":{"now":{"phase":"`+s+`"}}}`) }
	one := "{steps: [g/p]}"
	try(t, "auth", []trial{
		{"auth/refused", one, map[string]string{
			"pass":                   secret + task + bare + "\n" + no + gone,
			"pass:a page":            secret + task + bare + "\n < 401 text/html no\n",
			"pass:to a login":        secret + task + bare + "\n < 302 - \n",
			"pass:hung up":           secret + task + bare + "\n ! reset\n",
			"pass:lost":              secret + task + bare + "\n" + no + state("g/p-then get", "lost"),
			"pass:empty stream":      secret + task + "g/p stream twin=task as=nobody\n < 200 text/event-stream : none\n",
			"fail:served":            secret + task + told(bare, "{}", okReply),
			"fail:served to all":     told("g/p send as=nobody", "{}", okReply),
			"fail:streamed":          secret + task + streamed("g/p stream twin=task as=nobody", update("busy", "")),
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
			"fail:vouched for, another call taken": vouched + told("q/get get", "{}", okReply) + "g/task send\n < 401 text/html no\n",
			"fail:taken before":                    told("q/send send", "{}", okReply) + "g/task send\n < 401 text/html no\n",
			"inconclusive:another call taken":      told("q/get get", "{}", okReply) + "g/task send\n < 401 text/html no\n",
			"inconclusive:another caller's":        told("q/send send as=nobody", "{}", okReply) + "g/task send\n < 401 text/html no\n",
			"inconclusive":                         "stop g the run's time was up\n",
		}},
		{"auth/not-canceled", "{step: g/p, then: g/look}", map[string]string{
			"pass":                   secret + task + bare + "\n" + no + state("g/look get", "busy"),
			"inconclusive:had ended": secret + task + told("g/p cancel role=probe twin=task as=nobody task=7", "{}", rpcError("1", -32002)) + state("g/look get", "ready"),
			"fail:canceled":          secret + task + bare + "\n" + no + state("g/look get", "dropped"),
			"fail:result":            secret + task + state(bare, "dropped") + state("g/look get", "busy"),
			"inconclusive":           secret + task + bare + "\n" + no + told("g/look get", "{}", rpcError("1", -32001)),
		}},
		{"auth/config-kept", "{steps: [g/p], set: g/set, then: g/get}", map[string]string{
			"pass":                 hook("own", true) + "g/p push-set as=nobody\n" + no + hooked("own"),
			"fail:shown":           hook("own", true) + told("g/p push-get as=nobody", "{}", okReply) + hooked("own"),
			"fail:changed":         hook("own", true) + "g/p push-set as=nobody\n" + no + hooked("other"),
			"pass:none taken":      hook("own", false) + "g/p push-set as=nobody\n" + no,
			"inconclusive:neither": hook("own", false) + told("g/p push-set as=nobody", "{}", rpcError("1", -32602)),
		}},
		{"auth/each-request", "{with: g/with, bare: g/p}", map[string]string{
			"pass":                  told("g/with get conn=3", "{}", okReply) + "g/p get as=nobody conn=3\n" + no,
			"fail":                  told("g/with get conn=3", "{}", okReply) + told("g/p get as=nobody conn=3", "{}", okReply),
			"inconclusive:closed":   told("g/with get conn=3", "{}", okReply) + "g/p get as=nobody conn=4\n" + no,
			"not-applicable:closes": told("g/with get conn=3", "{}", okReply) + " + Connection: close\ng/p get as=nobody conn=4\n" + no,
			"inconclusive:refused":  told("g/with get conn=3", "{}", rpcError("1", -32001)) + "g/p get as=nobody conn=3\n" + no,
		}},
		{"auth/open", "{steps: [a/send, q/send]}", map[string]string{
			"pass":              told("q/send send", "{}", okReply),
			"pass:own step":     secret + told("a/send send as=nobody", "{}", okReply) + told("q/send send", "{}", rpcError("1", -32603)),
			"fail:401":          "q/send send\n < 401 text/html no\n",
			"fail:code":         secret + told("a/send send as=nobody", "{}", rpcError("1", -32007)) + told("q/send send", "{}", okReply),
			"inconclusive:else": told("q/send send", "{}", rpcError("1", -32603)),
			"inconclusive:none": secret + told("q/send send", "{}", okReply),
		}},
		{"auth/foreign-task", "{own: g/look, step: g/p, known: g/known}", map[string]string{
			"pass":                   state("g/look get", "ready") + told("g/known get", "{}", rpcError("1", -32001)) + told("g/p get as=second", "{}", rpcError("1", -32001)),
			"pass:lost":              state("g/look get", "ready") + told("g/known get", "{}", rpcError("1", -32001)) + state("g/p get as=second", "lost"),
			"fail":                   state("g/look get", "ready") + told("g/known get", "{}", rpcError("1", -32001)) + state("g/p get as=second", "ready"),
			"inconclusive:its state": state("g/look get", "ready") + told("g/known get", "{}", rpcError("1", -32001)) + told("g/p get as=second", "{}", rpcError("1", -32009)),
			"inconclusive:unknown":   state("g/look get", "ready") + "g/known get\n" + no + "g/p get as=second\n" + no,
			"inconclusive:not ours":  told("g/look get", "{}", rpcError("1", -32001)) + told("g/known get", "{}", rpcError("1", -32001)) + told("g/p get", "{}", rpcError("1", -32001)),
		}},
		{"auth/foreign-task", "{own: g/look, step: g/p, known: g/known, follows: [g/follow, g/follow-waiting]}", map[string]string{
			"pass": state("g/look get", "ready") + told("g/known get", "{}", rpcError("1", -32001)) + told("g/p get as=second", "{}", rpcError("1", -32001)) +
				told("g/follow resubscribe as=second", "{}", rpcError("1", -32001)),
			"fail": state("g/look get", "ready") + told("g/known get", "{}", rpcError("1", -32001)) + told("g/p get as=second", "{}", rpcError("1", -32001)) +
				streamed("g/follow resubscribe as=second", update("busy", "")),
			"fail:one that waits": state("g/look get", "ready") + told("g/known get", "{}", rpcError("1", -32001)) + told("g/p get as=second", "{}", rpcError("1", -32001)) +
				told("g/follow resubscribe as=second", "{}", rpcError("1", -32001)) + streamed("g/follow-waiting resubscribe as=second", update("asking", "")),
		}},
		{"auth/says-what-is-needed", "{plays: [n], state: asking}", map[string]string{
			"pass":           told("n/send send task=7", "{}", `{"result":{"number":"7","now":{"phase":"asking","note":{"by":"agent","parts":[{"data":{"schemes":["OAuth2"]}}]}}}}`),
			"finding":        told("n/send send task=7", "{}", `{"result":{"number":"7","now":{"phase":"asking","note":{"by":"agent","parts":[{"say":"log in"}]}}}}`),
			"fail":           told("n/send send task=7", "{}", `{"result":{"number":"7","now":{"phase":"asking"}}}`),
			"not-applicable": told("n/send send task=7", "{}", okReply),
		}},
	})
}

// hook is the owner's configuration, taken or not.
func hook(name string, taken bool) string {
	reply := rpcError("1", -32602)
	if taken {
		reply = okReply
	}
	return told("g/set push-set role=twin", `{"params":{"tell":{"to":"https://`+name+`.invalid"}}}`, reply)
}

func hooked(name string) string {
	return told("g/get push-get", "{}", `{"result":{"tell":{"to":"https://`+name+`.invalid"}}}`)
}

func TestChallengeChecks(t *testing.T) {
	task := told("g/task send role=twin", "{}", okReply)
	bare := "g/p send role=probe twin=task as=nobody\n"
	bearer := card(`{"schemes":["Bearer"]}`)
	says := func(challenge string) string {
		return bare + " < 401 application/json " + rpcError("1", -32007) + "\n + WWW-Authenticate: " + challenge + "\n"
	}
	try(t, "challenge", []trial{
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
			"fail:the card":  card("{}") + "card/other document\n < 401 - \n",
			"not-applicable": task + bare + " < 403 - \n",
		}},
		{"auth/challenge-scheme", "{plays: [g]}", map[string]string{
			"pass":                     bearer + task + says(`bearer realm="x", error="invalid_token"`),
			"pass:one of two":          bearer + task + says(`Basic realm="a, b", Bearer realm="x"`),
			"pass:oauth":               card(`{"schemes":["OAuth2"]}`) + task + says("Bearer"),
			"pass:one can be read":     card(`{"schemes":[null,"Bearer"]}`) + task + says("Bearer"),
			"inconclusive:none can be": card(`{"schemes":[null,7,[]]}`) + task + says("Bearer"),
			"pass:key":                 card(`{"schemes":["ApiKey"]}`) + task + says("Key"),
			"fail":                     bearer + task + says(`Basic realm="x"`),
			"fail:in quotes":           bearer + task + says(`Basic realm="x, Bearer"`),
			"not-applicable":           bearer + task + bare + " < 401 - \n",
			"inconclusive:nil":         task + says("Bearer"),
		}},
	})
}
