package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// neverDone is why a requirement does not concern an agent that never shows a behaviour.
func neverDone(behaviour string) string {
	return fmt.Sprintf("your configuration says that the agent never does this: declares: {never: [%s]}", behaviour)
}

// giveOrDeny are the two lines of which one decides what needs a behaviour.
func giveOrDeny(behaviour string) string {
	return fmt.Sprintf("stimuli: {%s: {text: …}}  or  declares: {never: [%s]}", behaviour, behaviour)
}

// betterText is the line that decides what a configured text did not decide.
func betterText(behaviour string) string {
	more := map[string]string{"slow": ", seconds: …", "pay": ", payment: {…}"}[behaviour]
	return fmt.Sprintf("stimuli: {%s: {text: …%s}}", behaviour, more)
}

// unsayNever is what decides a requirement about a behaviour that was denied and seen.
func unsayNever(behaviour string) string {
	return fmt.Sprintf("remove %s from declares.never", behaviour)
}

func deniedAndSeen(behaviour, seen string) string {
	return fmt.Sprintf("your configuration says that the agent never does this, but it did: %s", seen)
}

// lacking is the stop of a check that needs a behaviour which the agent was not made to
// show.
func (c *Case) lacking(behaviour, reason string) stopInconclusive {
	facts := &c.Transcript.Facts
	if !slices.Contains(facts.Never, behaviour) {
		remedy := giveOrDeny(behaviour)
		if _, given := facts.Stimuli[behaviour]; given {
			remedy = betterText(behaviour)
		}
		return stopInconclusive{reason: reason, remedy: remedy, recorded: true}
	}
	if seen := c.sightOf(behaviour); seen != "" {
		return stopInconclusive{reason: deniedAndSeen(behaviour, seen), remedy: unsayNever(behaviour), recorded: true}
	}
	return stopInconclusive{reason: neverDone(behaviour), never: true}
}

// longWork is how long a task has to be unfinished before the agent is taken for one that
// takes its time: no busy machine or network looks like that.
const longWork = time.Second

// unusual are the conversations whose messages may bring about what an agent otherwise
// never does, such as one that breaks off its stream or is too large to be worked on.
var unusual = []string{"stream-fault", "payment", "need-auth", "large", "heavy", "sizes", "long", "push-trouble"}

// sightOf is the place at which the agent showed a behaviour though it was not asked for
// it, in words; "" if it did not. A behaviour that replies do not show, such as one that
// remembers, is never seen. What malformed and unusual calls brought about does not count.
func (c *Case) sightOf(behaviour string) string {
	c.sighting.Lock()
	defer c.sighting.Unlock()
	if seen, known := c.sights[behaviour]; known {
		return seen
	}
	seen := ""
	for i := range c.Transcript.Plays {
		if p := &c.Transcript.Plays[i]; seen == "" && !slices.Contains(unusual, p.Scenario) {
			seen = c.sightIn(p, behaviour)
		}
	}
	if c.sights == nil {
		c.sights = map[string]string{}
	}
	c.sights[behaviour] = seen
	return seen
}

// sightIn is sightOf in one play.
func (c *Case) sightIn(p *record.Play, behaviour string) string {
	began := map[string]record.Instant{} // tasks, by their ids
	for i := range p.Steps {
		s := &p.Steps[i]
		x := s.Exchange
		if x == nil || x.Dir != record.Out || s.Role == record.Probe || s.Invalid || s.Contradicts || c.gone(x) != "" || c.foreign(p, s) {
			continue
		}
		if _, known := began[s.Task]; !known && s.Task != "" && c.Dialect.Operation(s.Op).Agent {
			began[s.Task] = x.Start
		}
		if c.Dialect.Operation(s.Op).Agent || c.Dialect.Operation(s.Op).About == schema.AboutTask {
			if what := c.shownBy(s, p, behaviour, began); what != "" {
				return fmt.Sprintf("%s/%s %s", p.Scenario, s.Name, what)
			}
		}
	}
	return ""
}

// shownBy says how the answer to a step shows a behaviour; "" if it does not.
func (c *Case) shownBy(s *record.Step, p *record.Play, behaviour string, began map[string]record.Instant) string {
	pieces, news := map[string]int{}, false
	for _, v := range c.texts(s, p) {
		result := v.Result()
		state := result.Read("task.state")
		known := c.Dialect.State(state.Text())
		switch at, sent := began[s.Task]; behaviour {
		case "slow":
			if sent && known != nil && !known.Terminal && !known.Interrupted && s.Exchange.Start > at && time.Duration(s.Exchange.Start-at) >= longWork {
				return fmt.Sprintf("showed the state %s %.1f s after the message", state.Shown(), (s.Exchange.Start - at).Seconds())
			}
		case "message":
			if c.Dialect.Sorted() && !s.Exchange.IsStream() && c.Dialect.Operation(s.Op).Agent && result.Sort() == "message" {
				return "was answered with a message"
			}
		case "chunks":
			if a := result.Read("event.artifact"); s.Exchange.IsStream() && a.IsObject() {
				key := c.artifactKey(a)
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
			if known != nil && c.stateShows(known, behaviour) {
				return "showed the state " + state.Shown()
			}
		}
	}
	return ""
}

// artifactKey is what tells an artifact from the others of its task; "" if nothing does.
func (c *Case) artifactKey(a Value) string {
	at, ok := c.Dialect.Pointer("artifact", "key")
	if !ok {
		return ""
	}
	key := a.At(at)
	return key.Text() + key.Number()
}

// stateShows reports whether a state is one to which only a behaviour leads. Where no
// state is for credentials, one that waits for the client may ask for anything.
func (c *Case) stateShows(state *schema.State, behaviour string) bool {
	login := func(s *schema.State) bool { return strings.Contains(strings.ToLower(s.Name), "auth") }
	switch behaviour {
	case "ask":
		return state.Interrupted && !login(state)
	case "needauth":
		return state.Interrupted && login(state)
	case "timeout":
		return state.Name == behaviour
	case "fail":
		return state.Outcome == "failed" && state.Name != "timeout"
	}
	return false
}
