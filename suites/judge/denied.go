package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// DescribeDeclaredNever returns why a requirement does not concern an agent that never shows a behaviour.
func DescribeDeclaredNever(behaviour string) string {
	return fmt.Sprintf("your configuration says that the agent never does this: declares: {never: [%s]}", behaviour)
}

// SuggestStimulusOrDenial returns the two lines of which one decides what needs a behaviour.
func SuggestStimulusOrDenial(behaviour string) string {
	return fmt.Sprintf("stimuli: {%s: {text: …}}  or  declares: {never: [%s]}", behaviour, behaviour)
}

// betterText returns the line that decides what a configured text did not decide.
func betterText(behaviour string) string {
	more := map[string]string{"slow": ", seconds: …", "pay": ", payment: {…}"}[behaviour]
	return fmt.Sprintf("stimuli: {%s: {text: …%s}}", behaviour, more)
}

// SuggestRemovingNever returns what decides a requirement about a behaviour that was denied and seen.
func SuggestRemovingNever(behaviour string) string {
	return fmt.Sprintf("remove %s from declares.never", behaviour)
}

func DescribeDeniedButSeen(behaviour, seen string) string {
	return fmt.Sprintf("your configuration says that the agent never does this, but it did: %s", seen)
}

// newStopForBehaviour returns the stop of a check that needs a behaviour which the agent was not made to
// show.
func (c *Case) newStopForBehaviour(behaviour, reason string) Stop {
	facts := &c.Transcript.Facts
	if !slices.Contains(facts.Never, behaviour) {
		remedy := SuggestStimulusOrDenial(behaviour)
		if _, given := facts.Stimuli[behaviour]; given {
			remedy = betterText(behaviour)
		}
		return Stop{Reason: reason, Remedy: remedy, Recorded: true}
	}
	if seen := c.FindBehaviour(behaviour); seen != "" {
		return Stop{Reason: DescribeDeniedButSeen(behaviour, seen), Remedy: SuggestRemovingNever(behaviour), Recorded: true}
	}
	return Stop{Reason: DescribeDeclaredNever(behaviour), Never: true}
}

// longWork is how long a task has to be unfinished before the agent is taken for one that
// takes its time: no busy machine or network looks like that.
const longWork = time.Second

// unusual are the conversations whose messages may bring about what an agent otherwise
// never does, such as one that breaks off its stream or is too large to be worked on.
var unusual = []string{"stream-fault", "payment", "need-auth", "large", "heavy", "sizes", "long", "push-trouble"}

// FindBehaviour returns the place at which the agent showed a behaviour though it was not asked for
// it, in words; "" if it did not. A behaviour that replies do not show, such as one that
// remembers, is never seen. What malformed and unusual calls brought about does not count.
func (c *Case) FindBehaviour(behaviour string) string {
	seen, _ := remember(&c.mu, c.sights, behaviour, func() (seen string, _ error) {
		for i := range c.Transcript.Plays {
			if p := &c.Transcript.Plays[i]; seen == "" && !slices.Contains(unusual, p.Scenario) {
				seen = (&behaviourSearch{c: c, behaviour: behaviour}).sightIn(p)
			}
		}
		return seen, nil
	})
	return seen
}

// behaviourSearch looks for a behaviour in what the agent answered.
type behaviourSearch struct {
	c         *Case
	behaviour string
	began     map[string]record.Instant // when each task of a play was begun, by its id
}

// sightIn is FindBehaviour for one play.
func (b *behaviourSearch) sightIn(p *record.Play) string {
	b.began = map[string]record.Instant{}
	for i := range p.Steps {
		s := &p.Steps[i]
		x := s.Exchange
		if x == nil || x.Dir != record.Out || s.Role == record.Probe || s.Invalid || s.Contradicts || b.c.outageReason(x) != "" || b.c.isOtherBinding(p, s) {
			continue
		}
		if _, known := b.began[s.Task]; !known && s.Task != "" && b.c.Dialect.Operation(s.Op).Agent {
			b.began[s.Task] = x.Start
		}
		if b.c.Dialect.Operation(s.Op).Agent || b.c.Dialect.Operation(s.Op).About == schema.AboutTask {
			if what := b.shownBy(s, p); what != "" {
				return fmt.Sprintf("%s/%s %s", p.Scenario, s.Name, what)
			}
		}
	}
	return ""
}

// shownBy describes how the answer to a step shows a behaviour; "" if it does not.
func (b *behaviourSearch) shownBy(s *record.Step, p *record.Play) string {
	pieces, news := map[string]int{}, false
	for _, v := range b.c.readAnswers(s, p) {
		result := v.Result()
		state := result.Read("task.state")
		known := b.c.Dialect.State(state.Text())
		switch at, sent := b.began[s.Task]; b.behaviour {
		case "slow":
			if sent && known != nil && !known.Terminal && !known.Interrupted && s.Exchange.Start > at && time.Duration(s.Exchange.Start-at) >= longWork {
				return fmt.Sprintf("showed the state %s %.1f s after the message", state.Shown(), (s.Exchange.Start - at).Seconds())
			}
		case "message":
			if b.c.Dialect.Sorted() && !s.Exchange.IsStream() && b.c.Dialect.Operation(s.Op).Agent && result.Sort() == "message" {
				return "was answered with a message"
			}
		case "chunks":
			if a := result.Read("event.artifact"); s.Exchange.IsStream() && a.IsObject() {
				key := b.artifactKey(a)
				if pieces[key]++; pieces[key] > 1 {
					return "streamed an artifact in pieces"
				}
			}
		case "crash":
			if news && v.Failure().Exists() && !v.Failure().IsNull() {
				return "broke off its stream with an error"
			}
			news = news || known != nil
		default:
			if known != nil && b.stateShows(known) {
				return "showed the state " + state.Shown()
			}
		}
	}
	return ""
}

// artifactKey returns what distinguishes an artifact from the others of its task; "" if nothing does.
func (b *behaviourSearch) artifactKey(a Value) string {
	at, ok := b.c.Dialect.Pointer("artifact", "key")
	if !ok {
		return ""
	}
	key := a.At(at)
	return key.Text() + key.Number()
}

// stateShows reports whether a state is one to which only a behaviour leads. If no
// state is for credentials, one that waits for the client may ask for anything.
func (b *behaviourSearch) stateShows(state *schema.State) bool {
	login := func(s *schema.State) bool { return strings.Contains(strings.ToLower(s.Name), "auth") }
	switch b.behaviour {
	case "ask":
		return state.Interrupted && !login(state)
	case "needauth":
		return state.Interrupted && login(state)
	case "timeout":
		return state.Name == b.behaviour
	case "fail":
		return state.Outcome == "failed" && state.Name != "timeout"
	}
	return false
}

// TooQuick ends the check because the agent had done the work of a behaviour before there
// was anything to see: a message whose work takes longer would decide it.
func (t *T) TooQuick(behaviour, format string, args ...any) {
	t.StopUndecidedWithRemedy(betterText(behaviour), format, args...)
}

// Lacks ends the check because the agent was not made to show a behaviour. It is
// undecided, unless the operator states that the agent never shows it.
func (t *T) Lacks(behaviour, format string, args ...any) {
	panic(t.Case.newStopForBehaviour(behaviour, fmt.Sprintf(format, args...)))
}
