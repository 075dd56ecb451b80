package certificate

import (
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// most is how many requirements a sentence names.
const most = 5

// differences are what two judgements of one transcript differ in.
type differences struct {
	all []string
	// counts is set if a verdict rests on one of them: the one on the run, or one on a MUST or
	// SHOULD. What a MAY is judged as changes nothing.
	counts bool
	more   int // requirements that are not named
}

func (d differences) String() string {
	all := d.all
	if d.more > 0 {
		all = append(all[:len(all):len(all)], fmt.Sprintf("and %d more", d.more))
	}
	return strings.Join(all, "; ")
}

// addDifference notes a difference in a requirement.
func (d *differences) addDifference(counts bool, format string, args ...any) {
	d.counts = d.counts || counts
	if len(d.all) >= most {
		d.more++
		return
	}
	d.all = append(d.all, fmt.Sprintf(format, args...))
}

// compareVerdicts lists the requirements that two judgements of one transcript differ in, and the
// verdict on the run.
func compareVerdicts(was, now *report.Report) (d differences) {
	at := map[string]report.Result{}
	for _, r := range now.Results {
		at[r.ID] = r
	}
	for _, r := range was.Results {
		v, is := at[r.ID]
		switch binds := r.Level != schema.May || is && v.Level != schema.May; {
		case !is:
			d.addDifference(binds, "%s was %s, and is no longer judged", r.ID, r.Verdict)
		case v.Verdict != r.Verdict:
			d.addDifference(binds, "%s was %s, and is %s", r.ID, r.Verdict, v.Verdict)
		}
		delete(at, r.ID)
	}
	for _, r := range now.Results {
		if _, is := at[r.ID]; is { // it was signed without this requirement
			d.addDifference(r.Verdict == report.Fail, "%s was not judged, and is %s", r.ID, r.Verdict)
		}
	}
	if was.Verdict != now.Verdict {
		d.counts, d.all = true, append([]string{fmt.Sprintf("the verdict was %s, and is %s", was.Verdict, now.Verdict)}, d.all...)
	}
	return d
}
