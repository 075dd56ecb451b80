package client

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// checkErrorNames judges whether the program reports errors by no name that belongs to another error: of the same dialect, or of
// another one with the same code.
func checkErrorNames(t *judge.T, p struct {
	Plays []string `json:"plays"`
}) {
	seen := 0
	judge.EachOf(t, t.ReportingStarts(p.Plays...), func(s judge.Start) {
		demandUseAndEnd(t, s, nil)
		refusals := s.Refusals()
		lines := s.Reported("error")
		if len(refusals) == 0 || len(lines) == 0 {
			return
		}
		refusal := refusals[len(refusals)-1]
		own, others := listErrorWords(refusal), listOtherErrorNames(t, refusal)
		eachOf(t, lines, func(r judge.Reported) {
			seen++
			for _, name := range []string{r.Name, r.Reason} {
				is := func(other string) bool { return foldMethod(other) == foldMethod(strings.ReplaceAll(name, " ", "")) }
				if name != "" && !slices.ContainsFunc(own, is) && slices.ContainsFunc(others, is) {
					t.Fail(r.Value, fmt.Sprintf("reported the error %s as %s", describeRefusal(refusal), shorten.Visible(shorten.Clip(name, 60), 60)), "its own name, its number or its text", refusal)
				}
			}
			t.OK(r.Value)
		})
	})
	if seen == 0 {
		t.StopVacuous("the client reported no error")
	}
}

// listOtherErrorNames returns the names of all errors but one, in every dialect.
func listOtherErrorNames(t *judge.T, refusal judge.Value) (names []string) {
	for _, name := range schema.Names() {
		if d, err := schema.Load(name); err == nil {
			names = append(names, slices.Collect(maps.Keys(d.Errors))...)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(refusal.ErrorNames(), name) })
}
