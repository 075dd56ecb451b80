// Package conversation holds a conversation with the server under test: the calls that a
// scenario makes, what it reads of the answers, and the record of its steps. It knows no
// scenario and never judges.
package conversation

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Conversation is one performance of a scenario.
type Conversation struct {
	*Setting
	Context context.Context
	Play    *record.Play
	IDs     *operator.IDs // that the play makes
	Witness bool          // of its scenario
	Double  bool          // it takes the room of two plays
	// Publish receives the play before each wait for the server, so that what was
	// recorded until then is not lost with a wait that does not end; nil if no one
	// listens.
	Publish func(*record.Play)

	through string // the binding by which the calls travel, if that is not the play's

	oversized string // why a text that the server chose is not repeated in calls; "" if all are

	// Prepared is what the scenario keeps between Prepare, Play and Aftermath.
	Prepared any

	tasks taskLog
}

// NewID returns an id that was never used before.
func (c *Conversation) NewID() string { return c.IDs.New() }

// NewMessageID returns a new id for a message, in the form of the run's hand.
func NewMessageID(c *Conversation) string {
	if c.currentClientStyle().Timed {
		return c.IDs.NewTimed()
	}
	return c.NewID()
}

// NewCallID is the id of a call. It does not depend on the step, which names its own
// exchange.
func NewCallID(c *Conversation, step string) string {
	if c.Naming.Call != nil {
		return c.Naming.Call(c.Play.Scenario + "/" + step)
	}
	return c.NewID()
}

// NewTask returns a fresh task id if the client chooses it, else "".
func (c *Conversation) NewTask() string {
	if c.Writer.ClientTasks {
		return c.NewID()
	}
	return ""
}

// NewContext returns a fresh session or context id; "" if servers may refuse one
// that the client made up.
func (c *Conversation) NewContext() string {
	if c.Writer.RepliedContexts {
		return ""
	}
	return c.NewID()
}

// Stopped reports whether the run's time is over, or the endpoint is dead; the
// play then ends.
func (c *Conversation) Stopped() bool {
	why := c.explainDeadEndpoint()
	if c.Context.Err() != nil {
		why = "the run's time was up"
	}
	if why != "" && c.Play.Stop == "" {
		c.Play.Stop = why
	}
	return why != ""
}

// explainDeadEndpoint returns why the endpoint is asked no further. The first call of the witness
// is made all the same.
func (c *Conversation) explainDeadEndpoint() string {
	if c.Witness && len(c.Play.Steps) == 0 {
		return ""
	}
	return c.Endpoint.Dead()
}

func (c *Conversation) publishPlay() {
	if c.Publish != nil {
		c.Publish(c.Play)
	}
}

// NeedsStep reports whether a message to the agent is needed for a step.
func NeedsStep(c *Conversation, step string) bool {
	return c.Needed == nil || c.Needed(c.Play.Scenario, step)
}

// IsPlayDue reports whether another play is performed too, and one of its steps is needed, or any if it is "".
func (c *Setting) IsPlayDue(scenario, step string) bool {
	return c.Due != nil && c.Due(scenario) && (step == "" || c.Needed == nil || c.Needed(scenario, step))
}

// FirstDuePlay returns the first of some plays that is performed; "" if none is. A play that was to leave a task and did not had
// an unexpected outcome, so that the tasks of the others will not do in its place.
func (c *Setting) FirstDuePlay(names ...string) string {
	for _, name := range names {
		if c.IsPlayDue(name, "") {
			return name
		}
	}
	return ""
}

// AtInterface is the same play at another interface of the agent: its calls and answers stand
// among the steps of the play, which say by which binding they travelled.
func AtInterface(c *Conversation, other *Setting) *Conversation {
	there := &Conversation{Setting: other, Context: c.Context, Play: c.Play, IDs: c.IDs, Publish: c.Publish}
	there.through = there.CallBinding().Name()
	return there
}

// recordSteps records steps.
func (c *Conversation) recordSteps(steps ...record.Step) {
	for _, s := range steps {
		c.Play.Steps = append(c.Play.Steps, c.labelBinding(s))
	}
}

// labelBinding is a step with the binding by which it travelled, if that is to be recorded.
func (c *Conversation) labelBinding(s record.Step) record.Step {
	s.Binding = c.through
	return s
}

// NotSent records a step that is not made, and why.
func (c *Conversation) NotSent(s Step, because, reason string, args ...any) {
	s.Role = cmp.Or(s.Role, record.Main)
	why := fmt.Sprintf(reason, args...)
	if c.oversized != "" {
		why += ": " + c.oversized
	}
	c.recordSteps(record.Step{Name: s.Name, Role: s.Role, Op: s.Op, Agent: s.Agent, NotSent: why, Because: because})
}

// EndPlayWithUnsentStep is NotSent for a step without which the play cannot go on: none of those
// after it is made either, for the same reason.
func (c *Conversation) EndPlayWithUnsentStep(s Step, because, reason string, args ...any) {
	c.NotSent(s, because, reason, args...)
	c.Play.Stop = fmt.Sprintf(reason, args...)
}

// Reached records that the scenario saw what it waited for.
func (c *Conversation) Reached(milestone, step string) {
	c.Play.Reached = append(c.Play.Reached, record.Milestone{Name: milestone, Step: step, At: c.Client.Now()})
}

// StopForMissingStimulus ends the play for want of a stimulus.
func StopForMissingStimulus(c *Conversation, name string) {
	c.Play.Stop, c.Play.Lacks = operator.NoStimulus(name), name
}

// RecordInexpressibleStep is NotSent for what the binding has no words for.
func (c *Conversation) RecordInexpressibleStep(s Step, why string) {
	c.NotSent(s, "", "%s", why)
	c.Play.Steps[len(c.Play.Steps)-1].Unsayable = true
}

// NewToken is a word that no agent writes by itself.
func NewToken(c *Conversation) string { return "token-" + c.NewID() }

// Pause lets time pass in which an agent works.
func (c *Conversation) Pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-c.Context.Done():
	}
}
