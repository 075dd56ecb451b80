// Package interfaces judges what several interfaces of one agent have in common: the same
// can be asked at each, and they answer it alike.
package interfaces

import "github.com/a2a-conform/a2a-conform/suites/judge"

// Checks returns the checks of this area.
func Checks() []judge.Check {
	return []judge.Check{
		judge.Define("interfaces/answer", "each interface on the card that can be called answers in its binding", checkEachInterfaceAnswers),
		judge.Define("interfaces/offered", "what can be asked at one interface can be asked at the others", checkSameOperationsOffered),
		judge.Define("interfaces/seen", "a task that was made at one interface is shown at another", checkTaskSeenAtOtherInterface),
		judge.Define("interfaces/same-task", "two interfaces show the same of a task that has ended", checkSameTask),
		judge.Define("interfaces/same-error", "a mistake is the same error at each interface", checkSameError),
		judge.Define("interfaces/let-in", "credentials that one interface takes are taken at the others", checkSameCredentialsAccepted).SeeingRefused(),
		judge.Define("interfaces/configurations", "a webhook that was given at one interface is listed at the others", checkWebhooksListedAcross),
	}
}
