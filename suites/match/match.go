package match

import (
	"fmt"
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Matcher is a Gomega matcher whose texts are about the server: got is a phrase that follows "the
// server", wants one that follows "expected".
type Matcher struct {
	Due   string
	Holds func(judge.Value) bool
	got   func(judge.Value) string
	doubt func(judge.Value) string // why nothing can be decided about a value that does not hold; nil for never
}

// Should returns a matcher of one value: wants describes what is required, ok reports whether a
// value is that, and got describes another value in a failure (nil for the usual description).
func Should(wants string, ok func(judge.Value) bool, got func(judge.Value) string) Matcher {
	return Matcher{Due: wants, Holds: ok, got: got}
}

// Match reports whether a value is what the matcher asks for.
func (m Matcher) Match(actual any) (bool, error) {
	v, ok := actual.(judge.Value)
	if !ok {
		return false, fmt.Errorf("a matcher of the protocol was given a %T", actual)
	}
	return m.Holds(v), nil
}

// Wants describes what the matcher requires.
func (m Matcher) Wants() string { return m.Due }

// Got describes the value that came instead.
func (m Matcher) Got(actual any) string {
	v := actual.(judge.Value)
	if !v.Exists() {
		return v.Missing()
	}
	if m.got != nil {
		return m.got(v)
	}
	return "sent " + v.Named()
}

// Doubt returns why a value that does not satisfy the matcher may be right after all; "" if it is
// not.
func (m Matcher) Doubt(actual any) string {
	if m.doubt == nil {
		return ""
	}
	return m.doubt(actual.(judge.Value))
}

// FailureMessage returns Gomega's text for a value that does not satisfy the matcher.
func (m Matcher) FailureMessage(actual any) string { return m.Got(actual) + "; expected " + m.Due }

// NegatedFailureMessage returns Gomega's text for a value that must not satisfy the matcher.
func (m Matcher) NegatedFailureMessage(actual any) string { return m.Got(actual) + "; unexpected" }

// avoided is a matcher that must not be satisfied, with what is asked for instead.
type avoided struct {
	judge.Expecter
	instead string
}

// InsteadOf returns a matcher that must not be satisfied; instead describes what is required.
func InsteadOf(m judge.Expecter, instead string) avoided { return avoided{m, instead} }

// Instead describes what is required instead.
func (m avoided) Instead() string { return m.instead }

// Field names what of the head it is about, if anything.
func (m avoided) Field() (name string, ofHead bool) {
	if h, is := m.Expecter.(judge.HeadMatcher); is {
		return h.Field()
	}
	return "", false
}

// Outcome describes a reply as a whole in a failure text.
func Outcome(v judge.Value) string {
	if e := v.ErrorCode(); e.Exists() {
		text := "answered with " + CodeOf(v)
		if m := v.ErrorMessage(); m.IsString() && m.Text() != "" {
			text += ": " + shorten.Visible(strconv.Quote(shorten.Clip(m.Text(), 40)), 60)
		}
		return text
	}
	switch r := v.Result(); {
	case Present(v.Failure()):
		return "answered with an error that has no code: " + v.Failure().Shown()
	case r.IsNull():
		return "answered with the result null"
	case r.Exists():
		return "answered with " + ResultOf(r)
	case IsHollow(v):
		return fmt.Sprintf("answered %s with a %s that has neither result nor error", v.Exchange().StatusText(), v.Words().Response)
	}
	return Foreign(v)
}

// Foreign describes an answer that does not come from the protocol: the status of a refusal is
// one all the same.
func Foreign(v judge.Value) string {
	x := v.Exchange()
	own := "its own JSON " + v.Shown()
	if !v.IsObject() && !v.IsArray() { // such as a text that begins with a number
		own = judge.BodyWords(x)
	}
	if x.Status() < 400 {
		own += ", not with a " + v.Words().Response
	}
	return judge.AnsweredBy(x, own)
}

// ResultOf describes a result: a task in a state, an event about one, a message, or its
// beginning.
func ResultOf(r judge.Value) string {
	switch state := r.Read("task.state"); {
	case state.IsString() && r.TellsStatus():
		return "a status update to " + state.Shown()
	case state.IsString():
		return "a result: a task in state " + state.Shown()
	case r.At("/kind").Is("message"), r.Sort() == "message":
		return "a result: a message"
	}
	return "a result: " + r.Shown()
}

// CodeOf returns the code of an error, so far as it has one, for people.
func CodeOf(v judge.Value) string {
	code := v.ErrorCode()
	if name := v.ErrorName(); name != "" && v.ErrorIsCertain() && !code.Is(name) {
		return "error " + code.Shown() + " (" + name + ")"
	}
	if g := v.Exchange().GRPC(); g != nil && g.Failed() {
		return "error " + code.Shown() + " (" + g.Status() + ")"
	}
	return "error " + code.Shown()
}

// IsError reports whether a reply is an error of the protocol.
func IsError(v judge.Value) bool {
	e := v.Failure()
	return e.IsObject() && !Present(v.Result())
}

// IsResponse reports whether a text is an answer of the protocol, of any outcome.
func IsResponse(v judge.Value) bool { return v.IsObject() && v.IsResponse() }

// IsHollow reports whether a reply is marked as one, and has neither a result nor an error.
func IsHollow(v judge.Value) bool {
	return v.IsObject() && v.Marked() && !v.Result().Exists() && !Present(v.Failure())
}

// Present reports whether a value is there and not null.
func Present(v judge.Value) bool { return v.Exists() && !v.IsNull() }

// BeAResult is satisfied by a reply with a result.
func BeAResult() Matcher {
	return Should("a result", func(v judge.Value) bool { return Present(v.Result()) && !Present(v.Failure()) }, Outcome)
}

// BeAReply is satisfied by a reply of any outcome; what it may lack is for the
// requirements on its members.
func BeAReply(t *judge.T) Matcher {
	return Should(t.Words().Object, IsResponse, Outcome)
}

// BeRPCError is satisfied by an error of the protocol that is one of those named, or
// by any if none is named.
func BeRPCError(t *judge.T, names ...string) Matcher {
	var words []string
	for _, n := range names {
		if sign := t.Case.Binding().Sign(n); sign != "" {
			words = append(words, sign)
		}
	}
	wants := t.Words().Error
	if len(names) > 0 {
		wants = strings.Join(words, " or ")
		if t.Case.Binding().Kind() == schema.KindJSONRPC {
			wants = "a JSON-RPC error " + wants
		}
	}
	m := Should(wants, func(v judge.Value) bool { return IsError(v) && (len(names) == 0 || v.Refuses(names...)) }, Outcome)
	m.doubt = func(v judge.Value) string {
		if !IsError(v) || !v.MayRefuse(names...) {
			return ""
		}
		s := v.Document()
		return fmt.Sprintf("the call %s/%s was refused with an error that does not say which error it is; it may be the expected one: the server %s",
			s.Play.Scenario, s.Step.Name, Outcome(v))
	}
	return m
}

// BeJSONNull is satisfied by a null that is present.
func BeJSONNull() Matcher { return Should("null", judge.Value.IsNull, nil) }

// BeAnObject is satisfied by a JSON object.
func BeAnObject() Matcher { return Should("a JSON object", judge.Value.IsObject, nil) }

// BeAString is satisfied by a string, an empty one included.
func BeAString() Matcher { return Should("a string", judge.Value.IsString, nil) }

// BeNonEmptyString is satisfied by a string with at least one character.
func BeNonEmptyString() Matcher {
	return Should("a non-empty string", func(v judge.Value) bool { return v.Text() != "" }, nil)
}

// BeText is satisfied by exactly that string.
func BeText(s string) Matcher {
	return Should(strconv.Quote(s), func(v judge.Value) bool { return v.Is(s) }, nil)
}

// BothEnds returns a text without its middle if it is long: addresses and ids differ at their
// ends.
func BothEnds(s string) string {
	if utf8.RuneCountInString(s) > 48 {
		return shorten.Middle(s, 16, 30, "…")
	}
	return s
}

// BeTheText is satisfied by exactly that string; what is a phrase that introduces it.
func BeTheText(what, s string) Matcher {
	return Should(what+strconv.Quote(BothEnds(s)), func(v judge.Value) bool { return v.Is(s) }, nil)
}

// BeOneOf is satisfied by one of the strings.
func BeOneOf(words ...string) Matcher {
	return Should(joinQuotedWithOr(words), func(v judge.Value) bool { return slices.Contains(words, v.Text()) && v.IsString() }, nil)
}

// BeTheState is BeOneOf for states.
func BeTheState(words ...string) Matcher {
	m := BeOneOf(words...)
	m.Due = "the state " + m.Due
	return m
}

func joinQuotedWithOr(words []string) string {
	var out []string
	for _, w := range words {
		out = append(out, strconv.Quote(w))
	}
	return strings.Join(out, " or ")
}

// BeThere is satisfied by anything but absence and null.
func BeThere(what string) Matcher { return Should(what, Present, nil) }

// BeAbsoluteURL is satisfied by a URL with a scheme and a host; schemes, if
// any are given, limits the schemes.
func BeAbsoluteURL(schemes ...string) Matcher {
	wants := "an absolute URL"
	if len(schemes) > 0 {
		wants = "an absolute " + strings.Join(schemes, " or ") + " URL"
	}
	return Should(wants, func(v judge.Value) bool {
		u, err := url.Parse(v.Text())
		return err == nil && u.Scheme != "" && u.Host != "" && (len(schemes) == 0 || slices.Contains(schemes, strings.ToLower(u.Scheme)))
	}, nil)
}

// HaveStatus is satisfied by a response with one of the status codes.
func HaveStatus(codes ...int) HeadMatcher {
	var words []string
	for _, c := range codes {
		words = append(words, strconv.Itoa(c))
	}
	return HaveStatusThat("HTTP status "+strings.Join(words, " or "), func(status int) bool { return slices.Contains(codes, status) })
}

// HaveStatusThat is satisfied by a response whose status code is accepted by ok; wants describes
// such a status.
func HaveStatusThat(wants string, ok func(status int) bool) HeadMatcher {
	return Head(wants, func(v judge.Value) bool { return ok(v.Exchange().Status()) },
		func(v judge.Value) string { return fmt.Sprintf("answered HTTP status %d", v.Exchange().Status()) }).On(report.StatusLine)
}

// HaveHeader is satisfied by a response whose header of that name has a value that ok accepts, be
// it empty; sent describes in a failure how another value was sent, such as "sent X: v".
func HaveHeader(wants, name string, ok func(value string) bool, sent func(value string) string) HeadMatcher {
	return Head(wants, func(v judge.Value) bool { return ok(v.Exchange().Response.Header().Get(name)) },
		func(v judge.Value) string { return sent(v.Exchange().Response.Header().Get(name)) }).On(name)
}

// HaveMediaType is satisfied by a response of that media type, parameters
// ignored.
func HaveMediaType(want string) HeadMatcher {
	return Head("the media type "+want, func(v judge.Value) bool { return v.Exchange().Response.MediaType() == want },
		func(v judge.Value) string {
			ct := v.Exchange().Response.Header().Get("Content-Type")
			if ct == "" {
				return "sent no Content-Type"
			}
			if _, _, err := mime.ParseMediaType(ct); err != nil {
				return fmt.Sprintf("sent a Content-Type that cannot be read: %s", shorten.Visible(ct, 80))
			}
			return "sent Content-Type " + shorten.Visible(ct, 80)
		}).On("Content-Type")
}

// HeadMatcher is about the head of a response, which is there without a body.
type HeadMatcher struct {
	Matcher
	field string // that it is about, or the status line; "" for something else, such as a time
}

// On returns the matcher for a field of the head, to which its evidence points.
func (m HeadMatcher) On(field string) HeadMatcher { m.field = field; return m }

// Field names what of the head it is about.
func (m HeadMatcher) Field() (name string, ofHead bool) { return m.field, true }

// Head returns a matcher of the head of an answer.
func Head(wants string, ok func(judge.Value) bool, got func(judge.Value) string) HeadMatcher {
	return HeadMatcher{Matcher: Should(wants, func(v judge.Value) bool { return v.Exchange().Answered() && ok(v) }, got)}
}

// Got does not mind that there is no JSON, only that there is no answer.
func (m HeadMatcher) Got(actual any) string {
	v := actual.(judge.Value)
	if !v.Exchange().Answered() {
		return v.Missing()
	}
	return m.got(v)
}
