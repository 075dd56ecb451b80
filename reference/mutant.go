package reference

import (
	"cmp"
	"crypto/tls"
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// A mutant is the reference server with one named defect. The defect is
// applied at one or more doors, each a function that edits what passes.
type mutant struct {
	name    string
	area    string
	variant string // in which the defect shows; default full
	summary string
	waits   bool // clients wait for something that does not come

	call     func(*call)           // misreads a JSON-RPC call before it is judged
	reply    func(*reply)          // edits a reply before it is written
	event    func(*frame)          // edits one event of a stream
	engine   func(*engine.Options) // chooses a fault of the engine
	notice   func(*notice)         // edits a push notification
	tls      func(*tls.Config)     // chooses what is spoken below HTTP
	guard    func(*caller)         // mistakes who makes a call
	bounds   func(*bounds)         // chooses other limits than the card and the protocol say
	bytes    func([]byte)          // misreads the bytes of requests, without changing their number
	rate     Rate                  // limits the number of calls, where the defect shows best below another rate than the usual
	locked   bool                  // there is a guard, whatever the card says
	grudge   bool                  // a client that was limited once stays so
	plain    bool                  // nothing is spoken below HTTP, where TLS should be
	registry registryFaults        // of a directory
}

func (m mutant) variantName() string {
	if m.variant == "" {
		return "full"
	}
	return m.variant
}

// inArea marks those mutants of a list that name no area of their own.
func inArea(area string, ms ...mutant) []mutant {
	for i := range ms {
		ms[i].area = cmp.Or(ms[i].area, area)
	}
	return ms
}

// picked are those mutants of a list that have one of the names: the defects
// that a protocol shares with a larger one.
func picked(ms []mutant, names ...string) (out []mutant) {
	for _, m := range ms {
		if slices.Contains(names, m.name) {
			out = append(out, m)
		}
	}
	return out
}

// with is a server with both defects. The second edits what the first left.
func (m mutant) with(n mutant) mutant {
	out := m
	out.name = m.name + "+" + n.name
	out.variant = cmp.Or(m.variant, n.variant)
	out.waits = m.waits || n.waits
	out.call = inTurn(m.call, n.call)
	out.reply = inTurn(m.reply, n.reply)
	out.event = inTurn(m.event, n.event)
	out.engine = inTurn(m.engine, n.engine)
	out.notice = inTurn(m.notice, n.notice)
	out.tls = inTurn(m.tls, n.tls)
	out.guard = inTurn(m.guard, n.guard)
	out.bounds = inTurn(m.bounds, n.bounds)
	out.bytes = inTurn(m.bytes, n.bytes)
	out.rate = cmp.Or(m.rate, n.rate)
	out.locked = m.locked || n.locked
	out.grudge = m.grudge || n.grudge
	out.plain = m.plain || n.plain
	out.registry = registryFaults{
		deaf:    m.registry.deaf || n.registry.deaf,
		doubles: m.registry.doubles || n.registry.doubles,
		clings:  m.registry.clings || n.registry.clings,
		started: m.registry.started || n.registry.started,
	}
	return out
}

// inTurn is one edit after another; nil where there is none.
func inTurn[T any](one, other func(T)) func(T) {
	switch {
	case one == nil:
		return other
	case other == nil:
		return one
	}
	return func(t T) {
		one(t)
		other(t)
	}
}
