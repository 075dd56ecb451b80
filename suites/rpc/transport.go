package rpc

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

var transportChecks = []judge.Check{
	judge.Define("transport/answers", "the endpoint answers a call with a JSON-RPC response", answers),
	judge.Define("transport/one-answers", "a call is answered by the protocol at one interface at least", oneAnswers),
	judge.Define("transport/media-type", "replies of a kind have the media type application/json", mediaType),
	judge.Define("transport/utf-8", "what is sent as JSON is well-formed UTF-8", wellFormed),
	judge.Define("transport/letters-kept", "letters of every script come back as they were sent", lettersKept),
	judge.Define("transport/charset", "a charset that is named is UTF-8", charset),
	judge.Define("transport/one-document", "a reply is one JSON-RPC response object and nothing else", oneDocument),
	judge.Define("transport/status", "accepted calls are answered with the HTTP status", acceptedStatus),
	judge.Define("transport/no-fault", "an unusual call leads to no fault of the server", observe.CheckNoFault),
	judge.Define("transport/not-executed", "a call that came by another HTTP method is not executed", notExecuted),
	judge.Define("transport/tls-offered", "an https endpoint accepts a modern handshake", tlsOffered),
	judge.Define("transport/tls-refused", "an https endpoint refuses an outdated handshake", tlsRefused),
	judge.Define("transport/tls-versions", "an https endpoint offers today's TLS and refuses what was given up", tlsVersions),
	judge.Define("transport/strict", "what is answered over https tells clients to stay with it", strictTransport),
	judge.Define("transport/https-only", "a production endpoint is offered over https only", httpsOnly),
}

type answersParams struct {
	observe.OnStep
	All bool `json:"all"` // the call on which the server went away is looked at, too
}

func answers(t *judge.T, p answersParams) {
	for _, s := range t.LastCalls() {
		if p.All {
			t.Fail(s.Head(), "closed the connection on this call without a whole answer, and then accepted none", "a JSON-RPC response")
		}
	}
	s := t.Step(p.Step)
	if x := s.Exchange; x.Ended == record.Reset && len(x.Response.Head) > 0 {
		t.Fail(s.Head(), "broke off its response, or sent one that is no HTTP message: "+brokenBy(x), "a whole HTTP response")
	}
	t.Expect(s.Reply()).To(match.BeAReply(t))
}

// oneAnswers looks at the call as it was made at each interface.
func oneAnswers(t *judge.T, p observe.OnStep) {
	scenario, name, _ := strings.Cut(p.Step, "/")
	steps := t.AllInterfaces(scenario, name)
	if len(steps) == 0 {
		t.Step(p.Step) // says why there is none
	}
	for _, s := range steps {
		if g := s.Exchange.GRPC(); g != nil && g.Status() == unimplemented {
			continue // any server of gRPC says so
		}
		if match.IsResponse(s.Reply()) {
			t.OK(s.Reply())
			return
		}
	}
	t.Expect(steps[0].Reply()).To(match.BeAReply(t))
}

// brokenBy says what no HTTP client could read.
func brokenBy(x *record.Exchange) string {
	if f := x.Response.Framing.Faults; len(f) > 0 {
		return f[len(f)-1] // what came before it was no hindrance
	}
	return shorten.Visible(x.Trouble, 160)
}

type acceptedStatusParams struct {
	observe.OnSteps
	Status int `json:"status"`
}

// acceptedStatus: the status of a refusal is not what this is about. Beside the
// steps it looks at every sound call of the run that was answered with a result.
func acceptedStatus(t *judge.T, p acceptedStatusParams) {
	of := slices.DeleteFunc(t.Steps(p.Steps), func(s judge.Step) bool { return !s.Accepted() })
	if len(of) == 0 {
		t.Undecided("the server accepted none of the calls")
	}
	judge.Each(t, of, func(s judge.Step) { t.Expect(s.Head()).To(match.HaveStatus(p.Status)) })
	var all []judge.Value
	for _, v := range t.All(judge.ReplyText) {
		if step := v.Document().Step; observe.IsPlainPost(v) && !step.Invalid && !step.Contradicts && v.IsObject() && match.Present(v.Result()) {
			all = append(all, v)
		}
	}
	if len(all) > 0 {
		judge.Each(t, all, func(v judge.Value) { t.Expect(v).To(match.HaveStatus(p.Status)) })
	}
}

type mediaTypeParams struct {
	Of string `json:"of"` // result or error; both if empty
}

func mediaType(t *judge.T, p mediaTypeParams) {
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
		if slices.ContainsFunc(v.Document().Faults, marked) {
			t.Finding(v, "the server puts a byte order mark before its JSON, which RFC 8259, section 8.1, forbids and some clients cannot read")
		}
		t.Expect(v).To(match.HaveMediaType("application/json"))
	})
}

func marked(f record.JSONFault) bool { return f.Kind == record.FaultByteOrderMark }

// oneDocument: a body promises to be JSON-RPC by a 2xx status or by its media
// type; the error pages of a framework are for the checks on refusals, and what
// a call for a stream gets in place of one for those on streams.
func oneDocument(t *judge.T, _ observe.OnPlays) {
	var of []judge.Value
	for _, v := range t.All(judge.ReplyText) {
		x := v.Exchange()
		if t.Case.Dialect.Operation(v.Document().Op).Streams || len(x.Response.Body) == 0 || x.Ended != record.EOF || !observe.IsPlainPost(v) {
			continue
		}
		if x.Status()/100 == 2 || x.Response.MediaType() == "application/json" {
			of = append(of, v)
		}
	}
	judge.Each(t, of, func(v judge.Value) {
		for _, f := range v.Document().Faults {
			text := "sent a body that is not JSON as it should be: " + v.FaultText(f)
			if slices.Contains(observe.FatalFaults, f.Kind) {
				t.Fail(v.At(f.Pointer), text, "one JSON-RPC response object and nothing else")
			}
			if !marked(f) { // which is for the check on the media type
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

// notExecuted: neither reply may hold a result, and where the call named a
// task of its own a following look-up must not know it.
func notExecuted(t *judge.T, p observe.OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		observe.RequireControlAccepted(t, s)
		v := s.Head()
		if !s.Exchange.IsStream() && s.Exchange.Reply().Root != nil {
			t.Expect(s.Reply()).NotTo(match.InsteadOf(match.BeAResult(), "no result, since only a POST is a call"))
		}
		if then := s.Play.Step(s.Name + "-then"); then != nil && then.Exchange != nil {
			look := t.Step(s.Play.Scenario + "/" + then.Name)
			if r := look.Reply().Result(); match.Present(r) && !observe.IsUnknownState(t, r.Read("task.state")) {
				t.Fail(r, "executed the call that came by another method: its task exists", "only POST to execute a call")
			}
		}
		t.OK(v)
	})
}

func tlsOffered(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	x := s.Exchange
	if x.TLS == nil {
		t.Fail(s.Head(), "completed no TLS handshake", "a TLS 1.2 or 1.3 handshake to succeed")
	}
	ok := slices.Contains([]string{"TLS 1.2", "TLS 1.3"}, x.TLS.Version)
	t.Expect(s.Head()).To(match.Head("a TLS 1.2 or 1.3 handshake to succeed", func(judge.Value) bool { return ok },
		func(judge.Value) string { return "negotiated " + x.TLS.Version }))
}

// tlsRefused: the step offered nothing above TLS 1.1, so any answer at all
// means that the handshake succeeded.
func tlsRefused(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	if x := s.Exchange; x.Answered() || x.TLS != nil {
		t.Fail(s.Head(), "negotiated "+x.TLS.Version, "handshakes below TLS 1.2 to fail")
	}
	t.OK(s.Head())
}

type httpsParams struct {
	Step string `json:"step" step:"{}"` // the same call by plain http
	At   string `json:"at"`             // the endpoint on the card
}

func httpsOnly(t *judge.T, p httpsParams) {
	t.Expect(t.Card().At(p.At)).To(match.BeAbsoluteURL("https"))
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

// tlsVersions: TLS 1.2 is not what the source recommends, nor what it wants disabled.
func tlsVersions(t *judge.T, p tlsVersionsParams) {
	refused := t.Step(p.Refused)
	if x := refused.Exchange; x.Answered() || x.TLS != nil {
		version := "an outdated version"
		if x.TLS != nil {
			version = x.TLS.Version
		}
		t.Fail(refused.Head(), "negotiated "+version, "handshakes below TLS 1.2 to fail")
	}
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

// strictTransport: a client keeps what one answer says for the whole host.
func strictTransport(t *judge.T, _ observe.OnPlays) {
	var of []judge.Value
	for _, v := range t.All(judge.ReplyText, judge.CardText, judge.OtherText) {
		if strings.HasPrefix(v.Exchange().URL, "https:") {
			of = append(of, v)
		}
	}
	for _, v := range of {
		if v.Exchange().Response.Header().Get(transportSecurity) != "" {
			t.OK(v.Header(transportSecurity))
			return
		}
	}
	if len(of) == 0 {
		t.Undecided("the server answered nothing over https")
	}
	t.Expect(of[0]).To(match.Head("a "+transportSecurity+" header on what is answered over https", func(judge.Value) bool { return false },
		func(judge.Value) string { return "sent no " + transportSecurity + " header in any answer over https" }).On(transportSecurity))
}
