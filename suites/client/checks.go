// Package client has the checks of clients: of the requests that a client sent to the scripted
// servers of the suite, and of what its program showed of the responses.
package client

import "github.com/a2a-conform/a2a-conform/suites/judge"

// Checks returns the checks of this package.
func Checks() []judge.Check {
	return []judge.Check{
		judge.Define("client/member", "Does a member of the client's requests, or of their parameters, have the value that is due?", checkMember),
		judge.Define("client/header", "Do the client's requests have a header field, and with the value that is due?", checkHeader),
		judge.Define("client/route", "Does each call of the client name an operation of the protocol, as the binding writes it?", checkRoute),
		judge.Define("client/shape", "Do the client's requests have the form that the definitions of the dialect give?", checkShape),
		judge.Define("client/spelling", "Are the members of requests spelled as the dialect has them?", checkSpelling),
		judge.Define("client/text", "Is the body of each request one JSON text in UTF-8?", checkText),
		judge.Define("client/unique", "Do different requests have different ids?", checkUnique),
		judge.Define("client/address", "Do calls go to addresses that the card declares for them, and fit to what it states there?", checkAddress),
		judge.Define("client/given", "Has the client the ids in its messages from an answer?", checkGivenIDs),
		judge.Define("client/context", "Do messages to a task name the context of that task?", checkContext),
		judge.Define("client/ended-task", "Do calls about a task end with the task?", checkEndedTasks),
		judge.Define("client/second-message", "Does the second message of a conversation name what the answer to the first one brought?", checkSecondMessage),
		judge.Define("client/card-path", "Does a client that has only the host ask for the card where it is due?", checkCardPath),
		judge.Define("client/fallback", "Does the client turn to another interface if one cannot be reached?", checkFallback),
		judge.Define("client/credential", "Do calls have a credential of a scheme on the card?", checkCredential),
		judge.Define("client/resumes", "Does the client resume the stream of the task whose stream was cut?", checkResuming),
		judge.Define("client/follows", "Does the client follow a task for whose answer it did not wait?", checkFollowing),
		judge.Define("client/waits", "Does the client follow a task that waits for somebody else?", checkWaiting),
		judge.Define("client/fetches", "Does the client leave the addresses of files alone?", checkFetches),
		judge.Define("client/filters", "Do the requests for further pages of a list have the filters of the first one?", checkFilters),
		judge.Define("client/modes", "Are files in messages of types that the card takes?", checkModes),
		judge.Define("client/scheme-word", "Does what is in Authorization begin with the name of a scheme on the card?", checkSchemeWord),
		judge.Define("client/activator", "Are extensions activated by the name that is due?", checkActivator),
		judge.Define("client/query-names", "Are the parameters in queries named after members of the requests?", checkQueryNames),
		judge.Define("client/query-values", "Do the parameters in queries have the form of values that is due in a text?", checkQueryValues),
		judge.Define("client/nesting", "Do queries have no objects?", checkNesting),
		judge.Define("client/path-and-body", "Do bodies agree with the paths of their calls?", checkPathAndBody),
		judge.Define("client/outside-head", "Is what belongs into a header field nowhere else?", checkOutsideHead),
		judge.Define("client/one-form", "Is each body in one form?", checkOneForm),
		judge.Define("client/webhooks", "Are webhooks registered as is due?", checkWebhooks),
		judge.Define("client/activates", "Does a call activate the extensions that its message names?", checkActivation),
		judge.Define("client/unclaimed", "Does the client ask for nothing that the card does not claim?", checkUnclaimed),
		judge.Define("client/count", "Does the client repeat a call no more often than is due?", checkCount),
		judge.Define("client/pauses", "Does the client pause between calls?", checkPauses),
		judge.Define("client/redirects", "Does a redirected call stay what it is?", checkRedirects),
		judge.Define("client/framing", "Are the client's requests well-formed HTTP?", checkFraming),
		judge.Define("client/shows-error", "Does the client show that it did not succeed?", checkShownErrors),
		judge.Define("client/kept-card", "Does the client keep a card as the responses for it ask for?", checkKeptCard),
		judge.Define("client/extended-card", "Does the client go by the extended card once it has got it?", checkExtendedCard),
		judge.Define("client/pages", "Does the client follow the pages of a list by their tokens?", checkPages),
		judge.Define("client/encoding", "Do values in the addresses of calls arrive unchanged?", checkEncoding),
		judge.Define("client/state-unreported", "Does the client report no state of a task that no answer brought?", checkUnreportedState),
		judge.Define("client/question", "Does the client report the question of a task, and not its end?", checkQuestion),
		judge.Define("client/pieces-once", "Has an artifact that the client put together each of its pieces once?", checkPiecesOnce),
		judge.Define("client/leaves", "Does the client close a stream that its application does not read any more?", checkLeaving),
		judge.Define("client/works", "Does the client succeed in one of several scenarios?", checkWorks),
		judge.Define("client/survives", "Does the client do in a scenario what it does in the plain one?", checkSurvival),
	}
}
