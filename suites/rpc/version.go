package rpc

import (
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

var versionChecks = []judge.Check{
	judge.Define("version/words", "the answer to a call has the form of the version that the call names", versionWords),
	judge.Define("version/unnamed", "a call that names no version gets an orderly answer; it is a finding if it is served as one of the current version", unnamedVersion),
	judge.Define("version/named", "the refusal of a version names a version that is served; it is a finding if it does not", versionNamed),
	judge.Define("version/older", "an endpoint of an older version serves a call of that version", olderServed),
	judge.Define("version/unmixed", "an answer of an endpoint of an older version has no members of the current one", versionUnmixed),
}

// A wordPlace is a place inside a definition where a version has words of its own.
type wordPlace struct {
	Type string `json:"type"`
	At   string `json:"at"`
}

type wordsParams struct {
	observe.OnSteps
	Places []wordPlace `json:"places"`
	Like   string      `json:"like"`  // what the words of the version look like, as a regular expression …
	Wants  string      `json:"wants"` // … and in words
}

// versionWords: what else is wrong with a result is for the requirements on its shape.
func versionWords(t *judge.T, p wordsParams) {
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

// unnamedVersion: what an older version makes of the call is its affair, be it an
// error about an unknown method or a refusal of the version.
func unnamedVersion(t *judge.T, p observe.OnSteps) {
	observe.CheckNoFault(t, p)
	for _, s := range t.Steps(p.Steps) {
		if s.Accepted() {
			t.Finding(s.Reply().Result(), "the server serves a call without a version like one of the current version")
		}
	}
}

var aVersion = regexp.MustCompile(`\b\d+\.\d+\b`)

// versionNamed looks for a version other than the one that was asked for, in every text
// of the error.
func versionNamed(t *judge.T, p observe.OnSteps) {
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

// olderServed: what the result holds is for the older version to say.
func olderServed(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	observe.UndecidedIfGuarded(t, s)
	t.Expect(s.Reply()).To(match.BeAResult())
}

// versionUnmixed: the endpoint may refuse the version that the call names, or read the
// call as one of its own.
func versionUnmixed(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	observe.CheckNoFault(t, observe.OnSteps{Steps: []string{p.Step}})
	for _, text := range s.Reply().Result().Strings() {
		if t.Case.Dialect.State(text.Text()) != nil {
			t.Fail(text, "answered a call of an older version with "+text.Shown()+", a name that only the current version has", "a refusal of the version, or an answer of the older one")
		}
	}
}
