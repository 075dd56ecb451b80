package suites_test

import (
	"fmt"
	"testing"
)

// answerWithAllowance is a call whose answer says what remains until the reset.
func answerWithAllowance(n int, reply, remaining, reset string) string {
	return answerCall(fmt.Sprintf("f/call-%d get role=probe", n), `{"id":"c"}`, reply) +
		fmt.Sprintf(" + X-RateLimit-Limit: 50\n + X-RateLimit-Window: 60\n + X-RateLimit-Remaining: %s\n + X-RateLimit-Reset: %s\n", remaining, reset)
}

func TestRateHeaderChecks(t *testing.T) {
	none, limited := rpcError(`"c"`, -32001), rpcError(`"c"`, -32010)
	flood := "{scenario: f, code: RateLimitExceeded}"
	three := func(a, b, c string) string {
		return "limit 50 6000\n" + answerWithAllowance(1, none, a, "9") + answerWithAllowance(2, none, b, "9") + answerWithAllowance(3, none, c, "9")
	}
	header := func(name, is string) string {
		return fmt.Sprintf("{steps: [f/call-1], header: X-RateLimit-%s, is: %s}", name, is)
	}
	runTrials(t, "allowance", []trial{
		{"ratelimit/falls", flood, map[string]string{
			"pass":                  three("9", "8", "7"),
			"pass:a step is hidden": three("9", "9", "8"),
			"fail":                  three("9", "9", "9"),
			"fail:grows":            three("9", "10", "11"),
			"inconclusive:refilled": "limit 50 60\n" + answerWithAllowance(1, none, "9", "9") + answerWithAllowance(2, none, "9", "9") + answerWithAllowance(3, none, "9", "9"),
			"inconclusive:silent":   three("no", "no", "no"),
			"inconclusive:windows":  answerWithAllowance(1, none, "9", "1") + answerWithAllowance(2, none, "9", "2") + answerWithAllowance(3, none, "9", "3"),
		}},
		{"ratelimit/early", flood, map[string]string{
			"pass":               answerWithAllowance(1, none, "0", "9") + answerWithAllowance(2, limited, "0", "9"),
			"pass:under way":     answerWithAllowance(1, none, "13", "9") + answerWithAllowance(2, limited, "0", "9"),
			"fail":               answerWithAllowance(1, none, "25", "9") + answerWithAllowance(2, limited, "24", "9"),
			"inconclusive:never": answerWithAllowance(1, none, "25", "9"),
		}},
		{"ratelimit/refusal-headers", flood, map[string]string{
			"pass":           answerWithAllowance(1, none, "0", "9") + answerWithAllowance(2, limited, "0", "9"),
			"fail:one left":  answerWithAllowance(1, limited, "1", "9"),
			"fail:no reset":  answerWithAllowance(1, limited, "0", "soon"),
			"not-applicable": answerWithAllowance(1, none, "0", "9"),
		}},
		{"ratelimit/header", header("Remaining", "remaining"), map[string]string{
			"pass":          answerWithAllowance(1, none, "50", "9"),
			"fail:above":    answerWithAllowance(1, none, "51", "9"),
			"fail:negative": answerWithAllowance(1, none, "-1", "9"),
			"fail:none":     answerCall("f/call-1 get", "{}", none),
		}},
		{"ratelimit/header", header("Limit", "requests"), map[string]string{
			"pass":         "limit 50 60\n" + answerWithAllowance(1, none, "5", "9"),
			"fail":         "limit 40 60\n" + answerWithAllowance(1, none, "5", "9"),
			"inconclusive": "limit 50 60\n" + answerCall("f/call-1 get", "{}", none),
		}},
	})
}

func TestSizeChecks(t *testing.T) {
	below, above := "s/below send role=twin recipe\n < 200 application/json "+okReply+"\n", "s/above send role=probe twin=below recipe\n"
	reply := func(status int, text string) string {
		return above + fmt.Sprintf(" < %d application/json %s\n", status, text)
	}
	blame := "{steps: [s/above], codes: [InvalidParams], status: [413, 400]}"
	runTrials(t, "sizes", []trial{
		{"limits/too-much", "{step: s/above}", map[string]string{
			"pass":                 below + reply(200, rpcError("1", -32602)),
			"pass:413":             below + above + " < 413 text/html no\n",
			"fail:carried out":     below + reply(200, okReply),
			"fail:hung up":         below + above + " ! reset\n",
			"fail:mute":            below + above + " ! timeout\n",
			"inconclusive:refused": "s/below send role=twin recipe\n < 413 - \n" + above + " < 413 - \n",
		}},
		{"limits/enough", "{steps: [s/below, s/all]}", map[string]string{
			"pass":           below,
			"pass:all":       "s/all send role=twin recipe\n < 200 application/json " + okReply + "\n",
			"pass:but alone": below + "s/all send role=twin recipe\n < 413 - \n",
			"fail":           "s/below send role=twin recipe\n < 413 - \n",
		}},
		{"limits/blame", blame, map[string]string{
			"pass":           below + reply(200, rpcError("1", -32602)),
			"pass:413":       below + above + " < 413 text/html no\n",
			"fail:500":       below + above + " < 500 text/html no\n",
			"fail:internal":  below + reply(200, rpcError("1", -32603)),
			"not-applicable": below + reply(200, okReply),
		}},
	})
}
