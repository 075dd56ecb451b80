package rpc

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// These checks judge in gRPC, whose operations are methods of a service, what JSON-RPC has in its
// envelope.

// haveRPCStatus is satisfied by a call that ended with one of the statuses of gRPC.
func haveRPCStatus(statuses ...string) match.HeadMatcher {
	return match.Head("the gRPC status "+strings.Join(statuses, " or "), func(v judge.Value) bool { return slices.Contains(statuses, v.Exchange().GRPC().Status()) },
		func(v judge.Value) string { return "answered " + observe.StatusOf(v.Exchange()) }).On(report.StatusLine)
}

// stopUndecidedUnlessGRPC leaves the requirement undecided if a call was not answered by gRPC.
func stopUndecidedUnlessGRPC(t *judge.T, s judge.Step) {
	observe.StopIfCallShowsNothing(t, s, s.Exchange.GRPC() == nil, "was not answered by gRPC")
}

const unimplemented = "UNIMPLEMENTED"

// checkSomeGRPCMethodServed only fails if the service has none of the methods, since another service, or
// none, is at the address then. Other requirements judge each method.
func checkSomeGRPCMethodServed(t *judge.T, p observe.OnSteps) {
	steps := t.Steps(p.Steps)
	for _, s := range steps {
		if status := s.Exchange.GRPC().Status(); status != "" && status != unimplemented {
			t.OK(s.Head())
			return
		}
	}
	for _, s := range steps {
		if g := s.Exchange.GRPC(); !s.Exchange.Answered() || g == nil && !slices.Contains(noEndpoint, s.Exchange.Status()) {
			t.StopUndecided("the call %s/%s was not answered by gRPC: %s", s.Play.Scenario, s.Name, s.Outcome())
		}
	}
	judge.Each(t, steps, func(s judge.Step) {
		t.Expect(s.Head()).To(match.Head("the method to be there, or another of the service", func(judge.Value) bool { return false },
			func(v judge.Value) string { return "answered " + observe.StatusOf(v.Exchange()) }).On(report.StatusLine))
	})
}

// wrongBytes lists the faults that no writer with the proto file makes.
var wrongBytes = []binding.MessageFaultKind{binding.MessageMalformed, binding.BadText, binding.WrongWireType, binding.SeveralOfOne}

// listGRPCMessages returns the messages and errors of the run that were sent over gRPC.
func listGRPCMessages(t *judge.T) []judge.Value {
	return judge.Filter(t.All(judge.ReplyText, judge.EventText), func(v judge.Value) bool { return v.Exchange().GRPC() != nil })
}

// newFaultReader finds the faults of messages that their JSON does not show.
func newFaultReader(t *judge.T) func(judge.Value) []binding.MessageFault {
	known := map[*record.Exchange]map[int][]binding.MessageFault{}
	return func(v judge.Value) []binding.MessageFault {
		x := v.Exchange()
		if _, is := known[x]; !is {
			known[x] = binding.MessageFaults(t.Case.Binding(), x)
		}
		return known[x][max(0, v.Document().Event-1)]
	}
}

// checkGRPCEncodingToleratingUnknowns only has a finding about unknown fields, which a later version may have and
// readers skip.
func checkGRPCEncodingToleratingUnknowns(t *judge.T, _ observe.OnPlays) {
	hidden := newFaultReader(t)
	judge.Each(t, listGRPCMessages(t), func(v judge.Value) {
		unknown := false
		for _, f := range hidden(v) {
			if slices.Contains(wrongBytes, f.Kind) {
				t.Fail(v.AsWritten().At(f.Pointer), "sent a message that is not as the proto file has it: "+shorten.Visible(f.Detail, 120), "messages as the proto file defines them")
			}
			if f.Kind == binding.UnknownField && !unknown {
				unknown = true
				t.Finding(v.AsWritten().At(f.Pointer), "the server sends fields that the proto file does not have: %s", shorten.Visible(f.Detail, 120))
			}
		}
		t.OK(v)
	})
}

type securedParams struct {
	observe.OnSteps
	Production string `json:"production"` // the configured fact that makes TLS mandatory
}

func checkGRPCOverTLS(t *judge.T, p securedParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		x := s.Exchange
		observe.StopIfCallShowsNothing(t, s, x.TLS == nil && !x.Answered(), "was not answered")
		if x.TLS == nil && !slices.Contains(t.Case.Transcript.Facts.Operator, p.Production) {
			t.Tolerate(s.Head(), "the server accepts gRPC calls without TLS, which it should not do in production")
			return
		}
		t.Expect(s.Head()).To(match.Head("calls over TLS", func(v judge.Value) bool { return v.Exchange().TLS != nil },
			func(judge.Value) string { return "answered a call without TLS" }))
	})
}

type payloadParams struct {
	observe.OnSteps
	Sorts  []string `json:"sorts"`  // members of which there is one
	Result bool     `json:"result"` // a result is asked for, not just any answer
}

func checkOnePayload(t *judge.T, p payloadParams) {
	hidden := newFaultReader(t)
	of := t.Steps(p.Steps)
	if t.Case.Dialect.Operation(of[0].Op).Streams {
		of = observe.EveryStream(t, p.Steps)
	}
	judge.EachOf(t, of, func(s judge.Step) {
		if !s.Exchange.Answered() || s.Exchange.GRPC() == nil {
			t.StopUndecided("the call %s/%s was not answered over gRPC: %s", s.Play.Scenario, s.Name, s.Outcome())
		}
		if p.Result {
			observe.StopIfFailedInside(t, s)
			t.Expect(s.Reply()).To(match.BeAResult())
		}
		texts := []judge.Value{s.Reply()}
		if s.Exchange.IsStream() {
			texts = observe.RequireStream(t, s)
		}
		texts = slices.DeleteFunc(texts, func(e judge.Value) bool { return match.Present(e.Failure()) })
		observe.StopIfCallShowsNothing(t, s, len(texts) == 0, "was answered without a message")
		for _, e := range texts {
			wants := "exactly one of " + strings.Join(p.Sorts, ", ") + " in each message"
			for _, f := range hidden(e) {
				if f.Kind == binding.SeveralOfOne {
					t.Fail(e, "sent a message that holds several things: "+shorten.Visible(f.Detail, 100), wants)
				}
			}
			t.Expect(e.AsWritten()).To(match.Should(wants, func(v judge.Value) bool { return countMembers(v, p.Sorts) == 1 }, nil))
		}
	})
}

// checkGRPCReplyEmpty allows no field, although a later version may add one.
func checkGRPCReplyEmpty(t *judge.T, p observe.OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		if s.Reply().Refuses("MethodNotFound", "TaskNotFound") {
			t.StopUndecided("the call %s/%s was refused because of its task: %s", s.Play.Scenario, s.Name, s.Outcome())
		}
		t.Expect(s.Reply()).To(match.Should("an empty message", func(v judge.Value) bool {
			return v.AsWritten().IsObject() && !match.Present(v.Failure()) && len(v.AsWritten().Node().Members) == 0
		}, match.Outcome))
	})
}

type bareIDParams struct {
	observe.OnSteps
	Named []string `json:"named"` // what the names of resources begin with
}

func checkTaskIDNotResourceName(t *judge.T, p bareIDParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		id := s.Result().Read("task.id")
		if !id.Exists() {
			t.StopUndecided("the call %s/%s was not answered with a task", s.Play.Scenario, s.Name)
		}
		t.Expect(id).To(match.Should("the id alone", func(v judge.Value) bool {
			return !slices.ContainsFunc(p.Named, func(begins string) bool { return strings.HasPrefix(v.Text(), begins) })
		}, nil))
	})
}

// checkListCountsNotZero requires that neither number of a page with tasks is 0, which is the value of
// an omitted field in gRPC. Other requirements judge if they are right.
func checkListCountsNotZero(t *judge.T, p observe.OnSteps) {
	judge.Each(t, observe.EveryCall(t, p.Steps, "list"), func(s judge.Step) {
		page := s.Result()
		has := len(page.Read("tasks").Elems())
		if has == 0 && !slices.Contains(p.Steps, s.Play.Scenario+"/"+s.Name) {
			return
		}
		observe.StopUndecidedIf(t, has == 0, "the call %s/%s lists no tasks", s.Play.Scenario, s.Name)
		for _, what := range []string{"size", "total"} {
			t.Expect(page.Read(what)).To(match.Should("sizes of the page and of the whole list above 0, as the page lists tasks",
				func(v judge.Value) bool { n, ok := v.Int(); return ok && n > 0 }, nil))
		}
	})
}

// checkStreamCancelKeepsConnection looks at the frames after the one by which we gave the stream up.
func checkStreamCancelKeepsConnection(t *judge.T, p observe.OnSteps) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		x := s.Exchange
		given := -1
		if x.HTTP2 != nil {
			given = slices.IndexFunc(x.HTTP2.Frames, func(f record.HTTP2Frame) bool { return f.Sent && f.Type == "RST_STREAM" })
		}
		if x.Ended != record.OurClose || given < 0 {
			t.StopUndecided("the call %s/%s was not a stream that the client gave up before its end", s.Play.Scenario, s.Name)
		}
		if x.HTTP2.Lost != "" {
			t.Fail(s.Head(), "ended the whole connection when the client canceled one stream ("+shorten.Visible(x.HTTP2.Lost, 80)+")", "that stream alone to end")
		}
		const ack = 1
		if !slices.ContainsFunc(x.HTTP2.Frames[given:], func(f record.HTTP2Frame) bool { return !f.Sent && f.Type == "PING" && f.Flags&ack != 0 }) {
			t.StopUndecided("the server did not answer a PING in time after %s/%s had been given up", s.Play.Scenario, s.Name)
		}
		t.OK(s.Head())
	})
}

type rpcErrorStatusParams struct {
	observe.OnSteps
	Error     string   `json:"error" names:"error"`
	Tolerated []string `json:"tolerated"` // statuses of earlier versions: a finding only
}

// checkGRPCErrorStatus identifies an error by its reason, since several errors have the same
// status.
func checkGRPCErrorStatus(t *judge.T, p rpcErrorStatusParams) {
	want := t.Case.Dialect.Errors[p.Error]
	of := slices.DeleteFunc(listErrors(t), func(v judge.Value) bool { return v.Exchange().GRPC() == nil })
	judge.Each(t, filterByReason(of, want.Reason), func(v judge.Value) {
		status := v.Exchange().GRPC().Status()
		if slices.Contains(p.Tolerated, status) {
			t.Finding(v.Header(report.StatusLine), "the server answers %s with the gRPC status %s, as an earlier version of the protocol required", want.Reason, status)
			t.OK(v)
			return
		}
		t.Expect(v.Header(report.StatusLine)).To(haveRPCStatus(want.GRPC[0]))
	})
}

type rpcStatusParams struct {
	observe.OnSteps
	Status []string `json:"status"`
	Served bool     `json:"served"` // a call that is served breaks it too
}

// checkRefusalGRPCStatus judges the calls that were refused. Other requirements judge if they had to be,
// unless Served is set.
func checkRefusalGRPCStatus(t *judge.T, p rpcStatusParams) {
	var of []judge.Step
	for _, s := range t.Steps(p.Steps) {
		observe.RequireControlAccepted(t, s)
		observe.StopIfTaskGone(t, s)
		if !s.Accepted() || p.Served {
			of = append(of, s)
		}
	}
	judge.Each(t, of, func(s judge.Step) {
		stopUndecidedUnlessGRPC(t, s)
		t.Expect(s.Head()).To(haveRPCStatus(p.Status...))
	})
}

type failsParams struct {
	observe.OnSteps
	Usual []string `json:"usual"` // statuses that say why
}

func checkGRPCStatusNotOK(t *judge.T, p failsParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		stopUndecidedUnlessGRPC(t, s)
		t.Expect(s.Head()).To(match.Head("a gRPC status other than OK, such as "+p.Usual[0], func(v judge.Value) bool { return v.Exchange().GRPC().Failed() },
			func(v judge.Value) string { return "answered " + observe.StatusOf(v.Exchange()) }).On(report.StatusLine))
		if status := s.Exchange.GRPC().Status(); !slices.Contains(p.Usual, status) {
			t.Finding(s.Head(), "the server refuses it with %s, where %s is usual", status, strings.Join(p.Usual, " or "))
		}
	})
}

// checkUnauthorizedGRPCRefused only has a finding if the server confuses the statuses for missing credentials
// and for missing rights: the refusal itself matters.
func checkUnauthorizedGRPCRefused(t *judge.T, p guardedParams) {
	judged := func(steps []string, due ...string) {
		judgeEachIfControlAccepted(t, steps, func(s judge.Step) {
			if s.Exchange.GRPC() == nil && slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden}, s.Exchange.Status()) {
				t.Tolerate(s.Head(), "the server refuses the call with HTTP status %d, before gRPC", s.Exchange.Status())
				return
			}
			status := s.Exchange.GRPC().Status()
			if !slices.Contains(due, status) && slices.Contains([]string{"UNAUTHENTICATED", "PERMISSION_DENIED", "NOT_FOUND"}, status) {
				t.Tolerate(s.Head(), "the server refuses the call with the gRPC status %s", status)
				return
			}
			t.Expect(s.Head()).To(haveRPCStatus(due...))
		})
	}
	p.stopUndecidedUnlessCallMade(t)
	judged(p.Missing, "UNAUTHENTICATED")
	judged(p.Forbidden, "PERMISSION_DENIED", "NOT_FOUND")
}

type valuesParams struct {
	observe.OnPlays
	Of []struct {
		observe.TypePlace
		None string `json:"none"` // the name of the unspecified value
	} `json:"of"`
}

// checkEnumValuesNamed relies on readers that return values without a name as numbers.
func checkEnumValuesNamed(t *judge.T, p valuesParams) {
	type one struct {
		judge.Value
		none string
	}
	var all []one
	for _, of := range p.Of {
		for _, v := range p.Instances(t, of.Type) {
			if v.Document().Kind != judge.Delivery && v.Exchange().GRPC() != nil {
				all = append(all, one{v.At(of.At), of.None})
			}
		}
	}
	judge.Each(t, all, func(v one) {
		none := v.none
		t.Expect(v.Value).To(match.Should("a value that the proto file has a name for, and not "+v.none,
			func(v judge.Value) bool { return v.Text() != "" && v.Text() != none }, func(v judge.Value) string {
				return fmt.Sprintf("sent %s", v.Named())
			}))
	})
}
