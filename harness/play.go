package harness

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// stage is where the wanted scenarios are performed.
type stage struct {
	*runner
	ctx      context.Context
	chosen   []cast
	prepared []*conversation.Conversation // of exclusive plays that prepare something
	plays    [][]record.Play              // attempts at each
	hurried  []int                        // must not be kept waiting, and would have been
}

// play performs the wanted scenarios: the shared ones side by side, the heaviest
// first, then the exclusive ones alone, then the disruptive ones and what comes last. The one that
// says so is played before all others, since its answers tell whether the server
// has a rate limit; if so, what must not be kept waiting is played alone, once
// there is room for it.
func (r *runner) play(ctx context.Context, chosen []cast) []record.Play {
	r.ledger.makeRoom(len(chosen))
	s := &stage{runner: r, ctx: ctx, chosen: chosen, prepared: make([]*conversation.Conversation, len(chosen)), plays: make([][]record.Play, len(chosen))}
	pool := newPool(r.width(chosen))
	for _, c := range chosen {
		c.setting.Room = pool.room
		c.setting.Closing = c.setting.Closing || c.scenario.Closes && missing(c.scenario, c.setting, r.target.Allow) == ""
	}
	pool.run(s.jobs(pool))
	for _, i := range s.inOrder(s.hurried) {
		s.inTime(i)
	}
	// What went wrong in company may only have been waiting for its turn: it is
	// played once more alone, before anything that may harm the server, and all
	// attempts are kept. The bundled server's invocations cost nobody anything, so
	// that it is asked again where the machine is too busy even for that.
	again := 1
	if r.target.Bundled {
		again = 3
	}
	if n := r.target.Retries; n > 0 {
		again = n
	}
	for i := range chosen {
		for range again {
			if n := len(s.plays[i]); n > 0 && unlucky(s.plays[i][n-1]) && ctx.Err() == nil && chosen[i].setting.Endpoint.Dead() == "" {
				s.inTime(i)
			}
		}
	}
	s.alone(conversation.Exclusive)
	s.alone(conversation.Disruptive)
	s.alone(conversation.Last)
	return slices.Concat(s.plays...)
}

// jobs are what goes on in the pool: the shared plays, and what exclusive ones
// prepare. All but the play that greets wait for the one whose answers tell of a
// rate limit; it may go on beside them.
func (s *stage) jobs(pool *pool) (out []job) {
	first := slices.IndexFunc(s.chosen, func(c cast) bool { return c.scenario.First })
	for _, i := range heaviestFirst(s.chosen, s.target.IDs) {
		c := s.chosen[i]
		j := job{id: i, wide: s.wide(c, pool.size), after: awaited(s.chosen, i)}
		switch {
		case c.scenario.Class != conversation.Shared && c.scenario.Prepare != nil:
			j.perform = func() { s.prepare(i) }
		case c.scenario.Class != conversation.Shared:
			continue
		case c.scenario.Burst > 0:
			j.perform = func() { s.hurry(i) }
		default:
			j.perform = func() {
				s.pauseBefore(i)
				s.perform(i)
			}
		}
		if first >= 0 && i != first {
			j.after = append(j.after, first)
		}
		out = append(out, j)
	}
	if first >= 0 { // at the head, whatever its weight
		i := slices.IndexFunc(out, func(j job) bool { return j.id == first })
		head := s.foreword(pool, out[i])
		out = slices.Insert(slices.Delete(out, i, i+1), 0, head)
	}
	return out
}

// longestPause is how long a play waits at most before it begins.
const longestPause = 8 * time.Millisecond

// pauseBefore waits for a moment that no two runs choose alike, so that a server does not know the
// suite by when its calls come. A run takes as long as without pauses (the medians of 14 runs
// of A2A 1.0 and of 0.1 are alike), since plays wait side by side.
func (s *stage) pauseBefore(i int) {
	c := s.chosen[i]
	if c.scenario.First || !s.target.IDs.Varies() {
		return
	}
	share := s.target.IDs.Choose(1000, "pause", c.scenario.Name, c.agent, c.beside)
	timer := time.NewTimer(longestPause * time.Duration(share) / 1000)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.ctx.Done():
	}
}

// foreword is a job that the others wait for no longer than so long.
func (s *stage) foreword(pool *pool, j job) job {
	perform := j.perform
	j.perform = func() {
		limit := time.AfterFunc(foreword, func() { pool.pass(j.id) })
		defer limit.Stop()
		perform()
	}
	return j
}

// hurry performs a play whose calls must follow each other closely, unless the
// server's rate limit would keep them waiting.
func (s *stage) hurry(i int) {
	if s.client.Pace().Ample(len(s.chosen) * perPlay) {
		s.perform(i)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hurried = append(s.hurried, i)
}

// inOrder are the chosen, as they would have been begun.
func (s *stage) inOrder(chosen []int) []int {
	return slices.DeleteFunc(heaviestFirst(s.chosen, s.target.IDs), func(i int) bool { return !slices.Contains(chosen, i) })
}

// alone performs the plays of a class one after the other. What follows of those
// that have an aftermath, in which nothing is done that could harm the server, goes
// on side by side.
func (s *stage) alone(class conversation.Class) {
	var aftermath []int
	for i, c := range s.chosen {
		switch {
		case c.scenario.Class != class:
		case c.scenario.Aftermath != nil:
			aftermath = append(aftermath, i)
		default:
			s.perform(i)
		}
	}
	var finish []func()
	for _, i := range aftermath {
		finish = append(finish, s.begin(i))
	}
	var under sync.WaitGroup
	for _, do := range finish {
		under.Go(do)
	}
	under.Wait()
}

// perform plays one scenario to its end.
func (s *stage) perform(i int) { s.begin(i)() }

// begin plays one scenario up to its aftermath, and returns what finishes it.
func (s *stage) begin(i int) (finish func()) {
	began, sc := time.Now(), s.chosen[i].scenario
	c, held := s.prepared[i], false
	s.guarded(i, func() {
		if c == nil || len(s.plays[i]) > 0 {
			c = s.open(i)
		}
		if !c.Stopped() && c.Play.Stop == "" {
			sc.Play(c)
			held = true
		}
	})
	return func() {
		s.guarded(i, func() {
			if held && sc.Aftermath != nil {
				sc.Aftermath(c)
			}
			if held {
				c.Leave()
			}
			s.plays[i] = append(s.plays[i], *c.Play)
			s.ledger.played(i, c.Play)
		})
		if len(s.plays[i]) == 1 {
			s.tell(i, time.Since(began))
		}
	}
}

// tell tells the operator of a play that is over.
func (s *stage) tell(i int, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	if s.target.Progress != nil {
		s.target.Progress(operator.Progress{Scenario: s.chosen[i].scenario.Name, Done: s.done, Total: len(s.chosen), Took: took})
	}
}

// prepare does what an exclusive play needs and may do in company.
func (s *stage) prepare(i int) {
	s.guarded(i, func() {
		c := s.open(i)
		s.prepared[i] = c
		if !c.Stopped() && c.Play.Stop == "" {
			s.chosen[i].scenario.Prepare(c)
		}
	})
}

// inTime plays a scenario that must not be kept waiting once there is room for
// its calls; if there is none, the play says so.
func (s *stage) inTime(i int) {
	s.client.Pace().Room(s.ctx, max(1, s.chosen[i].scenario.Burst))
	s.perform(i)
}

// guarded keeps the first fault of ours for the report.
func (s *stage) guarded(i int, do func()) {
	defer func() {
		if fault := recover(); fault != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.fault == nil {
				s.fault = fmt.Errorf("a2a-conform failed in the conversation %s: %v\n%s", s.chosen[i].scenario.Name, fault, debug.Stack())
			}
		}
	}()
	do()
}

// perPlay is how many calls a play makes on average.
const perPlay = 8

// foreword bounds how long the others wait for the first play.
const foreword = time.Second

// unlucky reports whether a play may have suffered from its company: a move
// came too late, an answer did not come in time, or the connection broke in the
// middle of a stream, as it does on the way through a busy proxy. What is another play's
// is that one's own affair.
func unlucky(p record.Play) bool {
	return slices.ContainsFunc(p.Steps, func(s record.Step) bool {
		x := s.Exchange
		if s.Of != "" {
			return false
		}
		return s.Late != "" || x != nil && (x.Ended == record.Timeout || x.Ended == record.Reset && x.IsStream())
	})
}

// open begins a play. Where something that the scenario needs is missing, the
// play says so and is not to be performed.
func (s *stage) open(i int) *conversation.Conversation {
	sc, setting := s.chosen[i].scenario, s.chosen[i].setting
	play := &record.Play{Scenario: sc.Name, Attempt: len(s.plays[i]) + 1}
	play.Subject = record.Subject{Agent: s.chosen[i].agent, Binding: s.chosen[i].binding}
	play.Stop = missing(sc, setting, s.target.Allow)
	play.Lacks = setting.FirstLacked(sc.Needs)
	purpose := []string{sc.Name, strconv.Itoa(play.Attempt), play.Subject.Agent}
	if beside := s.chosen[i].beside; beside != "" {
		purpose = append(purpose, beside)
	}
	return &conversation.Conversation{Setting: setting, Context: s.ctx, Play: play, Witness: sc.Witness, Double: s.double(s.chosen[i]),
		IDs: s.target.IDs.IDs(purpose...), Publish: func(p *record.Play) { s.ledger.playing(i, p) }}
}

// missing says what keeps a scenario from being played; "" if nothing does.
func missing(sc conversation.Scenario, s *conversation.Setting, allow []schema.Risk) string {
	if sc.Risk != "" && sc.Risk != schema.Harmless && !slices.Contains(allow, sc.Risk) {
		return sc.Risk.NeedsAllow()
	}
	if n := s.FirstLacked(sc.Needs); n != "" {
		return operator.NoStimulus(n)
	}
	for _, w := range sc.Words {
		if !slices.Contains(s.Words, w) {
			return fmt.Sprintf("your configuration does not set %s", w)
		}
	}
	if !s.Claimed(sc.Claims...) {
		return card.NotDeclared(sc.Claims...)
	}
	return ""
}
