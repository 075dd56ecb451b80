package verdict

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/suites/report"
)

// A place names the position of evidence in terms that hold in every run, as the
// number of an exchange does not: the step of a conversation (quick/send), a
// whole conversation (quick), a JSON pointer (/result/status), or a step and a
// pointer with a space between them. It covers what is at it and below it.

// stepNames names the steps that an exchange served.
func (c *Decider) stepNames(exchange int) []string {
	var out []string
	if exchange == 0 {
		return nil
	}
	for p, s := range c.Recorded.Steps() {
		if s.Exchange != nil && s.Exchange.ID == exchange {
			out = append(out, p.Scenario+"/"+s.Name)
		}
	}
	return out
}

// NameSteps notes in the evidence of results by which step of the conversations
// it came.
func (c *Decider) NameSteps(results []Result) {
	names := map[int]string{}
	name := func(e *report.Evidence) {
		if _, known := names[e.Exchange]; !known {
			names[e.Exchange] = ""
			if s := c.stepNames(e.Exchange); len(s) > 0 {
				names[e.Exchange] = s[0]
			}
		}
		e.Step = names[e.Exchange]
	}
	for i := range results {
		r := &results[i]
		for j := range r.Evidence {
			name(&r.Evidence[j])
		}
		for j := range r.Findings {
			if e := r.Findings[j].Evidence; e != nil {
				name(e)
			}
		}
	}
}

// yamlLine returns a member of a waiver as it is in its file. What Go quotes is a
// text between quotes in YAML too.
func yamlLine(key, text string) string { return fmt.Sprintf("%s: %q", key, text) }
