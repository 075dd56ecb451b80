package rpc

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// These checks judge in REST, whose operations are paths, verbs and statuses of HTTP, what
// JSON-RPC has in its envelope.

type statusParams struct {
	observe.OnSteps
	Status    []int `json:"status"`
	Refused   bool  `json:"refused"`   // any status of a refusal, 400 to 499, will do too
	Tolerated []int `json:"tolerated"` // a finding only
	Below     int   `json:"below"`     // any status below it is accepted, too; 0 if only those in Status are
}

func checkHTTPStatus(t *judge.T, p statusParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		if p.Refused {
			observe.StopIfTaskGone(t, s)
		}
		if status := s.Exchange.Status(); slices.Contains(p.Tolerated, status) {
			t.Tolerate(s.Head(), "the server answers HTTP status %d", status)
			return
		}
		due := match.HaveStatus(p.Status...)
		if p.Refused {
			due = match.HaveStatusThat("an HTTP status of refusal", func(status int) bool { return status/100 == 4 || slices.Contains(p.Status, status) })
		}
		if p.Below > 0 {
			due = match.HaveStatusThat(fmt.Sprintf("an HTTP status below %d", p.Below), func(status int) bool { return status < p.Below })
		}
		t.Expect(s.Head()).To(due)
	})
}

// checkSomeRESTPathServed only fails if the server has none of the operations at the address on its card,
// since they begin elsewhere then. Other requirements judge each operation.
func checkSomeRESTPathServed(t *judge.T, p observe.OnSteps) {
	steps := t.Steps(p.Steps)
	for _, s := range steps {
		if s.Accepted() {
			t.OK(s.Head())
			return
		}
	}
	for _, s := range steps {
		if !slices.Contains(noEndpoint, s.Exchange.Status()) {
			t.StopUndecided("the call %s/%s was not answered with a result: %s", s.Play.Scenario, s.Name, s.Outcome())
		}
	}
	judge.Each(t, steps, func(s judge.Step) {
		t.Expect(s.Head()).To(match.HaveStatusThat("the operation at "+shorten.Visible(s.Exchange.URL, 80)+", the url of this interface in the card with the path of the operation after it",
			func(int) bool { return false }))
	})
}

// listResultsAndErrors returns the responses with a body that came from the server itself: results and
// errors of the protocol.
func listResultsAndErrors(t *judge.T) []judge.Value {
	return judge.Filter(t.All(judge.ReplyText), func(v judge.Value) bool {
		return !v.Exchange().IsStream() && len(v.Exchange().Response.Body) > 0 && (match.Present(v.Result()) || v.Failure().IsObject())
	})
}

type labelledParams struct {
	Media     string   `json:"media"`
	Tolerated []string `json:"tolerated"` // a finding only
}

func checkRESTMediaType(t *judge.T, p labelledParams) {
	judge.Each(t, listResultsAndErrors(t), func(v judge.Value) {
		if kind := v.Exchange().Response.MediaType(); slices.Contains(p.Tolerated, kind) {
			t.Finding(v.Header("Content-Type"), "the server sends its answer with the media type %s", kind)
			t.OK(v)
			return
		}
		t.Expect(v).To(match.HaveMediaType(p.Media))
	})
}

func checkRESTJSON(t *judge.T, _ observe.OnPlays) {
	of := judge.Filter(t.All(judge.ReplyText), func(v judge.Value) bool {
		x := v.Exchange()
		return x.Status()/100 == 2 && len(x.Response.Body) > 0 && x.Ended == record.EOF && !v.Document().Step.Invalid && !t.Case.Dialect.Operation(v.Document().Op).Streams
	})
	judge.Each(t, of, func(v judge.Value) {
		for _, f := range v.Document().Faults {
			if slices.Contains(observe.FatalFaults, f.Kind) && v.Node() != nil {
				t.Fail(v.At(f.Pointer), "sent a body that is not JSON as it should be: "+v.FaultText(f), "a JSON text")
			}
		}
		t.Expect(v).To(match.Should("a JSON text", judge.Value.Exists, nil))
	})
}

type labelParams struct {
	observe.OnSteps
	Like string `json:"like" step:"{},optional"` // the same call with another media type; "" if there is none to compare
}

// checkRequestMediaTypeAccepted compares with the same call under another media type, because a server may
// refuse a call for its media type, or ignore its body, and something else may be wrong with it.
func checkRequestMediaTypeAccepted(t *judge.T, p labelParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		read := match.HaveStatusThat("another HTTP status than 415", func(status int) bool { return status != http.StatusUnsupportedMediaType })
		if p.Like == "" {
			t.Expect(s.Head()).To(read)
			return
		}
		like := t.Step(p.Like)
		if !like.Accepted() && !match.IsError(like.Reply()) || like.Exchange.Status() == http.StatusUnsupportedMediaType {
			t.StopUndecided("the same call with another media type (%s) was not accepted either: %s", p.Like, like.Outcome())
		}
		t.Expect(s.Head()).To(read)
		t.Expect(s.Reply()).ComparedWith(like.Reply()).To(match.Should("what the same call with another label got", func(judge.Value) bool {
			return s.Accepted() || match.IsError(s.Reply()) && observe.HaveSameRefusal(like, s)
		}, match.Outcome))
	})
}

// checkHTTPStatusFitsOutcome recognizes a result that has a status of failure by its type.
func checkHTTPStatusFitsOutcome(t *judge.T, _ observe.OnPlays) {
	var of []judge.Value
	for _, v := range t.All(judge.ReplyText) {
		success := v.Exchange().Status()/100 == 2
		definition := t.Case.Dialect.Operation(v.Document().Op).Result
		switch {
		case v.Failure().IsObject(), success && match.Present(v.Result()):
			of = append(of, v)
		case !success && v.IsObject() && definition != "" && t.Case.Dialect.Shapes().Has(definition):
			if wrong, err := t.Case.Dialect.Shapes().Validate(definition, v.Node().Interface()); err == nil && len(wrong) == 0 && len(v.Node().Members) > 0 {
				of = append(of, v)
			}
		}
	}
	judge.Each(t, of, func(v judge.Value) {
		failed := v.Failure().IsObject()
		wants := "an HTTP status of 2xx, since the call succeeded"
		if failed {
			wants = "an HTTP status of failure, since the answer is an error"
		}
		t.Expect(v.Header(report.StatusLine)).To(match.HaveStatusThat(wants, func(status int) bool { return (status/100 == 2) != failed }))
	})
}

type decodedParams struct {
	Plain   string `json:"plain" step:"{}"`
	Encoded string `json:"encoded" step:"{}"`
}

func checkQueryDecoded(t *judge.T, p decodedParams) {
	ids := func(s judge.Step) (out []string) {
		for _, task := range s.Reply().Result().Read("tasks").Elems() {
			if at, ok := t.Case.Dialect.Pointer("get", "task.id"); ok {
				out = append(out, task.At(at).Text())
			}
		}
		slices.Sort(out)
		return out
	}
	plain := t.Step(p.Plain)
	want := ids(plain)
	if len(want) == 0 {
		t.StopUndecided("the plain query (%s) was not answered with its task: %s", p.Plain, plain.Outcome())
	}
	encoded := t.Step(p.Encoded)
	t.Expect(encoded.Reply()).To(match.BeAResult())
	t.Expect(encoded.Reply().Result().Read("tasks")).ComparedWith(plain.Reply().Result().Read("tasks")).To(match.Should("the tasks that the plain query got",
		func(judge.Value) bool { return slices.Equal(ids(encoded), want) },
		func(v judge.Value) string { return fmt.Sprintf("listed %d tasks", len(v.Elems())) }))
}

type holdsParams struct {
	observe.OnSteps
	Sorts []string `json:"sorts"`
}

func checkResultHasGivenMember(t *judge.T, p holdsParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		t.Expect(s.Result()).To(match.Should("an object with "+strings.Join(p.Sorts, " or "), func(v judge.Value) bool { return v.IsObject() && slices.Contains(p.Sorts, v.Sort()) }, nil))
	})
}

// checkExactlyOneResultMember looks at the text by its own names: what is read of it has them no more.
func checkExactlyOneResultMember(t *judge.T, p holdsParams) {
	due := func(v judge.Value) {
		t.Expect(v.AsWritten()).To(match.Should("an object with exactly one of "+strings.Join(p.Sorts, ", "), func(v judge.Value) bool { return countMembers(v, p.Sorts) == 1 }, nil))
	}
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		if s.Exchange.IsStream() {
			for _, e := range observe.RequireStream(t, s) {
				if !match.Present(e.Failure()) {
					due(e)
				}
			}
			return
		}
		requireResult(t, s)
		due(s.Reply())
	})
}

// requireResult leaves the requirement undecided if a call was not answered with a result.
func requireResult(t *judge.T, s judge.Step) {
	observe.RequireAccepted(t, s, "the call %s/%s was not answered with a result", s.Play.Scenario, s.Name)
}

// countMembers returns how many of the members an object has.
func countMembers(v judge.Value, names []string) int {
	return len(judge.Filter(names, func(name string) bool { return v.At(record.Pointer(name)).Exists() }))
}

type coreParams struct {
	observe.OnSteps
	Ops []string `json:"ops"` // whose answers hold nothing but core objects
}

// checkRESTCoreObjectMembers looks at the id and the state of a task, and at the id, the role and the parts of
// a message. Requirements on the core objects judge other members.
func checkRESTCoreObjectMembers(t *judge.T, p coreParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		requireResult(t, s)
		result := s.Result()
		is := func(v judge.Value) bool {
			return v.Read("task.id").IsString() && v.Read("task.context").IsString() && t.Case.Dialect.State(v.Read("task.state").Text()) != nil
		}
		if result.Sort() == "message" {
			is = func(v judge.Value) bool {
				return v.At("/messageId").IsString() && v.At("/role").IsString() && v.At("/parts").IsArray()
			}
		}
		t.Expect(result).To(match.Should("a task or a message with the members that the text or a2a.proto defines", is, nil))
	})
	observe.FailOnViolations(t, slices.DeleteFunc(slices.Clone(t.Violations()), func(v judge.Violation) bool {
		ofStream := v.Document.Kind == judge.EventText && strings.Count(v.At, "/") < 2 // which events are sent is for the requirements on streams
		repeated := strings.Contains(v.At, "/history/")                                // what we sent in a form that the server may not read in full
		return !slices.Contains(p.Ops, v.Document.Op) || ofStream || repeated || !isMustOfOtherBinding(t, v)
	}))
}

// isMustOfOtherBinding reports whether the rule that an answer breaks is a MUST which is written
// down for another binding alone.
func isMustOfOtherBinding(t *judge.T, v judge.Violation) bool {
	if v.Document.Kind != judge.ReplyText && v.Document.Kind != judge.EventText {
		return false
	}
	for i := range t.Case.Dialect.Requirements {
		q := &t.Case.Dialect.Requirements[i]
		if q.Level == schema.Must && !q.For(t.Case.Binding().Kind()) && observe.Claim(observe.RulesOf(q), v) {
			return true
		}
	}
	return false
}

type headerParams struct {
	Named []string `json:"named" step:"{}"`     // calls whose header names a value that is served
	Other []string `json:"other" step:"{}"`     // calls whose header names a value that is not served
	Error string   `json:"error" names:"error"` // any error if none is named
}

// checkHeaderValueHonored requires a server to take the calls in Named and to refuse those in Other. It
// is undecided about calls that are refused for another reason.
func checkHeaderValueHonored(t *judge.T, p headerParams) {
	var names []string
	if p.Error != "" {
		names = []string{p.Error}
	}
	judge.Each(t, append(t.Steps(p.Named), t.Steps(p.Other)...), func(s judge.Step) {
		reply, due := s.Reply(), slices.Contains(p.Other, s.Play.Scenario+"/"+s.Name)
		if reply.Refuses("MethodNotFound") || !due && match.IsError(reply) && !reply.Refuses(names...) {
			t.StopUndecided("the call %s/%s was refused for another reason: %s", s.Play.Scenario, s.Name, s.Outcome())
		}
		if due {
			t.Expect(reply).To(match.BeRPCError(t, names...))
			return
		}
		t.Expect(reply).NotTo(match.InsteadOf(match.BeRPCError(t, names...), "a call that is taken for what its header says"))
	})
}

type guardedParams struct {
	Missing   []string `json:"missing" step:"{}"`   // calls without credentials
	Forbidden []string `json:"forbidden" step:"{}"` // calls of somebody who may not make them
}

// stopUndecidedUnlessCallMade stops with the reason if none of the calls was made.
func (p guardedParams) stopUndecidedUnlessCallMade(t *judge.T) {
	t.Steps(append(slices.Clone(p.Missing), p.Forbidden...))
}

// judgeEachIfControlAccepted judges those of the steps that were made by callers without permission, if the
// same call of another caller was accepted.
func judgeEachIfControlAccepted(t *judge.T, steps []string, judgeStep func(judge.Step)) {
	made := judge.Filter(steps, func(name string) bool { _, made := t.Find(name); return made })
	judge.Each(t, made, func(name string) {
		s := t.Step(name)
		observe.RequireControlAccepted(t, s)
		judgeStep(s)
	})
}

// checkUnauthorizedRESTRefused only has a finding about another status of refusal: the statuses are examples
// in the source, which requires that such calls are refused.
func checkUnauthorizedRESTRefused(t *judge.T, p guardedParams) {
	judged := func(steps []string, due ...int) {
		judgeEachIfControlAccepted(t, steps, func(s judge.Step) {
			status := s.Exchange.Status()
			if !slices.Contains(due, status) && slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound}, status) {
				t.Tolerate(s.Head(), "the server refuses the call with HTTP status %d", status)
				return
			}
			t.Expect(s.Head()).To(match.HaveStatus(due...))
		})
	}
	p.stopUndecidedUnlessCallMade(t)
	judged(p.Missing, http.StatusUnauthorized)
	judged(p.Forbidden, http.StatusForbidden, http.StatusNotFound)
}

func checkRESTStreamsSendSSE(t *judge.T, p observe.OnSteps) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		if !s.Exchange.Answered() || s.Exchange.Status()/100 != 2 || match.IsError(s.Reply()) {
			t.StopUndecided("no stream was opened by %s/%s: %s", s.Play.Scenario, s.Name, s.Outcome())
		}
		t.Expect(s.Head()).To(match.HaveMediaType("text/event-stream"))
		observe.ExpectObjectEvents(t, s)
	})
}

type bareParams struct {
	observe.OnSteps
	Without []string `json:"without"` // members that only an envelope has
}

func checkEventsWithoutEnvelope(t *judge.T, p bareParams) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		for _, e := range observe.RequireStream(t, s) {
			for _, at := range p.Without {
				t.Expect(e.At(at)).NotTo(match.InsteadOf(match.Should("a member of an envelope", judge.Value.Exists, nil), "the event itself, without an envelope around it"))
			}
		}
	})
}
