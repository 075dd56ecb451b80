package scenario

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// ways remembers by which of several ways a server takes the calls of an operation.
type ways struct {
	mu sync.Mutex
	of map[string]int

	styling sync.Mutex
	styled  bool
	style   int
}

func (w *ways) knownWay(op string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.of[op]
}

func (w *ways) learnWay(op string, way int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of == nil {
		w.of = map[string]int{}
	}
	w.of[op] = way
}

// learnStyle returns the style in which a server takes calls, if the source leaves that open. It
// is found out by a message to the agent before the first call that depends on it; those of
// other plays wait for it meanwhile. The message that was taken is offered as "style". The step
// that shows the style bears the given name, or one of its own if that is empty.
func (c *Conversation) learnStyle(step string) int {
	n := binding.Styles(c.CallBinding(), c.RPC)
	if n < 2 {
		return 0
	}
	w := &c.ways
	w.styling.Lock()
	defer w.styling.Unlock()
	if w.styled {
		return w.style
	}
	w.styled = true
	const name = "style"
	o := c.NewMessage("quick")
	r := c.Request(name, "send", o)
	var written []wire.Call
	nowhere := "" // an address at which there is nothing
	for r.Style = range n {
		s := Step{Name: fmt.Sprintf("%s-%d", name, r.Style+1), Op: "send"}
		call, err := c.encodeTo(c.RPC, r)
		if err != nil || call.URL == nowhere || slices.ContainsFunc(written, func(o wire.Call) bool { return o.URL == call.URL && bytes.Equal(o.Body, call.Body) }) {
			continue
		}
		written = append(written, call)
		reply := c.sendWithRetries(s, call)
		taken := reply.Answer.Result.Present()
		switch {
		case !taken:
			s.Role, s.Invalid = wire.Probe, true
		case step != "":
			s.Name = step
		}
		c.recordSteps(append(recordedRefusals(s, reply), newRecordedStep(s, reply))...)
		if taken {
			w.style = r.Style
			c.OfferAs(name, s.Name, o, reply)
			break
		}
		switch status := reply.Status(); {
		case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
			nowhere = call.URL
		case status == http.StatusUnauthorized, status == http.StatusForbidden, reply.NotSent != "":
			return 0 // nothing can be learnt so
		}
	}
	return w.style
}

// anotherWay is a call as it is made in one of several ways.
type anotherWay struct {
	way  int
	call wire.Call
	body bool // it differs in its body alone
}

// encodeOtherWays are the ways to make a call that come after the one that is tried first,
// where the source leaves the choice to the server. Those before it were tried already.
func (c *Conversation) encodeOtherWays(s Step, r binding.Request) (out []anotherWay) {
	n := binding.Ways(c.CallBinding(), r.Op)
	if r.Way = c.ways.knownWay(r.Op); r.Way+1 >= n {
		return nil
	}
	first, err := c.encode(s, r)
	for r.Way++; err == nil && r.Way < n; r.Way++ {
		if call, err := c.encode(s, r); err == nil {
			out = append(out, anotherWay{r.Way, call, call.URL == first.URL && call.Method == first.Method})
		}
	}
	return out
}

// isUnknownTo reports whether a server does not know the way in which a call was made: it
// has no such route or, where another way differs in the body, does not take the body.
func (w anotherWay) isUnknownTo(s Step, r *Reply) bool {
	return r.Answer.Refuses("MethodNotFound") || w.body && !s.Invalid && r.Answer.Refuses("InvalidParams", "InvalidRequest", "ParseError")
}

// sendInAnyWay makes a call, and makes it otherwise as long as the server has no such way.
func (c *Conversation) sendInAnyWay(s Step, call wire.Call) *Reply {
	r := c.sendWithRetries(s, call)
	var astray []*wire.Exchange
	for _, other := range s.others {
		if !other.isUnknownTo(s, r) {
			break
		}
		was := r
		r = c.sendWithRetries(s, other.call)
		if other.isUnknownTo(s, r) || r.NotSent != "" {
			if r.NotSent == "" {
				astray = append(append(astray, r.limited...), r.Exchange)
			}
			was.astray = astray
			return was
		}
		astray = append(append(astray, was.limited...), was.Exchange)
		c.ways.learnWay(s.Op, other.way)
	}
	r.astray = astray
	return r
}

// recordedDetours are the attempts at a step in ways that the server does not know.
func recordedDetours(s Step, r *Reply) (out []wire.Step) {
	for i, x := range r.astray {
		out = append(out, wire.Step{Name: fmt.Sprintf("%s-other-way-%d", s.Name, i+1), Role: wire.Probe, Op: s.Op,
			Task: s.Task, Context: s.Ctx, As: s.As, Invalid: true, Exchange: x})
	}
	return out
}

// FirstMessage sends the harmless message in the step "send", unless it was already sent to
// learn in which style the server takes calls.
func FirstMessage(c *Conversation) (dialect.Outgoing, *Reply) {
	const step = "send"
	c.learnStyle(step)
	if of, ok := c.findOffer("style"); ok && c.Play.Step(step) != nil {
		return of.about, of.reply
	}
	return c.QuickMessage(step, "style")
}
