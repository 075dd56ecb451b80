package rpc

import (
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type wordsParams struct {
	observe.OnSteps
	Places []observe.TypePlace `json:"places"` // whose values differ from version to version
	Like   string              `json:"like"`   // what the words of the version look like, as a regular expression …
	Wants  string              `json:"wants"`  // … and in words
}

// checkVersionSpecificValues judges the words of the version only; requirements on the shape of a result
// judge the rest of it.
func checkVersionSpecificValues(t *judge.T, p wordsParams) {
	form := regexp.MustCompile(p.Like)
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		result := s.Result()
		if t.Case.Dialect.Held(s.Op) {
			t.Expect(result).To(match.Should("a result that is held by one of "+strings.Join(t.Case.Dialect.Sorts.Member, ", "), func(v judge.Value) bool { return v.Sort() != "" }, nil))
		}
		for _, place := range p.Places {
			for _, v := range t.Instances(place.Type) {
				if v.Exchange() != s.Exchange {
					continue
				}
				for _, word := range observe.KeepStrings(v.Expand(place.At)) {
					t.Expect(word).To(match.Should(p.Wants, func(v judge.Value) bool { return form.MatchString(v.Text()) }, nil))
				}
			}
		}
		t.OK(result)
	})
}

// checkVersionlessCallAnswered accepts what an older version makes of the call, such as an error about an
// unknown method or a refusal of the version.
func checkVersionlessCallAnswered(t *judge.T, p observe.OnSteps) {
	observe.CheckAnsweredOrderly(t, p)
	for _, s := range t.Steps(p.Steps) {
		if s.Accepted() {
			t.Finding(s.Reply().Result(), "the server serves a call without a version like one of the current version")
		}
	}
}

var aVersion = regexp.MustCompile(`\b\d+\.\d+\b`)

// noteErrorsWithoutServedVersion looks for a version other than the one that was asked for, in every text
// of the error.
func noteErrorsWithoutServedVersion(t *judge.T, p observe.OnSteps) {
	of := slices.DeleteFunc(t.Steps(p.Steps), func(s judge.Step) bool { return !s.Reply().Refuses("VersionNotSupported") })
	judge.Each(t, of, func(s judge.Step) {
		reply := s.Reply()
		var told []string
		for _, text := range reply.Failure().Strings() {
			told = append(told, aVersion.FindAllString(text.Text(), -1)...)
		}
		asked := string(s.Exchange.Request.Head)
		if !slices.ContainsFunc(told, func(v string) bool { return !strings.Contains(asked, ": "+v) }) {
			t.Finding(reply.Failure(), "the server answers %s without naming a version that it serves", match.CodeOf(reply))
		}
		t.OK(reply)
	})
}

// checkOlderVersionServed does not look into the result, whose form the older version defines.
func checkOlderVersionServed(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	observe.StopIfDocumentGuarded(t, s)
	t.Expect(s.Reply()).To(match.BeAResult())
}

// checkOldReplyLacksNewStates accepts a refusal of the version, and an answer of the endpoint's own
// version.
func checkOldReplyLacksNewStates(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	observe.CheckAnsweredOrderly(t, observe.OnSteps{Steps: []string{p.Step}})
	for _, text := range s.Reply().Result().Strings() {
		if t.Case.Dialect.State(text.Text()) != nil {
			t.Fail(text, "answered a call of an older version with "+text.Shown()+", a name that only the current version has", "a refusal of the version, or an answer of the older one")
		}
	}
}
