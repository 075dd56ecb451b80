package conversation

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// MustEncode writes a call as it travels.
func (c *Conversation) MustEncode(s Step, r binding.Request) client.Call {
	call, err := c.probeStyleAndEncodeCall(s, r)
	if err != nil {
		panic(fmt.Sprintf("a2a-conform cannot write this request: %v", err))
	}
	return call
}

func (c *Conversation) probeStyleAndEncodeCall(s Step, r binding.Request) (client.Call, error) {
	if r.Way == 0 {
		r.Way = c.ways.knownOrFirstRoute(r.Op)
	}
	r.Style = c.probeCallStyle("")
	return c.encodeTo(cmp.Or(s.URL, c.rpcURLOfOperation(s.Op)), r)
}

// EncodeStepWithAlternativeRoutes writes the call of a step, and the same call in the other ways in which a
// server may take it. The error is binding.ErrNotSayable if the binding cannot express it.
func (c *Conversation) EncodeStepWithAlternativeRoutes(s *Step, r binding.Request) (call client.Call, err error) {
	if call, err = c.probeStyleAndEncodeCall(*s, r); err == nil {
		s.others = c.encodeOtherRoutes(*s, r)
	}
	return call, err
}

// encodeStepOrRecordUnsent is EncodeStepWithAlternativeRoutes for calls that not every binding has the words for. What cannot be
// expressed is a step that was not made.
func (c *Conversation) encodeStepOrRecordUnsent(s *Step, r binding.Request) (call client.Call, ok bool) {
	call, err := c.EncodeStepWithAlternativeRoutes(s, r)
	switch {
	case errors.Is(err, binding.ErrNotSayable):
		c.RecordInexpressibleStep(*s, err.Error())
		return call, false
	case err != nil:
		panic(fmt.Sprintf("a2a-conform cannot write this request: %v", err))
	}
	return call, true
}

// sendOnceWithoutRecording makes a call and reads the answer. It leaves the play alone.
func (c *Conversation) sendOnceWithoutRecording(s Step, call client.Call) (r *Reply) {
	call.Timeout, call.Fresh, call.MinTLS, call.MaxTLS, call.Line, call.Rush, call.Recipe = s.Timeout, s.Fresh, s.MinTLS, s.MaxTLS, s.Line, s.Rush, s.Recipe
	call.Once = !c.readsOnly(s.Op) || c.carriesMessage(call.Body)
	call.Header = call.Header.Clone()
	if s.Method != "" && s.Method != call.Method {
		if call.Method = s.Method; call.Method == http.MethodGet {
			call.Header.Del("Content-Type") // of a body that is none
		}
	}
	streams := c.Dialect.Operation(s.Op).Streams
	if s.As == "" {
		maps.Copy(call.Header, c.Header)
	} else {
		maps.Copy(call.Header, c.Callers[s.As])
	}
	maps.Copy(call.Header, s.Header)
	for k, v := range call.Header {
		if len(v) == 0 {
			delete(call.Header, k)
		}
	}
	toRPC := call.URL == c.RPC || s.URL == ""
	if why := c.explainDeadEndpoint(); why != "" && toRPC {
		now := c.Client.Now()
		return &Reply{Exchange: &record.Exchange{Ended: record.Aborted, Start: now, End: now}, NotSent: why}
	}
	if c.Dialect.Operation(s.Op).Agent {
		settle, ok := c.Messages.spendMessage(s.Invalid || s.Contradicts || s.Refused)
		if !ok {
			now := c.Client.Now()
			return &Reply{Exchange: &record.Exchange{Ended: record.Aborted, Start: now, End: now}, NotSent: c.Messages.DescribeSpent(), Remedy: LargerBudget}
		}
		defer func() { settle(!r.isRefusal()) }()
	}
	if streams {
		r = c.readStream(s, call)
	} else {
		r = &Reply{Exchange: c.Client.Do(c.Context, call, nil)}
		c.parseReply(s.Op, r)
	}
	if r.Ended == record.Unsent {
		r.NotSent = r.Trouble
		return r
	}
	if toRPC {
		c.Endpoint.recordOutcome(s, r.Exchange)
	}
	c.noteTaskState(s, r)
	c.markOffersOfChangedTask(s, r)
	return r
}

// sendWithRateLimitRetries sends a body and reads the answer. A call that is refused for the
// rate limit shows nothing of what it was made for: it is repeated when the
// server asks for it, and every attempt is kept.
func (c *Conversation) sendWithRateLimitRetries(s Step, call client.Call) *Reply {
	var refused []*record.Exchange
	for {
		r := c.sendOnceWithoutRecording(s, call)
		r.limited = refused
		if s.Rush || !c.IsRateLimited(r) {
			return r
		}
		wait := client.RetryAfter(r.Response.Header(), time.Now())
		if wait == 0 {
			wait = limitPause << len(refused)
		}
		end, bounded := c.Context.Deadline()
		reset, repeatable := r.ResetForLoad()
		switch {
		case reset && call.Once && !repeatable: // it may have begun
			r.GaveUp = "the server reset its stream with ENHANCE_YOUR_CALM, so it limits calls"
		case c.Client.Pace().GivenUp() >= limitCalls:
			r.GaveUp = "the server refused it because of its rate limit, like many calls before"
		case len(refused)+1 == limitTries:
			r.GaveUp = fmt.Sprintf("the server refused it %d times because of its rate limit", limitTries)
		case wait > limitWait || bounded && time.Until(end) < wait:
			r.GaveUp = fmt.Sprintf("the server refused it because of its rate limit, and asks to wait %.0f s", wait.Seconds())
		default:
			c.Client.Pace().Refused(wait)
			refused = append(refused, r.Exchange)
			continue
		}
		c.Client.Pace().GiveUp()
		return r
	}
}

// probeCallStyle returns the style in which a server takes calls, if the source leaves that open. It
// is found out by a message to the agent before the first call that depends on it; those of
// other plays wait for it meanwhile. The message that was taken is offered as "style". The step
// that shows the style bears the given name, or one of its own if that is empty.
func (c *Conversation) probeCallStyle(step string) int {
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
	var written []client.Call
	nowhere := "" // an address at which there is nothing
	for r.Style = range n {
		s := Step{Name: fmt.Sprintf("%s-%d", name, r.Style+1), Op: "send"}
		call, err := c.encodeTo(c.RPC, r)
		if err != nil || call.URL == nowhere || slices.ContainsFunc(written, func(o client.Call) bool { return o.URL == call.URL && bytes.Equal(o.Body, call.Body) }) {
			continue
		}
		written = append(written, call)
		reply := c.sendWithRateLimitRetries(s, call)
		taken := reply.Answer.Result.Present()
		switch {
		case !taken:
			s.Role, s.Invalid = record.Probe, true
		case step != "":
			s.Name = step
		}
		c.recordSteps(append(failedAttemptSteps(s, reply), newRecordedStep(s, reply))...)
		if taken {
			w.style = r.Style
			c.OfferStepUnderName(name, s.Name, o, reply)
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

// encodeOtherRoutes are the ways to make a call that come after the one that is tried first,
// if the source leaves the choice to the server. Those before it were tried already.
func (c *Conversation) encodeOtherRoutes(s Step, r binding.Request) (out []anotherWay) {
	n := binding.RouteCount(c.CallBinding(), r.Op)
	if r.Way = c.ways.knownOrFirstRoute(r.Op); r.Way+1 >= n {
		return nil
	}
	first, err := c.probeStyleAndEncodeCall(s, r)
	for r.Way++; err == nil && r.Way < n; r.Way++ {
		if call, err := c.probeStyleAndEncodeCall(s, r); err == nil {
			out = append(out, anotherWay{r.Way, call, call.URL == first.URL && call.Method == first.Method})
		}
	}
	return out
}

// sendTryingOtherRoutes makes a call, and makes it otherwise as long as the server has no such way.
func (c *Conversation) sendTryingOtherRoutes(s Step, call client.Call) *Reply {
	r := c.sendWithRateLimitRetries(s, call)
	var astray []*record.Exchange
	for _, other := range s.others {
		if !other.isUnknownTo(s, r) {
			break
		}
		was := r
		r = c.sendWithRateLimitRetries(s, other.call)
		if other.isUnknownTo(s, r) || r.NotSent != "" {
			if r.NotSent == "" {
				astray = append(append(astray, r.limited...), r.Exchange)
			}
			was.astray = astray
			return was
		}
		astray = append(append(astray, was.limited...), was.Exchange)
		c.ways.rememberRoute(s.Op, other.way)
	}
	r.astray = astray
	return r
}

// Bounds on the patience with a server that refuses calls for its rate limit
// though the run kept below what it knew of that limit.
const (
	limitTries = 3                // attempts at one call
	limitCalls = 3                // calls that are given up before none is repeated any more
	limitPause = time.Second      // if the server does not state how long to wait
	limitWait  = 90 * time.Second // the longest wait that is granted
)
