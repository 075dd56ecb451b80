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

// What an error tells beside its code and message are objects, each of which names its
// type in the member @type (ProtoJSON, Any). Two types of google.rpc have a meaning
// here: ErrorInfo names the error, BadRequest the members of a call that are wrong.

var detailChecks = []judge.Check{
	judge.Define("errors/coded", "every error has a code that says which error it is", coded),
	judge.Define("errors/worded", "every error has a message for people", worded),
	judge.Define("errors/details-list", "the details of an error are a list of objects that each name their type", detailsListed),
	judge.Define("errors/details-typed", "each object in the details of an error names its type", detailsTyped),
	judge.Define("errors/info", "an error that the protocol names is described by an ErrorInfo; a missing one is a finding", infoGiven),
	judge.Define("errors/info-domain", "the ErrorInfo of an error that the protocol names has the protocol's domain", infoDomain),
	judge.Define("errors/info-reason", "the ErrorInfo of an error that the protocol names has the reason of that error", infoReason),
	judge.Define("errors/info-metadata", "the metadata of an ErrorInfo are strings by name", infoMetadata),
	judge.Define("errors/violations", "an error about bad params lists them in a BadRequest; a missing one is a finding", violationsListed),
	judge.Define("errors/names-member", "an error about bad params names the member that is wrong", namesMember),
	judge.Define("errors/number", "an error that is provoked, or that names itself, has the number that the protocol gives it", numbered),
}

const (
	infoType       = "google.rpc.ErrorInfo"
	badRequestType = "google.rpc.BadRequest"
)

// errorReplies are the errors of the run but those that answer a call without what
// makes it one of today's: what an older version says besides is its own affair.
func errorReplies(t *judge.T) []judge.Value {
	return slices.DeleteFunc(observe.ErrorReplies(t), func(v judge.Value) bool { return v.Document().Step != nil && v.Document().Step.Contradicts })
}

func coded(t *judge.T, _ observe.OnPlays) {
	judge.Each(t, errorReplies(t), func(v judge.Value) {
		t.Expect(v.ErrorCode()).To(match.Should("a code", func(v judge.Value) bool { return v.IsNumber() || v.Text() != "" }, nil))
	})
}

// worded: an error that is a text says all it says to people.
func worded(t *judge.T, _ observe.OnPlays) {
	of := slices.DeleteFunc(errorReplies(t), func(v judge.Value) bool { return !v.Failure().IsObject() })
	judge.Each(t, of, func(v judge.Value) { t.Expect(v.ErrorMessage()).To(match.BeAString()) })
}

// told are the details of all errors, where there are any; null is none.
func told(t *judge.T) (out []judge.Value) {
	for _, v := range errorReplies(t) {
		if d := v.ErrorDetails(""); match.Present(d) {
			out = append(out, d)
		}
	}
	return out
}

func detailsListed(t *judge.T, _ observe.OnPlays) {
	judge.Each(t, told(t), func(d judge.Value) {
		t.Expect(d).To(match.Should("an array of objects", judge.Value.IsArray, nil))
		for _, e := range d.Elems() {
			t.Expect(e).To(match.Should("an object with @type", judge.Value.IsObject, nil))
			t.Expect(e.At("/@type")).To(match.BeAString())
		}
	})
}

// detailsTyped judges objects alone: that they stand in a list is the binding's affair.
func detailsTyped(t *judge.T, _ observe.OnPlays) {
	var of []judge.Value
	for _, d := range told(t) {
		for _, e := range append([]judge.Value{d}, d.Elems()...) {
			if e.IsObject() {
				of = append(of, e)
			}
		}
	}
	judge.Each(t, of, func(e judge.Value) { t.Expect(e.At("/@type")).To(match.BeAString()) })
}

// details are the objects of a type among what an error tells. The name of the type is
// what follows the last slash.
func details(v judge.Value, kind string) (out []judge.Value) {
	for _, e := range v.ErrorDetails("").Elems() {
		name := e.At("/@type").Text()
		if name[strings.LastIndexByte(name, '/')+1:] == kind {
			out = append(out, e)
		}
	}
	return out
}

// sign is what the dialect says of the error that a reply is; ok is false where it has
// no reason for it.
func sign(t *judge.T, v judge.Value) (is schema.ErrorSign, ok bool) {
	is, ok = t.Case.Dialect.Errors[v.ErrorName()]
	return is, ok && is.Reason != ""
}

// named are the errors of the run that the dialect has a reason for.
func named(t *judge.T) (out []judge.Value) {
	for _, v := range errorReplies(t) {
		if _, ok := sign(t, v); ok {
			out = append(out, v)
		}
	}
	return out
}

func infoGiven(t *judge.T, _ observe.OnPlays) {
	judge.Each(t, named(t), func(v judge.Value) {
		if len(details(v, infoType)) == 0 {
			t.Finding(v.Failure(), "the server answers %s without an ErrorInfo", match.CodeOf(v))
		}
		t.OK(v.Failure())
	})
}

type domainParams struct {
	observe.OnPlays
	Domain string `json:"domain"`
}

// described is the ErrorInfo by which a server describes an error that the protocol
// names: that of the protocol's domain, or the only one. Others are its own affair.
func described(t *judge.T, v judge.Value, domain string) (info judge.Value, ok bool) {
	all := details(v, infoType)
	if i := slices.IndexFunc(all, func(e judge.Value) bool { return e.At("/domain").Is(domain) }); i >= 0 {
		return all[i], true
	}
	if len(all) == 1 {
		return all[0], true
	}
	return info, false
}

// onDescribed judges the ErrorInfo of each error that the protocol names.
func onDescribed(t *judge.T, domain string, judged func(v, info judge.Value)) {
	var of []judge.Value
	for _, v := range named(t) {
		if _, ok := described(t, v, domain); ok {
			of = append(of, v)
		}
	}
	judge.Each(t, of, func(v judge.Value) {
		info, _ := described(t, v, domain)
		judged(v, info)
	})
}

func infoDomain(t *judge.T, p domainParams) {
	onDescribed(t, p.Domain, func(_, info judge.Value) { t.Expect(info.At("/domain")).To(match.BeText(p.Domain)) })
}

func infoReason(t *judge.T, p domainParams) {
	onDescribed(t, p.Domain, func(v, info judge.Value) {
		is, _ := sign(t, v)
		t.Expect(info.At("/reason")).ComparedWith(v.ErrorCode()).To(match.Should("the reason of "+match.CodeOf(v)+", "+is.Reason,
			func(v judge.Value) bool { return v.Is(is.Reason) }, nil))
	})
}

func infoMetadata(t *judge.T, _ observe.OnPlays) {
	var of []judge.Value
	for _, v := range errorReplies(t) {
		for _, e := range details(v, infoType) {
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

// refusedParams are the replies that refuse malformed params as such.
func refusedParams(t *judge.T) (out []judge.Value) {
	for _, v := range errorReplies(t) {
		if s := v.Document().Step; s != nil && s.Invalid && v.Refuses("InvalidParams") {
			out = append(out, v)
		}
	}
	return out
}

func violationsListed(t *judge.T, _ observe.OnPlays) {
	judge.Each(t, refusedParams(t), func(v judge.Value) {
		all := details(v, badRequestType)
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

// namesMember looks for the name of the member that a probe bends in every text of
// the error, in whatever case and with whatever between its words.
func namesMember(t *judge.T, p observe.OnSteps) {
	type bent struct {
		judge.Step
		member string
	}
	var of []bent
	for _, s := range t.Steps(p.Steps) {
		if member := bentMember(t.Case.Dialect, s.Play.Scenario, s.Name); member != "" && match.IsError(s.Reply()) && s.Reply().Refuses("InvalidParams") {
			of = append(of, bent{s, member})
		}
	}
	judge.Each(t, of, func(s bent) {
		observe.RequireControlAccepted(t, s.Step)
		t.Expect(s.Reply().Failure()).To(match.Should(fmt.Sprintf("the name of the member at fault, %s, in the message or the details", s.member), func(v judge.Value) bool {
			return slices.ContainsFunc(v.Strings(), func(text judge.Value) bool { return strings.Contains(letters(text.Text()), letters(s.member)) })
		}, func(v judge.Value) string { return "said only " + s.Reply().ErrorMessage().Shown() }))
	})
}

// letters are the letters of a text, in lower case.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

// bentMember is the name of the member that a probe bends; "" if it bends no member of
// the params, or several.
func bentMember(d *schema.Dialect, block, probe string) string {
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
	// Unless are errors that say that something else stood in the way.
	Unless []string `json:"unless" names:"error"`
}

// numbered: an error says itself by its reason which one it is. Where it does not, it
// is the one that was provoked, unless its number is that of another error of the
// protocol's own. That there must be an error, and which, is for other requirements.
func numbered(t *judge.T, p numberParams) {
	want := t.Case.Dialect.Errors[p.Error]
	known := map[string]bool{}
	for _, e := range t.Case.Dialect.Errors {
		known[e.Reason] = e.Reason != ""
	}
	provoked := map[*record.Exchange]bool{}
	for _, s := range t.Steps(p.Steps) {
		_, always := observe.RefusedLikePlainCall(t, s)
		provoked[s.Exchange] = !always && !unclaimedFeature(t, s, p.Unless)
	}
	var of []judge.Value
	for _, v := range errorReplies(t) {
		reason, own := "", false
		if info, ok := described(t, v, p.Domain); ok {
			reason, own = info.At("/reason").Text(), info.At("/domain").Is(p.Domain)
		}
		switch _, numeric := v.ErrorCode().Int(); {
		case !numeric: // which is for the requirement on its type
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

// unread are the errors by which a call is refused before what is provoked can arise.
var unread = []string{"ParseError", "InvalidRequest", "MethodNotFound"}
