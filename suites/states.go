package suites

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

var stateChecks = []judge.Check{
	judge.Define("task/stays", "a task in a terminal state stays in it", staysThere),
	judge.Define("task/no-step-back", "a task is not seen in a state that must not follow an earlier one", noStepBack),
	judge.Define("task/clock", "the timestamps of one task never move backwards", clock),
	judge.Define("task/ends", "a task that goes on alone comes to its end", ends),
	judge.Define("task/reaches", "a task comes to a state", reaches),
	judge.Define("task/status-message", "the status of a task in a state has a message", statusMessage),
	judge.Define("task/known", "the server knows the state of a task it has just acknowledged", knownState),
	judge.Define("task/unmoved", "a further message leaves a finished task as it is", unmoved),
	judge.Define("task/continues", "a message to a waiting task continues it", continues),
	judge.Define("task/honest-cancel", "a task that is reported canceled is canceled", honestCancel),
}

// sighting is the state of a task as one reply or stream event reports it.
type sighting struct {
	judge.Value // the task or update
	task        string
	turn        int // how many messages had been sent to the task
}

func (s sighting) state() judge.Value { return s.Read("task.state") }
func (s sighting) of(name string) bool {
	return s.state().Is(name)
}

// about reports whether two sightings are of one task, between the same two
// messages of the client. A new message is a new turn: what it may lead to is
// for other checks.
func (s sighting) about(o sighting) bool { return s.task == o.task && s.turn == o.turn }

// before reports whether a is proven to precede b: a's exchange had ended when
// b's was sent, or both are events of one stream in this order. Arrival order
// across parallel exchanges proves nothing.
func before(a, b judge.Value) bool {
	if a.Exchange() == b.Exchange() {
		return a.Said().Event < b.Said().Event
	}
	return a.Exchange().Before(b.Exchange())
}

// onPlays is for checks that look at all that plays show of their tasks.
type onPlays struct {
	Plays []string `json:"plays" step:"{}/"`
}

// instances are what the named plays showed of a definition; all plays if none is
// named.
func (p onPlays) instances(t *judge.T, definition string) []judge.Value {
	if len(p.Plays) == 0 {
		return t.Instances(definition)
	}
	return slices.DeleteFunc(t.Instances(definition), func(v judge.Value) bool { return !slices.Contains(p.Plays, v.Said().Play.Scenario) })
}

// sightings lists every state that the plays show of the tasks they are about:
// in the replies to calls and in the events of streams. The task is the one
// that the call was about, whatever the reply calls it.
func sightings(t *judge.T, plays []string) []sighting { return sighted(t, plays, reported) }

// sighted are sightings in what shown takes of each step.
func sighted(t *judge.T, plays []string, shown func(*judge.T, judge.Step) []judge.Value) []sighting {
	var out []sighting
	steps := moves(t, plays...)
	for _, s := range steps {
		if s.Task == "" || !s.Exchange.Answered() {
			continue
		}
		turn := 0
		for _, o := range steps {
			if t.Case.Dialect.Operation(o.Op).Agent && o.Task == s.Task && o.Exchange.Start <= s.Exchange.Start {
				turn++
			}
		}
		for _, v := range shown(t, s) {
			if v.Read("task.state").IsString() {
				out = append(out, sighting{v, s.Task, turn})
			}
		}
	}
	return out
}

// moves are the steps of plays without those that only show that the server
// still serves.
func moves(t *judge.T, plays ...string) []judge.Step {
	return slices.DeleteFunc(t.Played(plays...), func(s judge.Step) bool { return s.Role == wire.Alive })
}

// maxSighted bounds how many updates of one stream are compared with each other,
// beside its last: as many as are validated.
const maxSighted = 500

// reported lists what a step tells of its task: the result of a call, or the
// updates of a stream.
func reported(t *judge.T, s judge.Step) []judge.Value {
	if s.Exchange.IsStream() {
		of := updatesOf(t, s)
		if s.Op == "resubscribe" && len(of) > 1 {
			of = of[len(of)-1:] // what was missed may be told again, from the beginning
		}
		return bounded(of)
	}
	if _, has := t.Case.Dialect.Pointer(s.Op, "task.state"); !has || !s.Accepted() {
		return nil
	}
	return []judge.Value{s.Reply().Result()}
}

// bounded are the first of many updates, and the last.
func bounded(of []judge.Value) []judge.Value {
	if len(of) > maxSighted {
		of = append(slices.Clip(of[:maxSighted]), of[len(of)-1])
	}
	return of
}

// streamedStates are all updates of a stream, of one that was taken up again too.
// A task as a whole is no update: it says how things are when it is sent.
func streamedStates(t *judge.T, s judge.Step) []judge.Value {
	if !s.Exchange.IsStream() {
		return nil
	}
	return bounded(slices.DeleteFunc(updatesOf(t, s), func(v judge.Value) bool { return s.Op == "resubscribe" && v.Read("event.kind").Is("task") }))
}

// later are the sightings that follow at least one other that fits, each with
// the last such one.
func later(all []sighting, fits func(earlier, later sighting) bool) (out []pair) {
	of := map[string][]sighting{}
	for _, s := range all {
		of[s.task] = append(of[s.task], s)
	}
	for _, b := range all {
		var found *sighting
		for _, a := range of[b.task] {
			if before(a.Value, b.Value) && fits(a, b) && (found == nil || before(found.Value, a.Value)) {
				found = &a
			}
		}
		if found != nil {
			out = append(out, pair{*found, b})
		}
	}
	return out
}

type pair struct{ earlier, later sighting }

type staysParams struct {
	onPlays
	State string   `json:"state"` // for task/stays: every terminal one if empty
	Or    []string `json:"or"`    // further states that count
	What  string   `json:"what"`  // for task/status-message: what the status has beside the state; a message if empty
}

// staysThere: the state that says the task is unknown is no change of state:
// a server may forget what has ended.
func staysThere(t *judge.T, p staysParams) {
	seen := later(sightings(t, p.Plays), func(a, b sighting) bool {
		s := t.Case.Dialect.State(a.state().Text())
		return (a.of(p.State) || p.State == "" && s != nil && s.Terminal) && a.about(b)
	})
	if len(seen) == 0 {
		for _, l := range looksAfter(t, p.Plays) {
			if (p.State == "" || l.over.Is(p.State)) && vanished(t, l.Step) {
				t.Finding(l.Reply(), "the server forgets a task that had ended")
				t.OK(l.Reply())
			}
		}
	}
	judge.Each(t, seen, func(s pair) {
		was := s.earlier.state().Text()
		if unknownState(t, s.later.state()) {
			t.Finding(s.later.state(), "the server forgets a task that was %s", was)
			t.OK(s.later.state())
			return
		}
		t.Expect(s.later.state()).Against(s.earlier.state()).To(BeTheText("the state to stay ", was))
	})
}

type stepBackParams struct {
	onPlays
	Stream   bool `json:"stream"`   // compare within one stream only
	Observer bool `json:"observer"` // compare looks with looks, and events with events of one stream
}

// noStepBack: within one stream that was taken up again, what was missed may be
// told from the beginning, but in its order. The task as it is now may come first.
func noStepBack(t *judge.T, p stepBackParams) {
	not := func(s sighting) []string { return t.Case.Dialect.State(s.state().Text()).Not }
	shown := reported
	if p.Stream {
		shown = streamedStates
	}
	seen := later(sighted(t, p.Plays, shown), func(a, b sighting) bool {
		known := t.Case.Dialect.State(a.state().Text())
		return known != nil && len(known.Not) > 0 && a.about(b) && (!p.Stream || a.Exchange() == b.Exchange()) &&
			(!p.Observer || a.Said().Event == 0 && b.Said().Event == 0 || a.Exchange() == b.Exchange())
	})
	judge.Each(t, seen, func(s pair) {
		for _, n := range not(s.earlier) {
			t.Expect(s.later.state()).Against(s.earlier.state()).NotTo(insteadOf(BeText(n), "no step back from "+s.earlier.state().Shown()+" to "+s.later.state().Shown()))
		}
	})
}

type endsParams struct {
	onPlays
	Outcome string `json:"outcome"`                  // the only one that counts as its normal end
	Like    string `json:"like" step:"{}/,optional"` // or the state that the same message led to in this play
}

// ends: a server that holds its reply until the end shows the end at once. A task
// that is gone after it was seen to have ended has ended.
func ends(t *judge.T, p endsParams) {
	for _, play := range p.Plays {
		steps := moves(t, play)
		if len(steps) == 0 {
			t.Stopped("nothing was asked about the task in %s", play)
		}
		failedInside(t, steps[0])
		all := sightings(t, []string{play})
		if look, unseen := lastLook(t, play, all); unseen && !(len(all) > 0 && finished(t, all[len(all)-1].state()) && vanished(t, look)) {
			t.Expect(look.Reply()).To(BeAResult())
			t.Stopped("%s/%s shows no state of the task", play, look.Name)
		}
		if len(all) == 0 {
			t.Stopped("no state of the task was seen in %s", play)
		}
		last := all[len(all)-1].state()
		if !finished(t, last) && cutShort(t, play) {
			t.Stopped("%s was over before its task came to its end", play)
		}
		t.Expect(last).To(matcher{properEnd(p.Outcome), func(v judge.Value) bool {
			s := t.Case.Dialect.State(v.Text())
			return s != nil && (s.Terminal || s.Interrupted) && (p.Outcome == "" || s.Outcome == p.Outcome || ledTo(t, p.Like, v))
		}, func(v judge.Value) string {
			return fmt.Sprintf("has the task in state %s %.1f s after it was begun", v.Shown(), (v.Exchange().End - steps[0].Exchange.Start).Seconds())
		}})
	}
}

// properEnd is the end that a task should come to.
func properEnd(outcome string) string {
	if outcome == "done" {
		return "the work to go on to its end, and succeed"
	}
	return "the task to come to its end"
}

// cutShort reports whether a play was over before its time, with the run: it was
// stopped, or one of its calls was not waited for.
func cutShort(t *judge.T, play string) bool {
	p := t.Case.Transcript.Play(play)
	return t.Case.Transcript.Facts.Cut != "" && (p.Stop != "" ||
		slices.ContainsFunc(p.Steps, func(s wire.Step) bool { return s.Exchange != nil && s.Exchange.Ended == wire.Aborted }))
}

// ledTo reports whether a play saw its task end in the same state.
func ledTo(t *judge.T, play string, v judge.Value) bool {
	if play == "" {
		return false
	}
	if t.Case.Transcript.Play(play) == nil {
		return false
	}
	all := sightings(t, []string{play})
	return len(all) > 0 && all[len(all)-1].state().Is(v.Text())
}

func reaches(t *judge.T, p staysParams) {
	all := sightings(t, p.Plays)
	if len(all) == 0 {
		t.Stopped("no state of the task was seen")
	}
	for _, s := range all {
		if p.counts(s) {
			t.OK(s.state())
			return
		}
	}
	for _, name := range p.Plays {
		play := t.Case.Transcript.Play(name)
		for i := 0; play != nil && i < len(play.Steps); i++ {
			if s := &play.Steps[i]; s.Late != "" {
				t.Stopped("%s/%s may have come too late: %s", name, s.Name, s.Late)
			}
		}
	}
	for _, play := range p.Plays {
		lastLook(t, play, all)
	}
	t.Expect(all[len(all)-1].state()).To(BeTheState(append([]string{p.State}, p.Or...)...))
}

// counts reports whether a sighting is of the state, or of one that counts too.
func (p staysParams) counts(s sighting) bool { return slices.ContainsFunc(append(p.Or, p.State), s.of) }

// statusMessage reads replies only: what an update left out may have been said
// in the one before.
func statusMessage(t *judge.T, p staysParams) {
	var of []judge.Value
	for _, s := range sightings(t, p.Plays) {
		if p.counts(s) && s.Said().Event == 0 {
			of = append(of, s.Value)
		}
	}
	judge.Each(t, of, func(v judge.Value) {
		if what := p.What; what != "" {
			t.Expect(v.Read("task." + what)).To(BeThere("an " + what + " with the state " + p.State))
			return
		}
		t.Expect(v.Read("task.message")).To(BeThere("a status message with the state " + p.State))
	})
}

func knownState(t *judge.T, p onSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		t.Expect(s.Result().Read("task.state")).To(matcher{"a state that is known", func(v judge.Value) bool { return !unknownState(t, v) }, nil})
	})
}

type continuesParams struct {
	onPlays
	Step string `json:"step" step:"{}"`
}

// continues: asking again is going on, if the status is a new one.
func continues(t *judge.T, p continuesParams) {
	s := t.Step(p.Step)
	failedInside(t, s)
	t.Expect(s.Reply()).To(BeAResult())
	t.Expect(s.Result().Read("task.id")).To(BeTheText("the id of the task that the call is about, ", s.Task))
	all := sightings(t, p.Plays)
	if len(all) == 0 {
		t.Stopped("no state of the task was seen")
	}
	asked := all[0]
	for _, o := range all {
		if o.turn == 1 {
			asked = o
		}
	}
	for _, o := range all {
		if o.turn > asked.turn && !o.Read("task.status").Equal(asked.Read("task.status")) {
			t.OK(o.Read("task.status"))
			return
		}
	}
	for _, play := range p.Plays {
		if look, unseen := lastLook(t, play, all); unseen {
			t.Stopped("what became of the task was not seen: %s", look.Outcome())
		}
	}
	t.Fail(all[len(all)-1].state(), "left the task waiting with the status it had before the answer", "the task to go on")
}

type honestParams struct {
	Cancel string `json:"cancel" step:"{}"`
	Get    string `json:"get" step:"{}"`
	Now    string `json:"now" step:"{},optional"` // a look right after, which must find the task
}

// honestCancel: cancelling is best effort, so that any answer will do that is
// no contradiction.
func honestCancel(t *judge.T, p honestParams) {
	s := t.Step(p.Cancel)
	reply := s.Reply()
	t.Expect(reply).To(BeAReply())
	if isError(reply) {
		if n := reply.ErrorName(); n != "TaskNotCancelable" && n != "OperationNotSupported" {
			t.Finding(reply.ErrorCode(), "the server refuses to cancel a running task with the code %s", reply.ErrorCode().Shown())
		}
		return
	}
	state := reply.Result().Read("task.state")
	if isCanceled(t, state) {
		if p.Now != "" && vanished(t, t.Step(p.Now)) {
			now := t.Step(p.Now).Reply()
			t.Fail(now, outcome(now)+", having reported the task as canceled just before", "the task in the state "+state.Shown())
		}
		t.Expect(t.Step(p.Get).Result().Read("task.state")).Against(state).To(matcher{"the state " + state.Shown() + " that the cancellation reported", state.Equal, nil})
	}
}
