package engine

// delivery is one announcement that waits for its turn.
type delivery struct {
	to   Push
	task Task
}

// SetPush replaces the push configuration of a task; nil clears it.
func (e *Engine) SetPush(id string, p *Push) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, ok := e.tasks[id]
	if !ok {
		return ErrUnknown
	}
	if t.push == nil || p == nil || !e.o.Defects.PushFirstKept {
		t.setPush(p)
	}
	return nil
}

// Push returns the push configuration of a task, nil if it has none.
func (e *Engine) Push(id string) (*Push, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, ok := e.tasks[id]
	if !ok {
		return nil, ErrUnknown
	}
	return t.push, nil
}

func (t *task) setPush(p *Push) {
	if t.firstPush == nil {
		t.firstPush = p
	}
	t.push = p
}

// notify queues an announcement of the task as it is now. One goroutine per
// task delivers, so that a receiver sees the changes in order. The caller
// holds e.mu.
func (e *Engine) notify(t *task) {
	to := t.push
	if e.o.Defects.PushToFirst {
		to = t.firstPush
	}
	if to == nil || e.o.Deliver == nil || e.o.Defects.PushNever {
		return
	}
	t.deliveries = append(t.deliveries, delivery{*to, t.snapshot()})
	if !t.delivering {
		t.delivering = true
		e.spawn(func() { e.deliver(t) })
	}
}

// deliver empties the task's queue. A receiver that fails loses the
// announcement: the protocols ask for no second attempt.
func (e *Engine) deliver(t *task) {
	for {
		e.mu.Lock()
		if len(t.deliveries) == 0 {
			t.delivering = false
			e.mu.Unlock()
			return
		}
		d := t.deliveries[0]
		t.deliveries = t.deliveries[1:]
		e.mu.Unlock()
		if err := e.o.Deliver(e.ctx, d.to, d.task); err != nil && e.ctx.Err() != nil {
			return
		}
	}
}
