// Package malformed turns the probes of a dialect, most of them malformed calls, into
// scenarios.
package malformed

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/scenario/limits"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
)

// NewProbeScenario turns a row of probes into a scenario: the valid twin, the probes, the
// valid twin again. A refusal counts only if its twin was accepted, and the
// closing twin shows that the server is alive.
func NewProbeScenario(d *schema.Dialect, b schema.Block) conversation.Scenario {
	op := d.Operation(b.Op)
	sends := 0
	switch {
	case b.Task == "fresh": // nothing reaches the agent
	case op.Reads && op.About == "": // nor does it here
	case b.Op == "push-set", b.Op == "stream", op.Reads && !b.Alone: // without a message at the end
		sends = 1
	default:
		sends = 2
	}
	rare, spared := 0, sends // spared if a play before made the task or the message, and one behind it shows that the server is alive
	for _, p := range b.Probes {
		if p.Valid && op.Agent {
			sends++
			if isUsuallyRefused(p) {
				rare++
			}
		}
	}
	_, sent := Steps(d, b)
	s := conversation.Scenario{
		Name: b.Name, Doc: fmt.Sprintf("%d probes on %s between two valid calls", len(b.Probes), b.Op),
		Base: b.Op == "get", Risk: b.Risk, Claims: b.Claims, Binding: b.Binding, Ops: []string{"send", "get", b.Op}, Sends: sends, Rare: rare, Probes: len(b.Probes),
		Steps: sent,
	}
	s.Reuses = map[string]int{}
	if on := reusedPlay(b); on != "" {
		s.After, s.Reuses[on] = []string{on}, spared
	}
	for _, p := range b.Probes {
		if p.Packs {
			s.Reuses[packer]++ // which is waited for once all other probes are on their way
		}
	}
	switch {
	case op.Streams:
		s.Parallel = 1 + len(b.Probes)
	case b.Op == "send" && !b.Alone: // the twin is under way alongside the probes
		s.Parallel = 2
	}
	s.Play = func(c *conversation.Conversation) {
		p := &blockPlay{Conversation: c, block: b}
		p.sendTwinAndProbes()
		p.sendLivenessCall()
	}
	if b.Alone {
		s.Class, s.ProvesLiveness = conversation.Exclusive, true
		if asksAboutTask(d, b) && b.Op != "push-set" {
			s.Prepare = func(c *conversation.Conversation) {
				c.Prepared = &blockPlay{Conversation: c, block: b}
				c.Prepared.(*blockPlay).reuseOrMakeTask(nil)
			}
		}
		s.Play = func(c *conversation.Conversation) {
			p, prepared := c.Prepared.(*blockPlay)
			if !prepared {
				p = &blockPlay{Conversation: c, block: b}
				c.Prepared = p
			}
			p.sendTwinAndProbes()
		}
		s.Finish = func(c *conversation.Conversation) { c.Prepared.(*blockPlay).sendLivenessCall() }
	}
	return s
}

// packer is the scenario whose message carries what several scenarios try.
const packer = "kitchen-sink"

// isUsuallyRefused reports whether a valid probe reaches the agent of few servers only: it is about a task that never was,
// or it has what most servers do not take.
func isUsuallyRefused(p schema.Probe) bool { return p.Task == "fresh" || p.Rare }

// reusedPlay is the play whose message shows what a block needs: that such messages
// are accepted, or a task to ask about; "" if it needs none.
func reusedPlay(b schema.Block) string {
	switch {
	case b.Task == "fresh":
		return ""
	case b.Op == "stream":
		return "stream"
	case b.Op == "push-set":
		return "push"
	case b.Op == "resubscribe", b.Op == "list":
		return ""
	}
	return "quick"
}

// asksAboutTask reports whether the calls of a block are about a task that has
// to be there.
func asksAboutTask(d *schema.Dialect, b schema.Block) bool {
	return d.Operation(b.Op).About == schema.AboutTask && b.Task != "fresh"
}

// blockPlay is a play of a block of probes.
type blockPlay struct {
	*conversation.Conversation
	block schema.Block
	task  string                              // that was made beforehand, to be asked about
	again func(probe string) dialect.Outgoing // the valid call of the block
}

// reuseOrMakeTask makes the task that the calls of a block are about. If none can be made
// they are about one that never was.
func (c *blockPlay) reuseOrMakeTask(push map[string]any) string {
	b := c.block
	o, sent, ok := c.ReuseUnlessTaskChanged("task", record.Main, reusedPlay(b))
	if !ok {
		o = c.NewMessage("quick")
		o.Push = push
		sent = c.Call(conversation.Step{Name: "task", Op: "send"}, o)
	}
	c.task = conversation.TaskID(o, sent)
	if !sent.OK() || c.task == "" {
		c.task = c.NewID() // what is malformed can still be distinguished from a call about a task that never was
	}
	return c.task
}

// sendTwinAndProbes sends the valid call of the block and its probes.
func (c *blockPlay) sendTwinAndProbes() {
	b := c.block
	text := c.Text("quick")
	known := ""
	var hook *conversation.Hook // that calls about webhooks name
	var config map[string]any
	if b.Op == "push-set" {
		hook = conversation.NewHook(c.Conversation, "hook")
		config = c.Writer.Push(conversation.NewPushConfig(c.Conversation, hook))
	}
	if asksAboutTask(c.Dialect, b) {
		if known = c.task; known == "" {
			known = c.reuseOrMakeTask(config)
		}
		if hook != nil {
			hook.Task = known
		}
	}
	// outgoing is what the valid request contains, each time about a task of its own
	// if it makes one.
	outgoing := func(probe string) dialect.Outgoing {
		switch {
		case probe == "fresh", b.Task == "fresh":
			return dialect.Outgoing{Text: text, Task: c.NewID(), Push: config}
		case known != "":
			return dialect.Outgoing{Task: known, Push: config}
		}
		return c.NewMessage("quick")
	}
	// Calls that may open a silent stream are made side by side, so that waiting
	// for one is waiting for all. So is the message that must be accepted, since
	// the agent may take its time, and what changes nothing, if there is room.
	var pending []*conversation.Pending
	twin := conversation.Step{Name: "twin", Role: record.Twin, Op: b.Op}
	op := c.Dialect.Operation(b.Op)
	aside := op.Streams
	apart := !b.Alone && (b.Op == "send" || op.Reads && !op.Streams)
	shown := false // by another play
	if op.Agent && !b.Alone {
		_, _, shown = c.ReuseOfferedStep(twin.Name, twin.Role, reusedPlay(b))
	}
	switch {
	case shown:
	case aside, b.Op == "send" && !b.Alone:
		if b.Op == "resubscribe" {
			twin.Quiet = c.Window("silence", 10*time.Second)
		}
		pending = append(pending, c.Start(twin, outgoing("")))
	default:
		c.Call(twin, outgoing(""))
	}
	take := c.newCallSlotTaker()
	for _, p := range orderPackedLast(b.Probes) {
		if c.Stopped() {
			break
		}
		o := outgoing(p.Task)
		op := cmp.Or(p.Op, b.Op)
		if was := c.Dialect.Operation(b.Op); c.Dialect.Operation(op).Agent && !was.Agent && p.Task == "" && b.Task == "" {
			o = c.NewMessage("quick")
		}
		s := conversation.Step{Name: p.Name, Role: record.Probe, Op: op, Task: o.Task, Twin: cmp.Or(p.Twin, "twin"), Invalid: !p.Valid, Contradicts: p.Valid && c.omitsDialectHeader(p), Refused: p.Valid && isUsuallyRefused(p), Method: p.Method, Header: ProbeHeaders(c.Conversation, p)}
		if p.Method != "" { // some servers open a stream of their own on GET
			s.Timeout = c.Window("silence", 10*time.Second)
		}
		if p.Packs && c.reusePacked(s) {
			continue
		}
		if p.Risk != "" && !slices.Contains(c.Allow, p.Risk) {
			c.NotSent(s, "", "%s", p.Risk.NeedsAllow())
			continue
		}
		call, ok := NewProbeEncoder(c.Conversation, b.Name).Encode(&s, p, o)
		if !ok {
			continue
		}
		if aside {
			pending = append(pending, c.StartCall(s, call))
			continue
		}
		if apart && p.Then == "" {
			leave := take()
			beside := c.StartCall(s, call)
			go func() {
				<-beside.Done()
				leave()
			}()
			pending = append(pending, beside)
			continue
		}
		c.Send(s, call)
		if p.Then != "" {
			c.Call(conversation.Step{Name: p.Name + "-then", Role: record.Probe, Op: p.Then, Task: o.Task}, dialect.Outgoing{Task: o.Task})
		}
	}
	conversation.WaitAll(pending)
	c.again = outgoing
}

// orderPackedLast returns probes with those at the end that another play may send too.
func orderPackedLast(probes []schema.Probe) []schema.Probe {
	packed := func(p schema.Probe) bool { return p.Packs }
	alone := slices.DeleteFunc(slices.Clone(probes), packed)
	return append(alone, slices.DeleteFunc(slices.Clone(probes), func(p schema.Probe) bool { return !packed(p) })...)
}

// reusePacked records the message that carries what several plays try as the step of a probe. It reports false if there is none.
func (c *blockPlay) reusePacked(s conversation.Step) bool {
	c.AwaitPromise(packer)
	_, _, ok := c.ReuseOfferedStep(s.Name, s.Role, conversation.PackedFor(c.block.Name+"/"+s.Name))
	if ok {
		c.Play.Step(s.Name).Twin = s.Twin
	}
	return ok
}

// omitsDialectHeader reports whether a probe leaves out, or leaves empty, a header by which calls of the dialect
// are known for such.
func (c *blockPlay) omitsDialectHeader(p schema.Probe) bool {
	h := ProbeHeaders(c.Conversation, p)
	for name := range c.Dialect.Headers {
		if values, named := h[http.CanonicalHeaderKey(name)]; named && strings.Join(values, "") == "" && len(p.Headers) == 1 {
			return true
		}
	}
	return false
}

// newCallSlotTaker returns what takes a place for a call: one of those that the play has, or
// one that no play needs. Without any it waits for one of its own, whichever is
// free first, since what is accepted may keep its place for long.
func (c *blockPlay) newCallSlotTaker() (take func() (leave func())) {
	own := make(chan struct{}, 2)
	if own <- struct{}{}; c.Double {
		own <- struct{}{}
	}
	mine := func() { own <- struct{}{} }
	return func() (leave func()) {
		select {
		case <-own:
			return mine
		default:
		}
		if c.BorrowSlot != nil {
			if leave, ok := c.BorrowSlot(); ok {
				return leave
			}
		}
		<-own
		return mine
	}
}

// sendLivenessCall shows that the server still serves after a block of probes.
func (c *blockPlay) sendLivenessCall() {
	b := c.block
	if c.Stopped() || b.Task == "fresh" { // nothing reached the agent
		return
	}
	// Looking a task up may still work if the agent does not any more: it is
	// asked again after what it had a part in, and after the last of all blocks.
	alive := conversation.Step{Name: "alive", Role: record.Alive, Op: "send", Fresh: true}
	switch {
	case b.Op == "stream": // as send, of which there is a block too
	case b.Op == "push-set", c.Dialect.Operation(b.Op).Reads && (!b.Alone || !conversation.NeedsStep(c.Conversation, alive.Name)):
		alive.Op = b.Op
		c.Call(alive, c.again(""))
	case c.Closing && !b.Alone: // it is asked after everything else
	default:
		if !b.Alone || !c.AwaitAndReusePromisedStep(alive, limits.Nested.Name) {
			c.Call(alive, c.NewMessage("quick"))
		}
	}
}

// Steps returns the names of the steps of a block of probes, in order, and what each sends.
func Steps(d *schema.Dialect, b schema.Block) (names []string, sent map[string]string) {
	sent = map[string]string{}
	add := func(name, text string) {
		names = append(names, name)
		sent[name] = text
	}
	add("twin", "Calls {"+b.Op+"} with a valid request.")
	if asksAboutTask(d, b) {
		add("task", "Calls {send} with the stimulus quick, or reuses a task, so that there is a task to ask about.")
	}
	for _, p := range b.Probes {
		add(p.Name, describeProbe(b, p))
		if p.Then != "" {
			add(p.Name+"-then", "Calls {"+p.Then+"} for what the probe "+p.Name+" was about.")
		}
	}
	if b.Op != "stream" && b.Task != "fresh" {
		add("alive", "Makes a valid call after all probes, to see whether the server still answers.")
	}
	return names, sent
}

// describeProbe returns a sentence about what a probe sends.
func describeProbe(b schema.Block, p schema.Probe) string {
	op := "{" + cmp.Or(p.Op, b.Op) + "}"
	if p.Title != "" {
		return "Calls " + op + " " + p.Title + "."
	}
	words := "Calls " + op
	switch {
	case p.Raw != nil:
		words = "Sends the body " + strconv.Quote(shorten.End(*p.Raw, mostQuoted)) + " in place of a call of " + op
	case p.Method != "":
		words = "Sends an HTTP " + p.Method + " in place of a call of " + op
	case p.Task == "fresh" || p.Task == "" && b.Task == "fresh":
		words += " for a task id that was never used"
	}
	var changes []string
	for _, name := range slices.Sorted(maps.Keys(p.Headers)) {
		changes = append(changes, "the header "+name+": "+p.Headers[name])
	}
	if len(p.Patch) > 0 && p.Raw == nil {
		patch, _ := json.Marshal(p.Patch) // which the catalogue was read from
		changes = append(changes, "the JSON Patch "+string(patch)+" on its "+p.Bends())
	}
	if len(changes) > 0 {
		words += ", with " + strings.Join(changes, " and ")
	}
	return strings.ReplaceAll(words, schema.NewID, "a new id") + "."
}

// mostQuoted bounds how many characters of a body a description quotes.
const mostQuoted = 60
