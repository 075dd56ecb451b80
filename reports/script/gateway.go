package script

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// buildGatewayScript returns the script that shows again in what a gateway differs from the server: the same request with curl
// directly and through the gateway, if that is all that it takes, and then all conversations with a2a-conform, which judges them. It
// is nil if there is no failure.
func buildGatewayScript(r *report.Report, res *report.Result, t *record.Transcript) []byte {
	if res.Verdict != report.Fail && res.Verdict != report.Waived || !scriptID.MatchString(res.ID) {
		return nil
	}
	play, last := findFailedStep(res, t)
	if play == nil {
		return nil
	}
	s := &scripter{res: res, facts: &t.Facts, ofGateway: true}
	about := "This script sends the request directly and through the gateway, shows both answers, and then has a2a-conform hold all conversations again."
	if why := s.writeBothWays(play, last); why != "" {
		s.body.Reset()
		s.variables = nil
		about = "Two calls with curl do not show it: " + why + ". So this script has a2a-conform hold all conversations again."
	}
	target := r.Target
	target.Kind = t.Facts.Kind // that of the run, if this is its replay
	command := view.CheckCommand(target, "")
	_, secrets := view.FormatGatewayFlags(target)
	for _, name := range secrets {
		s.registerCredentialVariable(name)
	}
	var b bytes.Buffer
	s.writeScriptPreamble(&b, about, "It passes its arguments on to that.")
	if s.body.Len() > 0 {
		b.WriteString("command -v curl >/dev/null 2>&1 || { echo 'curl was not found, and this script needs it' >&2; exit 2; }\n")
		s.writeBody(&b)
	}
	s.writeMissingProgramExit(&b, "a2a-conform was not found (set A2A_CONFORM to the program). Reproduce it with:", command)
	fmt.Fprintf(&b, "rm -f \"$dir/report/%s\"\n", files.TranscriptFile)
	fmt.Fprintf(&b, "\"$conform\"%s --gate no-failures --quiet --out \"$dir/report\" \"$@\"\n", strings.TrimPrefix(command, "a2a-conform"))
	fmt.Fprintf(&b, "[ -f \"$dir/report/%s\" ] || exit 2\n", files.TranscriptFile)
	s.writeJudgeCommand(&b, `"$dir/report"`)
	return b.Bytes()
}

// writeBothWays writes the calls of a step on both ways. It returns why that shows nothing; "" if it does.
func (s *scripter) writeBothWays(play *record.Play, last int) string {
	if s.facts.Upstream {
		return "what reaches the server is seen by a2a-conform behind the gateway alone"
	}
	name, _, _ := strings.Cut(play.Steps[last].Name, "-"+string(play.Steps[last].Side))
	number := 0
	for _, way := range []struct {
		side record.Side
		text string
	}{{record.DirectSide, "directly"}, {record.ThroughSide, "through the gateway"}} {
		before := 0 // steps of that side
		for _, step := range play.Steps {
			x := step.Exchange
			switch {
			case step.Side != way.side || x == nil:
				continue
			case step.Name != name+"-"+string(way.side):
				before++
				continue
			case before > 0 && step.Op == "get": // of a task that the agent made
				return "the request depends on the answer to the one before it"
			case x.HTTP2 != nil:
				return "it is one of gRPC"
			}
			number++
			command, note := s.curlCommand(x, number)
			if note != "" {
				return strings.TrimSuffix(strings.TrimPrefix(note, "No command repeats this request: "), ".")
			}
			fmt.Fprintf(&s.body, "\nprintf '\\n%%s\\n' %s\n%s > \"$dir/%d.answer\" 2> \"$dir/%d.end\"\nshow \"$dir/%d.answer\"\n", quoteLiteral("== "+way.text), command, number, number, number)
		}
	}
	if number != 2 {
		return "the request was not sent on both ways"
	}
	return ""
}
