package conversation

import (
	"sync"
	"sync/atomic"
	"testing"
)

// However many plays send at the same time, and whatever the server takes, no more messages reach the agent than may.
func TestMessageBudget(t *testing.T) {
	for _, c := range []struct {
		name         string
		takesRefused bool // the server takes what it should refuse
		refusesValid bool
	}{{"a correct server", false, false}, {"a server that takes everything", true, false}, {"a server that refuses everything", false, true}} {
		b := NewMessageBudget(16)
		var reached atomic.Int64
		var all sync.WaitGroup
		for i := range 400 {
			all.Go(func() {
				refused := i%2 == 0
				settle, ok := b.spendMessage(refused)
				if !ok {
					return
				}
				taken := refused && c.takesRefused || !refused && !c.refusesValid
				if taken {
					reached.Add(1)
				}
				settle(taken)
			})
		}
		all.Wait()
		if got := reached.Load(); got > 16 || got < 15 && !c.refusesValid {
			t.Errorf("%s: %d messages reached the agent, want 15 or 16", c.name, got)
		}
		if _, ok := b.spendMessage(false); ok && !c.refusesValid {
			b.ReleaseKept()
		}
	}
}

// One message is kept for calls that are refused until it is released.
func TestKeptMessage(t *testing.T) {
	b := NewMessageBudget(2)
	if b.Available() != 1 {
		t.Fatalf("%d messages are available, want 1", b.Available())
	}
	if settle, ok := b.spendMessage(false); !ok {
		t.Fatal("the first message was not sent")
	} else {
		settle(true)
	}
	if _, ok := b.spendMessage(false); ok {
		t.Error("the message was sent that is kept")
	}
	settle, ok := b.spendMessage(true)
	if !ok {
		t.Fatal("no call that is refused was made")
	}
	settle(false)
	if !b.ReleaseKept() || b.ReleaseKept() {
		t.Error("the message that is kept was not released once")
	}
	if _, ok := b.spendMessage(false); !ok {
		t.Error("the last message was not sent")
	}
	if _, ok := (*MessageBudget)(nil).spendMessage(false); !ok || NewMessageBudget(0) != nil {
		t.Error("without a budget a message was not sent")
	}
}

// A call that is refused has its message for as long as it is under way, also once none is kept for such calls.
func TestRefusedCallReservesMessage(t *testing.T) {
	for _, reached := range []bool{true, false} {
		b := NewMessageBudget(2)
		settle, ok := b.spendMessage(true)
		if !ok {
			t.Fatal("no call that is refused was made")
		}
		if !b.ReleaseKept() {
			t.Error("the message that is kept could not be released while it was spent")
		}
		sent := 0
		for range 3 {
			if s, ok := b.spendMessage(false); ok {
				s(true)
				sent++
			}
		}
		if settle(reached); sent != 1 {
			t.Errorf("%d messages were sent beside a call that is refused, want 1 of 2", sent)
		}
		_, ok = b.spendMessage(false)
		if want := !reached; ok != want {
			t.Errorf("after the call that is refused, which reached the agent: %t, another message was sent: %t, want %t", reached, ok, want)
		}
	}
}
