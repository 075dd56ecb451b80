package acts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/acts"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// judgedSet is what the tests of a set came to, over all transports.
type judgedSet struct {
	set       *acts.Set
	run       *acts.Run
	recording *harness.Recording
	names     []string // of the documents, as the operator gave them
	code      int      // the exit code
	gate      string   // that of the command
	version   string   // of the program
	replayed  bool
}

// newReport returns what the tests came to as a report of the kind that a run of the catalogue has, so that every writer of
// reports has it: a result for each test, and the verdicts on it by binding.
func (j *judgedSet) newReport() *report.Report {
	facts := j.recording.Transcript.Facts
	r := &report.Report{Tool: report.Tool{Name: "a2a-conform", Version: j.version},
		Target: report.Target{Kind: cmp.Or(facts.Kind, "url"), URL: facts.Target, RPC: facts.RPC, Dialect: dialectName, Documents: j.names, Title: "ACTS"},
		Run: report.Run{StartedAt: j.recording.Transcript.Started, DurationMs: j.recording.Transcript.Duration.Milliseconds(), Exchanges: j.recording.Transcript.Spoken(),
			Selection: view.FullSelection, Gate: "conformant"}}
	if isCorpus(j.names) {
		r.Target.Title = "ACTS, the corpus of " + describePublished()
	}
	if j.replayed {
		r.Target.Kind = report.ReplayedTarget
	}
	if facts.Role == record.ClientRole {
		r.Target.Role, r.Target.Command, r.Run.Starts = facts.Role, facts.Command, len(j.recording.Transcript.Plays)
	} else {
		name, _ := acts.DescribeCard(j.recording.Transcript)
		r.Target.Agent = j.recording.Clean(name)
	}
	transports := j.run.Transports()
	for _, transport := range transports {
		r.Target.Bindings = append(r.Target.Bindings, acts.BindingNames[transport])
	}
	for _, s := range j.set.Suites {
		for _, t := range s.Tests {
			r.Results = append(r.Results, j.newResult(s, t, transports))
		}
	}
	r.Summary = report.Summarize(r.Results)
	must, all := r.Summary[string(schema.Must)].Fail, 0
	for _, of := range r.Summary {
		all += of.Fail
	}
	switch j.code {
	case 0:
		r.Verdict = report.Conformant
	case 1:
		r.Verdict = report.Nonconformant
		if must == 0 {
			r.Reason = fmt.Sprintf("%s failed, and --gate %s permits none.", safetext.CountWithNoun(all, "test"), j.gate)
		}
	default:
		r.Verdict = report.Partial
	}
	return r
}

// newResult returns what a test came to: the gravest of the results over the transports, and each of them.
func (j *judgedSet) newResult(s acts.Suite, t *acts.Test, transports []string) report.Result {
	out := report.Result{ID: t.ID, Level: schema.Level(strings.ToUpper(t.Level)), Area: s.ID, Section: t.SpecRef, Statement: t.Name, Verdict: report.NotApplicable}
	line, worst := t.Line, -1
	for _, transport := range transports {
		result := j.run.Result(transport, t, notPlayed)
		verdict, reason := verdictOf(result)
		reason = j.recording.Clean(reason)
		if why := result.Excuse(); why != "" {
			reason += ". A2A does not demand it: " + why
		}
		if len(transports) > 1 {
			out.Subjects = append(out.Subjects, report.SubjectResult{Binding: acts.BindingNames[transport], Verdict: verdict, Reason: reason})
		}
		rank := slices.Index(gravity, verdict)
		if result.Failure != nil && result.Result == acts.Failed {
			if step := j.run.FindStep(j.recording.Transcript, transport, result); step != nil {
				out.Evidence = append(out.Evidence, report.Evidence{Exchange: step.Exchange.ID, Step: t.ID + "/" + step.Name})
			}
		}
		if rank <= worst {
			continue
		}
		worst, out.Verdict, out.Reason = rank, verdict, reason
		if result.Failure != nil {
			line = cmp.Or(result.Failure.Line, line)
		}
	}
	if !isCorpus(j.names) {
		out.Source = &report.Source{File: t.File, Line: line}
	}
	return out
}

// gravity is the order in which a verdict over one transport outdoes those over others.
var gravity = []report.Verdict{report.NotApplicable, report.Pass, report.Inconclusive, report.Fail}

// verdictOf returns the verdict that a result of ACTS is, and why.
func verdictOf(r *acts.TestResult) (report.Verdict, string) {
	switch r.Result {
	case acts.Passed:
		return report.Pass, ""
	case acts.Failed:
		return report.Fail, r.Describe()
	case acts.Skipped:
		return report.NotApplicable, r.SkipReason
	}
	return report.Inconclusive, r.Describe()
}
