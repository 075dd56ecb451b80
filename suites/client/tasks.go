package client

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// givenParams name an id of requests that has to be one that we gave.
type givenParams struct {
	Plays []string `json:"plays"` // the scenarios; none for all
	Ops   []string `json:"ops"`   // none for those that send a message
	At    string   `json:"at"`    // its pointer in the parameters
	Also  []string `json:"also"`  // further pointers of which the same is due
	Task  bool     `json:"task"`  // it is there, and is that of a task
	// Command is what a program is asked for such a call by, which it has to have something for.
	Command string `json:"command"`
}

// checkGivenIDs judges whether ids in calls were seen by the client before, in an answer of the same conversation.
func checkGivenIDs(t *judge.T, p givenParams) {
	seen := 0
	judge.EachOf(t, startsOf(t, p.Plays), func(s judge.Start) {
		given := s.Delivered()
		brought := map[string]record.Instant{} // when a text first came to the client
		for _, d := range given {
			for _, text := range d.Texts {
				if at, had := brought[text]; !had || d.At < at {
					brought[text] = d.At
				}
			}
		}
		calls := messagesOf(t, s)
		if len(p.Ops) > 0 {
			calls = s.Calls(p.Ops...)
		}
		if line, refused := s.FindRefusal(p.Command); p.Command != "" && refused && len(calls) == 0 {
			t.Fail(line, "reported that it has nothing for the command "+p.Command, "a client that makes such calls")
		}
		eachOf(t, calls, func(r judge.Request) {
			if p.Task {
				seen++
				judgeTaskID(t, given, r.Params.At(p.At))
				return
			}
			var ids []judge.Value
			for _, at := range append([]string{p.At}, p.Also...) {
				ids = append(ids, r.Params.Expand(at)...)
			}
			eachOf(t, ids, func(v judge.Value) {
				if v.Text() == "" {
					return
				}
				seen++
				if at, had := brought[v.Text()]; !had || at > r.Exchange.End {
					t.Fail(v, "sent "+describeValue(v)+", which no answer had brought", "an id that the agent gave")
				}
				t.OK(v)
			})
		})
	})
	if seen == 0 && len(p.Ops) > 0 {
		t.StopVacuous("the client made no such call")
	}
	if seen == 0 {
		t.StopVacuous("no message of the client has such an id")
	}
}

// judgeTaskID judges whether an id is that of a task which answers have brought. When they did plays no role, since no client
// can guess such an id, and a stream may end later than the call.
func judgeTaskID(t *judge.T, given []judge.Delivered, v judge.Value) {
	const due = "the id of a task that the agent gave"
	switch {
	case v.Text() == "" && !v.Exists():
		t.Fail(v, v.Lacking(), due)
	case v.Text() == "" || !slices.ContainsFunc(given, func(d judge.Delivered) bool { return d.Task == v.Text() }):
		t.Fail(v, "sent "+describeValue(v)+", which is that of no task", due)
	}
	t.OK(v)
}

// startsOf returns the starts of some scenarios; all without one.
func startsOf(t *judge.T, plays []string) []judge.Start {
	if len(plays) == 0 {
		return t.AllStarts()
	}
	return t.Starts(plays...)
}

// contextParams name the places of the ids of task and context in the parameters of a message.
type contextParams struct {
	Task    string `json:"task"`
	Context string `json:"context"`
}

// checkContext judges whether messages to a task name no other context than the task's.
func checkContext(t *judge.T, p contextParams) {
	seen := 0
	judge.EachOf(t, t.AllStarts(), func(s judge.Start) {
		given := map[string]string{} // the first context that an answer named for a task
		for _, d := range s.Delivered() {
			if d.Task != "" && given[d.Task] == "" {
				given[d.Task] = d.Context
			}
		}
		eachOf(t, messagesOf(t, s), func(r judge.Request) {
			task, context := r.Params.At(p.Task), r.Params.At(p.Context)
			due := given[task.Text()]
			if due == "" || context.Text() == "" {
				return
			}
			seen++
			if due != context.Text() {
				t.Fail(context, "sent "+describeValue(context)+" with a task of another context", fmt.Sprintf("%q", shorten.Visible(shorten.Clip(due, 60), 60)), task)
			}
			t.OK(context)
		})
	})
	if seen == 0 {
		t.StopVacuous("no message of the client names both a task and a context")
	}
}

// endedParams name calls about a task that has ended.
type endedParams struct {
	Plays []string `json:"plays"`
	Ops   []string `json:"ops"`  // none for those that send a message
	Task  string   `json:"task"` // the pointer of the task's id in the parameters
	Most  int      `json:"most"` // so many are tolerated
}

// checkEndedTasks judges whether calls about a task end with it, once the client was shown its end.
func checkEndedTasks(t *judge.T, p endedParams) {
	ends := 0
	judge.EachOf(t, startsOf(t, p.Plays), func(s judge.Start) {
		calls := s.Calls(p.Ops...)
		if len(p.Ops) == 0 {
			calls = messagesOf(t, s)
		}
		about := judge.GroupBy(calls, func(r judge.Request) string { return r.Params.At(p.Task).Text() })
		done := map[string]bool{}
		for _, d := range s.Delivered() {
			if d.Task == "" || !isTerminal(t, d.State) || done[d.Task] {
				continue
			}
			done[d.Task] = true
			ends++
			late := slices.DeleteFunc(about[d.Task], func(r judge.Request) bool { return r.Exchange.Start < d.At })
			if len(late) > p.Most {
				t.Fail(late[p.Most].Params.At(p.Task), fmt.Sprintf("sent %d such calls about a task whose end it had been shown", len(late)), atMost(p.Most))
			}
			t.OK(s.Last())
		}
	})
	if ends == 0 {
		t.StopVacuous("the client was shown the end of no task")
	}
}

func atMost(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprintf("at most %d", n)
}

// answerParams name the scenario of a question, and the member in which a message names its task.
type answerParams struct {
	Plays []string `json:"plays"`
	At    string   `json:"at"`
	What  string   `json:"what"` // task or context
}

// checkSecondMessage judges whether the second message of a conversation names what the answer to the first one brought.
func checkSecondMessage(t *judge.T, p answerParams) {
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		all := messagesOf(t, s)
		i := slices.IndexFunc(s.Delivered(), func(d judge.Delivered) bool { return d.Task != "" })
		if len(all) < 2 || i < 0 {
			s.Last()
			t.StopInconclusive(judge.SecondMessageRemedy(&t.Case.Transcript.Facts), "the client sent no second message in the scenario '%s'", s.Play.Scenario)
		}
		first := s.Delivered()[i]
		due := first.Task
		if p.What == "context" {
			due = first.Context
		}
		v := all[1].Params.At(p.At)
		if v.Text() != due {
			got := "sent a second message without one"
			if v.Exists() {
				got = "sent " + describeValue(v)
			}
			t.Fail(v, got, fmt.Sprintf("the %s %q of the answer to the first message", p.What, shorten.Visible(shorten.Clip(due, 60), 60)))
		}
		t.OK(v)
	})
}

// isTerminal reports whether a task in a state has ended.
func isTerminal(t *judge.T, state string) bool {
	is := t.Case.Dialect.State(state)
	return is != nil && is.Terminal
}

// eachOf is judge.Each for the items of one start, of which another one may have some.
func eachOf[V any](t *judge.T, items []V, judgeOne func(V)) {
	if len(items) > 0 {
		judge.Each(t, items, judgeOne)
	}
}
