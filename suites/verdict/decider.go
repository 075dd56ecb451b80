// Package verdict turns what checks report into verdicts: by the rules in decide.go, with the
// prerequisites of requirements and the waivers of the operator. It groups failures by their causes
// and finds the fewest calls that show one.
package verdict

import (
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Decider comes to the verdicts on a transcript. What checks see of the transcript is the Case.
type Decider struct {
	*judge.Case
	subject   string            // the agent whose part of the conversations is judged; "" for the only one
	spoken    string            // the binding of that part, if there are several
	secondary bool              // which is not the one that the agent prefers
	part      bool              // it is one of several into which a decider is divided
	server    *Decider          // judges what is about the server, if agents were chosen
	agents    []*Decider        // judge what is about each agent that was chosen
	across    func() []*Decider // judge what is about several interfaces of each agent; nil if there is one
	whole     *Decider          // of which such a one sees a part; nil for the others
	top       *Decider          // the one that is divided into it and others; nil for that one
	// confirming judges a client by the plays that were performed again; nil if there are none.
	confirming *Decider

	mu   sync.Mutex
	memo map[string]*Result

	moving sync.Once
	moved  []move // all steps, once the fewest that show a failure are looked for
}

// SetResult takes over the verdict of another case on a transcript that differs in
// nothing the requirement looks at.
func (c *Decider) SetResult(r *Result) {
	c.mu.Lock()
	c.memo[r.ID] = r
	c.mu.Unlock()
}

// move is a step of a play.
type move struct {
	play, step int
	x          *record.Exchange
	text       string // of the request: its address, its body, and what it is about
}
