package conform_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
)

// No number of messages, or a negative one, is no limit.
func TestCurveWithoutLimit(t *testing.T) {
	server, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-0.1"})
	if err != nil {
		t.Fatal(err)
	}
	o, err := conform.Run(t.Context(), conform.Target{URL: server.URL(), Dialect: "a2a-0.1", Behaviour: conform.Behaviour{DefaultStimuli: true, Bundled: true},
		Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A01-TASK-*"}}}})
	if err != nil {
		t.Fatal(err)
	}
	all := o.Report.Summary["MUST"].Decided()
	got, err := o.DecidedByMessages([]int{0, -1, 1000})
	if want := []int{all, all, all}; err != nil || all == 0 || !slices.Equal(got, want) {
		t.Errorf("DecidedByMessages: %v, %v, want %v", got, err, want)
	}
}

// An outcome without a judged record has no curve.
func TestCurveOfUnjudgedOutcome(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	o, err := conform.Run(t.Context(), conform.Target{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []*conform.Outcome{o, {}} {
		if got, err := of.DecidedByMessages([]int{3}); err == nil {
			t.Errorf("DecidedByMessages: %v, want an error", got)
		}
	}
}
