package harness

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

const (
	// overtime is how long a run may go on after its end before a copy of what it
	// has is sealed without it.
	overtime = 2 * time.Second
	// farewellTime is how long tasks may still be canceled after an interruption.
	farewellTime = 2 * time.Second
)

// ledger is the transcript in the making, under a lock: a copy of it can be sealed
// while somebody still waits for the server.
type ledger struct {
	mu      sync.Mutex
	facts   *record.Facts // once discovery is over
	dialect *schema.Dialect
	steps   []record.Step // of discovery
	tried   []string
	before  []record.Play   // of discovery, once it is over
	over    [][]record.Play // attempts at each play that were ended
	now     []*record.Play  // what each play that goes on has said
}

// asked takes down a question of discovery.
func (l *ledger) asked(name string, x *record.Exchange, f *found) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.steps = append(l.steps, record.Step{Name: name, Role: record.Probe, Op: "document", Exchange: x})
	l.tried = slices.Clone(f.tried)
}

// open takes down what discovery has found.
func (l *ledger) open(f *found, facts record.Facts) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.facts, l.dialect = &facts, f.dialect
	for i := range f.plays {
		l.before = append(l.before, *copied(&f.plays[i]))
	}
}

func (l *ledger) makeRoom(plays int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over, l.now = make([][]record.Play, plays), make([]*record.Play, plays)
}

func (l *ledger) playing(i int, p *record.Play) {
	now := copied(p)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now[i] = now
}

func (l *ledger) played(i int, p *record.Play) {
	over := copied(p)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over[i], l.now[i] = append(l.over[i], *over), nil
}

func copied(p *record.Play) *record.Play {
	c := *p
	c.Steps, c.Reached = slices.Clone(p.Steps), slices.Clone(p.Reached)
	return &c
}

// copy is the transcript so far. Plays that go on end there.
func (l *ledger) copy(r *runner, why string) (*schema.Dialect, *record.Transcript) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &record.Transcript{Started: r.started}
	if l.facts == nil {
		t.Facts = r.facts(&found{tried: slices.Clone(l.tried)}, nil)
		t.Plays = []record.Play{{Scenario: "discovery", Attempt: 1, Steps: slices.Clone(l.steps)}}
		return nil, t
	}
	t.Facts = *l.facts
	for i := range l.before {
		t.Plays = append(t.Plays, *copied(&l.before[i]))
	}
	for i := range l.over {
		for j := range l.over[i] {
			t.Plays = append(t.Plays, *copied(&l.over[i][j]))
		}
		if l.now[i] != nil {
			cut := copied(l.now[i])
			cut.Stop = why
			t.Plays = append(t.Plays, *cut)
		}
	}
	return l.dialect, t
}

// seal finishes a transcript: it tells how the run ended, takes the secrets out, and numbers the
// exchanges.
func (r *runner) seal(d *schema.Dialect, t *record.Transcript) *Recording {
	t.Duration = time.Since(r.started)
	r.mu.Lock()
	t.Facts.Waited = maps.Clone(r.waited)
	r.mu.Unlock()
	cut := &t.Facts.Cut
	switch {
	case r.stopped():
		*cut, t.Facts.Stopped = "the run was interrupted", true
	case r.client.Lacking() != "":
		*cut, t.Facts.Stopped = "a2a-conform could not make every call: "+r.client.Lacking(), true
	case t.Duration >= r.target.Deadline:
		*cut = fmt.Sprintf("the deadline of %v was reached", r.target.Deadline)
		if held := r.client.Pace().Held(); held > r.target.Deadline/4 {
			*cut += fmt.Sprintf(", %.0f s of it waiting because of the server's rate limit; give a longer --deadline", held.Seconds())
		}
	case r.client.Pace().Hopeless() != "":
		*cut = r.client.Pace().Hopeless()
	}
	// What was not sent is no exchange: nothing can be read from it.
	for i := range t.Plays {
		for j := range t.Plays[i].Steps {
			if s := &t.Plays[i].Steps[j]; s.Exchange != nil && s.Exchange.Ended == record.Unsent {
				s.NotSent, s.Exchange = s.Exchange.Trouble, nil
			}
		}
	}
	r.redact.Transcript(t)
	t.Seal()
	return &Recording{d, t, r.redact.String}
}
