package scenario

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/binding"
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

func (w *ways) known(op string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.of[op]
}

func (w *ways) learn(op string, way int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of == nil {
		w.of = map[string]int{}
	}
	w.of[op] = way
}

// style is the one in which a server takes calls, where the source leaves that open. It is
// found out by a message to the agent before the first call that depends on it; those of
// other plays wait for it meanwhile. The message that was taken is offered as "style".
func (c *Conversation) style() int { return c.styleBy("") }

// styleBy is style, with the name of the step that shows it, unless another play showed
// it before; "" for one of its own.
func (c *Conversation) styleBy(step string) int {
	n := binding.Styles(c.binding(), c.RPC)
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
	o := c.say("quick")
	r := c.Request(name, "send", o)
	var written []wire.Call
	nowhere := "" // an address at which there is nothing
	for r.Style = range n {
		s := Step{Name: fmt.Sprintf("%s-%d", name, r.Style+1), Op: "send"}
		call, err := c.encodeAt(c.RPC, r)
		if err != nil || call.URL == nowhere || slices.ContainsFunc(written, func(o wire.Call) bool { return o.URL == call.URL && bytes.Equal(o.Body, call.Body) }) {
			continue
		}
		written = append(written, call)
		reply := c.exchange(s, call)
		taken := reply.Answer.Result.Present()
		switch {
		case !taken:
			s.Role, s.Invalid = wire.Probe, true
		case step != "":
			s.Name = step
		}
		c.keep(append(refusals(s, reply), recorded(s, reply))...)
		if taken {
			w.style = r.Style
			c.offerAs(name, s.Name, o, reply)
			break
		}
		switch status := reply.Status(); {
		case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
			nowhere = call.URL
		case status == http.StatusUnauthorized, status == http.StatusForbidden, reply.notSent != "":
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

// otherWays are the ways to make a call that come after the one that is tried first,
// where the source leaves the choice to the server. Those before it were tried already.
func (c *Conversation) otherWays(s Step, r binding.Request) (out []anotherWay) {
	n := binding.RouteCount(c.binding(), r.Op)
	if r.Way = c.ways.known(r.Op); r.Way+1 >= n {
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

// unknownTo reports whether a server does not know the way in which a call was made: it
// has no such route or, where another way differs in the body, does not take the body.
func (w anotherWay) unknownTo(s Step, r *Reply) bool {
	return r.Answer.Refuses("MethodNotFound") || w.body && !s.Invalid && r.Answer.Refuses("InvalidParams", "InvalidRequest", "ParseError")
}

// inAnyWay makes a call, and makes it otherwise as long as the server has no such way.
func (c *Conversation) inAnyWay(s Step, call wire.Call) *Reply {
	r := c.exchange(s, call)
	var astray []*wire.Exchange
	for _, other := range s.others {
		if !other.unknownTo(s, r) {
			break
		}
		was := r
		r = c.exchange(s, other.call)
		if other.unknownTo(s, r) || r.notSent != "" {
			if r.notSent == "" {
				astray = append(append(astray, r.limited...), r.Exchange)
			}
			was.astray = astray
			return was
		}
		astray = append(append(astray, was.limited...), was.Exchange)
		c.ways.learn(s.Op, other.way)
	}
	r.astray = astray
	return r
}

// detours are the attempts at a step in ways that the server does not know.
func detours(s Step, r *Reply) (out []wire.Step) {
	for i, x := range r.astray {
		out = append(out, wire.Step{Name: fmt.Sprintf("%s-other-way-%d", s.Name, i+1), Role: wire.Probe, Op: s.Op,
			Task: s.Task, Context: s.Ctx, As: s.As, Invalid: true, Exchange: x})
	}
	return out
}
