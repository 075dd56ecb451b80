package serve

import (
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/schema"
)

// object is a JSON object that is to be sent.
type object = map[string]any

// state is a task's state, in the words of A2A 0.3.
type state string

// The states of a task.
const (
	submitted     state = "submitted"
	working       state = "working"
	inputRequired state = "input-required"
	authRequired  state = "auth-required"
	completed     state = "completed"
	canceled      state = "canceled"
	failed        state = "failed"
	rejected      state = "rejected"
)

// isTerminal reports whether a task in that state is over.
func (s state) isTerminal() bool {
	return s == completed || s == canceled || s == failed || s == rejected
}

// artifact is what a task brings.
type artifact struct {
	id    string
	texts []string
}

// task is what the scripted agent works on.
type task struct {
	id, context string
	state       state
	says        string // the text of its status; "" for none
	saysID      string // the id of that message
	at          string // the time of its status
	artifacts   []artifact
	places      *places       // of its artifacts, in dialects that number them
	looks       int           // calls that read it
	ends        time.Time     // when it ends by itself, if it does
	over        chan struct{} // closed once it has ended
}

// form writes the objects of a dialect.
type form interface {
	// dialectName names what the form writes.
	dialectName() string
	// protocolVersion is its name on cards.
	protocolVersion() string
	// stateName is the name of a state.
	stateName(s state) string
	writeCard(c cardFacts) object
	writeTextPart(text string) object
	writeMessage(id, context, task, text string) object
	writeTask(t *task) object
	// writeStatusEvent writes the event of a stream that a task's status changed; final if nothing follows.
	writeStatusEvent(t *task, final bool) object
	// writeArtifactEvent writes the event of a stream that brings a part of an artifact.
	writeArtifactEvent(t *task, artifact, text string, appends, last bool) object
	// wrapNamed makes the answer to a message, or an event, of an object by the name of what it is.
	wrapNamed(kind string, o object) object
	// errorDetails are the data of an error; nil for none.
	errorDetails(e schema.ErrorSign) any
	// notificationType is the media type of push notifications.
	notificationType() string
	// writeStateNotice writes a push notification of the state of a task.
	writeStateNotice(t *task) object
	// listOtherNotices returns push notifications of the other kinds that the text allows, besides whole tasks.
	listOtherNotices(s *stage, t *task) []namedNotice
	// writeHook writes a webhook that the agent keeps.
	writeHook(h *hook, id string) object
	// hookTaskAt is the pointer of the task's id in the parameters of calls about webhooks.
	hookTaskAt() string
	// forgedState is the state that notifications state which were forged for want of a token.
	forgedState() state
	// wrapHooks makes the result of a list of webhooks.
	wrapHooks(all []any) any
	// emptyResult is the result of a call that returns nothing.
	emptyResult() any
	// writeScheme writes a security scheme.
	writeScheme(s securityScheme) object
	// demandSchemes has a card demand credentials of one of several lists of schemes, of which each is wanted as a whole.
	demandSchemes(card object, alternatives [][]securityScheme)

	// listFeatures returns what the dialect has besides the operations, bindings, errors and states that it defines.
	listFeatures() []string
	// writeStreamStart writes the event by which the stream of a task begins; resumed if a subscription does.
	writeStreamStart(t *task, resumed bool) object
	writeUnknownPart() object
	writeUnknownEvent() object
	// findParts returns what has the parts of the answer of a task that is done, as it answers a message.
	findParts(answer object) object
	// listOddParts returns parts of all kinds but text.
	listOddParts() []any
	// dropOptionalMembers takes those out of a task that may be left out, besides its time.
	dropOptionalMembers(task object)
	// taskAt and contextAt are the pointers of the ids that the parameters of a message name.
	taskAt() string
	contextAt() string
	// namesTasks reports whether clients make the ids of tasks.
	namesTasks() bool
	// wantsToWait reports whether the sender of a message waits for the end of its task, by its parameters.
	wantsToWait(isTrue func(at string) bool) bool
}

// The features that not every dialect has, by which scenarios are chosen.
const (
	answersByMessages = "messages"         // a message may be answered by a message
	hasInterfaces     = "interfaces"       // a card may list several interfaces
	hasExtensions     = "extensions"       // calls may activate extensions
	combinesSchemes   = "security schemes" // a card defines schemes by name, and combines them
	hasNotices        = "notices"          // push notifications, which are served
	givesTaskIDs      = "ids of tasks"     // agents make the ids of tasks
	hasArtifacts      = "artifacts"        // tasks have artifacts, which may be left out
)

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

// forms are those of the dialects whose clients are served.
var forms = map[string]form{a2a10: form10{}, a2a03: form03{}, a2a01: form01{}, a2x03: formA2X{}, jaf03: formJAF{}, directory01: formDirectory{}, coreSchema: formCore{}}

// cancellingForm is a form that answers a call to cancel a task by something else than the task.
type cancellingForm interface {
	// writeCancellation writes whether a task was canceled.
	writeCancellation(id string, done bool) object
}

// stagedForm is a form whose protocol has agents that are not found, or not called, as those of the others are.
type stagedForm interface {
	// prepareStage sets what the scripted server has in every play, before the script changes it.
	prepareStage(s *stage)
}

// everyFeature are all that there are.
var everyFeature = []string{answersByMessages, hasInterfaces, hasExtensions, combinesSchemes, hasNotices, givesTaskIDs, hasArtifacts}

func (form10) listFeatures() []string { return everyFeature }

func (f form10) writeStreamStart(t *task, _ bool) object { return f.wrapNamed("task", f.writeTask(t)) }

func (form10) writeUnknownPart() object { return object{"hologram": object{"voxels": 8}} }

func (form10) findParts(answer object) object { return findFirstArtifact(answer["task"].(object)) }

// findFirstArtifact returns the first artifact of a task.
func findFirstArtifact(task object) object { return task["artifacts"].([]any)[0].(object) }

func (form10) writeUnknownEvent() object { return object{"pondering": object{"depth": 3}} }

func (form10) listOddParts() []any {
	file := func(member, value string) object {
		return object{"filename": "sample", "mediaType": "text/plain", member: value}
	}
	return []any{file("raw", "aGVsbG8="), file("url", "https://conform.example.com/sample.txt"), object{"data": object{"n": 1}}, object{"data": []any{1, "two", nil}},
		object{"data": 4.5}}
}

func (form10) dropOptionalMembers(task object) { delete(task, "contextId") }

func (form10) taskAt() string    { return "/message/taskId" }
func (form10) contextAt() string { return "/message/contextId" }
func (form10) namesTasks() bool  { return false }

func (form10) wantsToWait(isTrue func(at string) bool) bool {
	return !isTrue("/configuration/returnImmediately")
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
	card := writeAgent(c.streaming)
	card["supportedInterfaces"] = faces
	return card
}

func (form10) writeTextPart(text string) object { return object{"text": text} }

func (f form10) writeMessage(id, context, task, text string) object {
	m := object{"messageId": id, "role": "ROLE_AGENT", "parts": []any{f.writeTextPart(text)}}
	setTexts(m, "contextId", context, "taskId", task)
	return m
}

func (form10) stateName(s state) string {
	return "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(string(s), "-", "_"))
}

func (f form10) writeTask(t *task) object { return writeTaskMembers(f, t) }

func (f form10) writeStatusEvent(t *task, _ bool) object {
	return f.wrapNamed("statusUpdate", object{"taskId": t.id, "contextId": t.context, "status": writeStatus(f, t)})
}

func (f form10) writeArtifactEvent(t *task, id, text string, appends, last bool) object {
	return f.wrapNamed("artifactUpdate", writeArtifactUpdate(f, t, id, text, appends, last))
}

func (form10) wrapNamed(kind string, o object) object { return object{kind: o} }

func (form10) errorDetails(e schema.ErrorSign) any {
	if e.Reason == "" {
		return nil
	}
	return []any{writeErrorInfo(e.Reason, "a2a-protocol.org")}
}

func (form10) writeScheme(s securityScheme) object {
	switch s.kind {
	case "key":
		return object{"apiKeySecurityScheme": object{"location": s.in, "name": s.at}}
	case "oauth":
		return object{"oauth2SecurityScheme": object{"flows": object{"clientCredentials": object{"tokenUrl": s.at, "scopes": object{}}}}}
	case "code":
		return object{"oauth2SecurityScheme": object{"flows": object{"authorizationCode": object{"authorizationUrl": s.ask, "tokenUrl": s.at, "scopes": object{}, "pkceRequired": true}}}}
	case "oidc":
		return object{"openIdConnectSecurityScheme": object{"openIdConnectUrl": s.at}}
	case "mtls":
		return object{"mtlsSecurityScheme": object{"description": "A certificate of the client."}}
	case "basic":
		return object{"httpAuthSecurityScheme": object{"scheme": "Basic"}}
	}
	return object{"httpAuthSecurityScheme": object{"scheme": "Bearer"}}
}

func (f form10) demandSchemes(card object, alternatives [][]securityScheme) {
	defineSchemes(f, card, alternatives)
	var demands []any
	for _, all := range alternatives {
		together := object{}
		for _, one := range all {
			together[one.name] = object{"list": []any{}}
		}
		demands = append(demands, object{"schemes": together})
	}
	card["securityRequirements"] = demands
}

// defineSchemes has a card define schemes by their names.
func defineSchemes(f form, card object, alternatives [][]securityScheme) {
	schemes := object{}
	for _, all := range alternatives {
		for _, one := range all {
			schemes[one.name] = f.writeScheme(one)
		}
	}
	card["securitySchemes"] = schemes
}

// form03 writes A2A 0.3.0 (section 6).
type form03 struct{}

func (form03) dialectName() string     { return a2a03 }
func (form03) protocolVersion() string { return "0.3.0" }

// writeCard has the first interface as the main one, and the others, and it again, as additional ones.
func (f form03) writeCard(c cardFacts) object {
	card := writeAgent(c.streaming)
	card["protocolVersion"] = f.protocolVersion()
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

func (form03) stateName(s state) string { return string(s) }

func (f form03) writeTask(t *task) object {
	o := writeTaskMembers(f, t)
	o["kind"] = "task"
	return o
}

func (f form03) writeStatusEvent(t *task, final bool) object {
	return object{"kind": "status-update", "taskId": t.id, "contextId": t.context, "status": writeStatus(f, t), "final": final}
}

func (f form03) writeArtifactEvent(t *task, id, text string, appends, last bool) object {
	o := writeArtifactUpdate(f, t, id, text, appends, last)
	o["kind"] = "artifact-update"
	return o
}

func (form03) wrapNamed(_ string, o object) object { return o }

func (form03) errorDetails(schema.ErrorSign) any { return nil }

func (form03) writeScheme(s securityScheme) object {
	switch s.kind {
	case "key":
		return object{"type": "apiKey", "in": s.in, "name": s.at}
	case "oauth":
		return object{"type": "oauth2", "flows": object{"clientCredentials": object{"tokenUrl": s.at, "scopes": object{}}}}
	case "oidc":
		return object{"type": "openIdConnect", "openIdConnectUrl": s.at}
	case "mtls":
		return object{"type": "mutualTLS"}
	case "basic":
		return object{"type": "http", "scheme": "basic"}
	}
	return object{"type": "http", "scheme": "bearer"}
}

func (f form03) demandSchemes(card object, alternatives [][]securityScheme) {
	defineSchemes(f, card, alternatives)
	var demands []any
	for _, all := range alternatives {
		together := object{}
		for _, one := range all {
			together[one.name] = []any{}
		}
		demands = append(demands, together)
	}
	card["security"] = demands
}

func (form03) listFeatures() []string { return everyFeature }

func (f form03) writeStreamStart(t *task, _ bool) object { return f.writeTask(t) }

func (form03) writeUnknownPart() object {
	return object{"kind": "hologram", "hologram": object{"voxels": 8}}
}

func (form03) findParts(answer object) object { return findFirstArtifact(answer) }

func (form03) writeUnknownEvent() object {
	return object{"kind": "pondering", "pondering": object{"depth": 3}}
}

func (form03) listOddParts() []any { return listTypedParts("kind") }

// listTypedParts returns parts of all kinds but text, which a member names.
func listTypedParts(kind string) []any {
	file := func(member, value string) object {
		return object{kind: "file", "file": object{"name": "sample", "mimeType": "text/plain", member: value}}
	}
	return []any{file("bytes", "aGVsbG8="), file("uri", "https://conform.example.com/sample.txt"), object{kind: "data", "data": object{"n": 1}}}
}

func (form03) dropOptionalMembers(object) {}

func (form03) taskAt() string    { return "/message/taskId" }
func (form03) contextAt() string { return "/message/contextId" }
func (form03) namesTasks() bool  { return false }

func (form03) wantsToWait(isTrue func(at string) bool) bool { return isTrue("/configuration/blocking") }

// writeAgent writes what cards of all dialects state of the agent.
func writeAgent(streaming bool) object {
	return object{
		"name": "Scripted Agent", "description": "Answers by a script, whatever it is sent.", "version": "1.0.0",
		"capabilities":      object{"streaming": streaming, "pushNotifications": false},
		"defaultInputModes": []any{"text/plain"}, "defaultOutputModes": []any{"text/plain"},
		"skills": []any{object{"id": "answer", "name": "Answer", "description": "Answers any text.", "tags": []any{"test"}}},
	}
}

// writeStatus writes the status of a task.
func writeStatus(f form, t *task) object {
	status := object{"state": f.stateName(t.state), "timestamp": t.at}
	if t.says != "" {
		status["message"] = f.writeMessage(t.saysID, t.context, t.id, t.says)
	}
	return status
}

// writeTaskMembers writes the members that tasks of all dialects have.
func writeTaskMembers(f form, t *task) object {
	o := object{"id": t.id, "contextId": t.context, "status": writeStatus(f, t)}
	var artifacts []any
	for _, a := range t.artifacts {
		artifacts = append(artifacts, writeArtifact(f, a.id, a.texts...))
	}
	if len(artifacts) > 0 {
		o["artifacts"] = artifacts
	}
	return o
}

// writeArtifactUpdate writes the members that events with a part of an artifact have in all dialects.
func writeArtifactUpdate(f form, t *task, id, text string, appends, last bool) object {
	return object{"taskId": t.id, "contextId": t.context, "append": appends, "lastChunk": last, "artifact": writeArtifact(f, id, text)}
}

// writeArtifact writes an artifact of texts.
func writeArtifact(f form, id string, texts ...string) object {
	var parts []any
	for _, text := range texts {
		parts = append(parts, f.writeTextPart(text))
	}
	return object{"artifactId": id, "parts": parts}
}

// writeErrorInfo writes a detail of an error that states its reason.
func writeErrorInfo(reason, domain string) object {
	return object{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": domain}
}

// setTexts sets members that are not empty.
func setTexts(o object, pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			o[pairs[i]] = pairs[i+1]
		}
	}
}
