// Package probe finds out which behaviours an agent shows, and by which messages.
package probe

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/schema"
)

// probePlay is a conversation that finds out what an agent shows.
type probePlay struct {
	*conversation.Conversation
	sights *Sights
	place  int  // of the play among the others
	alone  bool // nothing else is asked of the agent meanwhile
}

// sendStimulusAndFollow sends the message that is meant for a behaviour.
func (p *probePlay) sendStimulusAndFollow(stimulus string, how delivery) *exchange {
	how.step = "send"
	if how.stream && p.CanStream() {
		how.step = "subscribe"
	}
	return p.sendAndFollow(p.Stimuli[stimulus], how)
}

func (p *probePlay) tryAskAndDescribe() string {
	t := p.sendStimulusAndFollow("ask", delivery{})
	if p.AwaitsClient(t.state) && !isAuthRequiredState(t.state) && !t.goesOn {
		return "it asked, but did not go on after the answer"
	}
	return t.describeOutcome()
}

func (p *probePlay) tryChunksOrExplain() string {
	t := p.sendStimulusAndFollow("chunks", delivery{stream: true})
	switch {
	case t.state == "":
		return t.describeOutcome()
	case !p.CanStream():
		return t.describeOutcome() + "; it had no artifact"
	case t.pieces == 1:
		return t.describeOutcome() + "; its output was streamed in one piece"
	}
	return t.describeOutcome() + "; no output was streamed"
}

func (p *probePlay) sendDataAndDescribeOutcome() string {
	t := p.sendStimulusAndFollow("data", delivery{})
	if t.state == "" && !t.talked {
		return t.describeOutcome()
	}
	return t.describeOutcome() + "; no part of the answer was structured data"
}

func (p *probePlay) trySlowAndDescribe() string {
	t := p.sendStimulusAndFollow("slow", delivery{soon: true, patient: true})
	if t.state == "" {
		return t.describeOutcome()
	}
	return fmt.Sprintf("%s after %.1f s", t.describeOutcome(), t.until.Seconds())
}

// trySlowAgain sends what took long in the company of others once more.
func (p *probePlay) trySlowAgain() string {
	said, ok := p.sights.slowMessage()
	if !ok || p.sights.isCertain("slow") {
		return "no message took long"
	}
	said.Seconds = 0
	return p.sendAndFollow(said, delivery{step: "send", soon: true, patient: true}).describeOutcome()
}

// tryTaskIfNoneMade tries the message that is to make a task, if none has made one.
func (p *probePlay) tryTaskIfNoneMade() string {
	if p.sights.noteTaskAndReportAny(false) || !p.Dialect.Sorted() {
		return "there was a task already"
	}
	if _, ok := p.Stimuli[conversation.TaskStimulus]; !ok {
		return "you chose the harmless message yourself"
	}
	return p.sendStimulusAndFollow(conversation.TaskStimulus, delivery{}).describeOutcome()
}

// tryRememberOrExplain sends the agent a word and asks for it in the same session.
func (p *probePlay) tryRememberOrExplain() string {
	if _, ok := p.Stimuli["recall"]; !ok {
		return "there is no message that asks it to recall"
	}
	word := conversation.NewToken(p.Conversation)
	wait := true
	told := &exchange{said: p.Stimuli["remember"], out: dialect.Outgoing{Text: p.Stimuli["remember"].Text + " " + word, Task: p.NewTask(), Context: p.NewContext(), Blocking: &wait}}
	told = p.sendExchangeAndFollow(told, delivery{step: "tell", mute: true})
	again := &exchange{said: p.Stimuli["recall"], out: dialect.Outgoing{Text: p.Stimuli["recall"].Text, Task: p.NewTask(), Context: told.out.Context, Blocking: &wait}}
	if told.reply.Ctx != "" && told.out.Task == "" {
		again.out.Context = told.reply.Ctx
	}
	again = p.sendExchangeAndFollow(again, delivery{step: "recall", mute: true})
	// The question does not hold the word, and so the answer does.
	says := func(r *conversation.Reply) bool { return r.OK() && strings.Contains(string(r.Response.Body), word) }
	r := again.reply
	if task := conversation.TaskID(again.out, r); task != "" && !says(r) {
		r = p.lookUpTask("look", task)
	}
	if says(r) && !strings.Contains(again.out.Text, word) {
		for _, name := range []string{"remember", "recall"} {
			p.sights.appendSight(p.newSightInPlay(name, p.Stimuli[name]))
		}
		return ""
	}
	return again.describeOutcome() + "; its answer did not contain the word that it had been told"
}

// tryUsefulTextAndDescribe sends the agent a text that is not meant for anything, as long as it may
// show something that was not seen.
func (p *probePlay) tryUsefulTextAndDescribe(text string) string {
	open := func(name string) bool {
		_, asked := p.Stimuli[name]
		return asked && behaviours[name] != nil && name != "remember" && (name != "crash" || p.CanStream()) && !p.sights.isCertain(name)
	}
	if !slices.ContainsFunc(slices.Collect(maps.Keys(p.Dialect.Stimuli)), open) {
		return "every behaviour was seen"
	}
	if slices.ContainsFunc(slices.Collect(maps.Values(p.Stimuli)), func(s operator.Stimulus) bool { return s.Text == text }) {
		return "it was sent already"
	}
	return p.sendAndFollow(operator.Stimulus{Text: text}, delivery{step: "send", stream: true, soon: true, patient: true}).describeOutcome()
}

// sendableCardExamples are the texts that the card gives for the agent's skills, so far as
// they can be sent as they are: they are anybody's.
func (p *probePlay) sendableCardExamples(but []string) []string {
	return slices.DeleteFunc(p.Card.Examples(), func(text string) bool { return !isSendable(text) || slices.Contains(but, text) })
}

// behaviours describes how the agent is asked for a behaviour: by one message, or as few
// as the behaviour takes. What comes back is what the agent did, for where that
// was something else.
var behaviours = map[string]func(p *probePlay) (instead string){
	"quick": func(p *probePlay) string { return p.sendStimulusAndFollow("quick", delivery{}).describeOutcome() },
	"fail": func(p *probePlay) string {
		return p.sendStimulusAndFollow("fail", delivery{stream: true}).describeOutcome()
	},
	"needauth": func(p *probePlay) string {
		return p.sendStimulusAndFollow("needauth", delivery{mute: true}).describeOutcome()
	},
	"message": func(p *probePlay) string { return p.sendStimulusAndFollow("message", delivery{}).describeOutcome() },
	"crash": func(p *probePlay) string {
		return p.sendStimulusAndFollow("crash", delivery{stream: true}).describeOutcome()
	},
	"ask":      (*probePlay).tryAskAndDescribe,
	"chunks":   (*probePlay).tryChunksOrExplain,
	"data":     (*probePlay).sendDataAndDescribeOutcome,
	"slow":     (*probePlay).trySlowAndDescribe,
	"remember": (*probePlay).tryRememberOrExplain,
}

// Trying has the texts that are tried alongside the one for each behaviour.
type Trying struct {
	Texts    []string // of the operator's
	Examples int      // of those on the agent's card at most
}

// DefaultExamples is how many examples of a card are tried unless the operator gives another number.
const DefaultExamples = 8

// MostTexts bounds how many texts of the operator's are tried.
const MostTexts = 20

// Probes are one conversation for each behaviour of the dialect that an agent can
// be asked for, named after it, and then one for each further text as long as
// something was not seen. An agent that recalls is one that remembers.
func Probes(d *schema.Dialect, sights *Sights, with Trying) []conversation.Scenario {
	var out []conversation.Scenario
	add := func(name, doc string, class conversation.Class, play func(p *probePlay) (instead string)) {
		place := len(out)
		out = append(out, conversation.Scenario{Name: name, Doc: doc, Class: class, Ops: []string{"send", "get"}, Sends: 2,
			Play: func(c *conversation.Conversation) {
				c.Play.Stop = play(&probePlay{c, sights, place, class != conversation.Shared})
			}})
	}
	for _, name := range slices.SortedFunc(maps.Keys(d.Stimuli), compareNamesWithQuickFirst) {
		if try := behaviours[name]; try != nil && name != "slow" {
			add(name, "whether the agent shows "+name, conversation.Shared, func(p *probePlay) string {
				p.sights.noteStreamAndPushClaims(p.Conversation)
				return try(p)
			})
		}
	}
	if _, ok := d.Stimuli["slow"]; ok { // in company any agent may be slow
		add("slow", "whether the agent shows slow", conversation.Exclusive, behaviours["slow"])
		add("slow-again", "what took long, by itself", conversation.Exclusive, (*probePlay).trySlowAgain)
	}
	if _, ok := d.Stimuli[conversation.TaskStimulus]; ok {
		add(conversation.TaskStimulus, "whether another message makes a task", conversation.Exclusive, (*probePlay).tryTaskIfNoneMade)
	}
	for i := range min(len(with.Texts), MostTexts) {
		add(fmt.Sprintf("text-%d", i+1), "another text from --try", conversation.Exclusive, func(p *probePlay) string { return p.tryUsefulTextAndDescribe(with.Texts[i]) })
	}
	for i := range with.Examples {
		add(fmt.Sprintf("example-%d", i+1), "an example on the card", conversation.Exclusive, func(p *probePlay) string {
			if on := p.sendableCardExamples(with.Texts); i < len(on) {
				return p.tryUsefulTextAndDescribe(on[i])
			}
			return "the card has no further example"
		})
	}
	return out
}

func compareNamesWithQuickFirst(a, b string) int {
	if (a == "quick") != (b == "quick") {
		if a == "quick" {
			return -1
		}
		return 1
	}
	return strings.Compare(a, b)
}

// mostRunes is the longest example that is sent.
const mostRunes = 500

func isSendable(text string) bool {
	return strings.TrimSpace(text) != "" && utf8.ValidString(text) && utf8.RuneCountInString(text) <= mostRunes &&
		strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' || isInvisible(r) }) < 0
}

// isInvisible reports whether a character cannot be seen where the text is printed; the
// one that joins emoji is harmless.
func isInvisible(r rune) bool { return unicode.Is(unicode.Cf, r) && r != '\u200d' }
