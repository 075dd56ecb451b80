package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// A call that was refused for want of credentials is evidence about no sentence, in any
// area, if the card declares that clients have to show some. Such calls are taken from
// all checks here, so that no check has to think of them.
//
// Not excused is what must have been let in: a call whose credentials were let in for the
// same operation, one whose valid counterpart was let in, and a call with credentials that
// are known to be valid, by the operator's word or because the server took them when it
// refused others.

// vouched is the operator's word that the configured credentials are valid.
const vouched = "credentials"

// isPlain reports whether a call is one that every client makes: neither malformed, nor a probe.
func (a *attempt) isPlain() bool {
	return !a.step.Invalid && !a.step.Contradicts && a.step.Role != record.Probe
}

// findExcusedCalls looks for the calls that are evidence of nothing.
func findExcusedCalls(c *Case) *access {
	a := &access{c: c, of: map[*record.Exchange]*attempt{}, excused: map[*record.Exchange]excuse{}, expired: map[record.Caller]*attempt{}}
	a.collectCalls()
	if !slices.ContainsFunc(a.calls, func(call *attempt) bool { return call.refused != otherReason }) {
		return a
	}
	a.readCards()
	a.findExpired()
	for _, call := range a.calls {
		if call.refused == otherReason || !a.isExcused(call) {
			continue
		}
		a.excused[call.step.Exchange] = a.explainExcuse(call)
	}
	return a
}

// collectCalls reads what answered each call.
func (a *access) collectCalls() {
	for p, s := range a.c.Transcript.Steps() {
		x := s.Exchange
		if x == nil || x.Dir != record.Out || !x.Answered() || x.Ended == record.Aborted || a.of[x] != nil || a.c.isOtherBinding(p, s) {
			continue
		}
		call := &attempt{step: s, play: p}
		texts := a.c.readAnswers(s, p)
		if len(texts) > 0 {
			call.first = texts[0]
		}
		call.refused = classifyRefusal(x, call.first, s.Invalid)
		if isDocument(s) {
			call.admitted = call.refused == otherReason && x.Obtained()
		} else if call.refused == otherReason {
			call.admitted = slices.ContainsFunc(texts, func(v Value) bool { return v.Result().Exists() })
		}
		a.of[x], a.calls = call, append(a.calls, call)
	}
}

// isDocument reports whether a step asked for something else than an operation of the
// protocol. That it was served shows nothing about credentials.
func isDocument(s *record.Step) bool { return s.Op == "card" || s.Op == "document" }

// isDocumentWithOwnAccessRule reports whether a step asked for the card, or for a document of a server that
// has none: whether everybody may have those is what their own sentences are about.
func (a *access) isDocumentWithOwnAccessRule(s *record.Step) bool {
	if !isDocument(s) || s.Op == "card" || s.As != "" {
		return isDocument(s)
	}
	cards, at := 0, false
	for i := range a.calls {
		if o := a.calls[i].step; o.Op == "card" {
			cards, at = cards+1, at || o.Exchange.URL == s.Exchange.URL
		}
	}
	return cards == 0 || at
}

// readCards looks whether any card of the server declares that clients have to show
// credentials.
func (a *access) readCards() {
	for _, s := range a.c.documents {
		if !s.isCard() {
			continue
		}
		a.read = true
		switch declared := a.c.ReadCard(Value{doc: s, node: s.Root}).DeclaresSecurity(); {
		case declared == card.Yes, declared == card.Unclear && a.declared == card.No:
			a.declared = declared
		}
	}
}

// callerOf returns whose credentials a call carried. Without any configured, the operator's client
// is no one.
func (a *access) callerOf(call *attempt) record.Caller {
	if call.step.As == record.Nobody && len(a.c.Transcript.Facts.Secrets) == 0 {
		return ""
	}
	return call.step.As
}

// anyAdmitted reports whether the server let a call in, among those for which is holds.
func (a *access) anyAdmitted(is func(*attempt) bool) bool {
	return slices.ContainsFunc(a.calls, func(o *attempt) bool { return o.admitted && !isDocument(o.step) && is(o) })
}

// isExcused reports whether a refused call is evidence of nothing.
func (a *access) isExcused(call *attempt) bool {
	if a.isDocumentWithOwnAccessRule(call.step) || a.isVouched() || a.controlLetIn(call) {
		return false
	}
	if !a.read && call.step.As != "" && call.step.Exchange.Response.Header().Get("WWW-Authenticate") == "" {
		return false // no card states that anybody has to show anything, and the server does not either
	}
	as := a.callerOf(call)
	if slices.Contains([]record.Caller{record.Nobody, record.Stranger, record.Second, record.Low}, as) { // it is compared with what the first client may do
		return !a.anyAdmitted(func(o *attempt) bool { return a.callerOf(o) == "" })
	}
	if end := a.expired[as]; end != nil && call.step.Exchange.Start >= end.step.Exchange.Start {
		return true
	}
	if a.anyAdmitted(func(o *attempt) bool { return a.showSameCredentials(call, o) && o.step.Op == call.step.Op }) {
		return false
	}
	return call.refused == unauthorized || !a.hasProvenCredentials(call)
}

// showSameCredentials reports whether two calls showed the same credentials in the same binding: those of
// one caller, or, if only one credential is configured, that one in whatever way. Whether
// all bindings take the same is a sentence of its own.
func (a *access) showSameCredentials(one, other *attempt) bool {
	if one.play.By(one.step) != other.play.By(other.step) {
		return false
	}
	as, by := a.callerOf(one), a.callerOf(other)
	return as == by || by == "" && as != record.Nobody && as != record.Stranger && as != record.Second && as != record.Low && len(a.c.Transcript.Facts.Secrets) == 1
}

// isVouched reports whether the operator declares that the credentials are valid.
func (a *access) isVouched() bool { return slices.Contains(a.c.Transcript.Facts.Operator, vouched) }

// controlLetIn reports whether the valid counterpart of a call was let in.
func (a *access) controlLetIn(call *attempt) bool {
	if call.step.Twin == "" {
		return false
	}
	valid := call.play.Step(call.step.Twin)
	if valid == nil || valid.Exchange == nil {
		return false
	}
	control := a.of[valid.Exchange]
	return control != nil && control.refused == otherReason && (control.admitted || a.isOfTask(control))
}

// isOfTask reports whether a call was refused for nothing but the task that it is about:
// the endpoint read it, and dispatched it.
func (a *access) isOfTask(call *attempt) bool {
	return len(call.first.errorNames()) > 0 && call.first.interpretAsAnswer().Failure.Present() && call.first.Refuses("TaskNotFound", "TaskNotCancelable")
}

// hasProvenCredentials reports whether the credentials of a call are known to be valid: the server let
// them in for an operation that it refuses to those who show none, or made-up ones. A
// refusal that is about rights may still be in order then.
func (a *access) hasProvenCredentials(call *attempt) bool {
	if len(a.c.Transcript.Facts.Secrets) == 0 {
		return false
	}
	for _, o := range a.calls {
		if o.refused == otherReason || o.step.As != record.Nobody && o.step.As != record.Stranger || isDocument(o.step) {
			continue
		}
		if a.anyAdmitted(func(in *attempt) bool { return a.showSameCredentials(call, in) && in.step.Op == o.step.Op }) {
			return true
		}
	}
	return false
}

// findExpired finds out whose credentials stopped to count in mid-run: from some plain call
// on, of a kind that had been let in, the server let nothing in any more.
func (a *access) findExpired() {
	if a.isVouched() || len(a.c.Transcript.Facts.Secrets) == 0 {
		return
	}
	last := map[record.Caller]record.Instant{} // when the last call began that was let in
	for _, call := range a.calls {
		if call.admitted && !isDocument(call.step) {
			last[a.callerOf(call)] = max(last[a.callerOf(call)], call.step.Exchange.Start)
		}
	}
	for _, call := range a.calls {
		as, start := a.callerOf(call), call.step.Exchange.Start
		if until, any := last[as]; call.refused == otherReason || !call.isPlain() || isDocument(call.step) || !any || start <= until {
			continue
		}
		before := a.anyAdmitted(func(o *attempt) bool {
			return a.callerOf(o) == as && o.step.Op == call.step.Op && o.play.By(o.step) == call.play.By(call.step) && (o.step.Task == call.step.Task || a.c.Dialect.Operation(call.step.Op).About != schema.AboutTask)
		})
		if first := a.expired[as]; before && (first == nil || start < first.step.Exchange.Start) {
			a.expired[as] = call
		}
	}
}

// remedies are what to do about credentials that the server does not take.
const (
	remedyValid  = "valid credentials, or, if these are valid: declares: {" + vouched + ": true}"
	remedyLonger = "credentials that outlast the run"
)

// explainExcuse returns why a call is evidence of nothing, and what to do about it.
func (a *access) explainExcuse(call *attempt) excuse {
	how := howRefused(call)
	end := a.expired[a.callerOf(call)]
	switch {
	case a.read && a.declared == card.No && a.c.UndeclaredAuthRequirementID() != "":
		return excuse{undeclared: true}
	case end != nil:
		return excuse{reason: fmt.Sprintf("the credentials expired during the run: from exchange %d on the server let no call in (%s)", end.step.Exchange.ID, how), remedy: remedyLonger}
	case len(a.c.Transcript.Facts.Secrets) == 0:
		return excuse{reason: fmt.Sprintf("the server demands credentials (%s), but none are configured", how), remedy: CredentialFlags}
	}
	return excuse{reason: fmt.Sprintf("the server refused the configured credentials (%s), which is right if they are not valid; check them", how), remedy: remedyValid}
}

// howRefused describes the answer by which a call was refused.
func howRefused(call *attempt) string {
	x := call.step.Exchange
	if status := x.Standing(); status == 401 || status == 403 || status == 407 || call.first.doc == nil {
		return x.StatusText()
	}
	code, message := call.first.ErrorCode(), call.first.ErrorMessage()
	switch {
	case code.Exists():
		return "code " + code.Shown()
	case message.Exists():
		return "error " + message.Shown()
	}
	return x.StatusText()
}

// findExcuse returns why nothing can be learnt of an exchange that was refused for want of
// credentials; nil if something can. If the card asks for none, it is the requirement that
// asks for that which fails, and whatever else rests on the exchange is undecided because of it.
func (t *T) findExcuse(x *record.Exchange) *Stop {
	e, is := t.Case.access().excused[x]
	if !is || t.seesRefused {
		return nil
	}
	if !e.undeclared {
		return &Stop{Reason: e.reason, Remedy: e.remedy, Recorded: true}
	}
	open := t.Case.UndeclaredAuthRequirementID()
	if open == "" || open == t.Requirement.ID {
		return nil
	}
	root := t.open()
	if root.Verdict != report.Fail && root.Verdict != report.Waived {
		return nil
	}
	return &Stop{Reason: DescribeDependency(root, ""), Because: open}
}

// StopIfRefused ends the check undecided if something that it would have looked at was refused for
// want of credentials.
func (t *T) StopIfRefused() {
	if t.refused != nil {
		panic(*t.refused)
	}
}

// UndeclaredAuthRequirementID returns the requirement that fails if the server asks for credentials of which
// its card states nothing; "" if the dialect has none.
func (c *Case) UndeclaredAuthRequirementID() string {
	for _, req := range c.Dialect.Requirements {
		if check, known := c.Checks[req.Check]; known && check.ofOpen {
			return req.ID
		}
	}
	return ""
}

// flagOf returns the flag by which a credential of a kind of scheme is given.
func flagOf(s card.Scheme) string {
	switch s.Kind() {
	case "basic":
		return wayFlags["basic"]
	case "apikey":
		if name := s.Header(); name != "" && !strings.EqualFold(name, "X-API-Key") {
			return wayFlags["api-key"] + " --api-key-header " + shorten.Visible(name, 60)
		}
		return wayFlags["api-key"]
	case "bearer", "oauth2", "openidconnect":
		return wayFlags["bearer"]
	}
	return ""
}

// credentialFlags returns the flags for the schemes of the card, or for all there are.
func (a *access) credentialFlags() string {
	var flags []string
	if shown, ok := a.c.Card(); ok {
		for _, alternative := range a.c.ReadCard(shown).Alternatives() {
			for _, scheme := range alternative.Schemes() {
				if flag := flagOf(scheme); flag != "" && !slices.Contains(flags, flag) {
					flags = append(flags, flag)
				}
			}
		}
	}
	return cmp.Or(strings.Join(flags, " or "), CredentialFlags)
}

// NeedsCredentials reports whether the server let no call in, since it was shown no
// credentials or none that it takes. The text names the reason and what to do about it.
func (c *Case) NeedsCredentials() (text string, needs bool) {
	a := c.access()
	if a.isVouched() || a.anyAdmitted(func(*attempt) bool { return true }) {
		return "", false
	}
	how, every := map[string]int{}, true
	most := ""
	for _, call := range a.calls {
		_, excused := a.excused[call.step.Exchange]
		switch {
		case isDocument(call.step):
		case excused:
			text := howRefused(call)
			if how[text]++; how[text] > how[most] {
				most = text
			}
		case call.isPlain() && c.Dialect.Operation(call.step.Op).Agent && call.first.doc != nil && call.first.interpretAsAnswer().Failure.Present() &&
			!call.first.Refuses("ParseError", "InvalidRequest", "MethodNotFound", "InvalidParams"):
			return "", false // it was let in, and failed
		case call.isPlain():
			every = false
		}
	}
	if most == "" {
		return "", false
	}
	text = "every call was refused with " + most
	if !every {
		text = "no call was let in; most were refused with " + most
	}
	if a.read && a.declared == card.No {
		text += ", though its card declares no security"
	}
	if len(c.Transcript.Facts.Secrets) == 0 {
		return text + ": give credentials with " + a.credentialFlags(), true
	}
	return text + " in spite of the credentials that were given: give valid ones with " + a.credentialFlags() + "; if they are valid, add declares: {" + vouched + ": true}", true
}

// Expired returns since when the credentials of the run no longer count; "" if they
// count to its end.
func (c *Case) Expired() string {
	a := c.access()
	end := a.expired[""]
	if end == nil || len(a.excused) == 0 {
		return ""
	}
	return fmt.Sprintf("the credentials expired during the run: from exchange %d on the server let no call in (%s); what came after that is not judged; give %s", end.step.Exchange.ID, howRefused(end), remedyLonger)
}

// wayFlags are the flags for the ways in which a client shows who it is.
var wayFlags = map[string]string{"bearer": "--bearer-env NAME", "api-key": "--api-key-env NAME", "basic": "--basic-env NAME"}

// CredentialFlags are the flags by which an operator names a credential.
const CredentialFlags = "--bearer-env, --basic-env or --api-key-env"

// CredentialFlag returns the flag for one of the ways in which a client shows who it is; "" for others.
func CredentialFlag(way string) string { return wayFlags[way] }

// recordWhyDocumentSkipped reports whether a text is left out, and remembers why.
func (t *T) recordWhyDocumentSkipped(s *Document) bool {
	if why := t.findExcuse(s.Exchange); why != nil {
		t.refused = why
		return true
	}
	p := t.result.Excluded[s.Exchange]
	if p != nil {
		t.excludedBy = p
	}
	return p != nil
}
