package message

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// checkUseOfContextCreation accepts a task or a message as the reply.
func checkUseOfContextCreation(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	observe.StopUndecidedIf(t, s.Context != "", "the message of %s named a context", p.Step)
	result := s.Result()
	for _, what := range []string{"task.context", "message.context"} {
		if made := result.Read(what); made.Text() != "" {
			t.OK(made)
			return
		}
	}
	t.OK(result)
	t.StopUnused("the reply names no context")
}

type sameContextParams struct {
	observe.OnSteps
	Of string `json:"of"` // what bears the context: the task if empty
}

func checkReplyContextEqualsSent(t *judge.T, p sameContextParams) {
	what := cmp.Or(p.Of, "task") + ".context"
	of := judge.Filter(t.Steps(p.Steps), func(s judge.Step) bool { return s.Context != "" && s.Result().Read(what).IsString() })
	judge.Each(t, of, func(s judge.Step) {
		t.Expect(s.Result().Read(what)).To(beContextSentIn(s))
	})
}

// checkTaskKeepsSentContext expects the context that the call of the message names.
func checkTaskKeepsSentContext(t *judge.T, p observe.PairParams) {
	made := t.Step(p.Step)
	made.Result()
	t.Expect(t.Step(p.Then).Result().Read("task.context")).To(beContextSentIn(made))
}

func checkSentContextAdopted(t *judge.T, p observe.OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		t.Expect(s.Reply()).To(match.BeAResult())
		t.Expect(s.Result().Read("task.context")).To(beContextSentIn(s))
	})
}

// beContextSentIn is satisfied by the context that the message of a step named.
func beContextSentIn(s judge.Step) match.Matcher {
	return match.BeTheText("the id that the client sent with the message, ", s.Context)
}

type unmixedParams struct {
	observe.OnPlays
	Tasks bool `json:"tasks"` // each call made a task; what came back of contexts is not looked at
}

// checkParallelCallsNotMixed judges the calls that were answered, since some of many may be
// refused.
func checkParallelCallsNotMixed(t *judge.T, p unmixedParams) {
	of := slices.DeleteFunc(t.Played(p.Plays...), func(s judge.Step) bool { return !s.Accepted() })
	if len(of) < 2 {
		t.StopUndecided("fewer than two of the calls at the same time were answered with a result")
	}
	seen := map[string]bool{}
	judge.Each(t, of, func(s judge.Step) {
		observe.ExpectCallID(t, s.Reply())
		if !p.Tasks {
			t.Expect(s.Result().Read("task.context")).To(beContextSentIn(s))
			return
		}
		id := s.Result().Read("task.id")
		if id.IsString() && seen[id.Text()] { // a message in place of a task may bear any id
			t.Fail(id, "answered with the task of another call, "+id.Shown(), "a task of its own for each call")
		}
		seen[id.Text()] = true
	})
}

// readSecretWord returns the word that a message of ours gave to the agent.
func readSecretWord(t *judge.T, step string) string {
	words := strings.Fields(observe.SentText(t, t.Step(step)))
	return words[len(words)-1]
}

type memoryParams struct {
	Told  string `json:"told" step:"{}"`
	Asked string `json:"asked" step:"{}"`
}

func checkContextRemembers(t *judge.T, p memoryParams) {
	t.Step(p.Told).Result()
	secret := readSecretWord(t, p.Told)
	t.Expect(t.Step(p.Asked).Result()).To(match.Should(fmt.Sprintf("the word %q, which was given in this context before", match.BothEnds(secret)),
		func(v judge.Value) bool { return observe.Mentions(v.Node(), secret) }, nil))
}

func checkContextMemoryPrivate(t *judge.T, p memoryParams) {
	t.Step(p.Told).Result()
	secret := readSecretWord(t, p.Told)
	expectNotMentioned(t, t.Step(p.Asked).Result(), secret, "answered with %q, which was given in another context only", "nothing of what was given in another context")
}

// expectNotMentioned expects an answer not to repeat a word. The format is that of a failure's
// text, with the word.
func expectNotMentioned(t *judge.T, answer judge.Value, word, format, want string) {
	t.Expect(answer).NotTo(match.InsteadOf(match.Should("", func(v judge.Value) bool { return observe.Mentions(v.Node(), word) },
		func(judge.Value) string { return fmt.Sprintf(format, word) }), want))
}

// checkAnyContextIDReturned takes any session: that it is the client's is judged by
// itself.
func checkAnyContextIDReturned(t *judge.T, p observe.OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) { t.Expect(s.Result().Read("task.context")).To(match.BeAString()) })
}

// checkContextKept has nothing to compare if the task had shown no session.
func checkContextKept(t *judge.T, p observe.PairParams) {
	was := t.Step(p.Step).Result().Read("task.context")
	now := t.Step(p.Then).Result().Read("task.context")
	if !was.IsString() {
		t.OK(now)
		return
	}
	t.Expect(now).ComparedWith(was).To(match.Should("the session "+was.Shown()+" that the task had", was.Equal, nil))
}

type apartParams struct {
	Made     []string `json:"made" step:"{}"`  // the steps that made the tasks
	Looks    []string `json:"looks" step:"{}"` // the look-ups of them
	Distinct bool     `json:"distinct"`        // the ids are the server's, and have to differ
}

func checkTasksHaveOwnIDs(t *judge.T, p apartParams) {
	seen := map[string]bool{}
	for _, n := range p.Made {
		id := t.Step(n).Result().Read("task.id")
		if p.Distinct && seen[id.Text()] {
			t.Fail(id, "named the task "+id.Shown()+" again, which an earlier message had made", "a task of its own for each message")
		}
		seen[id.Text()] = true
	}
	judge.Each(t, t.Steps(p.Looks), func(s judge.Step) {
		t.Expect(s.Reply()).To(match.BeAResult())
		t.Expect(s.Result().Read("task.id")).To(match.BeTheText("the id that the call names, ", s.Task))
	})
}

type recalledParams struct {
	memoryParams
	Stranger string `json:"stranger" step:"{}"`
}

// checkSessionMemoryPrivate fails if another session gets the word. The permission to remember is
// unused if the session itself does not get it.
func checkSessionMemoryPrivate(t *judge.T, p recalledParams) {
	secret := readSecretWord(t, p.Told)
	expectNotMentioned(t, t.Step(p.Stranger).Result(), secret, "answered in another session with %q, which was given in this one only", "nothing of what was given in another session")
	if asked := t.Step(p.Asked).Result(); !observe.Mentions(asked.Node(), secret) {
		t.StopUnused("the agent does not recall in a session what was given in an earlier task of it")
	}
}

// checkReplyContextMatchesLookUp is vacuous if the server makes no context.
func checkReplyContextMatchesLookUp(t *judge.T, p observe.PairParams) {
	sent, look := t.Step(p.Step).Result(), t.Step(p.Then).Result().Read("task.context")
	observe.StopUndecidedIf(t, !sent.Read("task.id").IsString(), "the reply to %s names no task", p.Step)
	observe.StopVacuousIf(t, !look.IsString() || look.Text() == "", "no context was shown")
	t.Expect(sent.Read("task.context")).ComparedWith(look).To(match.Should("the context that a look-up shows, "+look.Shown(), look.Equal, nil))
}

type keptOrRefusedParams struct {
	observe.OnStep
	Look string `json:"look" step:"{},optional"` // at the task that was made
}

// checkContextKeptOrRefused accepts a reply that names no context.
func checkContextKeptOrRefused(t *judge.T, p keptOrRefusedParams) {
	s := t.Step(p.Step)
	observe.StopIfFailedInside(t, s)
	if match.IsError(s.Reply()) {
		t.OK(s.Reply())
		return
	}
	of := []judge.Step{s}
	if look, made := t.Find(p.Look); made && look.Accepted() {
		of = append(of, look)
	}
	judge.Each(t, of, func(o judge.Step) {
		context := o.Result().Read("task.context")
		if !context.Exists() {
			t.OK(o.Reply())
			return
		}
		t.Expect(context).To(match.BeTheText("the context that the client made up, ", s.Context))
	})
}
