package message

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/scenario/malformed"
	"github.com/a2a-conform/a2a-conform/schema"
)

// A packed message carries what several plays try, each of which may be refused: every optional member, every kind of
// part, all extensions, a context that the client made up, letters of several scripts. If it is accepted, it is the message
// of each of those plays. If it is refused, that shows nothing of any of them, and each sends its own.
type packed struct {
	o       dialect.Outgoing
	step    conversation.Step
	callID  string // if it is not the usual one
	members []dialect.Optional
	probes  map[string][]schema.PatchOp // by PLAY/PROBE
	plays   []string                    // whose messages it replaces, or PLAY/PROBE
}

// sendPacked sends what a trial does with what the other plays try that are performed. It reports false if there are none or
// the message was not accepted.
func (t trial) sendPacked(c *conversation.Conversation) bool {
	p := packed{o: c.NewMessage(t.stimulus), step: conversation.Step{Name: "packed", Role: record.Probe, Op: "send"}}
	with := p.o
	with.Modes = p.addParts(c)
	own, _ := t.on(c, with)
	p.members = slices.Concat(own, p.members)
	if t.bare {
		p.o.Context, p.o.Bare = "", c.Writer.ServerContexts
	}
	p.addExtensions(c)
	p.addOwnContext(c)
	p.addForeignLetters(c)
	p.listProbes(c)
	if len(own) == 0 || len(p.plays)+len(p.probes) == 0 {
		return false
	}
	request := c.Request(p.step.Name, "send", p.o)
	if p.callID != "" {
		request.ID = p.callID
	}
	params, _ := request.Members()
	for _, m := range p.members {
		m.Add(params)
	}
	for name, patch := range p.probes {
		if malformed.PatchParams(&request, patch) == nil {
			p.plays = append(p.plays, name)
		}
	}
	p.step.Task = p.o.Task
	r := c.Post(p.step, request)
	if !r.OK() {
		return false
	}
	const step = "all" // that the trial tries
	c.Play.Step(p.step.Name).Name = step
	offerMembers(c, t.name, own, p.o, r)
	for _, play := range p.plays {
		c.OfferStepUnderName(conversation.PackedFor(play), step, p.o, r)
	}
	conversation.OfferToCrowd(c, step, p.o, r)
	if task := conversation.TaskID(p.o, r); task != "" && !c.IsMessageReply(r) { // the reply may be without history
		c.LookUpTask("get", task, longHistory)
	}
	return true
}

// longHistory is more than the history of a packed message's task.
const longHistory = 50

// addParts adds every kind of part that the card allows, and returns their types, in which the agent may answer too: it may
// return what it was given.
func (p *packed) addParts(c *conversation.Conversation) (types []string) {
	members, _ := listPartKinds(c, p.o)
	if len(members) == 0 || !c.IsPlayDue("part-kinds", "all") {
		return nil
	}
	p.members, p.plays = append(p.members, members...), append(p.plays, "part-kinds")
	if file := c.Card.FileMode(); file != "" && c.Writer.Files != nil {
		types = append(types, file)
	}
	if c.Card.Takes(c.Writer.DataMode) {
		types = append(types, c.Writer.DataMode)
	}
	return types
}

// addExtensions asks for all extensions of the card and for one that no one has.
func (p *packed) addExtensions(c *conversation.Conversation) {
	if header := c.Dialect.Card.ExtensionHeader; header != "" && c.IsPlayDue("extensions", "unknown") {
		uris, _ := c.Card.Requestable()
		p.o.Extensions = uris
		p.step.Header = http.Header{http.CanonicalHeaderKey(header): {strings.Join(mergeTexts(uris, noExtension), ", ")}}
		p.plays = append(p.plays, "extensions")
	}
}

// addOwnContext adds a context that the client made up, and asks for a reply without history.
func (p *packed) addOwnContext(c *conversation.Conversation) {
	if !c.IsPlayDue("own-context", "send") {
		return
	}
	none := 0
	p.o.Context, p.o.HistoryLength = c.NewID(), &none
	p.members = slices.DeleteFunc(slices.Clone(p.members), func(m dialect.Optional) bool { return m.Name == "historyLength" })
	p.step.Ctx, p.plays = p.o.Context, append(p.plays, "own-context")
}

// addForeignLetters puts letters of several scripts into the ids.
func (p *packed) addForeignLetters(c *conversation.Conversation) {
	if c.IsPlayDue("foreign-letters", "plain") {
		p.o.Context, p.callID = foreignContext(cmp.Or(p.o.Context, c.NewContext())), foreignCallID(c, p.step.Name)
		p.step.Ctx, p.plays = p.o.Context, append(p.plays, "foreign-letters")
	}
}

// listProbes lists the valid probes of messages whose patches are put into this one too.
func (p *packed) listProbes(c *conversation.Conversation) {
	p.probes = map[string][]schema.PatchOp{}
	for _, b := range c.Dialect.Blocks {
		for _, probe := range b.Probes {
			if probe.Packs && c.IsPlayDue(b.Name, probe.Name) {
				p.probes[b.Name+"/"+probe.Name] = probe.Patch
			}
		}
	}
}

// reusePacked records the packed message as a step of a play of which it has everything. It reports false if there is none.
func reusePacked(c *conversation.Conversation, asStep string, role record.Role, play string) bool {
	_, _, ok := c.ReuseOfferedStep(asStep, role, conversation.PackedFor(play))
	return ok
}

// offerMembers lets other plays rest on a message that had these members.
func offerMembers(c *conversation.Conversation, play string, members []dialect.Optional, o dialect.Outgoing, r *conversation.Reply) {
	for _, m := range members {
		c.OfferStepUnderName(play+"/"+m.Name, "all", o, r)
	}
}
