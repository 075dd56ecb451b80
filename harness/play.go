package harness

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// stage is where the wanted scenarios are performed.
type stage struct {
	*runner
	ctx      context.Context
	chosen   []cast
	prepared []*scenario.Conversation // of exclusive plays that prepare something
	plays    [][]wire.Play            // attempts at each
}

// play performs the wanted scenarios: the shared ones side by side, the longest
// first, then each exclusive one alone, then the disruptive ones. The one that
// says so is played before all others, since its answers tell whether the server
// has a rate limit; if so, what must not be kept waiting is played alone, once
// there is room for it.
func (r *runner) play(ctx context.Context, chosen []cast) []wire.Play {
	r.ledger.makeRoom(len(chosen))
	s := &stage{r, ctx, chosen, make([]*scenario.Conversation, len(chosen)), make([][]wire.Play, len(chosen))}
	pool := newPool(r.width(chosen))
	for _, c := range chosen {
		c.setting.Room = pool.room
	}
	begun := s.forewords(pool)
	var hurried []int
	for _, i := range longestFirst(chosen) {
		switch sc := chosen[i].scenario; {
		case begun[i]:
		case sc.Class != scenario.Shared && sc.Prepare != nil:
			pool.play(r.wide(chosen[i], cap(pool.slots)), func() { s.prepare(i) })
		case sc.Class != scenario.Shared:
		case sc.Burst > 0 && !r.client.Pace().Ample(len(chosen)*perPlay):
			hurried = append(hurried, i)
		default:
			pool.play(r.wide(chosen[i], cap(pool.slots)), func() { s.perform(i) })
		}
	}
	pool.wait()
	for _, i := range hurried {
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
	for i := range chosen {
		for range again {
			if n := len(s.plays[i]); n > 0 && unlucky(s.plays[i][n-1]) && ctx.Err() == nil && chosen[i].setting.Endpoint.Dead() == "" {
				s.inTime(i)
			}
		}
	}
	for _, class := range []scenario.Class{scenario.Exclusive, scenario.Disruptive} {
		for i, c := range chosen {
			if c.scenario.Class == class {
				s.perform(i)
			}
		}
	}
	return slices.Concat(s.plays...)
}

// forewords performs what the others have to wait for: the play whose answers tell
// of a rate limit, and where messages may be answered without a task the one that
// shows which message makes one. It reports which plays those are.
func (s *stage) forewords(pool *pool) map[int]bool {
	begun := map[int]bool{}
	begin := func(i int, over chan struct{}) {
		begun[i] = true
		pool.play(s.wide(s.chosen[i], cap(pool.slots)), func() { defer close(over); s.perform(i) })
	}
	var limit <-chan time.Time
	first := make(chan struct{})
	if i := slices.IndexFunc(s.chosen, func(c cast) bool { return c.scenario.First }); i >= 0 {
		begin(i, first)
		limit = time.After(foreword) // it goes on beside the others
	} else {
		close(first)
	}
	for i, c := range s.chosen {
		if c.scenario.Greets && c.setting.Dialect.Kind != "" {
			greeted := make(chan struct{})
			begin(i, greeted)
			defer func() { <-greeted }()
		}
	}
	select {
	case <-first:
	case <-limit:
	}
	return begun
}

// perform plays one scenario to its end.
func (s *stage) perform(i int) {
	began := time.Now()
	s.guarded(i, func() {
		c := s.prepared[i]
		if c == nil || len(s.plays[i]) > 0 {
			c = s.open(i)
		}
		if !c.Stopped() && c.Play.Stop == "" {
			s.chosen[i].scenario.Play(c)
		}
		c.Leave()
		s.plays[i] = append(s.plays[i], *c.Play)
		s.ledger.played(i, c.Play)
	})
	if len(s.plays[i]) > 1 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	if s.target.Progress != nil {
		s.target.Progress(Progress{s.chosen[i].scenario.Name, s.done, len(s.chosen), time.Since(began)})
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
				s.fault = fmt.Errorf("the suite failed in the scenario %s: %v\n%s", s.chosen[i].scenario.Name, fault, debug.Stack())
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
// middle of a stream, as it does on the way through a busy proxy.
func unlucky(p wire.Play) bool {
	return slices.ContainsFunc(p.Steps, func(s wire.Step) bool {
		x := s.Exchange
		return s.Late != "" || x != nil && (x.Ended == wire.Timeout || x.Ended == wire.Reset && x.IsStream())
	})
}

// open begins a play. Where something that the scenario needs is missing, the
// play says so and is not to be performed.
func (s *stage) open(i int) *scenario.Conversation {
	sc, setting := s.chosen[i].scenario, s.chosen[i].setting
	play := &wire.Play{Scenario: sc.Name, Attempt: len(s.plays[i]) + 1}
	play.Subject.Agent = s.chosen[i].agent
	play.Stop = missing(sc, setting, s.target.Allow)
	return &scenario.Conversation{Setting: setting, Context: s.ctx, Play: play, Witness: sc.Witness, Double: s.double(s.chosen[i]),
		Publish: func(p *wire.Play) { s.ledger.playing(i, p) }}
}

// missing says what keeps a scenario from being played; "" if nothing does.
func missing(sc scenario.Scenario, s *scenario.Setting, allow []schema.Risk) string {
	if sc.Risk != "" && sc.Risk != schema.Harmless && !slices.Contains(allow, sc.Risk) {
		return fmt.Sprintf("the risk class %s was not allowed", sc.Risk)
	}
	for _, n := range sc.Needs {
		if _, ok := s.Stimuli[n]; !ok {
			return fmt.Sprintf("no message is known that makes the agent show %q", n)
		}
	}
	for _, w := range sc.Words {
		if !slices.Contains(s.Words, w) {
			return fmt.Sprintf("the operator does not declare %s", w)
		}
	}
	if !s.Claimed(sc.Claims...) {
		return fmt.Sprintf("the card does not claim %v", sc.Claims)
	}
	return ""
}
