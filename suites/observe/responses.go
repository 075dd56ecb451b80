package observe

import (
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Responses returns one value for each HTTP response of the run, whatever it answers: the first
// text in it.
func Responses(t *judge.T) []judge.Value {
	seen := map[*record.Exchange]bool{}
	return judge.Filter(t.All(judge.CardText, judge.ReplyText, judge.EventText, judge.OtherText), func(v judge.Value) bool {
		first := !seen[v.Exchange()]
		seen[v.Exchange()] = true
		return first
	})
}
