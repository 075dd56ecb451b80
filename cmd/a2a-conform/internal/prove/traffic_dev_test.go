package prove

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/summary"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

func TestDevRecord(t *testing.T) {
	for _, name := range []string{"a2a-0.1", "a2a-0.3", "a2a-1.0", "jaf-0.3", "a2x-0.3", "directory-0.1", "core-schema"} {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		rec := &Recording{Variant: "full"}
		if err := rec.recordTranscript(context.Background(), d); err != nil {
			t.Fatal(err)
		}
		f, _ := os.Create("/tmp/R/" + name + ".har")
		if err := record.WriteHAR(f, rec.Transcript); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
}

func devRead(t *testing.T, name string) *record.Transcript {
	f, err := os.Open("/tmp/R/" + name + ".har")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tr, err := record.ReadHAR(f)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func devCut(t *record.Transcript) *record.Transcript {
	d, _ := schema.Load(t.Facts.Dialect)
	out := *t
	out.Plays, out.Exchanges = nil, nil
	loads := []string{"counted", "crowd", "flood", "heavy", "heavy-message", "large", "long", "nested", "room", "sizes", "together", "disguise", "tls", "plain-http"}
	for _, p := range t.Plays {
		if slices.Contains(loads, p.Scenario) {
			continue
		}
		steps := p.Steps
		p.Steps = nil
		odd := map[string]bool{}
		for _, s := range steps {
			if d.Has(s.Op) && !d.Operation(s.Op).Reads && (s.Role == record.Probe || s.Invalid || s.Contradicts) && s.Task != "" {
				odd[s.Task] = true
			}
			if s.Exchange == nil || odd[s.Task] && s.Of == "" || s.Exchange.Dir != record.Out || s.Role == record.Probe || s.Invalid || s.Contradicts || s.As != "" || s.Hook != "" {
				continue
			}
			p.Steps = append(p.Steps, s)
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

func devNameless(t *record.Transcript) *record.Transcript {
	out := *t
	out.Plays = nil
	seen := map[*record.Exchange]bool{}
	for i, p := range t.Plays {
		if p.Scenario != "card" {
			p.Scenario = fmt.Sprintf("thread %d", i)
		}
		steps := p.Steps
		p.Steps = nil
		for k, s := range steps {
			if seen[s.Exchange] {
				continue
			}
			seen[s.Exchange] = true
			p.Steps = append(p.Steps, record.Step{Name: fmt.Sprintf("s%d", k), Op: s.Op, Role: record.Main, Binding: s.Binding, Exchange: s.Exchange, Agent: s.Agent})
			if p.Scenario == "card" {
				p.Steps[len(p.Steps)-1].Name = s.Name
			}
		}
		if len(p.Steps) > 0 {
			out.Plays = append(out.Plays, p)
		}
	}
	return &out
}

func judgeAllOf(d *schema.Dialect, t *record.Transcript) map[string]verdict.Result {
	c := verdict.NewDecider(d, t, suites.Checks(), nil)
	var ids []string
	for _, r := range d.Requirements {
		ids = append(ids, r.ID)
	}
	out := map[string]verdict.Result{}
	for _, r := range c.Judge(ids) {
		out[r.ID] = r
	}
	return out
}

func isDecided(v report.Verdict) bool {
	return v == report.Pass || v == report.Fail || v == report.Waived
}

func TestDevCeiling(t *testing.T) {
	for _, name := range []string{"a2a-0.1", "a2a-0.3", "a2a-1.0", "jaf-0.3", "a2x-0.3", "directory-0.1", "core-schema"} {
		d, _ := schema.Load(name)
		tr := devRead(t, name)
		full := judgeAllOf(d, tr)
		cut := devCut(tr)
		named := judgeAllOf(d, cut)
		bare := judgeAllOf(d, devNameless(cut))
		nf, nn, nb := 0, 0, 0
		need := map[string]int{}
		for _, r := range d.Requirements {
			if !isDecided(full[r.ID].Verdict) {
				continue
			}
			nf++
			if named[r.ID].Verdict == full[r.ID].Verdict {
				nn++
			} else if isDecided(named[r.ID].Verdict) {
				fmt.Println("NAMED DIFFERS", r.ID, named[r.ID].Verdict, named[r.ID].Reason)
			}
			if bare[r.ID].Verdict == full[r.ID].Verdict {
				nb++
			} else if isDecided(bare[r.ID].Verdict) {
				fmt.Println("BARE DIFFERS", r.ID, bare[r.ID].Verdict, bare[r.ID].Reason)
			}
			if isDecided(named[r.ID].Verdict) && !isDecided(bare[r.ID].Verdict) {
				c := suites.Checks()[r.Check]
				steps, _ := c.Needs(r.With)
				for _, s := range steps {
					need[s]++
				}
				if os.Getenv("LIST") != "" {
					fmt.Println("  ", r.ID, r.Check, r.Claims, steps, "|", bare[r.ID].Verdict, bare[r.ID].Reason)
				}
			}
		}
		fmt.Println(name, "all", len(d.Requirements), "decides", nf, "named", nn, "bare", nb, "exchanges", len(tr.Exchanges), len(cut.Exchanges))
	}
}

func devTraffic(t *testing.T, d *schema.Dialect, cut *record.Transcript) (*summary.Judged, *record.Transcript) {
	rec := traffic.Recording{Source: "test", Dialects: []*schema.Dialect{d}, Started: cut.Started, Target: cut.Facts.Target}
	seen := map[*record.Exchange]bool{}
	for _, x := range cut.Exchanges {
		if !seen[x] {
			rec.Passed = append(rec.Passed, traffic.Passed{Out: x})
		}
		seen[x] = true
	}
	h, err := traffic.Recognise(rec)
	if err != nil {
		t.Fatal(err)
	}
	h.Server.Facts.Catalogue = d.Digest
	j, err := summary.Judge(d, h.Server, suites.Checks(), summary.CallDirectly)
	if err != nil {
		t.Fatal(err)
	}
	return j, h.Server
}

func TestDevTraffic(t *testing.T) {
	for _, name := range []string{"a2a-0.1", "a2a-0.3", "a2a-1.0", "jaf-0.3", "a2x-0.3", "directory-0.1", "core-schema"} {
		if only := os.Getenv("D"); only != "" && only != name {
			continue
		}
		d, _ := schema.Load(name)
		tr := devRead(t, name)
		full := judgeAllOf(d, tr)
		cut := devCut(tr)
		named := judgeAllOf(d, cut)
		tr2 := devRead(t, name)
		j, server := devTraffic(t, d, devCut(tr2))
		nf, nn, nt := 0, 0, 0
		for _, r := range j.Report.Results {
			f := full[r.ID].Verdict
			if isDecided(f) {
				nf++
				if r.Verdict == f {
					nt++
				}
				if named[r.ID].Verdict == f {
					nn++
				}
			}
			if isDecided(r.Verdict) && r.Verdict != f || r.Verdict == report.SuiteError {
				fmt.Println("DIFFERS", r.ID, d.Requirement(r.ID).Check, "run", f, "traffic", r.Verdict, r.Reason)
			}
			if os.Getenv("LIST") != "" && isDecided(f) && !isDecided(r.Verdict) && isDecided(named[r.ID].Verdict) {
				steps, _ := suites.Checks()[d.Requirement(r.ID).Check].Needs(d.Requirement(r.ID).With)
				fmt.Println("   MISSING", r.ID, d.Requirement(r.ID).Check, steps, "|", r.Verdict, r.Reason)
			}
		}
		fmt.Println(name, "decides", nf, "named", nn, "traffic", nt, fmt.Sprintf("%d%%", nt*100/nf), j.Report.Verdict, len(server.Plays), "threads")
		for _, n := range j.Report.Notices {
			fmt.Println("   ", n)
		}
	}
}
