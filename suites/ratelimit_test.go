package suites_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestRateLimitChecks(t *testing.T) {
	call := func(n int) string { return fmt.Sprintf("f/call-%d get role=probe", n) }
	served := func(n int) string { return answerCall(call(n), `{"id":"c"}`, rpcError(`"c"`, -32001)) }
	refused := func(n, status int, reply string) string {
		return fmt.Sprintf("%s\n > {\"id\":\"c\"}\n < %d application/json %s\n", call(n), status, reply)
	}
	limited := rpcError(`"c"`, -32010)
	again := func(n int, reply string) string { return answerCall(fmt.Sprintf("f/again-%d send", n), "{}", reply) }
	flood := "{scenario: f, code: RateLimitExceeded}"
	runTrials(t, "ratelimit", []trial{
		{"ratelimit/refused", flood, map[string]string{
			"pass":                   served(1) + refused(2, 429, limited),
			"pass:200":               served(1) + refused(2, 200, limited),
			"finding:400":            served(1) + refused(2, 400, limited),
			"finding:bare 429":       served(1) + call(2) + "\n < 429 text/html slow down\n",
			"fail:503":               served(1) + call(2) + "\n < 503 text/html busy\n",
			"fail:another code":      served(1) + refused(2, 429, rpcError(`"c"`, -32603)),
			"fail:hung up":           served(1) + call(2) + "\n ! reset\n",
			"fail:never":             "limit 1 100\n" + served(1) + served(2) + served(3),
			"inconclusive:too slow":  "limit 1 1\n" + served(1) + served(2) + served(3),
			"inconclusive:too few":   "limit 2 100\n" + served(1) + served(2) + served(3),
			"inconclusive:no limit":  served(1),
			"inconclusive:too large": "stop f the declared limit of 5000 requests is more than the 1000 that the suite goes to\n",
		}},
		{"ratelimit/id", flood, map[string]string{
			"pass":           served(1) + refused(2, 429, limited),
			"fail":           served(1) + refused(2, 429, rpcError("null", -32010)),
			"not-applicable": served(1) + call(2) + "\n < 429 text/html slow down\n",
			"fail:elsewhere": refused(1, 429, limited) + "q/send-limited-1 send\n > {\"id\":\"d\"}\n < 429 application/json " + limited + "\n",
		}},
		{"limits/timeout-above", "{step: f/long, code: RateLimitExceeded, limit: 300}", map[string]string{
			"pass":                           answerCall("f/long send", "{}", limited),
			"fail":                           answerCall("f/long send", "{}", rpcError(`"t"`, -32603)),
			"not-applicable: answered early": answerCall("f/long send", "{}", okReply),
		}},
		{"ratelimit/again", "{steps: [f/again-1, f/again-2], code: RateLimitExceeded}", map[string]string{
			"pass":              again(1, okReply),
			"pass:later":        again(1, limited) + again(2, okReply),
			"fail":              again(1, limited) + again(2, limited),
			"fail:page":         "f/again-1 send\n < 429 text/html no\n",
			"inconclusive:else": again(1, rpcError("1", -32603)),
			"inconclusive:none": "f/again-1 send unsent=call-3 no call had been refused\n",
		}},
	})
}

func TestLimitChecks(t *testing.T) {
	sent := "h/large send role=probe recipe\n"
	runTrials(t, "limits", []trial{
		{"limits/survives", "{step: h/large, alive: h/alive}", map[string]string{
			"pass":                       sent + " < 413 text/html no\n" + answerCall("h/alive get role=alive", "{}", rpcError("1", -32001)),
			"pass:refused with HTTP 500": sent + " < 413 - \nh/alive get role=alive\n < 500 application/json " + rpcError("1", -32001) + "\n",
			"fail:an internal error":     sent + " < 413 - \n" + answerCall("h/alive get role=alive", "{}", rpcError("1", -32603)),
			"pass:accepted":              sent + " < 200 application/json " + okReply + "\n" + answerCall("h/alive send role=alive", "{}", okReply),
			"pass:hung up":               sent + " ! reset\n" + answerCall("h/alive send role=alive", "{}", okReply),
			"fail:gone":                  sent + " ! reset\nh/alive send role=alive\n ! no-dial\n",
			"fail:agent gone":            sent + " ! reset\n" + answerCall("h/alive send role=alive", "{}", rpcError("1", -32603)),
			"fail:refuses all":           sent + " < 413 - \nh/alive get role=alive\n < 503 text/plain no\n",
			"fail:mute":                  sent + " < 413 - \nh/alive get role=alive\n ! timeout\n",
			"inconclusive:none":          "stop h the run's time was up\n",
		}},
	})
}

// What answers a call that never came to the protocol is no JSON-RPC reply.
func TestProxyAnswersAreNoReplies(t *testing.T) {
	other := `{"message":"Unauthorized"}`
	ours := answerCall(validProbe, "{}", okReply)
	runTrials(t, "gates", []trial{
		{"transport/one-document", "", map[string]string{
			"pass:a stranger":     ours + "b/q send as=nobody\n < 401 application/json " + other + "\n",
			"pass:too many":       ours + "b/q send\n < 429 application/json " + other + "\n",
			"pass:unusual size":   ours + "b/q send recipe\n < 200 application/json " + strings.Repeat("[", 2000) + "\n",
			"fail:one of us":      ours + "b/q send\n < 401 application/json " + other + "\n",
			"fail:another status": ours + "b/q send as=nobody\n < 200 application/json " + other + "\n",
		}},
	})
}
