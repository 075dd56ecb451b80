package suites

import (
	"encoding/base64"
	"fmt"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

var messageChecks = []judge.Check{
	judge.Define("message/accepted", "an unusual but valid call is accepted", acceptedCall),
	judge.Define("message/implemented", "the server has the method", implemented),
	judge.Define("message/tolerates", "a call is accepted with an optional member", tolerates),
	judge.Define("message/not-refused", "a call is not refused for what it lacks or holds", notRefused),
	judge.Define("message/distinct-ids", "messages of the server bear ids of their own", distinctIDs),
	judge.Define("message/places", "the values at places of a type satisfy a rule that no schema states", places),
}

type acceptedParams struct {
	onSteps
	Unless []string `json:"unless" names:"error"` // errors that concern something else and pass
}

// acceptedCall: the twin shows that the server accepts the plain form, so that
// a refusal is about what the probe adds. An agent that makes no tasks treats it
// like its twin where both are answered as being about an unknown one.
func acceptedCall(t *judge.T, p acceptedParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		validBeside(t, s)
		reply := s.Reply()
		if twin, ok := t.Find(s.Play.Scenario + "/" + s.Twin); ok && !twin.Accepted() && refusedAlike(twin, s) {
			t.OK(reply)
			return
		}
		if aboutTask(t, s) && vanished(t, s) {
			t.Stopped("%s/%s did not find the task any more, which says nothing about the call: %s", s.Play.Scenario, s.Name, s.Outcome())
		}
		if len(p.Unless) > 0 && isError(reply) {
			if reply.Refuses(p.Unless...) {
				t.OK(reply)
				return
			}
		}
		t.Expect(reply).To(BeAResult())
	})
}

type implementedParams struct {
	onStep
	Result bool     `json:"result"`               // a result is asked for, not just any answer
	Except []string `json:"except" names:"error"` // errors that another requirement is about
}

// implemented: a page that says no is a refusal; a success that cannot be read
// is for the requirements on the form of a reply.
func implemented(t *judge.T, p implementedParams) {
	s := t.Step(p.Step)
	reply := s.Reply()
	if !reply.IsObject() && s.Exchange.Status()/100 == 2 {
		t.Stopped("%s got no JSON-RPC reply: %s", p.Step, s.Outcome())
	}
	t.Expect(reply).To(BeAReply())
	t.Expect(reply).NotTo(insteadOf(BeRPCError(t, "MethodNotFound"), "the method to be there"))
	if p.Result {
		failedInside(t, s)
	}
	if p.Result && !(isError(reply) && isRefusal(t, reply, p.Except)) {
		t.Expect(reply).To(BeAResult())
	}
}

type notRefusedParams struct {
	onSteps
	Codes  []string `json:"codes" names:"error"`  // the errors that break the sentence
	Unless []string `json:"unless" names:"error"` // errors that say that the server lacks what the sentence is about
}

// notRefused: a refusal for another reason is judged elsewhere.
func notRefused(t *judge.T, p notRefusedParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		validBeside(t, s)
		reply := s.Reply()
		lacking(t, reply, p.Unless)
		if !s.Accepted() && !isError(reply) {
			t.Stopped("%s/%s got no JSON-RPC reply: %s", s.Play.Scenario, s.Name, s.Outcome())
		}
		t.Expect(reply).NotTo(BeRPCError(t, p.Codes...))
	})
}

type distinctParams struct {
	onSteps
	Message string `json:"message"` // the name of the place of the message in a result
}

// distinctIDs compares the ids of replies to different calls with each other
// and with those of our own messages.
func distinctIDs(t *judge.T, p distinctParams) {
	of := map[string]string{}
	var ids []judge.Value
	for _, s := range t.Steps(p.Steps) {
		s.Result()
		of[sent(t, s, "id")] = fmt.Sprintf("as our message in %s/%s", s.Play.Scenario, s.Name)
		for _, id := range inside(t, s.Result().Read(p.Message), "message", "id") {
			if id.IsString() {
				ids = append(ids, id)
			}
		}
	}
	judge.Each(t, ids, func(id judge.Value) {
		if other, twice := of[id.Text()]; twice {
			t.Fail(id, fmt.Sprintf("gave a message the id %s, the same %s", id.Shown(), other), "an id of its own for each message")
		}
		of[id.Text()] = fmt.Sprintf("as in exchange %d", id.Exchange().ID)
		t.OK(id)
	})
}

type memberParams struct {
	Scenario string   `json:"scenario" step:"{}/all"`
	Member   string   `json:"member"`                 // of those that travelled together; all of them if empty
	Refusals []string `json:"refusals" names:"error"` // the errors that break the sentence; any if empty
	// Undecided says that a refusal for another reason leaves the sentence
	// undecided; otherwise it is a finding.
	Undecided bool `json:"undecided"`
}

// tolerates: the members travel together, and where they are accepted each of
// them is. Otherwise the call that carries a member alone decides on it.
func tolerates(t *judge.T, p memberParams) {
	all := t.Step(p.Scenario + "/all")
	if p.Member != "" && all.Play.Step(p.Member) != nil {
		t.Step(p.Scenario + "/" + p.Member) // it may not have been tried
	}
	if all.Accepted() {
		t.Expect(all.Reply()).To(BeAResult())
		return
	}
	plainAccepted(t, p.Scenario)
	of := []judge.Step{all}
	for i := range all.Play.Steps {
		if s := &all.Play.Steps[i]; s.Bisects == all.Name && (p.Member == "" || p.Member == s.Name) {
			of = append(of, t.Step(p.Scenario+"/"+s.Name))
		}
	}
	if p.Member != "" && len(of) > 1 {
		of = of[1:] // the whole was refused for another member's sake
	}
	judge.Each(t, of, func(s judge.Step) {
		reply := s.Reply()
		if len(p.Refusals) > 0 && isError(reply) && !isRefusal(t, reply, p.Refusals) {
			if p.Undecided {
				t.Stopped("the server refuses the call for another reason: it %s", outcome(reply))
			}
			t.Finding(reply, "the server refuses the call for another reason: it %s", outcome(reply))
			t.OK(reply)
			return
		}
		t.Expect(reply).To(BeAResult())
	})
}

func isRefusal(_ *judge.T, reply judge.Value, names []string) bool {
	return slices.Contains(names, reply.ErrorName())
}

// plainAccepted ends the check undecided unless the call was accepted without
// what it is about.
func plainAccepted(t *judge.T, scenario string) {
	if plain := t.Step(scenario + "/plain"); !plain.Accepted() {
		t.Stopped("the plain call beside it (%s/plain) was not accepted either: %s", scenario, plain.Outcome())
	}
}

type placesParams struct {
	onPlays // those without which what it is about may never be said
	typePlace
	Also     []typePlace `json:"also"`
	Rule     string      `json:"rule"`
	Is       string      `json:"is"`       // in place of a rule: this very string
	In       []string    `json:"in"`       // in place of a rule: one of these strings
	Like     string      `json:"like"`     // in place of a rule: a string that a regular expression fits …
	Wants    string      `json:"wants"`    // … and what it asks for, in words
	Required bool        `json:"required"` // that there is no string is a breach too
}

// typePlace is a place inside what a definition judges.
type typePlace struct {
	Type string `json:"type"`
	At   string `json:"at"`
}

// The rules are closed words; what has another JSON type is for the shape.
var formRules = map[string]matcher{
	"base64":       {"base64 text", func(v judge.Value) bool { return isBase64(v.Text()) }, nil},
	"uri":          {"a URI", func(v judge.Value) bool { return isURI(v.Text()) }, nil},
	"absolute-uri": {"an absolute URL", func(v judge.Value) bool { u, err := url.Parse(v.Text()); return err == nil && u.Scheme != "" }, nil},
	"mime-type":    {"a MIME type of the form type/subtype", func(v judge.Value) bool { return mimeSyntax.MatchString(v.Text()) }, nil},
	"non-empty":    {"a non-empty string", func(v judge.Value) bool { return v.Text() != "" }, nil},
	"https": {"a URL that begins with https", func(v judge.Value) bool {
		u, err := url.Parse(v.Text())
		return err == nil && strings.EqualFold(u.Scheme, "https") && u.Host != ""
	}, nil},
	"base64url": {"text in base64url", func(v judge.Value) bool {
		_, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(v.Text(), "="))
		return err == nil && v.Text() != ""
	}, nil},
	"base64url-object": {"a JSON object in base64url, with a member alg", func(v judge.Value) bool {
		text, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(v.Text(), "="))
		root, faults := wire.ObserveJSON(text)
		return err == nil && len(faults) == 0 && root != nil && root.Kind == wire.Object && root.Member("alg") != nil
	}, nil},
}

var mimeSyntax = regexp.MustCompile(`^[A-Za-z0-9!#$&^_.+*-]+/[A-Za-z0-9!#$&^_.+*-]+\s*(;.*)?$`)

func (p placesParams) matcher() matcher {
	switch {
	case p.Is != "":
		return BeText(p.Is)
	case len(p.In) > 0:
		return BeOneOf(p.In...)
	case p.Like != "":
		form := regexp.MustCompile(p.Like)
		return matcher{p.Wants, func(v judge.Value) bool { return form.MatchString(v.Text()) }, nil}
	}
	return formRule(p.Rule)
}

// places: what a URL on this machine lacks in safety is worth knowing, and no
// fault: nothing of it travels.
func places(t *judge.T, p placesParams) {
	var of []judge.Value
	for _, place := range append([]typePlace{p.typePlace}, p.Also...) {
		for _, v := range t.Instances(place.Type) {
			if p.Required && !present(v.At(place.At)) { // another type is for the shape
				of = append(of, v.At(place.At))
				continue
			}
			of = append(of, texts(v.Expand(place.At))...)
		}
	}
	rule := p.matcher()
	judge.Each(t, of, func(v judge.Value) {
		if p.Rule == "https" && onLoopback(v.Text()) {
			t.Finding(v, "the server gives %s, which does not go by https", v.Shown())
			t.OK(v)
			return
		}
		t.Expect(v).To(rule)
	})
}

// onLoopback reports whether a URL leads to the machine it is read on.
func onLoopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return strings.EqualFold(u.Hostname(), "localhost") || err == nil && ip.IsLoopback()
}

func formRule(name string) matcher {
	rule, ok := formRules[name]
	if !ok {
		panic("there is no rule of form " + name)
	}
	return rule
}

func isBase64(s string) bool {
	s = strings.TrimRight(strings.Map(func(r rune) rune {
		if r == '\r' || r == '\n' {
			return -1
		}
		return r
	}, s), "=")
	_, err := base64.RawStdEncoding.DecodeString(s)
	return err == nil
}

func isURI(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.String() != "" && !strings.ContainsAny(s, " \\<>\"{}|^`")
}
