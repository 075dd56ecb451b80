package directory

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/scenario/malformed"
	"github.com/a2a-conform/a2a-conform/schema"
)

// AgentTasks sends tasks to one agent of a directory: the one that the operator names,
// or the first on the directory's own host. Those elsewhere are left alone, and
// so is every agent that some run of ours registered.
var AgentTasks = conversation.Scenario{Name: "task", Play: func(c *conversation.Conversation) {
	endpoint := chooseEndpointOrEndPlay(c, c.Get("list", "document", c.Base+c.Dialect.Directory.List))
	if endpoint == "" {
		return
	}
	if _, ok := c.Stimulus("quick"); !ok {
		conversation.StopForMissingStimulus(c, "quick")
		return
	}
	t := &agentTasksPlay{Conversation: c, sender: c.NewID(), as: map[bool]record.Caller{false: record.Nobody}[c.Own(endpoint)]}
	if !t.findTaskURLOrStop(strings.TrimSuffix(endpoint, "/")) {
		return
	}
	t.sendTask(conversation.Step{Name: "send"}, "quick", t.sender).Wait()
	under := []*conversation.Pending{
		t.sendTask(conversation.Step{Name: "a"}, "quick", t.sender), t.sendTask(conversation.Step{Name: "b"}, "quick", t.sender),
		t.sendTask(conversation.Step{Name: "stranger", Role: record.Probe, As: record.Nobody, Twin: "send"}, "quick", c.NewID()),
		t.startTaskWithoutParam("no-task-id", "/taskId", false),
		t.startTaskWithoutParam("no-action", "/action", false),
		t.startTaskWithoutParam("no-params", "", false),
		t.startTaskWithoutParam("no-sender", "/sender", true),
		t.startTaskWithoutParam("no-input", "/input", true),
	}
	o := t.newTaskMessage("quick", t.sender)
	o.Text = "no-such-" + conversation.NewToken(c)
	under = append(under, t.Start(t.withTaskEndpointAndCaller(conversation.Step{Name: "no-such-action", Role: record.Probe, Twin: "send"}), o))
	for _, stimulus := range []string{"fail", "timeout"} {
		if _, ok := c.Stimulus(stimulus); ok {
			under = append(under, t.sendTask(conversation.Step{Name: stimulus}, stimulus, t.sender))
		}
	}
	conversation.WaitAll(under)
}}

// chooseEndpointOrEndPlay is the endpoint of the agent that is sent tasks; "" if there is
// none, and the play records why.
func chooseEndpointOrEndPlay(c *conversation.Conversation, list *conversation.Reply) string {
	at := c.Dialect.Directory
	far := 0
	entries, _ := card.Entries(list.Exchange.Reply().Root)
	for _, e := range entries {
		id, address := e.At(at.ID), e.At(at.URL)
		switch {
		case id == nil || address == nil || strings.HasPrefix(id.String, ourPrefix):
		case c.Agent != "" && c.Agent != "first" && id.String != c.Agent:
		case !c.Near(address.String):
			far++
		default:
			return record.BoundAddress(address.String)
		}
	}
	switch {
	case c.Agent != "" && c.Agent != "first":
		c.Play.Stop = "the directory lists no agent " + c.Agent + " on its own host"
	case list.Status() != http.StatusOK:
		c.Play.Stop = "the directory showed no list of agents"
	case far > 0:
		c.Play.Stop = "the directory lists no agent on its own host, and the run calls no agent elsewhere"
		c.Reached(record.NoAgent, "list")
	default:
		c.Play.Stop = "the directory lists no agents except ours"
		c.Reached(record.NoAgent, "list")
	}
	return ""
}

// agentTasksPlay are a conversation with an agent of a directory. Credentials go to no
// other origin than the directory's.
type agentTasksPlay struct {
	*conversation.Conversation
	url    string
	as     record.Caller
	sender string // of the tasks, if that does not matter
}

// findTaskURLOrStop finds out where the agent takes tasks: at the path that is the method's
// name or at its bare endpoint.
func (t *agentTasksPlay) findTaskURLOrStop(endpoint string) bool {
	for _, p := range []struct{ step, url string }{{"path", endpoint + "/" + t.CallBinding().Title("task")}, {"bare", endpoint}} {
		t.url = p.url
		r := t.sendTask(conversation.Step{Name: p.step, Role: record.Probe}, "quick", t.sender).Wait()
		if r.Answer.IsResponse() {
			return true
		}
	}
	t.Play.Stop = "the agent answered with JSON-RPC at neither address"
	return false
}

func (t *agentTasksPlay) withTaskEndpointAndCaller(s conversation.Step) conversation.Step {
	s.Op, s.URL = "task", t.url
	s.As = cmp.Or(s.As, t.as)
	return s
}

func (t *agentTasksPlay) newTaskMessage(stimulus, sender string) dialect.Outgoing {
	return dialect.Outgoing{Text: t.Stimuli[stimulus].Text, Task: t.NewTask(), Sender: sender}
}

// sendTask begins a task; the calls are made side by side.
func (t *agentTasksPlay) sendTask(s conversation.Step, stimulus, sender string) *conversation.Pending {
	return t.Start(t.withTaskEndpointAndCaller(s), t.newTaskMessage(stimulus, sender))
}

// startTaskWithoutParam sends the task with a parameter left out, or with none at all; valid reports that no one demands
// the member.
func (t *agentTasksPlay) startTaskWithoutParam(step, pointer string, valid bool) *conversation.Pending {
	o := t.newTaskMessage("quick", t.sender)
	s := t.withTaskEndpointAndCaller(conversation.Step{Name: step, Role: record.Probe, Twin: "send", Task: o.Task, Invalid: !valid})
	request := t.Request(step, "task", o)
	if pointer == "" {
		request.Params = nil
	} else if err := malformed.PatchParams(&request, []schema.PatchOp{{Op: "remove", Path: pointer}}); err != nil {
		panic("a2a-conform cannot write this request: " + err.Error())
	}
	return t.StartCall(s, t.MustEncode(s, request))
}
