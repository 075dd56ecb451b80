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
	// sealGrace is how long a run may take after its deadline before a snapshot is sealed in its
	// place.
	sealGrace = 2 * time.Second
	// cleanupTimeout is how long tasks may still be canceled after an interruption.
	cleanupTimeout = 2 * time.Second
)

// transcriptBuilder collects the transcript under a lock, so that a snapshot can be sealed while
// a play still waits for the server.
type transcriptBuilder struct {
	mu             sync.Mutex
	facts          *record.Facts // set after discovery
	dialect        *schema.Dialect
	steps          []record.Step // requests of discovery
	tried          []string
	discoveryPlays []record.Play   // the plays of discovery, set after it
	completed      [][]record.Play // attempts that have ended, by play
	ongoing        []*record.Play  // the attempt that is performed, by play; nil if there is none
}

// addDiscoveryStep adds a request of discovery.
func (l *transcriptBuilder) addDiscoveryStep(name string, x *record.Exchange, f *discovery) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.steps = append(l.steps, record.Step{Name: name, Role: record.Probe, Op: "document", Exchange: x})
	l.tried = slices.Clone(f.tried)
}

// completeDiscovery stores the result of discovery.
func (l *transcriptBuilder) completeDiscovery(f *discovery, facts record.Facts) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.facts, l.dialect = &facts, f.dialect
	for i := range f.plays {
		l.discoveryPlays = append(l.discoveryPlays, *copyPlaySharingExchanges(&f.plays[i]))
	}
}

// ReservePlays prepares for the given number of plays.
func (l *transcriptBuilder) ReservePlays(plays int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.completed, l.ongoing = make([][]record.Play, plays), make([]*record.Play, plays)
}

// KeepOngoingAttempt keeps a copy of an attempt that is still performed.
func (l *transcriptBuilder) KeepOngoingAttempt(i int, p *record.Play) {
	now := copyPlaySharingExchanges(p)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ongoing[i] = now
}

// AddEndedAttempt keeps a copy of an attempt that has ended.
func (l *transcriptBuilder) AddEndedAttempt(i int, p *record.Play) {
	over := copyPlaySharingExchanges(p)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.completed[i], l.ongoing[i] = append(l.completed[i], *over), nil
}

func copyPlaySharingExchanges(p *record.Play) *record.Play {
	c := *p
	c.Steps, c.Reached = slices.Clone(p.Steps), slices.Clone(p.Reached)
	return &c
}

// snapshot returns the transcript so far. Plays that are still performed get the reason why they
// end there.
func (l *transcriptBuilder) snapshot(r *runner, why string) (*schema.Dialect, *record.Transcript) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &record.Transcript{Started: r.started}
	if l.facts == nil {
		t.Facts = r.newFacts(&discovery{tried: slices.Clone(l.tried)}, nil)
		t.Plays = []record.Play{{Scenario: "discovery", About: aboutDiscovery, Attempt: 1, Steps: slices.Clone(l.steps)}}
		return nil, t
	}
	t.Facts = *l.facts
	for i := range l.discoveryPlays {
		t.Plays = append(t.Plays, *copyPlaySharingExchanges(&l.discoveryPlays[i]))
	}
	for i := range l.completed {
		for j := range l.completed[i] {
			t.Plays = append(t.Plays, *copyPlaySharingExchanges(&l.completed[i][j]))
		}
		if l.ongoing[i] != nil {
			cut := copyPlaySharingExchanges(l.ongoing[i])
			cut.Stop = why
			t.Plays = append(t.Plays, *cut)
		}
	}
	return l.dialect, t
}

// completeAndRedactTranscript completes a transcript: it records how the run ended, redacts secrets, and
// numbers the exchanges.
func (r *runner) completeAndRedactTranscript(d *schema.Dialect, t *record.Transcript) *Recording {
	t.Duration = time.Since(r.started)
	r.mu.Lock()
	t.Facts.Waited = maps.Clone(r.waited)
	r.mu.Unlock()
	cut := &t.Facts.Cut
	switch {
	case r.isInterrupted():
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
	// A request that was not sent is no exchange.
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
