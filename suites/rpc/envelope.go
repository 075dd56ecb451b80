package rpc

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type idParams struct {
	observe.OnSteps
	observe.OwnRules
	Tolerated []string `json:"tolerated" names:"error"` // errors that are a finding only
	// Every is result, error or reply. The check then also judges every such reply of the run to
	// a call whose id is a string.
	Every string `json:"every"`
}

// checkEchoedID compares as JSON: strings as strings, numbers by their value.
func checkEchoedID(t *judge.T, p idParams) {
	p.FailIfBroken(t)
	if p.Every != "" {
		checkReplyIDsOutsideSteps(t, p)
	}
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		sent := s.Sent().ID
		reply := s.Reply()
		if s.Exchange.Answered() {
			requireReply(t, s)
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

// beNullID is satisfied by the id null, since the id of a call that could not be read cannot be
// repeated.
func beNullID() match.Matcher { m := match.BeJSONNull(); m.Due = "id null"; return m }

// requireReply leaves the requirement undecided if a call got no JSON-RPC reply, which is for
// another requirement.
func requireReply(t *judge.T, s judge.Step) {
	observe.StopIfCallShowsNothing(t, s, !match.IsResponse(s.Reply()), "got no JSON-RPC reply")
}

type nullIDParams struct {
	observe.OnSteps
	Codes []string `json:"codes" names:"error"` // the error that is asked for; if empty, any JSON-RPC reply is judged
}

// checkReplyIDIsNull does not judge if the call was refused, unless an error is named: that is another
// requirement.
func checkReplyIDIsNull(t *judge.T, p nullIDParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		observe.RequireControlAccepted(t, s)
		reply := s.Reply()
		if len(p.Codes) > 0 {
			t.Expect(reply).To(match.BeRPCError(t, p.Codes...))
		} else {
			requireReply(t, s)
		}
		t.Expect(reply.ID()).To(beNullID())
	})
}

func checkReplyIDOwnOrNull(t *judge.T, p observe.OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		requireReply(t, s)
		own := s.Sent().ID
		t.Expect(s.Reply().ID()).To(match.Should("the id of the call or null", func(v judge.Value) bool {
			n := v.Node()
			return n != nil && (n.Kind == record.Null || own != nil && n.Equal(own))
		}, nil))
	})
}

// checkNullIDEchoed accepts an empty response, since such a call is discouraged, and the response of
// a framework.
func checkNullIDEchoed(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	if len(s.Exchange.Response.Body) == 0 && s.Exchange.Answered() {
		t.OK(s.Head())
		return
	}
	reply := s.Reply()
	if s.Exchange.Answered() && !match.IsResponse(reply) {
		t.StopVacuous("the call was not answered with a JSON-RPC response: %s", s.Outcome())
	}
	t.Expect(reply.ID()).To(beNullID())
}

// replyParams names plays for checks that read all replies of the run: without these plays the
// kind of reply that the check is about may never occur.
type replyParams struct {
	observe.OwnRules
	observe.OnPlays
}

// checkNoErrorWithResult skips a result of null, which another requirement judges, and the events
// of streams, whose members are for the requirements on their shape.
func checkNoErrorWithResult(t *judge.T, p replyParams) {
	p.WithKeyword("required").FailIfBroken(t)
	of := judge.Filter(observe.Replies(t), func(v judge.Value) bool { return match.Present(v.Result()) })
	judge.Each(t, of, func(v judge.Value) {
		if e := v.Failure(); e.Exists() {
			t.Fail(e, "sent error "+e.Shown()+" beside a result", "no error member in a reply with a result")
		}
		t.OK(v.Result())
	})
}

func checkNoResultWithError(t *judge.T, _ replyParams) {
	judge.Each(t, observe.ErrorReplies(t), func(v judge.Value) {
		if r := v.Result(); r.Exists() {
			t.Fail(r, "sent both error and result", "no result member in a reply with an error")
		}
		t.OK(v.Failure())
	})
}

// checkIntegerCode only has a finding if an integer is written as another number, such as 1.0.
func checkIntegerCode(t *judge.T, _ observe.OwnRules) {
	judge.Each(t, observe.ErrorReplies(t), func(v judge.Value) {
		code := v.ErrorCode()
		if whole := strings.TrimRight(code.Number(), "0"); strings.HasSuffix(whole, ".") {
			t.Tolerate(code, "error.code is written as %s", code.Shown())
			return
		}
		t.Expect(code).To(match.Should("an integer", func(v judge.Value) bool { _, ok := v.Int(); return ok }, nil))
	})
}

func checkConciseMessage(t *judge.T, _ struct{}) {
	of := judge.Filter(judge.Map(observe.ErrorReplies(t), judge.Value.ErrorMessage), judge.Value.IsString)
	judge.Each(t, of, func(v judge.Value) {
		t.Expect(v).To(match.Should("one concise sentence: no line break, at most 200 characters", func(v judge.Value) bool {
			return !strings.ContainsAny(v.Text(), "\r\n") && utf8.RuneCountInString(v.Text()) <= 200
		}, nil))
	})
}

// checkErrorDataParsable accepts any JSON. It fails on a response that looks like an error with data and
// is not JSON, for example because of NaN.
func checkErrorDataParsable(t *judge.T, _ struct{}) {
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

// checkNotificationUnanswered only has a finding about an error for the missing id, as the methods expect
// an id. A response that is not JSON-RPC, such as the page of a framework, does not count as an
// answer.
func checkNotificationUnanswered(t *judge.T, p observe.OnSteps) {
	all := t.Steps(p.Steps)
	of := slices.DeleteFunc(slices.Clone(all), func(s judge.Step) bool { return s.Op == "stream" && !isValidTwinStreamed(t, s) })
	if len(of) == 0 {
		of = all
	}
	judge.Each(t, of, func(s judge.Step) {
		observe.RequireControlAccepted(t, s)
		if !s.Exchange.Answered() {
			observe.ExpectNoServerFault(t, s)
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
			t.Tolerate(reply, "the server answers a notification with %s", match.CodeOf(reply))
			return
		}
		t.Fail(reply, match.Outcome(reply), "no response object to a notification")
	})
}

// isValidTwinStreamed reports whether the valid call that belongs to a step was answered by a
// stream. If the server refuses streams to calls with an id, too, calls without one show nothing.
func isValidTwinStreamed(t *judge.T, s judge.Step) bool {
	valid, made := t.Find(s.Play.Scenario + "/" + s.Twin)
	return made && valid.Exchange.IsStream() && !match.IsError(valid.Reply())
}

type batchParams struct {
	observe.OnStep
	Processed bool `json:"processed"` // the sentence is about a batch that was not refused
}

// checkBatchAnsweredOrRefused also accepts one error about the array as a whole, which is another fair reading.
func checkBatchAnsweredOrRefused(t *judge.T, p batchParams) {
	s := t.Step(p.Step)
	reply := s.Reply()
	var want []*record.Node
	for _, one := range s.Sent().Calls {
		want = append(want, one.ID)
	}
	// An error that names one of the calls answers that call alone.
	whole := match.IsError(reply) && !slices.ContainsFunc(want, func(w *record.Node) bool { return w.Equal(reply.ID().Node()) })
	if p.Processed && (whole || s.Exchange.Status() >= 400) {
		t.StopVacuous("the batch was refused: %s", s.Outcome())
	}
	if whole {
		t.Expect(reply).To(match.BeRPCError(t, "InvalidRequest"))
		t.Expect(reply.ID()).To(beNullID())
		return
	}
	t.Expect(reply).To(match.Should(fmt.Sprintf("an array of %d responses, or one error %d with id null", len(want), t.Case.Dialect.Errors["InvalidRequest"].Code),
		func(v judge.Value) bool {
			got := v.Elems()
			return v.IsArray() && len(got) == len(want) && !slices.ContainsFunc(want, func(w *record.Node) bool {
				return !slices.ContainsFunc(got, func(g judge.Value) bool { n := g.ID().Node(); return n != nil && w != nil && n.Equal(w) })
			})
		}, func(v judge.Value) string {
			if v.IsArray() {
				return fmt.Sprintf("answered with an array of %d that does not hold each id of the calls once: %s", len(v.Elems()), v.Shown())
			}
			return match.Outcome(v)
		}))
}

// checkReplyIDsOutsideSteps looks at the replies to all calls but those of the steps, which
// are judged more closely.
func checkReplyIDsOutsideSteps(t *judge.T, p idParams) {
	refusing := observe.FindStreamRefusalEvents(t)
	judge.Each(t, t.All(judge.ReplyText, judge.EventText), func(v judge.Value) {
		s := v.Document()
		if s.Kind == judge.EventText && refusing[s.Exchange] != s.Event {
			return // checks on streams judge these
		}
		if slices.Contains(p.Steps, s.Play.Scenario+"/"+s.Step.Name) || !p.isReplyKindJudged(v) {
			return
		}
		if own := observe.ReadableID(v); own != nil && own.Kind == record.String && !observe.MayBeNull(t, v) {
			t.Expect(v.ID()).To(observe.BeNode(own))
		}
	})
}

// isReplyKindJudged reports whether a reply is of the sort that every one is judged of.
func (p idParams) isReplyKindJudged(v judge.Value) bool {
	switch p.Every {
	case "result":
		return match.Present(v.Result())
	case "error":
		return match.IsError(v)
	}
	return match.IsResponse(v)
}

// checkRepliesAreRPCResponses judges the replies to all calls with a readable id: JSON-RPC 2.0, section 5,
// requires a response to each call that is not a notification, however it is refused. It skips
// the statuses of what is in front of the server (a guard, a limit, a proxy).
func checkRepliesAreRPCResponses(t *judge.T, p replyParams) {
	p.FailIfBroken(t)
	of := judge.Filter(t.All(judge.ReplyText), func(v judge.Value) bool {
		x := v.Exchange()
		return observe.IsAnswerToJSONPost(v) && hasID(v.Sent().ID) && len(x.Response.Body) > 0 && x.Ended == record.EOF && !x.IsStream() &&
			!slices.Contains(proxyStatuses, x.Status()) && (v.IsObject() || !slices.Contains(noEndpoint, x.Status()))
	})
	judge.Each(t, of, func(v judge.Value) { t.Expect(v).To(beAResponse()) })
}

// proxyStatuses are the statuses of calls that did not reach the server.
var proxyStatuses = []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusRequestEntityTooLarge,
	http.StatusTooManyRequests, http.StatusRequestHeaderFieldsTooLarge, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}

// noEndpoint are the statuses of a place without an endpoint, unless the response is an object of
// the protocol.
var noEndpoint = []int{http.StatusNotFound, http.StatusMethodNotAllowed}

// hasID reports whether a call has an id that JSON-RPC allows.
func hasID(id *record.Node) bool {
	return id != nil && (id.Kind == record.String || id.Kind == record.Number)
}

// beAResponse is satisfied by a JSON-RPC response of any outcome, and not by an
// object with an error in another form.
func beAResponse() match.Matcher {
	return match.Should("a JSON-RPC response object", match.IsResponse, match.Foreign)
}
