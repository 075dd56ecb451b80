package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
	jsonpatch "github.com/evanphx/json-patch/v5"
)

// newBlockScenario turns a row of probes into a scenario: the valid twin, the probes, the
// valid twin again. A refusal counts only if its twin was accepted, and the
// closing twin shows that the server is alive.
func newBlockScenario(d *schema.Dialect, b schema.Block) Scenario {
	op := d.Operation(b.Op)
	if d.Directory.List != "" {
		return newDirectoryBlock(b)
	}
	sends := 0
	switch {
	case b.Task == "fresh": // nothing reaches the agent
	case op.Reads && op.About == "": // nor does it here
	case b.Op == "push-set", b.Op == "stream", op.Reads && !b.Alone: // without a message at the end
		sends = 1
	default:
		sends = 2
	}
	for _, p := range b.Probes {
		if p.Valid && op.Agent {
			sends++
		}
	}
	s := Scenario{
		Name: b.Name, Doc: fmt.Sprintf("%d probes on %s between two valid calls", len(b.Probes), b.Op),
		Base: b.Op == "get", Risk: b.Risk, Claims: b.Claims, Binding: b.Binding, Ops: []string{"send", "get", b.Op}, Sends: sends, Probes: len(b.Probes),
	}
	if on := reusedPlay(b); on != "" {
		s.After = []string{on}
	}
	switch {
	case op.Streams:
		s.Wide = 1 + len(b.Probes)
	case b.Op == "send" && !b.Alone: // the twin is under way beside the probes
		s.Wide = 2
	}
	s.Play = func(c *Conversation) {
		p := &blockPlay{Conversation: c, block: b}
		p.sendAll()
		p.checkAlive()
	}
	if b.Alone {
		s.Class, s.Closes = Exclusive, true
		if asksAboutTask(d, b) && b.Op != "push-set" {
			s.Prepare = func(c *Conversation) {
				c.Prepared = &blockPlay{Conversation: c, block: b}
				c.Prepared.(*blockPlay).makeTask(nil)
			}
		}
		s.Play = func(c *Conversation) {
			p, prepared := c.Prepared.(*blockPlay)
			if !prepared {
				p = &blockPlay{Conversation: c, block: b}
				c.Prepared = p
			}
			p.sendAll()
		}
		s.Aftermath = func(c *Conversation) { c.Prepared.(*blockPlay).checkAlive() }
	}
	return s
}

// reusedPlay is the play whose message shows what a block needs: that such messages
// are accepted, or a task to ask about; "" where it needs none.
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
	*Conversation
	block schema.Block
	task  string                              // that was made beforehand, to be asked about
	again func(probe string) dialect.Outgoing // what the valid call of the block says
}

// makeTask makes the task that the calls of a block are about. If none can be made
// they are about one that never was.
func (c *blockPlay) makeTask(push map[string]any) string {
	b := c.block
	o, sent, ok := c.ReuseTask("task", wire.Main, reusedPlay(b))
	if !ok {
		o = c.NewMessage("quick")
		o.Push = push
		sent = c.Call(Step{Name: "task", Op: "send"}, o)
	}
	c.task = TaskID(o, sent)
	if !sent.OK() || c.task == "" {
		c.task = c.NewID() // what is malformed can still be told from a call about a task that never was
	}
	return c.task
}

// sendAll sends the valid call of the block and its probes.
func (c *blockPlay) sendAll() {
	b := c.block
	text := c.Text("quick")
	known := ""
	var hook *Hook // that calls about webhooks name
	var config map[string]any
	if b.Op == "push-set" {
		hook = NewHook(c.Conversation, "hook")
		config = c.Writer.Push(PushConfig(c.Conversation, hook))
	}
	if asksAboutTask(c.Dialect, b) {
		if known = c.task; known == "" {
			known = c.makeTask(config)
		}
		if hook != nil {
			hook.Task = known
		}
	}
	// outgoing is what the valid request says, each time about a task of its own
	// where it makes one.
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
	// the agent may take its time, and what changes nothing, where there is room.
	var pending []*Pending
	twin := Step{Name: "twin", Role: wire.Twin, Op: b.Op}
	op := c.Dialect.Operation(b.Op)
	aside := op.Streams
	apart := !b.Alone && (b.Op == "send" || op.Reads && !op.Streams)
	shown := false // by another play
	if op.Agent && !b.Alone {
		_, _, shown = c.Reuse(twin.Name, twin.Role, reusedPlay(b))
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
	take := c.newPlaceTaker()
	for _, p := range b.Probes {
		if c.Stopped() {
			break
		}
		o := outgoing(p.Task)
		op, beside := b.Op, "twin"
		if p.Op != "" {
			op = p.Op
		}
		if was := c.Dialect.Operation(b.Op); c.Dialect.Operation(op).Agent && !was.Agent && p.Task == "" && b.Task == "" {
			o = c.NewMessage("quick")
		}
		if p.Twin != "" {
			beside = p.Twin
		}
		s := Step{Name: p.Name, Role: wire.Probe, Op: op, Task: o.Task, Twin: beside, Invalid: !p.Valid, Contradicts: p.Valid && c.omitsDialectHeader(p), Method: p.Method, Header: ProbeHeaders(c.Conversation, p)}
		if p.Method != "" { // some servers open a stream of their own on GET
			s.Timeout = c.Window("silence", 10*time.Second)
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
			c.Call(Step{Name: p.Name + "-then", Role: wire.Probe, Op: p.Then, Task: o.Task}, dialect.Outgoing{Task: o.Task})
		}
	}
	for _, p := range pending {
		p.Wait()
	}
	c.again = outgoing
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

// newPlaceTaker returns what takes a place for a call: one of those that the play has, or
// one that no play needs. Without any it waits for one of its own, whichever is
// free first, since what is accepted may keep its place for long.
func (c *blockPlay) newPlaceTaker() (take func() (leave func())) {
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
		if c.Room != nil {
			if leave, ok := c.Room(); ok {
				return leave
			}
		}
		<-own
		return mine
	}
}

// checkAlive shows that the server still serves after a block of probes.
func (c *blockPlay) checkAlive() {
	b := c.block
	if c.Stopped() || b.Task == "fresh" { // nothing reached the agent
		return
	}
	// Looking a task up may still work where the agent does not any more: it is
	// asked again after what it had a part in, and after the last of all blocks.
	alive := Step{Name: "alive", Role: wire.Alive, Op: "send", Fresh: true}
	switch {
	case b.Op == "stream": // as send, of which there is a block too
	case b.Op == "push-set", c.Dialect.Operation(b.Op).Reads && (!b.Alone || !NeedsStep(c.Conversation, alive.Name)):
		alive.Op = b.Op
		c.Call(alive, c.again(""))
	case c.Closing && !b.Alone: // it is asked after everything else
	default:
		if !b.Alone || !c.ReusePromised(alive, nested.Name) {
			c.Call(alive, c.NewMessage("quick"))
		}
	}
}

// fillNewIDs is a text with new ids in its blanks.
func FillNewIDs(c *Conversation, text string) string {
	for strings.Contains(text, schema.NewID) {
		text = strings.Replace(text, schema.NewID, c.NewID(), 1)
	}
	return text
}

// ProbeEncoder writes the calls of a block's probes.
type ProbeEncoder struct {
	*Conversation
	Block string
}

// NewProbeEncoder returns an encoder for the probes of the named block.
func NewProbeEncoder(c *Conversation, block string) ProbeEncoder { return ProbeEncoder{c, block} }

// Encode writes the call of a probe. One that bends what the binding does not have is
// not made.
func (e ProbeEncoder) Encode(s *Step, p schema.Probe, o dialect.Outgoing) (call wire.Call, ok bool) {
	c := e.Conversation
	request, err := Bent(p, c.Request(p.Name, s.Op, o))
	if err == nil {
		call, err = c.EncodeStep(s, request)
	}
	switch {
	case errors.Is(err, binding.ErrNotSayable):
		c.NotExpressible(*s, err.Error())
		return call, false
	case err == nil && c.UsesProtobuf() && (p.Raw != nil || p.Method != "" || p.Headers["Content-Type"] != ""):
		c.NotExpressible(*s, "gRPC has no such call")
		return call, false
	case err == nil && len(call.Body) == 0 && (p.Raw != nil || p.Headers["Content-Type"] != ""):
		c.NotExpressible(*s, "such a call has no body in this binding")
		return call, false
	case err != nil:
		panic(fmt.Sprintf("probe %s/%s: %v", e.Block, p.Name, err))
	case p.Raw != nil:
		call.Body = []byte(FillNewIDs(c, *p.Raw))
	}
	return call, true
}

// Bent is a valid request as a probe has it. The body of one that is raw takes the
// place of what is written.
func Bent(p schema.Probe, valid binding.Request) (binding.Request, error) {
	switch {
	case p.On == schema.OnEnvelope:
		valid.Bend = func(envelope []byte) ([]byte, error) {
			if p.Raw != nil {
				return envelope, nil
			}
			return Patch(envelope, p.Patch)
		}
	case len(p.Patch) > 0:
		err := patchParams(&valid, p.Patch)
		return valid, err
	}
	return valid, nil
}

// patchParams applies a JSON Patch to the parameters of a request.
func patchParams(r *binding.Request, ops []schema.PatchOp) error {
	params, err := json.Marshal(r.Params)
	if err != nil {
		return err
	}
	if params, err = Patch(params, ops); err != nil {
		return err
	}
	r.Params = json.RawMessage(params)
	return nil
}

// Patch applies a JSON Patch to a request.
func Patch(doc []byte, ops []schema.PatchOp) ([]byte, error) {
	text, err := json.Marshal(ops)
	if err != nil {
		return nil, err
	}
	patch, err := jsonpatch.DecodePatch(text)
	if err != nil {
		return nil, err
	}
	return patch.Apply(doc)
}
