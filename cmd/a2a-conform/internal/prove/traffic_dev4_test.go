package prove

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

func TestDevRoles(t *testing.T) {
	n, bad, none := 0, 0, 0
	for _, name := range []string{"a2a-0.1", "a2a-0.3", "a2a-1.0", "jaf-0.3", "a2x-0.3", "directory-0.1", "core-schema"} {
		d, _ := schema.Load(name)
		cut := devCut(devRead(t, name))
		roles := traffic.RecogniseRoles(d, cut.Exchanges)
		for p, s := range cut.Steps() {
			if s.Of != "" {
				continue
			}
			want := traffic.ListRoles(p.Scenario, s.Name)
			if len(want) == 0 {
				none++
				if os.Getenv("LIST") != "" {
					fmt.Println("none", name, p.Scenario, s.Name, roles[s.Exchange])
				}
				continue
			}
			n++
			if !slices.Contains(want, roles[s.Exchange]) {
				bad++
				fmt.Println(name, p.Scenario, s.Name, "want", want, "got", roles[s.Exchange])
			}
		}
	}
	fmt.Println("steps", n, "other role", bad, "without a rule", none)
}

func TestDevShared(t *testing.T) {
	files, _ := filepath.Glob("/work/shared/transcripts/*.har")
	for _, file := range files {
		read := func() *record.Transcript {
			f, _ := os.Open(file)
			defer f.Close()
			tr, err := record.ReadHAR(f)
			if err != nil {
				t.Fatal(file, err)
			}
			return tr
		}
		tr := read()
		d, err := schema.Load(tr.Facts.Dialect)
		if err != nil {
			t.Fatal(err)
		}
		full := judgeAllOf(d, tr)
		j, _ := devTraffic(t, d, devCut(read()))
		count := map[string]int{}
		for _, r := range j.Report.Results {
			f := full[r.ID]
			if isDecided(f.Verdict) {
				count["run decides"]++
			}
			if isDecided(r.Verdict) {
				count["traffic decides"]++
				count[fmt.Sprint(f.Verdict, " -> ", r.Verdict)]++
			}
			if isDecided(r.Verdict) && r.Verdict != f.Verdict || r.Verdict == report.SuiteError {
				fmt.Println(filepath.Base(file), r.ID, d.Requirement(r.ID).Check, f.Verdict, "->", r.Verdict, "|", f.Because, f.Reason, "|||", r.Reason)
			}
		}
		fmt.Println(filepath.Base(file), tr.Facts.Dialect, count)
	}
}
