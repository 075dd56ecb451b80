package card

import (
	"fmt"
	"net/http"
	"regexp"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
)

// What lets a client keep a card and ask for it only where it has changed (RFC 9110
// and 9111).
var cachingChecks = []judge.Check{
	judge.Define("discovery/header", "the card comes with a header of some form", cardHeader),
	judge.Define("discovery/date", "a date among the headers of the card is one of HTTP", cardDate),
	judge.Define("discovery/tag-kept", "a card that is the same has the same ETag", tagKept),
	judge.Define("discovery/not-modified", "a client that already has the card is told that it has not changed, and gets it no second time", notModified),
}

type cardHeaderParams struct {
	_      onCard
	Header string `json:"header"`
	Like   string `json:"like"`  // a regular expression that it fits …
	Wants  string `json:"wants"` // … and what it asks for, in words
}

func cardHeader(t *judge.T, p cardHeaderParams) {
	handedOut(t)
	s := fetched(t)
	got := s.Exchange.Response.Header().Get(p.Header)
	form := regexp.MustCompile(p.Like)
	t.Expect(s.Head()).To(match.Head(p.Wants, func(judge.Value) bool { return got != "" && form.MatchString(got) }, func(judge.Value) string {
		if got == "" {
			return "sent its card without " + p.Header
		}
		return fmt.Sprintf("sent its card with %s: %s", p.Header, shorten.Visible(got, 80))
	}).On(p.Header))
}

type dateHeaderParams struct {
	_      onCard
	Header string `json:"header"`
}

func cardDate(t *judge.T, p dateHeaderParams) {
	handedOut(t)
	s := fetched(t)
	got := s.Exchange.Response.Header().Get(p.Header)
	if got == "" {
		t.NotApplicable("the server sends the card without the header %s", p.Header)
	}
	_, err := http.ParseTime(got)
	t.Expect(s.Head()).To(match.Head("a date of HTTP, such as Sun, 06 Nov 1994 08:49:37 GMT", func(judge.Value) bool { return err == nil }, func(judge.Value) string {
		return fmt.Sprintf("sent its card with %s: %s", p.Header, shorten.Visible(got, 80))
	}).On(p.Header))
}

const tagHeader = "ETag"

type againParams struct {
	_    onCard
	Step string `json:"step" step:"{}"` // the card once more
}

func tagKept(t *judge.T, p againParams) {
	handedOut(t)
	was, is := fetched(t), t.Step(p.Step)
	before, now := was.Exchange.Response.Header().Get(tagHeader), is.Exchange.Response.Header().Get(tagHeader)
	switch {
	case before == "":
		t.NotApplicable("the server sends the card without an ETag")
	case !is.Exchange.Obtained():
		t.Undecided("the server did not hand out the card again: %s", is.Outcome())
	case string(was.Exchange.Response.Body) != string(is.Exchange.Response.Body):
		t.Undecided("the card changed between two requests")
	}
	t.Expect(is.Head()).ComparedWith(was.Head()).To(match.Head("the ETag that the same card had before, "+shorten.Visible(before, 80), func(judge.Value) bool { return now == before }, func(judge.Value) string {
		if now == "" {
			return "sent the same card without ETag"
		}
		return "sent the same card with the ETag " + shorten.Visible(now, 80)
	}).On(tagHeader))
}

type unchangedParams struct {
	_    onCard
	From string `json:"from" step:"{}"` // the card whose ETag the client names …
	Step string `json:"step" step:"{}"` // … in this call
}

// notModified: a server need not compare tags; that it sends the card once more
// costs a client only time.
func notModified(t *judge.T, p unchangedParams) {
	handedOut(t)
	known := t.Step(p.From).Exchange.Response.Header().Get(tagHeader)
	if known == "" {
		t.NotApplicable("the server sends the card without an ETag")
	}
	s := t.Step(p.Step)
	switch got := s.Exchange.Response.Header().Get(tagHeader); {
	case s.Exchange.Status() == 200 && got != known:
		t.Undecided("the card or its ETag has changed since the client got it")
	case s.Exchange.Status() == 200:
		t.Finding(s.Head(), "the server sends the card again to a client that already has it")
		t.OK(s.Head())
		return
	}
	t.Expect(s.Head()).To(match.HaveStatus(304))
	t.Expect(s.Head()).To(match.Head("no body", func(judge.Value) bool { return len(s.Exchange.Response.Body) == 0 }, func(judge.Value) string {
		return "sent a body to a client that has the card"
	}))
}
