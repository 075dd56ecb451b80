package serve

import (
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/schema"
)

// object is a JSON object that is to be sent.
type object = map[string]any

// stateName is a task's state, in the words of A2A 0.3.
type state string

// The states of a task.
const (
	submitted     state = "submitted"
	working       state = "working"
	inputRequired state = "input-required"
	completed     state = "completed"
	canceled      state = "canceled"
	failed        state = "failed"
	rejected      state = "rejected"
)

// isTerminal reports whether a task in that state is over.
func (s state) isTerminal() bool {
	return s == completed || s == canceled || s == failed || s == rejected
}

// writeTextPart is one of the texts that make up an artifact.
type artifact struct {
	id    string
	texts []string
}

// writeTask is what the scripted agent works on.
type task struct {
	id, context string
	state       state
	says        string // the text of its status; "" for none
	saysID      string // the id of that message
	at          string // the time of its status
	artifacts   []artifact
	looks       int           // calls that read it
	ends        time.Time     // when it ends by itself, if it does
	over        chan struct{} // closed once it has ended
}

// form writes the objects of a dialect.
type form interface {
	// dialectName is what the form writes.
	dialectName() string
	// protocolVersion is what cards call it.
	protocolVersion() string
	writeCard(c cardFacts) object
	writeTextPart(text string) object
	writeMessage(id, context, task, text string) object
	writeTask(t *task) object
	// writeStatusEvent is the event of a stream that a task's status changed; final if nothing follows.
	writeStatusEvent(t *task, final bool) object
	// writeArtifactEvent is the event of a stream that brings a part of an artifact.
	writeArtifactEvent(t *task, artifact, text string, appends, last bool) object
	// wrapNamed is what answers a message, or an event: the object by the name of what it is.
	wrapNamed(kind string, o object) object
	// details are the data of an error.
	errorDetails(e schema.ErrorSign) any
}

// cardFacts are what a card states.
type cardFacts struct {
	faces     []face
	streaming bool
}

// face is an interface on a card.
type face struct {
	binding string // JSONRPC or HTTP+JSON, or one that no client knows
	form    form
	origin  int
	path    string
	tenant  string
	url     string // instead of the address that origin and path make
	version string // instead of that of the form
	hidden  bool   // it is served, and is on no card
}

func chooseForm(dialect string) form {
	if dialect == a2a03 {
		return form03{}
	}
	return form10{}
}

// form10 writes A2A 1.0 (section 4).
type form10 struct{}

func (form10) dialectName() string     { return a2a10 }
func (form10) protocolVersion() string { return "1.0" }

func (f form10) writeCard(c cardFacts) object {
	var faces []any
	for _, i := range c.faces {
		face := object{"url": i.url, "protocolBinding": i.binding, "protocolVersion": i.version}
		if i.tenant != "" {
			face["tenant"] = i.tenant
		}
		faces = append(faces, face)
	}
	return object{
		"name": agentName, "description": agentDescription, "version": "1.0.0", "supportedInterfaces": faces,
		"capabilities":      object{"streaming": c.streaming, "pushNotifications": false},
		"defaultInputModes": []any{"text/plain"}, "defaultOutputModes": []any{"text/plain"},
		"skills": []any{describeSkill()},
	}
}

func (form10) writeTextPart(text string) object { return object{"text": text} }

func (f form10) writeMessage(id, context, task, text string) object {
	m := object{"messageId": id, "role": "ROLE_AGENT", "parts": []any{f.writeTextPart(text)}}
	setTexts(m, "contextId", context, "taskId", task)
	return m
}

func (f form10) stateName(s state) string {
	return "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(string(s), "-", "_"))
}

func (f form10) statusOf(t *task) object {
	status := object{"state": f.stateName(t.state), "timestamp": t.at}
	if t.says != "" {
		status["message"] = f.writeMessage(t.saysID, t.context, t.id, t.says)
	}
	return status
}

func (f form10) writeTask(t *task) object {
	o := object{"id": t.id, "contextId": t.context, "status": f.statusOf(t)}
	if len(t.artifacts) > 0 {
		o["artifacts"] = writeArtifacts(f, t)
	}
	return o
}

func (f form10) writeStatusEvent(t *task, _ bool) object {
	return f.wrapNamed("statusUpdate", object{"taskId": t.id, "contextId": t.context, "status": f.statusOf(t)})
}

func (f form10) writeArtifactEvent(t *task, id, text string, appends, last bool) object {
	return f.wrapNamed("artifactUpdate", object{"taskId": t.id, "contextId": t.context, "append": appends, "lastChunk": last,
		"artifact": object{"artifactId": id, "parts": []any{f.writeTextPart(text)}}})
}

func (form10) wrapNamed(kind string, o object) object { return object{kind: o} }

func (form10) errorDetails(e schema.ErrorSign) any {
	if e.Reason == "" {
		return nil
	}
	return []any{object{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": e.Reason, "domain": "a2a-protocol.org"}}
}

// form03 writes A2A 0.3.0 (section 6).
type form03 struct{}

func (form03) dialectName() string     { return a2a03 }
func (form03) protocolVersion() string { return "0.3.0" }

// writeCard has the first interface as the main one, and the others, and it again, as additional ones.
func (f form03) writeCard(c cardFacts) object {
	card := object{
		"protocolVersion": f.protocolVersion(), "name": agentName, "description": agentDescription, "version": "1.0.0",
		"capabilities":      object{"streaming": c.streaming, "pushNotifications": false},
		"defaultInputModes": []any{"text/plain"}, "defaultOutputModes": []any{"text/plain"},
		"skills": []any{describeSkill()},
	}
	if len(c.faces) > 0 {
		card["url"], card["preferredTransport"] = c.faces[0].url, c.faces[0].binding
	}
	var others []any
	for _, i := range c.faces {
		others = append(others, object{"url": i.url, "transport": i.binding})
	}
	if len(others) > 1 {
		card["additionalInterfaces"] = others
	}
	return card
}

func (form03) writeTextPart(text string) object { return object{"kind": "text", "text": text} }

func (f form03) writeMessage(id, context, task, text string) object {
	m := object{"kind": "message", "messageId": id, "role": "agent", "parts": []any{f.writeTextPart(text)}}
	setTexts(m, "contextId", context, "taskId", task)
	return m
}

func (f form03) statusOf(t *task) object {
	status := object{"state": string(t.state), "timestamp": t.at}
	if t.says != "" {
		status["message"] = f.writeMessage(t.saysID, t.context, t.id, t.says)
	}
	return status
}

func (f form03) writeTask(t *task) object {
	o := object{"kind": "task", "id": t.id, "contextId": t.context, "status": f.statusOf(t)}
	if len(t.artifacts) > 0 {
		o["artifacts"] = writeArtifacts(f, t)
	}
	return o
}

func (f form03) writeStatusEvent(t *task, final bool) object {
	return object{"kind": "status-update", "taskId": t.id, "contextId": t.context, "status": f.statusOf(t), "final": final}
}

func (f form03) writeArtifactEvent(t *task, id, text string, appends, last bool) object {
	return object{"kind": "artifact-update", "taskId": t.id, "contextId": t.context, "append": appends, "lastChunk": last,
		"artifact": object{"artifactId": id, "parts": []any{f.writeTextPart(text)}}}
}

func (form03) wrapNamed(_ string, o object) object { return o }

func (form03) errorDetails(schema.ErrorSign) any { return nil }

// What the cards state of the agent.
const (
	agentName        = "Scripted Agent"
	agentDescription = "Answers by a script, whatever it is sent."
)

func describeSkill() object {
	return object{"id": "answer", "name": "Answer", "description": "Answers any text.", "tags": []any{"test"}}
}

func writeArtifacts(f form, t *task) (out []any) {
	for _, a := range t.artifacts {
		var parts []any
		for _, text := range a.texts {
			parts = append(parts, f.writeTextPart(text))
		}
		out = append(out, object{"artifactId": a.id, "parts": parts})
	}
	return out
}

// setTexts sets members that are not empty.
func setTexts(o object, pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			o[pairs[i]] = pairs[i+1]
		}
	}
}
