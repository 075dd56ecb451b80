package script

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
)

// scriptVariable is named at the head of each script that this program writes.
const scriptVariable = "A2A_REPRODUCE_DIR"

// writeScriptPreamble writes what every script begins with: what it shows, and how it is used.
func (s *scripter) writeScriptPreamble(b *bytes.Buffer, about ...string) {
	subject, gone := "server", "the server cannot be reached"
	environment := []string{"A2A_TARGET is the URL of the server to call (default: the one that was judged);",
		"A2A_REPRODUCE_DIR is the folder for the recorded bytes (default: the folder of this script);",
		"A2A_CONFORM is the program a2a-conform, if it is not in PATH."}
	switch {
	case s.ofClient:
		subject, gone, environment = "client", "the client cannot be started", environment[1:]
	case s.ofGateway:
		subject, gone, environment = "gateway", "the gateway or the server cannot be reached", environment[1:]
	}
	environment[0] = "Environment: " + environment[0]
	b.WriteString("#!/bin/sh\n")
	for _, text := range slices.Concat([]string{
		fmt.Sprintf("%s %s %s: %s", s.res.ID, s.res.Level, view.CiteSection(s.res.Section), s.res.Statement),
		"", "The " + subject + " broke it:", s.res.Reason, "",
	}, about, environment, []string{
		"Exit codes: 1 the fault is still there; 0 it is gone; 2 " + gone + ", or the result is undecided; 3 a2a-conform was not found.",
	}) {
		fmt.Fprintf(b, "# %s\n", safetext.Line(text, safetext.MaxReason))
	}
	b.WriteString("set -u\numask 077\n")
	for _, v := range s.variables {
		if slices.ContainsFunc(s.facts.Secrets, func(name string) bool { return safetext.Variable(name) == v }) {
			fmt.Fprintf(b, "if [ -z \"${%s:-}\" ]; then\n  echo '%s is a credential: set it in the environment' >&2\n  exit 2\nfi\n", v, v)
		} else if v == safetext.Variable("authorization") { // of a call with a credential that was not configured
			fmt.Fprintf(b, ": \"${%s:=x}\"\n", v)
		} else { // the run made it up, and another will do
			fmt.Fprintf(b, ": \"${%s:=made-up-for-this-repetition}\"\n", v)
		}
	}
	fmt.Fprintf(b, "conform=${A2A_CONFORM:-a2a-conform}\n")
	fmt.Fprintf(b, "dir=${A2A_REPRODUCE_DIR:-$(dirname -- \"$0\")/%s.d}\n", s.res.ID)
	b.WriteString("case $dir in /*) ;; *) dir=./$dir ;; esac\nmkdir -p \"$dir\" || exit 2\n")
}

// writeJudgeCommand writes the end of a script: the verdict on what lies in a folder.
func (s *scripter) writeJudgeCommand(b *bytes.Buffer, folder string) {
	fmt.Fprintf(b, "\"$conform\" judge %s %s\ncase $? in\n  0) exit 0 ;;\n  1) exit 1 ;;\n  *) exit 2 ;;\nesac\n", s.res.ID, folder)
}

// writeMissingProgramExit writes the message of a script that finds no a2a-conform.
func (s *scripter) writeMissingProgramExit(b *bytes.Buffer, first string, then ...string) {
	b.WriteString("if ! command -v \"$conform\" >/dev/null 2>&1; then\n")
	for _, text := range append([]string{first}, then...) {
		fmt.Fprintf(b, "  printf '%%s\\n' %s\n", quoteLiteral(safetext.Line(text, safetext.MaxReason)))
	}
	b.WriteString("  exit 3\nfi\n")
}

// endOfFile ends a text that a script writes to a file. No line of JSON is like it.
const endOfFile = "END_OF_FILE"
