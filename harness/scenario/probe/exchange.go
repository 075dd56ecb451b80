package probe

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
)

// exchange is a message to the agent and what came of it.
type exchange struct {
	said   operator.Stimulus
	out    dialect.Outgoing
	reply  *conversation.Reply
	state  string // the last that its task came to
	status *record.Node
	talked bool // a message was the answer
	data   bool // a part of the answer was structured data
	made   bool // an artifact was in the task
	pieces int  // in which one artifact was streamed
	news   bool // the stream showed the task's work
	fault  bool // and then of an error
	goesOn bool // it asked, and the answer was taken

	// worked and until are the least and the most that the work can have lasted.
	worked, until time.Duration
}

// isStreamBrokenOff reports whether a stream that showed the agent's work showed no end
// of it. A message is all that there is to come.
func (t *exchange) isStreamBrokenOff(c *conversation.Conversation) bool {
	if t.reply == nil || !t.reply.IsStream() || t.talked || !t.news || t.reply.Final {
		return false
	}
	ours := t.reply.Ended == record.Timeout || t.reply.Ended == record.OurClose || t.reply.Ended == record.Aborted || t.reply.Ended == record.Limit
	return t.fault || !ours && !c.IsTerminalOrAwaitsClient(t.reply.State)
}

// describeOutcome describes what a message came to.
func (t *exchange) describeOutcome() string {
	r := t.reply
	switch {
	case t.talked:
		return "it answered with a message"
	case !r.OK() && !r.IsStream():
		return explainFailure(r)
	case t.state == "" && r.IsStream():
		return "its stream contained no state of a task"
	case t.state == "":
		return "its reply contained no state of a task"
	}
	return fmt.Sprintf("its task reached the state %s", t.state)
}

// delivery is how a message is sent.
type delivery struct {
	step    string
	stream  bool // if the server streams
	soon    bool // the reply is not to wait for the end of the work
	patient bool // the task is followed as long as it may work
	mute    bool // a question is not answered
	again   bool // it only makes sure of what was measured
}

// isAuthRequiredState reports whether a state waits for credentials.
func isAuthRequiredState(state string) bool { return strings.HasPrefix(state, "auth") }

// lingers is the shortest work that leaves time to ask about a task meanwhile.
const lingers = 300 * time.Millisecond

// beyondDoubt is work that no hold-up of a busy machine or network looks like.
const beyondDoubt = time.Second

// explainFailure describes how a message was not answered.
func explainFailure(r *conversation.Reply) string {
	x := r.Exchange
	switch {
	case r.NotSent != "":
		return r.NotSent
	case !x.Answered() && x.Ended == record.Timeout:
		return "no answer came in time"
	case !x.Answered():
		return "the connection was closed without an answer"
	case x.Status() == http.StatusUnauthorized || x.Status() == http.StatusForbidden:
		return fmt.Sprintf("the server refused the message because it needs credentials (HTTP %d); give --bearer-env, --basic-env or --api-key-env", x.Status())
	}
	if e := r.Answer.Failure.Node; e != nil {
		text := "the server refused the message with code " + shortenNumberOrNone(e.Member("code"))
		if m := e.Member("message"); m != nil && m.String != "" {
			text += ", " + strconv.Quote(shorten.End(m.String, mostQuoted))
		}
		return text
	}
	return fmt.Sprintf("the answer (HTTP %d) contained neither a result nor an error", x.Status())
}

// mostQuoted bounds what is quoted of a text of the server's, in characters.
const mostQuoted = 120

func shortenNumberOrNone(n *record.Node) string {
	if n == nil || n.Kind != record.Number {
		return "none"
	}
	return shorten.End(n.Number, mostQuoted)
}

// findObjectsOrFilledLists are the members of that name in a result, wherever they are.
func findObjectsOrFilledLists(r *conversation.Reply, memberName string) []record.Found {
	if r.Result == nil {
		return nil
	}
	return slices.DeleteFunc(r.Result.Find(memberName), func(f record.Found) bool {
		return f.Node.Kind != record.Object && len(f.Node.Elems) == 0
	})
}

// sendAndFollow sends a message, follows its task to its end and notes what was shown.
func (p *probePlay) sendAndFollow(said operator.Stimulus, how delivery) *exchange {
	wait := !how.soon
	t := &exchange{said: said, out: dialect.Outgoing{Text: said.Text, Task: p.NewTask(), Context: p.NewContext(), Blocking: &wait}}
	if said.MessageID != "" {
		t.out.Message = said.MessageID + p.NewID()
	}
	return p.sendExchangeAndFollow(t, how)
}

func (p *probePlay) sendExchangeAndFollow(t *exchange, how delivery) *exchange {
	began := p.Client.Now()
	if how.stream && p.CanStream() {
		p.sendStream(t, how.step)
		if !t.reply.IsStream() && !t.reply.OK() && t.reply.Root != nil { // it was refused, and so no one received it
			how.step += "-plainly"
			began = p.Client.Now()
			p.sendCall(t, how.step)
		}
	} else {
		p.sendCall(t, how.step)
	}
	p.pollExchange(t, how, began)
	t.talked = t.talked && t.state == "" // some servers tell of their tasks by messages
	if task := conversation.TaskID(t.out, t.reply); task != "" && !t.talked && t.state != "" && (!t.data || !t.made) {
		look := p.lookUpTask(how.step+"-look", task)
		p.noteStructuredData(t, look.Result)
		t.made = t.made || look.OK() && len(findObjectsOrFilledLists(look, "artifacts")) > 0
	}
	if p.AwaitsClient(t.state) && !isAuthRequiredState(t.state) && !how.mute {
		answer := conversation.NewFollowUpMessage(cmp.Or(t.said.Answer, "yes"), t.out, t.reply)
		if p.Writer.ClientTasks {
			answer.Context = ""
		}
		r := p.Call(conversation.Step{Name: how.step + "-answer", Op: "send"}, answer)
		t.goesOn = r.OK() && !p.AwaitsClient(p.PollUntilOtherStatusAtRest(how.step+"-after", conversation.TaskID(t.out, t.reply), t.status, r).State)
	}
	p.noteBehaviours(t)
	if !how.again {
		p.confirmAndNoteSlowWork(t, how)
	}
	return t
}

// sendCall sends the message and waits for the reply.
func (p *probePlay) sendCall(t *exchange, step string) {
	began := p.Client.Now()
	t.reply = p.Call(conversation.Step{Name: step, Op: "send"}, t.out)
	took := p.Client.Now() - began
	if t.reply.Answered() {
		p.sights.noteFastestAnswerTime(took)
	}
	t.state, t.status, t.talked = t.reply.State, t.reply.TaskStatus, p.isMessage(t.reply)
	t.until = took
	if t.reply.OK() {
		t.worked = took - p.sights.leastAnswerTime() // for so long the reply was held
	}
	p.noteStructuredData(t, t.reply.Result)
	t.made = t.reply.OK() && len(findObjectsOrFilledLists(t.reply, "artifacts")) > 0
}

// isMessage reports whether a call was answered with a message in place of a task.
func (p *probePlay) isMessage(r *conversation.Reply) bool {
	return r.OK() && r.State == "" && (!p.Dialect.Sorted() || p.IsMessageReply(r))
}

// sendStream sends the message for streaming and reads to the end.
func (p *probePlay) sendStream(t *exchange, step string) {
	pieces := map[string]int{}
	began := p.Client.Now()
	var first time.Duration
	over := false
	t.reply = p.Call(conversation.Step{Name: step, Op: "stream", Quiet: p.PatienceForSlowMessage(), Until: func(r *conversation.Reply, data *record.Node) bool {
		now := p.Client.Now()
		if first == 0 {
			first = now
		}
		if !over {
			t.worked, t.until, over = now-first, now-began, p.IsTerminalOrAwaitsClient(r.State)
		}
		switch result := p.CallBinding().Event("stream", data).Result.Node; {
		case p.IsErrorEvent(data):
			t.fault = t.news
		case result == nil:
		case p.Conversation.IsMessageEvent(data):
			t.talked = true
			p.noteStructuredData(t, result)
		default:
			t.news = true
			if key, ok := p.artifactKey(data, result); ok {
				pieces[key]++
				t.pieces = max(t.pieces, pieces[key])
			}
			p.noteStructuredData(t, result)
		}
		return false
	}}, t.out)
	t.state = t.reply.State
	if !t.reply.IsStream() {
		t.talked = p.isMessage(t.reply)
		p.noteStructuredData(t, t.reply.Result)
	}
}

// artifactKey is the artifact that an event brings a piece of. If the dialect does
// not distinguish artifacts, what shows nothing of the task's state brings one.
func (p *probePlay) artifactKey(event, result *record.Node) (key string, ok bool) {
	sort, _ := binding.Content(p.Dialect, "event", result)
	if _, tells := p.Dialect.Pointer(p.Dialect.Row("event", sort), "event.artifact"); !tells {
		return "", len(event.Find(cmp.Or(p.Dialect.Delivered.Status, "status"))) == 0
	}
	artifact := p.FindPart("event", "event.artifact", result)
	if artifact == nil {
		return "", false
	}
	if at, ok := p.Dialect.Pointer("artifact", "key"); ok {
		if n := artifact.At(at); n != nil {
			key = n.String + n.Number
		}
	}
	return key, true
}

// noteStructuredData looks for parts of structured data in a result.
func (p *probePlay) noteStructuredData(t *exchange, result *record.Node) {
	if t.data || result == nil {
		return
	}
	for _, f := range result.Find("data") {
		part := result.At(f.Pointer[:strings.LastIndexByte(f.Pointer, '/')])
		t.data = t.data || p.Dialect.Held("send") && strings.HasSuffix(strings.TrimRight(f.Pointer[:strings.LastIndexByte(f.Pointer, '/')], "0123456789"), "/parts/")
		for _, name := range []string{"kind", "type"} {
			if kind := part.Member(name); kind != nil && kind.String == "data" {
				t.data = true
			}
		}
	}
}

func (p *probePlay) lookUpTask(step, task string) *conversation.Reply {
	began := p.Client.Now()
	r := p.Call(conversation.Step{Name: step, Op: "get"}, dialect.Outgoing{Task: task})
	if r.Answered() {
		p.sights.noteFastestAnswerTime(p.Client.Now() - began)
	}
	return r
}

// pollExchange looks the task up until it is settled or the patience is over. A
// refused look ends it.
func (p *probePlay) pollExchange(t *exchange, how delivery, began time.Duration) {
	task := conversation.TaskID(t.out, t.reply)
	patience := p.Window("soon", 5*time.Second)
	if how.patient {
		patience = p.PatienceForSlowMessage()
	}
	over := p.Client.Now() + patience
	for i := 1; task != "" && !p.IsTerminalOrAwaitsClient(t.state) && p.Client.Now() < over && !p.Stopped(); i++ {
		p.Pause(50 * time.Millisecond)
		asked := p.Client.Now()
		r := p.lookUpTask(fmt.Sprintf("%s-poll-%d", how.step, i), task)
		if !r.OK() {
			return
		}
		if t.state, t.status = r.State, r.TaskStatus; !p.IsTerminalOrAwaitsClient(t.state) {
			t.worked = max(t.worked, asked-began)
		}
		t.until = p.Client.Now() - began
	}
}

// noteBehaviours keeps every behaviour that a turn shows.
func (p *probePlay) noteBehaviours(t *exchange) {
	outcome := ""
	if s := p.Dialect.State(t.state); s != nil {
		outcome = s.Outcome
	}
	p.sights.noteTaskAndReportAny(t.state != "")
	saw := func(behaviour string, said operator.Stimulus, weak bool) {
		if _, asked := p.Stimuli[behaviour]; asked {
			one := p.newSightInPlay(behaviour, said)
			one.weak = weak
			p.sights.appendSight(one)
		}
	}
	plain := operator.Stimulus{Text: t.said.Text, MessageID: t.said.MessageID}
	if alone := t.talked || t.reply.OK() && t.state == ""; outcome == "done" || alone {
		saw("quick", plain, alone && p.Dialect.Sorted()) // what makes a task shows more
	}
	if t.talked {
		saw("message", plain, t.reply.IsStream())
	}
	if outcome == "failed" && (!t.fault || p.Play.Scenario == "fail") {
		saw("fail", plain, false)
	}
	if t.goesOn && p.AwaitsClient(t.state) {
		asks := plain
		asks.Answer = cmp.Or(t.said.Answer, "yes")
		saw("ask", asks, false)
	}
	has := slices.ContainsFunc(p.Dialect.States, func(s schema.State) bool { return isAuthRequiredState(s.Name) })
	if p.AwaitsClient(t.state) && (isAuthRequiredState(t.state) || !has && p.Play.Scenario == "needauth") {
		saw("needauth", plain, false)
	}
	if t.pieces > 1 || t.made && !p.CanStream() {
		saw("chunks", plain, false)
	}
	if t.data {
		saw("data", plain, outcome != "done" && !t.talked)
	}
	if t.isStreamBrokenOff(p.Conversation) {
		saw("crash", plain, false)
	}
}

func (p *probePlay) newSightInPlay(behaviour string, said operator.Stimulus) Sight {
	return Sight{Behaviour: behaviour, Said: said, Play: p.Play.Scenario, Agent: p.Play.Subject.Agent, place: p.place}
}

// confirmAndNoteSlowWork keeps a message on which the agent works for a while. Work that might as
// well be a hold-up on the way is measured twice.
func (p *probePlay) confirmAndNoteSlowWork(t *exchange, how delivery) {
	slow, ok := p.stimulusIfSlow(t)
	switch _, asked := p.Stimuli["slow"]; {
	case !ok || !asked:
		return
	case !p.alone:
		p.sights.noteSlowMessage(slow)
		return
	case p.sights.isCertain("slow"):
		return
	}
	if t.worked < beyondDoubt {
		how.step, how.again = how.step+"-again", true
		again, ok := p.stimulusIfSlow(p.sendAndFollow(t.said, how))
		if !ok {
			return
		}
		slow.Seconds = min(slow.Seconds, again.Seconds)
	}
	p.sights.appendSight(p.newSightInPlay("slow", slow))
}

// stimulusIfSlow is a turn as a message that takes a while.
func (p *probePlay) stimulusIfSlow(t *exchange) (slow operator.Stimulus, ok bool) {
	if s := p.Dialect.State(t.state); s == nil || s.Outcome != "done" {
		return slow, false
	}
	slow = operator.Stimulus{Text: t.said.Text, MessageID: t.said.MessageID, Seconds: math.Floor(t.worked.Seconds()*10) / 10}
	if d := t.said.Seconds; p.alone && d > 0 {
		// What was declared counts, unless the work lasts much longer.
		if t.worked.Seconds() < 2*d {
			slow.Seconds = d
		}
		return slow, t.until.Seconds() >= d*0.9 && t.worked.Seconds() >= d/4
	}
	return slow, t.worked >= lingers
}
