package engine

import (
	"context"
	"time"
)

// A Subscription receives the events of one task from the moment it was made
// to the end of the turn.
type Subscription struct {
	Task   string
	Start  Task // as it was when the subscription was made
	engine *Engine
	turn   *turn
	queue  []Event
	ready  chan struct{}
	ended  bool
	beyond bool // it continues when a turn ends with a question
}

// Subscribe follows a task whose turn is still under way.
func (e *Engine) Subscribe(id string) (*Subscription, error) {
	return e.followUntil(State.Final, id, false)
}

// Await follows a task, also one that waits, until it has ended.
func (e *Engine) Await(id string) (*Subscription, error) {
	return e.followUntil(State.Terminal, id, true)
}

// followUntil follows a task unless it is in a state after which nothing comes.
func (e *Engine) followUntil(over func(State) bool, id string, beyond bool) (*Subscription, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, ok := e.tasks[id]
	switch {
	case !ok:
		return nil, ErrUnknown
	case over(t.Status.State):
		return nil, ErrFinished
	}
	t.streamed = true
	s := e.addSubscription(t)
	s.beyond = beyond
	s.Start = t.copyTaskSharingParts()
	return s, nil
}

// Beyond makes a subscription go on when a turn ends with a question.
func (s *Subscription) Beyond() {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	s.beyond = true
}

// addSubscription is Subscribe for a caller that holds e.mu.
func (e *Engine) addSubscription(t *task) *Subscription {
	s := &Subscription{Task: t.ID, engine: e, turn: t.turn, ready: make(chan struct{}, 1)}
	e.subs[s] = struct{}{}
	return s
}

// Next waits for the next event. It reports false once the turn has ended or
// ctx is done.
func (s *Subscription) Next(ctx context.Context) (Event, bool) {
	for {
		s.engine.mu.Lock()
		if len(s.queue) > 0 {
			ev := s.queue[0]
			s.queue = s.queue[1:]
			s.engine.mu.Unlock()
			return ev, true
		}
		ended := s.ended
		s.engine.mu.Unlock()
		if ended {
			return Event{}, false
		}
		select {
		case <-s.ready:
		case <-ctx.Done():
			return Event{}, false
		}
	}
}

// Settle waits for the end of the turn, and once the turn takes time no longer
// than patience. It skips the events.
func (s *Subscription) Settle(ctx context.Context, patience time.Duration) {
	busy := s.turn.busy
	var enough <-chan time.Time
	for {
		s.engine.mu.Lock()
		ended := s.ended
		s.engine.mu.Unlock()
		if ended {
			return
		}
		select {
		case <-s.ready:
		case <-busy:
			busy = nil
			timer := time.NewTimer(patience)
			defer timer.Stop()
			enough = timer.C
		case <-enough:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Close ends the subscription; the task continues.
func (s *Subscription) Close() {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	delete(s.engine.subs, s)
	s.ended = true
}

// Leave ends the subscription, whose reader may have gone.
func (s *Subscription) Leave(gone bool) {
	if gone {
		s.Abandon()
		return
	}
	s.Close()
}

// Abandon ends the subscription because its reader has gone; the task continues.
func (s *Subscription) Abandon() {
	s.Close()
	s.engine.mu.Lock()
	if t, ok := s.engine.tasks[s.Task]; ok {
		t.streamed = true
		for other := range s.engine.subs {
			if s.engine.o.Defects.DropEndsAll && other.Task == s.Task {
				other.ended = true
				delete(s.engine.subs, other)
				other.signalReady()
			}
		}
		if s.engine.o.Defects.DropStalls {
			t.turn.cancel()
		}
	}
	s.engine.mu.Unlock()
	if s.engine.o.Defects.DropCancels {
		s.engine.Cancel(s.Task)
	}
}

// queueEvent queues ev. The caller holds Engine.mu.
func (s *Subscription) queueEvent(ev Event) {
	if s.ended {
		return
	}
	s.queue = append(s.queue, ev)
	if ev.Final && ev.Task == s.Task && !(s.beyond && ev.Status.State.Paused()) {
		s.ended = true
		delete(s.engine.subs, s)
	}
	s.signalReady()
}

func (s *Subscription) signalReady() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// publishToSubscribers hands an event to the task's subscribers and returns it. The caller holds e.mu.
func (e *Engine) publishToSubscribers(t *task, ev Event) Event {
	ev.Task, ev.Session, ev.Time, ev.Reply = t.ID, t.Session, e.nonDecreasingTime(), t.turn.reply
	for s := range e.subs {
		if s.Task == t.ID || e.o.Defects.ChunksBroadcast && ev.Artifact != nil && ev.Artifact.Chunked {
			s.queueEvent(ev)
		}
	}
	return ev
}
