// Package limits judges limits: of the rate of calls, with the headers that announce it, of size,
// of time, and of concurrent calls.
package limits

import "github.com/a2a-conform/a2a-conform/suites/judge"

// Checks returns the checks of this area.
func Checks() []judge.Check {
	return []judge.Check{
		judge.Define("limits/beyond", "one more at the same time than the limit allows is refused", checkConcurrencyLimitEnforced),
		judge.Define("limits/up-to", "as many at the same time as the limit allows are not refused for their number", checkConcurrencyUpToLimit),
		judge.Define("limits/exhausted", "a refusal for want of resources has the named code", checkExhaustionErrorCode),

		judge.Define("ratelimit/header", "a response says a fact about the rate limit in its header", checkRateHeader),
		judge.Define("ratelimit/falls", "what remains goes down as calls are made", checkRemainingFalls),
		judge.Define("ratelimit/early", "no call is refused while requests remain", checkServedWhileRequestsRemain),
		judge.Define("ratelimit/refusal-headers", "the refusal for the rate limit says that nothing remains", checkRefusalHeadersShowExhaustion),

		judge.Define("ratelimit/refused", "a client beyond the rate limit is refused with the named error", checkFloodRefused),
		judge.Define("ratelimit/id", "a refusal for the rate limit bears the id of the call", checkRateLimitErrorID),
		judge.Define("ratelimit/again", "a client that was limited is served again", checkServedAfterRateLimit),

		judge.Define("limits/survives", "the server goes on serving after a heavy message", checkAliveAfterHeavyMessage),
		judge.Define("limits/too-much", "a message beyond a limit is refused in an orderly way", checkOversizedCallRefused),
		judge.Define("limits/enough", "a message just below a limit is accepted", checkMessageBelowLimitServed),
		judge.Define("limits/blame", "a refusal for size or number is reported as a fault of the caller", checkRefusalBlamesCaller),
	}
}
