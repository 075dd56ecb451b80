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

var restErrorChecks = []judge.Check{
	judge.Define("rest/error-object", "a call that fails is answered with an object that describes the error", errorObject),
	judge.Define("rest/code", "the code of an error is the HTTP status that it comes with", codeIsStatus),
	judge.Define("rest/status-name", "an error has the name that google.rpc gives its code", statusName),
	judge.Define("rest/info", "an error that the protocol names has an ErrorInfo", infoDue),
	judge.Define("rest/one-shape", "errors are JSON objects that have members in common", oneShape),
	judge.Define("rest/told", "an error says by its code or its name which one it is", errorTold),
	judge.Define("rest/error-status", "an error of the protocol comes with the HTTP status that it has there", errorStatus),
}

// errorObject looks at calls that a server has to refuse itself. What stands before it
// speaks for itself.
func errorObject(t *judge.T, p observe.OnSteps) {
	var of []judge.Step
	for _, s := range t.Steps(p.Steps) {
		if s.Exchange.Status() >= 400 && !slices.Contains(beforeTheServer, s.Exchange.Status()) && !s.Exchange.IsStream() {
			of = append(of, s)
		}
	}
	judge.Each(t, of, func(s judge.Step) {
		t.Expect(s.Reply()).To(match.Should("a JSON object with an object error", func(v judge.Value) bool { return v.Failure().IsObject() },
			func(v judge.Value) string {
				return judge.AnsweredBy(v.Exchange(), "its own JSON "+v.Shown())
			}))
	})
}

// failed are the calls of steps that the server itself refused, with a body.
func failed(t *judge.T, steps []string) (of []judge.Step) {
	for _, s := range t.Steps(steps) {
		if status := s.Exchange.Status(); status >= 400 && !slices.Contains(beforeTheServer, status) && !s.Exchange.IsStream() && len(s.Exchange.Response.Body) > 0 {
			of = append(of, s)
		}
	}
	return of
}

// oneShape: which members an error has is open in the source, and not each error has all
// of them. Two that have none in common have no shape in common.
func oneShape(t *judge.T, p observe.OnSteps) {
	of := failed(t, p.Steps)
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

// errorTold: the status alone may be that of any framework.
func errorTold(t *judge.T, p observe.OnSteps) {
	judge.Each(t, failed(t, p.Steps), func(s judge.Step) {
		t.Expect(s.Reply()).To(match.Should("an error that says by a code or a name of the protocol which one it is, such as TaskNotFound",
			func(v judge.Value) bool { return v.Marked() && v.ErrorName() != "" }, nil))
	})
}

// alone are the errors that are the whole answer to a call, with a status of their own.
func alone(t *judge.T) []judge.Value {
	return slices.DeleteFunc(errorReplies(t), func(v judge.Value) bool { return v.Document().Kind != judge.ReplyText })
}

func codeIsStatus(t *judge.T, _ observe.OnPlays) {
	judge.Each(t, alone(t), func(v judge.Value) {
		t.Expect(v.ErrorCode()).To(match.Should(fmt.Sprintf("the HTTP status, %d", v.Exchange().Status()), func(c judge.Value) bool {
			n, ok := c.Int()
			return ok && n == v.Exchange().Status()
		}, nil))
	})
}

// rpcNames are the names of google.rpc.Code, and the HTTP status that the comments of
// that type give each.
var rpcNames = map[string]int{"CANCELLED": 499, "UNKNOWN": 500, "INVALID_ARGUMENT": 400, "DEADLINE_EXCEEDED": 504, "NOT_FOUND": 404, "ALREADY_EXISTS": 409,
	"PERMISSION_DENIED": 403, "UNAUTHENTICATED": 401, "RESOURCE_EXHAUSTED": 429, "FAILED_PRECONDITION": 400, "ABORTED": 409, "OUT_OF_RANGE": 400,
	"UNIMPLEMENTED": 501, "INTERNAL": 500, "UNAVAILABLE": 503, "DATA_LOSS": 500}

type statusNameParams struct {
	observe.OnPlays
	At string `json:"at"` // in the error
}

// statusName: an error without a name, and one with the name of another status, are
// findings. Of HTTP's statuses google.rpc knows only some.
func statusName(t *judge.T, p statusNameParams) {
	judge.Each(t, alone(t), func(v judge.Value) {
		name := v.Failure().At(p.At)
		if !match.Present(name) {
			t.Finding(v.Failure(), "the server answers an error without the name of its code")
			t.OK(v.Failure())
			return
		}
		t.Expect(name).To(match.Should("a name of google.rpc.Code, such as NOT_FOUND", func(v judge.Value) bool { _, known := rpcNames[v.Text()]; return known }, nil))
		known := slices.Contains(slices.Collect(maps.Values(rpcNames)), v.Exchange().Status())
		if due := rpcNames[name.Text()]; name.IsString() && due != 0 && known && due != v.Exchange().Status() {
			t.Finding(name, "the server answers %s with HTTP status %d, where %d is usual", name.Text(), v.Exchange().Status(), due)
		}
	})
}

// infoDue looks at calls that provoke an error of the protocol. Where nothing but the
// status says which it is, another error may have the same.
func infoDue(t *judge.T, p observe.OnSteps) {
	var of []judge.Value
	for _, s := range t.Steps(p.Steps) {
		if reply := s.Reply(); match.IsError(reply) {
			if _, ok := sign(t, reply); ok {
				of = append(of, reply)
			}
		}
	}
	judge.Each(t, of, func(v judge.Value) {
		t.Expect(v.ErrorDetails("")).To(match.Should("an ErrorInfo among the details", func(judge.Value) bool { return len(details(v, infoType)) > 0 }, nil))
	})
}

// ofReason are those of the errors that give a reason in their details.
func ofReason(errors []judge.Value, reason string) []judge.Value {
	return slices.DeleteFunc(errors, func(v judge.Value) bool {
		return !slices.ContainsFunc(details(v, infoType), func(e judge.Value) bool { return e.At("/reason").Is(reason) })
	})
}

type errorStatusParams struct {
	observe.OnSteps
	Error     string `json:"error" names:"error"`
	Tolerated []int  `json:"tolerated"` // statuses of earlier versions: a finding only
}

// errorStatus: which error it is, its reason says. Several have one status.
func errorStatus(t *judge.T, p errorStatusParams) {
	want := t.Case.Dialect.Errors[p.Error]
	judge.Each(t, ofReason(alone(t), want.Reason), func(v judge.Value) {
		status := v.Exchange().Status()
		if slices.Contains(p.Tolerated, status) {
			t.Finding(v.Header(report.StatusLine), "the server answers %s with HTTP status %d, as an earlier version of the protocol required", want.Reason, status)
			t.OK(v)
			return
		}
		t.Expect(v.Header(report.StatusLine)).To(match.HaveStatus(want.HTTP[0]))
	})
}
