// Package extension judges extensions: which are active, what taking one means, and what a hint may do.
package extension

import "github.com/a2a-conform/a2a-conform/suites/judge"

// Checks returns the checks of this area.
func Checks() []judge.Check {
	return []judge.Check{
		judge.Define("extension/lists-active", "a response names the extensions that are active", checkSomeRequestedExtensionActivated),
		judge.Define("extension/only-asked-for", "no response names an extension that was not asked for", checkOnlyRequestedActivated),
		judge.Define("extension/other-version", "another version of an extension is not activated in its place", checkOtherVersionNotActivated),
		judge.Define("extension/among-others", "an extension is activated among others that are not known", checkAllRequestedActivated),

		judge.Define("extension/hint", "a hint about the wished output does not make a call fail", checkOutputHintHarmless),
		judge.Define("extension/header-value", "a header that is sent has the one value it may have", checkPresentResponseHeaderValue),
		judge.Define("extension/no-obstacle", "whether a call activates an extension is no reason to refuse it", checkExtensionNoObstacle),
		judge.Define("extension/trace", "an error bears no trace id of another call", checkErrorTraceIDNotForeign),

		// Messages and artifacts may name the extensions that they were made with.
		judge.Define("extension/off", "what answers a message that asks for no extension is not marked with one of the card", checkNoUnrequestedMarks),
		judge.Define("extension/declared", "what is marked with an extension is marked with one of the card or of the client", checkMarksDeclaredOrRequested),
	}
}
