package observe

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// DropMembers returns a JSON value without the members of those names, at any depth.
func DropMembers(v any, names []string) any {
	switch v := v.(type) {
	case map[string]any:
		out := maps.Clone(v)
		for k, e := range out {
			if slices.Contains(names, k) {
				delete(out, k)
			} else {
				out[k] = DropMembers(e, names)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = DropMembers(e, names)
		}
		return out
	}
	return v
}

// Seconds returns a number of seconds as a duration.
func Seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// SentWebhookMember returns a member of the webhook in our call: its url, token, …
func SentWebhookMember(t *judge.T, s judge.Step, what string) string {
	config, ok := t.Case.Dialect.Pointer("request", "webhook."+s.Op)
	place, known := t.Case.Dialect.Pointer("webhook", what)
	if !ok || !known {
		panic(fmt.Errorf("the dialect does not say where a call of %s has the %s of a webhook", s.Op, what))
	}
	if n := Params(s).At(config + place); n != nil && n.Kind == record.String {
		return n.String
	}
	return ""
}

// ReturnedWebhookMember returns a member of the webhook in a reply.
func ReturnedWebhookMember(t *judge.T, result judge.Value, what string) judge.Value {
	place, _ := t.Case.Dialect.Pointer("webhook", what)
	return result.Read("webhook").At(place)
}

// FirstAcceptedOrLast returns the first of the steps that was accepted, else the last of them:
// which it is depends on what the server can do.
func FirstAcceptedOrLast(t *judge.T, names []string) judge.Step {
	steps := t.Steps(names)
	for _, s := range steps {
		if s.Accepted() {
			return s
		}
	}
	return steps[len(steps)-1]
}

// OnPlays is for checks that look at all that plays show of their tasks.
type OnPlays struct {
	Plays []string `json:"plays" step:"{}/"`
}

// Instances returns what the server sent of a definition, in whichever conversation, stream or
// delivery. The named plays only have to be held: a requirement on every value of a kind applies
// to all of them. What resulted from our own illegal calls is left out.
func (p OnPlays) Instances(t *judge.T, definition string) []judge.Value {
	return slices.DeleteFunc(t.Instances(definition), func(v judge.Value) bool {
		s := v.Document().Step
		return s != nil && (s.Contradicts || s.Invalid)
	})
}

// PairParams name two steps of which the second follows the first.
type PairParams struct {
	Step string `json:"step" step:"{}"`
	Then string `json:"then" step:"{}"`
}

// TypePlace is a place inside the objects of a definition.
type TypePlace struct {
	Type string `json:"type"`
	At   string `json:"at"`
}

// KeepPairsWithFirstStep returns the pairs whose first step was made.
func KeepPairsWithFirstStep(t *judge.T, pairs []PairParams) []PairParams {
	return judge.Filter(pairs, func(p PairParams) bool { _, made := t.Find(p.Step); return made })
}

// FailIfTaskMade fails the requirement if a look-up right after a step, whose name ends in -then,
// finds the task that the step was not to make.
func FailIfTaskMade(t *judge.T, s judge.Step, did, want string) {
	then := s.Play.Step(s.Name + "-then")
	if then == nil || then.Exchange == nil {
		return
	}
	result := t.Step(s.Play.Scenario + "/" + then.Name).Reply().Result()
	if match.Present(result) && !IsUnknownState(t, result.Read("task.state")) {
		t.Fail(result, did+": its task exists", want)
	}
}

// OnStep is for checks that look at one step.
type OnStep struct {
	Step string `json:"step" step:"{}"`
}

// OnSteps is for checks that look at several steps, each on its own.
type OnSteps struct {
	Steps []string `json:"steps" step:"{}"`
}

// StepRules name one step, and the shape rules that its check judges in its own way.
type StepRules struct {
	OnStep
	OwnRules
}

// StepsRules name several steps, and the shape rules that their check judges in its own way.
type StepsRules struct {
	OnSteps
	OwnRules
}

// TypeRules name a place inside what a definition describes, and the shape rules that a check
// judges there in its own way.
type TypeRules struct {
	OnPlays
	OwnRules
	TypePlace
}

// Errors name the errors that a requirement is about.
type Errors struct {
	OnSteps
	Codes  []string `json:"codes" names:"error"`
	Unless []string `json:"unless" names:"error"` // errors which mean that the server lacks what the requirement is about
}

// FatalFaults make a body something other than one JSON value; what else a
// strict reader minds is a finding.
var FatalFaults = []record.FaultKind{record.FaultNotJSON, record.FaultTrailingBytes, record.FaultInvalidUTF8}

// CheckAnsweredOrderly accepts any orderly answer; a crash, a hang and a server fault fail.
func CheckAnsweredOrderly(t *judge.T, p OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		RequireControlAccepted(t, s)
		ExpectNoServerFault(t, s)
	})
}

// ExpectNoServerFault fails the check if a call was answered by a fault of the server. A well-formed
// refusal is one, whatever status the transport gives it, unless it is an internal error.
func ExpectNoServerFault(t *judge.T, s judge.Step) {
	if reply := s.Reply(); match.IsError(reply) {
		t.Expect(reply).To(match.Should("any answer but a fault of the server", func(v judge.Value) bool {
			return !v.Refuses("InternalError")
		}, match.Outcome))
		return
	}
	t.Expect(s.Head()).To(haveStatusBelow500())
}

// haveStatusBelow500 is satisfied by any orderly HTTP answer that is no fault of the server.
func haveStatusBelow500() match.HeadMatcher {
	return match.Head("an orderly answer (a result, a refusal, or an HTTP 4xx)", func(v judge.Value) bool { return v.Exchange().Standing() < 500 },
		func(v judge.Value) string { return "answered " + StatusOf(v.Exchange()) }).On(report.StatusLine)
}

// StatusOf returns the status of an answer for the texts of failures.
func StatusOf(x *record.Exchange) string {
	if x.GRPC() != nil {
		return x.StatusText()
	}
	return fmt.Sprintf("HTTP status %d", x.Status())
}

// ReadEntryMember returns a member of an agent that a directory shows, by its name in the dialect, such as "id".
func ReadEntryMember(t *judge.T, entry judge.Value, what string) judge.Value {
	at, _ := t.Case.Dialect.Pointer("entry", what)
	return entry.At(at)
}
