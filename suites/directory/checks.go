// Package directory judges a directory of agents: its entries, lists and tasks.
package directory

import "github.com/a2a-conform/a2a-conform/suites/judge"

// Checks returns the checks of this area.
func Checks() []judge.Check {
	return []judge.Check{
		judge.Define("result/says", "a result has one of the words at a place", checkResultValueInList),
		judge.Define("result/repeats", "a result repeats what the call said", checkResultRepeatsParam),
		judge.Define("directory/finds", "an agent that registered is among those that are shown", checkRegisteredAgentsListed),
		judge.Define("directory/leaves-out", "an agent that does not match is not among those that are shown", checkNonMatchingAgentsOmitted),
		judge.Define("directory/once", "an agent is shown once", checkAgentShownAtMostOnce),
		judge.Define("directory/keeps", "a member of an agent is shown as it was registered", checkEntryMemberAsRegistered),
		judge.Define("directory/dated", "an agent is dated with its registration", checkMemberIsRegistrationTime),
		judge.Define("directory/finds-none", "a search for what nobody has finds nobody", checkSearchFindsNoAgents),
		judge.Define("directory/renewed", "a second registration that is confirmed takes effect", checkReregistrationTakesEffect),
		judge.Define("directory/forgets", "what a second registration gives up no longer matches", checkOldCapabilityForgotten),
		judge.Define("directory/not-executed", "a registration that came by another HTTP method is not executed", checkNonPostRegistersNothing),

		judge.Define("directory/lists", "the list of agents is served as JSON", checkAgentListForm),
		judge.Define("directory/whole", "the entries of the list have the members that are found elsewhere", checkEntryMembersPresent),
		judge.Define("directory/entries", "every entry that is shown, whoever registered it, says what agents say of themselves in the same form", noteWrongEntryMemberTypes),
		judge.Define("directory/shows", "one agent is shown by its id", checkAgentDocumentServed),
		judge.Define("directory/unknown", "an id that nobody has is not found", checkUnknownAgentRefused),
		judge.Define("directory/media-type", "documents have the media type application/json", checkDocumentsLabelledJSON),

		judge.Define("task/place", "calls are taken at one of the places", checkLastCallAnswered),
		judge.Define("task/output", "a task that succeeded has an output", checkDoneTasksHaveOutput),
		judge.Define("task/fails", "a task that cannot succeed is reported in one of the forms there are", checkTaskFailsOrRefused),
		judge.Define("task/reason", "the reason in the data of an error is a string", checkErrorReasonIsString),
		judge.Define("errors/not-for-callers", "a malformed call is not answered by errors that are about something else", checkMalformedCallNotAnsweredSo),
	}
}
