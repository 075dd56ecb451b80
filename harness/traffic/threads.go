package traffic

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// KeepThreads returns a recording with the threads alone that have such an exchange: a thread has all calls in a context,
// or about a task. Cards and other documents stay.
func KeepThreads(r Recording, such func(p Passed) bool) Recording {
	d := chooseDialect(&r)
	if d == nil {
		return r
	}
	var seen []*record.Exchange
	chosen := map[*record.Exchange]bool{}
	copies := make([]*record.Exchange, len(r.Passed)) // nothing that is read of them is kept
	for i, p := range r.Passed {
		if x := p.firstSeen().Clone(); x != nil {
			seen = append(seen, x)
			chosen[x] = such(p)
			copies[i] = x
		}
	}
	calls := readCalls(d, seen, r.Cards, r.Cut)
	threads := map[int]bool{}
	for _, c := range calls {
		if chosen[c.Exchange] {
			threads[c.thread] = true
		}
	}
	keep := map[*record.Exchange]bool{}
	for _, c := range calls {
		keep[c.Exchange] = c.Op == CardOp || c.Op == documentOp || threads[c.thread]
	}
	all := r.Passed
	r.Passed, r.Others = nil, slices.Clone(r.Others)
	for i, p := range all {
		if keep[copies[i]] {
			r.Passed = append(r.Passed, p)
		} else {
			r.Others = append(r.Others, p)
		}
	}
	return r
}
