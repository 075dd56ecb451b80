// Package directory judges a directory of agents: its entries, lists and tasks.
package directory

import "github.com/a2a-conform/a2a-conform/suites/judge"

// Checks returns the checks of this area.
func Checks() []judge.Check {
	return []judge.Check{
		judge.Define("result/says", "a result has one of the words at a place", checkResultWord),
		judge.Define("result/repeats", "a result repeats what the call said", checkResultRepeats),
		judge.Define("directory/finds", "an agent that registered is among those that are shown", checkAgentsFound),
		judge.Define("directory/leaves-out", "an agent that does not match is not among those that are shown", checkAgentsLeftOut),
		judge.Define("directory/once", "an agent is shown once", checkShownOnce),
		judge.Define("directory/keeps", "a member of an agent is shown as it was registered", checkMemberKept),
		judge.Define("directory/dated", "an agent is dated with its registration", checkDated),
		judge.Define("directory/finds-none", "a search for what nobody has finds nobody", checkFindsNone),
		judge.Define("directory/renewed", "a second registration that is confirmed takes effect", checkRenewed),
		judge.Define("directory/forgets", "what a second registration gives up no longer matches", checkForgotten),
		judge.Define("directory/not-executed", "a registration that came by another HTTP method is not executed", checkNotRegistered),

		judge.Define("directory/lists", "the list of agents is served as JSON", checkAgentList),
		judge.Define("directory/whole", "the entries of the list have the members that are found elsewhere", checkWholeEntries),
		judge.Define("directory/entries", "every entry that is shown, whoever registered it, says what agents say of themselves in the same form", checkEveryEntry),
		judge.Define("directory/shows", "one agent is shown by its id", checkAgentShown),
		judge.Define("directory/unknown", "an id that nobody has is not found", checkUnknownEntry),
		judge.Define("directory/media-type", "documents have the media type application/json", checkDocumentType),

		judge.Define("task/place", "calls are taken at one of the places", checkTakenSomewhere),
		judge.Define("task/output", "a task that succeeded has an output", checkTaskOutput),
		judge.Define("task/fails", "a task that cannot succeed is reported in one of the forms there are", checkTaskFails),
		judge.Define("task/reason", "the reason in the data of an error is a string", checkReasonString),
		judge.Define("errors/not-for-callers", "a malformed call is not answered by errors that are about something else", checkNotForCallers),
	}
}
