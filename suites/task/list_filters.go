package task

import (
	"fmt"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// listedTaskTime returns the time of a listed task's status.
func listedTaskTime(t *judge.T, task judge.Value) (observe.Timestamp, bool) {
	return observe.ParseTimestamp(readListedTaskMember(t, task, "task.timestamp").Text())
}

// checkListSorted compares neighbours that show a time: in the named lists, whose tasks change no
// more, and in all others those tasks of which the run knew before that they had ended. What
// changes while a list is made may have any place in it, and what changed at the same time as
// another too: a server that works on both may store them in another order than that of the
// times it gave them.
func checkListSorted(t *judge.T, p observe.OnSteps) {
	const storing = 200 * time.Millisecond
	type pair struct {
		former, latter judge.Value
		within         time.Duration // the difference of times within which their order does not matter
	}
	var of []pair
	ended := taskEndTimes(t)
	for _, s := range observe.EveryCall(t, p.Steps, "list") {
		quiet := slices.Contains(p.Steps, s.Play.Scenario+"/"+s.Name)
		within := storing
		if quiet {
			within = 0
		}
		var former judge.Value
		for _, v := range listedTasks(s) {
			at, known := ended[readListedTaskMember(t, v, "task.id").Text()]
			stamp, ok := listedTaskTime(t, v)
			if !ok || !quiet && (!known || at > s.Exchange.Start) {
				continue
			}
			if former.Document() == nil {
				former = v
				continue
			}
			of = append(of, pair{former, v, within})
			if oldest, _ := listedTaskTime(t, former); quiet || stamp.IsBefore(oldest) {
				former = v
			}
		}
	}
	judge.Each(t, of, func(n pair) {
		former, _ := listedTaskTime(t, n.former)
		latter, _ := listedTaskTime(t, n.latter)
		was := readListedTaskMember(t, n.former, "task.timestamp")
		t.Expect(readListedTaskMember(t, n.latter, "task.timestamp")).ComparedWith(was).To(match.Should("a time that is not after "+was.Shown()+" of the task before it",
			func(judge.Value) bool { return !former.IsBefore(latter) || latter.Sub(former.Time) <= n.within }, nil))
	})
}

// taskEndTimes returns when the run first knew of each task, by its id, that it had ended: when the
// answer or the stream was over that showed it.
func taskEndTimes(t *judge.T) map[string]record.Instant {
	out := map[string]record.Instant{}
	note := func(x *record.Exchange, id, state judge.Value) {
		s := t.Case.Dialect.State(state.Text())
		if s == nil || !s.Terminal || !id.IsString() {
			return
		}
		if at, known := out[id.Text()]; !known || x.End < at {
			out[id.Text()] = x.End
		}
	}
	for _, v := range t.All(judge.ReplyText, judge.EventText) {
		r := v.Result()
		if !r.IsObject() {
			continue
		}
		note(v.Exchange(), r.Read("task.id"), r.Read("task.state"))
		for _, w := range r.Read("tasks").Elems() {
			note(v.Exchange(), readListedTaskMember(t, w, "task.id"), readListedTaskMember(t, w, "task.state"))
		}
	}
	return out
}

type movesParams struct {
	observe.OnStep
	First  string `json:"first" step:"{}"`  // the message that made the task
	Beside string `json:"beside" step:"{}"` // the one that made another later
	Change string `json:"change" step:"{}"` // the call that changed the first task then
}

// checkChangedTaskFirst ignores the order of tasks of the same time. A server whose times have
// whole seconds may never show two different ones.
func checkChangedTaskFirst(t *judge.T, p movesParams) {
	change := t.Step(p.Change)
	if !change.Accepted() || !observe.IsCanceled(t, change.Result().Read("task.state")) {
		t.StopUndecided("the task was not changed: %s", change.Outcome())
	}
	first, beside := t.Step(p.First).Result().Read("task.id"), t.Step(p.Beside).Result().Read("task.id")
	pages := readPages(t, p.Step)
	tasks := tasksOfPages(pages)
	all := listedTaskIDs(t, tasks)
	at, other := slices.Index(all, first.Text()), slices.Index(all, beside.Text())
	if at < 0 || other < 0 {
		requireLastPage(t, pages)
		t.StopUndecided("the list does not show both tasks")
	}
	if was := readListedTaskMember(t, tasks[other], "task.timestamp"); was.IsString() && was.Equal(readListedTaskMember(t, tasks[at], "task.timestamp")) {
		if at, _ := observe.ParseTimestamp(was.Text()); at.Precision() > time.Millisecond {
			t.StopVacuous("the server shows its times by the second, in which both tasks changed")
		}
		t.StopUndecided("both tasks changed at the same time")
	}
	t.Expect(readListedTaskMember(t, tasks[at], "task.id")).To(match.Should("the task that changed last before the others", func(judge.Value) bool { return at < other },
		func(judge.Value) string {
			return fmt.Sprintf("listed it as number %d, after the one that had ended before", at+1)
		}))
}

type ofContextParams struct {
	observe.OnStep
	Made  []string `json:"made" step:"{}"`  // the messages that made the tasks of the context
	Other string   `json:"other" step:"{}"` // a message that made a task elsewhere
}

// requireTaskInOtherContext ends the check undecided unless there is a task that the list should not
// show: nothing is left out otherwise.
func requireTaskInOtherContext(t *judge.T, other string) {
	if !t.Step(other).Result().Read("task.id").IsString() {
		t.StopUndecided("the run knows no task outside the context")
	}
}

// checkListExcludesOtherContexts accepts a task that does not name its context.
func checkListExcludesOtherContexts(t *judge.T, p ofContextParams) {
	requireTaskInOtherContext(t, p.Other)
	s, made := t.Step(p.Step), requireTaskIDsInContext(t, p.Step, p.Made)
	tasks := tasksOfPages(readPages(t, p.Step))
	observe.StopUndecidedIf(t, len(tasks) == 0, "the list %s contains no tasks", p.Step)
	judge.Each(t, tasks, func(v judge.Value) {
		id, context := readListedTaskMember(t, v, "task.id"), readListedTaskMember(t, v, "task.context")
		if slices.Contains(made, id.Text()) || !context.Exists() {
			t.OK(id)
			return
		}
		t.Expect(context).To(match.BeTheText("the context that was asked for, ", s.Context))
	})
}

func checkListOfState(t *judge.T, p observe.OnSteps) {
	type entry struct {
		judge.Value
		of string
	}
	var of []entry
	for _, s := range t.Steps(p.Steps) {
		state := requestedFilter(t, s, "state")
		for _, v := range listedTasks(s) {
			of = append(of, entry{readListedTaskMember(t, v, "task.state"), state.String})
		}
	}
	judge.Each(t, of, func(e entry) { t.Expect(e.Value).To(match.BeTheText("the state that was asked for, ", e.of)) })
}

type combinedParams struct {
	observe.OnSteps        // lists by context and state
	Whole           string `json:"whole" step:"{}"` // the list by context
	Other           string `json:"other" step:"{}"` // a message that made a task elsewhere
}

func checkCombinedFiltersExact(t *judge.T, p combinedParams) {
	requireTaskInOtherContext(t, p.Other)
	pages := readPages(t, p.Whole)
	requireLastPage(t, pages)
	whole := tasksOfPages(pages)
	observe.StopUndecidedIf(t, len(whole) == 0, "the list %s contains no tasks", p.Whole)
	judge.Each(t, p.Steps, func(name string) {
		pages := readPages(t, name)
		requireLastPage(t, pages)
		s := pages[0]
		state := requestedFilter(t, s, "state").String
		want := listedTaskIDs(t, judge.Filter(whole, func(v judge.Value) bool { return readListedTaskMember(t, v, "task.state").Is(state) }))
		got := listedTaskIDs(t, tasksOfPages(pages))
		slices.Sort(want)
		slices.Sort(got)
		t.Expect(s.Result().Read("tasks")).To(match.Should(fmt.Sprintf("the %d tasks of the context that are in state %s", len(want), state),
			func(judge.Value) bool { return slices.Equal(want, got) },
			func(judge.Value) string { return fmt.Sprintf("listed %d tasks, which are not these", len(got)) }))
	})
}

type sinceParams struct {
	observe.OnStep
	Whole string `json:"whole" step:"{}"` // the list without the time
}

func checkListSinceTimeExact(t *judge.T, p sinceParams) {
	whole := tasksOfPages(readPages(t, p.Whole))
	if !slices.ContainsFunc(whole, func(v judge.Value) bool { _, known := listedTaskTime(t, v); return known }) {
		t.StopVacuous("no task shows a time")
	}
	s := t.Step(p.Step)
	since := requestedFilter(t, s, "since").String
	from, ok := observe.ParseTimestamp(since)
	observe.StopUndecidedIf(t, !ok, "the time of the task cannot be read")
	page, pages := s.Result().Read("tasks"), readPages(t, p.Step)
	got := listedTaskIDs(t, tasksOfPages(pages))
	judge.Each(t, whole, func(v judge.Value) {
		id, at := readListedTaskMember(t, v, "task.id"), readListedTaskMember(t, v, "task.timestamp")
		stamp, known := listedTaskTime(t, v)
		if !known {
			return
		}
		describe := func() string { return "the task " + shorten.Visible(id.Text(), 60) + " of " + at.Shown() }
		if stamp.IsBefore(from) {
			t.Expect(page).To(match.Should("no task from before "+since+", the time of the call", func(judge.Value) bool { return !slices.Contains(got, id.Text()) },
				func(judge.Value) string { return "listed " + describe() }))
			return
		}
		if stamp.Before(from.Time) { // the same time with fewer digits, or a moment before
			return
		}
		if !slices.Contains(got, id.Text()) {
			requireLastPage(t, pages)
		}
		t.Expect(page).To(match.Should("every task from "+since+" on, the time of the call", func(judge.Value) bool { return slices.Contains(got, id.Text()) },
			func(judge.Value) string { return "left out " + describe() }))
	})
}

type bareParams struct {
	observe.OnSteps
	Look string `json:"look" step:"{}"` // that shows artifacts of a task of the list
}

// requireLookUpWithArtifacts returns the result of a look-up. The check is vacuous if the task has no
// artifacts.
func requireLookUpWithArtifacts(t *judge.T, step string) judge.Value {
	look := t.Step(step).Result()
	observe.StopVacuousIf(t, len(look.Read("task.artifacts").Elems()) == 0, "the task has no artifacts")
	return look
}

// checkListWithoutArtifacts also reads every other list that asks for artifacts in the same way
// as the named one.
func checkListWithoutArtifacts(t *judge.T, p bareParams) {
	requireLookUpWithArtifacts(t, p.Look)
	var of []judge.Value
	wanted := requestedFilter(t, t.Step(p.Steps[0]), "artifacts")
	for _, s := range observe.EveryCall(t, p.Steps, "list") {
		if n := requestedFilter(t, s, "artifacts"); (n == nil) == (wanted == nil) && (n == nil || n.Equal(wanted)) {
			of = append(of, listedTasks(s)...)
		}
	}
	judge.Each(t, of, func(v judge.Value) {
		t.Expect(readListedTaskMember(t, v, "task.artifacts")).To(match.Should("no member for artifacts, since they were not asked for",
			func(v judge.Value) bool { return !v.Exists() }, nil))
	})
}

type listedArtifactsParams struct {
	observe.OnStep
	Look   string   `json:"look" step:"{}"`
	Ignore []string `json:"ignore"` // members that may differ from look to look
}

func checkListWithArtifacts(t *judge.T, p listedArtifactsParams) {
	look := requireLookUpWithArtifacts(t, p.Look)
	for _, v := range tasksOfPages(readPages(t, p.Step)) {
		if !readListedTaskMember(t, v, "task.id").Equal(look.Read("task.id")) {
			continue
		}
		artifacts, shown := readListedTaskMember(t, v, "task.artifacts"), look.Read("task.artifacts")
		t.Expect(artifacts).ComparedWith(shown).To(match.Should("the artifacts that a look-up shows, since they were asked for", func(judge.Value) bool {
			return sameArtifactContents(artifactJSONByKey(t, artifacts, p.Ignore), artifactJSONByKey(t, shown, p.Ignore))
		}, nil))
		return
	}
	t.StopUndecided("the list %s does not contain the task", p.Step)
}

func checkListHistoryLength(t *judge.T, p observe.OnSteps) {
	var of []boundedHistory
	for _, s := range t.Steps(p.Steps) {
		for _, v := range listedTasks(s) {
			of = append(of, boundedHistory{readListedTaskMember(t, v, "task.history"), requestedListNumber(t, s, "history")})
		}
	}
	expectHistoriesBounded(t, of, "listed a task with %d messages")
}

// checkEmptyList leaves missing members of a page to its shape.
func checkEmptyList(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	t.Expect(s.Reply()).Because("nothing fits, which is no error").To(match.BeAResult())
	page := s.Result()
	if tasks := page.Read("tasks"); tasks.IsArray() { // that it has to be one is for the shape
		t.Expect(tasks).To(match.Should("no tasks", func(v judge.Value) bool { return len(v.Elems()) == 0 }, nil))
	}
	t.OK(page)
	if total := page.Read("total"); total.Exists() {
		t.Expect(total).To(beTheCount("0 on all pages", 0))
	}
	if next := page.Read("next"); next.IsString() {
		t.Expect(next).To(match.BeText(""))
	}
}

type privateListParams struct {
	observe.OnSteps
	Own   string `json:"own" step:"{}"`   // the list that the client who made the task gets
	Made  string `json:"made" step:"{}"`  // the message that made it
	Known string `json:"known" step:"{}"` // a call that shows that the other client is let in
}

// requireOwnListedTaskID returns the id of the task that its own client sees in a list.
func (p privateListParams) requireOwnListedTaskID(t *judge.T) string {
	if known := t.Step(p.Known); !match.IsResponse(known.Reply()) {
		t.StopUndecided("the second credential is not accepted: %s", known.Outcome())
	}
	id := t.Step(p.Made).Result().Read("task.id").Text()
	if !slices.Contains(listedTaskIDs(t, tasksOfPages(readPages(t, p.Own))), id) {
		t.StopUndecided("the list of its own client does not show the task")
	}
	return id
}

func checkListHidesForeignTasks(t *judge.T, p privateListParams) {
	id := p.requireOwnListedTaskID(t)
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		if !s.Accepted() {
			t.OK(s.Head())
			return
		}
		t.Expect(s.Result().Read("tasks")).To(match.Should("no task of another client", func(judge.Value) bool { return !slices.Contains(listedTaskIDs(t, listedTasks(s)), id) },
			func(judge.Value) string { return "listed the task of another client, " + shorten.Visible(id, 60) }))
	})
}

// checkTotalHidesForeignTasks rests on a context all of whose tasks are the other client's.
func checkTotalHidesForeignTasks(t *judge.T, p privateListParams) {
	id := p.requireOwnListedTaskID(t)
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		if !s.Accepted() {
			t.OK(s.Head())
			return
		}
		if slices.Contains(listedTaskIDs(t, listedTasks(s)), id) {
			t.StopUndecided("the call %s/%s shows the task of another client", s.Play.Scenario, s.Name)
		}
		t.Expect(s.Result().Read("total")).To(beTheCount("0, since all tasks of the context are another client's", 0))
	})
}
