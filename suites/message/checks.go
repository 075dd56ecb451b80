// Package message judges messages: their parts, their content and the context they belong to.
package message

import "github.com/a2a-conform/a2a-conform/suites/judge"

// Checks returns the checks of this area, each with its name in the catalogue.
func Checks() []judge.Check {
	return []judge.Check{
		judge.Define("context/same", "a session that is returned is the one the client gave", checkReplyContextEqualsSent),
		judge.Define("context/returned", "the session the client gave is returned", checkAnyContextIDReturned),
		judge.Define("context/kept", "a task keeps its session when a later message does not repeat it", checkContextKept),
		judge.Define("context/apart", "tasks of one session stay separate tasks", checkTasksHaveOwnIDs),
		judge.Define("context/stored", "a task bears the context of the message that made it", checkTaskKeepsSentContext),
		judge.Define("context/continued", "consecutive messages of one context keep it", checkSentContextAdopted),
		judge.Define("context/unmixed", "calls at the same time each get their own id back, and their context or a task of their own", checkParallelCallsNotMixed),
		judge.Define("context/remembers", "what a context was told is used later in it", checkContextRemembers),
		judge.Define("context/in-reply", "the context that a look-up shows is in the reply to the message, too", checkReplyContextMatchesLookUp),
		judge.Define("context/kept-or-refused", "a context that the client made up is kept, or the message is refused", checkContextKeptOrRefused),
		judge.Define("context/private", "what a context was told does not show up in another", checkContextMemoryPrivate),
		judge.Define("context/recalled", "what a session was told stays within it", checkSessionMemoryPrivate),
		judge.Define("context/created", "a message that named no context is answered with one", checkUseOfContextCreation),
		judge.Define("message/accepted", "an unusual but valid call is accepted", checkCallAccepted),
		judge.Define("message/implemented", "the server has the method", checkMethodImplemented),
		judge.Define("message/answered", "a call is answered within the time limit", checkEachCallAnswered),
		judge.Define("message/stays-message", "what is answered by a message is answered by one though the call is not to wait", checkAnsweredByMessageAtOnce),
		judge.Define("message/tolerates", "a call is accepted with an optional member", checkOptionalMemberAccepted),
		judge.Define("message/not-refused", "a call is not refused for what it lacks or holds", checkCallNotRefusedWithCodes),
		judge.Define("message/duplicate", "a message that is sent again leads to the task that it made before, or is refused", checkUseOfDuplicateDetection),
		judge.Define("message/distinct-ids", "messages of the server bear ids of their own", checkMessageIDsDistinct),
		judge.Define("message/unique-ids", "the messages of one task differ in their ids", checkTaskMessageIDsUnique),
		judge.Define("message/places", "the values at places of a type satisfy a rule that no schema states", checkPlacesFollowRule),
		judge.Define("part/structured", "a part of a type has an object or array beside what every part has", checkContentObjectOrArray),
		judge.Define("part/mime-type", "a part of a type has a MIME type at one of several places", checkPartMIMEType),
		judge.Define("message/sound", "a message obeys the rules of messages wherever it stands", checkMessagesValid),
		judge.Define("message/reply-role", "a message that answers a call is the agent's", checkReplyRole),
		judge.Define("message/own-id", "a message that answers a call has an id of its own", checkReplyIDNotClients),
		judge.Define("message/reply-context", "a message that answers a call names its context", checkReplyNamesContext),
		judge.Define("message/context-named", "the agent's messages in a task name a context; in a task that names none it is a finding if they do not", checkMessagesNameContext),
		judge.Define("message/names-holder", "a message inside a task that names a task or context names that one", checkMessagesMatchHolderIDs),
		judge.Define("message/modes", "the typed parts of a reply are of the types that the client accepts", checkReplyTypesAccepted),
	}
}
