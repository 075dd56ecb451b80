package engine

import (
	"slices"
	"time"
)

// Defects are faults that cannot be made by editing a reply, because they show
// in what the engine does later. The zero value is a healthy engine.
type Defects struct {
	ReopenFinished    bool // a message to a finished task runs it again
	ReopenStreamed    bool // a message to a finished task runs it again if the client wants a stream
	CancelFinished    bool // a finished task can be canceled
	CancelForgotten   bool // cancel answers canceled and changes nothing
	CancelIgnored     bool // cancel answers with the unchanged task
	CancelUndone      bool // the worker overwrites canceled with its own end
	CancelSilent      bool // cancel ends open streams without an event
	CancelDeletes     bool // cancel deletes the task
	StaleClock        bool // completion carries the time just before its creation
	ClockSetBack      bool // completion carries a time of twenty years ago
	StopUnwatched     bool // background work is dropped when the request ends
	DropCancels       bool // a lost stream cancels its task
	DropStalls        bool // a lost stream leaves its task working for ever
	ChunksApart       bool // each chunk is stored as an artifact of its own
	LastChunkOnly     bool // an appended chunk replaces what was stored
	HistoryRestarts   bool // an answer replaces the earlier messages
	HistoryMixed      bool // tasks begun together share their first messages
	SessionLost       bool // an answer without session clears the session
	OneTaskPerSession bool // a session's new task replaces the earlier one
	SharedMemory      bool // all sessions share one memory
	ChunksBroadcast   bool // every subscriber receives every chunk
	PushNever         bool // nothing is ever delivered
	PushToFirst       bool // deliveries go to the first configuration
	PushFirstKept     bool // a second configuration is dropped
	PushDoubled       bool // a configuration set anew is next to the old one
	PushSingle        bool // a second configuration removes the first
	PushUndead        bool // a deleted configuration is not shown and continues receiving
	Forgets           bool // nothing is remembered
	ListedByBirth     bool // tasks are listed by the time they were begun
	DropEndsAll       bool // a lost stream ends all others of its task
	PushBlocks        bool // everything waits for a delivery
	PushFatal         bool // a delivery that fails makes the task fail
}

// mayLeave reports whether a defect lets t leave a terminal state for to.
func (e *Engine) mayLeave(t *task, to State) bool {
	d, from := e.o.Defects, t.Status.State
	return (d.ReopenFinished || d.ReopenStreamed) && from != Canceled ||
		d.CancelFinished && to == Canceled ||
		d.CancelUndone && from == Canceled && to != Working
}

// spoilContinued damages a task that an answer is about to continue.
func (e *Engine) spoilContinued(t *task) {
	if e.o.Defects.HistoryRestarts {
		t.History = nil
	}
	if e.o.Defects.SessionLost {
		t.Session = ""
	}
}

// spoilCreated damages a new task, whose first message is m, and its
// neighbours.
func (e *Engine) spoilCreated(t *task, m Message) {
	d := e.o.Defects
	for id, old := range e.tasks {
		if old == t {
			continue
		}
		if d.OneTaskPerSession && t.Session != "" && old.Session == t.Session {
			delete(e.tasks, id)
		}
		if d.HistoryMixed && t.created.Sub(old.created) < 300*time.Millisecond {
			t.History = append(t.History, old.History[0])
			old.History = slices.Insert(old.History, 0, m)
		}
	}
}

// spoilCanceled damages a cancellation; ok reports that it is dealt with.
func (e *Engine) spoilCanceled(t *task, s Status) (reply Task, ok bool) {
	d := e.o.Defects
	reply = t.copyTaskSharingParts()
	switch {
	case d.CancelForgotten:
		s.Time = e.nonDecreasingTime()
		reply.Status = s
		return reply, true
	case d.CancelIgnored:
		return reply, true
	case d.CancelUndone:
		e.announceStatusIfTurnCurrent(t.turn, s)
		return t.copyTaskSharingParts(), true
	case d.CancelSilent:
		for sub := range e.subs {
			if sub.Task == t.ID {
				sub.ended = true
				delete(e.subs, sub)
				sub.signalReady()
			}
		}
	}
	return reply, false
}

// memoryKey returns the key of the turn's memory.
func (u *turn) memoryKey() string {
	if u.engine.o.Defects.SharedMemory {
		return "everyone"
	}
	return u.task.Session
}

// spoilProgress may end the work because no one waits for it.
func (u *turn) spoilProgress() {
	if u.engine.o.Defects.StopUnwatched && !u.hasHadReaderOrWebhook() {
		u.cancel()
	}
}

// hasHadReaderOrWebhook reports whether the turn has, or had, a reader or a receiver other
// than a request that waits for its reply.
func (u *turn) hasHadReaderOrWebhook() bool {
	u.engine.mu.Lock()
	defer u.engine.mu.Unlock()
	for s := range u.engine.subs {
		if s.Task == u.task.ID {
			return true
		}
	}
	return u.task.streamed || len(u.task.pushes) > 0
}

// spoilTask ends a task because its receiver failed.
func (e *Engine) spoilTask(id string, why error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	u := e.tasks[id].turn
	u.cancel()
	e.announceStatusIfTurnCurrent(u, Status{State: Failed, Message: u.newReply(why.Error()), Failure: why.Error()})
}
