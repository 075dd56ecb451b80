package compare

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// entries are the reports of two servers, one of which was judged twice, and one by another
// dialect.
func entries() []Entry {
	before, other := reportstest.EveryVerdict(), reportstest.Conforming()
	before.Run.StartedAt = before.Run.StartedAt.Add(-24 * time.Hour)
	before.Results = before.Results[1:]
	other.Target.Dialect, other.Target.Title = "zz-8.8", "Made-up Protocol 8.8"
	return []Entry{
		{Name: "conforming agent", Report: reportstest.Conforming(), Page: "a/report.html"},
		{Name: "broken agent", Report: reportstest.EveryVerdict(), Page: "b/report.html"},
		{Name: "broken agent", Report: before},
		{Name: "another protocol", Report: other},
	}
}

func TestMatrixGolden(t *testing.T) {
	changes := report.CompareReports(reportstest.Conforming(), reportstest.EveryVerdict(), &schema.History{})
	for name, render := range map[string]func(io.Writer) error{
		"matrix.html": func(w io.Writer) error { return WriteMatrixPage(w, entries(), &schema.History{}) },
		"matrix.md":   func(w io.Writer) error { return WriteMatrixMarkdown(w, entries(), &schema.History{}) },
		"diff.html": func(w io.Writer) error {
			return WriteDiffPage(w, reportstest.Conforming(), reportstest.EveryVerdict(), changes)
		},
	} {
		t.Run(name, func(t *testing.T) {
			reportstest.Golden(t, name, reportstest.Render(t, render))
		})
	}
}

// Servers that were judged one after the other at one address are distinguished by the names on their cards;
// one that was judged several times is one server.
func TestMatrixTellsServersApart(t *testing.T) {
	of := func(agent string) Entry {
		r := reportstest.Conforming()
		r.Target.Agent = agent
		return Entry{Report: r}
	}
	for name, c := range map[string]struct {
		entries []Entry
		want    string
	}{
		"one, twice":   {[]Entry{of("Recipes"), of("Recipes")}, "http://127.0.0.1:9999"},
		"two in turns": {[]Entry{of("Recipes"), of("Weather")}, "Recipes, http://127.0.0.1:9999 | Weather, http://127.0.0.1:9999"},
		"no name":      {[]Entry{of(""), of("Weather")}, "no name, http://127.0.0.1:9999 | Weather, http://127.0.0.1:9999"},
	} {
		t.Run(name, func(t *testing.T) {
			var names []string
			for _, s := range newMatrix(c.entries).servers {
				names = append(names, s.Name)
			}
			if got := strings.Join(names, " | "); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// A thousand servers make a page that a browser opens: bounded, with a filter, and without a
// column for each.
func TestMatrixOfMany(t *testing.T) {
	var many []Entry
	for i := range 1000 {
		r := reportstest.Conforming()
		if i%5 == 0 {
			r = reportstest.EveryVerdict()
		}
		many = append(many, Entry{Name: fmt.Sprintf("agent %d", i), Report: r})
	}
	var page, text bytes.Buffer
	if err := WriteMatrixPage(&page, many, &schema.History{}); err != nil {
		t.Fatal(err)
	}
	if err := WriteMatrixMarkdown(&text, many, &schema.History{}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(page.String(), `<tr class="row" id=`); n != 1000 {
		t.Errorf("the page shows %d servers", n)
	}
	if page.Len() > 3<<20 || text.Len() > 1<<20 {
		t.Errorf("the page has %d bytes, the Markdown %d", page.Len(), text.Len())
	}
	if want := "and 192 more"; !strings.Contains(page.String(), want) {
		t.Errorf("of many servers of one kind not the first are named, with %q", want)
	}
}
