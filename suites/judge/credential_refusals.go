package judge

import (
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

const (
	otherReason     refusalReason = iota // the call was not refused, or for another reason
	unauthenticated                      // valid credentials
	unauthorized                         // the right to make the call
)

// classifyRefusal reads why a call was refused, in whatever form its binding has for that: a
// status of HTTP or gRPC, with or without a body that states more, or an error of the
// protocol, which may be the first event of a stream.
func classifyRefusal(x *record.Exchange, first Value, invalid bool) refusalReason {
	switch x.Standing() {
	case 401, 407:
		return unauthenticated
	case 403:
		if names := first.errorNames(); len(names) == 1 && !isGeneric(names[0]) && refusalFromName(names[0]) == otherReason {
			return otherReason // the error states itself that it is about something else
		}
		return unauthorized
	}
	failure := first.interpretAsAnswer().Failure.Node
	if failure == nil || failure.Kind == record.Null {
		return otherReason
	}
	generic := true
	for _, name := range first.errorNames() {
		if r := refusalFromName(name); r != otherReason {
			return r
		}
		generic = generic && isGeneric(name)
	}
	if r := refusalFromDetails(failure, 0); r != otherReason {
		return r
	}
	if text := first.interpretAsAnswer().Message.Node; generic && !invalid && text != nil && text.Kind == record.String {
		return refusalFromText(text.String)
	}
	return otherReason
}

// errorNames returns the dialect's names for the error that an answer is.
func (v Value) errorNames() []string { return v.interpretAsAnswer().Names }

// isGeneric reports whether a name is for an error that servers also use for
// what the protocol has no error for.
func isGeneric(name string) bool {
	return slices.Contains([]string{"InvalidRequest", "InternalError"}, name)
}

// refusalFromName returns what the dialect's name for an error states.
func refusalFromName(name string) refusalReason {
	return map[string]refusalReason{"AuthenticationRequired": unauthenticated, "AuthorizationFailed": unauthorized, "PermissionDenied": unauthorized}[name]
}

// deepestReason is how deep in an error its reason is looked for: data/0/reason.
const deepestReason = 4

// refusalFromDetails looks for the reason in the details of an error: by the reason of an
// ErrorInfo, by the name of a status, or by a number that is one.
func refusalFromDetails(n *record.Node, depth int) refusalReason {
	if depth > deepestReason {
		return otherReason
	}
	for _, m := range n.Members {
		switch {
		case m.Value.Kind == record.String && slices.Contains([]string{"reason", "status", "code", "type", "error"}, m.Name):
			if r := refusalFromWord(m.Value.String); r != otherReason {
				return r
			}
		case m.Value.Kind == record.Number && slices.Contains([]string{"code", "status", "statusCode", "httpStatus"}, m.Name):
			if r := map[string]refusalReason{"401": unauthenticated, "403": unauthorized}[m.Value.Number]; r != otherReason {
				return r
			}
		}
	}
	for _, e := range n.Elems {
		if r := refusalFromDetails(e, depth+1); r != otherReason {
			return r
		}
	}
	for _, m := range n.Members {
		if r := refusalFromDetails(m.Value, depth+1); r != otherReason {
			return r
		}
	}
	return otherReason
}

var (
	notLetters         = regexp.MustCompile(`[^A-Z]+`)
	reasonOfStranger   = regexp.MustCompile(`UNAUTHENTICATED|NOTAUTHENTICATED|UNAUTHORI[SZ]ED|AUTHENTICATION(REQUIRED|FAILED|MISSING|NEEDED|ERROR|EXPIRED)|LOGINREQUIRED|CREDENTIALS?(REQUIRED|MISSING|INVALID|EXPIRED|REJECTED)|(MISSING|INVALID|EXPIRED|NO|BAD)(CREDENTIALS?|AUTHENTICATION|ACCESSTOKEN|TOKEN|APIKEY)$|TOKEN(REQUIRED|MISSING|INVALID|EXPIRED|REVOKED)|APIKEY(REQUIRED|MISSING|INVALID|EXPIRED)`)
	reasonOfRight      = regexp.MustCompile(`PERMISSIONDENIED|FORBIDDEN|ACCESSDENIED|AUTHORI[SZ]ATION(FAILED|DENIED|REQUIRED)|NOTAUTHORI[SZ]ED|INSUFFICIENT(SCOPES?|PERMISSIONS?|RIGHTS|PRIVILEGES?)|(MISSING|LACKING)(SCOPES?|PERMISSIONS?|RIGHTS)`)
	sentenceOfStranger = regexp.MustCompile(`(?i)\b(unauthori[sz]ed|unauthenticated|not (authenticated|logged in)|authentication (is )?(required|needed|failed|missing)|(missing|invalid|expired|no|without) (valid )?(credentials?|api[ _-]?key|(bearer |access |auth )?token|authentication)|credentials? (are |is )?(required|needed|missing|invalid|expired)|log ?in (is )?required)\b`)
	sentenceOfRight    = regexp.MustCompile(`(?i)\b(forbidden|permission denied|access denied|not (authori[sz]ed|permitted|allowed to)|authori[sz]ation (has )?(failed|denied)|insufficient (scopes?|permissions?|rights|privileges?))\b`)
)

// refusalFromWord returns the reason that a word for programs names, such as UNAUTHENTICATED.
func refusalFromWord(word string) refusalReason {
	return matchRefusal(notLetters.ReplaceAllString(strings.ToUpper(word), ""), reasonOfStranger, reasonOfRight)
}

// refusalFromText returns what a sentence states that people read. It counts only if no program
// could be named by the same error.
func refusalFromText(text string) refusalReason {
	return matchRefusal(text, sentenceOfStranger, sentenceOfRight)
}

// matchRefusal returns which of two reasons a text names, each by an expression.
func matchRefusal(text string, ofStranger, ofRight *regexp.Regexp) refusalReason {
	switch {
	case ofStranger.MatchString(text):
		return unauthenticated
	case ofRight.MatchString(text):
		return unauthorized
	}
	return otherReason
}
