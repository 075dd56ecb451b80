package rpc

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

var envelopeChecks = []judge.Check{
	judge.Define("envelope/response", "every reply to a call is a JSON-RPC response object", aResponse),
	judge.Define("envelope/echoes-id", "the reply has the id of the call", echoesID),
	judge.Define("envelope/null-id", "the reply to a call whose id could not be read has id null", nullID),
	judge.Define("envelope/own-or-null-id", "the reply has the id of the call or null", ownOrNullID),
	judge.Define("envelope/null-call", "a call with id null gets id null, if it gets a reply", nullCall),
	judge.Define("envelope/no-error-beside-result", "a reply with a result has no error member", noErrorBeside),
	judge.Define("envelope/no-result-beside-error", "a reply with an error has no result member", noResultBeside),
	judge.Define("envelope/integer-code", "error.code is an integer", integerCode),
	judge.Define("envelope/concise-message", "error.message is one concise sentence", conciseMessage),
	judge.Define("envelope/error-data", "error.data may have any JSON type", errorData),
	judge.Define("envelope/notification", "a notification gets no response object", notification),
	judge.Define("envelope/batch", "a batch is answered by one response for each call", batch),
}

type idParams struct {
	observe.OnSteps
	observe.OwnRules
	Tolerated []string `json:"tolerated" names:"error"` // errors that are a finding only
	// Every is result, error or reply: beside the steps, every such reply of the run
	// to a call whose id is a string.
	Every string `json:"every"`
}

// echoesID compares as JSON: strings as strings, numbers by their value.
func echoesID(t *judge.T, p idParams) {
	p.FailIfBroken(t)
	if p.Every != "" {
		echoedEverywhere(t, p)
	}
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		sent := s.Sent().ID
		reply := s.Reply()
		if s.Exchange.Answered() && !match.IsResponse(reply) { // which is another requirement
			t.Undecided("the call %s/%s got no JSON-RPC reply: %s", s.Play.Scenario, s.Name, s.Outcome())
		}
		for _, name := range p.Tolerated {
			if reply.Refuses(name) {
				t.Finding(reply.ErrorCode(), "the server refuses the id %s, which clients are advised against", observe.DescribeNode(sent))
				t.OK(reply)
				return
			}
		}
		t.Expect(reply.ID()).To(observe.BeNode(sent))
	})
}

// nullIDWanted: the id of a call that could not be read cannot be repeated.
func nullIDWanted() match.Matcher { m := match.BeJSONNull(); m.Due = "id null"; return m }

type nullIDParams struct {
	observe.OnSteps
	Codes []string `json:"codes" names:"error"` // the error that is asked for; if empty, any JSON-RPC reply is judged
}

// nullID: where no error is named, that the call is refused is for another
// requirement.
func nullID(t *judge.T, p nullIDParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		observe.RequireControlAccepted(t, s)
		reply := s.Reply()
		if len(p.Codes) > 0 {
			t.Expect(reply).To(match.BeRPCError(t, p.Codes...))
		} else if !match.IsResponse(reply) {
			t.Undecided("the call %s/%s got no JSON-RPC reply: %s", s.Play.Scenario, s.Name, s.Outcome())
		}
		t.Expect(reply.ID()).To(nullIDWanted())
	})
}

func ownOrNullID(t *judge.T, p observe.OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		if reply := s.Reply(); !match.IsResponse(reply) {
			t.Undecided("the call %s/%s got no JSON-RPC reply: %s", s.Play.Scenario, s.Name, s.Outcome())
		}
		own := s.Sent().ID
		t.Expect(s.Reply().ID()).To(match.Should("the id of the call or null", func(v judge.Value) bool {
			n := v.Node()
			return n != nil && (n.Kind == record.Null || own != nil && n.Equal(own))
		}, nil))
	})
}

// nullCall: no response is fine, since such a call is discouraged; so is what a
// framework says in place of one.
func nullCall(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	if len(s.Exchange.Response.Body) == 0 && s.Exchange.Answered() {
		t.OK(s.Head())
		return
	}
	reply := s.Reply()
	if s.Exchange.Answered() && !match.IsResponse(reply) {
		t.Vacuous("the call was not answered with a JSON-RPC response: %s", s.Outcome())
	}
	t.Expect(reply.ID()).To(nullIDWanted())
}

// The plays of a check that reads whatever was said are those without which
// what it is about may never be said.
type besideParams struct {
	observe.OwnRules
	observe.OnPlays
}

// noErrorBeside: a result of null beside an error is the other requirement's
// matter, and what stands beside a result in a stream the shape of its frames.
func noErrorBeside(t *judge.T, p besideParams) {
	p.WithKeyword("required").FailIfBroken(t)
	var of []judge.Value
	for _, v := range observe.Replies(t) {
		if match.Present(v.Result()) {
			of = append(of, v)
		}
	}
	judge.Each(t, of, func(v judge.Value) {
		if e := v.Failure(); e.Exists() {
			t.Fail(e, "sent error "+e.Shown()+" beside a result", "no error member in a reply with a result")
		}
		t.OK(v.Result())
	})
}

func noResultBeside(t *judge.T, _ besideParams) {
	judge.Each(t, observe.ErrorReplies(t), func(v judge.Value) {
		if r := v.Result(); r.Exists() {
			t.Fail(r, "sent both error and result", "no result member in a reply with an error")
		}
		t.OK(v.Failure())
	})
}

// integerCode: a number that is an integer but not written as one is a finding.
func integerCode(t *judge.T, _ observe.OwnRules) {
	judge.Each(t, observe.ErrorReplies(t), func(v judge.Value) {
		code := v.ErrorCode()
		if whole := strings.TrimRight(code.Number(), "0"); strings.HasSuffix(whole, ".") {
			t.Finding(code, "error.code is written as %s", code.Shown())
			t.OK(code)
			return
		}
		t.Expect(code).To(match.Should("an integer", func(v judge.Value) bool { _, ok := v.Int(); return ok }, nil))
	})
}

func conciseMessage(t *judge.T, _ struct{}) {
	var of []judge.Value
	for _, v := range observe.ErrorReplies(t) {
		if v.ErrorMessage().IsString() {
			of = append(of, v.ErrorMessage())
		}
	}
	judge.Each(t, of, func(v judge.Value) {
		t.Expect(v).To(match.Should("one concise sentence: no line break, at most 200 characters", func(v judge.Value) bool {
			return !strings.ContainsAny(v.Text(), "\r\n") && utf8.RuneCountInString(v.Text()) <= 200
		}, nil))
	})
}

// errorData: any JSON will do. What looks like an error with data and is not
// JSON, such as NaN, is what breaks it.
func errorData(t *judge.T, _ struct{}) {
	of := slices.DeleteFunc(observe.ErrorReplies(t), func(v judge.Value) bool { return !v.Failure().At("/data").Exists() })
	for _, v := range t.All(judge.ReplyText) {
		body := string(v.Exchange().Response.Body)
		if !v.Exists() && strings.Contains(body, `"error"`) && strings.Contains(body, `"data"`) {
			of = append(of, v)
		}
	}
	judge.Each(t, of, func(v judge.Value) {
		t.Expect(v).To(match.Should("an error whose data, where present, is JSON of any type", judge.Value.IsObject, nil))
	})
}

// notification: an error about the missing id is tolerated with a finding, as
// the methods expect an id. What is no JSON-RPC response, such as the page or the
// JSON of a framework, is no answer in the sense of the sentence.
func notification(t *judge.T, p observe.OnSteps) {
	all := t.Steps(p.Steps)
	of := slices.DeleteFunc(slices.Clone(all), func(s judge.Step) bool { return s.Op == "stream" && !streamsBeside(t, s) })
	if len(of) == 0 {
		of = all
	}
	judge.Each(t, of, func(s judge.Step) {
		observe.RequireControlAccepted(t, s)
		if !s.Exchange.Answered() {
			observe.ExpectOrderlyAnswer(t, s)
		}
		answers := []judge.Value{}
		if s.Exchange.IsStream() {
			answers = s.Events()
		} else if len(s.Exchange.Response.Body) > 0 {
			answers = append(answers, s.Reply())
			answers = append(answers, s.Reply().Elems()...)
		}
		i := slices.IndexFunc(answers, match.IsResponse)
		if i < 0 {
			t.OK(s.Head())
			return
		}
		reply := answers[i]
		if match.IsError(reply) && reply.ID().IsNull() {
			t.Finding(reply, "the server answers a notification with %s", match.CodeOf(reply))
			t.OK(reply)
			return
		}
		t.Fail(reply, match.Outcome(reply), "no response object to a notification")
	})
}

// streamsBeside reports whether the valid call beside a step was answered by a
// stream. Where streams are refused to calls with an id, too, those without show
// nothing.
func streamsBeside(t *judge.T, s judge.Step) bool {
	valid, made := t.Find(s.Play.Scenario + "/" + s.Twin)
	return made && valid.Exchange.IsStream() && !match.IsError(valid.Reply())
}

type batchParams struct {
	observe.OnStep
	Processed bool `json:"processed"` // the sentence is about a batch that was not refused
}

// batch: one error about the array as a whole is the other fair reading.
func batch(t *judge.T, p batchParams) {
	s := t.Step(p.Step)
	reply := s.Reply()
	var want []*record.Node
	for _, one := range s.Sent().Calls {
		want = append(want, one.ID)
	}
	// An error that names one of the calls answers that call alone.
	whole := match.IsError(reply) && !slices.ContainsFunc(want, func(w *record.Node) bool { return w.Equal(reply.ID().Node()) })
	if p.Processed && (whole || s.Exchange.Status() >= 400) {
		t.Vacuous("the batch was refused: %s", s.Outcome())
	}
	if whole {
		t.Expect(reply).To(match.BeRPCError(t, "InvalidRequest"))
		t.Expect(reply.ID()).To(nullIDWanted())
		return
	}
	t.Expect(reply).To(match.Should(fmt.Sprintf("an array of %d responses, or one error %d with id null", len(want), t.Case.Dialect.Errors["InvalidRequest"].Code),
		func(v judge.Value) bool {
			got := v.Elems()
			if !v.IsArray() || len(got) != len(want) {
				return false
			}
			for _, w := range want {
				found := false
				for _, g := range got {
					if n := g.ID().Node(); n != nil && w != nil && n.Equal(w) {
						found = true
					}
				}
				if !found {
					return false
				}
			}
			return true
		}, func(v judge.Value) string {
			if v.IsArray() {
				return fmt.Sprintf("answered with an array of %d that does not hold each id of the calls once: %s", len(v.Elems()), v.Shown())
			}
			return match.Outcome(v)
		}))
}
