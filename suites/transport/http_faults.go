package transport

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Common clients accept responses whose HTTP is wrong, or contradicts their body. Protocols have
// few sentences on HTTP; a breach of one fails in addition.

// These bound the findings about one server.
const (
	maxFaults    = 20
	maxExchanges = 5
)

// httpFault is something odd that was seen in one answer or in many.
type httpFault struct {
	text string
	in   []*record.Exchange
}

// checkHTTP has a finding for each odd thing about the HTTP of the answers to us.
func checkHTTP(t *judge.T, _ struct{}) {
	var all []*httpFault
	left := 0
	note := func(x *record.Exchange, text string) {
		i := slices.IndexFunc(all, func(o *httpFault) bool { return o.text == text })
		switch {
		case i >= 0 && all[i].in[len(all[i].in)-1] != x:
			all[i].in = append(all[i].in, x)
		case i < 0 && len(all) < maxFaults:
			all = append(all, &httpFault{text, []*record.Exchange{x}})
		case i < 0:
			left++
		}
	}
	for _, x := range t.Case.Transcript.Exchanges {
		if x.Dir != record.Out {
			continue
		}
		for _, f := range x.Response.Framing.Faults {
			note(x, f)
		}
		if s := x.Status(); s >= 100 && s < 600 && hasResult(x) && (s/100 != 2 || s == http.StatusResetContent || s == http.StatusPartialContent) {
			note(x, fmt.Sprintf("a call is answered with a result, and with HTTP %d", s))
		}
	}
	if len(all) == 0 {
		t.StopNotApplicable("nothing about the HTTP of the answers is odd")
	}
	for i, o := range all {
		var numbers []string
		for _, x := range o.in[:min(len(o.in), maxExchanges)] {
			t.Cite(x)
			numbers = append(numbers, fmt.Sprint(x.ID))
		}
		text := fmt.Sprintf("%s (exchange %s)", o.text, numbers[0])
		if len(o.in) > 1 {
			text = fmt.Sprintf("%s (%d times, in the exchanges %s)", o.text, len(o.in), strings.Join(numbers, ", "))
		}
		if i == maxFaults-1 && left > 0 {
			text += fmt.Sprintf("; and %d more of other kinds", left)
		}
		t.Remark(o.in[0], "%s", text)
	}
}

// hasResult reports whether an answer has a result: the reply to a call, one of the
// replies to a batch, or the first event of a stream.
func hasResult(x *record.Exchange) bool {
	if !x.Answered() || !x.Posted() || x.Ended == record.Aborted {
		return false
	}
	if x.IsStream() {
		events := x.Events()
		return len(events) > 0 && holdsResult(events[0].Root)
	}
	root := x.Reply().Root
	if root != nil && root.Kind == record.Array {
		return slices.ContainsFunc(root.Elems, holdsResult)
	}
	return holdsResult(root)
}

// holdsResult reports whether a value is a JSON-RPC response with a result.
func holdsResult(n *record.Node) bool {
	a := binding.ByNameOrDefault(nil, "").Event("", n)
	return a.Marked && a.Result.Present()
}
