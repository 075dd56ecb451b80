package rpc

import (
	"fmt"
	"maps"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Over REST an error is a google.rpc.Status in JSON, and comes with an HTTP status.

// checkRefusalHasErrorObject looks at calls that the server itself refused, and not a proxy in front of it.
func checkRefusalHasErrorObject(t *judge.T, p observe.OnSteps) {
	judge.Each(t, judge.Filter(t.Steps(p.Steps), isRefusedByServer), func(s judge.Step) {
		t.Expect(s.Reply()).To(match.Should("a JSON object with an object error", func(v judge.Value) bool { return v.Failure().IsObject() },
			func(v judge.Value) string {
				return judge.AnsweredBy(v.Exchange(), "its own JSON "+v.Shown())
			}))
	})
}

func isRefusedByServer(s judge.Step) bool {
	return s.Exchange.Status() >= 400 && !slices.Contains(proxyStatuses, s.Exchange.Status()) && !s.Exchange.IsStream()
}

// listRefusalsWithBody returns the calls that the server itself refused with a body.
func listRefusalsWithBody(t *judge.T, steps []string) []judge.Step {
	return judge.Filter(t.Steps(steps), func(s judge.Step) bool { return isRefusedByServer(s) && len(s.Exchange.Response.Body) > 0 })
}

// checkErrorsShareMember requires one common member, since the source leaves the members of an error open,
// and not every error has all of them.
func checkErrorsShareMember(t *judge.T, p observe.OnSteps) {
	of := listRefusalsWithBody(t, p.Steps)
	var first judge.Value
	judge.Each(t, of, func(s judge.Step) {
		v := s.Reply().AsWritten()
		t.Expect(v).To(match.BeAnObject())
		if !first.IsObject() {
			first = v
			return
		}
		t.Expect(v).ComparedWith(first).To(match.Should("an error that has a member in common with the others", func(v judge.Value) bool {
			for name := range v.Members() {
				if first.At(record.Pointer(name)).Exists() {
					return true
				}
			}
			return false
		}, nil))
	})
}

// checkErrorHasProtocolName does not accept the status alone, which may come from any framework.
func checkErrorHasProtocolName(t *judge.T, p observe.OnSteps) {
	judge.Each(t, listRefusalsWithBody(t, p.Steps), func(s judge.Step) {
		t.Expect(s.Reply()).To(match.Should("an error that says by a code or a name of the protocol which one it is, such as TaskNotFound",
			func(v judge.Value) bool { return v.Marked() && v.ErrorName() != "" }, nil))
	})
}

// listErrorResponses returns the errors that are the whole response to a call, with a status of
// their own.
func listErrorResponses(t *judge.T) []judge.Value {
	return slices.DeleteFunc(listErrors(t), func(v judge.Value) bool { return v.Document().Kind != judge.ReplyText })
}

func checkErrorCodeIsHTTPStatus(t *judge.T, _ observe.OnPlays) {
	judge.Each(t, listErrorResponses(t), func(v judge.Value) {
		t.Expect(v.ErrorCode()).To(match.Should(fmt.Sprintf("the HTTP status, %d", v.Exchange().Status()), func(c judge.Value) bool {
			n, ok := c.Int()
			return ok && n == v.Exchange().Status()
		}, nil))
	})
}

// rpcNames maps the names of google.rpc.Code to the HTTP status in the comments of that type.
var rpcNames = map[string]int{"CANCELLED": 499, "UNKNOWN": 500, "INVALID_ARGUMENT": 400, "DEADLINE_EXCEEDED": 504, "NOT_FOUND": 404, "ALREADY_EXISTS": 409,
	"PERMISSION_DENIED": 403, "UNAUTHENTICATED": 401, "RESOURCE_EXHAUSTED": 429, "FAILED_PRECONDITION": 400, "ABORTED": 409, "OUT_OF_RANGE": 400,
	"UNIMPLEMENTED": 501, "INTERNAL": 500, "UNAVAILABLE": 503, "DATA_LOSS": 500}

type statusNameParams struct {
	observe.OnPlays
	At string `json:"at"` // in the error
}

// checkErrorStatusNameKnown only has a finding about an error without a name, or with the name of another
// status. google.rpc has names for some of the HTTP statuses only.
func checkErrorStatusNameKnown(t *judge.T, p statusNameParams) {
	judge.Each(t, listErrorResponses(t), func(v judge.Value) {
		name := v.Failure().At(p.At)
		if !match.Present(name) {
			t.Tolerate(v.Failure(), "the server answers an error without the name of its code")
			return
		}
		t.Expect(name).To(match.Should("a name of google.rpc.Code, such as NOT_FOUND", func(v judge.Value) bool { _, known := rpcNames[v.Text()]; return known }, nil))
		known := slices.Contains(slices.Collect(maps.Values(rpcNames)), v.Exchange().Status())
		if due := rpcNames[name.Text()]; name.IsString() && due != 0 && known && due != v.Exchange().Status() {
			t.Finding(name, "the server answers %s with HTTP status %d, where %d is usual", name.Text(), v.Exchange().Status(), due)
		}
	})
}

// checkErrorInfoPresent looks at calls that provoke an error of the protocol. It skips errors that
// only their status identifies, since another error may have the same status.
func checkErrorInfoPresent(t *judge.T, p observe.OnSteps) {
	of := judge.Filter(judge.Map(t.Steps(p.Steps), judge.Step.Reply), func(reply judge.Value) bool {
		_, ok := lookupSignWithReason(t, reply)
		return ok && match.IsError(reply)
	})
	judge.Each(t, of, func(v judge.Value) {
		t.Expect(v.ErrorDetails("")).To(match.Should("an ErrorInfo among the details", func(judge.Value) bool { return len(findDetailsOfType(v, infoType)) > 0 }, nil))
	})
}

// filterByReason returns the errors whose details have the reason.
func filterByReason(errors []judge.Value, reason string) []judge.Value {
	return slices.DeleteFunc(errors, func(v judge.Value) bool {
		return !slices.ContainsFunc(findDetailsOfType(v, infoType), func(e judge.Value) bool { return e.At("/reason").Is(reason) })
	})
}

type errorStatusParams struct {
	observe.OnSteps
	Error     string `json:"error" names:"error"`
	Tolerated []int  `json:"tolerated"` // statuses of earlier versions: a finding only
}

// checkErrorHTTPStatus identifies an error by its reason, since several errors have the same status.
func checkErrorHTTPStatus(t *judge.T, p errorStatusParams) {
	want := t.Case.Dialect.Errors[p.Error]
	judge.Each(t, filterByReason(listErrorResponses(t), want.Reason), func(v judge.Value) {
		status := v.Exchange().Status()
		if slices.Contains(p.Tolerated, status) {
			t.Finding(v.Header(report.StatusLine), "the server answers %s with HTTP status %d, as an earlier version of the protocol required", want.Reason, status)
			t.OK(v)
			return
		}
		t.Expect(v.Header(report.StatusLine)).To(match.HaveStatus(want.HTTP[0]))
	})
}
