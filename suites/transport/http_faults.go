package transport

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// HTTPFaults is the requirement that all dialects share about answers that common
// clients take though their HTTP is wrong, or says something else than their body.
// Protocols that go by HTTP have few sentences on it, so that what is observed is
// a finding, and where there is one that fails besides. It belongs to no catalogue,
// and stands only in reports on such servers.
const HTTPFaults = "A2A-HTTP-000"

// HTTPFaultsStatement is what it asks.
const HTTPFaultsStatement = "Answers are well-formed HTTP/1.1 messages, encoded only as the client asked, and an answer with a result has a status of success."

// The most that is said of one server.
const (
	maxFaults    = 20
	maxExchanges = 5
)

// httpFault is something odd that was seen in one answer or in many.
type httpFault struct {
	text string
	in   []*wire.Exchange
}

// FindHTTPFaults returns a finding for each odd thing about the HTTP of the answers to us.
func FindHTTPFaults(t *wire.Transcript) []report.Result {
	var all []*httpFault
	left := 0
	note := func(x *wire.Exchange, text string) {
		i := slices.IndexFunc(all, func(o *httpFault) bool { return o.text == text })
		switch {
		case i >= 0 && all[i].in[len(all[i].in)-1] != x:
			all[i].in = append(all[i].in, x)
		case i < 0 && len(all) < maxFaults:
			all = append(all, &httpFault{text, []*wire.Exchange{x}})
		case i < 0:
			left++
		}
	}
	for _, x := range t.Exchanges {
		if x.Dir != wire.Out {
			continue
		}
		for _, f := range x.Response.Framing.Faults {
			note(x, f)
		}
		if s := x.Status(); s >= 100 && s < 600 && succeeds(x) && (s/100 != 2 || s == http.StatusResetContent || s == http.StatusPartialContent) {
			note(x, fmt.Sprintf("a call is answered with a result, and with HTTP %d", s))
		}
	}
	if len(all) == 0 {
		return nil
	}
	r := report.Result{ID: HTTPFaults, Level: schema.May, Area: "transport", Section: "every dialect", Statement: HTTPFaultsStatement,
		Verdict: report.Pass, Evidence: []report.Evidence{}, Findings: []report.Finding{}}
	for i, o := range all {
		var numbers []string
		for _, x := range o.in[:min(len(o.in), maxExchanges)] {
			r.Evidence = append(r.Evidence, report.Evidence{Exchange: x.ID})
			numbers = append(numbers, fmt.Sprint(x.ID))
		}
		text := fmt.Sprintf("%s (exchange %s)", o.text, numbers[0])
		if len(o.in) > 1 {
			text = fmt.Sprintf("%s (%d times, in the exchanges %s)", o.text, len(o.in), strings.Join(numbers, ", "))
		}
		if i == maxFaults-1 && left > 0 {
			text += fmt.Sprintf("; and %d more of other kinds", left)
		}
		r.Findings = append(r.Findings, report.Finding{Text: text, Evidence: &report.Evidence{Exchange: o.in[0].ID}})
	}
	return []report.Result{r}
}

// succeeds reports whether an answer has a result: the reply to a call, one of the
// replies to a batch, or the first event of a stream.
func succeeds(x *wire.Exchange) bool {
	if !x.Answered() || !x.Posted() || x.Ended == wire.Aborted {
		return false
	}
	if x.IsStream() {
		events := x.Events()
		return len(events) > 0 && holdsResult(events[0].Root)
	}
	root := x.Reply().Root
	if root != nil && root.Kind == wire.Array {
		return slices.ContainsFunc(root.Elems, holdsResult)
	}
	return holdsResult(root)
}

// holdsResult reports whether a value is a JSON-RPC response with a result.
func holdsResult(n *wire.Node) bool {
	a := binding.Of(nil, "").Event("", n)
	return a.Marked && a.Result.Present()
}
