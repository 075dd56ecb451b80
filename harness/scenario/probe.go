package scenario

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Shown is the milestone of a probe whose agent showed the behaviour. What it
// did instead is the reason why the play stopped.
const Shown = "shown"

// probed says how to find out whether an agent shows a behaviour: with one
// message, or as few as the behaviour takes. What comes back is what the agent
// did instead, empty where it showed it.
var probed = map[string]func(c *Conversation) (instead string){
	"quick":    func(c *Conversation) string { return c.ends("quick", "done") },
	"fail":     (*Conversation).fails,
	"slow":     (*Conversation).dawdles,
	"ask":      (*Conversation).asks,
	"needauth": (*Conversation).wantsLogin,
	"chunks":   (*Conversation).streamsPieces,
	"data":     (*Conversation).answersData,
	"message":  (*Conversation).answersAlone,
	"crash":    (*Conversation).breaksOff,
	"remember": (*Conversation).remembers,
}

// Probes are one conversation for each behaviour of the dialect that an agent
// can be asked for, named after it. An agent that recalls is one that remembers.
func Probes(d *schema.Dialect) []Scenario {
	var out []Scenario
	for _, name := range slices.Sorted(maps.Keys(d.Stimuli)) {
		if try := probed[name]; try != nil {
			out = append(out, Scenario{Name: name, Doc: "whether the agent shows " + name, Ops: []string{"send", "get"}, Sends: 2,
				Play: func(c *Conversation) {
					if instead := try(c); instead != "" {
						c.Play.Stop = instead
						return
					}
					c.Reached(Shown, name)
				}})
		}
	}
	return out
}

// turn sends a stimulus and follows its task to its end.
func (c *Conversation) turn(stimulus string) (o dialect.Outgoing, r *Reply, state string) {
	o = c.say(stimulus)
	r = c.Call(Step{Name: "send", Op: "send"}, o)
	return o, r, c.soon("poll", named(o, r), r.State)
}

// unanswered says how a message was not answered.
func unanswered(r *Reply) string {
	x := r.Exchange
	switch {
	case !x.Answered() && x.Ended == wire.Timeout:
		return "no answer came in time"
	case !x.Answered():
		return "the connection was closed without an answer"
	case x.Status() == http.StatusUnauthorized || x.Status() == http.StatusForbidden:
		return fmt.Sprintf("the message was refused for want of credentials (HTTP %d); give --bearer-env, --basic-env or --api-key-env", x.Status())
	}
	if e := r.Root.Member("error"); e != nil {
		text := "the message was refused with code " + numberOf(e.Member("code"))
		if m := e.Member("message"); m != nil && m.String != "" {
			text += ", " + strconv.Quote(brief(m.String))
		}
		return text
	}
	return fmt.Sprintf("HTTP %d came with no JSON-RPC result and no error", x.Status())
}

// brief is the beginning of a text of the server's.
func brief(s string) string {
	const most = 120
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

func numberOf(n *wire.Node) string {
	if n == nil || n.Kind != wire.Number {
		return "none"
	}
	return brief(n.Number)
}

// came says what a message came to.
func came(r *Reply, state string) string {
	switch {
	case !r.OK() && !r.IsStream():
		return unanswered(r)
	case state == "" && r.IsStream():
		return "its stream named no state"
	case state == "":
		return "it answered with a message and made no task"
	}
	return fmt.Sprintf("its task came to the state %s", state)
}

func (c *Conversation) ends(stimulus, outcome string) string {
	_, r, state := c.turn(stimulus)
	if s := c.Dialect.State(state); s != nil && s.Outcome == outcome || outcome == "done" && r.OK() && state == "" {
		return ""
	}
	return came(r, state)
}

// fails: an agent whose failure is an error in a reply may show it in a stream.
func (c *Conversation) fails() string {
	if c.Dialect.Method("stream") == "" || !c.Claimed("streaming") {
		return c.ends("fail", "failed")
	}
	o := c.say("fail")
	r := c.Call(Step{Name: "subscribe", Op: "stream", Quiet: c.patience()}, o)
	state := c.soon("poll", named(o, r), r.State)
	if s := c.Dialect.State(state); s != nil && s.Outcome == "failed" {
		return ""
	}
	return came(r, state)
}

// dawdles: after a quarter of the time the agent is still at work.
func (c *Conversation) dawdles() string {
	o, lasts := c.say("slow"), c.lasts("slow")
	sent := c.Start(Step{Name: "send", Op: "send"}, o)
	if !sent.Ended(lasts / 4) {
		r := sent.Wait()
		if s := c.Dialect.State(c.soon("poll", named(o, r), r.State)); s != nil && s.Outcome == "done" {
			return ""
		}
		return came(r, r.State)
	}
	r := sent.Wait()
	task := named(o, r)
	if task == "" || c.settled(r.State) {
		return came(r, r.State) + " at once"
	}
	c.Pause(lasts / 4)
	halfway := c.Call(Step{Name: "halfway", Op: "get"}, dialect.Outgoing{Task: task})
	if !halfway.OK() || c.settled(halfway.State) {
		return came(halfway, halfway.State) + " too soon"
	}
	state := c.follow("poll", task, halfway.State, lasts/8, c.patience())
	if s := c.Dialect.State(state); s != nil && s.Outcome == "done" {
		return ""
	}
	return came(r, state)
}

// login reports whether a state waits for credentials.
func login(state string) bool { return strings.HasPrefix(state, "auth") }

func (c *Conversation) asks() string {
	o, r, state := c.turn("ask")
	if !c.waiting(state) || login(state) {
		return came(r, state)
	}
	answered := c.Call(Step{Name: "answer", Op: "send"}, c.answer(o, r))
	if after := c.soon("after", named(o, r), answered.State); c.waiting(after) || !answered.OK() {
		return "it asked, and went on asking after the answer"
	}
	return ""
}

func (c *Conversation) wantsLogin() string {
	_, r, state := c.turn("needauth")
	has := slices.ContainsFunc(c.Dialect.States, func(s schema.State) bool { return login(s.Name) })
	if c.waiting(state) && login(state) == has {
		return ""
	}
	return came(r, state)
}

// streamsPieces: where the server does not stream, one artifact in the task is
// all that can be asked for.
func (c *Conversation) streamsPieces() string {
	if c.Dialect.Method("stream") == "" || !c.Claimed("streaming") {
		_, r, state := c.turn("chunks")
		if len(found(r, "artifacts")) > 0 {
			return ""
		}
		return came(r, state) + " without an artifact"
	}
	pieces := 0
	r := c.Call(Step{Name: "subscribe", Op: "stream", Quiet: c.patience(), Until: func(_ *Reply, data *wire.Node) bool {
		if data != nil && len(data.Find(cmp.Or(c.Dialect.Delivered.Status, "status"))) == 0 && len(data.Find("error")) == 0 {
			pieces++ // what says nothing of the task's state brings a piece of its output
		}
		return false
	}}, c.say("chunks"))
	if pieces > 1 {
		return ""
	}
	return fmt.Sprintf("%s, and no output was streamed in several pieces", came(r, r.State))
}

// found are the members of that name in a result, wherever they are.
func found(r *Reply, name string) []wire.Found {
	if r.Result == nil {
		return nil
	}
	return slices.DeleteFunc(r.Result.Find(name), func(f wire.Found) bool {
		return f.Node.Kind != wire.Object && len(f.Node.Elems) == 0
	})
}

func (c *Conversation) answersData() string {
	o, r, state := c.turn("data")
	if len(found(r, "data")) > 0 {
		return ""
	}
	if task := named(o, r); task != "" && len(found(c.Call(Step{Name: "look", Op: "get"}, dialect.Outgoing{Task: task}), "data")) > 0 {
		return ""
	}
	return came(r, state) + " without structured data"
}

func (c *Conversation) answersAlone() string {
	r := c.Call(Step{Name: "send", Op: "send"}, c.say("message"))
	if r.OK() && r.State == "" {
		return ""
	}
	return came(r, r.State)
}

func (c *Conversation) breaksOff() string {
	if c.Dialect.Method("stream") == "" || !c.Claimed("streaming") {
		return "it does not stream"
	}
	r := c.Call(Step{Name: "subscribe", Op: "stream", Quiet: c.patience()}, c.say("crash"))
	if r.IsStream() && !r.Final && !c.settled(r.State) {
		return ""
	}
	return came(r, r.State)
}

// remembers tells the agent a word and asks for it in the same session.
func (c *Conversation) remembers() string {
	word := token()
	o := c.say("remember")
	o.Text += " " + word
	told := c.Call(Step{Name: "tell", Op: "send"}, o)
	c.soon("told", named(o, told), told.State)
	again := c.say("recall")
	again.Context = o.Context
	if told.Ctx != "" && o.Task == "" {
		again.Context = told.Ctx
	}
	r := c.Call(Step{Name: "recall", Op: "send"}, again)
	if task := named(again, r); task != "" && !c.settled(r.State) {
		c.soon("recalled", task, r.State)
		r = c.Call(Step{Name: "look", Op: "get"}, dialect.Outgoing{Task: task})
	}
	// The question does not hold the word, and so the answer does.
	if r.OK() && strings.Contains(string(r.Response.Body), word) && !strings.Contains(again.Text, word) {
		return ""
	}
	return "it did not say the word it was told"
}
