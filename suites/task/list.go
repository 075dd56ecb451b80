package task

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// readListedTaskMember returns a named value of a task in a list. Such a task has the form of a
// look-up's result.
func readListedTaskMember(t *judge.T, task judge.Value, what string) judge.Value {
	at, _ := t.Case.Dialect.Pointer("get", what)
	return task.MemberAt(at)
}

// requestedFilter returns the value that a list of ours asked for under a name; nil if there is
// none.
func requestedFilter(t *judge.T, s judge.Step, what string) *record.Node {
	at, _ := t.Case.Dialect.Pointer("request", "list."+what)
	return observe.Params(s).At(at)
}

// requestedListNumber returns a number that a list of ours asked for under a name; 0 if it asked for
// none.
func requestedListNumber(t *judge.T, s judge.Step, what string) int {
	n := requestedFilter(t, s, what)
	if n == nil || n.Kind != record.Number {
		return 0
	}
	i, _ := strconv.Atoi(n.Number)
	return i
}

// listedTasks returns the tasks of a page.
func listedTasks(s judge.Step) []judge.Value { return s.Result().Read("tasks").Elems() }

// listedTaskIDs returns the ids of tasks, in their order.
func listedTaskIDs(t *judge.T, tasks []judge.Value) []string {
	return judge.Map(tasks, func(v judge.Value) string { return readListedTaskMember(t, v, "task.id").Text() })
}

// readPages returns the pages that were requested one after the other, in steps NAME-1, NAME-2, …
// of which the first is named.
func readPages(t *judge.T, first string) []judge.Step {
	out := []judge.Step{t.Step(first)}
	for {
		s, made := t.Find(fmt.Sprintf("%s-%d", strings.TrimSuffix(first, "-1"), len(out)+1))
		if !made {
			return out
		}
		out = append(out, s)
	}
}

// tasksOfPages returns the tasks of a list that may come in several pages. A check that misses a
// task there calls requireLastPage first.
func tasksOfPages(pages []judge.Step) (out []judge.Value) {
	for _, s := range pages {
		out = append(out, listedTasks(s)...)
	}
	return out
}

// hasNextPage reports whether the last page that was turned leads to another.
func hasNextPage(pages []judge.Step) bool {
	next := pages[len(pages)-1].Result().Read("next")
	return next.IsString() && next.Text() != ""
}

// requireTaskIDsInContext returns the ids of the tasks that messages made in the context of a list.
func requireTaskIDsInContext(t *judge.T, list string, steps []string) []string {
	made, context := map[string]bool{}, t.Step(list).Context
	for _, result := range requireTaskResults(t, steps) {
		if in := result.Read("task.context"); in.IsString() && context != "" && !in.Is(context) {
			continue
		}
		if id := result.Read("task.id"); id.IsString() {
			made[id.Text()] = true
		}
	}
	observe.StopUndecidedIf(t, len(made) < 2, "fewer than two tasks were made in the context")
	return slices.Sorted(maps.Keys(made))
}

type pagesParams struct {
	Pages string   `json:"pages" step:"{}"`
	Made  []string `json:"made" step:"{}"` // the messages that made the tasks
}

// requireLastPage ends the check undecided if the last page that was requested leads to another.
func requireLastPage(t *judge.T, pages []judge.Step) {
	if hasNextPage(pages) {
		last := pages[len(pages)-1]
		t.StopUndecided("the call %s/%s is not the last page, and the run asked for no more", last.Play.Scenario, last.Name)
	}
}

type lastParams struct {
	observe.OnSteps         // lists that fit on a page
	observe.OwnRules        // of the word that leads on
	Pages            string `json:"pages" step:"{}"`
}

func checkLastPageTokenEmpty(t *judge.T, p lastParams) {
	p.FailIfBroken(t)
	of := t.Steps(p.Steps)
	if pages, played := t.Find(p.Pages); played {
		all := readPages(t, p.Pages)
		if last := all[len(all)-1]; last.Accepted() && (last.Name != pages.Name || len(listedTasks(last)) < requestedListNumber(t, last, "size")) {
			requireLastPage(t, all)
			of = append(of, last)
		}
	}
	judge.Each(t, of, func(s judge.Step) {
		t.Expect(s.Result().Read("next")).To(match.Should("an empty text, which says that nothing follows", func(v judge.Value) bool {
			return v.IsString() && v.Text() == ""
		}, nil))
	})
}

func checkEveryTaskListedOnce(t *judge.T, p pagesParams) {
	made, pages, seen := requireTaskIDsInContext(t, p.Pages, p.Made), readPages(t, p.Pages), map[string]judge.Step{}
	for _, s := range pages {
		for _, v := range listedTasks(s) {
			id := readListedTaskMember(t, v, "task.id")
			if was, twice := seen[id.Text()]; twice {
				t.Fail(id, fmt.Sprintf("listed the task %s again, which %s/%s had brought", id.Shown(), was.Play.Scenario, was.Name), "every task once")
			}
			seen[id.Text()] = s
		}
	}
	for _, id := range made {
		if _, there := seen[id]; !there {
			requireLastPage(t, pages)
			t.Fail(pages[len(pages)-1].Result().Read("tasks"), "ended the list without the task "+shorten.Visible(id, 60)+" of its context", "every task once")
		}
	}
	t.OK(pages[len(pages)-1].Result().Read("tasks"))
}

func checkPageSize(t *judge.T, p pagesParams) {
	judge.Each(t, readPages(t, p.Pages), func(s judge.Step) {
		most := requestedListNumber(t, s, "size")
		t.Expect(s.Result().Read("tasks")).To(haveAtMostTasks(fmt.Sprintf("at most the %d tasks that were asked for", most), most))
	})
}

// haveAtMostTasks is satisfied by a list of at most so many tasks.
func haveAtMostTasks(want string, most int) match.Matcher {
	return match.Should(want, func(v judge.Value) bool { return len(v.Elems()) <= most },
		func(v judge.Value) string { return fmt.Sprintf("listed %d tasks", len(v.Elems())) })
}

// beTheCount is satisfied by a number of tasks.
func beTheCount(want string, count int) match.Matcher {
	return match.Should(want, func(v judge.Value) bool { n, ok := v.Count(); return ok && n == count }, nil)
}

type defaultSizeParams struct {
	observe.OnStep
	Most int `json:"most"`
}

func checkDefaultPageSize(t *judge.T, p defaultSizeParams) {
	page := t.Step(p.Step).Result()
	t.Expect(page.Read("tasks")).Because("no size was asked for").To(haveAtMostTasks(fmt.Sprintf("at most %d tasks", p.Most), p.Most))
	if size, ok := page.Read("size").Count(); ok {
		t.Expect(page.Read("size")).Because("no size was asked for").To(match.Should(fmt.Sprintf("a size of at most %d", p.Most),
			func(judge.Value) bool { return size <= p.Most }, nil))
	}
}

type sizeLimitsParams struct {
	observe.OnSteps
	Least int      `json:"least"`
	Most  int      `json:"most"`
	Usual []string `json:"usual" names:"error"` // the errors that are no finding
}

// checkSizeLimitedOrRefused also reads the size that the page reports, since the number of tasks in a
// short list does not show whether the size was limited.
func checkSizeLimitedOrRefused(t *judge.T, p sizeLimitsParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		observe.RequireControlAccepted(t, s)
		reply := s.Reply()
		if match.IsError(reply) {
			t.Expect(reply).To(match.Should("an error that refuses the size, or a page within the limits", func(v judge.Value) bool {
				return !v.Refuses("InternalError")
			}, match.Outcome))
			if !reply.Refuses(p.Usual...) {
				t.Finding(reply.ErrorCode(), "the server refuses the size with %s", match.CodeOf(reply))
			}
			return
		}
		t.Expect(reply).To(match.BeAResult())
		within := match.Should(fmt.Sprintf("a size from %d to %d, or a refusal", p.Least, p.Most), func(v judge.Value) bool {
			n, ok := v.Count()
			return ok && n >= p.Least && n <= p.Most
		}, nil)
		t.Expect(reply.Result().Read("size")).To(within)
		t.Expect(reply.Result().Read("tasks")).To(haveAtMostTasks(fmt.Sprintf("at most %d tasks", p.Most), p.Most))
	})
}

// checkPageSizeReported accepts a smaller size than the call asked for.
func checkPageSizeReported(t *judge.T, p pagesParams) {
	judge.Each(t, readPages(t, p.Pages), func(s judge.Step) {
		page, most := s.Result(), requestedListNumber(t, s, "size")
		has := len(page.Read("tasks").Elems())
		if has > most {
			t.StopUndecided("the call %s/%s has more tasks than were asked for", s.Play.Scenario, s.Name)
		}
		t.Expect(page.Read("size")).To(match.Should(fmt.Sprintf("the size that was used: %d, which was asked for, or less, but not below the %d tasks of the page", most, has),
			func(v judge.Value) bool { n, ok := v.Count(); return ok && n >= has && n <= most }, nil))
	})
}

// checkTotalReported counts the tasks on all pages, since the context may have more tasks than
// the messages made.
func checkTotalReported(t *judge.T, p pagesParams) {
	made, pages := requireTaskIDsInContext(t, p.Pages, p.Made), readPages(t, p.Pages)
	seen := map[string]bool{}
	for _, s := range pages {
		for _, id := range listedTaskIDs(t, listedTasks(s)) {
			seen[id] = true
		}
	}
	missing := slices.ContainsFunc(made, func(id string) bool { return !seen[id] })
	observe.StopUndecidedIf(t, missing, "the pages do not contain every task of the context")
	requireLastPage(t, pages)
	judge.Each(t, pages, func(s judge.Step) {
		t.Expect(s.Result().Read("total")).To(beTheCount(fmt.Sprintf("%d, as many as there are on all pages", len(seen)), len(seen)))
	})
}

type stableParams struct {
	Pages string `json:"pages" step:"{}"`
	Again string `json:"again" step:"{}"`
}

// checkRepeatedPagesSameOrder ignores the order of tasks of the same time. If not all pages were requested,
// it compares the tasks that both lists show.
func checkRepeatedPagesSameOrder(t *judge.T, p stableParams) {
	before, pages := readPages(t, p.Pages), readPages(t, p.Again)
	first, again := tasksOfPages(before), tasksOfPages(pages)
	if hasNextPage(before) || hasNextPage(pages) {
		most := min(len(first), len(again))
		first, again = first[:most], again[:most]
	}
	observe.StopUndecidedIf(t, len(first) < 2, "the pages contain fewer than two tasks")
	if len(first) != len(again) {
		t.Fail(pages[len(pages)-1].Result().Read("tasks"), fmt.Sprintf("listed %d tasks on all pages, and %d when the same was asked before", len(again), len(first)), "the same tasks")
	}
	for i, v := range again {
		id, was := readListedTaskMember(t, v, "task.id"), readListedTaskMember(t, first[i], "task.id")
		if at, before := readListedTaskMember(t, v, "task.timestamp"), readListedTaskMember(t, first[i], "task.timestamp"); !id.Equal(was) && at.IsString() && at.Equal(before) {
			t.OK(id)
			continue
		}
		t.Expect(id).ComparedWith(was).To(match.Should("the same order as when the same was asked before: "+was.Shown()+" at this place", was.Equal, nil))
	}
}
