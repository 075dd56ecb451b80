package client

import (
	"net/http"
	"regexp"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// pagesParams choose what of the way through a list is judged.
type pagesParams struct {
	Plays []string `json:"plays"`
	Ops   []string `json:"ops"`
	Token string   `json:"token"` // the pointer of the token in the parameters
	What  string   `json:"what"`  // token, that it is one that a page had; end, that nothing follows the last page
}

// A shownPage is a page of a list that the client was given.
type shownPage struct {
	next string         // the token of the page after it; "" for the last one
	at   record.Instant // when its answer had left
}

// checkPages judges how the client goes through a list of several pages.
func checkPages(t *judge.T, p pagesParams) {
	seen := 0
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		calls := s.Calls(p.Ops...)
		pages := listPages(s, calls)
		if p.What == "end" {
			i := slices.IndexFunc(pages, func(at shownPage) bool { return at.next == "" })
			if i < 0 {
				return
			}
			seen++
			if !s.Ended() {
				stopBeforeEnd(t, s)
			}
			if late := startedAfter(calls, pages[i].at); len(late) > 0 {
				t.Fail(late[0].Head(report.StatusLine), "asked for a page after the last one, which has no token", "no request after the last page")
			}
			t.OK(s.Last())
			return
		}
		eachOf(t, calls, func(r judge.Request) {
			if judgePageToken(t, r, r.Params.At(p.Token), pages) {
				seen++
			}
		})
	})
	switch {
	case seen > 0:
	case p.What == "end":
		t.StopVacuous("the client did not come to the last page of a list")
	default:
		t.StopVacuous("the client asked for no page by a token")
	}
}

// listPages returns the pages that the client was given by some calls.
func listPages(s judge.Start, calls []judge.Request) (pages []shownPage) {
	for _, d := range s.Delivered() {
		if slices.ContainsFunc(calls, func(r judge.Request) bool { return r.Exchange == d.Exchange }) {
			pages = append(pages, shownPage{d.Result.Read("next").Text(), d.At})
		}
	}
	return pages
}

// judgePageToken judges whether a token is that of a page which the client was given before. It reports whether the call
// has one. What is encoded wrongly in an address is left to another sentence.
func judgePageToken(t *judge.T, r judge.Request, v judge.Value, pages []shownPage) bool {
	if !v.Exists() || v.IsNull() || v.IsString() && v.Text() == "" {
		return false
	}
	before := slices.DeleteFunc(slices.Clone(pages), func(at shownPage) bool { return at.at > r.Exchange.Start })
	if len(before) == 0 {
		return false
	}
	is := func(at shownPage) bool { return at.next != "" && v.IsString() && at.next == v.Text() }
	misencoded := func(at shownPage) bool { return at.next != "" && isMisencoded(v.Text(), at.next) }
	switch {
	case slices.ContainsFunc(before, is):
	case r.By.Kind() == schema.KindREST && slices.ContainsFunc(before, misencoded):
		return false
	default:
		t.Fail(v, "sent "+describeValue(v)+", which no page before has as the token of the next one", "the token of the page before, unchanged")
	}
	t.OK(v)
	return true
}

// checkListedPages judges how the client goes through a list of several pages at a path that is no operation of the dialect.
func checkListedPages(t *judge.T, p pagesParams) {
	seen := 0
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		requests := s.Requests(func(r judge.Request) bool { return !r.IsCall() && r.Op == "" && nameOfList.MatchString(r.Name) })
		var pages []shownPage
		for _, r := range requests {
			token := readForm(r).Get(p.Token)
			before := slices.DeleteFunc(slices.Clone(pages), func(at shownPage) bool { return at.at > r.Exchange.Start })
			is := func(next string) bool {
				return slices.ContainsFunc(before, func(at shownPage) bool { return at.next == next })
			}
			switch {
			case p.What == "end" && is(""):
				t.Fail(r.Head(report.StatusLine), "asked for a page after the last one, which has no token", "no request after the last page")
			case p.What == "token" && token != "" && !is(token):
				t.Fail(r.Head(report.StatusLine), "asked for the page "+shorten.Visible(shorten.Clip(token, 60), 60)+", which no page before names as the next one", "the token of the page before, unchanged")
			case p.What == "token" && token != "":
				seen++
				t.OK(r.Head(report.StatusLine))
			}
			if page := r.Exchange.Reply().Root; r.Exchange.Status() == http.StatusOK && page != nil {
				next := ""
				if n := page.At("/" + nextToken); n != nil {
					next = n.String
				}
				pages = append(pages, shownPage{next, r.Exchange.End})
			}
		}
		if p.What == "end" && slices.ContainsFunc(pages, func(at shownPage) bool { return at.next == "" }) {
			if !s.Ended() {
				stopBeforeEnd(t, s)
			}
			seen++
			t.OK(s.Last())
		}
	})
	switch {
	case seen > 0:
	case p.What == "end":
		t.StopVacuous("the client did not come to the last page of a list")
	default:
		t.StopVacuous("the client asked for no page by a token")
	}
}

// nextToken is the member of a page that has the token of the next one.
const nextToken = "nextPageToken"

// nameOfList is the name of steps for a list that is no operation of the dialect.
var nameOfList = regexp.MustCompile(`^list(-\d+)?$`)
