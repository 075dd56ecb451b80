package prove

import (
	"compress/gzip"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/summary"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// notOrdinary are the scenarios about load and sizes, about other clients, and about connections as such.
var notOrdinary = []string{"counted", "crowd", "flood", "heavy", "heavy-message", "large", "long", "nested", "room", "sizes", "together", "disguise", "tls", "plain-http"}

// cutToOrdinary returns a run without what the ordinary client of somebody else does not do: malformed and unusual calls and
// what follows from them, foreign credentials, load, sizes, and the deliveries to webhooks.
func cutToOrdinary(d *schema.Dialect, t *record.Transcript) *record.Transcript {
	out := *t
	out.Plays, out.Exchanges = nil, nil
	for _, p := range t.Plays {
		if slices.Contains(notOrdinary, p.Scenario) {
			continue
		}
		odd := map[string]bool{} // tasks that an unusual call may have changed
		p.Steps = slices.DeleteFunc(slices.Clone(p.Steps), func(s record.Step) bool {
			unusual := s.Role == record.Probe || s.Invalid || s.Contradicts
			if unusual && s.Task != "" && d.Has(s.Op) && !d.Operation(s.Op).Reads {
				odd[s.Task] = true
			}
			return unusual || s.Exchange == nil || s.Exchange.Dir != record.Out || s.As != "" || odd[s.Task] && s.Of == ""
		})
		for _, s := range p.Steps {
			if s.Of == "" {
				out.Exchanges = append(out.Exchanges, s.Exchange)
			}
		}
		if len(p.Steps) > 0 {
			out.Plays = append(out.Plays, p)
		}
	}
	return &out
}

// dropNames returns a transcript in which no play but that of the card has its name, and no step has one, or a role.
func dropNames(t *record.Transcript) *record.Transcript {
	out := *t
	out.Plays = slices.Clone(t.Plays)
	had := map[*record.Exchange]bool{}
	for i := range out.Plays {
		p := &out.Plays[i]
		steps := p.Steps
		if p.Steps = nil; p.Scenario != "card" {
			p.Scenario = fmt.Sprint("conversation ", i)
		}
		for k, s := range steps {
			if had[s.Exchange] {
				continue
			}
			had[s.Exchange] = true
			bare := record.Step{Name: fmt.Sprint("call-", k), Op: s.Op, Role: record.Main, Binding: s.Binding, Agent: s.Agent, Exchange: s.Exchange}
			if p.Scenario == "card" {
				bare.Name = s.Name
			}
			p.Steps = append(p.Steps, bare)
		}
	}
	return &out
}

// judgeWhole returns the results of all requirements on a transcript as it is.
func judgeWhole(d *schema.Dialect, t *record.Transcript) map[string]verdict.Result {
	ids := make([]string, len(d.Requirements))
	for i := range ids {
		ids[i] = d.Requirements[i].ID
	}
	out := map[string]verdict.Result{}
	for _, r := range verdict.NewDecider(d, t, suites.Checks(), nil).Judge(ids) {
		out[r.ID] = r
	}
	return out
}

// judgeAsTraffic returns the results of what the recogniser makes of the exchanges of a transcript. The exchanges are
// numbered anew.
func judgeAsTraffic(t *testing.T, d *schema.Dialect, from *record.Transcript) []report.Result {
	t.Helper()
	r := traffic.Recording{Source: "test", Dialects: []*schema.Dialect{d}, Started: from.Started, Target: from.Facts.Target}
	for _, x := range from.Exchanges {
		if !slices.ContainsFunc(r.Passed, func(p traffic.Passed) bool { return p.Out == x }) {
			r.Passed = append(r.Passed, traffic.Passed{Out: x})
		}
	}
	h, err := traffic.Recognise(r)
	if err != nil {
		t.Fatal(err)
	}
	j, err := summary.Judge(d, h.Server, suites.Checks(), summary.CallDirectly)
	if err != nil {
		t.Fatal(err)
	}
	if v := j.Report.Verdict; v != report.Partial && v != report.Nonconformant {
		t.Errorf("the verdict on traffic is %s", v)
	}
	return j.Report.Results
}

// recordFullRun talks to the complete bundled server of a dialect.
func recordFullRun(t *testing.T, d *schema.Dialect) *record.Transcript {
	t.Helper()
	rec := &Recording{Variant: "full"}
	if err := rec.recordTranscript(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	return rec.Transcript
}

// What ordinary traffic decides of what a full run does: a third without names, and 60 of 100 with the recogniser, each with
// the verdict of the run. Each call has the role in traffic that its step has in the run.
func TestTrafficOfFullRuns(t *testing.T) {
	testamount.SkipInShort(t)
	rows := []string{"| dialect | requirements | the run decides | without the recogniser | with it |\n|---|---|---|---|---|"}
	var all, bare, recognised, steps, others int
	for _, name := range schema.Names() {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		run := recordFullRun(t, d)
		cut := cutToOrdinary(d, run)
		full, nameless := judgeWhole(d, run), judgeWhole(d, dropNames(cut))
		roles := traffic.RecogniseRoles(d, cut.Exchanges)
		for p, s := range cut.Steps() {
			want := traffic.ListRoles(p.Scenario, s.Name)
			if len(want) == 0 || s.Of != "" {
				continue
			}
			if steps++; !slices.Contains(want, roles[s.Exchange]) {
				others++
				t.Logf("%s: %s/%s has the role %s, want %v", name, p.Scenario, s.Name, roles[s.Exchange], want)
			}
		}
		here := map[string]int{}
		for id, r := range full {
			if r.Verdict.IsDecided() {
				here["run"]++
				if nameless[id].Verdict == r.Verdict {
					here["bare"]++
				}
			}
		}
		if testamount.All() {
			for _, r := range judgeAsTraffic(t, d, run) {
				if was := full[r.ID].Verdict; r.Verdict == report.Fail && was != report.Fail {
					t.Errorf("%s: %s is %s in a run and fails in traffic with malformed calls: %s", name, r.ID, was, r.Reason)
				}
			}
		}
		for _, r := range judgeAsTraffic(t, d, cut) {
			if !r.Verdict.IsDecided() || d.Requirement(r.ID) == nil {
				if r.Verdict == report.SuiteError {
					t.Errorf("%s: %s: %s", name, r.ID, r.Reason)
				}
				continue
			}
			if was := full[r.ID].Verdict; was != r.Verdict {
				t.Errorf("%s: %s is %s in a run and %s in traffic: %s", name, r.ID, was, r.Verdict, r.Reason)
			} else {
				here["traffic"]++
			}
		}
		if least := leastShare(name); here["traffic"]*100 < least*here["run"] {
			t.Errorf("%s: of %d decided requirements traffic decides %d, want %d %%", name, here["run"], here["traffic"], least)
		}
		rows = append(rows, fmt.Sprintf("| %s | %d | %d | %d (%d %%) | %d (%d %%) |", name, len(d.Requirements), here["run"],
			here["bare"], here["bare"]*100/here["run"], here["traffic"], here["traffic"]*100/here["run"]))
		all, bare, recognised = all+here["run"], bare+here["bare"], recognised+here["traffic"]
	}
	rows = append(rows, fmt.Sprintf("| sum | | %d | %d (%d %%) | %d (%d %%) |", all, bare, bare*100/all, recognised, recognised*100/all))
	if bare*100 < 32*all || recognised*100 < 60*all {
		t.Errorf("of %d decided requirements traffic decides %d without names and %d with the recogniser, want 32 and 60 %%", all, bare, recognised)
	}
	if others*100 > steps {
		t.Errorf("%d of %d steps have another role, want 1 %% at most", others, steps)
	}
	t.Logf("%d of %d steps have the role of their step", steps-others, steps)
	updateTable(t, "runs", rows)
}

// leastShare returns how much of what a run decides its ordinary calls decide, in percent. In a directory half of it is about
// malformed calls and second registrations. From run to run, one or two requirements are decided or not.
func leastShare(dialect string) int {
	if dialect == "directory-0.1" {
		return 45
	}
	return 59
}

// drawTrafficMutants draws mutants of all dialects that have some: 200, or one in ten of them.
func drawTrafficMutants(t *testing.T) map[string][]*Recording {
	t.Helper()
	share := map[string]int{"a2a-0.1": 40, "a2a-0.3": 45, "a2a-1.0": 55, "jaf-0.3": 30, "a2x-0.3": 20, "directory-0.1": 10}
	out := map[string][]*Recording{}
	for name, n := range share {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		live, err := planMutantRecordings(d)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(live, func(a, b *Recording) int { return lot(trafficSeed, a.Mutant).compare(lot(trafficSeed, b.Mutant)) })
		if testamount.Few() {
			live = slices.DeleteFunc(live, func(r *Recording) bool { return r.waits })
			n /= 10
		}
		out[name] = live[:min(n, len(live))]
	}
	return out
}

const trafficSeed = 46

// On servers with a defect, traffic shows no failure that the run does not show, and most of those whose calls it has.
func TestTrafficOfMutants(t *testing.T) {
	testamount.SkipInShort(t)
	var mutants, found, missed, absent int
	var misses []string
	for name, all := range drawTrafficMutants(t) {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		talks := newTalks(t.Context(), d)
		talks.startRecordings(all)
		if err := talks.awaitAllJoiningErrors(); err != nil {
			t.Fatal(err)
		}
		for _, rec := range all {
			mutants++
			full, cut := judgeWhole(d, rec.Transcript), cutToOrdinary(d, rec.Transcript)
			shown := map[string]bool{} // failures whose calls are all in the traffic
			for id, r := range judgeWhole(d, cut) {
				if rec.isCovered(id) && full[id].Verdict == report.Fail {
					if shown[id] = r.Verdict == report.Fail && areCallsKept(rec.Transcript, cut, full[id].Evidence); !shown[id] {
						absent++
					}
				}
			}
			for _, r := range judgeAsTraffic(t, d, cut) {
				switch fails := r.Verdict == report.Fail; {
				case !rec.isCovered(r.ID):
				case fails && full[r.ID].Verdict != report.Fail:
					t.Errorf("%s, %s: %s fails in traffic, and is %s in the run: %s", name, rec.Mutant, r.ID, full[r.ID].Verdict, r.Reason)
				case shown[r.ID] && fails:
					found++
				case shown[r.ID]:
					if r.Verdict == report.Pass {
						t.Errorf("%s, %s: %s passes in traffic, and fails in the run by calls that are in the traffic", name, rec.Mutant, r.ID)
					}
					missed++
					misses = append(misses, fmt.Sprintf("| %s | %s | %s | %s |", name, rec.Mutant, r.ID, d.Requirement(r.ID).Check))
				}
			}
		}
	}
	slices.Sort(misses)
	t.Logf("%d mutants: of %d failures whose calls are in the traffic %d show, and %d are about other calls", mutants, found+missed, found, absent)
	t.Logf("those that do not:\n%s", strings.Join(misses, "\n"))
	if found*100 < 90*(found+missed) {
		t.Errorf("%d of %d failures show, want 90 %%", found, found+missed)
	}
	if testamount.All() {
		rows := []string{fmt.Sprintf("| mutants | failures whose calls are in the traffic | that show | failures about other calls | failures that the run lacks |\n|---|---|---|---|---|\n| %d | %d | %d (%d %%) | %d | 0 |\n\nThose that do not show:\n\n| dialect | mutant | requirement | check |\n|---|---|---|---|",
			mutants, found+missed, found, found*100/(found+missed), absent)}
		updateTable(t, "mutants", append(rows, misses...))
	}
}

// areCallsKept reports whether the calls that a failure rests on are in a cut transcript, with all calls that came before
// them in their plays: what those did may be part of the failure.
func areCallsKept(run, cut *record.Transcript, evidence []report.Evidence) bool {
	for _, e := range evidence {
		for _, p := range run.Plays {
			at := slices.IndexFunc(p.Steps, func(s record.Step) bool { return s.Exchange != nil && s.Exchange.ID == e.Exchange && s.Of == "" })
			for _, s := range p.Steps[:at+1] {
				if s.Exchange != nil && s.Exchange.Dir == record.Out && !slices.Contains(cut.Exchanges, s.Exchange) {
					return false
				}
			}
		}
	}
	return len(evidence) > 0
}

// trafficPage is the document that has what these tests measure.
const trafficPage = "../../../../docs/traffic.md"

// updateTable writes the rows of a table between its marks in the document, if golden files are updated.
func updateTable(t *testing.T, name string, rows []string) {
	t.Helper()
	if flag.Lookup("update").Value.String() != "true" {
		return
	}
	text, err := os.ReadFile(trafficPage)
	if err != nil {
		t.Fatal(err)
	}
	const end = "<!-- end -->"
	begin := "<!-- measured: " + name + " -->\n"
	before, rest, begun := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !begun || !ended {
		t.Fatalf("%s has no place for the table %s", trafficPage, name)
	}
	text = []byte(before + begin + strings.Join(rows, "\n") + "\n" + end + after)
	if err := os.WriteFile(trafficPage, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// On transcripts of real servers nothing that passes in a run fails in traffic: neither in ordinary calls alone, nor if the
// malformed ones are among them.
func TestTrafficOfRealServers(t *testing.T) {
	testamount.SkipInShort(t)
	for _, name := range []string{"go-sdk", "js-sdk-0.2", "own-json-front", "validates-nothing"} {
		run := readTranscript(t, "../../../../testdata/transcripts/"+name+".har.gz")
		d, err := schema.Load(run.Facts.Dialect)
		if err != nil {
			t.Fatal(err)
		}
		full := judgeWhole(d, run)
		for kind, from := range map[string]*record.Transcript{"ordinary": cutToOrdinary(d, run), "all": run} {
			same, decided := 0, 0
			for _, r := range judgeAsTraffic(t, d, from) {
				was, ours := full[r.ID]
				if !r.Verdict.IsDecided() || !ours {
					continue
				}
				if decided++; r.Verdict == was.Verdict {
					same++
				}
				if r.Verdict == report.Fail && was.Verdict != report.Fail {
					t.Errorf("%s, %s calls: %s is %s in the run and fails in traffic: %s", name, kind, r.ID, was.Verdict, r.Reason)
				}
			}
			t.Logf("%s, %s calls: %d decided, %d as in the run", name, kind, decided, same)
			if decided < 60 {
				t.Errorf("%s, %s calls: only %d requirements are decided", name, kind, decided)
			}
		}
	}
}

// readTranscript reads a compressed transcript of the repository.
func readTranscript(t *testing.T, file string) *record.Transcript {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	out, err := record.ReadHAR(in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
