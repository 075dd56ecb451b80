package probe

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/operator"
)

// Sights is what an agent showed while it was probed. Every reply counts for
// every behaviour that it shows, whichever it was asked for.
type Sights struct {
	mu      sync.Mutex
	seen    []Sight
	tasks   bool               // a message made a task
	lingers *operator.Stimulus // what took long in the company of others
	fastest time.Duration      // answer of all: what a call takes by itself

	Streams bool // the card does not deny that the server streams
	Pushes  bool // the card claims push notifications
}

// noteStreamAndPushClaims keeps what the card states of the server.
func (s *Sights) noteStreamAndPushClaims(c *conversation.Conversation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Streams = c.CanStream()
	s.Pushes = c.Dialect.Has("push-set") && c.Claimed("push")
}

// Best is the message to write down for a behaviour: the one that was meant for
// it before any other, in the order in which messages are sent.
func (s *Sights) Best(behaviour string) (Sight, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.findBest(behaviour)
}

func (s *Sights) findBest(behaviour string) (Sight, bool) {
	var of []Sight
	for _, one := range s.seen {
		if one.Behaviour == behaviour {
			of = append(of, one)
		}
	}
	if len(of) == 0 {
		return Sight{}, false
	}
	rank := func(one Sight) int {
		n := one.place
		if one.Play == behaviour {
			n = -1
		}
		if one.weak {
			n += 1 << 16
		}
		if one.Agent == "" { // a chosen agent is asked alongside the server's own endpoint
			n += 1 << 20
		}
		return n
	}
	return slices.MinFunc(of, func(a, b Sight) int { return cmp.Compare(rank(a), rank(b)) }), true
}

// isCertain reports whether a behaviour was seen so well that no further message is
// worth its price.
func (s *Sights) isCertain(behaviour string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	best, ok := s.findBest(behaviour)
	return ok && !best.weak
}

func (s *Sights) appendSight(one Sight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, one)
}

// noteFastestAnswerTime keeps how long the fastest answer took.
func (s *Sights) noteFastestAnswerTime(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fastest == 0 || took < s.fastest {
		s.fastest = took
	}
}

// leastAnswerTime is how long a call takes by itself, as far as is known.
func (s *Sights) leastAnswerTime() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fastest
}

// noteTaskAndReportAny keeps that there was a task, and reports whether there ever was one.
func (s *Sights) noteTaskAndReportAny(seenNow bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks = s.tasks || seenNow
	return s.tasks
}

// noteSlowMessage keeps a message on which the agent worked in company; it may only have
// waited for its turn.
func (s *Sights) noteSlowMessage(said operator.Stimulus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lingers == nil || said.Seconds > s.lingers.Seconds {
		s.lingers = &said
	}
}

func (s *Sights) slowMessage() (operator.Stimulus, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lingers == nil {
		return operator.Stimulus{}, false
	}
	return *s.lingers, true
}

// Sight is a message that made the agent show a behaviour.
type Sight struct {
	Behaviour string
	Said      operator.Stimulus
	Play      string // the conversation in which it did
	Agent     string // of the server's agents
	weak      bool   // another message may show it better
	place     int    // of the play among the others
}
