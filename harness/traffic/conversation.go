package traffic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// conversations link calls by the ids that requests and answers name.
type conversations struct {
	d     *schema.Dialect
	cut   bool // things happened before: an id whose creation was not seen is old
	calls []*foundCall
	// What was delivered of each task, in the order of time.
	states  map[string][]delivered
	made    map[string]record.Instant // when the id of a task was first delivered
	context map[string]string         // of a task
	ofTask  map[string][]*foundCall   // the calls that are about a task, or begin it
}

// linkCalls works out the state of each task before each call, the role of each call, and the thread that it belongs to.
// The calls are in the order of their requests.
func linkCalls(d *schema.Dialect, calls []*foundCall, cut bool) {
	v := &conversations{d: d, cut: cut, calls: calls, states: map[string][]delivered{}, made: map[string]record.Instant{}, context: map[string]string{}, ofTask: map[string][]*foundCall{}}
	for _, c := range calls {
		if c.by == nil {
			continue
		}
		c.readIDs(d)
		c.readAnswer(d)
		c.caller, c.callerKnown = readCaller(c.Exchange)
		v.keepDelivered(c)
		v.ofTask[c.aboutTask()] = append(v.ofTask[c.aboutTask()], c)
	}
	known := map[string]bool{}
	for _, c := range calls {
		if c.Op != "list" {
			known[c.Context], known[c.MadeContext] = true, true
		}
		c.knownContext = known[c.Context]
	}
	for _, of := range v.states {
		slices.SortStableFunc(of, func(a, b delivered) int { return cmp.Compare(a.at, b.at) })
	}
	v.joinThreads()
	sent := map[string]bool{}
	for _, c := range calls {
		if c.by == nil {
			if c.Op == documentOp {
				c.Unusual = findIntermediary(c.Exchange)
			}
			continue
		}
		c.taskContext = v.context[c.aboutTask()]
		c.Before = v.stateBefore(c)
		c.Unusual, c.Invalid = v.findUnusual(c)
		c.Role = v.findRole(c)
		if again := c.Message != "" && sent[c.Message]; again && c.Unusual == "" {
			c.Unusual = "a message with its id came before, which a server may take for the same"
		}
		sent[c.Message] = true
		if c.Unusual == "" {
			c.Unusual = v.findOtherReason(c)
			c.excused = c.Unusual != ""
		}
	}
	v.excuseConsequences()
	v.markExamples()
}

// findOtherReason returns for which reason that a recording does not show a server may have refused a call about a task: it
// may keep the tasks of callers apart, or for some time only, and a task may go on between two calls. It is "" if there is
// none, or if other calls of the same caller show that it was not that.
func (v *conversations) findOtherReason(c *foundCall) string {
	switch {
	case c.Kind == errorKind && slices.Contains(c.errors, "VersionNotSupported") && !v.namesVersion(c.Exchange):
		return "it was refused for its version, which it does not name"
	case c.Kind != errorKind || c.aboutTask() == "" || slices.Contains(c.errors, "MethodNotFound"):
		return ""
	case slices.Contains(c.errors, "TaskNotFound") && v.isFreshAndOwn(c):
		return ""
	case slices.Contains(c.errors, "TaskNotFound"):
		return "its task was not found, and may be another caller's, or gone by then"
	case classOf(v.d, c.Before) != endedClass && !v.settlesRefusal(c):
		return "it was refused, and its task may have gone on before"
	}
	return ""
}

// namesVersion reports whether a request names the version of the dialect in its header.
func (v *conversations) namesVersion(x *record.Exchange) bool {
	for name, value := range v.d.Headers {
		if got := x.Request.Header().Get(name); got == "" || got != value && !v.d.Detect.Fits(got) {
			return false
		}
	}
	return true
}

// excuseConsequences marks the calls about a task that an unusual call was made to and not refused: what they show may be
// nothing but its consequence.
func (v *conversations) excuseConsequences() {
	since := map[string]record.Instant{}
	for _, c := range v.calls {
		task := c.aboutTask()
		if c.by == nil || task == "" {
			continue
		}
		if at, unusual := since[task]; unusual && c.Unusual == "" && c.Exchange.Start >= at {
			c.Unusual = "it is about a task that an unusual call made or changed"
		}
		if _, had := since[task]; !had && (c.Invalid || c.contradicts) && c.Kind != errorKind && !v.d.Operation(c.Op).Reads {
			since[task] = c.Exchange.Start
		}
	}
}

// keepDelivered keeps what the answer to a call shows of its task. The task is the one that the call is about, whatever
// the answer calls it.
func (v *conversations) keepDelivered(c *foundCall) {
	task := c.aboutTask()
	for _, s := range c.states {
		s.task = task
		v.states[task] = append(v.states[task], s)
	}
	for _, id := range []string{c.Made, task} {
		if at, known := v.made[id]; id != "" && c.Kind == taskKind && (!known || c.Exchange.End < at) {
			v.made[id] = c.firstNews()
		}
	}
	if of := cmp.Or(c.MadeContext, c.Context); of != "" && task != "" && v.context[task] == "" {
		v.context[task] = of
	}
}

// firstNews returns when the first news of its task had come to the caller.
func (c *foundCall) firstNews() record.Instant {
	if len(c.states) > 0 {
		return c.states[0].at
	}
	return c.Exchange.End
}

// stateBefore returns the last state of its task that had been delivered when a call was made.
func (v *conversations) stateBefore(c *foundCall) (state string) {
	if c.Task == "" {
		return ""
	}
	for _, s := range v.states[c.Task] {
		if s.at <= c.Exchange.Start {
			state = s.state
		}
	}
	return state
}

// joinThreads gives each call the number of its thread: calls with the same context or, without one, about the same task
// are in one.
func (v *conversations) joinThreads() {
	of := map[string]int{}
	next := 0
	for _, c := range v.calls {
		task := c.aboutTask()
		context := cmp.Or(v.context[task], c.Context, c.MadeContext)
		key := ""
		switch {
		case context != "":
			key = "context " + context
		case task != "":
			key = "task " + task
		}
		if key != "" && of[key] > 0 {
			c.thread = of[key]
			continue
		}
		next++
		if c.thread = next; key != "" {
			of[key] = next
		}
	}
}

// findRole returns the role of a call: its operation and, if it is about a task, what was known of that.
func (v *conversations) findRole(c *foundCall) string {
	op := v.d.Operation(c.Op)
	before := classOf(v.d, c.Before)
	switch {
	case c.Op == "":
		return c.Role
	case op.Agent && c.isNewTask(v):
		return c.Op
	case op.Agent:
		return c.Op + map[string]string{waitingClass: "-answer", endedClass: "-ended", workingClass: "-more"}[before]
	case c.Op == "cancel", c.Op == "resubscribe":
		return c.Op + map[string]string{waitingClass: "-waiting", endedClass: "-ended"}[before]
	}
	return c.Op
}

// isNewTask reports whether a message begins a task: it names none, or one that the client chose and no answer named before.
func (c *foundCall) isNewTask(v *conversations) bool {
	if c.Task == "" {
		return true
	}
	at, known := v.made[c.Task]
	return (!known || at > c.Exchange.Start) && c.choosesTask()
}

// choosesTask reports whether the client chooses the id of the task of a message: it is next to the message, and not in it.
func (c *foundCall) choosesTask() bool {
	return c.readParam("/message/taskId") == "" && c.readParam("/id", "/taskId") != ""
}

// findUnusual returns why a server is not judged by the answer to a call, and whether that is since the request is
// malformed. What the server answered decides nothing here, unless the answer is that of an intermediary.
func (v *conversations) findUnusual(c *foundCall) (why string, invalid bool) {
	x := c.Exchange
	switch {
	case c.Op == "":
		return "the request asks for no operation of the dialect", true
	case len(c.sent.Calls) > 0:
		return "the request is a batch", false
	case c.sent.Framed && (c.sent.ID == nil || c.sent.ID.Kind == record.Null):
		return "the request has no JSON-RPC id", false
	case c.by.Kind() == schema.KindJSONRPC && !x.Posted():
		return "the request is no POST", true
	}
	if why := v.findInvalid(c); why != "" {
		return why, true
	}
	if why := v.findContradiction(c); why != "" {
		c.contradicts = true
		return why, false
	}
	if why := findIntermediary(x); why != "" {
		return why, false
	}
	if a := c.by.Decode(c.Op, x); x.Standing() >= 400 && (!a.IsResponse() || !a.Failure.Exists()) {
		return "a gateway may have answered, since the error has no body of the protocol", false
	}
	return "", false
}

// findInvalid returns how a request departs from the definitions of the dialect; "" if it does not.
func (v *conversations) findInvalid(c *foundCall) string {
	x := c.Exchange
	if call := x.Call(); len(x.Request.Body) > 0 && (call.Root == nil || len(call.Faults) > 0) {
		return "the request is not JSON as it should be"
	}
	if fields := x.Gaps == nil || !x.Gaps.Fields; fields && len(x.Request.Body) > 0 && c.by.Kind() != schema.KindGRPC && !strings.Contains(x.Request.MediaType(), "json") {
		return "the request is not labelled as JSON"
	}
	if !c.sent.Sound {
		return "the envelope of the request is malformed"
	}
	envelope := c.sent.Call
	if !c.sent.Framed {
		envelope = nil
	}
	shapes, params := v.d.Shapes(), v.d.Operation(c.Op).Params
	if c.sent.Params == nil && shapes.Has(params) && c.sent.Framed {
		if found, err := shapes.Validate(params, map[string]any{}); err != nil || len(found) > 0 {
			return "the request has no params"
		}
	}
	for _, part := range []struct {
		definition string
		node       *record.Node
	}{{v.d.Types.Request, envelope}, {params, c.sent.Params}} {
		if part.node == nil || !shapes.Has(part.definition) {
			continue
		}
		found, err := shapes.Validate(part.definition, part.node.Interface())
		if err != nil {
			return err.Error()
		}
		if len(found) > 0 {
			return fmt.Sprintf("the request is no valid %s: %s%s %s", part.definition, found[0].Definition, found[0].At, found[0].Message)
		}
	}
	if since := c.readParam("/statusTimestampAfter"); since != "" { // no definition states its format
		if _, err := time.Parse(time.RFC3339Nano, since); err != nil {
			return "the request names a time that is none"
		}
	}
	for name, value := range v.d.Headers {
		if got := x.Request.Header().Get(name); got != "" && got != value && !v.d.Detect.Fits(got) {
			return fmt.Sprintf("the request asks for another version: %s: %s", name, got)
		}
	}
	return ""
}

// findContradiction returns how a request contradicts what went before; "" if it does not. An id that was never given is
// old if the recording does not begin with the first call.
func (v *conversations) findContradiction(c *foundCall) string {
	if c.Task == "" {
		return ""
	}
	at, known := v.made[c.Task]
	told := known && at <= c.Exchange.Start
	op := v.d.Operation(c.Op)
	switch {
	case !told && !(op.Agent && c.choosesTask()):
		if v.cut {
			return "it is about a task whose creation was not recorded"
		}
		return "it is about a task that the agent never named"
	case told && c.Context != "" && v.context[c.Task] != "" && c.Context != v.context[c.Task]:
		return "it names another context than that of its task"
	}
	return ""
}

// findIntermediary returns why an answer may not be the agent's, or is about who calls and not about the call.
func findIntermediary(x *record.Exchange) string {
	switch {
	case x.Ended == record.Aborted || x.Ended == record.Unsent || x.Ended == record.NoDial:
		return "the call was not answered before the recording ended"
	case !x.Answered():
		return "nothing shows who left the call without an answer"
	case !x.IsStream() && (x.Ended == record.Timeout || x.Ended == record.OurClose):
		return "the client did not wait for the whole answer"
	case x.Gaps != nil && (x.Gaps.Request || x.Gaps.Response):
		return "its bodies are not recorded in full"
	case x.Ended == record.Limit:
		return "its answer is not recorded in full"
	case binding.Unavailable(x):
		return "a gateway without a server behind it answered"
	}
	switch x.Standing() {
	case 401, 403, 407:
		return "it was refused for who made it"
	case 429:
		return "it was refused for a rate limit"
	case 502, 504:
		return "a gateway answered"
	}
	if x.Response.MediaType() == "text/html" || x.Response.Header().Get("Via") != "" {
		return "an intermediary answered"
	}
	return ""
}

// sortCalls sorts calls by the moments of their requests.
func sortCalls(calls []*foundCall) {
	slices.SortStableFunc(calls, func(a, b *foundCall) int { return cmp.Compare(a.Exchange.Start, b.Exchange.Start) })
}

// nameRole returns the word by which the steps of a role are named.
func nameRole(c *foundCall) string {
	switch c.Op {
	case "get":
		return "look"
	case "resubscribe":
		return strings.Replace(c.Role, "resubscribe", "subscribe", 1)
	}
	return cmp.Or(c.Role, stray)
}
