package engine

import (
	"cmp"
	"slices"
)

// A pushQueue holds the announcements that wait for one receiver.
type pushQueue struct {
	waiting []delivery
	busy    bool
}

// delivery is one announcement that waits for its turn.
type delivery struct {
	to    Push
	task  Task
	event Event
}

// SetPush adds a push configuration to a task, or replaces the one of the same
// id, and returns it as it is kept; nil clears them all.
func (e *Engine) SetPush(id string, p *Push) (*Push, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, ok := e.tasks[id]
	switch {
	case !ok:
		return nil, ErrUnknown
	case p == nil:
		t.pushes = nil
		return nil, nil
	case len(t.pushes) > 0 && e.o.Defects.PushFirstKept:
		return p, nil
	}
	kept := e.setPush(t, *p)
	return &kept, nil
}

// Pushes returns the push configurations of a task in the order in which they
// were set first.
func (e *Engine) Pushes(id string) ([]Push, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, ok := e.tasks[id]
	if !ok {
		return nil, ErrUnknown
	}
	return slices.DeleteFunc(slices.Clone(t.pushes), func(p Push) bool { return p.hidden }), nil
}

// DeletePush removes a push configuration, if the task has it. What waits to be
// delivered to it is dropped.
func (e *Engine) DeletePush(id, config string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, ok := e.tasks[id]
	if !ok {
		return ErrUnknown
	}
	i := slices.IndexFunc(t.pushes, func(p Push) bool { return p.ID == config })
	switch {
	case i < 0:
		return nil
	case e.o.Defects.PushUndead:
		t.pushes[i].hidden = true
		return nil
	}
	t.pushes = slices.Delete(t.pushes, i, i+1)
	if l := t.pushQueues[config]; l != nil {
		l.waiting = nil
	}
	return nil
}

// setPush keeps a configuration. The caller holds e.mu.
func (e *Engine) setPush(t *task, p Push) Push {
	p.ID = cmp.Or(p.ID, t.ID)
	if t.firstPush == nil {
		t.firstPush = &p
	}
	i := slices.IndexFunc(t.pushes, func(old Push) bool { return old.ID == p.ID })
	switch {
	case e.o.Defects.PushSingle:
		t.pushes = []Push{p}
	case i < 0 || e.o.Defects.PushDoubled:
		t.pushes = append(t.pushes, p)
	default:
		t.pushes[i] = p
	}
	return p
}

// queuePushes queues an announcement of the task as it is now for each receiver. Pieces of
// artifacts are announced to those that want events.
// One goroutine delivers to each, so that it sees the changes in order and a
// slow one holds up no other. The caller holds e.mu.
func (e *Engine) queuePushes(t *task, ev Event) {
	if e.o.Deliver == nil || e.o.Defects.PushNever {
		return
	}
	for _, to := range t.pushes {
		if e.o.Defects.PushToFirst {
			to = *t.firstPush
		}
		if ev.Artifact != nil && !to.Events {
			continue
		}
		if e.o.Defects.PushBlocks {
			e.o.Deliver(e.ctx, to, t.copyTaskSharingParts(), ev)
			continue
		}
		if t.pushQueues == nil {
			t.pushQueues = make(map[string]*pushQueue)
		}
		l := t.pushQueues[to.ID]
		if l == nil {
			l = new(pushQueue)
			t.pushQueues[to.ID] = l
		}
		l.waiting = append(l.waiting, delivery{to, t.copyTaskSharingParts(), ev})
		if !l.busy {
			l.busy = true
			e.startWorkUnlessClosed(func() { e.deliverQueuedPushes(l) })
		}
	}
}

// deliverQueuedPushes empties a lane. A receiver that fails loses the announcement: the
// protocols ask for no second attempt.
func (e *Engine) deliverQueuedPushes(l *pushQueue) {
	for {
		e.mu.Lock()
		if len(l.waiting) == 0 {
			l.busy = false
			e.mu.Unlock()
			return
		}
		d := l.waiting[0]
		l.waiting = l.waiting[1:]
		e.mu.Unlock()
		err := e.o.Deliver(e.ctx, d.to, d.task, d.event)
		if err != nil && e.ctx.Err() != nil {
			return
		}
		if err != nil && e.o.Defects.PushFatal {
			e.spoilTask(d.task.ID, err)
		}
	}
}
