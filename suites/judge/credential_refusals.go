package judge

import (
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// refusal is what a server lacks of whoever makes a call that it refuses.
type refusal int

const (
	otherwise       refusal = iota // the call was not refused, or for another reason
	unauthenticated                // valid credentials
	unauthorized                   // the right to make the call
)

// refusedFor reads why a call was refused, in whatever form its binding has for that: a
// status of HTTP or gRPC, with or without a body that says more, or an error of the
// protocol, which may be the first event of a stream.
func refusedFor(x *record.Exchange, first Value, invalid bool) refusal {
	switch x.Standing() {
	case 401, 407:
		return unauthenticated
	case 403:
		if names := first.errorNames(); len(names) == 1 && !isGeneric(names[0]) && refusalNamed(names[0]) == otherwise {
			return otherwise // the error says itself that it is about something else
		}
		return unauthorized
	}
	failure := first.answer().Failure.Node
	if failure == nil || failure.Kind == record.Null {
		return otherwise
	}
	generic := true
	for _, name := range first.errorNames() {
		if r := refusalNamed(name); r != otherwise {
			return r
		}
		generic = generic && isGeneric(name)
	}
	if r := refusalTold(failure, 0); r != otherwise {
		return r
	}
	if text := first.answer().Message.Node; generic && !invalid && text != nil && text.Kind == record.String {
		return refusalSaid(text.String)
	}
	return otherwise
}

// errorNames are the dialect's names for the error that an answer is.
func (v Value) errorNames() []string { return v.answer().Names }

// isGeneric reports whether a name stands for an error that servers also use for
// what the protocol has no error for.
func isGeneric(name string) bool {
	return slices.Contains([]string{"InvalidRequest", "InternalError"}, name)
}

// refusalNamed is what the dialect's name for an error says.
func refusalNamed(name string) refusal {
	switch name {
	case "AuthenticationRequired":
		return unauthenticated
	case "AuthorizationFailed", "PermissionDenied":
		return unauthorized
	}
	return otherwise
}

// deepestReason is how deep in an error its reason is looked for: data/0/reason.
const deepestReason = 4

// refusalTold looks for what an error tells in its details: by the reason of an
// ErrorInfo, by the name of a status, or by a number that is one.
func refusalTold(n *record.Node, depth int) refusal {
	if depth > deepestReason {
		return otherwise
	}
	for _, m := range n.Members {
		switch {
		case m.Value.Kind == record.String && slices.Contains([]string{"reason", "status", "code", "type", "error"}, m.Name):
			if r := refusalByWord(m.Value.String); r != otherwise {
				return r
			}
		case m.Value.Kind == record.Number && slices.Contains([]string{"code", "status", "statusCode", "httpStatus"}, m.Name):
			switch m.Value.Number {
			case "401":
				return unauthenticated
			case "403":
				return unauthorized
			}
		}
	}
	for _, e := range n.Elems {
		if r := refusalTold(e, depth+1); r != otherwise {
			return r
		}
	}
	for _, m := range n.Members {
		if r := refusalTold(m.Value, depth+1); r != otherwise {
			return r
		}
	}
	return otherwise
}

var (
	notLetters         = regexp.MustCompile(`[^A-Z]+`)
	reasonOfStranger   = regexp.MustCompile(`UNAUTHENTICATED|NOTAUTHENTICATED|UNAUTHORI[SZ]ED|AUTHENTICATION(REQUIRED|FAILED|MISSING|NEEDED|ERROR|EXPIRED)|LOGINREQUIRED|CREDENTIALS?(REQUIRED|MISSING|INVALID|EXPIRED|REJECTED)|(MISSING|INVALID|EXPIRED|NO|BAD)(CREDENTIALS?|AUTHENTICATION|ACCESSTOKEN|TOKEN|APIKEY)$|TOKEN(REQUIRED|MISSING|INVALID|EXPIRED|REVOKED)|APIKEY(REQUIRED|MISSING|INVALID|EXPIRED)`)
	reasonOfRight      = regexp.MustCompile(`PERMISSIONDENIED|FORBIDDEN|ACCESSDENIED|AUTHORI[SZ]ATION(FAILED|DENIED|REQUIRED)|NOTAUTHORI[SZ]ED|INSUFFICIENT(SCOPES?|PERMISSIONS?|RIGHTS|PRIVILEGES?)|(MISSING|LACKING)(SCOPES?|PERMISSIONS?|RIGHTS)`)
	sentenceOfStranger = regexp.MustCompile(`(?i)\b(unauthori[sz]ed|unauthenticated|not (authenticated|logged in)|authentication (is )?(required|needed|failed|missing)|(missing|invalid|expired|no|without) (valid )?(credentials?|api[ _-]?key|(bearer |access |auth )?token|authentication)|credentials? (are |is )?(required|needed|missing|invalid|expired)|log ?in (is )?required)\b`)
	sentenceOfRight    = regexp.MustCompile(`(?i)\b(forbidden|permission denied|access denied|not (authori[sz]ed|permitted|allowed to)|authori[sz]ation (has )?(failed|denied)|insufficient (scopes?|permissions?|rights|privileges?))\b`)
)

// refusalByWord is what a word says that programs read, such as UNAUTHENTICATED.
func refusalByWord(word string) refusal {
	letters := notLetters.ReplaceAllString(strings.ToUpper(word), "")
	switch {
	case reasonOfStranger.MatchString(letters):
		return unauthenticated
	case reasonOfRight.MatchString(letters):
		return unauthorized
	}
	return otherwise
}

// refusalSaid is what a sentence says that people read. It counts only if no program
// could be told the same by the error.
func refusalSaid(text string) refusal {
	switch {
	case sentenceOfStranger.MatchString(text):
		return unauthenticated
	case sentenceOfRight.MatchString(text):
		return unauthorized
	}
	return otherwise
}
