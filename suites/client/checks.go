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
		judge.Define("client/text", "Is the body of each request one JSON text in UTF-8?", checkText),
		judge.Define("client/unique", "Do different requests have different ids?", checkUnique),
		judge.Define("client/survives", "Does the client do in a scenario what it does in the plain one?", checkSurvival),
	}
}
