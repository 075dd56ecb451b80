package script

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// buildClientScript returns the script that starts a client again in the scenario in which a failure
// shows. It is nil if there is no failure, or if the client was used by hand.
func buildClientScript(r *report.Report, res *report.Result, t *record.Transcript) []byte {
	if res.Verdict != report.Fail && res.Verdict != report.Waived || !scriptID.MatchString(res.ID) || len(t.Facts.Command) == 0 {
		return nil
	}
	play, _ := findFailedStep(res, t)
	if play == nil || play.Client == nil {
		return nil
	}
	s := &scripter{res: res, facts: &t.Facts, ofClient: true}
	flags := fmt.Sprintf("client --dialect %s --scenario %s --run %s --text %s", quoteLiteral(t.Facts.Dialect), quoteLiteral(play.Scenario), res.ID, quoteLiteral(play.Client.Text))
	if play.Client.Second != "" {
		flags += " --second " + quoteLiteral(play.Client.Second)
	}
	if len(t.Facts.With) > 0 {
		flags += " --with " + quoteLiteral(strings.Join(t.Facts.With, ","))
	}
	if len(t.Facts.Operator) > 0 {
		flags += " --declare " + quoteLiteral(strings.Join(t.Facts.Operator, ","))
	}
	if t.Facts.Webhook != "" {
		flags += " --hook " + quoteLiteral(t.Facts.Webhook)
	}
	var b bytes.Buffer
	s.writeScriptPreamble(&b, "This script starts the client again in the scenario "+play.Scenario+", and in those that it is compared with. Run it in the folder in which a2a-conform was run.")
	s.writeMissingProgramExit(&b, "a2a-conform was not found (set A2A_CONFORM to the program)")
	fmt.Fprintf(&b, "rm -f \"$dir/report/%s\"\n", files.TranscriptFile)
	fmt.Fprintf(&b, "\"$conform\" %s --quiet --out \"$dir/report\" \"$@\"", flags)
	if r.Target.Kind == report.BundledTarget {
		b.WriteString(" --self\n")
	} else {
		b.WriteString(" --")
		for _, word := range t.Facts.Command {
			b.WriteString(" " + quoteLiteral(word))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "[ -f \"$dir/report/%s\" ] || exit 2\n", files.TranscriptFile)
	s.writeJudgeCommand(&b, `"$dir/report"`)
	return b.Bytes()
}
