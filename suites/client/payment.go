package client

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// checkPayment judges whether a message with a payment names the task that asked for it.
func checkPayment(t *judge.T, p struct {
	Plays   []string `json:"plays"`
	Payment string   `json:"payment"` // the pointer of the payment in the parameters of a message
	Task    string   `json:"task"`    // that of the task
	State   string   `json:"state"`   // in which a task asks for a payment
}) {
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		given := s.Delivered()
		paying := slices.DeleteFunc(messagesOf(t, s), func(r judge.Request) bool { return !r.Params.At(p.Payment).Exists() })
		if len(paying) == 0 {
			s.Last()
			t.StopInconclusive("", "the client paid nothing in the scenario '%s': it may not know the extension ({extensions}, A2A_CONFORM_EXTENSIONS and `extensions` in A2A_CONFORM_CONTEXT have its URI)", s.Play.Scenario)
		}
		eachOf(t, paying, func(r judge.Request) {
			v := r.Params.At(p.Task)
			asks := slices.ContainsFunc(given, func(d judge.Delivered) bool {
				return d.At <= r.Exchange.Start && d.State == p.State && d.Task != "" && d.Task == v.Text()
			})
			switch {
			case !v.Exists():
				t.Fail(v, v.Lacking(), "the id of the task that asked for the payment", r.Params.At(p.Payment))
			case !asks:
				t.Fail(v, "sent "+describeValue(v), "the id of the task that asked for the payment")
			}
			t.OK(v)
		})
	})
}
