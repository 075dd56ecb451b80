package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/schema"
)

// probing is a conversation that finds out what an agent shows.
type probing struct {
	*Conversation
	sights *Sights
	place  int  // of the play among the others
	alone  bool // nothing else is asked of the agent meanwhile
}

// probed says how the agent is asked for a behaviour: by one message, or as few
// as the behaviour takes. What comes back is what the agent did, for where that
// was something else.
var probed = map[string]func(p *probing) (instead string){
	"quick":    func(p *probing) string { return p.own("quick", telling{}).came() },
	"fail":     func(p *probing) string { return p.own("fail", telling{stream: true}).came() },
	"needauth": func(p *probing) string { return p.own("needauth", telling{mute: true}).came() },
	"message":  func(p *probing) string { return p.own("message", telling{}).came() },
	"crash":    func(p *probing) string { return p.own("crash", telling{stream: true}).came() },
	"ask":      (*probing).asks,
	"chunks":   (*probing).streamsPieces,
	"data":     (*probing).answersData,
	"slow":     (*probing).dawdles,
	"remember": (*probing).remembers,
}

// Trying says which texts are tried beside the one for each behaviour.
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
func Probes(d *schema.Dialect, sights *Sights, with Trying) []Scenario {
	var out []Scenario
	add := func(name, doc string, class Class, play func(p *probing) (instead string)) {
		place := len(out)
		out = append(out, Scenario{Name: name, Doc: doc, Class: class, Ops: []string{"send", "get"}, Sends: 2,
			Play: func(c *Conversation) {
				c.Play.Stop = play(&probing{c, sights, place, class != Shared})
			}})
	}
	for _, name := range slices.SortedFunc(maps.Keys(d.Stimuli), quickFirst) {
		if try := probed[name]; try != nil && name != "slow" {
			add(name, "whether the agent shows "+name, Shared, func(p *probing) string {
				p.sights.claims(p.Conversation)
				return try(p)
			})
		}
	}
	if _, ok := d.Stimuli["slow"]; ok { // in company any agent may be slow
		add("slow", "whether the agent shows slow", Exclusive, probed["slow"])
		add("slow-again", "what took long, by itself", Exclusive, (*probing).lingersAlone)
	}
	if _, ok := d.Stimuli[TaskStimulus]; ok {
		add(TaskStimulus, "whether another message makes a task", Exclusive, (*probing).makesTask)
	}
	for i := range min(len(with.Texts), MostTexts) {
		add(fmt.Sprintf("text-%d", i+1), "another text from --try", Exclusive, func(p *probing) string { return p.tries(with.Texts[i]) })
	}
	for i := range with.Examples {
		add(fmt.Sprintf("example-%d", i+1), "an example on the card", Exclusive, func(p *probing) string {
			if on := p.examples(with.Texts); i < len(on) {
				return p.tries(on[i])
			}
			return "the card has no further example"
		})
	}
	return out
}

func quickFirst(a, b string) int {
	if (a == "quick") != (b == "quick") {
		if a == "quick" {
			return -1
		}
		return 1
	}
	return strings.Compare(a, b)
}

// claims keeps what the card says of the server.
func (s *Sights) claims(c *Conversation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Streams = c.Dialect.Has("stream") && c.Claimed("streaming")
	s.Pushes = c.Dialect.Has("push-set") && c.Claimed("push")
}

// own sends the message that is meant for a behaviour.
func (p *probing) own(stimulus string, how telling) *turn {
	how.step = "send"
	if how.stream && p.streaming() {
		how.step = "subscribe"
	}
	return p.tell(p.Stimuli[stimulus], how)
}

func (p *probing) asks() string {
	t := p.own("ask", telling{})
	if p.waiting(t.state) && !login(t.state) && !t.goesOn {
		return "it asked, but did not go on after the answer"
	}
	return t.came()
}

func (p *probing) streamsPieces() string {
	t := p.own("chunks", telling{stream: true})
	switch {
	case t.state == "":
		return t.came()
	case !p.streaming():
		return t.came() + "; it had no artifact"
	case t.pieces == 1:
		return t.came() + "; its output was streamed in one piece"
	}
	return t.came() + "; no output was streamed"
}

func (p *probing) answersData() string {
	t := p.own("data", telling{})
	if t.state == "" && !t.talked {
		return t.came()
	}
	return t.came() + "; no part of the answer was structured data"
}

func (p *probing) dawdles() string {
	t := p.own("slow", telling{soon: true, patient: true})
	if t.state == "" {
		return t.came()
	}
	return fmt.Sprintf("%s after %.1f s", t.came(), t.until.Seconds())
}

// lingersAlone sends what took long in the company of others once more.
func (p *probing) lingersAlone() string {
	said, ok := p.sights.lingering()
	if !ok || p.sights.firm("slow") {
		return "no message took long"
	}
	said.Seconds = 0
	return p.tell(said, telling{step: "send", soon: true, patient: true}).came()
}

// makesTask tries the message that is to make a task, where none has made one.
func (p *probing) makesTask() string {
	if p.sights.madeTask(false) || !p.Dialect.Sorted() {
		return "there was a task already"
	}
	if _, ok := p.Stimuli[TaskStimulus]; !ok {
		return "you chose the harmless message yourself"
	}
	return p.own(TaskStimulus, telling{}).came()
}

// remembers tells the agent a word and asks for it in the same session.
func (p *probing) remembers() string {
	if _, ok := p.Stimuli["recall"]; !ok {
		return "there is no message that asks it to recall"
	}
	word := p.token()
	wait := true
	told := &turn{said: p.Stimuli["remember"], out: dialect.Outgoing{Text: p.Stimuli["remember"].Text + " " + word, Task: p.NewTask(), Context: p.NewContext(), Blocking: &wait}}
	told = p.tellAs(told, telling{step: "tell", mute: true})
	again := &turn{said: p.Stimuli["recall"], out: dialect.Outgoing{Text: p.Stimuli["recall"].Text, Task: p.NewTask(), Context: told.out.Context, Blocking: &wait}}
	if told.reply.Ctx != "" && told.out.Task == "" {
		again.out.Context = told.reply.Ctx
	}
	again = p.tellAs(again, telling{step: "recall", mute: true})
	// The question does not hold the word, and so the answer does.
	says := func(r *Reply) bool { return r.OK() && strings.Contains(string(r.Response.Body), word) }
	r := again.reply
	if task := named(again.out, r); task != "" && !says(r) {
		r = p.get("look", task)
	}
	if says(r) && !strings.Contains(again.out.Text, word) {
		for _, name := range []string{"remember", "recall"} {
			p.sights.add(p.sight(name, p.Stimuli[name]))
		}
		return ""
	}
	return again.came() + "; its answer did not contain the word that it had been told"
}

// tries tells the agent a text that is not meant for anything, as long as it may
// show something that was not seen.
func (p *probing) tries(text string) string {
	open := func(name string) bool {
		_, asked := p.Stimuli[name]
		return asked && probed[name] != nil && name != "remember" && (name != "crash" || p.streaming()) && !p.sights.firm(name)
	}
	if !slices.ContainsFunc(slices.Collect(maps.Keys(p.Dialect.Stimuli)), open) {
		return "every behaviour was seen"
	}
	if slices.ContainsFunc(slices.Collect(maps.Values(p.Stimuli)), func(s operator.Stimulus) bool { return s.Text == text }) {
		return "it was sent already"
	}
	return p.tell(operator.Stimulus{Text: text}, telling{step: "send", stream: true, soon: true, patient: true}).came()
}

// examples are the texts that the card gives for the agent's skills, so far as
// they can be sent as they are: they are anybody's.
func (p *probing) examples(but []string) []string {
	return slices.DeleteFunc(p.Card.Examples(), func(text string) bool { return !sendable(text) || slices.Contains(but, text) })
}

// mostRunes is the longest example that is sent.
const mostRunes = 500

func sendable(text string) bool {
	return strings.TrimSpace(text) != "" && utf8.ValidString(text) && utf8.RuneCountInString(text) <= mostRunes &&
		strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' || hidden(r) }) < 0
}

// hidden reports whether a character cannot be seen where the text is printed; the
// one that joins emoji is harmless.
func hidden(r rune) bool { return unicode.Is(unicode.Cf, r) && r != '\u200d' }
