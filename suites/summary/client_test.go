package summary

import (
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Lines that cannot be read, and programs that were started anew, are shown in words: a few, and how many more.
func TestDescribeReportingPrograms(t *testing.T) {
	t.Parallel()
	bad := record.Misread{Line: 7, Text: "{\"saw\":\x1b[31m", Why: "it is not one JSON object; write it by a JSON library"}
	tr := &record.Transcript{}
	for range 3 {
		tr.Plays = append(tr.Plays, record.Play{Scenario: "hello", Client: &record.ClientRun{Misread: []record.Misread{bad, bad}, Renewed: "it ended by itself in the scenario stream"}})
	}
	tr.Plays = append(tr.Plays, record.Play{Scenario: "poll", Client: &record.ClientRun{Renewed: "it hung"}}, record.Play{Scenario: "none"})
	lines, starts := describeMisreadLines(tr), describeRenewedStarts(tr)
	if len(lines) != mostLines+1 || !strings.HasPrefix(lines[0], "line 7 of what the client printed in the scenario 'hello'") || !strings.Contains(lines[0], "write it by a JSON library") || lines[3] != "3 more lines of the client are not read" {
		t.Errorf("got %q", lines)
	}
	if len(starts) != mostLines+1 || !strings.HasSuffix(starts[0], "'hello': it ended by itself in the scenario stream") || starts[3] != "it was started anew for 1 more scenarios" {
		t.Errorf("got %q", starts)
	}
	if strings.Contains(strings.Join(lines, ""), "\x1b") {
		t.Errorf("a control character is shown: %q", lines)
	}
	if quiet := (&record.Transcript{Plays: tr.Plays[4:]}); describeMisreadLines(quiet) != nil || describeRenewedStarts(quiet) != nil {
		t.Error("a silent program is described")
	}
}
