package observe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
)

// vouchedCredentials is the declaration of the operator that the configured credentials are
// valid.
const vouchedCredentials = "credentials"

// RequireValidCredentials ends the check undecided if a call was refused for its credentials, unless they are
// known to be valid: because the operator declares it, or because the server accepted them in
// another call of the kind. It returns how they are known.
func RequireValidCredentials(t *judge.T, s judge.Step) (known string) {
	facts := t.Case.Transcript.Facts
	var of *judge.Document // another call that was let in with the same credentials, one of the kind if there is any
	for _, v := range t.All(judge.ReplyText) {
		o := v.Document().Step
		same := o.As == s.As && o.As != record.Nobody || o.As == "" && len(facts.Secrets) == 1
		if same && match.Present(v.Result()) && (of == nil || o.Op == s.Op && of.Step.Op != s.Op) {
			of = v.Document()
		}
	}
	if slices.Contains(facts.Operator, vouchedCredentials) {
		known = "your configuration says that the credentials" + listCredentialHeaderNames(s.Exchange) + " are valid"
		if of == nil {
			return known + ", and no call was let in with them"
		}
		return known + fmt.Sprintf(", and exchange %d was let in with them", of.Exchange.ID)
	}
	if of != nil && of.Step.Op == s.Op {
		return fmt.Sprintf("exchange %d was let in with the same credentials", of.Exchange.ID)
	}
	how := s.Exchange.StatusText()
	if match.IsError(s.Reply()) {
		how = match.CodeOf(s.Reply())
	}
	t.StopUndecidedWithRemedy("valid credentials, or, if these are valid: declares: {"+vouchedCredentials+": true}",
		"the server refused the configured credentials (%s), which is right if they are not valid; check them", how)
	return ""
}

// listCredentialHeaderNames names the headers of a call that hold credentials.
func listCredentialHeaderNames(x *record.Exchange) string {
	var in []string
	for name, values := range x.Request.Header() {
		if strings.Contains(strings.Join(values, ""), record.SecretMark) {
			in = append(in, name)
		}
	}
	if len(in) == 0 {
		return ""
	}
	slices.Sort(in)
	return ", in " + shorten.Clip(strings.Join(in, " and "), 40) + ","
}

// Mentions reports whether a string anywhere in a value holds a word.
func Mentions(n *record.Node, word string) bool {
	if n == nil {
		return false
	}
	if n.Kind == record.String {
		return strings.Contains(n.String, word)
	}
	for _, e := range n.Elems {
		if Mentions(e, word) {
			return true
		}
	}
	for _, m := range n.Members {
		if Mentions(m.Value, word) {
			return true
		}
	}
	return false
}

// FindStreamRefusalEvents returns the events by which streams were refused: errors that come before
// anything else.
func FindStreamRefusalEvents(t *judge.T) map[*record.Exchange]int {
	out, begun := map[*record.Exchange]int{}, map[*record.Exchange]bool{}
	for _, e := range t.All(judge.EventText) {
		if x := e.Exchange(); !begun[x] {
			if begun[x] = true; match.IsError(e) {
				out[x] = e.Document().Event
			}
		}
	}
	return out
}

// MayBeNull reports whether a reply has the id null, and may have it: the sources allow both null
// and the id of the call if the request is called invalid, and a server that refuses a client may
// not have read its call.
func MayBeNull(t *judge.T, v judge.Value) bool {
	gate := slices.Contains([]int{401, 403, 407, 413, 415, 429}, v.Exchange().Status())
	return v.ID().IsNull() && (gate || match.IsError(v) && v.Refuses("ParseError", "InvalidRequest"))
}

// RefusalParams say what a refusal may look like.
type RefusalParams struct {
	OnSteps
	Codes     []string `json:"codes" names:"error"`     // accepted errors; any error if empty
	Usual     []string `json:"usual" names:"error"`     // the errors that are no finding if any error is accepted
	Tolerated []string `json:"tolerated" names:"error"` // accepted with a finding
	HTTP      bool     `json:"http"`                    // an HTTP 4xx or 5xx without JSON-RPC body is a refusal too
	Accepted  bool     `json:"accepted"`                // a result is a finding only
	// AcceptedIn lists the steps in which a result is a finding only.
	AcceptedIn []string `json:"acceptedIn"`
	Unless     []string `json:"unless" names:"error"` // errors that say that the server lacks what the sentence is about
}

// TolerateIfAccepted reports whether the call was accepted in a way that is a finding only: if the requirement
// allows it, or if the source does not require the refusal of a malformed call.
func (p RefusalParams) TolerateIfAccepted(t *judge.T, s judge.Step) bool {
	if !s.Accepted() && !match.Present(s.Reply().Result()) {
		return false
	}
	result := s.Reply().Result()
	state := result.Read("task.state")
	name := s.Play.Scenario + "/" + s.Name
	if !p.Accepted && !slices.Contains(p.AcceptedIn, name) && (!s.Invalid || FindSourceRequiringRefusal(t, s) != "") {
		return false
	}
	listed := ListedTypes(t, p.Codes)
	if listed != "" {
		listed = "; " + listed
	}
	t.Tolerate(result, "the server accepts the call instead of refusing it%s%s", describeState(state), listed)
	return true
}

// taskStateErrors are the errors that name the state of a task as the reason, or what it does not
// accept in that state.
var taskStateErrors = []string{"TaskNotCancelable", "OperationNotSupported", "InvalidTaskState"}

// NamesTaskState reports whether a call about a task was refused for the state of the task. Such
// a refusal does not show who may make the call.
func NamesTaskState(t *judge.T, s judge.Step) bool {
	return t.Case.Dialect.Operation(s.Op).About == "task" && match.IsError(s.Reply()) && s.Reply().Refuses(taskStateErrors...)
}

// StopIfDocumentGuarded leaves a sentence about a document open, such as the card, if the
// server asks for credentials and none were given, or not those that it takes. Calls need
// no such look: the case takes those that were refused from every check.
func StopIfDocumentGuarded(t *judge.T, s judge.Step) {
	if isRefusedForMissingCredentials(t, s) {
		t.StopInconclusive(judge.CredentialFlags, "the server demands credentials (%s), but none are configured", s.Exchange.StatusText())
	}
	if s.Exchange.Standing() == 401 {
		RequireValidCredentials(t, s)
		t.StopUndecided("the server refused the configured credentials (%s)", s.Exchange.StatusText())
	}
}

// isRefusedForMissingCredentials reports whether a server that was given no credential
// asks for one: as it should, so that nothing else can be learnt of it.
func isRefusedForMissingCredentials(t *judge.T, s judge.Step) bool {
	if len(t.Case.Transcript.Facts.Secrets) > 0 {
		return false
	}
	if status := s.Exchange.Standing(); status == 401 || status == 403 {
		return true
	}
	return s.Reply().Refuses("AuthenticationRequired")
}
