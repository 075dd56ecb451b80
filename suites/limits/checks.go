// Package limits judges limits: of the rate of calls, with the headers that announce it, of size,
// of time, and of concurrent calls.
package limits

import "github.com/a2a-conform/a2a-conform/suites/judge"

// Checks returns the checks of this area.
func Checks() []judge.Check {
	return []judge.Check{
		judge.Define("limits/beyond", "one more at the same time than the limit allows is refused", checkBeyondLimit),
		judge.Define("limits/up-to", "as many at the same time as the limit allows are not refused for their number", checkUpToLimit),
		judge.Define("limits/exhausted", "a refusal for want of resources has the named code", checkExhausted),

		judge.Define("ratelimit/header", "a response says a fact about the rate limit in its header", checkRateHeader),
		judge.Define("ratelimit/falls", "what remains goes down as calls are made", checkRemainingFalls),
		judge.Define("ratelimit/early", "no call is refused while requests remain", checkRefusedEarly),
		judge.Define("ratelimit/refusal-headers", "the refusal for the rate limit says that nothing remains", checkRefusalHeaders),

		judge.Define("ratelimit/refused", "a client beyond the rate limit is refused with the named error", checkOverLimit),
		judge.Define("ratelimit/id", "a refusal for the rate limit bears the id of the call", checkLimitedID),
		judge.Define("ratelimit/again", "a client that was limited is served again", checkServedAgain),

		judge.Define("limits/survives", "the server goes on serving after a heavy message", checkSurvives),
		judge.Define("limits/too-much", "a message beyond a limit is refused in an orderly way", checkTooMuch),
		judge.Define("limits/enough", "a message just below a limit is accepted", checkJustEnough),
		judge.Define("limits/blame", "a refusal for size or number is reported as a fault of the caller", checkCallerBlamed),
	}
}
