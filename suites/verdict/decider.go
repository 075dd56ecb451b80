package verdict

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Decider comes to the verdicts on a transcript. What checks see of the transcript is the Case.
type Decider struct {
	*judge.Case
	subject string            // the agent whose part of the conversations is judged; "" for the only one
	spoken  string            // the binding of that part, if there are several
	beside  bool              // which is not the one that the agent prefers
	part    bool              // it is one of several into which a decider is divided
	server  *Decider          // judges what is about the server, if agents were chosen
	agents  []*Decider        // judge what is about each agent that was chosen
	across  func() []*Decider // judge what is about several interfaces of each agent; nil if there is one
	whole   *Decider          // of which such a one sees a part; nil for the others
	top     *Decider          // the one that is divided into it and others; nil for that one

	mu   sync.Mutex
	memo map[string]*Result

	moving sync.Once
	moved  []move // all steps, once the fewest that show a failure are looked for
}

// NewDecider prepares the judging of a transcript. A nil cache is a new one.
func NewDecider(d *schema.Dialect, t *wire.Transcript, checks judge.Checks, cache *judge.Cache) *Decider {
	c := newPart(judge.NewCase(d, t, checks, cache))
	c.divide()
	return c
}

func newPart(c *judge.Case) *Decider { return &Decider{Case: c, memo: map[string]*Result{}} }

// Result judges one requirement; the verdict is kept.
func (c *Decider) Result(id string) *Result {
	c.mu.Lock()
	r := c.memo[id]
	c.mu.Unlock()
	if r != nil {
		return r
	}
	req := c.Dialect.Requirement(id)
	if req == nil {
		return &Result{CheckResult: judge.CheckResult{Result: report.Result{ID: id, Level: schema.Must, Area: "unknown", Verdict: report.SuiteError, Reason: "the catalogue has no such requirement", Evidence: []report.Evidence{}, Findings: []report.Finding{}}}}
	}
	if crossed := req.Crossed(); crossed != nil && c.whole != nil {
		req = crossed
	}
	r = c.decide(req)
	c.mu.Lock()
	defer c.mu.Unlock()
	if first := c.memo[id]; first != nil { // judged beside
		return first
	}
	c.memo[id] = r
	return r
}

// Adopt takes over the verdict of another case on a transcript that differs in
// nothing the requirement looks at.
func (c *Decider) Adopt(r *Result) {
	c.mu.Lock()
	c.memo[r.ID] = r
	c.mu.Unlock()
}

// Ahead judges requirements from the last one on, beside whoever asks for one after the
// other from the first one on: each finds the verdicts of the other. The function that is
// returned waits for the end of it.
func (c *Decider) Ahead(ids []string) (end func()) {
	var workers sync.WaitGroup
	var taken atomic.Int64
	for range runtime.GOMAXPROCS(0) - 1 {
		workers.Go(func() {
			for i := len(ids) - int(taken.Add(1)); i >= 0; i = len(ids) - int(taken.Add(1)) {
				c.Result(ids[i])
			}
		})
	}
	return workers.Wait
}

// Judge judges the given requirements, in order.
func (c *Decider) Judge(ids []string) []Result {
	defer c.Ahead(ids)()
	out := make([]Result, len(ids))
	for i, id := range ids {
		out[i] = *c.Result(id)
	}
	return out
}

// JudgeCommon judges the requirements that every dialect shares on all that was recorded. What
// has nothing to say is left out.
func (c *Decider) JudgeCommon(all []schema.Common, recorded *wire.Transcript) (out []Result) {
	c.Recorded = recorded
	for i := range all {
		req := &all[i].Requirement
		if req.Check == "" { // it is judged before a dialect is known
			continue
		}
		if r := c.judge(req); r.Verdict != report.NotApplicable {
			out = append(out, *r)
		}
	}
	return out
}
