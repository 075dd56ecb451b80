package rpc

import (
	"fmt"
	"mime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type answersParams struct {
	observe.OnStep
	All bool `json:"all"` // the call on which the server went away is looked at, too
}

func checkCallGetsWholeReply(t *judge.T, p answersParams) {
	for _, s := range t.LastCalls() {
		if p.All {
			t.Fail(s.Head(), "closed the connection on this call without a whole answer, and then accepted none", "a JSON-RPC response")
		}
	}
	s := t.Step(p.Step)
	if x := s.Exchange; x.Ended == record.Reset && len(x.Response.Head) > 0 {
		t.Fail(s.Head(), "broke off its response, or sent one that is no HTTP message: "+lastFramingFaultOrTrouble(x), "a whole HTTP response")
	}
	t.Expect(s.Reply()).To(match.BeAReply(t))
}

// checkSomeInterfaceAnswers looks at the call as it was made at each interface.
func checkSomeInterfaceAnswers(t *judge.T, p observe.OnStep) {
	scenario, name, _ := strings.Cut(p.Step, "/")
	steps := t.StepAtAllInterfaces(scenario, name)
	if len(steps) == 0 {
		t.Step(p.Step) // stops with the reason why there is none
	}
	for _, s := range steps {
		if g := s.Exchange.GRPC(); g != nil && g.Status() == unimplemented {
			continue // any gRPC server may answer this
		}
		if match.IsResponse(s.Reply()) {
			t.OK(s.Reply())
			return
		}
	}
	t.Expect(steps[0].Reply()).To(match.BeAReply(t))
}

// lastFramingFaultOrTrouble describes the part of a response that no HTTP client can read.
func lastFramingFaultOrTrouble(x *record.Exchange) string {
	if f := x.Response.Framing.Faults; len(f) > 0 {
		return f[len(f)-1] // what came before it was no hindrance
	}
	return shorten.Visible(x.Trouble, 160)
}

type acceptedStatusParams struct {
	observe.OnSteps
	Status int `json:"status"`
}

// checkAcceptedCallStatus judges accepted calls: those of the steps, and every other sound call of
// the run that has a result.
func checkAcceptedCallStatus(t *judge.T, p acceptedStatusParams) {
	of := slices.DeleteFunc(t.Steps(p.Steps), func(s judge.Step) bool { return !s.Accepted() })
	observe.StopUndecidedIf(t, len(of) == 0, "the server accepted none of the calls")
	judge.Each(t, of, func(s judge.Step) { t.Expect(s.Head()).To(match.HaveStatus(p.Status)) })
	all := judge.Filter(t.All(judge.ReplyText), func(v judge.Value) bool {
		step := v.Document().Step
		return observe.IsAnswerToJSONPost(v) && !step.Invalid && !step.Contradicts && v.IsObject() && match.Present(v.Result())
	})
	if len(all) > 0 {
		judge.Each(t, all, func(v judge.Value) { t.Expect(v).To(match.HaveStatus(p.Status)) })
	}
}

type mediaTypeParams struct {
	Of string `json:"of"` // result or error; both if empty
}

func checkMediaType(t *judge.T, p mediaTypeParams) {
	var of []judge.Value
	for _, v := range t.All(judge.ReplyText) {
		for _, part := range []struct {
			word string
			of   func(judge.Value) judge.Value
		}{{"result", judge.Value.Result}, {"error", judge.Value.Failure}} {
			holds := func(v judge.Value) bool { return v.IsObject() && match.Present(part.of(v)) }
			if (p.Of == "" || p.Of == part.word) && (holds(v) || slices.ContainsFunc(v.Elems(), holds)) {
				of = append(of, v)
			}
		}
	}
	judge.Each(t, of, func(v judge.Value) {
		if slices.ContainsFunc(v.Document().Faults, isByteOrderMark) {
			t.Finding(v, "the server puts a byte order mark before its JSON, which RFC 8259, section 8.1, forbids and some clients cannot read")
		}
		t.Expect(v).To(match.HaveMediaType("application/json"))
	})
}

func isByteOrderMark(f record.JSONFault) bool { return f.Kind == record.FaultByteOrderMark }

// checkBodyIsOneRPCResponse looks at bodies that have a 2xx status or the media type of JSON-RPC. Checks
// on refusals judge the error pages of frameworks, and checks on streams the answers to calls
// that ask for one.
func checkBodyIsOneRPCResponse(t *judge.T, _ observe.OnPlays) {
	of := judge.Filter(t.All(judge.ReplyText), func(v judge.Value) bool {
		x := v.Exchange()
		return !t.Case.Dialect.Operation(v.Document().Op).Streams && len(x.Response.Body) > 0 && x.Ended == record.EOF && observe.IsAnswerToJSONPost(v) &&
			(x.Status()/100 == 2 || x.Response.MediaType() == "application/json")
	})
	judge.Each(t, of, func(v judge.Value) {
		for _, f := range v.Document().Faults {
			text := "sent a body that is not JSON as it should be: " + v.FaultText(f)
			if slices.Contains(observe.FatalFaults, f.Kind) {
				t.Fail(v.At(f.Pointer), text, "one JSON-RPC response object and nothing else")
			}
			if !isByteOrderMark(f) { // the check on the media type judges it
				t.Finding(v.At(f.Pointer), "the server %s", text)
			}
		}
		if sent := v.Exchange().Call().Root; v.IsArray() && sent != nil && sent.Kind == record.Array {
			for _, e := range v.Elems() {
				t.Expect(e).To(match.BeAReply(t))
			}
			return
		}
		t.Expect(v).To(match.BeAReply(t))
	})
}

// checkNonPOSTNotExecuted requires that neither reply has a result and, if the call named a task of its
// own, that a later look-up does not find that task.
func checkNonPOSTNotExecuted(t *judge.T, p observe.OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		observe.RequireControlAccepted(t, s)
		v := s.Head()
		if !s.Exchange.IsStream() && s.Exchange.Reply().Root != nil {
			t.Expect(s.Reply()).NotTo(match.InsteadOf(match.BeAResult(), "no result, since only a POST is a call"))
		}
		observe.FailIfTaskMade(t, s, "executed the call that came by another method", "only POST to execute a call")
		t.OK(v)
	})
}

func checkModernTLSAccepted(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	x := s.Exchange
	if x.TLS == nil {
		t.Fail(s.Head(), "completed no TLS handshake", "a TLS 1.2 or 1.3 handshake to succeed")
	}
	ok := slices.Contains([]string{"TLS 1.2", "TLS 1.3"}, x.TLS.Version)
	t.Expect(s.Head()).To(match.Head("a TLS 1.2 or 1.3 handshake to succeed", func(judge.Value) bool { return ok },
		func(judge.Value) string { return "negotiated " + x.TLS.Version }))
}

// checkOutdatedTLSRefused fails on any answer, since the step offers nothing above TLS 1.1.
func checkOutdatedTLSRefused(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	failIfOutdatedTLSAccepted(t, s)
	t.OK(s.Head())
}

// failIfOutdatedTLSAccepted fails if a call with outdated versions of TLS was answered or encrypted.
func failIfOutdatedTLSAccepted(t *judge.T, s judge.Step) {
	x := s.Exchange
	if !x.Answered() && x.TLS == nil {
		return
	}
	version := "an outdated version"
	if x.TLS != nil {
		version = x.TLS.Version
	}
	t.Fail(s.Head(), "negotiated "+version, "handshakes below TLS 1.2 to fail")
}

type httpsParams struct {
	Step string `json:"step" step:"{}"` // the same call by plain http
	At   string `json:"at"`             // the endpoint on the card
}

// checkHTTPSAddressAndCall leaves an address without a scheme alone: over gRPC host:port is enough, and
// what no client can call is the fault of another requirement.
func checkHTTPSAddressAndCall(t *judge.T, p httpsParams) {
	if at := t.Card().At(p.At); strings.Contains(at.Text(), "://") {
		t.Expect(at).To(match.BeAbsoluteURL("https"))
	}
	s := t.Step(p.Step)
	if s.Exchange.Answered() && s.Accepted() {
		t.Fail(s.Reply().Result(), "served the call over plain http", "https only")
	}
	t.OK(s.Head())
}

type tlsVersionsParams struct {
	Offered string `json:"offered" step:"{}"` // a call with the versions of today
	Refused string `json:"refused" step:"{}"` // and one with those that were given up
}

// checkNewTLSServedOldRefused only has a finding about TLS 1.2, which the source neither recommends nor
// wants disabled.
func checkNewTLSServedOldRefused(t *judge.T, p tlsVersionsParams) {
	refused := t.Step(p.Refused)
	failIfOutdatedTLSAccepted(t, refused)
	offered := t.Step(p.Offered)
	if offered.Exchange.TLS == nil {
		t.Fail(offered.Head(), "completed no TLS handshake", "a TLS 1.3 handshake to succeed")
	}
	if v := offered.Exchange.TLS.Version; v != "TLS 1.3" {
		t.Finding(offered.Head(), "the server negotiates %s where TLS 1.3 was offered", v)
	}
	t.OK(offered.Head())
	t.OK(refused.Head())
}

const transportSecurity = "Strict-Transport-Security"

// checkSomeResponseHasHSTS requires the header in one response over https: a client applies it to the
// whole host.
func checkSomeResponseHasHSTS(t *judge.T, _ observe.OnPlays) {
	of := judge.Filter(t.All(judge.ReplyText, judge.CardText, judge.OtherText), func(v judge.Value) bool { return strings.HasPrefix(v.Exchange().URL, "https:") })
	for _, v := range of {
		if v.Exchange().Response.Header().Get(transportSecurity) != "" {
			t.OK(v.Header(transportSecurity))
			return
		}
	}
	observe.StopUndecidedIf(t, len(of) == 0, "the server answered nothing over https")
	t.Expect(of[0]).To(match.HaveHeader("a "+transportSecurity+" header on what is answered over https", transportSecurity, func(string) bool { return false },
		func(string) string { return "sent no " + transportSecurity + " header in any answer over https" }))
}

// checkUTF8 reads the bytes of every body that is labelled as JSON or as a
// stream of it, once for each.
func checkUTF8(t *judge.T, _ observe.OnPlays) {
	of := judge.Filter(observe.Responses(t), func(v judge.Value) bool {
		x := v.Exchange()
		kind := x.Response.MediaType()
		return len(x.Response.Body) > 0 && x.Ended != record.Limit && (kind == "application/json" || kind == "text/event-stream")
	})
	judge.Each(t, of, func(v judge.Value) {
		if body := v.Exchange().Response.Body; !utf8.Valid(body) {
			at := 0
			for c, n := utf8.DecodeRune(body); c != utf8.RuneError || n > 1; c, n = utf8.DecodeRune(body[at:]) {
				at += n
			}
			t.Fail(v.At(""), fmt.Sprintf("sent the byte 0x%02x at %d, which is no UTF-8", body[at], at), "well-formed UTF-8")
		}
		t.OK(v)
	})
}

// checkIDAndContextEchoed compares what the protocol echoes: the id of the call, and the
// context of the message.
func checkIDAndContextEchoed(t *judge.T, p observe.OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		result := s.Result()
		t.Expect(s.Reply().ID()).To(observe.BeNode(s.Sent().ID))
		t.Expect(result.Read("task.context")).To(match.BeTheText("the id that the client sent with the message, ", s.Context))
	})
}

func checkNamedCharsetIsUTF8(t *judge.T, _ struct{}) {
	var of []judge.Value
	named := map[*record.Exchange]string{}
	for _, v := range t.All(judge.CardText, judge.ReplyText, judge.OtherText) {
		kind, params, err := mime.ParseMediaType(v.Exchange().Response.Header().Get("Content-Type"))
		if name, ok := params["charset"]; err == nil && kind == "application/json" && ok {
			of = append(of, v)
			named[v.Exchange()] = name
		}
	}
	judge.Each(t, of, func(v judge.Value) {
		t.Expect(v).To(match.Head("the charset utf-8, where one is named", func(judge.Value) bool { return strings.EqualFold(named[v.Exchange()], "utf-8") },
			func(judge.Value) string { return "named the charset " + shorten.Visible(named[v.Exchange()], 40) }).On("Content-Type"))
	})
}
