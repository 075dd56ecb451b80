package prove

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

func devMutants(t *testing.T, name string, n int) []*Recording {
	d, _ := schema.Load(name)
	live, err := planMutantRecordings(d)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(live, func(a, b *Recording) int { return lot(46, a.Mutant).compare(lot(46, b.Mutant)) })
	return live[:min(n, len(live))]
}

var devAll = []string{"a2a-0.1", "a2a-0.3", "a2a-1.0", "jaf-0.3", "a2x-0.3", "directory-0.1"}
var devN = map[string]int{"a2a-0.1": 40, "a2a-0.3": 45, "a2a-1.0": 55, "jaf-0.3": 30, "a2x-0.3": 20, "directory-0.1": 10}

func init() {
	if os.Getenv("ALLM") != "" {
		for k := range devN {
			devN[k] = 100000
		}
	}
}

func TestDevRecordMutants(t *testing.T) {
	os.MkdirAll("/tmp/R/mut", 0o755)
	for _, name := range devAll {
		d, _ := schema.Load(name)
		all := devMutants(t, name, devN[name])
		talks := newTalks(context.Background(), d)
		talks.startRecordings(all)
		if err := talks.awaitAllJoiningErrors(); err != nil {
			fmt.Println(err)
		}
		for _, rec := range all {
			if rec.Transcript == nil {
				continue
			}
			f, _ := os.Create("/tmp/R/mut/" + name + " " + strings.ReplaceAll(rec.Mutant, "/", "_") + ".har")
			if err := record.WriteHAR(f, rec.Transcript); err != nil {
				t.Fatal(err)
			}
			f.Close()
		}
	}
}

func devPrefixIntact(t *record.Transcript, ids map[int]bool, x int) bool {
	for _, p := range t.Plays {
		for i, s := range p.Steps {
			if s.Exchange != nil && s.Exchange.ID == x && s.Of == "" {
				for _, b := range p.Steps[:i] {
					if b.Exchange != nil && b.Exchange.Dir == record.Out && !ids[b.Exchange.ID] {
						return false
					}
				}
			}
		}
	}
	return true
}

func TestDevMutants(t *testing.T) {
	accused, found, missed, absent, n := 0, 0, 0, 0, 0
	wfound, wmissed := 0, 0
	missedBy := map[string]int{}
	for _, name := range devAll {
		if only := os.Getenv("D"); only != "" && only != name {
			continue
		}
		d, _ := schema.Load(name)
		for _, rec := range devMutants(t, name, devN[name]) {
			read := func() *record.Transcript {
				f, err := os.Open("/tmp/R/mut/" + name + " " + strings.ReplaceAll(rec.Mutant, "/", "_") + ".har")
				if err != nil {
					return nil
				}
				defer f.Close()
				tr, err := record.ReadHAR(f)
				if err != nil {
					t.Fatal(err)
				}
				return tr
			}
			tr := read()
			if tr == nil {
				continue
			}
			n++
			full := judgeAllOf(d, tr)
			tr2 := read()
			cut := devCut(tr2)
			kept := map[string]bool{}
			for _, x := range cut.Exchanges {
				kept[fmt.Sprint(x.ID)] = true
			}
			ids := map[int]bool{}
			for _, x := range cut.Exchanges {
				ids[x.ID] = true
			}
			named := judgeAllOf(d, cut)
			tr3 := read()
			cut = devCut(tr3)
			j, _ := devTraffic(t, d, cut)
			for _, r := range j.Report.Results {
				f := full[r.ID]
				if !rec.isCovered(r.ID) {
					continue
				}
				if r.Verdict == report.SuiteError {
					fmt.Println("SUITE", name, rec.Mutant, r.ID, r.Reason)
				}
				if r.Verdict == report.Fail && f.Verdict != report.Fail {
					accused++
					fmt.Println("ACCUSED", name, rec.Mutant, r.ID, d.Requirement(r.ID).Check, "run", f.Verdict, f.Because, f.Reason, "|", r.Reason)
				}
				if f.Verdict != report.Fail {
					continue
				}
				in := len(f.Evidence) > 0
				for _, e := range f.Evidence {
					in = in && ids[e.Exchange]
				}
				whole := true
				for _, e := range f.Evidence {
					whole = whole && devPrefixIntact(tr, ids, e.Exchange)
				}
				if in && named[r.ID].Verdict == report.Fail && whole {
					if r.Verdict == report.Fail {
						wfound++
					} else {
						wmissed++
						fmt.Println("WMISSED", name, rec.Mutant, r.ID, d.Requirement(r.ID).Check)
					}
				}
				switch {
				case !in || named[r.ID].Verdict != report.Fail:
					absent++
				case r.Verdict == report.Fail:
					found++
				default:
					missed++
					missedBy[d.Requirement(r.ID).Check]++
					steps, _ := suites.Checks()[d.Requirement(r.ID).Check].Needs(d.Requirement(r.ID).With)
					fmt.Println("MISSED", name, rec.Mutant, r.ID, d.Requirement(r.ID).Check, steps, "|", r.Verdict, r.Reason, "|||", f.Reason)
				}
			}
		}
	}
	fmt.Println("whole", wfound, wmissed, fmt.Sprintf("%.1f%%", 100*float64(wfound)/float64(wfound+wmissed)))
	fmt.Println("mutants", n, "accused", accused, "found", found, "missed", missed, "absent", absent, fmt.Sprintf("%.1f%%", 100*float64(found)/float64(found+missed)))
	var keys []string
	for k := range missedBy {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return missedBy[keys[i]] > missedBy[keys[j]] })
	for _, k := range keys {
		fmt.Println("  ", missedBy[k], k)
	}
}
