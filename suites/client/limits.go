package client

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// sizeParams are limits, in bytes unless another unit is named.
type sizeParams struct {
	At    string `json:"at"`    // the pointer of a message in the parameters
	Bytes int    `json:"bytes"` // of a message
	Parts int    `json:"parts"` // how many parts it has
	Text  int    `json:"text"`  // letters of the text of a part
	Data  int    `json:"data"`  // of the data of a part
}

// checkSizes judges how large messages and their parts are.
func checkSizes(t *judge.T, p sizeParams) {
	var all []judge.Value
	for _, r := range t.Calls() {
		if m := r.Params.At(p.At); m.IsObject() {
			all = append(all, m)
		}
	}
	tooLong := slices.ContainsFunc(t.Case.Transcript.Exchanges, func(x *record.Exchange) bool { return x.Dir == record.In && x.Ended == record.Limit })
	if len(all) == 0 && !tooLong {
		t.StopVacuous("the client sent no message")
	}
	eachOf(t, all, func(m judge.Value) {
		parts := m.At("/parts")
		judgeSize(t, m, measureValue(m), p.Bytes, "bytes")
		judgeSize(t, parts, len(parts.Elems()), p.Parts, "parts")
		for _, part := range parts.Elems() {
			judgeSize(t, part.At("/text"), utf8.RuneCountInString(part.At("/text").Text()), p.Text, "letters")
			judgeSize(t, part.At("/data"), measureValue(part.At("/data")), p.Data, "bytes")
		}
		t.OK(m)
	})
	if tooLong {
		t.StopUndecided("a request of the client was too long to be recorded")
	}
}

// measureValue returns how many bytes a value has as it was written.
func measureValue(v judge.Value) int {
	if n := v.Node(); n != nil {
		return n.End - n.Start
	}
	return 0
}

// judgeSize judges a number of something against its limit.
func judgeSize(t *judge.T, v judge.Value, n, most int, of string) {
	if n > most {
		t.Fail(v, fmt.Sprintf("sent `%s` of %d %s", v.Member(), n, of), atMost(most))
	}
}

// concurrencyParams are limits on what a client has under way at once.
type concurrencyParams struct {
	Calls   int    `json:"calls"`   // of calls; 0 for no limit
	Tasks   int    `json:"tasks"`   // of unfinished tasks in a context; 0 for no limit
	Context string `json:"context"` // the pointer of the context in the parameters of a message
}

// A span is the time in which a call, or the task of a message, is known to be under way.
type span struct {
	r        judge.Request
	from, to record.Instant
	context  string
}

// checkConcurrency judges how many calls, or tasks of a context, one client has under way at once.
func checkConcurrency(t *judge.T, p concurrencyParams) {
	t.Calls()
	seen := 0
	judge.EachOf(t, t.AllStarts(), func(s judge.Start) {
		var all []span
		most, what := p.Calls, "calls"
		if p.Tasks > 0 {
			all, most, what = listTaskSpans(t, s, p.Context), p.Tasks, "unfinished tasks of one context"
		} else {
			for _, r := range s.Calls() {
				all = append(all, span{r, r.Exchange.Start, r.Exchange.End, ""})
			}
		}
		seen += len(all)
		eachOf(t, all, func(one span) {
			together := 0
			for _, other := range all {
				if other.context == one.context && other.from <= one.from && one.from < other.to {
					together++
				}
			}
			if together > most {
				if isForwarded(one.r) {
					t.StopUndecided("the calls came through a proxy, which may merge several clients")
				}
				t.Fail(one.r.Head(report.StatusLine), fmt.Sprintf("had %d %s under way at once", together, what), atMost(most))
			}
			t.OK(one.r.Call)
		})
	})
	if seen == 0 {
		t.StopVacuous("the client sent no message in a context")
	}
}

// listTaskSpans returns the times in which tasks of a start are known not to have ended: while their message is not answered, and
// until the last answer that shows them unfinished.
func listTaskSpans(t *judge.T, s judge.Start, context string) (out []span) {
	given := s.Delivered()
	for _, r := range messagesOf(t, s) {
		one := span{r, r.Exchange.Start, r.Exchange.End, r.Params.At(context).Text()}
		id := nameMadeTask(r)
		for _, d := range given {
			if id != "" && d.Task == id && d.State != "" && !isTerminal(t, d.State) {
				one.to = max(one.to, d.At)
			}
		}
		if one.context != "" {
			out = append(out, one)
		}
	}
	return out
}

// isForwarded reports whether a request came through a proxy that states so.
func isForwarded(r judge.Request) bool {
	return slices.ContainsFunc([]string{"Via", "Forwarded", "X-Forwarded-For"}, func(name string) bool { return r.Header().Get(name) != "" })
}

// callEndParams are the times after which a client has to have ended calls without an answer.
type callEndParams struct {
	Plays   []string `json:"plays"`
	Seconds float64  `json:"seconds"` // of a call
	Streams float64  `json:"streams"` // of a stream
}

// checkCallEnds judges whether the client ends calls that are not answered. What we ended ourselves earlier shows nothing.
func checkCallEnds(t *judge.T, p callEndParams) {
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		calls := slices.DeleteFunc(messagesOf(t, s), func(r judge.Request) bool { return r.Exchange.Answered() })
		if len(calls) == 0 {
			s.Last()
			t.StopInconclusive("", "the client made no call without an answer in the scenario '%s'", s.Play.Scenario)
		}
		eachOf(t, calls, func(r judge.Request) {
			most := p.Seconds
			if t.Case.Dialect.Operation(r.Op).Streams {
				most = p.Streams
			}
			took := (r.Exchange.End - r.Exchange.Start).Seconds()
			switch {
			case took > most:
				t.Fail(r.Head(report.StatusLine), fmt.Sprintf("waited %.0f s for an answer", took), fmt.Sprintf("an end of the call within %v s", most))
			case r.Exchange.Ended == record.Aborted || !s.Ended():
				t.StopInconclusive(fmt.Sprintf("--patience %.0fs", most+10), "the client waited %.1f s for an answer until its start was ended, and may wait %v s", took, most)
			}
			t.OK(r.Call)
		})
	})
}
