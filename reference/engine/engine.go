// Package engine is the working half of the reference server: scripted
// agents, their tasks, the events they cause, and the deliveries that announce
// them. It knows no wire format; each dialect translates.
package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"time"
)

// The reasons for which the engine refuses.
var (
	ErrUnknown  = errors.New("no such task")
	ErrFinished = errors.New("the task has ended")
	ErrBusy     = errors.New("the task is working")
	ErrFull     = errors.New("too many tasks of the session are under way")
)

// Options configure an Engine. The zero value is a working engine.
type Options struct {
	Latency time.Duration                                  // work added to every turn
	Serial  bool                                           // the agent works on one message at a time
	Rich    bool                                           // answers come with artifacts, metadata and every kind of part
	Asks    bool                                           // a question leaves its task waiting; otherwise it ends it
	Rejects bool                                           // tasks can be rejected, and wait for credentials, in states of their own
	Pays    bool                                           // some work has to be paid for
	Tasks   int                                            // of one session under way at the same time; 0: any number
	NewID   func() string                                  // names tasks and messages
	Deliver func(context.Context, Push, Task, Event) error // announces a change of a task
	Defects Defects
}

// A Request is one message to an agent.
type Request struct {
	Task    string // empty: the engine chooses the id
	Session string
	Message Message
	Push    *Push
	Modes   []string // MIME types the client accepts in what comes of it; empty: any
	Stream  bool     // the client follows what comes of it
}

// An Engine runs tasks.
type Engine struct {
	o    Options
	ctx  context.Context
	stop context.CancelFunc
	work sync.WaitGroup
	desk chan struct{} // is full while a serial agent works

	mu      sync.Mutex
	closed  bool
	tasks   map[string]*task
	memory  map[string][]string // by session
	subs    map[*Subscription]struct{}
	clock   time.Time
	changes int // of a status, in all tasks
}

// task is the record behind the snapshots. All members are guarded by
// Engine.mu.
type task struct {
	Task
	created    time.Time
	turn       *turn
	pushes     []Push
	firstPush  *Push
	pushQueues map[string]*pushQueue // by the id of a configuration
	streamed   bool                  // a stream of the task was lost or taken up again
	questions  int                   // that the agent still has once it got an answer
	untilFinal bool                  // the agent asks until the answer is the final one
	born       int                   // the number of its first status
	changed    int                   // the number of its latest status among those of all tasks
}

// New returns an engine that runs until Close.
func New(o Options) *Engine {
	if o.NewID == nil {
		o.NewID = rand.Text
	}
	e := &Engine{
		o:      o,
		desk:   make(chan struct{}, 1),
		tasks:  make(map[string]*task),
		memory: make(map[string][]string),
		subs:   make(map[*Subscription]struct{}),
	}
	e.ctx, e.stop = context.WithCancel(context.Background())
	return e
}

// Close stops every task and delivery and waits for them.
func (e *Engine) Close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.stop()
	e.work.Wait()
}

// startWorkUnlessClosed runs f unless the engine is closed. The caller holds e.mu.
func (e *Engine) startWorkUnlessClosed(f func()) {
	if !e.closed {
		e.work.Go(f)
	}
}

// Send gives a message to an agent, on a new task or on one that waits for
// input, and returns a subscription that misses none of the turn's events.
func (e *Engine) Send(r Request) (*Subscription, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r.Task == "" {
		r.Task = e.o.NewID()
	}
	if r.Message.ID == "" {
		r.Message.ID = e.o.NewID()
	}
	t, found := e.tasks[r.Task]
	if found {
		switch s := t.Status.State; {
		case s.Terminal() && !e.o.Defects.ReopenFinished && !(e.o.Defects.ReopenStreamed && r.Stream):
			return nil, ErrFinished
		case s == Submitted || s == Working:
			return nil, ErrBusy
		}
	} else {
		if e.o.Tasks > 0 && r.Session != "" && e.underWay(r.Session) >= e.o.Tasks {
			return nil, ErrFull
		}
		t = &task{Task: Task{ID: r.Task, Session: r.Session}, created: e.nonDecreasingTime()}
		e.tasks[r.Task] = t
	}
	waiting := t.Status.State.Paused()
	owing := waiting && isUnpaid(t, r.Message)
	if waiting {
		e.spoilContinued(t)
	} else if !found {
		e.spoilCreated(t, r.Message)
	}
	if r.Push != nil {
		e.setPush(t, *r.Push)
	}
	if e.o.Rich {
		t.Metadata = map[string]any{"engine": "reference", "turn": len(t.History)/2 + 1}
	}
	t.History = append(t.History, r.Message)

	ctx, cancel := context.WithCancel(e.ctx)
	u := &turn{
		Context: ctx,
		engine:  e,
		task:    t,
		text:    r.Message.joinTexts(),
		modes:   r.Modes,
		active:  r.Message.Extensions,
		unpaid:  owing,
		reply:   e.o.NewID(),
		cancel:  cancel,
		busy:    make(chan struct{}),
	}
	t.turn = u
	sub := e.addSubscription(t)
	if found {
		e.announceStatusIfTurnCurrent(u, u.workingStatus("Working on it."))
	} else {
		e.announceStatusIfTurnCurrent(u, Status{State: Submitted})
	}
	sub.Start = t.copyTaskSharingParts()
	e.startWorkUnlessClosed(func() {
		defer cancel()
		u.runScript(found, waiting)
	})
	return sub, nil
}

// underWay counts the tasks of a session that have not ended. The caller holds
// e.mu.
func (e *Engine) underWay(session string) (n int) {
	for _, t := range e.tasks {
		if t.Session == session && !t.Status.State.Terminal() {
			n++
		}
	}
	return n
}

// Task returns the task as it is now.
func (e *Engine) Task(id string) (Task, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, ok := e.tasks[id]
	if !ok {
		return Task{}, ErrUnknown
	}
	return t.copyTaskSharingParts(), nil
}

// A Listed task is a task with its place in the order of changes.
type Listed struct {
	Task
	Changed int // the higher, the later its status was set
}

// Tasks returns all tasks, those whose status changed last first.
func (e *Engine) Tasks() []Listed {
	e.mu.Lock()
	defer e.mu.Unlock()
	var list []Listed
	for _, t := range e.tasks {
		place := t.changed
		if e.o.Defects.ListedByBirth {
			place = t.born
		}
		list = append(list, Listed{t.copyTaskSharingParts(), place})
	}
	slices.SortFunc(list, func(a, b Listed) int { return b.Changed - a.Changed })
	return list
}

// Cancel ends a running or waiting task.
func (e *Engine) Cancel(id string) (Task, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, ok := e.tasks[id]
	switch {
	case !ok:
		return Task{}, ErrUnknown
	case t.Status.State.Terminal() && !e.o.Defects.CancelFinished:
		return t.copyTaskSharingParts(), ErrFinished
	}
	canceled := Status{State: Canceled, Message: t.turn.newMessage("Canceled on request.")}
	if spoilt, ok := e.spoilCanceled(t, canceled); ok {
		return spoilt, nil
	}
	t.turn.cancel()
	e.announceStatusIfTurnCurrent(t.turn, canceled)
	if e.o.Defects.CancelDeletes {
		delete(e.tasks, id)
	}
	return t.copyTaskSharingParts(), nil
}

// announceStatusIfTurnCurrent records a status of the turn u and announces it. A turn that was
// canceled or replaced has no say any more. The caller holds e.mu.
func (e *Engine) announceStatusIfTurnCurrent(u *turn, s Status) {
	t := u.task
	if t.turn != u || t.Status.State.Terminal() && !e.mayLeave(t, s.State) {
		return
	}
	s.Time = e.nonDecreasingTime()
	if e.o.Defects.StaleClock && s.State == Completed {
		s.Time = t.created.Add(-10 * time.Millisecond) // earlier than what came before, however fast that was
	}
	if e.o.Defects.ClockSetBack && s.State == Completed {
		s.Time = s.Time.AddDate(-20, 0, 0)
	}
	t.Status = s
	e.changes++
	t.changed = e.changes
	if t.born == 0 {
		t.born = e.changes
	}
	if s.Message != nil && s.State.Final() {
		t.History = append(t.History, *s.Message)
	}
	e.queuePushes(t, e.publishToSubscribers(t, Event{Status: &s, Final: s.State.Final()}))
}

// storeAndAnnounceArtifact adds a piece to the task's artifacts and announces it. The caller
// holds e.mu.
func (e *Engine) storeAndAnnounceArtifact(u *turn, a Artifact) {
	t := u.task
	if t.turn != u || t.Status.State.Terminal() {
		return
	}
	kept := a
	kept.Append, kept.Last, kept.Chunked = false, false, false
	i := slices.IndexFunc(t.Artifacts, func(old Artifact) bool { return old.Index == a.Index })
	switch {
	case i < 0:
		t.Artifacts = append(t.Artifacts, kept)
	case a.Append && e.o.Defects.ChunksApart:
		kept.Index = len(t.Artifacts)
		t.Artifacts = append(slices.Clone(t.Artifacts), kept)
	case a.Append && !e.o.Defects.LastChunkOnly:
		t.Artifacts = slices.Clone(t.Artifacts)
		t.Artifacts[i].Parts = slices.Concat(t.Artifacts[i].Parts, a.Parts)
	default:
		t.Artifacts = slices.Clone(t.Artifacts)
		t.Artifacts[i] = kept
	}
	e.queuePushes(t, e.publishToSubscribers(t, Event{Artifact: &a}))
}

// nonDecreasingTime returns a time that never runs backwards. The caller holds e.mu.
func (e *Engine) nonDecreasingTime() time.Time {
	if t := time.Now().UTC().Truncate(time.Millisecond); t.After(e.clock) {
		e.clock = t
	}
	return e.clock
}

func (t *task) copyTaskSharingParts() Task {
	s := t.Task
	s.Artifacts = slices.Clone(t.Artifacts)
	s.History = slices.Clone(t.History)
	return s
}

func (m Message) joinTexts() string {
	var s string
	for _, p := range m.Parts {
		if p.Text != nil {
			s += *p.Text
		}
	}
	return s
}
