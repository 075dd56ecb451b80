package e2e

import (
	"fmt"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
)

// Where the card offers one binding, every choice of bindings comes to the same, and no
// result is divided.
func TestOneBindingHoweverItIsChosen(t *testing.T) {
	t.Parallel()
	s := bundled(t, reference.Options{Dialect: "a2a-0.1"})
	first := ""
	for _, choice := range []string{"", "all", "each", "JSONRPC"} {
		o, err := conform.Run(t.Context(), conform.Target{URL: s.URL(), Endpoint: conform.Endpoint{Binding: choice}, Judging: conform.Judging{Select: conform.Selection{Areas: []string{"card", "errors"}}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(o.Report.Target.Bindings); got != "[JSONRPC]" {
			t.Errorf("--binding %s: it was spoken by %s", choice, got)
		}
		came := ""
		for _, r := range o.Report.Results {
			if came += fmt.Sprintln(r.ID, r.Verdict); len(r.Subjects) > 0 {
				t.Errorf("--binding %s: %s has subjects", choice, r.ID)
			}
		}
		if first == "" {
			first = came
		}
		if came != first {
			t.Errorf("--binding %s comes to\n%s, and without it to\n%s", choice, came, first)
		}
	}
}
