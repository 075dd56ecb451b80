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

// Where operations are methods of a gRPC service, these say what JSON-RPC says in its
// envelope.

var grpcChecks = []judge.Check{
	judge.Define("grpc/served", "the service is there: one of its methods at least is known", grpcServed),
	judge.Define("grpc/encoded", "the bytes of messages are what the proto file describes", grpcEncoded),
	judge.Define("grpc/secured", "calls travel over TLS; unless your configuration sets production, calls without TLS are only a finding", grpcSecured),
	judge.Define("grpc/one-payload", "each message of a stream holds one thing", onePayload),
	judge.Define("grpc/empty", "a call that returns nothing is answered with a message without fields", grpcEmpty),
	judge.Define("grpc/bare-ids", "an id is not the name of a resource", bareIDs),
	judge.Define("grpc/counted", "a page says how many tasks it has, and how many there are in all", grpcCounted),
	judge.Define("grpc/dropped", "a connection outlives a stream that a client gives up", grpcDropped),
	judge.Define("grpc/metadata-read", "the server reads the facts about a call that its metadata contain", headerRead),
	judge.Define("grpc/info", "an error that the protocol names has an ErrorInfo", infoDue),
	judge.Define("grpc/error-status", "an error of the protocol comes with the status that it has there", grpcErrorStatus),
	judge.Define("grpc/status", "a call is answered with one of the statuses", grpcStatus),
	judge.Define("grpc/fails", "a call ends with a status that is not OK; one that does not say why is a finding", grpcFails),
	judge.Define("grpc/guarded", "the status tells callers that they need credentials, or that they may not make the call", grpcGuarded),
	judge.Define("grpc/named-values", "values of an enum have a name, and not the name for an unspecified value", namedValues),
}

// haveRPCStatus is satisfied by a call that ended with one of the statuses of gRPC.
func haveRPCStatus(statuses ...string) match.HeadMatcher {
	return match.Head("the gRPC status "+strings.Join(statuses, " or "), func(v judge.Value) bool { return slices.Contains(statuses, v.Exchange().GRPC().Status()) },
		func(v judge.Value) string { return "answered " + observe.StatusOf(v.Exchange()) }).On(report.StatusLine)
}

const unimplemented = "UNIMPLEMENTED"

// grpcServed: which methods a service has is for other requirements. That it has none of
// them shows that another service is there, or none.
func grpcServed(t *judge.T, p observe.OnSteps) {
	steps := t.Steps(p.Steps)
	for _, s := range steps {
		if status := s.Exchange.GRPC().Status(); status != "" && status != unimplemented {
			t.OK(s.Head())
			return
		}
	}
	for _, s := range steps {
		if g := s.Exchange.GRPC(); !s.Exchange.Answered() || g == nil && !slices.Contains(noEndpoint, s.Exchange.Status()) {
			t.Undecided("the call %s/%s was not answered by gRPC: %s", s.Play.Scenario, s.Name, s.Outcome())
		}
	}
	judge.Each(t, steps, func(s judge.Step) {
		t.Expect(s.Head()).To(match.Head("the method to be there, or another of the service", func(judge.Value) bool { return false },
			func(v judge.Value) string { return "answered " + observe.StatusOf(v.Exchange()) }).On(report.StatusLine))
	})
}

// wrongBytes are what no writer makes that has the proto file.
var wrongBytes = []binding.MessageFaultKind{binding.MessageMalformed, binding.BadText, binding.WrongWireType, binding.SeveralOfOne}

// overGRPC are the messages of the run that travelled over gRPC, and its errors.
func overGRPC(t *judge.T) (out []judge.Value) {
	for _, v := range t.All(judge.ReplyText, judge.EventText) {
		if v.Exchange().GRPC() != nil {
			out = append(out, v)
		}
	}
	return out
}

// hiding finds the faults of messages that their JSON does not show.
func hiding(t *judge.T) func(judge.Value) []binding.MessageFault {
	known := map[*record.Exchange]map[int][]binding.MessageFault{}
	return func(v judge.Value) []binding.MessageFault {
		x := v.Exchange()
		if _, is := known[x]; !is {
			known[x] = binding.MessageFaults(t.Case.Binding(), x)
		}
		return known[x][max(0, v.Document().Event-1)]
	}
}

// grpcEncoded: a field with an unknown number may be of a later version, and readers pass
// over it.
func grpcEncoded(t *judge.T, _ observe.OnPlays) {
	hidden := hiding(t)
	judge.Each(t, overGRPC(t), func(v judge.Value) {
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
	Production string `json:"production"` // the word of the operator where TLS is due
}

func grpcSecured(t *judge.T, p securedParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		x := s.Exchange
		if x.TLS == nil && !x.Answered() {
			t.Undecided("the call %s/%s was not answered: %s", s.Play.Scenario, s.Name, s.Outcome())
		}
		if x.TLS == nil && !slices.Contains(t.Case.Transcript.Facts.Operator, p.Production) {
			t.Finding(s.Head(), "the server accepts gRPC calls without TLS, which it should not do in production")
			t.OK(s.Head())
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

func onePayload(t *judge.T, p payloadParams) {
	hidden := hiding(t)
	of := t.Steps(p.Steps)
	if t.Case.Dialect.Operation(of[0].Op).Streams {
		of = observe.EveryStream(t, p.Steps)
	}
	judge.EachOf(t, of, func(s judge.Step) {
		if !s.Exchange.Answered() || s.Exchange.GRPC() == nil {
			t.Undecided("the call %s/%s was not answered over gRPC: %s", s.Play.Scenario, s.Name, s.Outcome())
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
		if len(texts) == 0 {
			t.Undecided("the call %s/%s was answered without a message: %s", s.Play.Scenario, s.Name, s.Outcome())
		}
		for _, e := range texts {
			wants := "exactly one of " + strings.Join(p.Sorts, ", ") + " in each message"
			for _, f := range hidden(e) {
				if f.Kind == binding.SeveralOfOne {
					t.Fail(e, "sent a message that holds several things: "+shorten.Visible(f.Detail, 100), wants)
				}
			}
			t.Expect(e.AsWritten()).To(match.Should(wants, func(v judge.Value) bool { return countOf(v, p.Sorts) == 1 }, nil))
		}
	})
}

// grpcEmpty: fields that a later version may add are no breach, and are not there today.
func grpcEmpty(t *judge.T, p observe.OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		if s.Reply().Refuses("MethodNotFound", "TaskNotFound") {
			t.Undecided("the call %s/%s was refused because of its task: %s", s.Play.Scenario, s.Name, s.Outcome())
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

func bareIDs(t *judge.T, p bareIDParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		id := s.Result().Read("task.id")
		if !id.Exists() {
			t.Undecided("the call %s/%s was not answered with a task", s.Play.Scenario, s.Name)
		}
		t.Expect(id).To(match.Should("the id alone", func(v judge.Value) bool {
			return !slices.ContainsFunc(p.Named, func(begins string) bool { return strings.HasPrefix(v.Text(), begins) })
		}, nil))
	})
}

// grpcCounted: of a page with tasks neither number can be 0, which over gRPC is what is
// left out. Whether they are right is for other requirements.
func grpcCounted(t *judge.T, p observe.OnSteps) {
	judge.Each(t, observe.EveryCall(t, p.Steps, "list"), func(s judge.Step) {
		page := s.Result()
		has := len(page.Read("tasks").Elems())
		if has == 0 && !slices.Contains(p.Steps, s.Play.Scenario+"/"+s.Name) {
			return
		}
		if has == 0 {
			t.Undecided("the call %s/%s lists no tasks", s.Play.Scenario, s.Name)
		}
		for _, what := range []string{"size", "total"} {
			t.Expect(page.Read(what)).To(match.Should("sizes of the page and of the whole list above 0, as the page lists tasks",
				func(v judge.Value) bool { n, ok := v.Int(); return ok && n > 0 }, nil))
		}
	})
}

// grpcDropped looks at the frames after the one by which we gave the stream up.
func grpcDropped(t *judge.T, p observe.OnSteps) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		x := s.Exchange
		given := -1
		if x.HTTP2 != nil {
			given = slices.IndexFunc(x.HTTP2.Frames, func(f record.HTTP2Frame) bool { return f.Sent && f.Type == "RST_STREAM" })
		}
		if x.Ended != record.OurClose || given < 0 {
			t.Undecided("the call %s/%s was not a stream that the client gave up before its end", s.Play.Scenario, s.Name)
		}
		if x.HTTP2.Lost != "" {
			t.Fail(s.Head(), "ended the whole connection when the client canceled one stream ("+shorten.Visible(x.HTTP2.Lost, 80)+")", "that stream alone to end")
		}
		const ack = 1
		if !slices.ContainsFunc(x.HTTP2.Frames[given:], func(f record.HTTP2Frame) bool { return !f.Sent && f.Type == "PING" && f.Flags&ack != 0 }) {
			t.Undecided("the server did not answer a PING in time after %s/%s had been given up", s.Play.Scenario, s.Name)
		}
		t.OK(s.Head())
	})
}

type rpcErrorStatusParams struct {
	observe.OnSteps
	Error     string   `json:"error" names:"error"`
	Tolerated []string `json:"tolerated"` // statuses of earlier versions: a finding only
}

// grpcErrorStatus: which error it is, its reason says. Several have one status.
func grpcErrorStatus(t *judge.T, p rpcErrorStatusParams) {
	want := t.Case.Dialect.Errors[p.Error]
	of := slices.DeleteFunc(errorReplies(t), func(v judge.Value) bool { return v.Exchange().GRPC() == nil })
	judge.Each(t, ofReason(of, want.Reason), func(v judge.Value) {
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

// grpcStatus: that a call is refused at all is for other requirements as a rule.
func grpcStatus(t *judge.T, p rpcStatusParams) {
	var of []judge.Step
	for _, s := range t.Steps(p.Steps) {
		observe.RequireControlAccepted(t, s)
		observe.StopIfTaskGone(t, s)
		if !s.Accepted() || p.Served {
			of = append(of, s)
		}
	}
	judge.Each(t, of, func(s judge.Step) {
		if s.Exchange.GRPC() == nil {
			t.Undecided("the call %s/%s was not answered by gRPC: %s", s.Play.Scenario, s.Name, s.Outcome())
		}
		t.Expect(s.Head()).To(haveRPCStatus(p.Status...))
	})
}

type failsParams struct {
	observe.OnSteps
	Usual []string `json:"usual"` // statuses that say why
}

func grpcFails(t *judge.T, p failsParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		if s.Exchange.GRPC() == nil {
			t.Undecided("the call %s/%s was not answered by gRPC: %s", s.Play.Scenario, s.Name, s.Outcome())
		}
		t.Expect(s.Head()).To(match.Head("a gRPC status other than OK, such as "+p.Usual[0], func(v judge.Value) bool { return v.Exchange().GRPC().Failed() },
			func(v judge.Value) string { return "answered " + observe.StatusOf(v.Exchange()) }).On(report.StatusLine))
		if status := s.Exchange.GRPC().Status(); !slices.Contains(p.Usual, status) {
			t.Finding(s.Head(), "the server refuses it with %s, where %s is usual", status, strings.Join(p.Usual, " or "))
		}
	})
}

// grpcGuarded: that such calls are refused is what matters. A refusal for want of
// credentials or rights that has the other's status is a finding.
func grpcGuarded(t *judge.T, p guardedParams) {
	judged := func(steps []string, due ...string) {
		eachTurnedAway(t, steps, func(s judge.Step) {
			if s.Exchange.GRPC() == nil && slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden}, s.Exchange.Status()) {
				t.Finding(s.Head(), "the server refuses the call with HTTP status %d, before gRPC", s.Exchange.Status())
				t.OK(s.Head())
				return
			}
			status := s.Exchange.GRPC().Status()
			if !slices.Contains(due, status) && slices.Contains([]string{"UNAUTHENTICATED", "PERMISSION_DENIED", "NOT_FOUND"}, status) {
				t.Finding(s.Head(), "the server refuses the call with the gRPC status %s", status)
				t.OK(s.Head())
				return
			}
			t.Expect(s.Head()).To(haveRPCStatus(due...))
		})
	}
	t.Steps(append(slices.Clone(p.Missing), p.Forbidden...)) // or why there are none
	judged(p.Missing, "UNAUTHENTICATED")
	judged(p.Forbidden, "PERMISSION_DENIED", "NOT_FOUND")
}

type valuesParams struct {
	observe.OnPlays
	Of []struct {
		Type string `json:"type"`
		At   string `json:"at"`
		None string `json:"none"` // the name that stands for none
	} `json:"of"`
}

// namedValues: a number that has no name is read as a number.
func namedValues(t *judge.T, p valuesParams) {
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
