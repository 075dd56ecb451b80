// Package auth judges credentials: who is let in, how others are challenged, and payment.
package auth

import "github.com/a2a-conform/a2a-conform/suites/judge"

// Checks returns the checks of this area, each with its name in the catalogue.
func Checks() []judge.Check {
	return []judge.Check{
		judge.Define("auth/refused", "a call without valid credentials brings no result and leaves no task behind", checkCallRefused),
		judge.Define("auth/accepted", "a call with the configured credentials is accepted", checkCredentialsAccepted),
		judge.Define("auth/not-canceled", "a call without valid credentials does not cancel a task", checkAnonymousCancelRefused),
		judge.Define("auth/config-kept", "calls without valid credentials neither show nor change a push configuration", checkPushConfigProtected),
		judge.Define("auth/each-request", "each request on a connection that is kept open is authenticated by itself", checkEachRequestAuthenticated),
		judge.Define("auth/demanded", "a caller who may not make a call is refused with the named error", checkRefusalCode),
		judge.Define("auth/open", "a server that advertises no authentication serves a call without credentials", checkOpenServerServes).OfOpenServers(),
		judge.Define("auth/foreign-task", "a client cannot read another client's task", checkForeignTaskHidden),
		judge.Define("auth/says-what-is-needed", "a task that needs credentials describes them in its status message", checkAuthStatusMessagePresent),
		judge.Define("auth/status", "a refused caller is answered with the HTTP status that says why", checkRefusalStatus),
		judge.Define("auth/challenge", "an answer with HTTP 401 carries a challenge", checkChallengePresent),
		judge.Define("auth/challenge-scheme", "a challenge names a scheme that is declared on the card", checkChallengeScheme),
		// Who gets the card that is for known callers.
		judge.Define("auth/extended", "a caller without a valid credential gets no extended card", checkExtendedCardGuarded),
		judge.Define("auth/extended-rights", "a client with few rights does not get all of the extended card", checkFewRightsReduceCard),
		// What one client learns of another's tasks, and may do to them.
		judge.Define("auth/foreign-refused", "a client cannot make a call about another client's task", checkForeignCallsRefused),
		judge.Define("auth/foreign-follow", "a client cannot subscribe to another client's task", checkForeignSubscriptionsRefused),
		judge.Define("auth/foreign-cancel", "a client cannot cancel another client's task", checkForeignCancelRefused),
		judge.Define("auth/foreign-code", "a call about another client's task is refused like one about an unknown task", checkForeignRefusalLikeUnknown),
		judge.Define("auth/foreign-words", "the refusals about another client's task and about an unknown task look the same", noteForeignTextUnlikeUnknown),
		judge.Define("auth/says-why", "a caller without the right is told what is missing, and nothing else", noteRefusalTextFlaws),
		judge.Define("payment/waits", "an agent that demands to be paid has its task wait for the client", checkTaskWaitsForPayment),
		judge.Define("payment/described", "what is demanded is found in the metadata of the task", checkPaymentDescribed),
		judge.Define("payment/goes-on", "a task that was paid for goes on to success", checkTaskSucceedsAfterPayment),
		judge.Define("auth/keeps-secrets", "no answer repeats a credential by which a client logs in", checkSecretsNotRepeated),
	}
}
