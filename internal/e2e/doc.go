// Package e2e has the tests that make whole runs: against the bundled server, and against
// servers in front of it that change what it answers.
package e2e
