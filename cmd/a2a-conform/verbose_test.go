package main

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

var (
	specsRun   = regexp.MustCompile(`(?m)^Ran (\d+) of (\d+) Specs in `)
	specsEnded = regexp.MustCompile(`(?m)^\w+! -- (\d+) Passed \| (\d+) Failed \| 0 Pending \| (\d+) Skipped$`)
)

// numbers are the numbers that a line of Ginkgo's shows, none where it is missing.
func numbers(line *regexp.Regexp, text string) (out []int) {
	m := line.FindStringSubmatch(text)
	for i := 1; i < len(m); i++ {
		n, err := strconv.Atoi(m[i])
		if err != nil {
			return nil
		}
		out = append(out, n)
	}
	return out
}

// A run judges through Ginkgo: each requirement is a spec of it, and what Ginkgo says
// of the specs fits the report.
func TestEveryRequirementIsASpec(t *testing.T) {
	t.Parallel()
	broken, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-0.1", Mutant: "final-missing"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { broken.Close() })
	d, err := schema.Load("a2a-0.1")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		args   []string
		failed bool
	}{
		{"everything", []string{"--self", "--dialect", "a2a-0.1"}, false},
		{"a part", []string{"--self", "--dialect", "a2a-0.1", "--area", "card"}, false},
		{"a broken server", []string{broken.URL(), "--stimuli", "plain"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			run := newChild(t, append([]string{"run", "--verbose"}, c.args...)...)
			run.Run() // how it ended is in its state
			run.Check(t)
			r, err := readReport(run.Dir)
			if err != nil {
				t.Fatalf("%v\n%s", err, &run.Errors)
			}
			said := run.Errors.String()
			judged, passed, failed, skipped := 0, 0, 0, 0
			for _, result := range r.Results {
				q := d.Requirement(result.ID)
				if q == nil || q.File == "" { // a finding of all dialects
					continue
				}
				judged++
				if !strings.Contains(said, "["+"area:"+q.Area+", "+q.ID+", level:"+string(q.Level)+"]") {
					t.Errorf("%s is no spec", q.ID)
				}
				switch {
				case result.Verdict == report.Fail && result.Level == schema.Must:
					failed++
					if !strings.Contains(said, result.ID+" fail: "+result.Reason) {
						t.Errorf("why %s fails is not said", result.ID)
					}
				case result.Verdict == report.Pass, result.Verdict == report.Fail:
					passed++
				default:
					skipped++
				}
			}
			if c.failed != (failed > 0) || judged == 0 {
				t.Errorf("%d of %d requirements fail", failed, judged)
			}
			total, ended := numbers(specsRun, said), numbers(specsEnded, said)
			if len(total) != 2 || total[1] != judged {
				t.Errorf("Ginkgo ran %v specs, %d requirements were judged\n%.2000s", total, judged, said)
			}
			if len(ended) != 3 || ended[0] != passed || ended[1] != failed || ended[2] != skipped {
				t.Errorf("Ginkgo counts %v, want passed %d, failed %d, skipped %d", ended, passed, failed, skipped)
			}
		})
	}
}
