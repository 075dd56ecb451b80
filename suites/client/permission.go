package client

import (
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// resumeParams name the calls by which a client resumes a stream that was cut.
type resumeParams struct {
	Plays []string `json:"plays"`
	Ops   []string `json:"ops"`
	Task  string   `json:"task"` // the pointer of the task's id in their parameters
}

// checkResuming judges for which task the client resumes a stream. It need not resume any.
func checkResuming(t *judge.T, p resumeParams) {
	used := 0
	starts := t.Starts(p.Plays...)
	judge.EachOf(t, starts, func(s judge.Start) {
		given := s.Delivered()
		eachOf(t, s.Calls(p.Ops...), func(r judge.Request) {
			used++
			v := r.Params.At(p.Task)
			if !slices.ContainsFunc(given, func(d judge.Delivered) bool { return d.Task != "" && d.Task == v.Text() }) {
				t.Fail(v, "sent "+describeValue(v), "the id of the task whose stream was cut")
			}
			t.OK(v)
		})
	})
	if used == 0 {
		for _, s := range starts {
			if !s.Ended() {
				stopBeforeEnd(t, s)
			}
		}
		t.StopNotApplicable("the client makes no use of the permission: it resumed no stream")
	}
}

// followParams name the member by which a client asks for an answer at once, and how it may follow its task then.
type followParams struct {
	Plays   []string `json:"plays"`
	At      string   `json:"at"`      // the member, which is true
	Ops     []string `json:"ops"`     // calls that follow the task
	Webhook string   `json:"webhook"` // or the member that names a webhook
}

// checkFollowing judges whether the client follows a task that worked when it asked for an answer at once.
func checkFollowing(t *judge.T, p followParams) {
	seen := 0
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		given := s.Delivered()
		eachOf(t, messagesOf(t, s), func(r judge.Request) {
			v := r.Params.At(p.At)
			i := slices.IndexFunc(given, func(d judge.Delivered) bool { return d.At == r.Exchange.End && d.Task != "" })
			if !v.True() || i < 0 || isTerminal(t, given[i].State) {
				return
			}
			seen++
			follows := slices.ContainsFunc(s.Calls(p.Ops...), func(later judge.Request) bool { return later.Exchange.Start >= r.Exchange.End })
			switch {
			case follows, r.Params.At(p.Webhook).Exists():
				t.OK(v)
			case !s.Ended():
				stopBeforeEnd(t, s)
			default:
				t.Fail(v, "sent "+describeValue(v)+", and did not follow its task, which was working", "a look at the task, a subscription or a webhook")
			}
		})
	})
	if seen == 0 {
		t.StopVacuous("the client asked for no answer at once")
	}
}

// filterParams name the members of the requests for a list that may change from page to page.
type filterParams struct {
	Ops   []string `json:"ops"`
	Token string   `json:"token"` // the member that names a page
	Free  []string `json:"free"`  // further members
}

// checkFilters judges whether requests for further pages have the filters of the first one.
func checkFilters(t *judge.T, p filterParams) {
	t.Calls(p.Ops...) // it may use them nowhere
	pages := 0
	judge.EachOf(t, t.AllStarts(), func(s judge.Start) {
		var first *judge.Request
		eachOf(t, s.Calls(p.Ops...), func(r judge.Request) {
			if r.Params.MemberAt("/"+p.Token).Text() == "" {
				first = &r
				return
			}
			if first == nil {
				return
			}
			pages++
			before, now := first.Params.Members(), r.Params.Members()
			names := slices.Concat(slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(now)))
			slices.Sort(names) // so that the same one fails each time
			for _, name := range names {
				if name == p.Token || slices.Contains(p.Free, name) {
					continue
				}
				v, of := r.Params.At("/"+name), first.Params.At("/"+name)
				if v.Exists() != of.Exists() || v.Exists() && !v.Equal(of) {
					t.Fail(v, "changed `"+shorten.Visible(shorten.Clip(name, 40), 40)+"` from one page to the next", "the filters of the first request", of)
				}
			}
			t.OK(r.Params)
		})
	})
	if pages == 0 {
		t.StopVacuous("the client asked for no second page of a list")
	}
}

// modeParams name the media types of files in messages.
type modeParams struct {
	At    string   `json:"at"`    // the pointer of a file, with * for each element of a list
	Files []string `json:"files"` // members of which a file has one; none if all are files
	Type  string   `json:"type"`  // the member that has its media type
}

// checkModes judges whether the files in messages are of types that the card names.
func checkModes(t *judge.T, p modeParams) {
	seen := 0
	judge.EachOf(t, t.AllStarts(), func(s judge.Start) {
		cards := s.Cards()
		if len(cards) == 0 {
			return
		}
		eachOf(t, messagesOf(t, s), func(r judge.Request) {
			for _, file := range r.Params.Expand(p.At) {
				v := file.MemberAt("/" + p.Type)
				isFile := len(p.Files) == 0 || slices.ContainsFunc(p.Files, func(name string) bool { return file.MemberAt("/" + name).Exists() })
				if !isFile || v.Text() == "" {
					continue
				}
				seen++
				mode, _, _ := strings.Cut(strings.ToLower(v.Text()), ";")
				if !slices.ContainsFunc(cards, func(c card.Card) bool { return c.Takes(strings.TrimSpace(mode)) }) {
					t.Fail(v, "sent a file with "+describeValue(v), "one of the card's input modes")
				}
				t.OK(v)
			}
		})
	})
	if seen == 0 {
		t.StopVacuous("the client sent no file with a media type")
	}
}

// fetchParams name files whose addresses the client was given.
type fetchParams struct {
	Plays []string `json:"plays"`
	Path  string   `json:"path"` // with which the paths of the files begin
}

// checkFetches judges whether the client leaves the addresses of files alone.
func checkFetches(t *judge.T, p fetchParams) {
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		calls := messagesOf(t, s)
		if len(calls) == 0 {
			s.Last()
			t.StopInconclusive("", "the client sent no message in the scenario '%s'", s.Play.Scenario)
		}
		for _, r := range s.Requests(func(r judge.Request) bool { return !r.IsCall() && strings.HasPrefix(pathOf(r), p.Path) }) {
			t.Fail(r.Head(report.StatusLine), "fetched "+shorten.Visible(shorten.Clip(r.Exchange.URL, 80), 80), "no fetch of an address on its own machine that the agent names")
		}
		if !s.Ended() {
			stopBeforeEnd(t, s)
		}
		t.OK(calls[0].Call)
	})
}

// waitParams name the state of a task in which something else is waited for, and how it may be followed then.
type waitParams struct {
	Plays   []string `json:"plays"`
	State   string   `json:"state"`
	Ops     []string `json:"ops"`     // calls that follow the task
	Webhook string   `json:"webhook"` // or the member of a message that names a webhook
	Seconds float64  `json:"seconds"` // after which the task continues
}

// measureLinger returns how many seconds the client takes to end after its last answer in the scenario that a start is
// compared with. A program that is done may take a while to end.
func measureLinger(t *judge.T, s judge.Start) (seconds float64) {
	for _, plain := range t.AllStarts() {
		if given := plain.Delivered(); plain.Play.Scenario == twinOf(s) && len(given) > 0 && plain.Run.Ended > 0 {
			seconds = max(seconds, (plain.Run.Ended - given[len(given)-1].At).Seconds())
		}
	}
	return seconds
}

// checkWaiting judges whether the client follows a task that waits for something else than the client.
func checkWaiting(t *judge.T, p waitParams) {
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		last, given := s.Last(), s.Delivered()
		i := slices.IndexFunc(given, func(d judge.Delivered) bool { return d.Task != "" && d.State == p.State })
		if i < 0 {
			t.StopInconclusive("", "the client was shown no such task in the scenario '%s'", s.Play.Scenario)
		}
		since := given[i].At
		follows := s.Requests(func(r judge.Request) bool {
			return r.IsCall() && (r.Exchange.Start >= since && (slices.Contains(p.Ops, r.Op) || t.Case.Dialect.Operation(r.Op).Agent) ||
				r.Exchange.End == since && (r.Params.At(p.Webhook).Exists() || t.Case.Dialect.Operation(r.Op).Streams))
		})
		stayed := (s.Run.Ended - since).Seconds()
		switch {
		case len(follows) > 0:
			t.OK(follows[0].Call)
		case !s.Ended():
			stopBeforeEnd(t, s)
		case s.Run.Ended > 0 && stayed < p.Seconds+measureLinger(t, s):
			t.StopUndecided("the client ended before the task went on")
		case s.Run.Disturbed != "":
			t.StopUndecided("%s", s.Run.Disturbed)
		default:
			t.Fail(last, "stayed, and made no further call about its task", "a look at the task, a subscription or a webhook")
		}
	})
}
