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
}

// Subscribe follows a task whose turn is still under way.
func (e *Engine) Subscribe(id string) (*Subscription, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, ok := e.tasks[id]
	switch {
	case !ok:
		return nil, ErrUnknown
	case t.Status.State.Final():
		return nil, ErrFinished
	}
	t.streamed = true
	s := e.subscribe(t)
	s.Start = t.snapshot()
	return s, nil
}

// subscribe is Subscribe for a caller that holds e.mu.
func (e *Engine) subscribe(t *task) *Subscription {
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

// Close ends the subscription; the task goes on.
func (s *Subscription) Close() {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	delete(s.engine.subs, s)
	s.ended = true
}

// Abandon ends the subscription because its reader has gone; the task goes on.
func (s *Subscription) Abandon() {
	s.Close()
	s.engine.mu.Lock()
	if t, ok := s.engine.tasks[s.Task]; ok {
		t.streamed = true
		if s.engine.o.Defects.DropStalls {
			t.turn.cancel()
		}
	}
	s.engine.mu.Unlock()
	if s.engine.o.Defects.DropCancels {
		s.engine.Cancel(s.Task)
	}
}

// push queues ev. The caller holds Engine.mu.
func (s *Subscription) push(ev Event) {
	if s.ended {
		return
	}
	s.queue = append(s.queue, ev)
	if ev.Final && ev.Task == s.Task {
		s.ended = true
		delete(s.engine.subs, s)
	}
	s.wake()
}

func (s *Subscription) wake() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// publish hands an event to the task's subscribers. The caller holds e.mu.
func (e *Engine) publish(t *task, ev Event) {
	ev.Task, ev.Session, ev.Time, ev.Reply = t.ID, t.Session, e.now(), t.turn.reply
	for s := range e.subs {
		if s.Task == t.ID || e.o.Defects.ChunksBroadcast && ev.Artifact != nil && ev.Artifact.Chunked {
			s.push(ev)
		}
	}
}
