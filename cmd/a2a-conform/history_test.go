package main

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// A requirement that a later version of the catalogue judges differently is
// listed with the reason and is no regression. Without a word of the history it
// is one.
func TestDiffOverVersions(t *testing.T) {
	here(t)
	if code, out, errs := command(t, "run", "--self", "--dialect", "a2a-0.1", "--area", "card", "--quiet"); code != 3 {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	write := func(file string, r *report.Report) {
		var b bytes.Buffer
		if err := reports.JSON(&b, r); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := read(t, "a2a-report/report.json")
	if want := schema.Changes().Latest(); r.Tool.CatalogueVersion != want {
		t.Errorf("the report is of version %q, want %s", r.Tool.CatalogueVersion, want)
	}
	r.Tool.CatalogueVersion = "" // as reports were before
	write("old.json", r)
	i := 0
	for r.Results[i].Verdict != report.Pass || r.Results[i].Level != schema.Must {
		i++
	}
	r.Tool.CatalogueVersion = "2"
	r.Results[i].Verdict, r.Results[i].Reason = report.Fail, "the server sent no name"
	r.Summary, r.Verdict = report.Summarize(r.Results), report.Nonconformant
	write("new.json", r)
	id := r.Results[i].ID
	made, err := schema.ParseHistory("changes.yaml", []byte("versions:\n  - version: 2\n    changes:\n      - {id: "+id+", why: asks for a name now}\n"))
	if err != nil {
		t.Fatal(err)
	}
	empty, err := schema.ParseHistory("changes.yaml", []byte("versions:\n  - {version: 2, changes: []}\n"))
	if err != nil {
		t.Fatal(err)
	}
	const since = "; judged differently since version 2 of the catalogue: asks for a name now"
	for _, c := range []struct {
		name    string
		history *schema.History
		args    []string
		code    cli.ExitCode
		want    []string
	}{
		{"judged differently", made, nil, 0, []string{"Judged differently (1)\n    " + id + " MUST: was pass, is now fail" + since + "\n", "the catalogue is version 2 (was 1)\nno regression\n"}},
		{"in Markdown", made, []string{"--markdown"}, 0, []string{"## ✅ a2a-conform: no regression", "### Judged differently (1)", since}},
		{"in JSON", made, []string{"--json"}, 0, []string{`"kind": "judged differently"`, `"since": "2"`, `"why": "asks for a name now"`}},
		{"worse", empty, nil, 1, []string{"Broken (1)", id + " MUST: was pass, is now fail (regression)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			cmd := diffCommand(func() *schema.History { return c.history })
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			cmd.SetOut(&out)
			cmd.SetArgs(append([]string{"old.json", "new.json"}, c.args...))
			var code cli.ExitCode
			if err := cmd.Execute(); err != nil && !errors.As(err, &code) || code != c.code {
				t.Errorf("it ends with %v", err)
			}
			for _, w := range c.want {
				if !strings.Contains(out.String(), w) {
					t.Errorf("%q is not in\n%s", w, &out)
				}
			}
		})
	}
}
