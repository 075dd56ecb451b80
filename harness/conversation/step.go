package conversation

import (
	"cmp"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Step describes the next call.
type Step struct {
	Name    string
	Role    record.Role
	Op      string
	Task    string
	Ctx     string // session or context
	Agent   string // the agent it is about, if that is not the play's
	Twin    string
	Invalid bool
	// Contradicts reports that it contradicts what had been agreed on before.
	Contradicts bool
	// Refused reports that a server has to refuse the call for another reason, so that it brings no message to the agent.
	Refused bool
	Timeout time.Duration
	Fresh   bool
	MinTLS  uint16 // bounds on the TLS versions offered; 0 for the usual ones
	MaxTLS  uint16
	Method  string      // POST if empty
	Header  http.Header // alongside the usual ones
	URL     string      // the RPC endpoint if empty
	Bisects string
	As      record.Caller // whose credentials it carries
	Line    *client.Line  // the connection it travels on; nil for any
	Rush    bool          // whatever the server's rate limit
	Recipe  *record.Recipe
	// Closes makes this the call that waits the full window for the server to
	// close its stream.
	Closes bool
	others []anotherWay // the same in other ways, if the server may know only one of them
	// Quiet is how long a stream may stay silent before it is left alone; 0
	// leaves that to the timeout.
	Quiet time.Duration
	// Until ends the reading of a stream early, as a client that drops it.
	Until func(r *Reply, data *record.Node) bool
}

// Reply is what the server answered, as far as a scenario needs it.
type Reply struct {
	*record.Exchange
	Root       *record.Node
	Answer     binding.Answer
	Result     *record.Node // nil if refused
	State      string       // the task's state, if the reply has one; of a stream the last
	TaskStatus *record.Node // as a whole, if a single reply has one
	Task       string       // the task's id; of a stream the first that an event named
	Ctx        string       // the context, likewise
	Final      bool         // an event of the stream stated that it is the last, or that the task has ended

	moved bool // the stream showed a state after another

	looks   []record.Step      // at the task of a stream that had fallen silent
	astray  []*record.Exchange // attempts in other ways, which the server does not know
	limited []*record.Exchange // earlier attempts that were refused for the rate limit
	GaveUp  string             // why this one was not repeated, though it was refused like them
	NotSent string             // why the call was not made; there is nothing in the exchange then
	Remedy  string             // what the operator can change about that; "" for nothing
}

// anotherWay is a call as it is made in one of several ways.
type anotherWay struct {
	way  int
	call client.Call
	body bool // it differs in its body alone
}

// newRecordedStep is a call as the transcript keeps it.
func newRecordedStep(s Step, r *Reply) record.Step {
	step := record.Step{Name: s.Name, Role: s.Role, Op: s.Op, Task: s.Task, Context: s.Ctx, Agent: s.Agent, Twin: s.Twin, Invalid: s.Invalid, Contradicts: s.Contradicts, Bisects: s.Bisects,
		As: s.As, Limited: r.GaveUp, Exchange: r.Exchange}
	if r.NotSent != "" {
		step.Exchange, step.NotSent, step.Remedy = nil, r.NotSent, r.Remedy
	}
	step.Role = cmp.Or(step.Role, record.Main)
	step.Task = cmp.Or(step.Task, r.Task)
	return step
}

// failedAttemptSteps are the attempts at a step that came to nothing: those in ways that the server
// does not know, and those that it refused for its rate limit.
func failedAttemptSteps(s Step, r *Reply) (out []record.Step) {
	add := func(kind string, attempts []*record.Exchange, invalid bool) {
		for i, x := range attempts {
			out = append(out, record.Step{Name: fmt.Sprintf("%s-%s-%d", s.Name, kind, i+1), Role: record.Probe, Op: s.Op,
				Task: s.Task, Context: s.Ctx, Invalid: invalid, As: s.As, Exchange: x})
		}
	}
	add("other-way", r.astray, true)
	add("limited", r.limited, s.Invalid)
	return out
}

// isRefusal reports whether a server refused a message itself, so that it did not reach the agent. An agent that fails, or
// does not answer in time, got its message.
func (r *Reply) isRefusal() bool {
	if r.Exchange == nil || r.Ended == record.NoDial || r.Ended == record.Unsent {
		return true
	}
	if !r.Answered() || r.OK() || r.IsStream() || r.Ended == record.Timeout {
		return false
	}
	status := r.Status()
	return status >= 400 && status < 500 || status < 400 && len(r.Answer.Names) > 0 && !r.Answer.Refuses("InternalError")
}

// OK reports whether the call was answered with a result.
func (r *Reply) OK() bool { return r.Result != nil }

// IsNotAbortedOrLimited reports whether a call was made to its end, and not refused for the
// rate limit.
func (r *Reply) IsNotAbortedOrLimited() bool {
	return r.NotSent == "" && r.GaveUp == "" && r.Ended != record.Aborted
}

// isUnknownTo reports whether a server does not know the way in which a call was made: it
// has no such route or, if another way differs in the body, does not take the body.
func (w anotherWay) isUnknownTo(s Step, r *Reply) bool {
	return r.Answer.Refuses("MethodNotFound") || w.body && !s.Invalid && r.Answer.Refuses("InvalidParams", "InvalidRequest", "ParseError")
}

// TaskID is the id of the task that a call began: the client's own if it
// chooses, else the one the reply names.
func TaskID(o dialect.Outgoing, r *Reply) string { return cmp.Or(o.Task, r.Task) }

// UntilFirstEvent is a condition to read a stream until: its first event has come.
func UntilFirstEvent(*Reply, *record.Node) bool { return true }

// NewFirstEventNotifier is a condition that never ends the reading, and a channel on which
// the first event sends the id of the task it names.
func NewFirstEventNotifier() (func(*Reply, *record.Node) bool, <-chan string) {
	came := make(chan string, 1)
	var once sync.Once
	return func(r *Reply, _ *record.Node) bool {
		once.Do(func() { came <- r.Task })
		return false
	}, came
}

// NewFollowUpMessage is a message to a task that an earlier one began.
func NewFollowUpMessage(text string, o dialect.Outgoing, r *Reply) dialect.Outgoing {
	next := dialect.Outgoing{Text: text, Task: TaskID(o, r), Context: o.Context, Blocking: o.Blocking}
	if r.Ctx != "" && o.Task == "" { // the server may have made another
		next.Context = r.Ctx
	}
	return next
}
