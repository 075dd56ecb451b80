// Package transport judges what every dialect shares: that a server is found, that it answers
// calls on kept connections, how it uses HTTP, and that it answers all clients alike.
package transport

import "github.com/a2a-conform/a2a-conform/suites/judge"

// Discoverable is the requirement that fails if nothing of an A2A server was found. It is judged
// before any dialect is known, from the transcript alone, by the summary of such a run.
const Discoverable = "A2A-DISC-000"

// Checks lists the checks of the requirements that every dialect shares (schema/common). No
// protocol has a sentence on them, so that what they observe is a finding.
func Checks() []judge.Check {
	return []judge.Check{
		judge.Define("transport/dropped-calls", "Each call on a kept connection is answered, if others that were idle for as long were.", checkDroppedCalls),
		judge.Define("transport/http", "The HTTP of the answers is well-formed, and goes with their bodies.", checkHTTP),
		judge.Define("transport/compared-clients", "The same call is answered alike to the suite and to another client.", checkComparedClients),
	}
}
