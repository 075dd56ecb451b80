package prove

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/verdict"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/schema"
)

func TestDevOne(t *testing.T) {
	d, _ := schema.Load(os.Getenv("D"))
	f, err := os.Open("/tmp/R/mut/" + os.Getenv("D") + " " + os.Getenv("M") + ".har")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tr, _ := record.ReadHAR(f)
	j, server := devTraffic(t, d, devCut(tr))
	v := traffic.ListViews(d, server)
	for n, w := range v.Named {
		c := verdict.NewDecider(d, w.Transcript, suites.Checks(), nil)
		for _, id := range strings.Fields(os.Getenv("IDS")) {
			fmt.Println(n, id, c.Result(id).Verdict, c.Result(id).Because, c.Result(id).Reason)
		}
		for _, p := range w.Transcript.Plays {
			fmt.Print(n, " ", p.Scenario, " ", p.Subject.Binding, ": ")
			for _, s := range p.Steps {
				fmt.Print(s.Name, "=", s.Exchange.ID, " ")
			}
			fmt.Println()
		}
	}
	for _, p := range server.Plays {
		for _, s := range p.Steps {
			fmt.Println(p.Scenario, s.Name, s.Exchange.ID, s.Role, s.Binding, s.Task, s.Context, s.Exchange.URL, s.Exchange.Status())
		}
	}
	fmt.Println(v.Left)
	for _, r := range j.Report.Results {
		for _, id := range strings.Fields(os.Getenv("IDS")) {
			if r.ID == id {
				fmt.Println(id, r.Verdict, r.Reason, r.Subjects)
			}
		}
	}
}
