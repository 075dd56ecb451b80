// Package schedule performs the conversations of a run: it decides which of them are performed at
// the same time, in which order, and which are performed once more.
//
// Run goes through these stages:
//
//  1. The scenario that is marked First starts alone, because its responses show whether the
//     server has a rate limit. The others wait for it, but at most firstPlayTimeout.
//  2. Shared scenarios run in a pool of limited size, the longest first. Other scenarios that have
//     a Prepare do that part here.
//  3. Bursts that the rate limit would have slowed down run one by one, each as soon as the limit
//     has room for all its calls.
//  4. A play that may have suffered from the load of the others is performed again alone, at most
//     Retries times. All attempts are kept.
//  5. Exclusive scenarios run one after the other, then disruptive ones, then the last ones.
package schedule

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

const (
	// firstPlayTimeout bounds how long the other plays wait for the first one.
	firstPlayTimeout = time.Second
	// estimatedCallsPerPlay is a rough average. It decides only whether bursts are deferred.
	estimatedCallsPerPlay = 8
	// maxStartDelay bounds how long a play waits before it begins.
	maxStartDelay = 8 * time.Millisecond
)

// Options are what Run needs to know of a run.
type Options struct {
	Pace        *client.Pace // the rate limit that all calls of the run obey
	IDs         operator.Naming
	Allow       []schema.Risk                      // risks that the operator accepts
	Concurrency int                                // slots of the pool: plays, or calls if the protocol limits those
	Retries     int                                // how often a play that suffered from load is performed again
	Progress    func(operator.Progress)            // is called after each first attempt; may be nil
	Awaits      func(what string, since time.Time) // is called if the play that has run longest is another one; may be nil
	Messages    *conversation.MessageBudget        // how many messages may be sent to the agent; nil for any number
	Decided     CountDecided                       // chooses the plays if not all messages may be sent
	Record      Recorder
}

// Recorder keeps what plays have recorded while they are performed, so that an interrupted run
// loses nothing. Plays are named by their place in the list of assignments.
type Recorder interface {
	ReservePlays(plays int)                   // is called once, before the first play
	KeepOngoingAttempt(i int, p *record.Play) // is called before each wait for the server
	AddEndedAttempt(i int, p *record.Play)    // is called when an attempt has ended
}

// scheduler performs the plays of one run.
type scheduler struct {
	Options
	ctx         context.Context
	assignments []Assignment
	prepared    []*conversation.Conversation // the conversations whose Prepare is done; nil for the others
	attempts    [][]record.Play              // by assignment
	due         []bool                       // by assignment: it is performed now
	past        []bool                       // by assignment: it was performed in an earlier round

	mu       sync.Mutex
	deferred []int         // bursts that the rate limit would have slowed down
	running  []runningPlay // in the order in which they began
	done     int           // assignments with an attempt that has ended
	fault    error         // the first panic of a scenario
}

// Run performs all assignments and returns all attempts at them, in the order of the
// assignments. The error is a fault of a scenario.
func Run(ctx context.Context, o Options, assignments []Assignment) ([]record.Play, error) {
	s := &scheduler{Options: o, ctx: ctx, assignments: assignments,
		prepared: make([]*conversation.Conversation, len(assignments)), attempts: make([][]record.Play, len(assignments)), due: make([]bool, len(assignments)), past: make([]bool, len(assignments))}
	s.Record.ReservePlays(len(assignments))
	pool := newPool(poolSize(assignments, o.Concurrency))
	for _, a := range assignments {
		a.Setting.BorrowSlot = pool.tryBorrowSlot
		a.Setting.Due = func(scenario string) bool { return s.isDue(a.Setting, scenario) }
		a.Setting.Closing = a.Setting.Closing || a.Scenario.ProvesLiveness && s.findObstacle(a) == ""
	}
	if o.Messages != nil {
		s.performWithinBudget(pool)
		return slices.Concat(s.attempts...), s.fault
	}
	for i := range s.due {
		s.due[i] = true
	}
	s.performDue(pool)
	return slices.Concat(s.attempts...), s.fault
}

// isDue reports whether a scenario is performed with a setting now, or was before.
func (s *scheduler) isDue(with *conversation.Setting, scenario string) bool {
	for i, a := range s.assignments {
		if a.Setting == with && a.Scenario.Name == scenario {
			return (s.due[i] || s.past[i]) && s.findObstacle(a) == ""
		}
	}
	return false
}

// performDue performs the plays that are due, in the stages of a run.
func (s *scheduler) performDue(pool *pool) {
	pool.run(s.pooledJobs(pool))
	for _, i := range orderByWeight(s.assignments, s.IDs) {
		if s.due[i] && slices.Contains(s.deferred, i) {
			s.performWhenRateLimitPermits(i)
		}
	}
	for i := range s.assignments {
		for range s.Retries {
			if s.due[i] && s.needsRetry(i) {
				s.performWhenRateLimitPermits(i)
			}
		}
	}
	for _, class := range []conversation.Class{conversation.Exclusive, conversation.Disruptive, conversation.Last} {
		s.performClass(class)
	}
}

// pooledJobs returns the jobs of the pool: the shared plays, and the preparations of exclusive
// ones.
func (s *scheduler) pooledJobs(pool *pool) (jobs []job) {
	first := slices.IndexFunc(s.assignments, func(a Assignment) bool {
		return a.Scenario.First && a.Scenario.Class == conversation.Shared
	})
	if first >= 0 && !s.due[first] {
		first = -1
	}
	for _, i := range orderByWeight(s.assignments, s.IDs) {
		a := s.assignments[i]
		if !s.due[i] {
			continue
		}
		j := job{id: i, slots: slotsOf(a, s.Concurrency, pool.size), after: playsToWaitFor(s.assignments, i)}
		switch {
		case a.Scenario.Class != conversation.Shared && a.Scenario.Prepare != nil:
			j.perform = func() { s.prepare(i) }
		case a.Scenario.Class != conversation.Shared:
			continue
		case a.Scenario.Burst > 0:
			j.perform = func() { s.performOrDeferByRate(i) }
		case a.Scenario.Promises:
			var kept func()
			j.begin = func() { kept = a.Setting.PromiseOffer(a.Scenario.Name) }
			j.perform = func() {
				defer kept()
				s.sleepRandomlyBeforeStart(i)
				s.perform(i)
			}
		default:
			j.perform = func() {
				s.sleepRandomlyBeforeStart(i)
				s.perform(i)
			}
		}
		if first >= 0 && i != first {
			j.after = append(j.after, first)
		}
		jobs = append(jobs, j)
	}
	if first >= 0 { // It comes first, whatever its weight.
		i := slices.IndexFunc(jobs, func(j job) bool { return j.id == first })
		head := pool.withWaitersReleasedAfter(jobs[i], firstPlayTimeout)
		jobs = slices.Insert(slices.Delete(jobs, i, i+1), 0, head)
	}
	return jobs
}

// sleepRandomlyBeforeStart waits for a moment that differs from run to run, so that a server cannot recognise
// the suite by the times of its calls. A run takes no longer, because plays wait at the same time.
func (s *scheduler) sleepRandomlyBeforeStart(i int) {
	a := s.assignments[i]
	if a.Scenario.First || !s.IDs.Varies() {
		return
	}
	share := s.IDs.Choose(1000, "pause", a.Scenario.Name, a.Agent, a.FurtherBinding)
	select {
	case <-time.After(maxStartDelay * time.Duration(share) / 1000):
	case <-s.ctx.Done():
	}
}

// performOrDeferByRate performs a play whose calls must follow each other closely. If the rate limit
// would slow them down, the play is deferred until the pool has ended, and plays that wait for it
// start without it.
func (s *scheduler) performOrDeferByRate(i int) {
	if s.Pace.HasRoom(len(s.assignments) * estimatedCallsPerPlay) {
		s.perform(i)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deferred = append(s.deferred, i)
}

// performWhenRateLimitPermits performs a play once the rate limit has room for its burst, or for all that the
// limit allows. Each call waits for itself too, so it does not matter if that wait was in vain.
func (s *scheduler) performWhenRateLimitPermits(i int) {
	s.Pace.AwaitRoom(s.ctx, max(1, s.assignments[i].Scenario.Burst))
	s.perform(i)
}

// performClass performs the plays of a class one after the other. Those with an aftermath come
// last, and their aftermaths run side by side, because an aftermath only waits for the agent and
// cannot harm the server.
func (s *scheduler) performClass(class conversation.Class) {
	var withAftermath []int
	for i, a := range s.assignments {
		switch {
		case a.Scenario.Class != class || !s.due[i]:
		case a.Scenario.Finish != nil:
			withAftermath = append(withAftermath, i)
		default:
			s.perform(i)
		}
	}
	var finish []func()
	for _, i := range withAftermath {
		finish = append(finish, s.performUpToAftermath(i))
	}
	var aftermaths sync.WaitGroup
	for _, f := range finish {
		aftermaths.Go(f)
	}
	aftermaths.Wait()
}

// perform makes one attempt at a play.
func (s *scheduler) perform(i int) { s.performUpToAftermath(i)() }

// performUpToAftermath makes one attempt at a play but for its aftermath, which the returned
// function adds.
func (s *scheduler) performUpToAftermath(i int) (finish func()) {
	started, sc := time.Now(), s.assignments[i].Scenario
	c, performed := s.prepared[i], false
	s.recordPanicAsRunFault(i, func() {
		if c == nil || len(s.attempts[i]) > 0 {
			c = s.newConversation(i)
		}
		if !c.Stopped() && c.Play.Stop == "" {
			s.markPlayRunning(i)
			sc.Play(c)
			performed = true
		}
	})
	return func() {
		s.recordPanicAsRunFault(i, func() {
			if performed && sc.Finish != nil {
				sc.Finish(c)
			}
			if performed {
				c.Leave()
			}
			s.attempts[i] = append(s.attempts[i], *c.Play)
			s.Record.AddEndedAttempt(i, c.Play)
		})
		s.unmarkPlayRunning(i)
		if len(s.attempts[i]) == 1 {
			s.reportProgress(i, time.Since(started))
		}
	}
}

// runningPlay is a play that has begun and not ended.
type runningPlay struct {
	assignment int
	since      time.Time
}

// markPlayRunning and unmarkPlayRunning keep the list of plays that run, and announce the first.
func (s *scheduler) markPlayRunning(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = append(s.running, runningPlay{i, time.Now()})
	if len(s.running) == 1 {
		s.announceLongestRunningPlay()
	}
}

func (s *scheduler) unmarkPlayRunning(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.running, func(p runningPlay) bool { return p.assignment == i })
	if at < 0 {
		return
	}
	s.running = slices.Delete(s.running, at, at+1)
	if at == 0 {
		s.announceLongestRunningPlay()
	}
}

// announceLongestRunningPlay passes on which play has run longest. The caller holds the lock.
func (s *scheduler) announceLongestRunningPlay() {
	switch {
	case s.Awaits == nil:
	case len(s.running) == 0:
		s.Awaits("", time.Time{})
	default:
		longest := s.assignments[s.running[0].assignment].Scenario
		s.Awaits(longest.Name+": "+longest.Doc, s.running[0].since)
	}
}

// reportProgress reports to the operator that a play has ended.
func (s *scheduler) reportProgress(i int, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	if s.Progress != nil {
		held := slices.ContainsFunc(s.attempts[i], func(p record.Play) bool {
			return slices.ContainsFunc(p.Steps, func(step record.Step) bool { return step.Exchange != nil && step.Of == "" })
		})
		s.Progress(operator.Progress{Scenario: s.assignments[i].Scenario.Name, Doc: s.assignments[i].Scenario.Doc, Done: s.done, Total: len(s.assignments), Took: took, Held: held})
	}
}

// prepare performs the part of an exclusive play that may run while others do.
func (s *scheduler) prepare(i int) {
	s.recordPanicAsRunFault(i, func() {
		c := s.newConversation(i)
		s.prepared[i] = c
		if !c.Stopped() && c.Play.Stop == "" {
			s.assignments[i].Scenario.Prepare(c)
		}
	})
}

// recordPanicAsRunFault calls do and keeps the first panic as the fault of the run.
func (s *scheduler) recordPanicAsRunFault(i int, do func()) {
	defer func() {
		if fault := recover(); fault != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.fault == nil {
				s.fault = fmt.Errorf("a2a-conform failed in the conversation %s: %v\n%s", s.assignments[i].Scenario.Name, fault, debug.Stack())
			}
		}
	}()
	do()
}

// needsRetry reports whether the last attempt at a play may have suffered from the load of other
// plays, and another attempt can be made.
func (s *scheduler) needsRetry(i int) bool {
	n := len(s.attempts[i])
	return n > 0 && s.Messages == nil && hadLateOrBrokenStep(s.attempts[i][n-1]) && s.ctx.Err() == nil && s.assignments[i].Setting.Endpoint.Dead() == ""
}

// hadLateOrBrokenStep reports whether a step was late, a response timed out, or a connection broke in
// the middle of a stream, as it does behind a busy proxy. Steps that the play shares with another
// one are left to that one.
func hadLateOrBrokenStep(p record.Play) bool {
	return slices.ContainsFunc(p.Steps, func(s record.Step) bool {
		x := s.Exchange
		if s.Of != "" {
			return false
		}
		return s.Late != "" || x != nil && (x.Ended == record.Timeout || x.Ended == record.Reset && x.IsStream())
	})
}

// newConversation returns the conversation of the next attempt at a play. If something keeps the
// scenario from being performed, the play records what.
func (s *scheduler) newConversation(i int) *conversation.Conversation {
	a := s.assignments[i]
	play := &record.Play{Scenario: a.Scenario.Name, About: a.Scenario.Doc, Attempt: len(s.attempts[i]) + 1,
		Subject: record.Subject{Agent: a.Agent, Binding: a.Binding},
		Stop:    s.findObstacle(a), Lacks: a.Setting.FirstLacked(a.Scenario.Needs)}
	if a.beyondBudget {
		play.Remedy, play.Lacks = conversation.LargerBudget, ""
	}
	purpose := []string{a.Scenario.Name, strconv.Itoa(play.Attempt), a.Agent}
	if a.FurtherBinding != "" {
		purpose = append(purpose, a.FurtherBinding)
	}
	return &conversation.Conversation{Setting: a.Setting, Context: s.ctx, Play: play, Witness: a.Scenario.ProbesDeadEndpoint, Double: isLongTwoSlotPlay(a, s.Concurrency),
		IDs: s.IDs.IDs(purpose...), Publish: func(p *record.Play) { s.Record.KeepOngoingAttempt(i, p) }}
}

// findObstacle returns what keeps a scenario from being performed: a risk that the operator does
// not accept, a missing stimulus or declaration, a claim that the card does not make, or
// a webhook that the server cannot reach. It is "" if nothing does.
func (s *scheduler) findObstacle(a Assignment) string {
	sc, setting := a.Scenario, a.Setting
	if a.beyondBudget {
		return s.Messages.DescribeSpent()
	}
	if sc.Risk != "" && sc.Risk != schema.Harmless && !slices.Contains(s.Allow, sc.Risk) {
		return sc.Risk.NeedsAllow()
	}
	if n := setting.FirstLacked(sc.Needs); n != "" {
		return operator.NoStimulus(n)
	}
	for _, w := range sc.Declares {
		if !slices.Contains(setting.Words, w) {
			return fmt.Sprintf("your configuration does not set %s", w)
		}
	}
	if !setting.Claimed(sc.Claims...) {
		return card.NotDeclared(sc.Claims...)
	}
	if sc.Webhook && setting.Receiver == nil {
		return "this run offers the server no webhook to deliver to"
	}
	return ""
}
