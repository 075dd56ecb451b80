package acts

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/adapter"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/serve"
	"github.com/a2a-conform/a2a-conform/schema"
)

// clientOps are the operations whose answers a client can be given, in the words of a dialect.
var clientOps = map[string]string{"send_message": "send", "get_task": "get", "cancel_task": "cancel", "get_agent_card": "card"}

// ClientScripts returns a scripted server for each step of the tests about a client: it has the client call the operation, and
// answers with the payload.
func (r *Run) ClientScripts() (all []serve.Script) {
	all = []serve.Script{}
	for _, t := range r.set.Tests() {
		for _, s := range t.Steps {
			if script, err := r.newClientScript(t, s); err == nil {
				all = append(all, script)
			}
		}
	}
	return all
}

// newClientScript returns the scripted server of a step. The error is the reason if there is none.
func (r *Run) newClientScript(t *Test, s *Step) (serve.Script, error) {
	if s.Client == nil {
		return serve.Script{}, fmt.Errorf("the step %s is about a server", s.ID)
	}
	op, ok := clientOps[s.Client.Operation]
	if !ok {
		return serve.Script{}, fmt.Errorf("no command of an adapter has a client call %s and take this payload", s.Client.Operation)
	}
	return serve.NewPayloadScript(r.nameClientPlay(t, s), t.Name, serve.Payload{Op: op, Answer: s.Client.Payload})
}

// nameClientPlay returns the name of the play of a step about a client.
func (r *Run) nameClientPlay(t *Test, s *Step) string {
	if len(t.Steps) == 1 {
		return r.names[t]
	}
	return r.names[t] + "-" + strconv.Itoa(slices.Index(t.Steps, s)+1)
}

// JudgeClient judges the tests about a client by the record of a run in which it was given their payloads. Other tests are
// skipped.
func (r *Run) JudgeClient(t *record.Transcript) error {
	d, err := schema.Load(t.Facts.Dialect)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	const transport = "jsonrpc"
	r.results[transport] = map[*Test]*TestResult{}
	for _, test := range r.set.Tests() {
		r.results[transport][test] = r.judgeClientTest(test, t, d)
	}
	return nil
}

// judgeClientTest judges one test about a client.
func (r *Run) judgeClientTest(test *Test, t *record.Transcript, d *schema.Dialect) *TestResult {
	result := &TestResult{Test: test, Result: Passed}
	skip := func(why string) *TestResult {
		result.Result, result.SkipReason = Skipped, why
		return result
	}
	switch c := t.Facts.Calibration; {
	case !test.IsClientTest():
		return skip("it is about a server, and this run judged a client")
	case len(test.Transports) > 0 && !slices.Contains(test.Transports, "jsonrpc"):
		return skip("it is about " + strings.Join(test.Transports, " and ") + ", and payloads are given over jsonrpc")
	case t.Facts.Cut != "":
		result.setFailure(&Failure{Message: t.Facts.Cut, Line: test.Line, Broken: true})
		return result
	case c == nil || !c.Adapter:
		return skip("the program reports nothing of what its client saw, so that nothing can be compared; docs/adapters.md says how it does")
	}
	unreported := ""
	for _, s := range test.Steps {
		f, why := r.judgeClientStep(test, s, t, d)
		step := StepResult{ID: s.ID, Result: Passed}
		if play := t.Play(r.nameClientPlay(test, s)); play != nil && play.Client != nil {
			step.Duration = time.Duration(play.Client.Ended - play.Client.Started)
			result.Duration += step.Duration
		}
		switch {
		case f != nil:
			f.Step = s.ID
			result.setFailure(f)
			step.Result, step.Failure = result.Result, f
		case why != "":
			step.Result, unreported = Skipped, cmp.Or(unreported, why)
		}
		result.Steps = append(result.Steps, step)
		if f != nil {
			return result
		}
	}
	if unreported != "" {
		return skip(unreported)
	}
	return result
}

// judgeClientStep returns why what a client made of a payload is not what is expected, or why that is not known.
func (r *Run) judgeClientStep(test *Test, s *Step, t *record.Transcript, d *schema.Dialect) (f *Failure, unreported string) {
	if _, err := r.newClientScript(test, s); err != nil {
		return nil, err.Error()
	}
	play := t.Play(r.nameClientPlay(test, s))
	broken := func(why string) *Failure { return &Failure{Line: s.Line, Message: why, Broken: true} }
	op := clientOps[s.Client.Operation]
	switch {
	case play == nil || play.Client == nil:
		return broken("it was not played"), ""
	case play.Client.Trouble != "":
		return broken("the client could not be started: " + play.Client.Trouble), ""
	case slices.ContainsFunc(play.Client.Said, func(l record.Said) bool { return l.Cannot == op }):
		return nil, "the client has nothing for " + op
	case !slices.ContainsFunc(play.Steps, func(st record.Step) bool { return st.Op == op && st.Exchange != nil && st.Exchange.Answered() }):
		return broken("the client made no call that the payload could answer"), ""
	}
	shape := newReportedShape(op, s.Client.Payload, play.Client.Said)
	missing := listUnreported(s.Client.Parsed, shape, "")
	left := maxComparisons
	e := evaluator{func(text string) (*record.Node, error) { return newText(text), nil }, &left}
	if f := e.checkReported(s.Client.Parsed, shape, newParsedNode(op, play.Client.Said, d)); f != nil {
		return f, ""
	}
	switch {
	case len(s.Assertions) > 0:
		return nil, "it has assertions besides expect_parsed, and the lines of an adapter are compared with that alone"
	case len(missing) > 0:
		return nil, "the lines of an adapter do not report " + strings.Join(missing[:min(len(missing), 3)], ", ")
	}
	return nil, ""
}

// reportedShape is what the lines of an adapter report of a value, by member; [] is for the elements of a list. A value without
// members is reported as a whole.
type reportedShape map[string]reportedShape

// faultMember is what expect_parsed has for an error, whatever the binding.
const faultMember = "error"

// elements are the elements of a list in a shape.
const elements = "[]"

// newReportedShape returns what lines report of the answer to an operation. The text of a part is known if the message or the artifact has
// no other part, so that it depends on the payload. What no line of its kind has is not known: all members are optional.
func newReportedShape(op string, payload any, said []record.Said) reportedShape {
	of := func(kinds string, members map[string]func(record.Said) string) reportedShape {
		out := reportedShape{}
		for name, read := range members {
			if slices.ContainsFunc(said, func(l record.Said) bool { return slices.Contains(strings.Fields(kinds), l.Saw) && read(l) != "" }) {
				out[name] = reportedShape{}
			}
		}
		return out
	}
	fault := of("error", map[string]func(record.Said) string{"code": func(l record.Said) string { return l.Code }, "message": func(l record.Said) string { return l.Message }})
	if op == "card" {
		return reportedShape{"name": {}}
	}
	id, role := func(l record.Said) string { return l.ID }, func(l record.Said) string { return l.Role }
	message := of("message", map[string]func(record.Said) string{"messageId": id, "role": role})
	artifact := of("artifact", map[string]func(record.Said) string{"artifactId": id})
	status := reportedShape{"state": {}, "message": of("status", map[string]func(record.Said) string{"role": role})}
	if hasPlainPartsOnly(payload) {
		parts := reportedShape{elements: {"text": {}}}
		message["parts"], artifact["parts"], status["message"]["parts"] = parts, parts, parts
	}
	task := of("task", map[string]func(record.Said) string{"id": id, "contextId": func(l record.Said) string { return l.Context }, "history": func(l record.Said) string { return l.History }})
	task["status"], task["artifacts"] = status, reportedShape{elements: artifact}
	if op == "send" {
		return reportedShape{"task": task, "message": message, faultMember: fault}
	}
	task[faultMember] = fault
	return task
}

// hasPlainPartsOnly reports whether each list of parts in a value has one part, a text.
func hasPlainPartsOnly(value any) bool {
	switch value := value.(type) {
	case []any:
		return !slices.ContainsFunc(value, func(e any) bool { return !hasPlainPartsOnly(e) })
	case map[string]any:
		for name, e := range value {
			parts, isList := e.([]any)
			if name == "parts" && isList {
				first, _ := append(parts, nil)[0].(map[string]any)
				if text, isText := first["text"].(string); len(parts) != 1 || !isText || text == "" {
					return false
				}
			} else if !hasPlainPartsOnly(e) {
				return false
			}
		}
	}
	return true
}

// listUnreported returns the paths in an assertion that no line reports.
func listUnreported(a *Assertion, shape reportedShape, path string) (all []string) {
	switch a.Kind {
	case Members:
		for _, m := range a.Members {
			below, ok := shape[m.Name]
			if !ok {
				all = append(all, joinPath(path, m.Name))
				continue
			}
			all = append(all, listUnreported(m.Is, below, joinPath(path, m.Name))...)
		}
	case Elements:
		below, ok := shape[elements]
		if !ok && len(a.Elements) > 0 {
			return []string{path + "[0]"}
		}
		for i, e := range a.Elements {
			all = append(all, listUnreported(e, below, path+"["+strconv.Itoa(i)+"]")...)
		}
	case Operators:
		for _, op := range a.Operators {
			for _, of := range op.Of {
				all = append(all, listUnreported(of, shape, path)...)
			}
		}
	}
	return all
}

// checkReported returns why what lines report is not as an assertion has it. What they do not report is passed over.
func (e evaluator) checkReported(a *Assertion, shape reportedShape, n *record.Node) *Failure {
	return e.checkValue(keepReported(a, shape), n, "")
}

// keepReported returns an assertion without the members of which lines report nothing.
func keepReported(a *Assertion, shape reportedShape) *Assertion {
	out := *a
	switch a.Kind {
	case Members:
		out.Members = nil
		for _, m := range a.Members {
			if below, ok := shape[m.Name]; ok {
				out.Members = append(out.Members, MemberAssertion{m.Name, keepReported(m.Is, below)})
			}
		}
	case Elements:
		out.Elements = nil
		if below, ok := shape[elements]; ok {
			for _, each := range a.Elements {
				out.Elements = append(out.Elements, keepReported(each, below))
			}
		}
	case Operators:
		if len(listUnreported(a, shape, "")) > 0 {
			out.Operators = nil
		}
	}
	return &out
}

// newParsedNode returns what a client made of an answer, by the lines that it reported since the last task, message, error or
// card came.
func newParsedNode(op string, said []record.Said, d *schema.Dialect) *record.Node {
	root := newObject()
	task := root
	if op == "send" {
		task = newObject()
	}
	artifacts := map[string]bool{}
	for _, l := range said {
		switch l.Saw {
		case "card":
			if op == "card" {
				root = newObject(record.Member{Name: "name", Value: newText(l.Name)})
			}
		case "task":
			*task = *newTaskNode(l, d)
			artifacts = map[string]bool{}
			if op == "send" {
				*root = *newObject(record.Member{Name: "task", Value: task})
			}
		case "status":
			if l.State != "" {
				setMember(task, "status", newStatusNode(l, d))
			}
		case "artifact":
			if l.Assembled || artifacts[l.ID] {
				continue
			}
			artifacts[l.ID] = true
			if list := task.Member("artifacts"); list != nil {
				list.Elems = append(list.Elems, newObject(record.Member{Name: "artifactId", Value: newText(l.ID)}, record.Member{Name: "parts", Value: newPartsNode(l.Text)}))
			}
		case "message":
			if op == "send" {
				*root = *newObject(record.Member{Name: "message", Value: newObject(record.Member{Name: "messageId", Value: newText(l.ID)}, record.Member{Name: "role", Value: newRoleNode(l.Role)}, record.Member{Name: "parts", Value: newPartsNode(l.Text)})})
			}
		case "error":
			*root = *newObject(record.Member{Name: faultMember, Value: newErrorNode(l)})
		}
	}
	return root
}

func newObject(members ...record.Member) *record.Node {
	return &record.Node{Kind: record.Object, Members: members}
}

// setMember sets a member of an object.
func setMember(n *record.Node, name string, value *record.Node) {
	n.Members = slices.DeleteFunc(n.Members, func(m record.Member) bool { return m.Name == name })
	n.Members = append(n.Members, record.Member{Name: name, Value: value})
}

// newTaskNode returns the task that a line reports, without its artifacts so far.
func newTaskNode(l record.Said, d *schema.Dialect) *record.Node {
	n := newObject(record.Member{Name: "id", Value: newText(l.ID)}, record.Member{Name: "contextId", Value: newText(l.Context)},
		record.Member{Name: "status", Value: newObject(record.Member{Name: "state", Value: newStateNode(l.State, d)})}, record.Member{Name: "artifacts", Value: &record.Node{Kind: record.Array}})
	if count, err := strconv.Atoi(l.History); err == nil && count >= 0 && count <= record.MaxID {
		history := &record.Node{Kind: record.Array}
		for range count {
			history.Elems = append(history.Elems, newObject())
		}
		setMember(n, "history", history)
	}
	return n
}

// newStatusNode returns the status that a line reports.
func newStatusNode(l record.Said, d *schema.Dialect) *record.Node {
	n := newObject(record.Member{Name: "state", Value: newStateNode(l.State, d)})
	if l.Text != "" || l.Role != "" {
		setMember(n, "message", newObject(record.Member{Name: "role", Value: newRoleNode(l.Role)}, record.Member{Name: "parts", Value: newPartsNode(l.Text)}))
	}
	return n
}

// newStateNode returns a state in the words of the dialect, whatever words a line has for it.
func newStateNode(word string, d *schema.Dialect) *record.Node {
	for _, s := range d.States {
		if adapter.IsSameState(word, s.Name) {
			return newText(s.Name)
		}
	}
	return newText(word)
}

// newRoleNode returns a role in the words of A2A 1.0, whatever words a line has for it.
func newRoleNode(word string) *record.Node {
	for _, role := range []string{"ROLE_AGENT", "ROLE_USER"} {
		if strings.EqualFold(strings.TrimPrefix(strings.ToUpper(word), "ROLE_"), strings.TrimPrefix(role, "ROLE_")) {
			return newText(role)
		}
	}
	return newText(word)
}

// newPartsNode returns the one part that has a text; an empty list if there is none.
func newPartsNode(text string) *record.Node {
	n := &record.Node{Kind: record.Array}
	if text != "" {
		n.Elems = append(n.Elems, newObject(record.Member{Name: "text", Value: newText(text)}))
	}
	return n
}

// newErrorNode returns the error that a line reports.
func newErrorNode(l record.Said) *record.Node {
	code := newText(l.Code)
	if _, err := strconv.Atoi(l.Code); err == nil {
		code = newNumber(l.Code)
	}
	return newObject(record.Member{Name: "code", Value: code}, record.Member{Name: "message", Value: newText(l.Message)})
}
