package card

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type cardHeaderParams struct {
	_      cardPlay
	Header string `json:"header"`
	Like   string `json:"like"`  // a regular expression that it fits …
	Wants  string `json:"wants"` // … and what it asks for, in words
}

func checkCardHeader(t *judge.T, p cardHeaderParams) {
	form := regexp.MustCompile(p.Like)
	t.Expect(requireServerHostedCard(t).Head()).To(haveCardHeader(p.Wants, p.Header, func(value string) bool { return value != "" && form.MatchString(value) }))
}

// haveCardHeader is satisfied by a card that came with a header whose value ok accepts.
func haveCardHeader(wants, header string, ok func(value string) bool) match.HeadMatcher {
	return match.HaveHeader(wants, header, ok, func(value string) string {
		if value == "" {
			return "sent its card without " + header
		}
		return fmt.Sprintf("sent its card with %s: %s", header, shorten.Visible(value, 80))
	})
}

type dateHeaderParams struct {
	_      cardPlay
	Header string `json:"header"`
}

func checkCardDateHeaderValid(t *judge.T, p dateHeaderParams) {
	s := requireServerHostedCard(t)
	if s.Exchange.Response.Header().Get(p.Header) == "" {
		t.StopNotApplicable("the server sends the card without the header %s", p.Header)
	}
	t.Expect(s.Head()).To(haveCardHeader("a date of HTTP, such as Sun, 06 Nov 1994 08:49:37 GMT", p.Header, func(value string) bool {
		_, err := http.ParseTime(value)
		return err == nil
	}))
}

const etagHeader = "ETag"

// checkETagKept compares with the card as it was requested once more.
func checkETagKept(t *judge.T, p cardStepParams) {
	was, is := requireServerHostedCard(t), t.Step(p.Step)
	before, now := was.Exchange.Response.Header().Get(etagHeader), is.Exchange.Response.Header().Get(etagHeader)
	switch {
	case before == "":
		t.StopNotApplicable("the server sends the card without an ETag")
	case !is.Exchange.Obtained():
		t.StopUndecided("the server did not hand out the card again: %s", is.Outcome())
	case string(was.Exchange.Response.Body) != string(is.Exchange.Response.Body):
		t.StopUndecided("the card changed between two requests")
	}
	t.Expect(is.Head()).ComparedWith(was.Head()).To(match.Head("the ETag that the same card had before, "+shorten.Visible(before, 80), func(judge.Value) bool { return now == before }, func(judge.Value) string {
		if now == "" {
			return "sent the same card without ETag"
		}
		return "sent the same card with the ETag " + shorten.Visible(now, 80)
	}).On(etagHeader))
}

type notModifiedParams struct {
	_    cardPlay
	From string `json:"from" step:"{}"` // the card whose ETag the client names …
	Step string `json:"step" step:"{}"` // … in this call
}

// checkNotModifiedOrResent only has a finding if the server sends the card again: a server need not
// compare tags, and this costs a client nothing but time.
func checkNotModifiedOrResent(t *judge.T, p notModifiedParams) {
	stopIfCardHostedElsewhere(t)
	known := t.Step(p.From).Exchange.Response.Header().Get(etagHeader)
	observe.StopNotApplicableIf(t, known == "", "the server sends the card without an ETag")
	s := t.Step(p.Step)
	switch got := s.Exchange.Response.Header().Get(etagHeader); {
	case s.Exchange.Status() == 200 && got != known:
		t.StopUndecided("the card or its ETag has changed since the client got it")
	case s.Exchange.Status() == 200:
		t.Tolerate(s.Head(), "the server sends the card again to a client that already has it")
		return
	}
	t.Expect(s.Head()).To(match.HaveStatus(304))
	t.Expect(s.Head()).To(match.Head("no body", func(judge.Value) bool { return len(s.Exchange.Response.Body) == 0 }, func(judge.Value) string {
		return "sent a body to a client that has the card"
	}))
}

// varyParams name the card as clients of two versions get it.
type varyParams struct {
	_      cardPlay
	Newer  string `json:"newer" step:"{}"`
	Older  string `json:"older" step:"{}"`
	Again  string `json:"again" step:"{}"` // of the newer version once more
	Header string `json:"header"`          // by which the requests differ
}

// requireVariedCards returns the card of the newer and of the older version, which differ. It stops if they do not, or if the card
// changes by itself.
func requireVariedCards(t *judge.T, p varyParams) (newer, older judge.Step) {
	stopIfCardHostedElsewhere(t)
	newer, older = t.Step(p.Newer), t.Step(p.Older)
	again := t.Step(p.Again)
	for _, s := range []judge.Step{newer, older, again} {
		if !s.Exchange.Obtained() || s.Exchange.Status() != http.StatusOK {
			t.StopUndecided("the server did not hand out the card again: %s", s.Outcome())
		}
	}
	body := func(s judge.Step) string { return string(s.Exchange.Response.Body) }
	switch {
	case body(newer) != body(again):
		t.StopUndecided("the card changed between two requests that are alike")
	case body(newer) == body(older):
		t.StopNotApplicable("the card does not depend on %s", p.Header)
	}
	return newer, older
}

// checkVaryNamesHeader leaves out a card that caches must not store: Vary is for those that store it.
func checkVaryNamesHeader(t *judge.T, p varyParams) {
	newer, older := requireVariedCards(t, p)
	for _, s := range []judge.Step{newer, older} {
		h := s.Exchange.Response.Header()
		if strings.Contains(strings.ToLower(strings.Join(h.Values("Cache-Control"), ",")), "no-store") {
			t.StopNotApplicable("no cache stores the card, since its Cache-Control has no-store")
		}
		named := strings.FieldsFunc(strings.Join(h.Values("Vary"), ","), func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
		t.Expect(s.Head()).To(match.Head("a Vary that names "+p.Header, func(judge.Value) bool {
			return slices.ContainsFunc(named, func(name string) bool { return name == "*" || strings.EqualFold(name, p.Header) })
		}, func(judge.Value) string {
			if len(named) == 0 {
				return "sent a card that depends on " + p.Header + " without Vary"
			}
			return "sent a card that depends on " + p.Header + " with Vary: " + shorten.Visible(strings.Join(named, ", "), 80)
		}).On("Vary"))
	}
}

// checkETagsOfVersions compares tags as If-None-Match does: weakly.
func checkETagsOfVersions(t *judge.T, p varyParams) {
	newer, older := requireVariedCards(t, p)
	tag := func(s judge.Step) string {
		return strings.TrimPrefix(s.Exchange.Response.Header().Get(etagHeader), "W/")
	}
	if tag(newer) == "" || tag(older) == "" {
		t.StopNotApplicable("the server sends the card without an ETag")
	}
	t.Expect(older.Head()).ComparedWith(newer.Head()).To(match.Head("another ETag than that of the other version, "+shorten.Visible(tag(newer), 80), func(judge.Value) bool { return tag(newer) != tag(older) }, func(judge.Value) string {
		return "sent cards that differ with the ETag " + shorten.Visible(tag(older), 80) + ", so that a client of one version keeps the card of the other"
	}).On(etagHeader))
}
