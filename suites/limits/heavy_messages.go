package limits

import (
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

var limitChecks = []judge.Check{
	judge.Define("limits/survives", "the server goes on serving after a heavy message", survives),
}

type heavyParams struct {
	Step  string `json:"step" step:"{}"`
	Alive string `json:"alive" step:"{}"`
}

// survives: what the server makes of the message is its own affair, a closed
// connection included. After one that it refused in words, or answered with a
// result, any orderly answer shows that it serves; after any other outcome the agent
// has to answer.
func survives(t *judge.T, p heavyParams) {
	s, alive := t.Step(p.Step), t.Step(p.Alive)
	t.OK(s.Head())
	about := alive.Reply()
	if alive.Op == "send" && alive.Role == record.Alive {
		t.Expect(about).To(match.BeAResult())
		return
	}
	t.Expect(about).To(match.BeAReply(t))
	observe.ExpectOrderlyAnswer(t, alive)
}
