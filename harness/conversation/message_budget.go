package conversation

import (
	"fmt"
	"sync"
)

// MessageBudget counts the messages that a run may still send to the agent. The settings of a run share one; nil is for any
// number.
//
// A call that a server has to refuse costs nothing if it does so. One message is kept for such calls, which are made one
// after the other, as long as others may follow: so the run never sends more than it may, not even to a server that takes
// what it should refuse.
type MessageBudget struct {
	most int

	mu       sync.Mutex
	left     int
	kept     int        // messages that are kept for calls that a server has to refuse
	lent     bool       // the one that is kept is spent on such a call, which is under way
	taken    int        // of those calls that the server took
	refusing sync.Mutex // is held while such a call is under way
}

// takenShare is the share of the budget that calls may cost which a server has to refuse, as one divided by it.
const takenShare = 8

// NewMessageBudget returns a budget of so many messages; nil for any number if there are none.
func NewMessageBudget(most int) *MessageBudget {
	if most <= 0 {
		return nil
	}
	return &MessageBudget{most: most, left: most, kept: min(1, most-1)}
}

// Available returns how many messages can be planned now, without the one that is kept.
func (b *MessageBudget) Available() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.left - b.kept
}

// ReleaseKept makes the message available that is kept for calls that a server has to refuse. It reports false if there is
// none.
func (b *MessageBudget) ReleaseKept() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	was := b.kept > 0 || b.lent
	b.kept, b.lent = 0, false
	return was
}

// DeductMessages takes messages from the budget that are known to have reached the agent.
func (b *MessageBudget) DeductMessages(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left -= n
}

// DescribeSpent returns why a message was not sent.
func (b *MessageBudget) DescribeSpent() string {
	return fmt.Sprintf("the run may send %d messages to the agent (--max-messages), and others decide more", b.most)
}

// LargerBudget is the remedy for what a budget leaves undecided.
const LargerBudget = "--max-messages with a larger number, or none"

// spendMessage takes a message for a call that brings one to the agent, or that a server has to refuse. It reports false if there is
// none; otherwise the caller reports whether the message reached the agent.
func (b *MessageBudget) spendMessage(refused bool) (settle func(reached bool), ok bool) {
	if b == nil {
		return func(bool) {}, true
	}
	if refused {
		return b.spendOnRefusal()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left <= b.kept {
		return nil, false
	}
	b.left--
	return func(reached bool) {
		if !reached {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.left++
		}
	}, true
}

// spendOnRefusal is spendMessage for a call that a server has to refuse. It waits until no other one is under way. The message is
// taken before the call, since nothing may be kept for it any more, and given back if the server refused it.
func (b *MessageBudget) spendOnRefusal() (settle func(reached bool), ok bool) {
	b.refusing.Lock()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left <= 0 || b.taken > b.most/takenShare {
		b.refusing.Unlock()
		return nil, false
	}
	b.left--
	if b.kept > 0 {
		b.kept, b.lent = b.kept-1, true
	}
	return func(reached bool) {
		defer b.refusing.Unlock()
		b.mu.Lock()
		defer b.mu.Unlock()
		if reached {
			b.taken++
		} else {
			b.left++
		}
		if b.lent {
			b.kept, b.lent = min(1, b.left), false
		}
	}, true
}
