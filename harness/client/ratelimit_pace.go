package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// A Pace keeps a run below the rate limit that a server states in its headers,
// or the operator for it. Two rules hold calls back, each by itself safe for
// servers that count in fixed or in sliding windows:
//
//   - if the window is known, no window of its length holds more calls than
//     the limit. A call counts from when it was sent until a window after its
//     answer began, for in between the server has counted it;
//   - if the server states what remains, no more calls are under way than
//     that. When nothing remains, nothing is sent until the reset, and then one
//     call alone, whose answer states what the new window allows.
type Pace struct {
	now func() record.Instant

	turn chan struct{} // held by the call that is next in line

	mu       sync.Mutex
	wake     chan struct{}    // closed at every news
	limit    int              // requests in a window; 0 if none is known
	window   time.Duration    // 0 if it is not known
	answered []record.Instant // when the answers to the latest calls began
	flight   int              // calls without an answer
	told     bool             // the server states what remains
	left     int              // calls that it still allows
	reset    record.Instant   // when left is void; 0 while the first answer of a window is awaited
	blocked  record.Instant   // nothing is sent before
	held     time.Duration    // for which calls were kept waiting
	holding  int              // calls that are kept waiting
	since    record.Instant   // when that began
	hopeless string           // why a call was not made
	givenUp  int              // calls that were refused however often they were repeated
}

func newPace(now func() record.Instant, declared *operator.RateLimit) *Pace {
	p := &Pace{now: now, turn: make(chan struct{}, 1), wake: make(chan struct{})}
	if declared != nil {
		p.limit, p.window = declared.Requests, declared.Window()
	}
	return p
}

// addMargin returns a window with a margin for clocks and delays.
func addMargin(w time.Duration) time.Duration { return w + w/50 + 10*time.Millisecond }

// checkRoom reports whether a call may be sent now while room for others is kept, and
// otherwise when to look again; 0 means at the next news.
func (p *Pace) checkRoom(room int) (ok bool, at record.Instant) {
	now := p.now()
	if p.blocked > now {
		return false, p.blocked
	}
	if p.limit > 0 && p.window > 0 {
		for len(p.answered) > 0 && p.answered[0]+addMargin(p.window) <= now {
			p.answered = p.answered[1:]
		}
		if over := len(p.answered) + p.flight + min(room, p.limit) - p.limit; over > 0 {
			if over > len(p.answered) {
				return false, 0
			}
			return false, p.answered[over-1] + addMargin(p.window)
		}
	}
	if !p.told {
		return true, 0
	}
	if p.reset > 0 && now >= p.reset {
		p.left, p.reset = 1, 0
	}
	switch {
	case p.left >= min(room, max(1, p.limit)):
		return true, 0
	case p.reset > 0:
		return false, p.reset
	case p.flight > 0:
		return false, 0
	}
	return true, 0 // one call, to learn what remains
}

// AwaitRoom waits until that many calls can be made one after the other, as far as
// the limit allows so many at all.
func (p *Pace) AwaitRoom(ctx context.Context, calls int) error { return p.awaitRoom(ctx, calls, false) }

// awaitAndCountCall waits until a call may be sent, and counts it.
func (p *Pace) awaitAndCountCall(ctx context.Context) error { return p.awaitRoom(ctx, 1, true) }

func (p *Pace) awaitRoom(ctx context.Context, room int, send bool) error {
	p.mu.Lock()
	unlimited := p.limit == 0 && !p.told && p.blocked == 0 // most servers
	if unlimited && send {
		p.flight++
	}
	p.mu.Unlock()
	if unlimited {
		return nil
	}
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	waited := false
	for {
		ok, at := p.checkRoom(room)
		if ok {
			break
		}
		if end, limited := ctx.Deadline(); limited && at > 0 && at-p.now() > time.Until(end) {
			p.hopeless = fmt.Sprintf("the server's rate limit leaves no room for another call for %.0f s", (at - p.now()).Seconds())
			return errors.New(p.hopeless)
		}
		if !waited {
			waited = true
			p.beginWait()
			defer p.endWait()
		}
		wake := p.wake
		var timer <-chan time.Time
		if at > 0 {
			timer = time.After(at - p.now())
		}
		p.mu.Unlock()
		var err error
		select {
		case <-timer:
		case <-wake:
		case <-ctx.Done():
			err = ctx.Err()
		}
		p.mu.Lock()
		if err != nil {
			return err
		}
	}
	if send {
		p.countCall()
	}
	return nil
}

// beginWait and release bound the time for which a call is kept waiting.
func (p *Pace) beginWait() {
	if p.holding++; p.holding == 1 {
		p.since = p.now()
	}
}

func (p *Pace) endWait() {
	if p.holding--; p.holding == 0 {
		p.held += p.now() - p.since
	}
}

// timeWait counts the time of a wait for others who call the server too.
func (p *Pace) timeWait(wait func() error) error {
	p.mu.Lock()
	p.beginWait()
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.endWait()
	}()
	return wait()
}

// countCall books a call that is sent.
func (p *Pace) countCall() {
	p.flight++
	if p.told {
		p.left--
	}
}

// countCallIgnoringLimit books a call that is sent whatever the limit.
func (p *Pace) countCallIgnoringLimit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.countCall()
}

// recordAnswer books the head of a response, or nil if none came.
func (p *Pace) recordAnswer(h http.Header) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	p.flight--
	a, ok := ReadAllowance(h, time.Now())
	if ok && a.Limit > 0 && p.isFirstOrStricterLimit(a) {
		p.limit, p.window = a.Limit, max(a.Window, p.window)
	}
	if p.limit > 0 && p.window > 0 {
		p.answered = append(p.answered, now)
	}
	if ok && a.Remaining >= 0 {
		p.recordRemaining(a, now)
	}
	close(p.wake)
	p.wake = make(chan struct{})
}

// isFirstOrStricterLimit reports whether an announced limit is the one to keep: the first, or a
// stricter one.
func (p *Pace) isFirstOrStricterLimit(a Allowance) bool {
	if p.limit == 0 {
		return true
	}
	if a.Window > 0 && p.window > 0 {
		return float64(a.Limit)/a.Window.Seconds() <= float64(p.limit)/p.window.Seconds()
	}
	return a.Limit <= p.limit
}

// recordRemaining books how many calls the server still allows. Calls under way may or
// may not be in that number, so they are taken off.
func (p *Pace) recordRemaining(a Allowance, now record.Instant) {
	until := a.Reset
	if p.window > 0 && (until == 0 || until > addMargin(p.window)) {
		until = addMargin(p.window) // a window that holds this call ends by then
	}
	if until == 0 {
		until = time.Second
	}
	left, reset := a.Remaining-p.flight, now+until
	if p.told && p.reset > 0 && now < p.reset { // the same window
		left, reset = min(left, p.left), min(reset, p.reset)
	}
	p.told, p.left, p.reset = true, left, reset
}

// Refused books that a call was refused for the rate limit: nothing is sent for
// a while.
func (p *Pace) Refused(wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.blocked = max(p.blocked, p.now()+wait)
}

// GiveUp books a call that will not be repeated any more.
func (p *Pace) GiveUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.givenUp++
}

// GivenUp counts such calls.
func (p *Pace) GivenUp() int { return readLocked(&p.mu, &p.givenUp) }

// HasRoom reports whether the server is known to have room for so many calls, or
// not known to have any limit.
func (p *Pace) HasRoom(calls int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return (p.limit == 0 || p.limit >= calls) && (!p.told || p.left >= calls)
}

// Limit is how many requests the server allows in its window; 0 if that is
// not known.
func (p *Pace) Limit() int { return readLocked(&p.mu, &p.limit) }

// Announce books a limit that the server states elsewhere than in its headers.
func (p *Pace) Announce(l operator.RateLimit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isFirstOrStricterLimit(Allowance{Limit: l.Requests, Window: l.Window()}) {
		p.limit, p.window = l.Requests, l.Window()
	}
}

// Window is the time in which the server counts, if it is known.
func (p *Pace) Window() time.Duration { return readLocked(&p.mu, &p.window) }

// Held is for how long calls were kept waiting.
func (p *Pace) Held() time.Duration { return readLocked(&p.mu, &p.held) }

// Hopeless returns why a call was not made for want of room, if there was one.
func (p *Pace) Hopeless() string { return readLocked(&p.mu, &p.hopeless) }

// readLocked reads a value that a lock guards.
func readLocked[T any](guard *sync.Mutex, value *T) T {
	guard.Lock()
	defer guard.Unlock()
	return *value
}
