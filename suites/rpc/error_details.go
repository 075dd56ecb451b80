package rpc

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// The details of an error are objects that name their type in the member @type (ProtoJSON, Any).
// Two types of google.rpc have a meaning here: ErrorInfo names the error, BadRequest the members
// of a call that are wrong.

const (
	infoType       = "google.rpc.ErrorInfo"
	badRequestType = "google.rpc.BadRequest"
)

// listErrors returns the errors of the run. It leaves out the replies to calls that contradict
// the current version: an older version may add members of its own.
func listErrors(t *judge.T) []judge.Value {
	return slices.DeleteFunc(observe.ErrorReplies(t), func(v judge.Value) bool { return v.Document().Step != nil && v.Document().Step.Contradicts })
}

func checkErrorsHaveCode(t *judge.T, _ observe.OnPlays) {
	judge.Each(t, listErrors(t), func(v judge.Value) {
		t.Expect(v.ErrorCode()).To(match.Should("a code", func(v judge.Value) bool { return v.IsNumber() || v.Text() != "" }, nil))
	})
}

// checkErrorMessagesAreStrings skips errors that are strings, which are messages themselves.
func checkErrorMessagesAreStrings(t *judge.T, _ observe.OnPlays) {
	of := slices.DeleteFunc(listErrors(t), func(v judge.Value) bool { return !v.Failure().IsObject() })
	judge.Each(t, of, func(v judge.Value) { t.Expect(v.ErrorMessage()).To(match.BeAString()) })
}

// listErrorDetails returns the details of all errors that have any; null counts as none.
func listErrorDetails(t *judge.T) []judge.Value {
	all := judge.Map(listErrors(t), func(v judge.Value) judge.Value { return v.ErrorDetails("") })
	return judge.Filter(all, match.Present)
}

func checkDetailsAreTypedList(t *judge.T, _ observe.OnPlays) {
	judge.Each(t, listErrorDetails(t), func(d judge.Value) {
		t.Expect(d).To(match.Should("an array of objects", judge.Value.IsArray, nil))
		for _, e := range d.Elems() {
			t.Expect(e).To(match.Should("an object with @type", judge.Value.IsObject, nil))
			t.Expect(e.At("/@type")).To(match.BeAString())
		}
	})
}

// checkDetailsTyped judges objects alone: that they stand in a list is the binding's affair.
func checkDetailsTyped(t *judge.T, _ observe.OnPlays) {
	var of []judge.Value
	for _, d := range listErrorDetails(t) {
		of = append(of, judge.Filter(append([]judge.Value{d}, d.Elems()...), judge.Value.IsObject)...)
	}
	judge.Each(t, of, func(e judge.Value) { t.Expect(e.At("/@type")).To(match.BeAString()) })
}

// findDetailsOfType returns the details of an error that have a type. The part after the last slash is
// the name of the type.
func findDetailsOfType(v judge.Value, typeName string) []judge.Value {
	return judge.Filter(v.ErrorDetails("").Elems(), func(e judge.Value) bool {
		name := e.At("/@type").Text()
		return name[strings.LastIndexByte(name, '/')+1:] == typeName
	})
}

// lookupSignWithReason returns the dialect's entry for an error; ok is false if it has no reason.
func lookupSignWithReason(t *judge.T, v judge.Value) (is schema.ErrorSign, ok bool) {
	is, ok = t.Case.Dialect.Errors[v.ErrorName()]
	return is, ok && is.Reason != ""
}

// listErrorsWithDialectReason returns the errors of the run for which the dialect has a reason.
func listErrorsWithDialectReason(t *judge.T) []judge.Value {
	return judge.Filter(listErrors(t), func(v judge.Value) bool {
		_, ok := lookupSignWithReason(t, v)
		return ok
	})
}

func noteErrorsWithoutInfo(t *judge.T, _ observe.OnPlays) {
	judge.Each(t, listErrorsWithDialectReason(t), func(v judge.Value) {
		if len(findDetailsOfType(v, infoType)) == 0 {
			t.Finding(v.Failure(), "the server answers %s without an ErrorInfo", match.CodeOf(v))
		}
		t.OK(v.Failure())
	})
}

type domainParams struct {
	observe.OnPlays
	Domain string `json:"domain"`
}

// findErrorInfo returns the ErrorInfo that describes an error of the protocol: the one with the
// protocol's domain, or the only one. A server may add others.
func findErrorInfo(t *judge.T, v judge.Value, preferredDomain string) (info judge.Value, ok bool) {
	all := findDetailsOfType(v, infoType)
	if i := slices.IndexFunc(all, func(e judge.Value) bool { return e.At("/domain").Is(preferredDomain) }); i >= 0 {
		return all[i], true
	}
	if len(all) == 1 {
		return all[0], true
	}
	return info, false
}

// judgeEachErrorInfo judges the ErrorInfo of each error that the protocol names.
func judgeEachErrorInfo(t *judge.T, domain string, judged func(v, info judge.Value)) {
	of := judge.Filter(listErrorsWithDialectReason(t), func(v judge.Value) bool {
		_, ok := findErrorInfo(t, v, domain)
		return ok
	})
	judge.Each(t, of, func(v judge.Value) {
		info, _ := findErrorInfo(t, v, domain)
		judged(v, info)
	})
}

func checkInfoDomain(t *judge.T, p domainParams) {
	judgeEachErrorInfo(t, p.Domain, func(_, info judge.Value) { t.Expect(info.At("/domain")).To(match.BeText(p.Domain)) })
}

func checkInfoReason(t *judge.T, p domainParams) {
	judgeEachErrorInfo(t, p.Domain, func(v, info judge.Value) {
		is, _ := lookupSignWithReason(t, v)
		t.Expect(info.At("/reason")).ComparedWith(v.ErrorCode()).To(match.Should("the reason of "+match.CodeOf(v)+", "+is.Reason,
			func(v judge.Value) bool { return v.Is(is.Reason) }, nil))
	})
}

func checkInfoMetadata(t *judge.T, _ observe.OnPlays) {
	var of []judge.Value
	for _, v := range listErrors(t) {
		for _, e := range findDetailsOfType(v, infoType) {
			if m := e.At("/metadata"); match.Present(m) {
				of = append(of, m)
			}
		}
	}
	judge.Each(t, of, func(m judge.Value) {
		t.Expect(m).To(match.Should("an object of strings", judge.Value.IsObject, nil))
		for _, member := range m.Node().Members {
			t.Expect(m.At(record.Pointer(member.Name))).To(match.BeAString())
		}
		t.OK(m)
	})
}

// listInvalidParamsErrors returns the replies that refuse malformed params as such.
func listInvalidParamsErrors(t *judge.T) []judge.Value {
	return judge.Filter(listErrors(t), func(v judge.Value) bool {
		s := v.Document().Step
		return s != nil && s.Invalid && v.Refuses("InvalidParams")
	})
}

func checkFieldViolationsAreObjects(t *judge.T, _ observe.OnPlays) {
	judge.Each(t, listInvalidParamsErrors(t), func(v judge.Value) {
		all := findDetailsOfType(v, badRequestType)
		if len(all) == 0 {
			t.Finding(v.Failure(), "the server answers %s without a BadRequest that lists what is wrong", match.CodeOf(v))
		}
		for _, e := range all {
			fields := e.At("/fieldViolations")
			t.Expect(fields).To(match.Should("a list of what is wrong", func(v judge.Value) bool { return len(v.Elems()) > 0 }, nil))
			for _, f := range fields.Elems() {
				t.Expect(f).To(match.Should("an object for each member that is wrong", judge.Value.IsObject, nil))
			}
		}
		t.OK(v.Failure())
	})
}

// checkErrorNamesFaultyMember looks for the name of the member that a probe bends in every text of
// the error, in whatever case and with whatever between its words.
func checkErrorNamesFaultyMember(t *judge.T, p observe.OnSteps) {
	type bent struct {
		judge.Step
		member string
	}
	var of []bent
	for _, s := range t.Steps(p.Steps) {
		if member := findMemberChangedByProbe(t.Case.Dialect, s.Play.Scenario, s.Name); member != "" && match.IsError(s.Reply()) && s.Reply().Refuses("InvalidParams") {
			of = append(of, bent{s, member})
		}
	}
	judge.Each(t, of, func(s bent) {
		observe.RequireControlAccepted(t, s.Step)
		t.Expect(s.Reply().Failure()).To(match.Should(fmt.Sprintf("the name of the member at fault, %s, in the message or the details", s.member), func(v judge.Value) bool {
			return slices.ContainsFunc(v.Strings(), func(text judge.Value) bool {
				return strings.Contains(lowercaseLettersOnly(text.Text()), lowercaseLettersOnly(s.member))
			})
		}, func(v judge.Value) string { return "said only " + s.Reply().ErrorMessage().Shown() }))
	})
}

// lowercaseLettersOnly returns the letters of a text, in lower case.
func lowercaseLettersOnly(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

// findMemberChangedByProbe returns the name of the member that a probe changes; "" if it changes no member
// of the params, or several.
func findMemberChangedByProbe(d *schema.Dialect, block, probe string) string {
	for _, b := range d.Blocks {
		for _, p := range b.Probes {
			if b.Name != block || p.Name != probe || p.Bends() != schema.OnParams || len(p.Patch) != 1 {
				continue
			}
			tokens := strings.Split(p.Patch[0].Path, "/")
			for i := len(tokens) - 1; i > 0; i-- {
				if strings.Trim(tokens[i], "0123456789-") != "" {
					return tokens[i]
				}
			}
		}
	}
	return ""
}

type numberParams struct {
	observe.OnSteps        // in which it is provoked
	Error           string `json:"error" names:"error"`
	Domain          string `json:"domain"`
	// Unless lists errors that another condition causes.
	Unless []string `json:"unless" names:"error"`
}

// checkCodeOfNamedError identifies an error by its reason. An error without a reason is the one that
// was provoked, unless its number is that of another error of the protocol. Other requirements
// judge that there is an error, and which.
func checkCodeOfNamedError(t *judge.T, p numberParams) {
	want := t.Case.Dialect.Errors[p.Error]
	known := map[string]bool{}
	for _, e := range t.Case.Dialect.Errors {
		known[e.Reason] = e.Reason != ""
	}
	provoked := map[*record.Exchange]bool{}
	for _, s := range t.Steps(p.Steps) {
		_, always := observe.AllPlainCallsRefusedAlike(t, s)
		provoked[s.Exchange] = !always && !refusesUnclaimedFeature(t, s, p.Unless)
	}
	var of []judge.Value
	for _, v := range listErrors(t) {
		reason, own := "", false
		if info, ok := findErrorInfo(t, v, p.Domain); ok {
			reason, own = info.At("/reason").Text(), info.At("/domain").Is(p.Domain)
		}
		switch _, numeric := v.ErrorCode().Int(); {
		case !numeric: // the requirement on its type judges it
		case reason == want.Reason && reason != "":
			of = append(of, v)
		case known[reason], own && reason != "", !provoked[v.Exchange()], v.Refuses(unread...), v.Refuses(p.Unless...):
		case v.Refuses(p.Error), t.Case.Dialect.Errors[v.ErrorName()].Reason == "":
			of = append(of, v)
		}
	}
	judge.Each(t, of, func(v judge.Value) {
		due := match.Should(fmt.Sprintf("the number of %s, %d", p.Error, want.Code), func(judge.Value) bool { n, ok := v.ErrorCode().Int(); return ok && n == want.Code },
			func(judge.Value) string { return "answered with " + match.CodeOf(v) })
		t.Expect(v.ErrorCode()).To(due)
	})
}

// unread lists the errors that refuse a call before the provoked error can arise.
var unread = []string{"ParseError", "InvalidRequest", "MethodNotFound"}
